"""The t interval of one gap whose variance is smoothed by topics that were not seen.

Two systems that differ on few topics have a gap whose variance is unknown until these topics are in the
sample: on most samples of 25 topics out of 76, of which 2 differ, the variance is 0 or far too small.
Pseudo-topics, on which the two systems differ as unrelated ones would, are added to the variance and
fade as differing topics are seen. What is known of the pair alone is enough: other systems have no say.
"""

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.intervals import t_interval
from ndcgstudy.inference.methods import Bounds, Task, means_and_variances
from ndcgstudy.inference.samples import Sample

PSEUDO = 4.0  # pseudo-topics, where no differing topic was seen
SEEN, SHARE, POWER = 5.0, 1 / 8, 1.5  # how they fade with the number and the share that differ
FEW = (
    0.1,
    0.2,
)  # the share that differ: below the first a pair is a near-duplicate, above the second none
NEAR = 0.01, 0.05  # the same of the variance of its gap over that of two unrelated systems


def smoothed(task: Task) -> Bounds:
    """Return gap ± t s' and the p-value of gap/s', with s'² = s² + g a (v_i/f_i + v_j/f_j).

    s² is the estimated variance of the gap, v_i that of a system's mean with f_i degrees of freedom, and
    a the number of `pseudo_topics`. g is 1 for near-duplicates, and 0 for ordinary pairs, which get the
    t interval: `near_duplicate`. On T topics of one collection v_i/f_i is var_i/(T (T - 1)): each
    pseudo-topic adds the squares of two unrelated scores. Where s' is 0 the interval has no ends.
    """
    sample, (first, second) = task.sample, task.family.pairs
    gaps, variances = means_and_variances(task)
    own = sample.moments(sample.centred(sample.values))[1][:, 0]
    each, topics = own / sample.freedom(sample.values), units(sample)
    differing = np.concatenate([effective(sample.contributions(d)) for d in task.blocks()])
    g = near_duplicate(differing / topics, variances, own[first] + own[second])
    added = g * pseudo_topics(differing, topics) * (each[first] + each[second])
    return t_interval(task, gaps, variances + added)


def pseudo_topics(differing: Floats, topics: float) -> Floats:
    """Return 4/(1 + (n/5 + 8 n/T)^1.5), n of T topics differing.

    Found by simulation: of the forms that cover .93 and more of the gaps of near-duplicates on 3 to 200
    topics it is among those that widen the intervals of other pairs least.

    Examples
    --------
    >>> pseudo_topics(np.array([0.0, 2.0, 16.0]), 50).round(2)
    array([4.  , 2.48, 0.27])
    """
    seen = differing / SEEN + differing / (topics * SHARE)
    return np.asarray(PSEUDO / (1 + seen**POWER))


def near_duplicate(share: Floats, variance: Floats, unrelated: Floats) -> Floats:
    """Return how much of near-duplicates pairs are, 0 to 1.

    By the share of their topics that differ or by the variance of their gap over that of two unrelated
    systems, whichever says more: falling from 1 to 0 between the bounds of `FEW` and of `NEAR`.

    Examples
    --------
    >>> near_duplicate(np.array([0.04, 0.15, 0.3]), np.full(3, 0.1), np.ones(3)).round(2)
    array([1. , 0.5, 0. ])
    """
    ratio = np.divide(variance, unrelated, out=np.zeros_like(variance), where=unrelated > 0)
    parts = [
        np.clip((most - x) / (most - least), 0, 1)
        for x, (least, most) in ((share, FEW), (ratio, NEAR))
    ]
    return np.asarray(np.maximum(*parts))


def effective(contributions: Floats) -> Floats:
    """Return the effective number of units that differ, (sum u²)²/sum u⁴, 0 where none does.

    Parameters
    ----------
    contributions
        What each unit contributes to the gap, (pairs, units).

    Examples
    --------
    >>> effective(np.array([[0.1, -0.1, 0.0], [0.3, 0.01, 0.0], [0.0, 0.0, 0.0]])).round(2)
    array([2., 1., 0.])
    """
    squares = np.asarray(contributions * contributions)
    total, fourth = squares.sum(axis=1), (squares * squares).sum(axis=1)
    return np.asarray(np.divide(total * total, fourth, out=0 * total, where=fourth > 0))


def units(sample: Sample) -> float:
    """Return the effective number of units, 1/sum w², w their weights in the mean."""
    weights = sample.contributions(np.ones((1, len(sample.weights))))
    return float(1 / (weights * weights).sum())
