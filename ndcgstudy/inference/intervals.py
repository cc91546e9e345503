"""Intervals for one gap: t, percentile, BCa and studentized bootstrap; every pair on its own."""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.families import Ints
from ndcgstudy.inference.methods import Bounds, Task, means_and_variances
from ndcgstudy.inference.samples import NOISE
from ndcgstudy.inference.scales import ratio


def student(task: Task) -> Bounds:
    """Return gap ± t s, s² the estimated variance of the gap, and the p-value of the t-test."""
    return by_t(task, 1)


def bonferroni(task: Task) -> Bounds:
    """Return t intervals at level 1 - (1 - level)/pairs and p-values times the number of pairs."""
    return by_t(task, len(task.family.guard.pairs[0]))


def by_t(task: Task, pairs: int) -> Bounds:
    """Return t intervals with an error of (1 - level)/pairs each."""
    return t_interval(task, *means_and_variances(task), pairs)


def t_interval(task: Task, gaps: Floats, variances: Floats, pairs: int = 1) -> Bounds:
    """Return gap ± t s with an error of (1 - level)/pairs, s² the variances, and p-values times pairs.

    Where s is 0 nothing bounds the gap: the interval has no ends and p is 1.
    """
    from scipy.special import stdtr, stdtrit

    freedom = np.concatenate([task.sample.freedom(d) for d in task.blocks()])
    quantile = stdtrit(freedom, 1 - (1 - task.level) / (2 * pairs))
    half = np.where(variances > 0, quantile * np.sqrt(variances), np.inf)
    p = 2 * stdtr(freedom, -ratio(gaps, variances))
    return Bounds(gaps - half, gaps + half, _capped(p * pairs, np.finfo(float).tiny))


def percentile(task: Task) -> Bounds:
    """Return the order statistics of the resampled gaps that cut off (1 - level)/2 at each end.

    p is twice the smaller share of resampled gaps on one side of 0, (count + 1)/(resamples + 1).
    """
    return _each(task, _percentile)


def bca(task: Task) -> Bounds:
    """Return bias-corrected and accelerated intervals (Efron 1987, Better bootstrap intervals).

    The acceleration is that of the influence of topics (data sets, where these are drawn). Where all
    differences are equal it is not defined and the percentile interval stands.
    """
    return _each(task, _bca)


def studentized(task: Task) -> Bounds:
    """Return gap - t* s at the two ends of the law of t* = (gap* - gap)/s* over resamples.

    A resample that draws a single unit has no s* for any pair and bounds nothing: t* is infinite. Of
    two or three units such resamples are too many to leave an end at 95%.

    p is twice the smaller share of t* beyond that of the gap, (count + 1)/(resamples + 1).
    """
    return _each(task, _studentized)


def _each(
    task: Task, one: "Callable[[Task, Floats, Floats], tuple[Floats, Floats, Floats]]"
) -> Bounds:
    """Apply a method to the resampled gaps of each first system's pairs."""
    sample = task.sample
    weights = sample.weights[:, None]
    resampled = [sample.values @ (counts * weights) for counts in task.counts()]
    means = np.concatenate(resampled, axis=1)
    found = []
    for (first, second), differences in zip(task.family.blocks, task.blocks(), strict=True):
        found.append(one(task, means[first] - means[second], differences))
    low, high, p = (np.concatenate(column) for column in zip(*found, strict=True))
    return Bounds(low, high, p)


def _percentile(task: Task, gaps: Floats, _: Floats) -> tuple[Floats, Floats, Floats]:
    k = _cut(task)
    p = _two_sided((gaps <= NOISE).sum(axis=1), (gaps >= -NOISE).sum(axis=1), task)
    cut = np.partition(gaps, [k - 1, gaps.shape[1] - k], axis=1)
    return cut[:, k - 1], cut[:, -k], p


def _studentized(task: Task, _: Floats, differences: Floats) -> tuple[Floats, Floats, Floats]:
    sample = task.sample
    centred = sample.centred(differences)
    gaps, variances = differences @ sample.weights, sample.moments(centred)[1]
    t = np.sort(_t_star(task, centred), axis=1)
    seen = np.copysign(ratio(gaps, variances[:, 0]), gaps)[:, None]
    p = _two_sided((t >= seen - NOISE).sum(axis=1), (t <= seen + NOISE).sum(axis=1), task)
    k, error = _cut(task), np.sqrt(variances[:, 0])
    t[error == 0] = 0.0
    return gaps - t[:, -k] * error, gaps - t[:, k - 1] * error, p


def _t_star(task: Task, centred: Floats) -> Floats:
    """Return (gap* - gap)/s* of pairs and resamples, (pairs, resamples).

    Where s* is 0 for the pair alone t* is 0; where a single unit was drawn it is infinite.
    """
    parts = []
    for counts in task.counts():
        off, spread = task.sample.moments(centred, counts)
        t = ratio(off, spread)
        t[task.sample.single(counts) & (np.abs(off) > NOISE)] = np.inf
        parts.append(np.copysign(t, off))
    return np.concatenate(parts, axis=1)


def _bca(task: Task, gaps: Floats, differences: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the percentiles Phi(z0 + (z0 + z)/(1 - a (z0 + z))) of the resampled gaps."""
    from scipy.special import ndtr, ndtri

    n = task.resamples
    observed = differences @ task.sample.weights
    influence = task.sample.influence(differences)
    cubes, squares = (influence**3).sum(axis=1), (influence**2).sum(axis=1)
    scale = 6 * np.where(squares > 0, squares, 1) ** 1.5
    a = cubes / scale
    z0 = ndtri(_share_below(gaps, observed[:, None]))
    ordered = np.sort(gaps, axis=1)
    ends = []
    for tail in ((1 - task.level) / 2, (1 + task.level) / 2):
        z = z0 + NormalDist().inv_cdf(tail)
        place = np.round(ndtr(z0 + z / (1 - a * z)) * (n + 1)).astype(int)
        ends.append(ordered[np.arange(len(gaps)), np.clip(place, 1, n) - 1])
    return ends[0], ends[1], _capped(_bca_p(gaps, z0, a), 1 / (n + 1))


def _bca_p(gaps: Floats, z0: Floats, a: Floats) -> Floats:
    """Return the error at which an end of the interval comes to 0, the least of both.

    The ends are order statistics: the lower one passes 0 after as many resamples as are 0 or below, the
    upper one where those below 0 end. Where there are none on a side its end never comes to 0.
    """
    from scipy.special import ndtr, ndtri

    n, sides = gaps.shape[1], []
    for count, sign in (((gaps <= NOISE).sum(axis=1), 1), ((gaps < -NOISE).sum(axis=1), -1)):
        w = ndtri((count + 0.5) / (n + 1)) - z0
        found = ndtr(sign * (w / (1 + a * w) - z0))
        sides.append(np.where(count == (0 if sign > 0 else n), 0.0, found))
    return np.asarray(2 * np.minimum(*sides))


def _share_below(gaps: Floats, at: "Floats | float") -> Floats:
    """Return the share of resampled gaps below a value, ties by half, never quite 0 or 1."""
    below, level = (gaps < at - NOISE).sum(axis=1), (np.abs(gaps - at) <= NOISE).sum(axis=1)
    return np.asarray((below + level / 2 + 0.5) / (gaps.shape[1] + 1))


def _cut(task: Task) -> int:
    """Return which order statistic from either end bounds a two-sided interval."""
    return int((task.resamples + 1) * (1 - task.level) / 2 + 1e-9)


def _two_sided(one: Ints, other: Ints, task: Task) -> Floats:
    """Return the p-value, given how many resamples lie on either side."""
    return _capped(2 * (np.minimum(one, other) + 1) / (task.resamples + 1), 0.0)


def _capped(p: Floats, least: float) -> Floats:
    return np.asarray(np.clip(p, least, 1.0))
