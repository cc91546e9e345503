"""What a test of paired differences is given and what it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ndcgstudy.inference.chunks import Chunk, chunks

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True, eq=False)
class Draws:
    """How a test may draw, if it has to: all its pairs share the same resamples."""

    resamples: int
    rng: np.random.Generator | None = None
    workers: int = 1

    @cached_property
    def chunks(self) -> list[Chunk]:
        """The chunks of resamples; seeds are taken from `rng` once, when they are first asked for."""
        if self.rng is None:
            raise ValueError("`rng` must be a numpy Generator where a test draws, got None")
        return chunks(self.resamples, self.rng)


class Outcome(NamedTuple):
    """What a test found, each of shape (pairs,)."""

    p: Floats
    statistic: Floats
    exact: Bools


Test = Callable[[Floats, str, Draws], Outcome]
"""A test takes finite differences (pairs, topics), an alternative, and how it may draw."""


def one_of_tails(upper: Floats, lower: Floats, alternative: str) -> Floats:
    """Return the p-value, given P(statistic >= observed) and P(statistic <= observed).

    Two-sided is twice the smaller tail, at most 1, as where the null distribution is symmetric.
    """
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(upper, lower)))
    return upper if alternative == "greater" else lower


def constant(differences: Floats) -> Bools:
    """Say which pairs have the same difference on every topic, but for the noise of floats."""
    return np.asarray(np.ptp(differences, axis=1) <= 1e-12)


def flips_of_constant(differences: Floats, alternative: str) -> Floats:
    """Return the p-value of all sign flips where the difference is the same on every topic.

    With T topics only the pattern of all signs equal is as extreme: 2^-T in the direction of the
    difference, 1 against it, 2^(1-T) two-sided; 1 where the difference is 0.
    """
    tail = np.full(len(differences), 0.5 ** differences.shape[1])
    sign = np.sign(differences.mean(axis=1))
    return one_of_tails(np.where(sign > 0, tail, 1.0), np.where(sign < 0, tail, 1.0), alternative)
