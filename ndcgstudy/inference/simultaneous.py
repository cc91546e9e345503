"""Intervals that hold for all pairs of a family at once, by the largest statistic in each resample."""

from collections.abc import Callable

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.largest import Statistics, largest
from ndcgstudy.inference.methods import Bounds, Task, order_statistic
from ndcgstudy.inference.samples import NOISE
from ndcgstudy.inference.scales import Scale, observed_scale, ratio, shrunken


def by_maximum(scale: Scale, flip: bool = False) -> Callable[[Task], Bounds]:
    """Return the method that takes gap ± c s, c the level's order statistic of the maxima."""

    def find(task: Task) -> Bounds:
        return beyond(task, scale, largest(task, scale, flip=flip))

    return find


def beyond(task: Task, scale: Scale, top: Floats) -> Bounds:
    """Hold the statistics of all pairs against the largest of each system, (systems, resamples)."""
    gaps, square = observed_scale(task, scale)
    return around(gaps, np.sqrt(square), top.max(axis=0), task.level)


def around(gaps: Floats, s: Floats, top: Floats, level: float) -> Bounds:
    """Return gap ± c s with p-values (1 + resamples whose maximum reaches |gap|/s)/(resamples + 1)."""
    half, some = np.zeros_like(s), s > 0  # 0 where nothing varies, though `top` be infinite
    half[some] = order_statistic(top, level) * s[some]
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
        drawn = Statistics(task.sample, scale, counts)
        r = np.concatenate([drawn.of(*run) for run in task.family.runs])[order]
        found = drawn.t(np.abs(r, out=r))
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
