"""Reported numbers: read as they were printed, and compared with scores to their digits."""

import re
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal
from functools import cached_property

import numpy as np

from ndcgstudy.conventions.convention import plain
from ndcgstudy.expressions import split
from ndcgstudy.measures import DCG, Measure


@dataclass(frozen=True)
class Reported:
    """A number as it was printed: a measure, its value and how many decimals it has."""

    measure: Measure
    value: Decimal

    @cached_property
    def unit(self) -> Decimal:
        """One unit of the last digit."""
        return Decimal(1).scaleb(int(self.value.as_tuple().exponent))

    def how(self, score: float) -> str:
        """Tell how a score would be printed as the number: "rounded", "cut", or "" where it is not.

        A score within 1e-12 of where the printed number changes is taken for either side of it.

        Examples
        --------
        >>> number = reported("0.42")[0]
        >>> number.how(0.4151), number.how(0.4249), number.how(0.4299), number.how(0.4301)
        ('rounded', 'rounded', 'cut', '')
        """
        if not np.isfinite(score):
            return ""
        return next((word for word, value in self.printed(score) if value == self.value), "")

    def printed(self, score: float) -> list[tuple[str, Decimal]]:
        """Return how a score may be printed to as many decimals, rounded and cut."""
        exact, bit = Decimal(score), Decimal("1e-12")
        ways = [
            ("rounded", exact, ROUND_HALF_UP),
            ("rounded", exact - bit, ROUND_HALF_UP),
            ("rounded", exact + bit, ROUND_HALF_UP),
            ("cut", exact, ROUND_DOWN),
            ("cut", exact + bit, ROUND_DOWN),
        ]
        return [(word, x.quantize(self.unit, rounding=rule)) for word, x, rule in ways]


def reported(text: str, measure: str = "nDCG@10") -> list[Reported]:
    """Read reported numbers: ``0.4213``, or ``nDCG@10=0.4213,nDCG@20=0.43``.

    Parameters
    ----------
    measure
        What a number without a measure is one of.

    Raises
    ------
    ValueError
        With a line for each that is no number with decimals in the range of its measure.

    Examples
    --------
    >>> [(str(number.measure), str(number.value)) for number in reported("0.42, AP=0.310")]
    [('nDCG@10', '0.42'), ('AP', '0.310')]
    """
    found, wrong = [], []
    for part in split(text, ","):
        name, _, value = part.rpartition("=")
        try:
            found.append(_number(plain(name.strip() or measure), value.strip()))
        except ValueError as error:
            wrong.append(str(error))
    if not found and not wrong:
        wrong.append("`reported` needs a number, as 0.4213 or nDCG@10=0.4213,nDCG@20=0.43")
    if wrong:
        raise ValueError("\n".join(wrong))
    return found


def _number(measure: Measure, text: str) -> Reported:
    if re.fullmatch(r"[+-]?\d+(\.\d*)?%?", text) and not re.fullmatch(r"\+?[01](\.\d*)?", text):
        number = Decimal(text.rstrip("%"))
        if 1 < number <= 100 and not isinstance(measure, DCG):
            share = f"{number / 100}"
            raise ValueError(
                f"`reported` must be in [0, 1], got {text}; a percentage? write {share}"
            )
    if not re.fullmatch(r"[+-]?\d*\.\d+", text):
        raise ValueError(f"`reported` must be a number with its decimals, as 0.4213, got {text!r}")
    value = Decimal(text)
    if value < 0 or (value > 1 and not isinstance(measure, DCG)):
        raise ValueError(f"`reported` must be in [0, 1], got {text}")
    return Reported(measure, value)
