"""Do plans come true? Plans from 25 or 50 topics of Robust 2004 against what the other topics give.

A plan says how large a share of pairs the topics to come will separate, and which gap they will find in
80 of 100 cases. The share is held against the topics that the plan has not seen. For the gap the
true one must be known: there the matrix itself is the population, from which the topics of the plan and
those to come are drawn with replacement.

Topics seen and not seen make up one finite matrix: where gaps are wide on the ones they are narrow on the
others, so that replicates scatter across the diagonal, and it is their middle that tells.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.boards import board
from ndcgstudy.data import Scores
from ndcgstudy.figures import BLACK, BLUE, GREEN, RED, SKY, key
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.planning import plan
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOARD = "robust2004_ndcg"
PILOTS = (25, 50)
REPLICATES, BLOCKS = 5, {"quick": 2, "full": 20}
RESAMPLES = 399
NEAR = 0.1  # a true gap is that of the plan if it is no further off than this share of it


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a family, number of topics planned from, and block."""
    return [
        {"board": BOARD, "family": family, "pilot": pilot, "block": block}
        for block in range(BLOCKS[scale])
        for family in ("each", "all")
        for pilot in PILOTS
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Plan from some topics and look at others, a row a replicate."""
    scores, family = board(parameters["board"]), parameters["family"]
    every, pilot = len(scores.topics), parameters["pilot"]
    rows = []
    for replicate in range(REPLICATES):
        mixed = rng.permutation(every)
        seen, rest = part(scores, mixed[:pilot]), part(scores, mixed[pilot:])
        how: dict[str, Any] = {"family": family, "resamples": RESAMPLES, "rng": rng}
        planned = plan(seen, topics=every - pilot, **how)
        row = {
            **{name: parameters[name] for name in ("family", "pilot", "block")},
            "replicate": replicate,
            "planned": every - pilot,
            "pilot_share": gaps(seen, **how).share,
            "expected": planned.share,
            "actual": gaps(rest, **how).share,
        }
        rows.append(row | _found(scores, pilot, every - pilot, how))
    return rows


def part(scores: Scores, columns: np.ndarray) -> Scores:
    """Take some topics, one that comes twice under two names."""
    names = tuple(str(i) for i in range(len(columns)))
    return Scores(scores.values[:, columns], scores.systems, names, scores.measure)


def _found(scores: Scores, pilot: int, planned: int, how: dict[str, Any]) -> Row:
    """Plan a gap from topics drawn with replacement, and count the pairs of that gap that are found."""
    rng = how["rng"]
    first, then = (rng.integers(0, len(scores.topics), size) for size in (pilot, planned))
    made = plan(part(scores, first), topics=planned, **how)
    later = gaps(part(scores, then), **how)
    true = dict(zip(scores.systems, scores.mean(), strict=True))
    means = np.array([true[name] for name in later.systems])
    gap = means[later.first] - means[later.second]
    near = np.abs(np.abs(gap) - made.gap[0]) <= NEAR * made.gap[0]
    right = later.separated & (np.sign(later.gap) == np.sign(gap))
    return {"gap": float(made.gap[0]), "found": float(right[near].mean()) if near.any() else np.nan}


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return means over replicates with standard errors, and the replicates themselves."""
    rows = rows.assign(off=rows["expected"] - rows["actual"])
    grouped = rows.groupby(["family", "pilot", "planned"], sort=False)
    columns = ["pilot_share", "expected", "actual", "off", "gap", "found"]
    means, errors = grouped[columns].mean(), grouped[columns].sem().add_suffix("_se")
    order = [name for column in columns for name in (column, f"{column}_se")]
    table = pd.concat([grouped.size().rename("replicates"), means, errors], axis=1)
    table["off_sd"] = grouped["off"].std()
    return {"table": table[["replicates", *order, "off_sd"]].reset_index(), "replicates": rows}


def draw(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share that came against the share expected, a point a replicate."""
    looks = {}
    colours = {("each", 25): SKY, ("each", 50): BLUE, ("all", 25): RED, ("all", 50): GREEN}
    for (family, pilot), rows in table.groupby(["family", "pilot"], sort=False):
        marker = "o" if family == "each" else "^"
        look = {"color": colours[family, pilot], "marker": marker, "linestyle": "", "ms": 3}
        ax.plot(rows["expected"], rows["actual"], **look)
        looks[f"{family}, {pilot}"] = look
    ends = [table[["expected", "actual"]].min().min(), table[["expected", "actual"]].max().max()]
    ax.plot(ends, ends, color=BLACK, lw=0.7)
    ax.set_xlabel("share of pairs separated (each or all at once), expected from 25 or 50 topics")
    ax.set_ylabel("share on topics not seen")
    key(ax, looks)
    return ax


def answer(tables: Tables) -> str:
    """Say how far plans are from what the other topics give."""
    table = tables["table"]
    worst = table.loc[table["off"].abs().idxmax()]
    return (
        f"In {len(table)} settings the planned share of separated pairs is off by {table['off'].min():+.3f} "
        f"to {table['off'].max():+.3f} on average (the largest with standard error {worst['off_se']:.3f}); "
        f"a gap planned to be found in 80 of 100 cases is found in {100 * table['found'].min():.0f} to "
        f"{100 * table['found'].max():.0f}."
    )


STUDY = Study(
    question="Do plans from some topics come true on others?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("family", "pilot", "block"),
    figures={"shares": Drawing(draw, table="replicates", size=(5.0, 3.6))},
    inputs=(f"topic_scores/urbano/{BOARD}.csv",),
    errors=dict.fromkeys(("replicates", "off_sd")),
)
