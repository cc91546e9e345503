"""The picture of a plan: the smallest gap that is found, against the number of topics."""

from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.figures import GREY, lines
from ndcgstudy.inference.noncentral import gap_for

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ndcgstudy.inference.planning import Plan

POINTS = 30
MOST = 100_000  # topics


def reach(found: "Plan") -> "pd.DataFrame":
    """Return the smallest gap found by numbers of topics: pair, topics, gap, gap_low, gap_high.

    Topics go from a quarter to four times those planned, and as far as the gap asked about needs, but
    not beyond `MOST`. Pairs that never vary are left out: any gap is found between them.
    """
    import pandas as pd

    needed = found.topics[found.topics <= MOST]
    ends = np.array([max(4, found.planned / 4), 4 * found.planned, *needed])
    grid = np.unique(np.geomspace(ends.min(), ends.max(), POINTS).round().astype(int))
    rows = []
    for i, pair in enumerate(found.table()["pair"]):
        if found.sd_low[i] <= 0:
            continue
        ratio = found.test.ratio(found.sd[i])
        for topics in grid.tolist():
            unit = gap_for(topics, 1.0, found.test.critical(topics) * float(ratio), found.power)
            gaps = {"gap": found.sd[i], "gap_low": found.sd_low[i], "gap_high": found.sd_high[i]}
            if np.isfinite(unit):
                reached = {name: unit * sd for name, sd in gaps.items()}
                rows.append({"pair": pair, "topics": topics, **reached})
    return pd.DataFrame(rows, columns=["pair", "topics", "gap", "gap_low", "gap_high"])


def draw_plan(found: "Plan", ax: "Axes") -> "Axes":
    """Draw a line a kind of pair with its band; dots where topics planned and gap asked about are."""
    table = reach(found)
    if table.empty:
        ax.set_axis_off()
        ax.text(0, 0.5, "no pair varies: any gap is found", transform=ax.transAxes)
        return ax
    _on_logs(ax)
    ax.set_ylim(table["gap_low"].min() / 1.2, table["gap_high"].max() * 1.2)
    ax.axvline(found.planned, color=GREY, lw=0.8, ls=":")
    if np.isfinite(found.asked):
        ax.axhline(found.asked, color=GREY, lw=0.8, ls=":")
    ax.set_xlabel(f"{found.unit} (dotted: {found.planned} planned)")
    asked = f" (dotted: {found.asked:g} asked)" if np.isfinite(found.asked) else ""
    ax.set_ylabel(f"smallest gap in {found.measure}{asked}\nfound with power {found.power:g}")
    bare = {pair: {"marker": ""} for pair in table["pair"].unique()}
    return lines(
        table, ax, x="topics", y="gap", by="pair", low="gap_low", high="gap_high", looks=bare
    )


def _on_logs(ax: "Axes") -> None:
    """Set both axes to logarithms, with ticks at 1, 2 and 5 times a power of ten in plain digits."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_locator(NullLocator())
