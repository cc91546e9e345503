"""Whether a number computed another way, or on other judgments, is still comparable with a board's.

That some pairs of runs change order is certain. So what a convention, or more judgments, do is measured
by the board's own intervals: how far a run's score moves, in half-widths of the 95% t interval of a
gap (the median pair), and what share of the pairs that are separated by default change order. All runs
of two tracks, under every combination of the choices that tools make which share the ideal, and on
TREC-COVID round 1 with the judgments made later.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.conventions.convention import Convention
from ndcgstudy.conventions.multiverse import CHOICES, multiverse
from ndcgstudy.conventions.pairs import TIED, paired_t
from ndcgstudy.conventions.shared import evaluate
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLACK, BLUE, RED
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.ledger import Checks, read_claims, true
from ndcgstudy.measures import MEASURES
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
ROUND1, DL2021 = "trec_covid_round1", "trec_dl2021_passage"
COLLECTIONS = {
    "round 1": (f"{ROUND1}/round1.qrels.gz", f"{ROUND1}/runs"),
    "DL 2021": (f"{DL2021}/nist.qrels.gz", f"{DL2021}/runs"),
}
LATER = f"{ROUND1}/round1_plus_later.qrels.gz"
SAME_IDEAL = CHOICES | {"ideal": ("cut",)}
MEASURE, ALPHA = "nDCG@10", 0.05
FEW = 0.05
"""Share of separated pairs below which a board's conclusions count as unmoved."""


def grid(scale: str) -> list[Parameters]:
    """Lay out what moves the boards; nothing is sampled, so that both scales are alike."""
    cells = [{"by": "convention", "collection": name} for name in COLLECTIONS]
    return [*cells, {"by": "later judgments", "collection": "round 1"}]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return, a way to compute, how far runs move and what becomes of pairs."""
    name = parameters["collection"]
    judgments, runs = (
        load(x) for load, x in zip((loaded_qrels, loaded_runs), COLLECTIONS[name], strict=True)
    )
    if parameters["by"] == "convention":
        found = multiverse(judgments, runs, MEASURE, SAME_IDEAL)
        values, means, ways = found.many.values(0), found.means(), found.names()
    else:
        part = [MEASURES.parse(MEASURE)]
        both = [evaluate(q, runs, [Convention()], part) for q in (judgments, loaded_qrels(LATER))]
        values, ways = both[0].values(0), ["as judged then", "as judged later"]
        means = np.concatenate([many.means() for many in both])
    rows = _moves(values, means)
    return [
        {**parameters, "way": way, "runs": len(values), **row}
        for way, row in zip(ways[1:], rows, strict=True)
    ]


def _moves(values: Floats, means: Floats) -> list[Row]:
    """Compare each way with the first, whose scores are `values` (systems, topics)."""
    from scipy.stats import t

    first, second = np.triu_indices(len(values), 1)
    gaps, topics = values[first] - values[second], values.shape[1]
    half = t.ppf(1 - ALPHA / 2, topics - 1) * gaps.std(axis=1, ddof=1) / topics**0.5
    sure = paired_t(values, first, second, ALPHA)
    rows = []
    for own in means[1:]:
        moved = np.abs(own - means[0]) / np.median(half)
        gap = own[first] - own[second]
        turned = np.where(np.abs(gap) > TIED, np.sign(gap), 0.0) * sure < 0
        row = {"half_width": float(np.median(half)), "moved": float(np.median(moved))}
        row |= {"moved_most": float(moved.max()), "separated": int((sure != 0).sum())}
        rows.append(row | {"turned": int(turned.sum())})
    return rows


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return every way to compute, and a line a board and what moves it."""
    found = []
    for (by, name), part in rows.groupby(["by", "collection"], sort=False):
        share = part["turned"] / part["separated"]
        worst = part.loc[share.idxmax()]
        row: Row = {"by": by, "collection": name, "ways": len(part), "runs": part["runs"].iloc[0]}
        row |= {"half_width": part["half_width"].iloc[0], "separated": part["separated"].iloc[0]}
        row |= {"moved": part["moved"].median(), "moved_most": part["moved"].max()}
        row |= {"beyond": (part["moved"] > 1).mean(), "turned_share": share.mean()}
        row |= {"worst": share.max()}
        found.append(row | {"worst_way": worst["way"]})
    return {"table": pd.DataFrame(found), "ways": rows}


def _comparable(tables: Tables) -> Checks:
    """A11: scores move by more than a board's intervals; whether separated pairs turn."""
    numbers, orders, table = [], [], tables["table"]
    most = table["moved_most"].max()
    some = "on some board the median run moves by more than the half-width of a gap's interval, by"
    numbers.append(true(some, most > 1, value=most))
    for row in table.to_dict("records"):
        by = f"by {row['by']}, {row['runs']} runs of {row['collection']}"
        text = f"half-widths by which the median run moves, at most {by}, are more than 1"
        numbers.append(true(text, row["moved_most"] > 1, value=row["moved_most"], limit=True))
        few = f"share of {row['separated']} separated pairs that turn, at most {by}, is {FEW:.0%} or more"
        orders.append(true(few, row["worst"] >= FEW, value=row["worst"], limit=True))
    return [*numbers, *orders]


OTHERWISE = (
    changed(moved_most=0.1, worst=0.0),
    changed(moved_most=2.0, worst=0.2),
)


def draw_ways(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw what becomes of separated pairs against how far the median run moves, a point a way."""
    kinds = table.groupby(["collection", "by"], sort=False)
    for ((name, by), rows), colour in zip(kinds, (BLUE, BLACK, RED), strict=False):
        share, marker = rows["turned"] / rows["separated"], "." if by == "convention" else "D"
        ax.plot(rows["moved"], share, marker, color=colour, label=f"{name}, {by}")
    ax.axvline(1, color=BLACK, lw=0.7, ls=":")
    ax.set_xlabel("move of the median run's nDCG@10,\nin half-widths of a gap's 95% interval")
    ax.set_ylabel("share of separated pairs that turn")
    ax.legend(frameon=False)
    return ax


def answer(tables: Tables) -> str:
    """Say how far numbers move, and how many separated pairs turn."""
    parts = [
        f"by {row.by} ({row.collection}): {row.moved:.2f}, at most {row.moved_most:.2f} half-widths; "
        f"{row.turned_share:.2%} of separated pairs turn, at most {row.worst:.2%}"
        for row in tables["table"].itertuples()
    ]
    return f"nDCG@10 of the median run moves {'; '.join(parts)}."


STUDY = Study(
    question="Do numbers stay comparable under other conventions and judgments, by a board's own intervals?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={"ways": Drawing(draw_ways, table="ways", size=(4.4, 3.2))},
    decisions=(Decision(CLAIMS["A11"], _comparable, OTHERWISE),),
    inputs=(*(name for names in COLLECTIONS.values() for name in names), LATER),
)
