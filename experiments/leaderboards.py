"""Which gaps of real leaderboards are real, pair by pair and all at once.

Boards are of three kinds: systems on the topics of one collection, NIST's and others'; and means
alone, of BEIR's ten systems on 19 data sets and of MTEB's models that have all 15 BEIR tasks. The
pairs, neighbours and ranks follow from each board's own order.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.boards import BOARDS, FILES, MEANS_ONLY, board
from ndcgstudy.figures import BLUE, GREEN, GREY, RED, key
from ndcgstudy.inference.gaps import Gaps, gaps
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.inference.registered import METHODS
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RESAMPLES = {"quick": 999, "full": 10_000}
QUICK = ("web2013_ndcg20", "beir")
MAIN = ("t", "shrunken", "step-down")  # methods whose neighbours and ranks are looked at too
RANKS = "ranks"


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a board and method, and one a board for its ranks."""
    return [
        {"board": name, "method": method, "resamples": RESAMPLES[scale]}
        for name in (BOARDS if scale == "full" else QUICK)
        for method in (*METHODS, RANKS)
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Count the pairs that a method separates, or describe the ranks."""
    scores, method = board(parameters["board"]), parameters["method"]
    where = {**parameters, "systems": len(scores.systems), "columns": len(scores.topics)}
    how: dict[str, Any] = {"resamples": parameters["resamples"], "rng": rng}
    if method == RANKS:
        return [{**where, "family": "all", **row} for row in _ranks(scores, how)]
    if METHODS[method].together:
        families = ["all", "neighbours"]
        return [
            {**where, **_counted(gaps(scores, method=method, family=f, **how))} for f in families
        ]
    found = gaps(scores, method=method, family="each", **how)
    next_ = found.second == found.first + 1
    beside = {"family": "neighbours", "pairs": int(next_.sum()), "measure": found.measure}
    return [
        {**where, **_counted(found)},
        {**where, **beside, "separated": int(found.separated[next_].sum())},
    ]


def _counted(found: Gaps) -> Row:
    half = (found.high - found.low) / 2
    return {
        "family": found.family,
        "pairs": len(found.gap),
        "measure": found.measure,
        "separated": int(found.separated.sum()),
        "half_width": float(half.mean()),
    }


def _ranks(scores: Any, how: dict[str, Any]) -> list[Row]:
    """Return each system's rank, its set of ranks, and whether it may be first."""
    table = ranks(scores, **how).table()
    return [
        {
            "place": place,
            "system": row["system"],
            "mean": row["mean"],
            "rank_low": row["rank_low"],
            "rank_high": row["rank_high"],
            "tied_for_first": bool(row["tied_for_first"]),
        }
        for place, row in enumerate(table.to_dict("records"), start=1)
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the shares separated, the sets of ranks, and a board a line."""
    counts = rows[rows["method"] != RANKS].dropna(axis=1, how="all")
    table = counts.assign(share=counts["separated"] / counts["pairs"])
    placed = (
        rows[rows["method"] == RANKS].dropna(axis=1, how="all").drop(columns=["method", "family"])
    )
    return {"table": table, "ranks": placed, "boards": _boards(table, placed)}


def _boards(table: pd.DataFrame, placed: pd.DataFrame) -> pd.DataFrame:
    """Return a line a board: shares of pairs and of neighbours, and how many may be first."""
    wide = table.pivot_table(
        index="board", columns=["method", "family"], values="share", sort=False, observed=True
    )
    first = placed.groupby("board", sort=False)
    width = placed["rank_high"] - placed["rank_low"] + 1
    found = pd.DataFrame(
        {
            "systems": first["systems"].first(),
            "columns": first["columns"].first(),
            "pairwise": wide["t", "each"],
            "at_once": wide["shrunken", "all"],
            "step_down": wide["step-down", "all"],
            "neighbours_pairwise": wide["t", "neighbours"],
            "neighbours_at_once": wide["shrunken", "neighbours"],
            "tied_for_first": first["tied_for_first"].sum(),
            "median_ranks": width.groupby(placed["board"], sort=False).median(),
        }
    )
    return found.loc[list(dict.fromkeys(placed["board"]))].reset_index(names="board")


LOOKS = {
    "pairwise": {"color": GREY, "marker": "o", "linestyle": ""},
    "at_once": {"color": BLUE, "marker": "s", "linestyle": ""},
    "neighbours_pairwise": {"color": RED, "marker": "^", "linestyle": ""},
}
NAMES = {
    "pairwise": "all pairs, each by t",
    "at_once": "all pairs at once",
    "neighbours_pairwise": "neighbours, each by t",
}


def _unit(name: Any) -> str:
    return "data sets" if name in MEANS_ONLY else "topics"


def draw_boards(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the shares of pairs that are separated, a line a board."""
    rows = range(len(table))
    for name, look in LOOKS.items():
        ax.plot(table[name], rows, **look)
    names = [
        f"{r.board} ({r.systems} systems, {r.columns} {_unit(r.board)})"
        for r in table.itertuples(index=False)
    ]
    ax.set_yticks(list(rows), names)
    ax.invert_yaxis()
    ax.set_xlim(-0.02, 1)
    ax.set_xlabel("share of pairs separated at 95%")
    key(ax, {NAMES[name]: look for name, look in LOOKS.items()})
    return ax


def draw_ranks(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the set of ranks of every system of one board, those that may be first in green."""
    some = table[table["board"] == ("round1" if "round1" in set(table["board"]) else QUICK[0])]
    for tied, colour in ((False, BLUE), (True, GREEN)):
        rows = some[some["tied_for_first"] == tied]
        ax.vlines(rows["place"], rows["rank_low"], rows["rank_high"], color=colour, lw=1)
    ax.plot(some["place"], some["place"], ".", color="black", ms=2)
    ax.set_xlabel(f"rank on the board {some['board'].iloc[0]}")
    ax.set_ylabel("ranks it may have, 95% at once")
    ax.invert_yaxis()
    looks = {"may be first": {"color": GREEN}, "may not": {"color": BLUE}}
    key(ax, looks)
    return ax


def answer(tables: Tables) -> str:
    """Say how many pairs and neighbours can be told apart, and how many systems may be first."""
    boards = tables["boards"]
    first = boards["tied_for_first"].astype(int)
    return (
        f"On {len(boards)} boards {boards['at_once'].min():.0%} to {boards['at_once'].max():.0%} of all "
        f"pairs are separated at once, and {boards['neighbours_at_once'].min():.0%} to "
        f"{boards['neighbours_at_once'].max():.0%} of neighbours; {first.min():.0f} to {first.max():.0f} "
        "systems of a board may be first."
    )


STUDY = Study(
    question="Which gaps of real leaderboards are real?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("board",),
    figures={
        "boards": Drawing(draw_boards, table="boards", size=(6.0, 3.6)),
        "ranks": Drawing(draw_ranks, table="ranks", size=(4.6, 3.4)),
    },
    inputs=FILES,
    errors=dict.fromkeys(
        (
            *("resamples", "separated", "share", "half_width", "rank_low", "rank_high"),
            *("tied_for_first", "at_once", "step_down", "neighbours_at_once", "median_ranks"),
        )
    ),
)
