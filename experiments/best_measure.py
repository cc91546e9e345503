"""Whether nDCG matches people's preferences best of the common measures, or is among the best.

Each measure is compared with nDCG on the same answers of the two sets of music pairs (see `preferences`),
in four ways: agreement on the pairs that both decide; agreement with a measure's ties counted as
misses, or as one half; and the log-likelihood of answers to unseen queries under a fitted slope.
Intervals are clustered by query and hold for all comparisons of a way at once (Bonferroni). DCG is left out:
for two lists of one query it decides as nDCG does.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy import read_qrels
from ndcgstudy.agreement.counts import TOLERANCE
from ndcgstudy.agreement.drawing import dots, heights
from ndcgstudy.agreement.heldout import held_out, lead
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import GREY, look
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.inputs import loader
from ndcgstudy.ledger import Checks, check, read_claims
from ndcgstudy.preferences import Preferences
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
FOLDER = "preferences"
SETS = ("urbano2012", "urbano2015")
REFERENCE = "nDCG@5"
OTHERS = ("RBP(p=0.8,gain=linear)@5", "ERR(max_grade=2)@5", "AP@5", "RR@5", "P@5", "R@5")
LEVEL = 1 - 0.05 / (len(OTHERS) * len(SETS))
WAYS = {
    "both decide": "on pairs that both decide",
    "missed": "with ties as misses",
    "half": "with ties as one half",
    "likelihood": "by the likelihood of unseen answers",
}
FOLDS = 10


@loader
def pairs(folder: Path) -> Preferences:
    """Read the pairs, graded by all judgments of their queries."""
    columns = {"query": "qid", "doc": "docno", "broad_grade": "label"}
    text = {"query": str, "doc": str}
    frame = pd.read_csv(folder / "music_qrels.tsv.gz", sep="\t", dtype=text, usecols=[*columns])
    judgments = read_qrels(frame.rename(columns=columns))
    return read_preferences(folder / "music_pairs.jsonl.gz", judgments)


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a set and measure; nothing is sampled, so that both scales are alike."""
    return [{"set": name, "measure": measure} for name in SETS for measure in OTHERS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return by how much nDCG leads a measure, in each way."""
    every = pairs(FOLDER)
    found = every.select(every.columns["dataset"] == parameters["set"])
    own, other = found.differences((REFERENCE, parameters["measure"]))
    leads = {
        way: lead(values, found.topic, level=LEVEL)
        for way, values in compared(own, other, found.preference).items()
    }
    how: Any = {"folds": FOLDS, "ties": "dropped"}
    unseen = [held_out(d, found.preference, found.topic, **how) for d in (own, other)]
    leads["likelihood"] = lead(unseen[0] - unseen[1], found.topic, level=LEVEL)
    return [
        {
            **parameters,
            "way": way,
            "lead": x.mean,
            "lead_low": x.low,
            "lead_high": x.high,
            "answers": x.pairs,
        }
        for way, x in leads.items()
    ]


def compared(own: Floats, other: Floats, preference: npt.NDArray[np.int64]) -> dict[str, Floats]:
    """Return what nDCG agrees more than the other, a value an answer; NaN where it does not count."""
    hits = []
    for difference in (own, other):
        sign = np.sign(np.where(np.abs(difference) > TOLERANCE, difference, 0.0))
        hits.append((sign, np.where(sign == preference, 1.0, np.where(sign == 0, 0.5, 0.0))))
    (one, half), (two, other_half) = hits
    decided = preference != 0
    both = decided & (one != 0) & (two != 0)
    return {
        "both decide": np.where(both, half - other_half, np.nan),
        "missed": np.where(decided, (half == 1.0) * 1.0 - (other_half == 1.0), np.nan),
        "half": np.where(decided, half - other_half, np.nan),
    }


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the leads, and a line a way: how many measures nDCG leads, and how many lead it."""
    counts = [
        {"way": way, "comparisons": len(part)}
        | {"ahead": int((part["lead_low"] > 0).sum()), "behind": int((part["lead_high"] < 0).sum())}
        | {"least": round(part["lead"].min(), 3) + 0.0, "most": part["lead"].max()}
        for way, part in rows.groupby("way", sort=False)
    ]
    return {"table": rows, "counts": pd.DataFrame(counts)}


def _best(tables: Tables) -> Checks:
    """A32: measures that match better than nDCG, and those that do not match worse."""
    rows, table = [], tables["table"]
    for way, part in table.groupby("way", sort=False):
        better = part[part["lead_high"] < 0]
        names = ", ".join(
            f"{m} ({s})" for m, s in zip(better["measure"], better["set"], strict=True)
        )
        text = f"measures that match significantly better than {REFERENCE} {WAYS[str(way)]}, of {len(part)}"
        rows.append(check(f"{text}{f': {names}' if names else ''}", len(better), 0))
    for way, part in table.groupby("way", sort=False):
        worse, count = (part["lead_low"] > 0).sum(), len(part)
        text = f"measures that match significantly worse {WAYS[str(way)]}, of {count}"
        rows.append(check(text, worse, count, limit=True))
    return rows


OTHERWISE = (
    changed(lead=-0.1, lead_low=-0.2, lead_high=-0.05),
    changed(lead=0.1, lead_low=0.05, lead_high=0.2),
)


def _draw(way: str, table: pd.DataFrame, ax: "Axes") -> "Axes":
    ax.axvline(0, color=GREY, lw=0.7)
    heights(ax, OTHERS)
    for place, (name, rows) in enumerate(table[table["way"] == way].groupby("set", sort=False)):
        y, style = np.arange(len(rows)) + 0.3 * (place - 0.5), look(place)
        how = {"color": style["color"], "marker": style["marker"], "label": str(name)}
        dots(ax, rows, ("lead", "lead_low", "lead_high"), y, **how)
    ax.locator_params(axis="x", nbins=4)
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def draw_missed(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw by how much nDCG@5 agrees more often, ties counted as misses, with 95% intervals."""
    ax.set_xlabel(f"lead of {REFERENCE} in agreement,\nties counted as misses")
    return _draw("missed", table, ax)


def draw_likelihood(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw by how much nDCG@5 predicts unseen answers better, with 95% intervals."""
    ax.set_xlabel(f"lead of {REFERENCE} in log-likelihood\nof an unseen answer")
    return _draw("likelihood", table, ax)


def answer(tables: Tables) -> str:
    """Say, a way, how many measures nDCG leads significantly, and how many lead it."""
    parts = [
        f"{WAYS[str(row['way'])]} it leads in {row['ahead']} of {row['comparisons']} comparisons (by "
        f"{row['least']:.3f} to {row['most']:.3f}) and is led in {row['behind']}"
        for row in tables["counts"].to_dict("records")
    ]
    return f"{REFERENCE} beside {len(OTHERS)} measures on {len(SETS)} sets: {'; '.join(parts)}."


STUDY = Study(
    question="Does nDCG match people's preferences best of the common measures?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "missed": Drawing(draw_missed, size=(4.6, 3.0)),
        "likelihood": Drawing(draw_likelihood, size=(4.6, 3.0)),
    },
    decisions=(Decision(CLAIMS["A32"], _best, OTHERWISE),),
    inputs=(FOLDER,),
)
