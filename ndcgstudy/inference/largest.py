"""The largest statistic of each system's pairs in every resample.

The statistic of a pair is t = (gap* - gap) / s. What s is tells methods apart, see `scales`.

All pairs are looked at in all resamples, so what is done for one pair and resample is kept to a few
operations. The variance of a resampled mean m is a - k m², with k the same for all. With p the mean
variance and w its share, t|t| = m|m| / ((1 - w)(a - k m²) + w p) = r / ((1 - w)(1 - k|r|)), where
r = m|m| / (a + w/(1 - w) p): t grows with r, and only the largest r are turned into t.
"""

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats
from ndcgstudy.inference.chunks import Chunk
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task, quiet
from ndcgstudy.inference.samples import NOISE, ROUNDING, Sample
from ndcgstudy.inference.scales import Scale, pooled_variance
from ndcgstudy.threads import shared_out

Drawn = tuple[Floats, Floats | None]
"""Counts and signs of some resamples."""


class Statistics:
    """The statistics of pairs in some resamples.

    Parameters
    ----------
    counts
        How often each topic was drawn, (topics, resamples).
    signs
        Where the signs of whole topics' differences were drawn, (topics, resamples); counts are then
        (topics, 1).
    """

    def __init__(
        self, sample: Sample, scale: Scale, counts: Floats, signs: Floats | None = None
    ) -> None:
        self.sample, self.scale = sample, scale
        self.values = sample.values if signs is not None else sample.centred(sample.values)
        times = counts if signs is None else counts * signs
        self.means = self.values @ (times * sample.weights[:, None])
        self.squares = sample.squares(counts, signs)
        self.single = sample.single(counts) & (signs is None) & (not scale.own)
        if scale.share:
            pooled = pooled_variance(sample, counts, signs)
            odds = scale.share / (1 - scale.share)
            self.pooled = odds * np.where(pooled > 0, pooled, np.inf)

    @cached_property
    def bend(self) -> float:
        """The k of t|t| = r / ((1 - w)(1 - k|r|))."""
        return 0.0 if self.scale.own else self.sample.bend

    def of(self, first: int, below: slice) -> Floats:
        """Return r of the first system's pairs with those below, (pairs, resamples).

        It is 0 where the pair has no variance, infinite where none has, a single unit being drawn.
        """
        off = self.means[first] - self.means[below]
        differences = quiet(self.values[first] - self.values[below])
        divisor = self._divisor(differences, off)
        r = np.abs(off)
        r *= off
        r /= divisor
        if self.single.any():
            lone = off[:, self.single]
            r[:, self.single] = np.where(np.abs(lone) > NOISE, np.copysign(np.inf, lone), 0.0)
        return np.asarray(r)

    def _divisor(self, differences: Floats, off: Floats) -> Floats:
        if self.scale.share:
            a = self.squares(differences)
            return np.add(a, self.pooled, out=a if a.shape == off.shape else None)
        if self.scale.own:
            observed = self.sample.moments(self.sample.centred(differences))[1]
            return np.where(observed > 0, observed, np.inf)
        found = np.broadcast_to(self.squares(differences), off.shape).copy()
        found[~(found - self.bend * off * off > ROUNDING * found)] = np.inf
        return found

    def t(self, r: Floats) -> Floats:
        """Return the statistics that belong to r."""
        size = np.abs(r)
        bent = 1 - self.bend * np.where(np.isfinite(size), size, 0.0)
        return np.copysign(np.sqrt(size / ((1 - self.scale.share) * bent)), r)


def largest(task: Task, scale: Scale, *, flip: bool = False, either: bool = False) -> Floats:
    """Return the largest statistic over the family's pairs of each system, (systems, resamples).

    It is that of how far another system's resampled mean moves up against its own, or with `either`
    the largest absolute one. Of all pairs the largest absolute statistic is the largest over systems
    both ways: in each pair one of the two is moved up against. With `flip` the resamples turn the
    signs of whole topics' differences (data sets', where these are drawn) instead of drawing topics.
    """
    family = task.family.guard

    def of_some(draw: Callable[[], Drawn]) -> Floats:
        return largest_of(family, Statistics(task.sample, scale, *draw()), either)

    return np.concatenate(shared_out(of_some, draws(task, flip)), axis=1)


def draws(task: Task, flip: bool) -> list[Callable[[], Drawn]]:
    """Return functions that give counts and signs, of some resamples each."""
    if not flip:
        return [partial(_as_floats, counts) for counts in task.drawn]
    return [partial(_flipped, task.sample, chunk) for chunk in task.chunks]


def _as_floats(counts: npt.NDArray[np.uint16]) -> Drawn:
    return counts.astype(float), None


def _flipped(sample: Sample, chunk: Chunk) -> Drawn:
    return np.ones((len(sample.weights), 1)), sample.flips(chunk.size, chunk.rng())


def largest_of(family: Family, found: Statistics, either: bool = False) -> Floats:
    """Return the same of some resamples."""
    most = np.zeros(found.means.shape)
    for first, below in family.runs:
        r = found.of(first, below)
        r = np.abs(r, out=r) if either else r
        np.maximum(most[below], r, out=most[below])
        own = r.max(axis=0) if either else -r.min(axis=0)
        np.maximum(most[first], own, out=most[first])
    return found.t(most)
