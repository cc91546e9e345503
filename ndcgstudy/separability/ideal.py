"""The ideal DCG of a list whose number of items by grade is random.

I = sum over grades j of (gain_j - gain_(j-1)) S(N_j), N_j the number of items of grade j or more and S
the sum of D over the counted ranks. Its law is summed over every way in which n items can have their
grades while these are at most `WAYS`; beyond, 1/I is expanded to second order, and off by about
3 cv(I)^4, where cv(I)^2 is of order 1/n: below 1e-4 for two grades and 0.01 for five.
"""

import functools
from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
WAYS = 100_000


@dataclass(frozen=True, eq=False)
class Ideal:
    """Mean and inverse of the ideal DCG I.

    Parameters
    ----------
    mean
        E[I].
    inverse
        E[1/I], with 1/I = 0 where nothing is relevant.
    response
        By how much E[X/I] rises with the covariance of X and each N_j, (grades - 1,).
    slopes
        By how much I rises with each N_j.
    """

    mean: float
    inverse: float
    response: Floats
    slopes: Floats


def ideal(
    n: int, cutoff: int, rises: Floats, shares: Floats, sums: Floats, ends: Floats, weigh: Discount
) -> Ideal:
    """Return the ideal of a discount.

    Parameters
    ----------
    rises
        By how much gain rises from one grade to the next, (grades - 1,).
    shares
        P(grade >= j), j from 1.
    sums, ends
        E[S(N_j)], and E[D] at the rank that ends grade j.
    """
    mean, slopes = float(rises @ sums), rises * ends
    if mean <= 0:
        return Ideal(0.0, 0.0, 0 * slopes, slopes)
    least = np.minimum.outer(shares, shares)
    variance = n * (least - np.multiply.outer(shares, shares))
    if comb(n + len(shares), len(shares)) <= WAYS:
        return Ideal(mean, *_exact(n, cutoff, rises, shares, variance, weigh), slopes)
    cv2 = float(slopes @ variance @ slopes) / mean**2
    return Ideal(mean, (1 + cv2) / mean, -slopes / mean**2, slopes)


def _exact(
    n: int, cutoff: int, rises: Floats, shares: Floats, variance: Floats, weigh: Discount
) -> tuple[float, Floats]:
    """Return E[1/I] and the regression of 1/I on the N_j, over all ways to have grades."""
    counts, chances = ways(n, tuple(shares.tolist()))
    weights = np.asarray(weigh(np.arange(1, n + 1)), dtype=float) * (np.arange(n) < cutoff)
    sums = np.append(0.0, np.cumsum(weights))
    value = sums[counts] @ rises
    inverse = np.divide(1, value, out=np.zeros(len(value)), where=value > 0)
    together = chances @ ((counts - n * shares) * inverse[:, None])
    return float(chances @ inverse), np.linalg.pinv(variance, hermitian=True) @ together


@functools.lru_cache(maxsize=8)
def ways(n: int, shares: tuple[float, ...]) -> tuple[Ints, Floats]:
    """Return N_j of every way, (ways, grades - 1), and its chance."""
    from scipy.special import gammaln, xlogy

    counts = np.arange(n + 1)[:, None]  # N_1, then N_2 up to N_1, and so on
    for _ in shares[1:]:
        inner = counts[:, -1] + 1
        starts = np.repeat(np.cumsum(inner) - inner, inner)
        lower = np.arange(inner.sum()) - starts
        counts = np.column_stack([np.repeat(counts, inner, axis=0), lower])
    bounds = np.array([1.0, *shares, 0.0])
    wide = np.column_stack([np.full(len(counts), n), counts, np.zeros(len(counts), dtype=int)])
    each = wide[:, :-1] - wide[:, 1:]
    shares_each = np.maximum(bounds[:-1] - bounds[1:], 0)
    logs = gammaln(n + 1) - gammaln(each + 1).sum(axis=1) + xlogy(each, shares_each).sum(axis=1)
    return counts, np.exp(logs)
