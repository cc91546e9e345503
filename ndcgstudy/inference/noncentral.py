"""Power of the paired t-test, and what solves for its topics and its gap."""

from collections.abc import Callable

import numpy as np

from ndcgstudy.data import Floats

MOST = 10_000_000  # topics beyond which a plan is none


def t_power(
    gap: "Floats | float", sd: "Floats | float", topics: int, critical: "Floats | float"
) -> Floats:
    """Return the probability that |t| reaches a critical value.

    t has the noncentral law of T - 1 degrees of freedom and noncentrality gap sqrt(T)/sd.

    Parameters
    ----------
    gap, sd
        True mean and standard deviation over topics of the difference; where sd is 0 there is no t and
        no gap is found.
    critical
        The value that |t| must reach; no gap is found where it is infinite.

    Examples
    --------
    >>> round(float(t_power(0.5, 1.0, 34, 2.0345)), 3)
    0.808
    """
    from scipy.stats import nct

    gap, sd, c = np.broadcast_arrays(np.abs(gap), np.asarray(sd, dtype=float), critical)
    found = np.zeros(gap.shape)
    some = (sd > 0) & np.isfinite(c)
    centre = np.minimum(gap[some] * topics**0.5 / sd[some], 1e3)  # 1 to the last digit from there
    found[some] = nct.sf(c[some], topics - 1, centre) + nct.sf(c[some], topics - 1, -centre)
    return np.asarray(np.minimum(found, 1.0))


def topics_for(gap: float, sd: float, critical: Callable[[int], float], power: float) -> float:
    """Return the fewest topics, two at least, that find a gap with a power; infinite beyond `MOST`."""
    if _short(gap, sd, critical, power, MOST):
        return float("inf")
    low, high = 1, MOST  # too few, enough
    while high - low > 1:
        middle = int((low * high) ** 0.5) if high > 4 * low else (low + high) // 2
        if _short(gap, sd, critical, power, middle):
            low = middle
        else:
            high = middle
    return float(high)


def _short(
    gap: float, sd: float, critical: Callable[[int], float], power: float, topics: int
) -> bool:
    return topics < 2 or bool(t_power(gap, sd, topics, critical(topics)) < power)


def gap_for(topics: int, sd: float, critical: float, power: float) -> float:
    """Return the smallest gap that a number of topics finds with a power above that of no gap.

    It is infinite where nothing varies, so that there is no t, and where the critical value is.
    """
    from scipy.optimize import brentq

    if sd == 0 or not np.isfinite(critical):
        return float("inf")
    unit = topics**-0.5  # of a gap whose sd is 1 and noncentrality 1
    reach = critical + 1.0
    while t_power(reach * unit, 1.0, topics, critical) < power:
        reach *= 2
    centre = brentq(lambda x: float(t_power(x * unit, 1.0, topics, critical)) - power, 0, reach)
    return float(centre * unit * sd)
