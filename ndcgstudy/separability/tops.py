"""What two rankers show at the top of an ever longer list: labels that stay uncertain, or none.

An item at depth u (1 minus the quantile of its score) has a gain v with the probability p_v(u). At the
top, u -> 0, a gain is present where p_v(u) has a limit above 0 and vanishes where p_v(u) falls like
u^kappa. Labels are uncertain at the top where two gains or more are present, and certain where one is:
then all others are misses, whose share vanishes like u^kappa. Both are computed from the curves of a
generator: p_v at depths of 1e-11 and 1e-12, or where these are below the rounding of 1 - p, as deep as
digits go.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.gains import Gain
from ndcgstudy.synthetic.generator import Described

Floats = npt.NDArray[np.float64]
DEPTHS = 10.0 ** -np.arange(0.5, 12.1, 0.25)
STEP = 4  # of DEPTHS in a decade
FLAT, FALLS = 1e-6, 0.05  # an exponent below the first is that of a limit; above the other, of none
ROUNDED = 2.0**-53  # 1 - p is a multiple of it for p above 1/2
SAME = 1e-12
NEAR = 0.02  # exponents that differ by less may be one


@dataclass(frozen=True)
class Top:
    """The gains that one ranker shows at the top.

    Parameters
    ----------
    gains
        Those present, rising; none where the numbers do not tell.
    kappa
        The exponent of the share of all other gains, where one is present: infinite where it falls
        faster than any power; 0 where labels stay uncertain.
    expected
        The expected gain at the top.
    """

    gains: tuple[float, ...]
    kappa: float
    expected: float

    @property
    def certain(self) -> bool:
        """Whether one gain alone is left."""
        return len(self.gains) == 1


@dataclass(frozen=True)
class Tops:
    """The tops of two rankers, in their order, and how their curves of expected gain differ.

    Parameters
    ----------
    a, b
        The top of each ranker.
    alike
        The depth down to which both have one order.
    same
        Whether both have the same distribution of gains at every depth.
    """

    a: Top
    b: Top
    alike: float
    same: bool

    @property
    def certain(self) -> bool:
        """Whether the labels at the top of both become certain, and one gain."""
        return self.a.certain and self.a.gains == self.b.gains

    @property
    def known(self) -> bool:
        """Whether the numbers tell which gains are present."""
        return bool(self.a.gains and self.b.gains)

    @property
    def equal(self) -> bool:
        """Whether both expect the same gain at the top."""
        return abs(self.a.expected - self.b.expected) <= 1e-9

    @property
    def above(self) -> str:
        """Name the ranker none of whose gains at the top is below one of the other's, if any."""
        if not self.known or self.certain:
            return ""
        if self.a.gains[0] >= self.b.gains[-1]:
            return "A"
        return "B" if self.b.gains[0] >= self.a.gains[-1] else ""


def tops(pair: Described, gain: Gain) -> Tops:
    """Return what the first two rankers of a pair show at the top.

    Examples
    --------
    >>> from ndcgstudy.gains import Linear
    >>> from ndcgstudy.synthetic import Latent, Reference
    >>> found = tops(Reference(), Linear())
    >>> found.a.gains, found.certain
    ((0.0, 1.0), False)
    >>> found = tops(Latent(a=0.8, b=0.6), Linear())
    >>> found.a.gains, found.certain, found.a.kappa > found.b.kappa
    ((1.0,), True, True)
    """
    levels = np.asarray(gain(np.arange(pair.grades)), dtype=float)
    values, place = np.unique(levels, return_inverse=True)
    by_gain = np.eye(len(values))[:, place]
    curves = by_gain @ np.asarray(pair.curves(1 - DEPTHS), dtype=float)[:2]
    everywhere = by_gain @ np.asarray(pair.curves(np.linspace(0, 1, 1001)), dtype=float)[:2]
    apart = max(np.abs(part[0] - part[1]).max() for part in (curves, everywhere))
    a, b = (_top(values, curve) for curve in curves)
    return Tops(a, b, float(getattr(pair, "alike", 0.0)), bool(apart <= SAME))


def _top(values: Floats, curve: Floats) -> Top:
    """Judge one ranker by its probabilities (gains, depths)."""
    falls = [falling(chances) for chances in curve]
    expected = float(values @ curve[:, -1])
    if any(FLAT < fall < FALLS for fall in falls):
        return Top((), float("nan"), expected)
    present = [value for value, fall in zip(values.tolist(), falls, strict=True) if fall <= FLAT]
    if len(present) != 1:
        return Top(tuple(present), 0.0, expected)
    (only,) = present
    return Top((only,), falling(curve[values != only].sum(axis=0)), only)


def falling(chances: Floats) -> float:
    """Return kappa of chances at `DEPTHS` that fall like u^kappa; 0 for a limit above 0.

    Examples
    --------
    >>> round(falling(DEPTHS**1.5), 6), falling(0.4 - 0.3 * DEPTHS) < 1e-6, falling(0 * DEPTHS)
    (1.5, True, inf)
    """
    exact = (chances > 1e-290) & (chances % ROUNDED != 0)
    good = np.flatnonzero((chances > SAME) | exact)
    if len(good) <= STEP or good[-1] - STEP not in good:
        return float("inf")
    last = good[-1]
    if chances[last] <= SAME and not exact[last]:
        return float("inf")
    return float(np.log10(chances[last - STEP] / chances[last]))
