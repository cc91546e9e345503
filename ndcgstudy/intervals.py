"""Intervals for shares and for values that have ends."""

from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def wilson(successes: Any, trials: Any, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return the score interval of a binomial share (Wilson 1927, Probable inference).

    With z the normal quantile and p = successes/trials, the interval is
    (p + z²/2m ± z sqrt(p(1-p)/m + z²/4m²)) / (1 + z²/m) for m trials; it keeps its width where
    p is 0 or 1.

    Parameters
    ----------
    successes, trials
        Counts, arrays that broadcast against each other; trials at least 1.
    level
        The confidence level, in (0, 1).

    Examples
    --------
    >>> low, high = wilson(160, 252)
    >>> round(float(low), 3), round(float(high), 3)
    (0.574, 0.692)
    """
    m = np.asarray(trials, dtype=float)
    return _score(np.asarray(successes, dtype=float) / m, m, NormalDist().inv_cdf((1 + level) / 2))


def _score(p: Floats, m: Floats, z: Any) -> tuple[Floats, Floats]:
    middle = p + z**2 / (2 * m)
    half = z * np.sqrt(p * (1 - p) / m + z**2 / (4 * m**2))
    scale = 1 + z**2 / m
    low, high = (middle - half) / scale, (middle + half) / scale
    return np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high)


def clustered(
    share: Any, error: Any, trials: Any, clusters: Any, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the score interval of a share whose trials come in clusters, NaN of one cluster.

    It is `wilson` for m = p(1 - p)/error² trials, with the t quantile of clusters - 1 degrees of freedom
    for z (Korn and Graubard 1998, Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data). m is at most the number of trials; where p is 0 or 1 or
    the clusters agree, at most the number of clusters.

    Parameters
    ----------
    share, error
        The share p and its standard error.
    trials, clusters
        How many there are.
    level
        The confidence level, in (0, 1).

    Examples
    --------
    >>> low, high = clustered(0.8, 0.1, 40, 10)
    >>> round(float(low), 3), round(float(high), 3)
    (0.517, 0.937)
    """
    from scipy.special import stdtrit

    p, error, trials, clusters = (
        np.asarray(x, dtype=float) for x in np.broadcast_arrays(share, error, trials, clusters)
    )
    known = (clusters > 1) & (trials > 0) & np.isfinite(p)
    degrees = np.where(known, clusters - 1, 1)
    varies = (error > 0) & (p > 0) & (p < 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        m = np.where(varies, p * (1 - p) / error**2, clusters)
    m = np.where(known, np.minimum(m, trials), 1)
    bounds = _score(p, m, stdtrit(degrees, (1 + level) / 2))
    low, high = (np.where(known, bound, np.nan) for bound in bounds)
    return low, high


def around(
    value: Any, error: Any, freedom: Any, level: float, least: float, ends: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Return value -+ t error, no narrower than `least` each way, cut at the ends of what can be.

    Parameters
    ----------
    freedom
        Degrees of freedom of the error, at least 1.
    least
        Half the step of a value that has steps, as a continuity correction.
    ends
        The least and the most that the value may be.

    Examples
    --------
    >>> low, high = around(0.9, 0.05, 20, 0.95, 0.01, (-1, 1))
    >>> round(float(low), 3), round(float(high), 3)
    (0.796, 1.0)
    """
    from scipy.special import stdtrit

    value = np.asarray(value, dtype=float)
    half = np.maximum(stdtrit(np.maximum(freedom, 1), (1 + level) / 2) * np.asarray(error), least)
    return np.maximum(value - half, ends[0]), np.minimum(value + half, ends[1])
