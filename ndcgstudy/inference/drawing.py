"""Pictures of gaps: a forest of intervals, and a map of all pairs."""

from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.data import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ndcgstudy.inference.gaps import Gaps

TOLD, UNTOLD = "#0072B2", "#767676"  # separated or not (Okabe and Ito 2008)
ROWS = 60  # names that fit beside an axis; of more only some are written


def size_of(found: "Gaps") -> tuple[float, float]:
    """Return the inches that a picture of these gaps needs."""
    rows = min(len(found.systems), ROWS)
    if is_map(found):
        side = min(3.4 + 0.07 * rows, 7.5)
        return side + 1.0, side
    return 5.0, 1.1 + 0.13 * rows


def is_map(found: "Gaps") -> bool:
    """Say whether the pairs are all there are, drawn as a map."""
    return found.family in ("all", "each")


def draw_gaps(found: "Gaps", ax: "Axes") -> "Axes":
    """Draw a map of all pairs, or a forest where each system has one gap."""
    return draw_map(found, ax) if is_map(found) else draw_forest(found, ax)


def draw_forest(found: "Gaps", ax: "Axes") -> "Axes":
    """Draw each gap with its interval, one line a pair, those separated in blue."""
    rows = np.arange(len(found.gap))
    for told, colour, text in ((True, TOLD, "separated"), (False, UNTOLD, "not separated")):
        at = found.separated == told
        ax.hlines(rows[at], found.low[at], found.high[at], color=colour, lw=1)
        ax.plot(found.gap[at], rows[at], "o" if told else "|", color=colour, ms=3, label=text)
    ax.axvline(0, color="black", lw=0.7)
    best = found.systems[0]
    names = [found.systems[i] for i in found.second]
    if found.family == "neighbours":
        names = [f"{found.systems[a]} : {n}" for a, n in zip(found.first, names, strict=True)]
    name_rows(ax, names)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    what = f"{best} less the system" if found.family == "best" else "system less the next"
    ax.set_xlabel(f"gap in {found.measure}: {what}, {found.level:.0%} of all at once")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return ax


def name_rows(ax: "Axes", names: "list[str]", axis: str = "y") -> None:
    """Write names beside the rows of an axis: every one of few, evenly spread ones of many."""
    step = -(-len(names) // ROWS)
    places = list(range(0, len(names), step))
    texts = [_short(names[i]) for i in places]
    getattr(ax, f"set_{axis}ticks")(places, texts, fontsize=6 if len(names) > 25 else 7)
    if axis == "x":
        ax.tick_params("x", rotation=90)


def draw_map(found: "Gaps", ax: "Axes") -> "Axes":
    """Draw every pair as a cell, the better system's row: its gap where separated, else grey."""
    count = len(found.systems)
    told = _matrix(found, np.where(found.separated, found.gap, np.nan), count)
    rest = _matrix(found, np.where(found.separated, np.nan, 1.0), count)
    ax.imshow(rest, cmap="Greys", vmin=0, vmax=5, interpolation="nearest")
    top = float(np.nanmax(told)) if found.separated.any() else 1.0
    image = ax.imshow(told, cmap="viridis_r", vmin=0, vmax=top, interpolation="nearest")
    for axis in ("x", "y"):
        name_rows(ax, list(found.systems), axis)
    ax.grid(visible=False)
    ax.get_figure().colorbar(image, ax=ax, shrink=0.8, label=f"gap in {found.measure}")  # type: ignore[union-attr]
    ax.set_title(f"{found.share:.0%} of {len(found.gap):,} pairs separated; grey: not separated")
    ax.set_ylabel("better system")
    ax.set_xlabel("worse system")
    return ax


def _matrix(found: "Gaps", values: Floats, count: int) -> Floats:
    matrix = np.full((count, count), np.nan)
    matrix[found.first, found.second] = values
    return matrix


def _short(text: str, most: int = 28) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
