"""How fast a discount separates: the predicted growth of z, by name or from the discount's numbers.

With S(k) and Q(k) the sums of D and of D^2 over the ranks counted, the mean gap of two rankers whose
top items differ grows like S(k) and its standard deviation like sqrt(Q(k)), or like the sqrt(k) D(k)
of the smooth part where that is larger; so z grows like S(k)/sqrt(Q(k)). For D = r^-b (log r)^-a:

    b < 1/2                 sqrt(k)
    b = 1/2                 sqrt(k/log k) where a = 0
    1/2 < b < 1             k^(1-b) (log k)^-a
    b = 1, a < 1            (log k)^(1-a)
    b = 1, a = 1            log log k
    beyond                  constant: the sum of D is bounded, z stops

On a full list D and aD + b order two rankers alike, so the rate is that of D - lim D; a constant
discount only ties. Wang et al. (2013, Theorems 6, 8, 10) prove the two ends of this.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import (
    JK2002,
    Constant,
    Discount,
    Geometric,
    Linear,
    Log2,
    LogLog,
    Power,
    Table,
    Zipf,
)
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.sums import ONE, tail

Floats = npt.NDArray[np.float64]

NEAR = 0.02  # how far a fit of log D may be off
BORDER = 1e-3  # a fitted exponent as near to 1, but not 1, does not tell
FLAT = 1e-3  # a discount that falls by no more from rank 1e6 to 1e15 has a limit above 0
UNRESOLVED = "not resolved"


@dataclass(frozen=True)
class Decay:
    """D(r) - limit = r^-beta (log r)^-log for large r.

    Parameters
    ----------
    beta
        Infinite for a discount that falls faster than every power or is 0 from some rank on; NaN
        where the numbers do not tell.
    log
        The power of the logarithm.
    limit
        lim D: what remains at the deepest ranks.
    unbounded
        Whether the sum of D - limit has no bound; None where that is not resolved.
    exact
        Whether this is known by name, not fitted.
    """

    beta: float
    log: float = 0.0
    limit: float = 0.0
    unbounded: bool | None = True
    exact: bool = True

    @property
    def diverges(self) -> bool | None:
        """Whether the sum of D has no bound; None where that is not resolved."""
        return True if self.limit > 0 else self.unbounded


@dataclass(frozen=True)
class Rate:
    """The predicted growth of z.

    Parameters
    ----------
    law
        In words of n, as ``sqrt(n)``, ``n^0.2``, ``log n``, ``constant``, ``ties`` or
        ``not resolved``.
    exponent
        The limit of d log z / d log n; NaN where z is not defined or the law not known.
    separates
        Whether z grows without bound; None where that is not resolved.
    decay
        What the law is derived from.
    fixed
        Whether ranks are counted down to a fixed one only.
    """

    law: str
    exponent: float
    separates: bool | None
    decay: Decay
    fixed: bool = False

    @property
    def critical(self) -> bool:
        """Whether z grows, but more slowly than any power of n."""
        return bool(self.separates and self.exponent == 0)


def decay(discount: Discount) -> Decay:
    """Return how a discount falls: by name, else from its values at ranks 1e6 to 1e15.

    Examples
    --------
    >>> decay(Power(beta=0.5)).beta
    0.5
    >>> decay(lambda r: r**-1.5).diverges
    False
    """
    return _named(discount) or _fitted(discount)


def rate(discount: Discount, *, cutoff: Cutoff | str | int | None = None) -> Rate:
    """Predict how z grows with n for two rankers whose top items differ.

    Examples
    --------
    >>> [rate(Power(beta=b)).law for b in (0.25, 0.5, 0.75, 1, 1.5)]
    ['sqrt(n)', 'sqrt(n/log n)', 'n^0.25', 'log n', 'constant']
    >>> rate(Log2(), cutoff=10).law
    'constant'
    """
    cut = Cutoff.parse(cutoff)
    found = decay(discount)
    if cut.exponent == 0:
        return Rate("constant", 0.0, False, found, fixed=True)
    if found.limit > 0 and not cut.whole:
        found = Decay(0.0, exact=found.exact)
    if found.limit > 0 and found.beta == 0:
        return Rate("ties", float("nan"), False, found)
    if found.unbounded is None:
        return Rate(UNRESOLVED, float("nan"), None, found)
    law, exponent = _law(found.beta, found.log, "n" if cut.exponent == 1 else f"n^{cut.exponent:g}")
    return Rate(law, exponent * cut.exponent, found.unbounded, found)


def _law(beta: float, log: float, k: str) -> tuple[str, float]:
    """Return the growth of S(k)/sqrt(Q(k)) in words, and its exponent."""
    if beta < 0.5:
        return f"sqrt({k})", 0.5
    if beta == 0.5:
        return (f"sqrt({k}/log {k})" if log == 0 else f"sqrt({k}) times logarithms"), 0.5
    if beta < 1:
        logs = "" if log == 0 else f" (log {k})^{-log:.2g}"
        return f"({k})^{1 - beta:.3g}{logs}".replace("(n)", "n"), 1 - beta
    if beta > 1 or log > 1:
        return "constant", 0.0
    if log == 1:
        return f"log log {k}", 0.0
    return (f"log {k}" if log == 0 else f"(log {k})^{1 - log:.2g}"), 0.0


_FAST = Decay(float("inf"), unbounded=False)
KNOWN: dict[type, Decay] = {
    Constant: Decay(0.0, limit=1.0),
    Log2: Decay(0.0, 1.0),
    JK2002: Decay(0.0, 1.0),
    LogLog: Decay(0.0),
    Zipf: Decay(1.0),
    **dict.fromkeys((Geometric, Linear, Table), _FAST),
}


def _named(discount: Discount) -> Decay | None:
    if isinstance(discount, Power):
        limit = 0.0 if discount.beta > 0 else 1.0
        return Decay(float(discount.beta), limit=limit, unbounded=discount.beta <= 1)
    return KNOWN.get(type(discount))


def _fitted(discount: Discount) -> Decay:
    """Judge from numbers: by `tail`, or, where D has a limit, by what is above it at ranks 1 to 1e5."""
    early, last = np.asarray(discount(np.array([10**6, 10**15])), dtype=float)
    if last > 0 and early / last < 1 + FLAT:
        return _above(discount, float(last))
    found = tail(discount)
    if found.misfit > NEAR:
        return Decay(float("nan"), unbounded=None, exact=False)
    return Decay(_snapped(found.power), _snapped(found.log_power), 0.0, found.diverges, False)


def _above(discount: Discount, limit: float) -> Decay:
    """Fit log(D - limit) = c - beta log r; where it is gone by rank 1e5 its sum is bounded."""
    ranks = np.array([1, *np.geomspace(10, 10**5, 9).round()])
    weights = np.asarray(discount(ranks.astype(np.int64)), dtype=float) - limit
    if weights[0] <= 1e-12 * limit:
        return Decay(0.0, 0.0, limit, exact=False)
    if weights[-1] <= 1e-12 * limit:
        return Decay(float("inf"), 0.0, limit, False, False)
    logs = np.log(ranks[1:])
    slope, start = np.polyfit(logs, np.log(weights[1:]), 1)
    if np.abs(slope * logs + start - np.log(weights[1:])).max() > NEAR:
        return Decay(float("nan"), 0.0, limit, None, False)
    beta = _snapped(-float(slope))
    near = beta != 1 and abs(beta - 1) < BORDER
    return Decay(beta, 0.0, limit, None if near else beta <= 1, False)


def _snapped(exponent: float) -> float:
    """Return 0, 1/2, 1 or 2 for what is as near as a fit is exact."""
    return next((x for x in (0.0, 0.5, 1.0, 2.0) if abs(exponent - x) < ONE), exponent)
