"""A slope chart: each system's rank before and after, readable for five systems and for a hundred."""

from typing import TYPE_CHECKING, Any

from ndcgstudy.figures import BLUE, GREY, RED, end_labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

NAMED = 12
"""The most systems that are all named; of more, those that move the most."""

MOVERS = 10


def slopes(
    table: "pd.DataFrame", ax: "Axes", before: str = "before", after: str = "after"
) -> "Axes":
    """Draw ranks before and after: risers solid blue, fallers dashed red, the others thin and grey.

    Parameters
    ----------
    table
        The columns `run`, `rank` and `rank_after`, a row a system.
    before, after
        What to call the two sides.
    """
    rows = _moves(table)
    movers = sorted(rows, key=lambda row: -abs(row[1] - row[2]))[:MOVERS]
    ends = []
    for run, rank, later in rows:
        named = len(rows) <= NAMED or ((run, rank, later) in movers and rank != later)
        style = _style(rank - later) if named else {"color": GREY, "alpha": 0.35, "lw": 0.5}
        ax.plot([0, 1], [rank, later], zorder=2 + named, clip_on=False, **style)
        if named:
            ends.append((f"{run} {rank}→{later}", 1.0, float(later), str(style["color"])))
    _axes(ax, max(max(rank, later) for _, rank, later in rows))
    ax.set_xticks([0, 1], [before, after])
    end_labels(ax, ends)
    return ax


def height(systems: int) -> float:
    """Return how many inches high a chart of so many systems should be."""
    return min(1.0 + 0.22 * systems, 5.0)


def _moves(table: "pd.DataFrame") -> list[tuple[str, int, int]]:
    """Return run, rank before and rank after, the best after first."""
    columns = (table[name].tolist() for name in ("run", "rank", "rank_after"))
    rows = [(str(run), int(rank), int(later)) for run, rank, later in zip(*columns, strict=True)]
    return sorted(rows, key=lambda row: row[2])


def _style(moves: int) -> dict[str, Any]:
    if moves == 0:
        return {"color": GREY, "marker": "o", "lw": 0.8}
    if moves > 0:
        return {"color": BLUE, "marker": "o"}
    return {"color": RED, "marker": "o", "linestyle": "--"}


def _axes(ax: "Axes", last: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_ylim(last + max(0.5, 0.02 * last), 1 - max(0.5, 0.02 * last))
    ax.set_xlim(-0.06, 1.0)
    locator = MaxNLocator(nbins=12, integer=True)
    ticks = range(1, last + 1) if last <= NAMED else [1, *locator.tick_values(5, last)]
    ax.set_yticks([tick for tick in ticks if 1 <= tick <= last])
    ax.set_ylabel("rank")
    ax.grid(axis="x", visible=False)
