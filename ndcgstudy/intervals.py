"""Intervals for shares."""

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
    p = np.asarray(successes, dtype=float) / m
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = p + z**2 / (2 * m)
    half = z * np.sqrt(p * (1 - p) / m + z**2 / (4 * m**2))
    scale = 1 + z**2 / m
    low, high = (middle - half) / scale, (middle + half) / scale
    return np.where(p == 0, 0.0, low), np.where(p == 1, 1.0, high)
