"""Scores in the cells of a table: numbers as people write them, and the words for a missing one."""

import math
import re
from dataclasses import dataclass

from ndcgstudy.formats.cells import Cell

MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", "\u2013", "\u2014")
"""What a cell without a score holds, in any case of letters."""
_NUMBER = re.compile(r"[+-]?(\d+\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?", re.ASCII)


@dataclass(frozen=True)
class Score:
    """A score as it was written.

    Parameters
    ----------
    value
        The number; NaN where it is missing.
    digits
        How many decimals were written.
    percent
        Whether a percent sign follows; the value is then a hundredth of what stands there.
    """

    value: float
    digits: int = 0
    percent: bool = False


NONE = Score(math.nan)


def is_missing(cell: Cell) -> bool:
    """Return whether a cell holds no score."""
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def score_of(cell: Cell, decimal: str = ".") -> Score | None:
    """Read a cell; None where it holds neither a finite number nor a word for a missing score.

    Examples
    --------
    >>> score_of("61.20"), score_of("61,2%", ","), score_of("N/A").digits, score_of("x")
    (Score(value=61.2, digits=2, percent=False), Score(value=0.612, digits=3, percent=True), 0, None)
    """
    if is_missing(cell):
        return NONE
    percent = isinstance(cell, str) and cell.rstrip().endswith("%")
    text = cell.strip().replace("\u2212", "-") if isinstance(cell, str) else repr(cell)
    if isinstance(cell, str) and decimal == ",":
        text = text.replace(".", "x").replace(",", ".")
    found = _NUMBER.fullmatch(text.removesuffix("%").rstrip())
    if not found:
        return None
    number = float(found[0])
    decimals = len(found[2] or found[3] or "") - int(found[4] or 0)
    if not math.isfinite(number):
        return None
    return Score(number / 100 if percent else number, max(decimals, 0) + 2 * percent, percent)
