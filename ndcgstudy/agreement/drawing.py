"""How agreement with people is drawn: by measure for both ways to count ties, and by difference."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ndcgstudy.figures import BLUE, GREY, MARKERS, RED, lines

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

WAYS = {  # column: (bounds, what becomes of a measure's ties, colour, whether the marker is filled)
    "rate": ("low", "high", "measure's ties dropped", BLUE, True),
    "strict": ("strict_low", "strict_high", "measure's ties missed", RED, False),
}


_FEW = 3  # sets that markers tell apart within a measure; more have a height each


def dots(ax: "Axes", table: "pd.DataFrame", columns: Sequence[str], y: Any, **look: Any) -> None:
    """Draw values as markers with their intervals, one a height.

    Parameters
    ----------
    columns
        Those of the value, the lower and the upper bound.
    look
        Of the markers: colour, marker, label.
    """
    value, low, high = columns
    ax.hlines(y, table[low], table[high], color=look["color"], lw=1)
    ax.plot(table[value], y, **{"marker": "o", "linestyle": "none", **look})


def heights(ax: "Axes", names: Sequence[str]) -> None:
    """Name the heights 0, 1, ... from the top down."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)


def draw_agreement(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw each measure's agreement with ties dropped and with ties as misses, side by side.

    Parameters
    ----------
    table
        As `Report.table` returns it; the rows of the stratum "all" are drawn. Above three sets each
        measure of each set has a height of its own.
    """
    rows = table[table["stratum"] == "all"]
    if rows["set"].nunique() > _FEW:
        rows = rows.assign(measure=rows["set"] + ": " + rows["measure"], set="all")
    measures, sets = list(dict.fromkeys(rows["measure"])), list(dict.fromkeys(rows["set"]))
    series = [(way, place) for way in WAYS for place in range(len(sets))]
    heights(ax, measures)
    for k, (column, place) in enumerate(series):
        low, high, text, colour, filled = WAYS[column]
        part = rows[rows["set"] == sets[place]]
        middle = 0.8 * (k - (len(series) - 1) / 2) / len(series)
        y = [measures.index(measure) + middle for measure in part["measure"]]
        look = {"marker": MARKERS[place], "color": colour, "mfc": colour if filled else "white"}
        label = text if len(sets) == 1 else f"{text}, {sets[place]}"
        dots(ax, part, (column, low, high), y, label=label, **look)
    for edge in range(1, len(measures)):
        ax.axhline(edge - 0.5, color="#DDDDDD", lw=0.4)
    ax.set_xlabel("share of people's preferences that the measure shares")
    ax.get_figure().legend(  # type: ignore[union-attr]
        loc="outside upper left", ncols=min(len(sets), 2), frameon=False, borderpad=0
    )
    return ax


def draw_by_size(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw agreement against the size of the difference, a line a measure (and set).

    Parameters
    ----------
    table
        As `Report.table` returns it for the strata "difference"; other strata are left out.
    """
    rows = table[table["stratum"].str.fullmatch(r"[0-9.]+-[0-9.]+")].copy()
    edges = rows["stratum"].str.split("-", expand=True).astype(float)
    rows["size"] = edges.mean(axis=1)
    several = rows["set"].nunique() > 1
    rows["name"] = rows["measure"] + (" " + rows["set"] if several else "")
    reference: Any = table["measure"].iloc[0] if len(table) else ""
    ax.set_xlim(0, edges[1].max() if len(edges) else 1)
    ax.set_ylim(min(0.45, rows["low"].min() - 0.02) if len(rows) else 0.45, 1.01)
    ax.axhline(0.5, color=GREY, lw=0.7)
    ax.set_xlabel(f"size of the difference of {reference}")
    ax.set_ylabel("agreement with people, ties dropped")
    return lines(rows, ax, x="size", y="rate", by="name", low="low", high="high")
