"""Cutoffs that may grow with the list: none, a rank k, a share c of the list, a power n^a."""

import re
from dataclasses import dataclass

from ndcgstudy.checks import number

_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+"
_FORM = re.compile(rf"(?:({_NUMBER})\s*\*?\s*)?(n?)(?:\s*(?:\^|\*\*)\s*({_NUMBER}))?")


@dataclass(frozen=True)
class Cutoff:
    """Count ranks up to k(n) = factor * n^exponent, rounded, at least 1 and at most n.

    Examples
    --------
    >>> [Cutoff.parse(text).of(10_000) for text in ("none", "10", "0.2n", "n^0.5")]
    [10000, 10, 2000, 100]
    >>> str(Cutoff.parse("0.2n"))
    '0.2n'
    """

    factor: float = 1.0
    exponent: float = 1.0

    def __post_init__(self) -> None:
        if self.exponent == 0 and (self.factor < 1 or self.factor % 1):
            raise ValueError(f"`cutoff` must be a whole rank at least 1, got {self.factor:g}")
        number("factor", self.factor, above=0)
        number("exponent", self.exponent, at_least=0)
        if self.exponent > 1 or (self.exponent == 1 and self.factor > 1):
            raise ValueError(f"`cutoff` must be at most n, got {self}")

    @property
    def whole(self) -> bool:
        """Whether every rank of the list counts."""
        return self.factor == self.exponent == 1

    @classmethod
    def parse(cls, value: "Cutoff | str | int | None") -> "Cutoff":
        """Read ``none``, ``10``, ``0.2n``, ``n^0.5`` or ``3n^0.5``.

        Raises
        ------
        ValueError
            If the text is none of these, or the cutoff could lie beyond n.
        """
        if isinstance(value, Cutoff):
            return value
        text = "none" if value is None else str(value).strip()
        if text == "none":
            return cls()
        match = _FORM.fullmatch(text)
        if not match or not text or (match[3] and not match[2]):
            raise ValueError(f"`cutoff` must be none, a rank, 0.2n or n^0.5, got {text!r}")
        exponent = float(match[3] or 1) if match[2] else 0.0
        return cls(float(match[1] or 1), exponent)

    def of(self, n: int) -> int:
        """Return the cutoff in a list of n items.

        Raises
        ------
        ValueError
            If a fixed rank lies beyond n.
        """
        if self.exponent == 0 and self.factor > n:
            raise ValueError(f"`cutoff` must be at most n = {n}, got {self}")
        return n if self.whole else min(max(round(self.factor * float(n) ** self.exponent), 1), n)

    def __str__(self) -> str:
        if self.whole:
            return "none"
        if self.exponent == 0:
            return f"{self.factor:.0f}"
        power = "" if self.exponent == 1 else f"^{self.exponent:g}"
        return ("" if self.factor == 1 else f"{self.factor:g}") + "n" + power
