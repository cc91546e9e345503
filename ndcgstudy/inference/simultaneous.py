"""Intervals that hold for all pairs of a family at once, by the largest statistic in each resample.

The statistic of a pair is |gap* - gap| / s. What s is tells the methods apart: the sample's own
standard error ("max"), that of the resample ("max-t"), or one whose variance is shrunk to the mean
variance over all pairs ("shrunken"), in the sample and in every resample alike: nearly identical
systems differ on one or two topics, and where a resample misses these their own variance collapses.
A statistic with no variance at all is left out.
"""

import functools
from collections.abc import Callable, Iterator

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.designs import NOISE, Sample
from ndcgstudy.inference.methods import Bounds, Task, means_and_variances, order_statistic

Scale = Callable[[Floats, Floats, Floats], Floats]
"""(variances in a resample, their mean over all pairs, variances in the sample) -> squared s."""

SHARE = 0.6
COLLAPSED = 1e-9  # of the sample's own variance: below it a resample's is 0 but for rounding


def shrunken(share: float = SHARE) -> Scale:
    """Return the scale with variance (1 - share) v + share mean(v)."""

    def scale(variance: Floats, pooled: Floats, _: Floats) -> Floats:
        return np.asarray((1 - share) * variance + share * pooled)

    return scale


def own(variance: Floats, pooled: Floats, observed: Floats) -> Floats:
    """Return the variance in the sample, whatever the resample."""
    return np.broadcast_to(observed, variance.shape)


def resampled(variance: Floats, pooled: Floats, observed: Floats) -> Floats:
    """Return the variance in the resample."""
    return variance


def pooled_variance(sample: Sample, counts: Floats | None, signs: Floats | None = None) -> Floats:
    """Return the mean over all pairs of the variance of the gap, (resamples,).

    Over pairs i < j the squares of e_i - e_j sum to S times those of e_i, where e is what remains
    of a score when its topic's mean is taken off: no pair need be formed.
    """
    rest = sample.values - sample.values.mean(axis=0)
    rest = sample.centred(rest) if signs is None else rest
    spread = sample.moments(rest, counts, signs)[1]
    return np.asarray(spread.sum(axis=0) * 2 / (len(rest) - 1))


def ratios(
    task: Task,
    pairs: Iterator[Floats],
    scale: Scale,
    counts: Floats,
    signs: Floats | None = None,
) -> Iterator[Floats]:
    """Yield the statistics (gap* - gap) / s of some pairs' differences, each (pairs, resamples)."""
    sample = task.sample
    pooled = settled(pooled_variance(sample, counts, signs), pooled_variance(sample, None))
    for differences in pairs:
        centred = sample.centred(differences)
        observed = sample.moments(centred)[1]
        off, spread = sample.moments(centred if signs is None else differences, counts, signs)
        square = scale(settled(spread, observed), pooled, observed)
        yield np.copysign(ratio(off, square, 0.0), off)


def settled(variance: Floats, observed: Floats) -> Floats:
    """Set to 0 the variances of resamples that are nothing but rounding beside the sample's own."""
    variance[variance < COLLAPSED * observed] = 0.0
    return variance


def ratio(off: Floats, square: Floats, empty: float = np.inf) -> Floats:
    """Return |off| / sqrt(square), `empty` where only `square` is 0, and 0 where nothing is off."""
    off = np.abs(off)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = off / np.sqrt(square)
    if (gone := np.broadcast_to(square <= 0, found.shape)).any():
        found[gone] = np.where(off[gone] > NOISE, empty, 0.0)
    return np.asarray(found)


def largest(task: Task, scale: Scale, flip: bool = False) -> Floats:
    """Return the largest statistic over the family's pairs, (resamples,).

    With `flip` the resamples turn the signs of whole topics' differences (data sets', where these
    are drawn) instead of drawing topics.
    """
    return np.concatenate([maxima(task, scale, *how) for how in _resamples(task, flip)])


def maxima(task: Task, scale: Scale, counts: Floats, signs: Floats | None = None) -> Floats:
    """Return the largest |gap* - gap| / s over the family's pairs in these resamples."""
    found = ratios(task, task.blocks(task.family.guard), scale, counts, signs)
    return functools.reduce(np.maximum, (np.abs(t, out=t).max(axis=0) for t in found))


def _resamples(task: Task, flip: bool) -> Iterator[tuple[Floats, Floats | None]]:
    if not flip:
        yield from ((counts, None) for counts in task.counts())
        return
    ones = np.ones((len(task.sample.weights), 1))
    for chunk in task.chunks:
        yield ones, task.sample.flips(chunk.size, chunk.rng())


def by_maximum(scale: Scale, flip: bool = False) -> Callable[[Task], Bounds]:
    """Return the method that takes gap ± c s, c the level's order statistic of the maxima."""

    def find(task: Task) -> Bounds:
        gaps, square = observed_scale(task, scale)
        return around(gaps, np.sqrt(square), largest(task, scale, flip), task.level)

    return find


def observed_scale(task: Task, scale: Scale) -> tuple[Floats, Floats]:
    """Return gaps and squared s, each (pairs,)."""
    gaps, variances = means_and_variances(task)
    pooled = pooled_variance(task.sample, None)
    return gaps, scale(variances, pooled, variances)


def around(gaps: Floats, s: Floats, top: Floats, level: float) -> Bounds:
    """Return gap ± c s with p-values (1 + resamples whose maximum reaches |gap|/s)/(resamples + 1)."""
    half = order_statistic(top, level) * np.where(s > 0, s, 0)
    return Bounds(gaps - half, gaps + half, tail(ratio(gaps, s * s), top))


def tail(statistics: Floats, null: Floats) -> Floats:
    """Return (1 + how many of `null` reach each statistic) / (1 + how many there are)."""
    ordered = np.sort(null)
    reached = ordered.size - np.searchsorted(ordered, statistics * (1 - 1e-12))
    return np.asarray((1 + reached) / (1 + ordered.size))


def step_down(task: Task) -> Bounds:
    """Return step-down p-values (Romano and Wolf 2005) on the shrunken statistic.

    Pairs go by falling statistic; each is held against the maximum over itself and those after it,
    and no p-value is below an earlier one. The interval is the single-step one, cut at 0 where the
    step-down test tells the sign.
    """
    scale = shrunken()
    gaps, square = observed_scale(task, scale)
    statistics = ratio(gaps, square)
    order = np.argsort(-statistics, kind="stable")
    reached, tops = np.zeros(len(gaps)), []
    for counts in task.counts():
        found = np.abs(np.concatenate(list(ratios(task, task.blocks(), scale, counts)))[order])
        top = np.maximum.accumulate(found[::-1], axis=0)[::-1]
        reached += (top >= statistics[order, None] * (1 - 1e-12)).sum(axis=1)
        tops.append(top[0])
    p = np.empty(len(gaps))
    p[order] = np.maximum.accumulate((1 + reached) / (1 + task.resamples))
    single = around(gaps, np.sqrt(square), np.concatenate(tops), task.level)
    told = p <= 1 - task.level + NOISE
    low = np.where(told & (gaps > 0), np.maximum(single.low, 0.0), single.low)
    high = np.where(told & (gaps < 0), np.minimum(single.high, 0.0), single.high)
    return Bounds(low, high, p, told)
