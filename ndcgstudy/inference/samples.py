"""The units that were sampled: topics, inside data sets or not, or data sets.

Each is a rule for the weights of topics: the mean of a system is ``values @ weights``, and a resample
gives each topic a count, so that its mean is ``values @ (weights * counts)``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

NOISE = 1e-12  # differences of scores below it are the noise of floats
ROUNDING = 1e-9  # of a sum of squares: a variance below it is that of the scores' last digits


@dataclass(frozen=True, eq=False)
class Sample(ABC):
    """Scores and how they were sampled; topics stand data set by data set.

    Parameters
    ----------
    values
        Shape (systems, topics), none missing.
    systems
        Their names, the best mean first.
    sizes
        How many topics each data set has, (data sets,).
    design
        A key of `QUESTIONS`.
    unit
        What is drawn, in the plural: "topics" or "data sets".
    """

    values: Floats
    systems: tuple[str, ...]
    sizes: Ints
    design: str
    unit: str = "topics"

    @cached_property
    def weights(self) -> Floats:
        """The weight of each topic in the mean, (topics,), sum 1."""
        return np.asarray(np.repeat(1 / (len(self.sizes) * self.sizes), self.sizes))

    @cached_property
    def means(self) -> Floats:
        """The mean of each system, (systems,)."""
        return np.asarray(self.values @ self.weights)

    @cached_property
    def slices(self) -> list[slice]:
        """The topics of each data set."""
        ends = np.cumsum(self.sizes)
        return [
            slice(int(e - n), int(e))
            for e, n in zip(ends.tolist(), self.sizes.tolist(), strict=True)
        ]

    @abstractmethod
    def count(self, resamples: int, rng: np.random.Generator) -> Ints:
        """Draw resamples: how often each topic counts, (topics, resamples)."""

    @abstractmethod
    def flips(self, resamples: int, rng: np.random.Generator) -> Floats:
        """Draw signs, +1 or -1, for the units that are drawn, (topics, resamples)."""

    @abstractmethod
    def single(self, counts: Floats) -> Bools:
        """Say which resamples draw one unit alone, (resamples,): no mean has a variance there."""

    @abstractmethod
    def centred(self, differences: Floats) -> Floats:
        """Take from differences (pairs, topics) their mean where resampling keeps it."""

    @property
    @abstractmethod
    def bend(self) -> float:
        """The k of a variance a - k m², m the mean in a resample and a of `squares`."""

    @abstractmethod
    def squares(self, counts: Floats, signs: Floats | None = None) -> Callable[[Floats], Floats]:
        """Return the function from differences (pairs, topics) to a, (pairs, resamples)."""

    def moments(
        self, differences: Floats, counts: Floats | None = None, signs: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Return mean and estimated variance of the mean, each (pairs, resamples).

        Without `counts` those of the sample itself, (pairs, 1); with `signs` the differences of each
        topic are multiplied by these.
        """
        counts = np.ones((len(self.weights), 1)) if counts is None else counts
        times = counts if signs is None else counts * signs
        mean = differences @ (times * self.weights[:, None])
        a = self.squares(counts, signs)(differences)
        spread = a - self.bend * mean * mean
        return mean, np.where(spread > ROUNDING * a, spread, 0.0)

    @abstractmethod
    def freedom(self, differences: Floats) -> Floats:
        """Return the degrees of freedom of the variance, (pairs,)."""

    @abstractmethod
    def contributions(self, differences: Floats) -> Floats:
        """Return what each unit contributes to the mean, whose sum it is, (pairs, units)."""

    def influence(self, differences: Floats) -> Floats:
        """Return what each unit adds to the mean, (pairs, units); the sum is 0."""
        return self.contributions(self.centred(differences))


class Stratified(Sample):
    """Topics are drawn with replacement inside each data set, of which there may be one.

    The variance of the mean over B data sets is 1/B² times the sum of s_b²/n_b (n - 1 in s²).
    """

    def count(self, resamples: int, rng: np.random.Generator) -> Ints:
        return np.concatenate([_drawn(int(n), resamples, rng) for n in self.sizes])

    def flips(self, resamples: int, rng: np.random.Generator) -> Floats:
        return _signs(len(self.weights), resamples, rng)

    def single(self, counts: Floats) -> Bools:
        return np.asarray(np.all([(counts[at] > 0).sum(axis=0) == 1 for at in self.slices], axis=0))

    def centred(self, differences: Floats) -> Floats:
        parts = [differences[:, at] for at in self.slices]
        return _quiet(np.concatenate([d - d.mean(axis=1, keepdims=True) for d in parts], axis=1))

    @property
    def bend(self) -> float:
        return 1 / (self.sizes[0] - 1) if len(self.sizes) == 1 else 0.0

    def squares(self, counts: Floats, signs: Floats | None = None) -> Callable[[Floats], Floats]:
        sets = len(self.sizes)
        weights = self.weights / (sets * np.repeat(self.sizes - 1, self.sizes))
        weighed, times = counts * weights[:, None], counts if signs is None else counts * signs

        def found(differences: Floats) -> Floats:
            a = (differences * differences) @ weighed
            if sets == 1:
                return np.asarray(a)
            rest = np.asarray(a)
            for at, n in zip(self.slices, self.sizes.tolist(), strict=True):
                mean = differences[:, at] @ times[at] / n
                rest = rest - mean * mean / ((n - 1) * sets**2)
            return np.where(rest > ROUNDING * a, rest, 0.0)

        return found

    def freedom(self, differences: Floats) -> Floats:
        """Satterthwaite's (1946): (sum v_b)² / sum v_b²/(n_b - 1), v_b = s_b²/n_b."""
        parts = [differences[:, at].var(axis=1, ddof=1) for at in self.slices]
        v = np.array(parts) / self.sizes[:, None]
        total = v.sum(axis=0) ** 2
        spread = (v**2 / (self.sizes[:, None] - 1)).sum(axis=0)
        least = np.full(total.shape, float(self.sizes.min() - 1))
        return np.asarray(np.divide(total, spread, out=least, where=spread > 0))

    def contributions(self, differences: Floats) -> Floats:
        return np.asarray(differences * self.weights)


class Clustered(Sample):
    """Data sets are drawn with replacement, then topics inside each that was drawn.

    The variance of the mean is that of the data sets' means over their number; topics add to it by
    way of these means. A data set drawn twice counts with the mean of its two sets of topics.
    """

    def count(self, resamples: int, rng: np.random.Generator) -> Ints:
        copies = _drawn(len(self.sizes), resamples, rng)
        parts = [
            rng.multinomial(times * n, np.full(n, 1 / n)).T
            for times, n in zip(copies, self.sizes.tolist(), strict=True)
        ]
        return np.concatenate(parts).astype(np.int64)

    def flips(self, resamples: int, rng: np.random.Generator) -> Floats:
        return np.repeat(_signs(len(self.sizes), resamples, rng), self.sizes, axis=0)

    def single(self, counts: Floats) -> Bools:
        drawn = [(counts[at] > 0).any(axis=0) for at in self.slices]
        return np.asarray(np.sum(drawn, axis=0) == 1)

    def centred(self, differences: Floats) -> Floats:
        return _quiet(differences - (differences @ self.weights)[:, None])

    @property
    def bend(self) -> float:
        return 1 / (len(self.sizes) - 1)

    def squares(self, counts: Floats, signs: Floats | None = None) -> Callable[[Floats], Floats]:
        sets = len(self.sizes)
        times = counts if signs is None else counts * signs
        parts = list(zip(self.slices, self.sizes.tolist(), strict=True))
        copies = [np.maximum(counts[at].sum(axis=0) / n, 1) for at, n in parts]

        def found(differences: Floats) -> Floats:
            a: Floats | float = 0.0
            for (at, n), c in zip(parts, copies, strict=True):
                total = differences[:, at] @ times[at] / n
                a = a + total * total / (c * (sets * (sets - 1)))
            return np.asarray(a)

        return found

    def freedom(self, differences: Floats) -> Floats:
        return np.full(len(differences), len(self.sizes) - 1.0)

    def contributions(self, differences: Floats) -> Floats:
        means = [differences[:, at].mean(axis=1) for at in self.slices]
        return np.asarray(np.stack(means, axis=1) / len(self.sizes))


def _drawn(n: int, resamples: int, rng: np.random.Generator) -> Ints:
    """Count how often each of n units is among n draws with replacement, (n, resamples)."""
    picks = rng.integers(0, n, size=(resamples, n)) + np.arange(resamples)[:, None] * n
    return np.bincount(picks.ravel(), minlength=resamples * n).reshape(resamples, n).T


def _signs(units: int, resamples: int, rng: np.random.Generator) -> Floats:
    return np.asarray(rng.integers(0, 2, size=(units, resamples)) * 2.0 - 1)


def _quiet(centred: Floats) -> Floats:
    centred[np.abs(centred) < NOISE] = 0.0
    return centred
