"""The rank weights and the gains that the answers ask for, each free of any named form."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.likelihood import Fit
from ndcgstudy.checks import number

if TYPE_CHECKING:
    from ndcgstudy.discounts import Discount
    from ndcgstudy.gains import Gain
    from ndcgstudy.preferences import Preferences

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ratios:
    """Slopes relative to one of them.

    Parameters
    ----------
    values, se, low, high
        (columns,): the ratios, their clustered standard errors and intervals. The unit itself is 1
        with no error; NaN where a column is 0 in every pair.
    """

    values: Floats
    se: Floats
    low: Floats
    high: Floats


def ratios(found: Fit, unit: int = 0, *, level: float = 0.95) -> Ratios:
    """Divide the slopes of a fit by one of them, with errors by the delta method.

    The variance of b_r / b_u is (V_rr - 2 q V_ru + q² V_uu) / b_u², q the ratio and V the clustered
    covariance of the slopes; the interval is that of t with as many degrees of freedom as there are
    clusters, less one.

    Raises
    ------
    ValueError
        If the answers are separated, or the slope of the unit is not above 0.

    Examples
    --------
    >>> from ndcgstudy.agreement.likelihood import fit
    >>> d = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [-1, 0], [0, -1], [0, -1]]
    >>> found = fit(d, [1, 1, 1, -1, 1, 1, -1, -1], range(8), ties="dropped")
    >>> ratios(found).values.round(2)
    array([1.  , 1.45])
    """
    from scipy.special import stdtrit

    number("level", level, above=0, below=1)
    slopes = found.slopes
    if found.separated:
        raise ValueError("the answers are separated: their slopes are infinite and have no ratio")
    if not slopes[unit] > 0:
        raise ValueError(
            f"column {unit + 1} of the difference is the unit and must have a slope above 0, "
            f"got {slopes[unit]:.4g}"
        )
    v = found.covariance[: slopes.size, : slopes.size]
    q = slopes / slopes[unit]
    variance = (np.diag(v) - 2 * q * v[unit] + q**2 * v[unit, unit]) / slopes[unit] ** 2
    se = np.sqrt(np.maximum(variance, 0.0))
    se[unit] = 0.0
    half = float(stdtrit(found.clusters - 1, (1 + level) / 2)) * se
    return Ratios(q, se, q - half, q + half)


def rank_gaps(preferences: "Preferences", gain: "Gain", cutoff: int | None = None) -> Floats:
    """Return the gain at each rank of list A minus that of list B, (rows, ranks).

    A slope a column, fitted by `fit`, is the weight of a rank.

    Examples
    --------
    >>> from ndcgstudy.formats.preferences import read_preferences
    >>> from ndcgstudy.gains import GAINS
    >>> pair = {"query": "q", "A_docs": ["x", "y"], "B_docs": ["y", "z"], "pref": "A"}
    >>> told = read_preferences([{**pair, "A_grades": [2, 0], "B_grades": [0, 1]}])
    >>> rank_gaps(told, GAINS.parse("linear")).tolist()
    [[2.0, -1.0]]
    """
    gains = preferences.lists.gains(gain, cutoff)[0]
    return np.asarray(gains[preferences.first] - gains[preferences.second])


def grade_gaps(
    preferences: "Preferences", discount: "Discount", cutoff: int | None = None
) -> tuple[Floats, Floats]:
    """Return the grades above 0, rising, and the discounted number of each in list A minus that in B.

    A slope a column, fitted by `fit`, is the gain of a grade.

    Returns
    -------
    grades, gaps
        (grades,) and (rows, grades).

    Examples
    --------
    >>> from ndcgstudy.discounts import DISCOUNTS
    >>> from ndcgstudy.formats.preferences import read_preferences
    >>> pair = {"query": "q", "A_docs": ["x", "y"], "B_docs": ["y", "z"], "pref": "A"}
    >>> told = read_preferences([{**pair, "A_grades": [2, 0], "B_grades": [0, 1]}])
    >>> [part.tolist() for part in grade_gaps(told, DISCOUNTS.parse("zipf"))]
    [[1.0, 2.0], [[-0.5, 1.0]]]
    """
    grade = preferences.lists.grade[0][:, :cutoff]
    grades = np.unique(grade[grade > 0])
    weights = discount(np.arange(1, grade.shape[1] + 1))
    counts = (grade[:, :, None] == grades).astype(float)
    sums = np.einsum("lrg,r->lg", counts, weights)
    return grades, np.asarray(sums[preferences.first] - sums[preferences.second])
