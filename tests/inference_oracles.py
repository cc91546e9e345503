"""Tests of paired differences by enumeration, as their definitions read: slow, and plain."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
NEAR = 1e-9


def share(null: Floats, observed: float, alternative: str) -> float:
    """Return the share of a null distribution that is as extreme as what was observed."""
    if alternative == "less":
        null, observed = -null, -observed
    if alternative == "two-sided":
        null, observed = np.abs(null), abs(observed)
    return float(np.mean(null >= observed - NEAR))


def all_flips(topics: int) -> Floats:
    """Return every sign pattern, shape (2^topics, topics)."""
    return np.array(list(itertools.product([-1.0, 1.0], repeat=topics)))


def randomisation(d: Floats, alternative: str) -> float:
    return share(all_flips(d.size) @ d, float(d.sum()), alternative)


def signed_rank(d: Floats, alternative: str, *, keep_zeros: bool) -> float:
    """Enumerate the signs of the mid-ranks; the null is symmetric around its middle."""
    d = np.round(d, 12)
    if not keep_zeros:
        d = d[d != 0]
    sizes = np.abs(d)
    ranks = np.array([(sizes < x).sum() + ((sizes == x).sum() + 1) / 2 for x in sizes])
    ranks = np.where(sizes == 0, 0.0, ranks)
    return share(all_flips(d.size) @ ranks, float(np.sign(d) @ ranks), alternative)


def mean_of(x: Floats) -> float:
    return float(x.mean())


def t_of(x: Floats) -> float:
    """Return t, 0 where neither a mean nor a spread is left."""
    mean, spread = float(x.mean()), float(x.std(ddof=1))
    if abs(mean) < NEAR:
        return 0.0
    return mean / spread * math.sqrt(x.size) if spread > NEAR else math.copysign(math.inf, mean)


def bootstrap(d: Floats, alternative: str, statistic: Callable[[Any], float]) -> float:
    """Take all T^T resamples of the differences less their mean."""
    centred = d - d.mean()
    null = [statistic(np.array(x)) for x in itertools.product(centred, repeat=d.size)]
    return share(np.array(null), statistic(d), alternative)
