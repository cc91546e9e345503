"""What a card is made of: figures, lines that put two discounts side by side, and sections."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

NAN = float("nan")
SAME, MORE, LESS, UNTOLD = "the same", "more", "less", "cannot be told"
REFERENCE = "log2"
SYNTHETIC = "SYNTHETIC"  # how the source of made-up data begins
_BETWEEN = {SAME: "as", MORE: "than", LESS: "than", UNTOLD: "from"}


class Figure(NamedTuple):
    """A number with its interval, which is NaN where the number is exact, and a word on it."""

    value: float
    low: float = NAN
    high: float = NAN
    word: str = ""

    @classmethod
    def of(cls, numbers: Iterable[float], word: str = "") -> "Figure":
        """Take value, low and high from three numbers."""
        value, low, high = map(float, numbers)
        return cls(value, low, high, word)

    @property
    def sampled(self) -> bool:
        """Whether it has an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def settled(self, noise: float) -> "Figure":
        """Return the figure with all that is no more than the noise of floats set to 0."""
        return Figure.of((0.0 if abs(x) <= noise else x for x in self[:3]), self.word)


def short(value: float, digits: int = 0) -> str:
    """Write a number with an exponent and few digits.

    Examples
    --------
    >>> short(1e12), short(106_309.0, 2), short(-2.5e-7, 1)
    ('1e12', '1.06e5', '-2.5e-7')
    """
    mantissa, _, exponent = f"{value:.{digits}e}".partition("e")
    return f"{mantissa}e{int(exponent)}"


def told(difference: Figure) -> str:
    """Say in a word what a difference to log2 tells; one that is exact speaks for itself.

    Examples
    --------
    >>> told(Figure(0.1, -0.2, 0.4)), told(Figure(-0.1)), told(Figure(0.0, 0.0, 0.0))
    ('cannot be told', 'less', 'the same')
    """
    value, low, high = difference[:3] if difference.sampled else (difference.value,) * 3
    if math.isnan(value):
        return ""
    if value == low == high == 0:
        return SAME
    return MORE if low > 0 else LESS if high < 0 else UNTOLD


def against(word: str) -> str:
    """Complete a word of `told`: "less than log2", "cannot be told from log2".

    Examples
    --------
    >>> against("the same"), against("")
    ('the same as log2', '')
    """
    return f"{word} {_BETWEEN[word]} {REFERENCE}" if word else ""


@dataclass(frozen=True)
class Line:
    """One thing known of the discount and of log2, and the first less the second.

    Parameters
    ----------
    name
        What it is.
    mine, log2
        The figure of the discount and that of log2; None where only both together have one.
    difference
        The first less the second, or what else compares them; None where nothing does.
    at
        The rank or the list length it is about, NaN where it is about none.
    signed
        Whether the sign of the difference says which of the two is ahead.
    label
        The name with what it is about, for reading.
    """

    name: str
    mine: Figure | None
    log2: Figure | None
    difference: Figure | None = None
    at: float = NAN
    signed: bool = True
    label: str = ""

    @property
    def verdict(self) -> str:
        """More, less, the same, cannot be told; nothing where the difference has no sign."""
        return told(self.difference) if self.difference and self.signed else ""

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield a record a figure."""
        parts = (("discount", self.mine), ("log2", self.log2), ("difference", self.difference))
        for of, figure in parts:
            if figure is not None:
                said = against(self.verdict) if of == "difference" else ""
                yield {
                    "name": self.name,
                    "at": self.at,
                    "of": of,
                    **dict(zip(("value", "low", "high"), figure[:3], strict=True)),
                    "note": figure.word or said,
                }


@dataclass(frozen=True)
class Section:
    """Lines computed from one source.

    Parameters
    ----------
    name
        Of the section: weights, separation, board or people.
    source
        What it is computed from, and how, in a sentence.
    lines
        The figures.
    said
        What follows, in words.
    """

    name: str
    source: str
    lines: tuple[Line, ...]
    said: tuple[str, ...] = ()

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield a record a figure, then what is said and from what."""
        nothing = {"at": NAN, "of": "", "value": NAN, "low": NAN, "high": NAN}
        for line in self.lines:
            for record in line.records():
                yield {"section": self.name, **record}
        for name, texts in (("verdict", self.said), ("source", (self.source,))):
            for text in texts:
                yield {"section": self.name, "name": name, **nothing, "note": text}

    def line(self, name: str, at: float = NAN) -> Line:
        """Return a line by its name, and by what it is about.

        Raises
        ------
        KeyError
            If there is none.
        """
        for line in self.lines:
            if line.name == name and (line.at == at or math.isnan(at)):
                return line
        raise KeyError(name)
