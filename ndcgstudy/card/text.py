"""Lay a card out as text."""

import math
import textwrap
from typing import TYPE_CHECKING

from ndcgstudy.card.line import REFERENCE, Figure, Line, Section, short

if TYPE_CHECKING:
    from ndcgstudy.card.report import Card

WIDTH = 110
_LONGEST = 30  # of a discount's name above a column


def laid_out(card: "Card") -> str:
    """Return the card: for each section its source, its lines beside log2, and what follows."""
    head = (
        f"{card.discount} beside {REFERENCE}; board nDCG@{card.cutoff} and pairs DCG@{card.cutoff}, "
        f"gain {card.gain}"
    )
    parts = [_wrapped(head, ""), *(_section(section, card.discount) for section in card.sections)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section, discount: str) -> str:
    name = discount if len(discount) <= _LONGEST else "…" + discount[1 - _LONGEST :]
    header = ("", name, REFERENCE, "difference", f"against {REFERENCE}")
    rows = [header, *(_cells(line) for line in section.lines)]
    kept = [i for i in range(5) if i == 0 or any(row[i] for row in rows[1:])]
    widths = [max(len(row[i]) for row in rows) for i in kept]
    table = [
        "  " + "  ".join(row[i].ljust(w) for i, w in zip(kept, widths, strict=True)).rstrip()
        for row in rows
    ]
    said = [_wrapped(f"=> {text}", "   ") for text in section.said]
    title = _wrapped(f"{section.name.upper()} ({section.source})", "  ")
    return "\n".join([title, *table, *said])


def _cells(line: Line) -> tuple[str, ...]:
    mine, log2 = (shown(figure) for figure in (line.mine, line.log2))
    apart = shown(line.difference, signed=line.signed)
    return line.label or line.name, mine, log2, apart, line.verdict


def shown(figure: Figure | None, signed: bool = False) -> str:
    """Write a figure with its interval and word.

    Examples
    --------
    >>> shown(Figure(0.25, 0.125, 0.5)), shown(Figure(2, word="of 3")), shown(Figure(1), signed=True)
    ('0.2500 [0.125, 0.500]', '2, of 3', '+1')
    """
    if figure is None:
        return ""
    value = "" if math.isnan(figure.value) else _number(figure.value)
    if value and signed and figure.value > 0:
        value = f"+{value}"
    if figure.sampled:
        low, high = (_number(end, 4 if signed else 3) for end in (figure.low, figure.high))
        value += f" [{low}, {high}]"
    return ", ".join(part for part in (value, figure.word) if part) or "-"


def _number(value: float, decimals: int = 4) -> str:
    """Write whole numbers whole, others with some decimals, or short where these say nothing."""
    if math.isnan(value):
        return "-"
    size = abs(value)
    if size < 1e6 and abs(value - round(value)) < 1e-12:
        return f"{round(value):,}"
    if 1e-3 <= size < 10:
        return f"{value:.{decimals}f}"
    if size < 1e5 and size >= 10:
        return f"{value:,.1f}"
    return short(value, 2)


def _wrapped(text: str, indent: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False))
