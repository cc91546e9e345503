"""Randomised Tukey HSD: all pairs of systems at once.

Carterette 2012, Multiple testing in statistical information retrieval.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.checks import MANY, number
from ndcgstudy.inference.chunks import Chunk, chunks
from ndcgstudy.inference.outcome import Floats

TIES = 1e-12


@dataclass(frozen=True, eq=False)
class Tukey:
    """How far apart the best and the worst of the systems come if there is no difference.

    Parameters
    ----------
    ranges
        The range of the system means in each permutation, ascending.

    Examples
    --------
    >>> tukey = Tukey(np.array([0.1, 0.2, 0.3, 0.4]))
    >>> tukey.p([0.0, -0.35]).tolist()
    [1.0, 0.4]
    """

    ranges: Floats

    def p(self, gaps: Any) -> Floats:
        """Return (1 + permutations whose range is at least |gap|) / (1 + permutations).

        It is the p-value of a pair among all pairs: it needs no further correction.
        """
        below = np.searchsorted(self.ranges, np.abs(np.asarray(gaps, dtype=float)) - TIES)
        return np.asarray((1 + self.ranges.size - below) / (1 + self.ranges.size))

    def critical(self, level: float = 0.95) -> float:
        """Return the range that a gap must exceed for p to be at most 1 - `level`.

        Infinite where there are too few permutations for so small a p.
        """
        number("level", level, above=0, below=1)
        extreme = int((1 - level) * (self.ranges.size + 1) + 1e-9)
        return float(self.ranges[-extreme]) if extreme else float("inf")


def randomised_tukey(values: Any, *, rng: np.random.Generator, permutations: int = 10_000) -> Tukey:
    """Permute each topic's scores among the systems and keep the range of the system means.

    Parameters
    ----------
    values
        Scores, shape (systems, topics), none missing.
    rng
        One child stream is taken from it for each chunk of permutations.
    permutations
        How many.

    Raises
    ------
    ValueError
        If there are fewer than two systems or no topic, or a score is not finite.

    Examples
    --------
    >>> tukey = randomised_tukey(np.eye(2), rng=np.random.default_rng(0), permutations=99)
    >>> tukey.ranges.min(), tukey.ranges.max()
    (np.float64(0.0), np.float64(1.0))
    """
    number("permutations", permutations, at_least=1, at_most=MANY, whole=True)
    scores = complete(values)
    drawn = [_ranges(scores, chunk) for chunk in chunks(permutations, rng)]
    return Tukey(np.sort(np.concatenate(drawn)))


def complete(values: Any) -> Floats:
    """Return scores as an array of (systems, topics), which must be whole."""
    scores = np.asarray(values, dtype=float)
    if scores.ndim != 2 or scores.shape[0] < 2 or scores.shape[1] < 1:
        raise ValueError(
            f"`values` must have shape (systems, topics) with two systems or more, got {scores.shape}"
        )
    if missing := int((~np.isfinite(scores)).sum()):
        raise ValueError(f"`values` must be finite on every topic, got {missing} that are not")
    return scores


def _ranges(scores: Floats, chunk: Chunk) -> Floats:
    """Return the range of the means in each permutation of a chunk, in memory of (chunk, systems)."""
    rng, total = chunk.rng(), np.zeros((chunk.size, len(scores)))
    for topic in scores.T:
        total += rng.permuted(np.tile(topic, (chunk.size, 1)), axis=1)
    return np.asarray(np.ptp(total, axis=1) / scores.shape[1])
