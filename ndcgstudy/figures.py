"""Shared ways to draw, each ``(table, ax) -> ax``, and one style; nothing is computed here.

Colours are those of Okabe and Ito (2008, Color universal design), which people with any kind of
colour vision tell apart; markers and line styles differ too, so that a grey print can be read.
"""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ndcgstudy.study import Drawing

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
YELLOW, BLUE, RED, PURPLE, GREY = "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#767676"

COLOURS = (BLUE, RED, GREEN, PURPLE, ORANGE, BLACK, SKY)  # no yellow: too faint for a line on white
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")
DASHES = ("-", "--", "-.", ":")

STYLE: dict[Any, Any] = {  # keys are those of matplotlibrc
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "axes.grid": True,
    "axes.grid.which": "major",
    "grid.linewidth": 0.4,
    "grid.color": "#DDDDDD",
    "axes.axisbelow": True,
    "savefig.dpi": 300,
    "svg.hashsalt": "ndcgstudy",
}


def render(drawing: Drawing, table: "pd.DataFrame") -> dict[str, bytes]:
    """Draw a table and return the bytes of the figure as ``png`` and as ``svg``.

    The same table gives the same bytes: no date, no program version, no random identifiers.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=drawing.size, layout="constrained")
        drawing.draw(table, figure.subplots())
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once; both files show the same
        return {
            "png": _saved(figure, "png", {"Software": None}),
            "svg": _saved(figure, "svg", {"Date": None, "Creator": None}),
        }


def _saved(figure: Any, form: str, metadata: dict[str, Any]) -> bytes:
    target = io.BytesIO()
    figure.savefig(target, format=form, metadata=metadata)
    return target.getvalue()


def look(place: int) -> dict[str, Any]:
    """Return colour, marker and line style of the series at a place; no two of 77 are the same.

    Examples
    --------
    >>> look(0) != look(7)
    True
    """
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": DASHES[place // len(COLOURS) % len(DASHES)],
    }


def key(ax: "Axes", looks: Mapping[str, Mapping[str, Any]]) -> None:
    """Explain in a row above the axes what the colours and line styles of a figure stand for."""
    from matplotlib.lines import Line2D

    ax.get_figure().legend(  # type: ignore[union-attr]
        handles=[Line2D([], [], label=text, **look) for text, look in looks.items()],
        loc="outside upper left",
        ncols=len(looks),
        frameon=False,
        handlelength=2.2,
        columnspacing=1.2,
        borderpad=0,
    )


def lines(
    table: "pd.DataFrame",
    ax: "Axes",
    *,
    x: str,
    y: str,
    by: str,
    low: str | None = None,
    high: str | None = None,
    looks: Mapping[str, dict[str, Any]] | None = None,
    names: Mapping[str, str] | None = None,
) -> "Axes":
    """Draw y against x, a line for each value of `by`, labelled at its right end.

    Parameters
    ----------
    table
        One row a point; rows of a line are in the order of x. Missing y are left out.
    low, high
        Columns of a band around the line.
    looks
        Colour, marker and line style of some of the values of `by`, over those of `look`.
    names
        What to write for some of the values of `by`.

    Set scales and limits of the axes before: the labels keep clear of each other in these.
    """
    ends: list[tuple[str, float, float, str]] = []
    groups = table.dropna(subset=[y]).groupby(by, sort=False)
    for place, (value, rows) in enumerate(groups):
        name = str(value)
        style = {**look(place), **(looks or {}).get(name, {})}
        ax.plot(rows[x], rows[y], **style)
        if low and high:
            ax.fill_between(rows[x], rows[low], rows[high], color=style["color"], alpha=0.15, lw=0)
        end = rows.iloc[-1]
        ends.append(((names or {}).get(name, name), end[x], end[y], style["color"]))
    end_labels(ax, ends)
    return ax


def end_labels(ax: "Axes", ends: Sequence[tuple[str, float, float, str]]) -> None:
    """Write labels beside the axes, each as near its line's end as the others allow.

    Parameters
    ----------
    ends
        Text, x and y of the line's end in data units, and colour.
    """
    from matplotlib.lines import Line2D

    ax.autoscale_view()
    inches = ax.get_figure().get_size_inches()[1]  # type: ignore[union-attr]
    step = 9.5 / (72 * inches * 0.85)  # a line of 8 point text, as a share of the axes' height
    to_axes = ax.transData + ax.transAxes.inverted()
    points = [to_axes.transform((x, y)) for _, x, y, _ in ends]
    heights = spread([float(y) for _, y in points], step)
    for (text, _, _, colour), (x, y), height in zip(ends, points, heights, strict=True):
        leader = Line2D([x + 0.02, 1.05], [y, height], color=colour, lw=0.5, clip_on=False)
        leader.set_transform(ax.transAxes)
        ax.add_artist(leader)
        ax.text(1.06, height, short(text), color=colour, va="center", transform=ax.transAxes)


def short(text: str, most: int = 26) -> str:
    """Cut a long label at its start: the end of a path or specification tells more.

    Examples
    --------
    >>> short("bm25"), short("runs/bm25", 6)
    ('bm25', '…/bm25')
    """
    return text if len(text) <= most else "…" + text[1 - most :]


def spread(heights: Sequence[float], step: float) -> list[float]:
    """Move heights in [0, 1] apart to at least `step`, in their order and by as little as may be.

    Neighbours that are too close become a block, centred on the mean of its heights and kept
    below 1, and above 0 where it has room.

    Examples
    --------
    >>> [round(y, 2) for y in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    """
    blocks: list[list[int]] = []
    for i in sorted(range(len(heights)), key=lambda i: heights[i]):
        blocks.append([i])
        while len(blocks) > 1 and _bottom(blocks[-1], heights, step) < (
            _bottom(blocks[-2], heights, step) + step * len(blocks[-2])
        ):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    placed = [0.0] * len(heights)
    for block in blocks:
        for k, i in enumerate(block):
            placed[i] = _bottom(block, heights, step) + k * step
    return placed


def _bottom(block: Sequence[int], heights: Sequence[float], step: float) -> float:
    """Return where the lowest label of a block stands."""
    centred = sum(heights[i] for i in block) / len(block) - step * (len(block) - 1) / 2
    return min(max(centred, 0.0), 1.0 - step * (len(block) - 1))
