"""How many pairs it takes to tell two measures apart, by counts and by likelihood.

Two measures mostly point to the same list. By counts only the pairs on which one is right and the other
is not can tell them apart (McNemar 1947, Note on the sampling error of the difference between
correlated proportions), and these are rare; the likelihood also uses by how much they differ.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.davidson import cluster_sums
from ndcgstudy.agreement.heldout import Lead
from ndcgstudy.checks import number

Floats = npt.NDArray[np.float64]

_MOST = 10**12
_STEPS = 4000


@dataclass(frozen=True)
class Opposition:
    """On how many pairs just one of two measures is right, and which.

    Parameters
    ----------
    pairs, opposed, first_right
        All pairs, those on which just one measure is right, and those of them where it is the first.
    design
        The variance of the difference of the two counts with clusters over that of independent
        pairs; NaN of one cluster or where the measures are right on the same pairs.
    """

    pairs: int
    opposed: int
    first_right: int
    design: float

    @property
    def share(self) -> float:
        """The share of the pairs on which just one measure is right."""
        return self.opposed / self.pairs

    @property
    def split(self) -> float:
        """The share of these on which it is the first; NaN where there are none."""
        return self.first_right / self.opposed if self.opposed else math.nan


def opposition(first_right: Any, second_right: Any, cluster: Any) -> Opposition:
    """Count the pairs on which just one of two measures is right.

    Parameters
    ----------
    first_right, second_right
        (pairs,): whether each measure points to the list that was preferred.
    cluster
        (pairs,): labels, e.g. the query.

    Raises
    ------
    ValueError
        If there is no pair or the shapes differ.

    Examples
    --------
    >>> found = opposition([1, 1, 0, 1], [1, 0, 1, 0], ["q1", "q1", "q2", "q3"])
    >>> found.opposed, found.first_right
    (3, 2)
    """
    first, second = np.asarray(first_right, dtype=bool), np.asarray(second_right, dtype=bool)
    groups = np.asarray(cluster)
    if not (first.shape == second.shape == groups.shape and first.ndim == 1 and first.size):
        shapes = first.shape, second.shape, groups.shape
        raise ValueError(f"all columns must have one entry a pair, at least one, got {shapes}")
    apart = first.astype(float) - second
    deviations, labels = apart - apart.mean(), np.unique(groups, return_inverse=True)[1]
    g, alone = int(labels.max()) + 1, float(np.sum(deviations**2))
    sums = cluster_sums(deviations[:, None], labels)
    design = g / (g - 1) * float(np.sum(sums**2)) / alone if g > 1 and alone else math.nan
    return Opposition(
        len(apart), int(np.sum(first != second)), int(np.sum(first & ~second)), design
    )


def power(
    pairs: int, share: float, split: float, *, level: float = 0.05, design: float = 1.0
) -> float:
    """Return the probability that the exact McNemar test finds the first measure better.

    Of m = pairs/design independent pairs, Binomial(m, share) oppose the measures; of d such,
    Binomial(d, split) are for the first. The test doubles the smaller tail of Binomial(d, 1/2).

    Parameters
    ----------
    share
        The share of pairs on which just one measure is right, in (0, 1].
    split
        The share of these on which it is the first, in [0, 1].
    design
        The design effect of the clusters, at least that of independent pairs where it is 1.

    Raises
    ------
    ValueError
        If a parameter is outside its range.

    Examples
    --------
    >>> round(power(2000, 0.02, 0.7), 3)
    0.675
    """
    _check(share, split, level, design)
    number("pairs", pairs, at_least=1, whole=True)
    return _power(max(1, round(pairs / design)), share, split, level)


def pairs_needed(
    share: float, split: float, *, power: float = 0.8, level: float = 0.05, design: float = 1.0
) -> int:
    """Return from how many pairs on the exact McNemar test finds the first measure better.

    Other parameters as in `power`.

    Parameters
    ----------
    split
        Above 1/2: the first measure is the better one.
    power
        The probability wanted, in (0, 1).

    Raises
    ------
    ValueError
        If a parameter is outside its range, or more than 10^12 pairs would be needed.

    Examples
    --------
    >>> pairs_needed(0.02, 0.7)
    2589
    """
    _check(share, split, level, design)
    number("split", split, above=0.5)
    number("power", power, above=0, below=1)
    z = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(power)
    about = ((z[0] + 2 * z[1] * math.sqrt(split * (1 - split))) / (2 * split - 1)) ** 2 / share
    low, high = 1, max(2, math.ceil(about))
    while _power(high, share, split, level) < power:
        low, high = high, 2 * high
        if high > _MOST:
            raise ValueError(f"more than {_MOST:.0e} pairs would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        enough = _power(middle, share, split, level) >= power
        low, high = (low, middle) if enough else (middle, high)
    return math.ceil(high * design)


def pairs_needed_for(found: Lead, *, power: float = 0.8, level: float = 0.05) -> int:
    """Return how many pairs, clustered as they were, would tell a mean of this size from 0.

    With z the normal quantiles, it is m ((z_(1 - level/2) + z_power) se / mean)² for the m pairs that
    were seen. So it rests on the mean that was seen: where this is within its error of 0, so is the
    number without a bound.

    Raises
    ------
    ValueError
        If the mean is 0, its error is unknown, or more than 10^12 pairs would be needed.

    Examples
    --------
    >>> pairs_needed_for(Lead(0.002, 0.001, 0.0, 0.004, 1000, 100))
    1963
    """
    number("power", power, above=0, below=1)
    number("level", level, above=0, below=1)
    if not (found.mean and found.se >= 0):
        raise ValueError(f"`found` must have a mean other than 0 and an error, got {found}")
    quantiles = NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)
    needed = found.pairs * (quantiles * found.se / found.mean) ** 2
    if needed > _MOST:
        raise ValueError(f"more than {_MOST:.0e} pairs would be needed")
    return max(1, math.ceil(needed))


def _power(pairs: int, share: float, split: float, level: float) -> float:
    from scipy.stats import binom

    middle, spread = pairs * share, math.sqrt(pairs * share * (1 - share))
    low, high = max(0, math.floor(middle - 9 * spread)), math.ceil(middle + 9 * spread)
    steps = min(min(high, pairs) - low + 1, _STEPS)  # of very many counts a part will do
    opposed = np.unique(np.linspace(low, min(high, pairs), steps).round())
    chance = binom.pmf(opposed, pairs, share)
    lost = binom.ppf(level / 2, opposed, 0.5)
    lost -= binom.cdf(lost, opposed, 0.5) > level / 2 * (1 + 1e-12)
    found = binom.cdf(lost, opposed, 1 - split)
    return float(np.sum(chance * found) / np.sum(chance))


def _check(share: float, split: float, level: float, design: float) -> None:
    number("share", share, above=0)
    number("split", split, at_least=0)
    number("level", level, above=0, below=1)
    number("design", design, above=0)
    for name, value in (("share", share), ("split", split)):
        if value > 1:
            raise ValueError(f"`{name}` must be at most 1, got {value!r}")
