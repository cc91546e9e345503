"""Figures of a multiverse: what the choice of a convention does to scores and to pairs of runs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.figures import BLUE, GREEN, GREY, MARKERS, ORANGE, RED, key, short
from ndcgstudy.study import Drawing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SERIES = (BLUE, GREEN, RED, ORANGE)
NAMED = 40
"""So many runs are named; more are numbered."""


def drawing_for(runs: int) -> Drawing:
    """Return the figure for a number of runs: a named line each, or a numbered stroke each."""
    height = 1.0 + 0.17 * runs if runs <= NAMED else 3.2
    return Drawing(
        draw_ranges, table="runs", size=(4.6 if runs <= NAMED else 6.4, max(height, 1.6))
    )


def draw_ranges(table: "pd.DataFrame", ax: "Axes", *, few: bool | None = None) -> "Axes":
    """Draw the range of each run's score over all conventions, and its score by default.

    A `few` runs (by default up to `NAMED`) are lines from left to right, named; many are strokes side
    by side in their order.
    """
    few, at = len(table) <= NAMED if few is None else few, range(1, len(table) + 1)
    look = {"color": GREY, "lw": 2.4 if few else 1.2, "alpha": 0.55}
    (ax.hlines if few else ax.vlines)(at, table["lowest"], table["highest"], **look)  # type: ignore[arg-type]
    for name, colour, size in (("lowest", BLUE, 7), ("highest", BLUE, 7), ("score", RED, 14)):
        x, y = (table[name], at) if few else (at, table[name])
        mark = "o" if name == "score" else "|" if few else "_"
        ax.scatter(x, y, s=size if few else size / 3, color=colour, marker=mark, zorder=3)
    span = "score: by default (dot), lowest to highest over all conventions"
    if few:
        ax.set_yticks(list(at), [short(str(name)) for name in table["run"]])
        ax.set_ylim(len(table) + 0.5, 0.5)
        ax.set_xlim(left=0)
        ax.set_xlabel(span, loc="right")  # it may be longer than the axis, whose left is for names
        ax.grid(axis="y", visible=False)
    else:
        ax.set_xlim(0, len(table) + 1)
        ax.set_ylim(bottom=0)
        ax.set_xlabel(f"{len(table)} runs, best by default first")
        ax.set_ylabel("score")
        ax.set_title(span, loc="left")
        ax.grid(axis="x", visible=False)
    return ax


def draw_sets(collection: str, measure: str, table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the ranges of a collection's runs over all conventions, and over those of one ideal."""
    own = table[(table["collection"] == collection) & (table["measure"] == measure)]
    inner = own[own["set"] == "same ideal"]
    draw_ranges(own[own["set"] == "all"].reset_index(drop=True), ax, few=False)
    at = range(1, len(inner) + 1)
    ax.vlines(at, inner["lowest"], inner["highest"], color=ORANGE, lw=1.8, zorder=2.5)
    ax.set_ylabel(f"{measure}, {collection}")
    key(
        ax,
        {
            "by default": {"color": RED, "marker": "o", "lw": 0},
            "all conventions": {"color": GREY},
            "those with the judged ideal, cut at k": {"color": ORANGE, "lw": 1.8},
        },
    )
    ax.set_title("", loc="left")
    return ax


def draw_choices(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw how far a score moves, on average, when one choice alone changes."""
    own = table[(table["measure"] == "nDCG@10") & (table["moved"] > 0)]
    names = list(own.groupby("choice")["moved"].max().sort_values().index)
    groups = own.groupby(["collection", "set"], sort=False)
    for place, ((collection, chosen), rows) in enumerate(groups):
        moved = rows.set_index("choice")["moved"].reindex(names)
        at = np.arange(len(names)) + 0.16 * (1.5 - place)
        label = f"{collection}, {chosen}"
        ax.scatter(moved, at, s=16, color=SERIES[place], marker=MARKERS[place], label=label)
    ax.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    ax.set_xscale("log")
    ax.set_xlabel("mean change of a run's nDCG@10 when the choice alone changes")
    _explain(ax)
    return ax


def draw_pairs(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the share of pairs by how many conventions order them as the default does."""
    own = table[table["measure"] == "nDCG@10"]
    groups = own.groupby(["collection", "set"], sort=False)
    for place, ((collection, chosen), rows) in enumerate(groups):
        at = rows["tenth"] * 10 + 5 + 2 * (place - 1.5)
        share, label = rows["pairs"] / rows["pairs"].sum(), f"{collection}, {chosen}"
        ax.bar(at, share, width=1.9, color=SERIES[place], label=label)
    ax.set_xticks(range(0, 101, 20), [f"{x}%" for x in range(0, 101, 20)])
    ax.set_yscale("log")
    ax.set_xlabel("conventions that order the pair as the default does")
    ax.set_ylabel("share of pairs of runs")
    ax.grid(axis="x", visible=False)
    _explain(ax)
    return ax


def _explain(ax: "Axes") -> None:
    figure: Any = ax.get_figure()
    figure.legend(loc="outside upper left", ncols=4, frameon=False, borderpad=0, columnspacing=1.2)
