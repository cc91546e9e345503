"""Resamples in chunks, each with a stream of its own: the same at any number of workers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import MANY, number
from ndcgstudy.threads import shared_out

CHUNK = 1_000
BLOCK = 128

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Chunk:
    """Some of the resamples and the seed they are drawn with."""

    seed: np.random.SeedSequence
    size: int

    def rng(self) -> np.random.Generator:
        """Return the chunk's stream, from its beginning at each call."""
        return np.random.default_rng(self.seed)


def chunks(resamples: int, rng: np.random.Generator) -> list[Chunk]:
    """Split resamples into chunks of at most `CHUNK`, with one child seed of `rng` for each.

    Examples
    --------
    >>> [chunk.size for chunk in chunks(2500, np.random.default_rng(0))]
    [1000, 1000, 500]
    """
    number("resamples", resamples, at_least=1, at_most=MANY, whole=True)
    sizes = [min(CHUNK, resamples - start) for start in range(0, resamples, CHUNK)]
    seeds = rng.bit_generator.seed_seq.spawn(len(sizes))  # type: ignore[attr-defined]
    return [Chunk(seed, size) for seed, size in zip(seeds, sizes, strict=True)]


def tally(count: Callable[[Chunk], Counts], parts: Sequence[Chunk], workers: int = 1) -> Counts:
    """Return the sum of what `count` finds in each chunk, on threads where several are asked for."""
    number("workers", workers, at_least=1, whole=True)
    return np.asarray(np.sum(shared_out(count, parts, workers), axis=0))


def blocks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Yield slices of at most so many rows: with `CHUNK` columns `BLOCK` stay in a core's cache."""
    yield from (slice(start, start + size) for start in range(0, rows, size))
