"""What a gap is divided by: its own standard error, or one whose variance is shrunk to the mean."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.methods import Task, means_and_variances
from ndcgstudy.inference.samples import Sample

SHARE = 0.6


@dataclass(frozen=True)
class Scale:
    """The squared s of a pair, (1 - share) v + share mean(v) for the variances v of all gaps.

    Nearly identical systems differ on one or two topics, and where a resample misses these their own
    variance collapses; the mean does not.

    Parameters
    ----------
    share
        Of the mean over all pairs, in [0, 1).
    own
        Whether v is that of the sample whatever the resample, else it is that of the resample.
    """

    share: float = 0.0
    own: bool = False

    def __call__(self, variances: Floats, pooled: Floats) -> Floats:
        """Return s² of variances and their mean."""
        return np.asarray((1 - self.share) * variances + self.share * pooled)


own, resampled = Scale(own=True), Scale()


def shrunken(share: float = SHARE) -> Scale:
    """Return the scale with variance (1 - share) v + share mean(v)."""
    return Scale(share)


def pooled_variance(sample: Sample, counts: Floats | None, signs: Floats | None = None) -> Floats:
    """Return the mean over all pairs of the variance of the gap, (resamples,).

    Over pairs i < j the squares of e_i - e_j sum to S times those of e_i, where e is what remains
    of a score when its topic's mean is taken off: no pair need be formed.
    """
    rest = sample.values - sample.values.mean(axis=0)
    rest = sample.centred(rest) if signs is None else rest
    spread = sample.moments(rest, counts, signs)[1]
    return np.asarray(spread.sum(axis=0) * 2 / (len(rest) - 1))


def ratio(off: Floats, square: Floats) -> Floats:
    """Return |off| / sqrt(square), 0 where `square` is 0: nothing says how much that is."""
    some = np.broadcast_to(square > 0, np.broadcast_shapes(off.shape, square.shape))
    root = np.sqrt(np.where(square > 0, square, 1.0))
    return np.asarray(np.where(some, np.abs(off) / root, 0.0))


def observed_scale(task: Task, scale: Scale) -> tuple[Floats, Floats]:
    """Return gaps and squared s, each (pairs,)."""
    gaps, variances = means_and_variances(task)
    return gaps, scale(variances, pooled_variance(task.sample, None))
