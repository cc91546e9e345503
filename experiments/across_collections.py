"""Whether nDCG makes scores on different test collections comparable: variance components of real boards.

A score of a system on a collection is taken as system + collection + what remains (their interplay, and
noise). If means could be compared across collections, the collection's part would be small beside the
system's: a system's score would say more of the system than of the collection. Three kinds of boards:
MTEB's models with all 15 BEIR tasks, the ten systems of BEIR's paper on 19 data sets, and the topics of
six TREC years, where the collection is a topic. Intervals are percentiles over drawn collections.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.boards import FILES, MEANS_ONLY, board, distinct
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREEN, GREY, RED
from ndcgstudy.inference.components import components
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
TOPICS = ("dl2019", "dl2020", "dl2021", "round1", "web2013_ndcg20", "robust2004_ndcg")
BOARDS = (*MEANS_ONLY, *TOPICS)
PARTS = ("system", "collection", "rest")
RESAMPLES = {"quick": 200, "full": 5000}


def grid(scale: str) -> list[Parameters]:
    """Lay out the boards."""
    return [{"board": name, "resamples": RESAMPLES[scale]} for name in BOARDS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return the components of a board, and how systems on two collections compare."""
    values = distinct(board(parameters["board"])).values
    columns, lower = values.shape[1], reversals(values)
    drawn = [np.arange(columns), *rng.integers(0, columns, (parameters["resamples"], columns))]
    found = pd.DataFrame([shares(values, lower, at) for at in drawn])
    row: Row = {"board": parameters["board"], "systems": len(values), "collections": columns}
    for name, column in found.items():
        low, high = column[1:].quantile([0.025, 0.975])
        row |= {str(name): column[0], f"{name}_low": low, f"{name}_high": high}
    return [row]


def reversals(values: Floats) -> Floats:
    """Return the share of pairs of systems whose better one scores lower, (collections, collections).

    The better one is that with the higher mean over all collections; it is scored on the collection of
    the row, and the other on that of the column.
    """
    order = np.argsort(-values.mean(axis=1), kind="stable")
    first, second = np.triu_indices(len(values), 1)
    upper, lower = values[order[first]], values[order[second]]
    return np.stack([(own[:, None] < lower).mean(axis=0) for own in upper.T])


def shares(values: Floats, lower: Floats, at: npt.NDArray[np.int64]) -> dict[str, float]:
    """Return shares of variance, and of reversals on the same collection and on another, of drawn ones."""
    found = components(values[:, at])
    parts = np.array([found.system, found.topic, found.rest])
    weights = np.bincount(at, minlength=len(lower)) / at.size
    both = np.outer(weights, weights)
    apart = ~np.eye(len(lower), dtype=bool)
    crossed = (both * lower)[apart].sum() / both[apart].sum()
    same = float(weights @ lower.diagonal())
    return {**dict(zip(PARTS, parts / parts.sum(), strict=True)), "same": same, "crossed": crossed}


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the boards."""
    kind = rows["board"].map(lambda name: "data sets" if name in MEANS_ONLY else "topics")
    return {"table": rows.assign(kind=kind)}


def _fair(tables: Tables) -> Checks:
    """B19: the collection's part beside the system's; what the same collection allows is a limit."""
    rows, table = [], tables["table"]
    for row in table[table["kind"] == "data sets"].to_dict("records"):
        of = f"{row['systems']} systems on {row['collections']} data sets ({row['board']})"
        text = f"share of variance that is the collection's is below the systems' {row['system']:.3f}, {of}"
        met = row["collection_high"] < row["system"]
        rows.append(true(text, met, value=row["collection"], **interval(row, "collection")))
        text = (
            "chance that the better system scores lower, on another data set, is below 1/4, " + of
        )
        met = row["crossed_high"] < 0.25
        rows.append(true(text, met, value=row["crossed"], **interval(row, "crossed")))
    for row in table[table["kind"] == "data sets"].to_dict("records"):
        text = f"so it is on the same data set ({row['board']})"
        met = row["same_high"] < 0.25
        rows.append(true(text, met, value=row["same"], **interval(row, "same"), limit=True))
    return rows


OTHERWISE = (
    changed(system=0.8, collection=0.1, collection_low=0.05, collection_high=0.2),
    changed(crossed=0.1, crossed_low=0.05, crossed_high=0.2, same_high=0.2),
    changed(same_high=0.4),
)


def draw_parts(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the shares of variance of systems, collections and the rest, a bar a board."""
    left = np.zeros(len(table))
    for name, colour in zip(PARTS, (BLUE, RED, GREY), strict=True):
        ax.barh(range(len(table)), table[name], left=left, color=colour, label=name, height=0.7)
        left += table[name].to_numpy()
    names = [
        f"{board} ({systems} systems, {columns} {kind})"
        for board, systems, columns, kind in zip(
            table["board"], table["systems"], table["collections"], table["kind"], strict=True
        )
    ]
    ax.set_yticks(range(len(table)), names)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of the variance of scores")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return ax


def draw_reversed(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often the better system scores lower, on the same collection and on another."""
    for name, colour, shift in (("same", GREEN, -0.13), ("crossed", RED, 0.13)):
        at = [place + shift for place in range(len(table))]
        ax.hlines(at, table[f"{name}_low"], table[f"{name}_high"], color=colour, lw=1)
        ax.plot(
            table[name],
            at,
            "o",
            color=colour,
            label=f"{'the same' if shift < 0 else 'another'} collection",
        )
    ax.set_yticks(range(len(table)), table["board"])
    ax.invert_yaxis()
    ax.set_xlim(0, 0.52)
    ax.axvline(0.5, color=GREY, lw=0.7)
    ax.set_xlabel("chance that the better system scores lower (95%)")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1))
    return ax


def answer(tables: Tables) -> str:
    """Give the parts of systems and collections, and the chances of a reversal."""
    parts = [
        f"{row['board']}: systems {row['system']:.0%}, {row['kind']} {row['collection']:.0%} of the "
        f"variance; the better of two scores lower in {row['same']:.0%} on the same, in "
        f"{row['crossed']:.0%} on another"
        for row in tables["table"].to_dict("records")
    ]
    return f"{'. '.join(parts)}."


STUDY = Study(
    question="Do scores on different test collections compare systems, or collections?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("board",),
    figures={
        "parts": Drawing(draw_parts, size=(6.0, 3.0)),
        "reversed": Drawing(draw_reversed, size=(4.6, 3.0)),
    },
    decisions=(Decision(CLAIMS["B19"], _fair, OTHERWISE),),
    inputs=FILES,
    errors=dict.fromkeys(
        f"{name}{end}" for name in (*PARTS, "same", "crossed") for end in ("_low", "_high")
    ),
)
