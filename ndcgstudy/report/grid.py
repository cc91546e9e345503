"""A table as text for the page: a few digits, and only as many rows as a page can carry."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ndcgstudy.checks import plain

if TYPE_CHECKING:
    import pandas as pd

MOST = 100
"""Rows up to which a table stands whole in the page."""

SOME = 30
"""Rows that the page shows of a longer table, whose file holds the others."""


@dataclass(frozen=True)
class Grid:
    """Header, cells as text, which columns are numbers, and how many rows there are in all."""

    header: list[str]
    numeric: list[bool]
    rows: list[list[str]]
    total: int


def grid(table: "pd.DataFrame") -> Grid:
    """Lay out a table.

    Examples
    --------
    >>> import pandas as pd
    >>> grid(pd.DataFrame({"n": [1000000], "share": [1 / 3], "who": ["a"]})).rows
    [['1,000,000', '0.3333', 'a']]
    """
    shown = table if len(table) <= MOST else table.head(SOME)
    return Grid(
        [str(name) for name in table],
        [table[name].dtype.kind in "iuf" for name in table],
        [[text(value) for value in row] for row in shown.itertuples(index=False)],
        len(table),
    )


def text(value: Any) -> str:
    """Return four digits of a number, a whole number with its thousands apart, "yes" or "no".

    Examples
    --------
    >>> [text(value) for value in (0.12345, 1234.0, 10**6, float("nan"), True, "a")]
    ['0.1235', '1,234', '1,000,000', '', 'yes', 'a']
    """
    value = plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else _real(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _real(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.4g}"
