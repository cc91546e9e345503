"""How z grows with the list, by the draws alone: a description.

The critical rate is z = log n, whose exponent d log z / d log n is 1/log n. The exponent over the largest
decades has an interval above that of log(n/10) (faster than critical, however late z starts to grow),
below 1/log n (slower), around them but above 0 (like critical), or does not tell.
"""

from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

DECADES = 3.0  # the exponent is measured over the last so many
LEVEL = 1.96
LATE = 10.0  # 1/r has z like log(n/4): in finite lists its exponent lies above that of log n


class Growth(StrEnum):
    """The growth of z against the critical rate log n."""

    FASTER = "faster than log n"
    LIKE = "like log n"
    SLOWER = "slower than log n"
    UNKNOWN = "not measured"


def growth_of(rows: "pd.DataFrame") -> tuple[Growth, tuple[float, float, float]]:
    """Return how z grows, and its exponent with the interval."""
    exponent, low, high = exponent_of(rows)
    return _growth(exponent, low, high, _span(rows["n"])), (exponent, low, high)


def exponent_of(rows: "pd.DataFrame") -> tuple[float, float, float]:
    """Return the exponent of z over the largest decades, and its 95% interval.

    The slope of log |z| over log n by weighted least squares, weights from the standard errors of z,
    taken as independent: right for lists drawn apart; the errors of nested prefixes go together, so
    that the interval is too wide. NaN where z is within two standard errors of 0, has none, or lies above
    what is expected by more than a quarter and three standard errors (the spread is made up by gaps too
    rare for the replicates), or there are fewer than two n.
    """
    nothing = float("nan"), float("nan"), float("nan")
    rows = rows[rows["n"] >= rows["n"].max() / 10**DECADES * 0.99]
    z, error = rows["z"].abs().to_numpy(dtype=float), rows["z_se"].to_numpy(dtype=float)
    if len(rows) < 2 or not (np.isfinite(z) & np.isfinite(error) & (z > 2 * error)).all():
        return nothing
    if (
        "expected_z" in rows
        and _narrow(z, error, rows["expected_z"].abs().to_numpy(dtype=float)).any()
    ):
        return nothing
    x, y = np.log(rows["n"].to_numpy(dtype=float)), np.log(z)
    weights = (z / np.maximum(error, 1e-12 * z)) ** 2
    x = x - np.average(x, weights=weights)
    scatter = float(weights @ x**2)
    slope, half = float(weights @ (x * y)) / scatter, LEVEL / scatter**0.5
    return slope, slope - half, slope + half


def _narrow(z: Floats, error: Floats, expected: Floats) -> npt.NDArray[np.bool_]:
    """Say where the replicates spread less than the law they are drawn from."""
    return (z > 1.25 * expected) & (z - expected > 3 * error)


def _span(ns: "pd.Series[Any]") -> tuple[float, float]:
    """Return the first and last n over which the exponent is measured."""
    last = float(ns.max())
    return float(ns[ns >= last / 10**DECADES * 0.99].min()), last


def _growth(exponent: float, low: float, high: float, span: tuple[float, float]) -> Growth:
    """Compare an exponent with those of log n and of log(n/10) over the same range of n."""
    if not np.isfinite(exponent):
        return Growth.UNKNOWN
    first, last = np.log(span)
    critical = np.log(last / first) / (last - first)
    if low > _latest(first, last):
        return Growth.FASTER
    if high < critical:
        return Growth.SLOWER
    return Growth.LIKE if low > 0 else Growth.UNKNOWN


def _latest(first: float, last: float) -> float:
    """Return the exponent of log n from a late start, n = 10, between two logarithms of n."""
    late = np.log(LATE)
    if first <= late:
        return float("inf")
    return float(np.log((last - late) / (first - late)) / (last - first))
