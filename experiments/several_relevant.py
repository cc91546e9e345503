"""Whether nDCG rewards finding all relevant documents, not just one: users who need several, and real pairs.

Simulated: a user needs m of a topic's ten relevant documents and prefers the list on which the m-th comes
first. Two rankers, one a little better, order a hundred documents; how often does a measure prefer the
list that the user prefers (a measure's ties count one half)? Real: the pairs of lists of music of which
both hold several relevant documents, where people's answers are compared with nDCG@5 and RR@5.
Agreement in a simulation depends on what the user is taken to want: it shows what a measure sees.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.agreement.heldout import lead
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import lines
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.inputs import loader
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.preferences import Preferences
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
PAIRS, SETS = "preferences/music_pairs.jsonl.gz", ("urbano2012", "urbano2015")
MEASURES = ("nDCG@10", "nDCG", "RR", "AP", "R@10")
NEEDED = (1, 2, 3, 5, 10)
RELEVANT, DOCUMENTS, QUALITY = 10, 100, (1.4, 1.2)
TOPICS, BLOCKS = 500, {"quick": 2, "full": 40}
SEVERAL = 2
TIE = 1e-12


@loader
def pairs(path: Path) -> Preferences:
    """Read the pairs of lists."""
    return read_preferences(path)


def grid(scale: str) -> list[Parameters]:
    """Lay out the real sets, and blocks of simulated topics."""
    real = [{"part": "real", "set": name, "block": 0} for name in SETS]
    return [*real, *({"part": "users", "set": "", "block": b} for b in range(BLOCKS[scale]))]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Compare measures with simulated users, or with people's answers."""
    if parameters["part"] == "real":
        return [
            {"part": "real", "set": parameters["set"], **row} for row in _real(parameters["set"])
        ]
    truly = (np.arange(DOCUMENTS) < RELEVANT).astype(float)
    noise = rng.standard_normal((2, TOPICS, DOCUMENTS))
    order = np.argsort(-(np.array(QUALITY)[:, None, None] * truly + noise), axis=-1)
    grades = truly[order]
    hits = {m: _preferred(score_grades(m, grades)) for m in MEASURES}
    found = np.cumsum(grades, axis=-1)
    rows = []
    for m in NEEDED:
        user = _preferred(-np.argmax(found >= m, axis=-1).astype(float))
        agree = {name: agreed(sign, user)[user != 0] for name, sign in hits.items()}
        for name, values in agree.items():
            d = agree["nDCG@10"] - values
            row = {"needed": m, "measure": name, "pairs": values.size, "agree": values.sum()}
            rows.append({"part": "users", **row, "lead": d.sum(), "squares": (d**2).sum()})
    return rows


def _preferred(scores: Floats) -> Floats:
    gap = scores[0] - scores[1]
    return np.sign(gap) * (np.abs(gap) > TIE)


def agreed(sign: Floats, answer: Floats) -> Floats:
    """Return 1 where a measure prefers what the answer does, 1/2 where it ties, else 0."""
    return np.where(sign == 0, 0.5, (sign == answer) * 1.0)


def _real(name: str) -> list[Row]:
    """Return what nDCG@5 agrees more than RR@5 by how many relevant documents both lists hold."""
    every = pairs(PAIRS)
    found = every.select(every.columns["dataset"] == name)
    relevant = (found.lists.grade[0] >= 1).sum(axis=-1)
    both = np.minimum(relevant[found.first], relevant[found.second])
    signs = [
        np.sign(np.where(np.abs(d) > TIE, d, 0.0)) for d in found.differences(("nDCG@5", "RR@5"))
    ]
    ahead = agreed(signs[0], found.preference) - agreed(signs[1], found.preference)
    rows = []
    for text, kept in (("fewer", both < SEVERAL), ("several", both >= SEVERAL)):
        some = kept & (found.preference != 0)
        x = lead(ahead[some], found.topic[some])
        row: Row = {"both_hold": text, "answers": x.pairs, "lead": x.mean}
        rows.append(row | {"lead_low": x.low, "lead_high": x.high})
    return rows


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return agreement with users by what they need, and the leads on real pairs."""
    parts = {
        str(n): p.drop(columns="part").dropna(axis=1, how="all") for n, p in rows.groupby("part")
    }
    names = ["pairs", "agree", "lead", "squares"]
    table = parts["users"].groupby(["needed", "measure"], sort=False)[names].sum().reset_index()
    n = table["pairs"]
    share, ahead = table["agree"] / n, table["lead"] / n
    table = table[["needed", "measure", "pairs"]].astype({"needed": int, "pairs": int})
    error = ((parts_of(rows, "squares", table) / n - ahead**2) / n) ** 0.5
    table = table.assign(share=share, share_se=(share * (1 - share) / n) ** 0.5)
    real = parts["real"].astype({"answers": int}).reset_index(drop=True)
    return {"table": table.assign(lead=ahead, lead_se=error), "real": real}


def parts_of(rows: pd.DataFrame, column: str, table: pd.DataFrame) -> "pd.Series[float]":
    """Return the sums of a column in the order of a table of needs and measures."""
    sums = rows[rows["part"] == "users"].groupby(["needed", "measure"])[column].sum()
    return pd.Series([sums[key] for key in zip(table["needed"], table["measure"], strict=True)])


def _all_strong(tables: Tables) -> Checks:
    """B21: nDCG beside RR for users who need several, and beside the others; people's answers."""
    rows, table = [], tables["table"].set_index(["needed", "measure"])
    for m in NEEDED[1:]:
        row = table.loc[(m, "RR")]
        text = f"nDCG@10 agrees more often than RR with users who need {m} of {RELEVANT}, by"
        ends = interval(row, "lead")
        rows.append(true(text, ends["low"] > 0, value=row["lead"], **ends))
    for row in tables["real"].query("both_hold == 'several'").to_dict("records"):
        text = f"nDCG@5 agrees more often than RR@5 with people on {row['answers']} pairs ({row['set']}) "
        text += f"that both hold {SEVERAL} or more relevant, by"
        ends = interval(row, "lead")
        rows.append(true(text, ends["low"] > 0, value=row["lead"], **ends))
    for m in NEEDED:
        for other in ("AP", "R@10") if m > 1 else ("RR",):
            row = table.loc[(m, other)]
            text = f"nDCG@10 agrees no less often than {other} with users who need {m}, by"
            ends = interval(row, "lead")
            rows.append(true(text, ends["high"] >= 0, value=row["lead"], **ends, limit=True))
    return rows


OTHERWISE = tuple(
    change
    for sign in (-1, 1)
    for change in (
        changed(lead=sign * 0.1, lead_se=0.01),
        changed("real", lead=sign * 0.1, lead_low=sign * 0.1 - 0.01, lead_high=sign * 0.1 + 0.01),
    )
)


def draw_users(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often each measure prefers the list that the user prefers."""
    ax.set_xscale("log")
    ax.set_xticks(NEEDED, [str(m) for m in NEEDED])
    ax.minorticks_off()
    ax.set_ylim(0.5, 1.02)
    ax.set_xlabel(f"relevant documents that the user needs, of {RELEVANT}")
    ax.set_ylabel("share of preferences agreed (ties one half)")
    return lines(table, ax, x="needed", y="share", by="measure")


def answer(tables: Tables) -> str:
    """Name the measure that agrees most by need, and the lead on real pairs."""
    table = tables["table"]
    best = table.loc[table.groupby("needed")["share"].idxmax()]
    parts = ", ".join(f"{r.needed}: {r.measure} ({r.share:.0%})" for r in best.itertuples())
    real = "; ".join(
        f"{row.set} {row.lead:+.3f} [{row.lead_low:.3f}, {row.lead_high:.3f}]"
        for row in tables["real"].query("both_hold == 'several'").itertuples()
    )
    return (
        f"Users who need m documents are best met by, by m: {parts}. On real pairs that both hold several "
        f"relevant documents nDCG@5 agrees more often than RR@5 by {real}."
    )


STUDY = Study(
    question="Does nDCG reward finding all relevant documents, not just one?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "set", "block"),
    figures={"users": Drawing(draw_users, size=(4.4, 3.2))},
    decisions=(Decision(CLAIMS["B21"], _all_strong, OTHERWISE),),
    inputs=(PAIRS,),
    errors={"pairs": None},
)
