"""Means of ranked systems: the estimate and interval of a mean that was chosen by its rank.

The system that comes first tends to have been lucky, so that its mean is too high and a t interval of
one mean covers too rarely (Andrews, Kitagawa and McCloskey 2024, Inference on winners). Resamples show
by how much: each ranks the systems anew around centres that stand for the true means, and what the
system at rank r is off there is what the one at rank r was off here.
"""

from typing import NamedTuple

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.samples import Sample
from ndcgstudy.inference.smoothed import units

TINY = np.finfo(float).tiny
PSEUDO = 4  # units of the variance of all systems that each system's own is mixed with
ENOUGH = 2_000  # resamples, or more for a level near 1
LEAST_SD = 0.3  # a resample's standard error counts as no less than this share of the sample's


class RankedMeans(NamedTuple):
    """The corrected mean of each system and its interval, (systems,), the best first."""

    estimate: Floats
    low: Floats
    high: Floats


def ranked_means(task: Task) -> RankedMeans:
    """Return each system's mean corrected for the rank it came to, and the interval of its true mean.

    With m the means, s their standard errors, variances mixed with 4 units of the mean variance, and
    m*, s* those of a resample, d = m* - m. Around a centre c,
    system (r) is the one with the r-th highest c + d. The estimate is m_r - E[d_(r)], with c the means
    shrunk towards one another by as much as they vary by chance. The interval is the hull of three:
    the estimate -+ t s_r; and m_r - q s_r, with q quantiles of d_(r)/s*_(r), for c = m and for the
    shrunk c. It also holds the mean itself. Where no system's scores vary it is unbounded.
    """
    from scipy.special import stdtrit

    sample = task.sample
    means, centred = sample.means, sample.centred(sample.values)
    variance = sample.moments(centred)[1][:, 0]
    error = _errors(sample, variance)
    moved, spread = _resampled(task, centred)
    moved -= moved.mean(axis=1, keepdims=True)
    own = np.maximum(np.sqrt(spread), LEAST_SD * error[:, None])
    with np.errstate(invalid="ignore", divide="ignore"):  # equal scores on every topic
        ratio = np.where(own > 0, moved / own, 0.0)
    scale = np.sqrt(variance.sum() / max((moved**2).mean(axis=1).sum(), TINY))
    shrunk = shrunk_means(sample)
    by_rank = np.argsort(-(shrunk[:, None] + moved), axis=0, kind="stable")
    bias = np.take_along_axis(moved * scale, by_rank, axis=0).mean(axis=1)
    half = stdtrit(sample.freedom(sample.values), (1 + task.level) / 2) * error
    estimate = means - bias
    ends = [(means, means), (estimate - half, estimate + half)]
    tails = [(1 + task.level) / 2, (1 - task.level) / 2]
    for order in (by_rank, np.argsort(-(means[:, None] + moved), axis=0, kind="stable")):
        at = np.quantile(np.take_along_axis(ratio, order, axis=0), tails, axis=1)
        ends.append((means - at[0] * error, means - at[1] * error))
    low, high = (np.stack(end) for end in zip(*ends, strict=True))
    known = error > 0  # where no system varies, nothing says how far the means may be off
    return RankedMeans(
        estimate,
        np.where(known, low.min(axis=0), -np.inf),
        np.where(known, high.max(axis=0), np.inf),
    )


def _errors(sample: Sample, variance: Floats) -> Floats:
    """Return standard errors of the means; equal scores on few topics do not make a mean certain."""
    share = PSEUDO / (PSEUDO + units(sample))
    return np.asarray(np.sqrt((1 - share) * variance + share * variance.mean()))


def _resampled(task: Task, centred: Floats) -> tuple[Floats, Floats]:
    """Return how far some resamples move each mean and the variances there, each (systems, resamples)."""
    parts, enough = [], max(ENOUGH, 50 / (1 - task.level))
    for counts in task.counts():
        parts.append(task.sample.moments(centred, counts))
        enough -= counts.shape[1]
        if enough <= 0:
            break
    moved, spread = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return moved, spread


def shrunk_means(sample: Sample) -> Floats:
    """Return the means drawn towards one another, so that they vary as much as true means do.

    The share of their variance that is chance is the mean variance of m_i - mean(m) over what they vary.
    """
    means = sample.means
    centre = means.mean()
    off = sample.values - sample.values.mean(axis=0)
    chance = sample.moments(sample.centred(off))[1].sum()
    seen = ((means - centre) ** 2).sum()
    kept = np.sqrt(max(0.0, 1 - chance / seen)) if seen > 0 else 0.0
    return np.asarray(centre + kept * (means - centre))
