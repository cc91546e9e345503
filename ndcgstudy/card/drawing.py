"""Draw a card: four small panels, the discount beside log2 in each."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.card.board import SHARE
from ndcgstudy.card.line import SYNTHETIC, Line, Section
from ndcgstudy.card.people import LEAD, NAMES
from ndcgstudy.card.separation import RIGHT
from ndcgstudy.figures import BLUE, GREY, RED, key

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Page

    from ndcgstudy.card.report import Card

SIZE = (6.4, 5.0)
LOOKS: dict[str, dict[str, Any]] = {
    "discount": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "log2": {"color": RED, "marker": "s", "linestyle": "--"},
}
_LONGEST = 40
_ROWS = {
    SHARE: "pairs\nseparated",
    **dict(
        zip(NAMES.values(), ("agreement,\nties dropped", "agreement,\nties missed"), strict=True)
    ),
}


def draw(card: "Card", page: "Page") -> "Page":
    """Draw four panels: weights, P(right), separated pairs, and differences to log2."""
    (weights, right), (curves, apart) = page.subplots(2, 2)
    board, people = card.section("board"), card.section("people")
    draw_weights(card.weights, weights)
    draw_right(card.section("separation"), right)
    draw_curves(card.curve, board, curves)
    draw_differences([board.line(SHARE), *(people.line(text) for text in NAMES.values())], apart)
    apart.set_title(f"less log2: {_synthetic(board)}board, {_synthetic(people)}answers", loc="left")
    apart.set_xlabel(
        f"difference of shares\nlog-likelihood of 1,000: {_likelihood(people.line(LEAD))}"
    )
    name = card.discount
    text = name if len(name) <= _LONGEST else "…" + name[1 - _LONGEST :]
    key(weights, {text: LOOKS["discount"], "log2 ": LOOKS["log2"]})
    return page


def draw_weights(table: "pd.DataFrame", ax: "Axes") -> None:
    """Draw the weights over ranks, both axes logarithmic; weights of 0 are left out."""
    for name in ("log2", "discount"):
        look = {**LOOKS[name], "marker": ""}
        ax.plot(table["rank"], table[name].where(table[name] > 0), **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(max(float(table["log2"].min()) * 1e-4, _least(table)) / 1.5, 1.5)
    ax.set_xlabel("rank")
    ax.set_title("weight, that of rank 1 = 1", loc="left")


def _least(table: "pd.DataFrame") -> float:
    """Return the least weight above 0."""
    values = table[["discount", "log2"]].to_numpy()
    return float(values[values > 0].min())


def draw_right(section: Section, ax: "Axes") -> None:
    """Draw how often the better ranker is ahead, by list length, with bands."""
    rows = [line for line in section.lines if line.name == RIGHT]
    at = [row.at for row in rows]
    for name, parts in (("log2", [r.log2 for r in rows]), ("discount", [r.mine for r in rows])):
        value, low, high = np.array([part[:3] for part in parts if part]).T
        ax.plot(at, value, **LOOKS[name])
        ax.fill_between(at, low, high, color=LOOKS[name]["color"], alpha=0.15, lw=0)
    ax.set_xscale("log")
    ax.axhline(0.5, color=GREY, lw=0.7, ls=":")
    ax.set_ylim(min(0.48, ax.get_ylim()[0]), 1.02)
    ax.set_xlabel("items in the list, n")
    ax.set_title("P(right): better ranker ahead", loc="left")


def draw_curves(curve: "pd.DataFrame", section: Section, ax: "Axes") -> None:
    """Draw the share of pairs at or below each p-value, with intervals where pairs are separated."""
    for name in ("log2", "discount"):
        rows = curve[curve["measure"] == name]
        ax.plot(rows["level"], rows["share"], **{**LOOKS[name], "marker": ""})
    line = section.line(SHARE)
    for name, figure, shift in (("log2", line.log2, 1.06), ("discount", line.mine, 0.94)):
        if figure:
            ax.vlines(0.05 * shift, figure.low, figure.high, color=LOOKS[name]["color"], lw=1.5)
    ax.set_xscale("log")
    ax.set_xlim(curve["level"].min(), curve["level"].max())
    ax.set_xlabel("p-value (bars: intervals of the shares at 0.05)")
    ax.set_title(f"share of pairs with p at or below, {_synthetic(section)}board", loc="left")


def _synthetic(section: Section) -> str:
    return "synthetic " if section.source.startswith(SYNTHETIC) else ""


def draw_differences(lines: Sequence[Line], ax: "Axes") -> None:
    """Draw differences of shares to log2 with their intervals, all on the same board or pairs."""
    for height, line in enumerate(lines):
        if figure := line.difference:
            colour = LOOKS["discount"]["color"]
            ax.hlines(height, figure.low, figure.high, color=colour, lw=1)
            ax.plot([figure.value], [height], **LOOKS["discount"])
    ax.axvline(0, **{**LOOKS["log2"], "marker": ""})
    ax.set_yticks(range(len(lines)), [_ROWS[line.name] for line in lines])
    ax.set_ylim(len(lines) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.locator_params(axis="x", nbins=5)


def _likelihood(line: Line) -> str:
    """Write the lead in likelihood, whose unit is no share."""
    figure = line.difference
    if figure is None or math.isnan(figure.value):
        return "not told"
    return f"{figure.value:+.2g} [{figure.low:.2g}, {figure.high:.2g}]"
