"""A picture of ranks with their confidence sets."""

from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.inference.drawing import TOLD, UNTOLD, height_of, name_rows, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ndcgstudy.inference.ranks import Ranks


def size_of(found: "Ranks") -> tuple[float, float]:
    """Return the inches that a picture of these ranks needs."""
    return 5.0, height_of(len(found.systems))


def draw_ranks(found: "Ranks", ax: "Axes") -> "Axes":
    """Draw each rank with its set, one line a system, those tied for first in blue."""
    rows = np.arange(len(found.systems))
    few = len(rows) <= 60
    for first, colour, text in (
        (True, TOLD, "may be first (one-sided)"),
        (False, UNTOLD, "not first"),
    ):
        at = found.tied_for_first == first
        low, high = found.rank_low[at] - 0.3, found.rank_high[at] + 0.3
        ax.hlines(rows[at], low, high, color=colour, lw=2.5 if few else 1.2, alpha=0.6)
        mark, size = "o" if first else "s", 4 if few else 2
        ax.plot(found.rank[at], rows[at], mark, color=colour, ms=size, label=text)
    name_rows(ax, list(found.systems))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0.4, len(rows) + 0.6)
    ax.locator_params(axis="x", integer=True)
    hold = "all at once" if found.family == "simultaneous" else "each by itself"
    ax.set_xlabel(f"rank by {found.gaps.measure}, with its {percent(found.gaps.level)} set, {hold}")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return ax
