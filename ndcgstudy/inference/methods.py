"""What a method of intervals is given and what it gives."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import MANY, number
from ndcgstudy.data import Floats
from ndcgstudy.inference.chunks import Chunk, blocks, chunks
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.samples import NOISE, Sample

Bools = npt.NDArray[np.bool_]
AT_ONCE = 2_000_000  # counts that are floats at a time, in each thread


@dataclass(frozen=True, eq=False)
class Task:
    """A sample, the pairs that are asked about, and how to resample.

    Parameters
    ----------
    level
        Of confidence, in (0, 1).
    resamples
        Enough for the level: a sampled p-value is at least 1/(resamples + 1).
    rng
        One child stream is taken from it for each chunk of resamples.

    Raises
    ------
    ValueError
        If the level lies outside (0, 1) or is more than the resamples can resolve, or `rng` is no
        generator.
    """

    sample: Sample
    family: Family
    level: float
    resamples: int
    rng: np.random.Generator

    def __post_init__(self) -> None:
        if not isinstance(self.rng, np.random.Generator):
            raise ValueError(f"`rng` must be a numpy.random.Generator, got {self.rng!r}")
        number("level", self.level, above=0, below=1)
        number("resamples", self.resamples, at_least=1, at_most=MANY, whole=True)
        needed = int(np.ceil(2 / (1 - self.level) - 1e-9)) - 1
        if self.resamples < needed:
            raise ValueError(
                f"level {self.level:g} needs `resamples` of at least {needed}, got {self.resamples}"
            )

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The chunks of resamples; seeds are taken from `rng` once."""
        return chunks(self.resamples, self.rng)

    @cached_property
    def drawn(self) -> list[npt.NDArray[np.uint16]]:
        """The counts, (topics, resamples), of one chunk after another or of parts of it."""
        drawn = (self.sample.count(chunk.size, chunk.rng()) for chunk in self.chunks)
        return [
            counts[:, some].astype(np.uint16)
            for counts in drawn
            for some in blocks(counts.shape[1], max(1, AT_ONCE // len(counts)))
        ]

    def counts(self) -> Iterator[Floats]:
        """Yield the same as floats."""
        for counts in self.drawn:
            yield counts.astype(float)

    def blocks(self, family: Family | None = None) -> Iterator[Floats]:
        """Yield (pairs, topics) of scores, first less second, some pairs at a time, in order."""
        values = self.sample.values
        for first, second in (family or self.family).blocks:
            yield quiet(values[first] - values[second])


class Bounds(NamedTuple):
    """What a method found, each of shape (pairs,).

    Parameters
    ----------
    low, high, p
        The interval, and the p-value of no gap.
    separated
        Where this is not "the interval leaves out 0".
    """

    low: Floats
    high: Floats
    p: Floats
    separated: Bools | None = None


@dataclass(frozen=True)
class Method:
    """A way to interval and p-value.

    Parameters
    ----------
    find
        The function that does it.
    about
        One line for people.
    together
        Whether its intervals hold for a whole family at once.
    """

    find: Callable[[Task], Bounds]
    about: str
    together: bool


def coherent(bounds: Bounds, level: float) -> Bounds:
    """Return bounds whose interval, p-value and verdict say the same, `separated` always stated.

    A method without a variance to work with gives an interval of no width. Nothing bounds the gap
    then: the interval has no ends and p is 1. An end that is 0 but for the noise of floats is 0. Where
    a tie of resamples leaves p on the other side of 1 - level than the interval, p moves there.
    """
    idle = bounds.high - bounds.low < NOISE
    low, high = (np.where(np.abs(end) < NOISE, 0.0, end) for end in (bounds.low, bounds.high))
    outside = (low > 0) | (high < 0) if bounds.separated is None else bounds.separated
    separated, error = outside & ~idle, 1 - level
    p = np.where(separated, np.minimum(bounds.p, error), np.maximum(bounds.p, _above(error)))
    return Bounds(
        np.where(idle, -np.inf, low),
        np.where(idle, np.inf, high),
        np.where(idle, 1.0, p),
        np.asarray(separated),
    )


def _above(error: float) -> float:
    return float(np.nextafter(error, 1.0))


def quiet(differences: Floats) -> Floats:
    """Set the noise of floats to 0."""
    differences[np.abs(differences) < NOISE] = 0.0
    return differences


def means_and_variances(task: Task) -> tuple[Floats, Floats]:
    """Return the gap of every pair and the estimated variance of that gap, each (pairs,)."""
    sample = task.sample
    found = [
        (d @ sample.weights, sample.moments(sample.centred(d))[1][:, 0]) for d in task.blocks()
    ]
    gaps, variances = (np.concatenate(column) for column in zip(*found, strict=True))
    return gaps, variances


def order_statistic(values: Floats, level: float) -> Floats:
    """Return the value that ceil((n + 1) level) of n + 1 exchangeable ones do not exceed.

    Of `values` (..., n) the last axis; infinite where n is too small. A test that rejects beyond it
    is the one whose sampled p-value, (count + 1)/(n + 1), is at most 1 - level.
    """
    n = values.shape[-1]
    place = int(np.ceil((n + 1) * level - 1e-9))
    if place > n:
        return np.full(values.shape[:-1], np.inf)
    return np.asarray(np.partition(values, place - 1, axis=-1)[..., place - 1])
