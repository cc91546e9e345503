"""Mean and central moments of a sample, computed in blocks and merged."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

SEEN = 10
_LEAST = 1e-150  # its square, a fourth power of deviations, is still a normal number


@dataclass(frozen=True, eq=False)
class Moments:
    """Count, mean and sums of the 2nd to 4th powers of deviations from the mean, in equal shapes.

    Central sums, not sums of powers, so that nothing is lost where the mean is many deviations
    from 0.

    Examples
    --------
    >>> whole = Moments.of(np.array([1.0, 2.0, 4.0, 9.0]))
    >>> parts = [Moments.of(np.array([1.0, 2.0])), Moments.of(np.array([4.0, 9.0]))]
    >>> merged = Moments.pool(*np.transpose([(m.count, m.mean, m.m2, m.m3, m.m4) for m in parts]))
    >>> float(merged.mean), bool(np.isclose(merged.z, whole.z))
    (4.0, True)
    """

    count: Floats
    mean: Floats
    m2: Floats
    m3: Floats
    m4: Floats

    @classmethod
    def of(cls, values: Floats) -> "Moments":
        """Take the moments over the first axis."""
        none = np.zeros(values.shape)
        return cls.pool(np.ones(values.shape), values, none, none, none)

    @classmethod
    def pool(cls, count: Any, mean: Any, m2: Any, m3: Any, m4: Any) -> "Moments":
        """Merge blocks along the first axis (Pébay 2008, Formulas for robust, one-pass moments)."""
        total = np.sum(count, axis=0)
        centre = np.sum(count * mean, axis=0) / total
        d = mean - centre
        return cls(
            total,
            centre,
            np.sum(m2 + count * d**2, axis=0),
            np.sum(m3 + 3 * d * m2 + count * d**3, axis=0),
            np.sum(m4 + 4 * d * m3 + 6 * d**2 * m2 + count * d**4, axis=0),
        )

    @property
    def z(self) -> Floats:
        """Mean over standard deviation (with count - 1); NaN where nothing varies."""
        variance = np.where(self.m2 > 0, self.m2, np.nan) / (self.count - 1)
        return np.asarray(self.mean / np.sqrt(variance))

    @property
    def z_se(self) -> Floats:
        """Standard error of `z` by the delta method: sqrt((1 - z g + z² (k - 1)/4) / count).

        g is the skewness and k the kurtosis; for a normal sample this is sqrt((1 + z²/2) / count).
        NaN where nothing varies, or by so little that fourth powers leave the range of a double, and
        where fewer than `SEEN` values make up the variance, count/k: rare large values then decide it,
        and a sample does not tell how many there are.
        """
        variance = self.m2 / self.count
        variance = np.where(variance > _LEAST, variance, np.nan)
        skewness = self.m3 / self.count / variance**1.5
        kurtosis = self.m4 / self.count / variance**2
        spread = 1 - self.z * skewness + self.z**2 * (kurtosis - 1) / 4
        return np.sqrt(
            np.where(self.count >= SEEN * kurtosis, np.maximum(spread, 0), np.nan) / self.count
        )
