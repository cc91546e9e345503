"""The methods by name, and which is the default."""

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats
from ndcgstudy.inference import intervals
from ndcgstudy.inference.methods import Bounds, Method, Task, means_and_variances, order_statistic
from ndcgstudy.inference.scales import own, pooled_variance, resampled, shrunken
from ndcgstudy.inference.simultaneous import by_maximum, step_down, tail
from ndcgstudy.inference.smoothed import smoothed
from ndcgstudy.inference.tukey import randomised_tukey


def range_of_means(task: Task) -> Bounds:
    """Return gap ± c, c from the range over systems of (mean* - mean): one width for all pairs.

    Resampled means vary too little, in a single sample of n by (n - 1)/n: the ranges are stretched
    by the ratio of the estimated to the resampled variance, over all pairs.
    """
    sample = task.sample
    rest = sample.centred(sample.values - sample.values.mean(axis=0))
    moved = np.concatenate([sample.moments(rest, counts)[0] for counts in task.counts()], axis=1)
    varied = (moved**2).mean(axis=1).sum() * 2 / (len(moved) - 1)
    stretch = np.sqrt(pooled_variance(sample, None)[0] / varied) if varied > 0 else 1.0
    return _constant_width(task, np.ptp(moved, axis=0) * stretch)


def tukey(task: Task) -> Bounds:
    """Return gap ± c, c from the range of means when each topic's scores are permuted."""
    if task.sample.design not in ("topics", "means"):
        raise ValueError("method 'tukey' permutes within topics: it needs design topics or means")
    found = randomised_tukey(task.sample.values, rng=task.rng, permutations=task.resamples)
    return _constant_width(task, found.ranges)


def _constant_width(task: Task, ranges: Floats) -> Bounds:
    gaps, _ = means_and_variances(task)
    half = order_statistic(ranges, task.level)
    return Bounds(gaps - half, gaps + half, tail(np.abs(gaps), ranges))


METHODS = {
    "smoothed-t": Method(smoothed, "t interval, variance smoothed by pseudo-topics", False),
    "t": Method(intervals.student, "t interval of each gap", False),
    "studentized": Method(intervals.studentized, "studentized bootstrap", False),
    "percentile": Method(intervals.percentile, "percentile bootstrap", False),
    "bca": Method(intervals.bca, "bias-corrected and accelerated bootstrap", False),
    "shrunken": Method(
        by_maximum(shrunken()), "bootstrap max-t, variances shrunk to their mean", True
    ),
    "step-down": Method(step_down, "the same, step-down (Romano-Wolf)", True),
    "max-t": Method(by_maximum(resampled), "bootstrap max-t, every variance its own", True),
    "max": Method(by_maximum(own), "bootstrap of the largest standardised deviation", True),
    "sign-flip": Method(by_maximum(resampled, flip=True), "max-t under sign flips", True),
    "bonferroni": Method(intervals.bonferroni, "t intervals, Bonferroni", True),
    "tukey": Method(tukey, "randomised Tukey HSD", True),
    "range": Method(range_of_means, "bootstrap of the range of means", True),
}
DEFAULTS = {"each": "smoothed-t", "all": "shrunken", "best": "shrunken", "neighbours": "shrunken"}


def method_for(name: str | None, family: str) -> tuple[str, Method]:
    """Return a method's name and the method, the default of the family where none is named.

    Raises
    ------
    ValueError
        If the name is unknown or the method does not fit the family.
    """
    chosen = name or DEFAULTS[family]
    if chosen not in METHODS:
        raise ValueError(f"unknown method {chosen!r}{nearest(chosen, list(METHODS))}")
    method = METHODS[chosen]
    if method.together == (family == "each"):
        fit = [n for n, m in METHODS.items() if m.together == (family != "each")]
        raise ValueError(
            f"method {chosen!r} is not for family {family!r}, for which there are {fit}"
        )
    return chosen, method
