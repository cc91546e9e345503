"""What the sample of a leaderboard is: topics, topics inside data sets, data sets, or means alone.

Every design is a rule for the weights of topics: the mean of a system is ``values @ weights``, and a
resample gives each topic a count, so that its mean is ``values @ (weights * counts)``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats, Scores

Ints = npt.NDArray[np.int64]

QUESTIONS = {
    "topics": "would the gaps hold on other topics like these?",
    "fixed": "would the macro means' gaps hold on other topics of these same data sets?",
    "random": "would the macro means' gaps hold on other data sets, with other topics?",
    "means": "would the gaps hold on other data sets like these, of which only means are known?",
}
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
    def influence(self, differences: Floats) -> Floats:
        """Return what each unit adds to the mean, up to one scale, (pairs, units)."""


class Stratified(Sample):
    """Topics are drawn with replacement inside each data set, of which there may be one.

    The variance of the mean over B data sets is 1/B² times the sum of s_b²/n_b (n - 1 in s²).
    """

    def count(self, resamples: int, rng: np.random.Generator) -> Ints:
        return np.concatenate([_drawn(int(n), resamples, rng) for n in self.sizes])

    def flips(self, resamples: int, rng: np.random.Generator) -> Floats:
        return _signs(len(self.weights), resamples, rng)

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

    def influence(self, differences: Floats) -> Floats:
        return np.asarray(self.centred(differences) * self.weights)


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

    def influence(self, differences: Floats) -> Floats:
        means = [differences[:, at].mean(axis=1) for at in self.slices]
        per_set = np.stack(means, axis=1)
        return np.asarray(per_set - per_set.mean(axis=1, keepdims=True))


def _drawn(n: int, resamples: int, rng: np.random.Generator) -> Ints:
    """Count how often each of n units is among n draws with replacement, (n, resamples)."""
    picks = rng.integers(0, n, size=(resamples, n)) + np.arange(resamples)[:, None] * n
    return np.bincount(picks.ravel(), minlength=resamples * n).reshape(resamples, n).T


def _signs(units: int, resamples: int, rng: np.random.Generator) -> Floats:
    return np.asarray(rng.integers(0, 2, size=(units, resamples)) * 2.0 - 1)


def _quiet(centred: Floats) -> Floats:
    centred[np.abs(centred) < NOISE] = 0.0
    return centred


def sample_of(scores: Scores, design: str | None = None) -> Sample:
    """Arrange scores for resampling, the system with the best mean first.

    Parameters
    ----------
    scores
        At least two systems, no value missing.
    design
        "topics": one collection, its topics are the sample. "fixed": topics inside each data set,
        macro mean. "random": data sets, then topics. "means": every column is a data set's mean.
        By default "fixed" where the scores have data sets with several topics, "means" where each
        has one, else "topics".

    Raises
    ------
    ValueError
        If the design is unknown or does not fit the scores, there are fewer than two systems or
        units, or a value is missing or infinite.

    Examples
    --------
    >>> scores = Scores(np.array([[0.1, 0.3], [0.5, 0.9]]), ("a", "b"), ("q1", "q2"), "nDCG@10")
    >>> sample_of(scores).systems
    ('b', 'a')
    """
    name = design or _fitting(scores)
    if name not in QUESTIONS:
        raise ValueError(f"unknown design {name!r}{nearest(name, list(QUESTIONS))}")
    _check(scores)
    values, sizes = _blocks(scores, name)
    kind = Clustered if name == "random" else Stratified
    unit = "data sets" if name in ("random", "means") else "topics"
    _check_sizes(name, sizes, scores)
    weights = np.repeat(1 / (len(sizes) * sizes), sizes)
    order = np.argsort(-np.round(values @ weights, 12), kind="stable")
    names = tuple(scores.systems[i] for i in order)
    return kind(values[order], names, sizes, name, unit)


def _fitting(scores: Scores) -> str:
    if not scores.datasets:
        return "topics"
    return "means" if len(set(scores.datasets)) == len(scores.datasets) else "fixed"


def _check(scores: Scores) -> None:
    if len(scores.systems) < 2:
        raise ValueError(f"gaps need at least 2 systems, got {len(scores.systems)}")
    bad = np.argwhere(~np.isfinite(scores.values))
    if len(bad):
        i, j = bad[0]
        raise ValueError(
            f"every score must be a finite number, got {scores.values[i, j]} for system "
            f"{scores.systems[i]!r} on topic {scores.topics[j]!r}"
        )


def _blocks(scores: Scores, design: str) -> tuple[Floats, Ints]:
    """Return the values, topics of a data set side by side, and the data sets' sizes."""
    if design in ("topics", "means"):
        return scores.values, np.array([len(scores.topics)])
    if not scores.datasets:
        raise ValueError(f"design {design!r} needs scores with data sets")
    place = {name: i for i, name in enumerate(dict.fromkeys(scores.datasets))}
    at = np.array([place[name] for name in scores.datasets])
    return scores.values[:, np.argsort(at, kind="stable")], np.bincount(at)


def _check_sizes(design: str, sizes: Ints, scores: Scores) -> None:
    if design == "random" and len(sizes) < 2:
        raise ValueError("design 'random' needs at least 2 data sets, got 1")
    if design == "random" or sizes.min() > 1:
        return
    if design == "fixed":
        names = list(dict.fromkeys(scores.datasets or ()))
        small = names[int(np.argmin(sizes))]
        raise ValueError(f"design 'fixed' needs at least 2 topics a data set, {small!r} has 1")
    unit = "data sets" if design == "means" else "topics"
    raise ValueError(f"gaps need at least 2 {unit}, got {sizes[0]}")
