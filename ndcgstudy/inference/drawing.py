"""Pictures of gaps: a forest of intervals, and a map of all pairs."""

from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.data import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ndcgstudy.inference.gaps import Gaps

TOLD, UNTOLD = "#0072B2", "#767676"  # separated or not (Okabe and Ito 2008)
ROWS = 200  # lines of names that are written one below the other; of more only some are
CELLS = 60  # the same beside a map, whose side does not grow for ever


def size_of(found: "Gaps") -> tuple[float, float]:
    """Return the inches that a picture of these gaps needs."""
    if is_map(found):
        side = min(3.4 + 0.07 * min(len(found.systems), CELLS), 7.5)
        return side + 1.0, side
    return 5.0, height_of(len(found.gap))


def height_of(rows: int) -> float:
    """Return the inches that so many lines need: those of many systems stand closer."""
    return 1.2 + 0.13 * min(rows, 60) + 0.1 * max(0, min(rows, ROWS) - 60)


def is_map(found: "Gaps") -> bool:
    """Say whether the pairs are all there are, drawn as a map."""
    return found.family in ("all", "each")


def draw_gaps(found: "Gaps", ax: "Axes") -> "Axes":
    """Draw a map of all pairs, or a forest where each system has one gap."""
    return draw_map(found, ax) if is_map(found) else draw_forest(found, ax)


def draw_forest(found: "Gaps", ax: "Axes") -> "Axes":
    """Draw each gap with its interval, one line a pair, those separated in blue.

    An interval without end crosses the whole picture.
    """
    rows = np.arange(len(found.gap))
    endless = np.isinf(found.high - found.low)
    across = ax.get_yaxis_transform()
    ax.hlines(rows[endless], 0, 1, transform=across, color=UNTOLD, lw=1)
    for told, colour, text in ((True, TOLD, "separated"), (False, UNTOLD, "not separated")):
        at = found.separated == told
        ends = at & ~endless
        ax.hlines(rows[ends], found.low[ends], found.high[ends], color=colour, lw=1)
        ax.plot(found.gap[at], rows[at], "o" if told else "|", color=colour, ms=3, label=text)
    ax.axvline(0, color="black", lw=0.7)
    names = [found.systems[i] for i in found.second]
    if found.family == "neighbours":
        pairs = zip(found.first, names, strict=True)
        names = [f"{shorter(found.systems[a], 18)} : {shorter(n, 18)}" for a, n in pairs]
    name_rows(ax, names, 40)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    best = f"{shorter(found.systems[0])} less the system"
    what = best if found.family == "best" else "system less the next"
    ax.set_xlabel(f"gap in {found.measure}, {percent(found.level)} of all at once\n{what}")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return ax


def name_rows(ax: "Axes", names: "list[str]", most: int = 28) -> None:
    """Write names beside the lines of a picture, each in at most so many letters."""
    ax.set_yticks(*_named(names, ROWS, most), fontsize=_size(len(names)))


def _named(names: "list[str]", rows: int, most: int = 28) -> "tuple[list[int], list[str]]":
    """Return the places of the names that are written, evenly spread where there are too many."""
    places = list(range(0, len(names), -(-len(names) // rows)))
    return places, [shorter(names[i], most) for i in places]


def _size(rows: int) -> float:
    return 5.5 if rows > 60 else 6 if rows > 25 else 7


def draw_map(found: "Gaps", ax: "Axes") -> "Axes":
    """Draw every pair as a cell, the better system's row: its gap where separated, else grey."""
    count = len(found.systems)
    told = _matrix(found, np.where(found.separated, found.gap, np.nan), count)
    rest = _matrix(found, np.where(found.separated, np.nan, 1.0), count)
    ax.imshow(rest, cmap="Greys", vmin=0, vmax=5, interpolation="nearest")
    top = float(np.nanmax(told)) if found.separated.any() else 1.0
    image = ax.imshow(told, cmap="viridis_r", vmin=0, vmax=top, interpolation="nearest")
    places, names = _named(list(found.systems), CELLS)
    ax.set_yticks(places, names, fontsize=_size(len(places)))
    ax.set_xticks(places, names, fontsize=_size(len(places)), rotation=90)
    ax.grid(visible=False)
    if found.separated.any():
        ax.get_figure().colorbar(image, ax=ax, shrink=0.8, label=f"gap in {found.measure}")  # type: ignore[union-attr]
    pairs = f"{len(found.gap):,} pair{'s' * (len(found.gap) != 1)}"
    hold = "each by itself" if found.family == "each" else "all at once"
    head = f"{found.share:.0%} of {pairs} separated"
    ax.set_title(f"{head}\n{percent(found.level)}, {hold}; grey: not")
    ax.set_ylabel("better system")
    ax.set_xlabel("worse system")
    return ax


def _matrix(found: "Gaps", values: Floats, count: int) -> Floats:
    matrix = np.full((count, count), np.nan)
    matrix[found.first, found.second] = values
    return matrix


def percent(level: float) -> str:
    """Write a level so that .999 is not 100%.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.6g}%"


def shorter(text: str, most: int = 28) -> str:
    """Leave out the middle of a long name: what tells names apart is often at the end.

    Examples
    --------
    >>> shorter("Snowflake__snowflake-arctic-embed-m-v2.0", 20)
    'Snowflake…bed-m-v2.0'
    """
    if len(text) <= most:
        return text
    tail = most // 2
    return f"{text[: most - tail - 1]}…{text[-tail:]}"
