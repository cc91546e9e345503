"""Names of measures in other tools: ``ndcg_cut_10`` of trec_eval is nDCG@10 here."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_TEXT = re.compile(
    r"(?:(?:cos(?:ine)?|dot|manhattan|euclidean)_(?:sim_|score_)?)?"
    r"(?P<stem>[A-Za-z](?:[\w-]*?[A-Za-z])?|11pt_avg|[Ff]1)"
    r"(?P<args>\(.*\))?(?P<mark>@|_at_|_|\.)?(?P<cutoff>\d+(?:\.\d+)?)?"
)
_SEVERAL = re.compile(r"([A-Za-z_]+)\.(\d+(?:,\d+)+)")
_TREC, _MANY = "trec_eval", "trec_eval, BEIR, MTEB, ranx"

STEMS: dict[str, tuple[str, str]] = {
    "ndcg_cut": ("nDCG", _TREC),
    "ndcg": ("nDCG", _MANY),
    "ndcg_burges": ("nDCG(gain=exponential)", "ranx"),
    "dcg": ("DCG", "ranx"),
    "map": ("AP", _MANY),
    "map_cut": ("AP", _TREC),
    "ap": ("AP", "ir_measures"),
    "recip_rank": ("RR", _TREC),
    "mrr": ("RR", "BEIR, MTEB, ranx"),
    "rr": ("RR", "ir_measures"),
    "p": ("P", _TREC),
    "precision": ("P", "MTEB, ranx"),
    "recall": ("R", _MANY),
    "r": ("R", "ir_measures"),
    "bpref": ("Bpref", _TREC),
    "err": ("ERR", "gdeval"),
    "rbp": ("RBP", "ir_measures, ranx"),
    "judged": ("Judged", "ir_measures"),
    "success": ("Success", _TREC),
    "hit_rate": ("Success", "ranx"),
    "hitrate": ("Success", "recommender libraries"),
    "accuracy": ("Success", "BEIR"),
    "rprec": ("Rprec", _TREC),
    "r-precision": ("Rprec", "ranx"),
    "infap": ("infAP", _TREC),
    "gm_map": ("GMAP", _TREC),
    "iprec_at_recall": ("IPrec", _TREC),
    "iprec": ("IPrec", "ir_measures"),
    "11pt_avg": ("IPrec", _TREC),
    "set_p": ("SetP", _TREC),
    "set_recall": ("SetR", _TREC),
    "set_f": ("SetF", _TREC),
    "f1": ("F1", "ranx"),
    "hits": ("Hits", "ranx"),
    "hole": ("Hole", "BEIR"),
    "r_cap": ("R_cap", "BEIR"),
    "alpha_ndcg": ("alpha_nDCG", "ir_measures"),
}
"""What other tools call a measure, in lower case: its name here or where it is offered, and the tools."""

NEAR = {
    "Success": ("RR", "R"),
    "Rprec": ("P", "AP"),
    "infAP": ("AP", "Bpref"),
    "GMAP": ("AP",),
    "IPrec": ("P", "AP"),
    "SetP": ("P",),
    "SetR": ("R",),
    "SetF": ("P", "R"),
    "F1": ("P", "R"),
    "Hits": ("P", "R"),
    "Hole": ("Judged",),
    "R_cap": ("R",),
    "alpha_nDCG": ("nDCG",),
}
"""The nearest measures to those that may not be offered."""

_NEEDS_CUTOFF = ("ndcg_cut", "map_cut", "success", "hit_rate", "hitrate")


@dataclass(frozen=True)
class Name:
    """A name as another tool writes it, and the text of the measure that it means here."""

    given: str
    text: str
    tools: str

    @property
    def measure(self) -> str:
        """The measure's name alone."""
        return re.split(r"[@(]", self.text)[0]

    def __str__(self) -> str:
        return f"{self.given} ({self.tools}) = {self.text}"


def foreign(text: str, known: Iterable[str] = ()) -> Name | None:
    """Read a measure as another tool writes it; None where it is no such name.

    Parameters
    ----------
    known
        Names that are ours.

    Raises
    ------
    ValueError
        If the name needs a cutoff, or says what is not a measure's to say.

    Examples
    --------
    >>> str(foreign("ndcg_cut_10")), foreign("MRR@10").text, foreign("nDCG@10", ["nDCG"])
    ('ndcg_cut_10 (trec_eval) = nDCG@10', 'RR@10', None)
    """
    text = text.strip()
    match = _TEXT.fullmatch(text)
    args = "" if match is None else _arguments(match["args"] or "", text)
    if match is None or bool(match["mark"]) != bool(match["cutoff"]):
        return None
    stem, cutoff = match["stem"], match["cutoff"]
    if stem in known and match["mark"] in (None, "@"):
        own = f"{stem}{args}{f'@{cutoff}' if cutoff else ''}"
        return None if args == (match["args"] or "") else Name(text, own, "ir_measures")
    if stem.lower() not in STEMS:
        return None
    name, tools = STEMS[stem.lower()]
    if stem.lower() in _NEEDS_CUTOFF and not cutoff:
        raise ValueError(f"measure {text!r} needs a cutoff, as {text}_10")
    if name == "RBP" and cutoff and match["mark"] == ".":
        return Name(text, f"RBP(p={float(f'0.{cutoff}'):g})", "ranx")
    return Name(text, f"{name}{args}{f'@{cutoff}' if cutoff else ''}", tools)


def _arguments(args: str, text: str) -> str:
    """Turn the parameters that ir_measures knows into ours."""
    if re.search(r"judged_only\s*=\s*True", args):
        raise ValueError(f"measure {text!r}: judged_only=True is the option --unjudged condensed")
    parts = [part.strip() for part in args.strip("()").split(",") if part.strip()]
    ways: dict[str, Any] = {"dcg='log2'": None, "judged_only=False": None}
    ways |= {"dcg='exp-log2'": "gain=exponential"}
    given = [ways.get(re.sub(r"\s*=\s*", "=", part.replace('"', "'")), part) for part in parts]
    kept = [part for part in given if part]
    return args if kept == parts else f"({','.join(kept)})" * bool(kept)


def several(text: str) -> list[str]:
    """Split trec_eval's name with several cutoffs.

    Examples
    --------
    >>> several("ndcg_cut.5,10"), several("AP")
    (['ndcg_cut.5', 'ndcg_cut.10'], ['AP'])
    """
    match = _SEVERAL.fullmatch(text)
    return [f"{match[1]}.{k}" for k in match[2].split(",")] if match else [text]


def not_offered(name: Name, known: Iterable[str]) -> ValueError:
    """Return the error for a measure that another tool has and we have not."""
    near = [other for other in NEAR.get(name.measure, ()) if other in known]
    hint = f"; the nearest: {', '.join(near)}" if near else ""
    told = str(name) if name.given != name.text else f"{name.given} ({name.tools})"
    return ValueError(f"measure {told} is not offered{hint}; known: {', '.join(sorted(known))}")
