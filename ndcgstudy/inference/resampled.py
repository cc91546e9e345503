"""Tests of paired differences by resampling: sign flips and the bootstrap.

A resample that ties with what was observed counts as extreme, and the observed data count as one
resample: p = (count + 1) / (resamples + 1), never 0.
"""

import numpy as np
import numpy.typing as npt

from ndcgstudy.inference.chunks import CHUNK, Chunk, Counts, blocks, tally
from ndcgstudy.inference.classical import t_statistic
from ndcgstudy.inference.outcome import Draws, Floats, Outcome, constant, flips_of_constant

TIES = 1e-10
"""Sums nearer than this are the same: floats add in one order or another."""

MOST_EXACT = 16
"""Up to so many differences that are not 0, all sign patterns are taken."""


def randomisation(differences: Floats, alternative: str, draws: Draws) -> Outcome:
    """Test the mean by flipping the sign of each topic's difference (Fisher 1935).

    Where at most 16 differences are not 0 all patterns are taken, and p is exact.
    """
    towards, two_sided = _towards(differences, alternative), alternative == "two-sided"
    nonzero = (towards != 0).sum(axis=1)
    exact = nonzero <= MOST_EXACT
    p = np.empty(len(towards))
    for count in np.unique(nonzero[exact]):
        rows = nonzero == count
        packed = towards[rows][towards[rows] != 0].reshape(rows.sum(), count)
        p[rows] = _all_flips(packed, two_sided)
    if not exact.all():
        p[~exact] = _some_flips(towards[~exact], two_sided, draws)
    return Outcome(p, differences.mean(axis=1), exact)


def bootstrap(differences: Floats, alternative: str, draws: Draws) -> Outcome:
    """Test the mean by its bootstrap t: topics are drawn from the differences less their mean.

    Both the observed and the resampled mean are divided by their own standard error (Sakai 2006).
    """
    return _bootstrap(differences, alternative, draws, studentized=True)


def bootstrap_mean(differences: Floats, alternative: str, draws: Draws) -> Outcome:
    """Test as `bootstrap` does, but compare the means themselves (Smucker, Allan, Carterette 2007).

    On few topics it rejects too often: resampled means spread less than s / sqrt T.
    """
    return _bootstrap(differences, alternative, draws, studentized=False)


def _towards(differences: Floats, alternative: str) -> Floats:
    """Return the differences with the alternative on the positive side."""
    return -differences if alternative == "less" else differences


def _all_flips(differences: Floats, two_sided: bool) -> Floats:
    count = differences.shape[1]
    if count == 0:
        return np.ones(len(differences))
    bits = count - two_sided  # of a pattern and its opposite, |sum| is the same
    extreme = np.zeros(len(differences), dtype=np.int64)
    for start in range(0, 2**bits, CHUNK):
        patterns = np.arange(start, min(start + CHUNK, 2**bits))
        signs = 1.0 - 2.0 * ((patterns >> np.arange(count)[:, None]) & 1)
        extreme += _extreme_sums(differences, signs, two_sided)
    return np.asarray(extreme / 2.0**bits)


def _some_flips(differences: Floats, two_sided: bool, draws: Draws) -> Floats:
    def count(chunk: Chunk) -> Counts:
        bits = chunk.rng().integers(0, 2, (differences.shape[1], chunk.size), dtype=np.int8)
        return _extreme_sums(differences, 1.0 - 2.0 * bits, two_sided)

    return _share(tally(count, draws.chunks, draws.workers), draws)


def _share(extreme: Counts, draws: Draws) -> Floats:
    return np.asarray((extreme + 1) / (draws.resamples + 1))


def _extreme_sums(differences: Floats, signs: npt.NDArray[np.floating], two_sided: bool) -> Counts:
    """Count the columns of signs that give each pair a sum as extreme as its own."""
    found = np.empty(len(differences), dtype=np.int64)
    for rows in blocks(len(differences)):
        own, sums = differences[rows].sum(axis=1, keepdims=True), differences[rows] @ signs
        if two_sided:
            own, sums = np.abs(own), np.abs(sums, out=sums)
        found[rows] = (sums >= own - TIES).sum(axis=1)
    return found


def _bootstrap(
    differences: Floats, alternative: str, draws: Draws, *, studentized: bool
) -> Outcome:
    towards, two_sided = _towards(differences, alternative), alternative == "two-sided"
    largest = np.abs(towards).max(axis=1, keepdims=True)
    scaled = towards / np.where(largest > 0, largest, 1.0)  # `TIES` then fits any scale
    topics, extreme = scaled.shape[1], _extreme_t if studentized else _extreme_means

    def count(chunk: Chunk) -> Counts:
        drawn = chunk.rng().multinomial(topics, np.full(topics, 1 / topics), chunk.size).T
        shares = drawn / topics
        parts = [extreme(scaled[rows], shares, two_sided) for rows in blocks(len(scaled))]
        return np.concatenate(parts)

    p = _share(tally(count, draws.chunks, draws.workers), draws)
    same = constant(differences)
    p = np.where(same, flips_of_constant(differences, alternative), p)
    statistic = t_statistic(differences) if studentized else differences.mean(axis=1)
    return Outcome(p, statistic, same)


def _extreme_means(differences: Floats, shares: Floats, two_sided: bool) -> Counts:
    own = differences.mean(axis=1, keepdims=True)
    means = (differences - own) @ shares
    if two_sided:
        own, means = np.abs(own), np.abs(means, out=means)
    return np.asarray((means >= own - TIES).sum(axis=1))


def _extreme_t(differences: Floats, shares: Floats, two_sided: bool) -> Counts:
    """Count the resamples whose t is as extreme as the pair's own.

    With m the mean and q the mean square of what is looked at, t is m/sqrt(q - m²) but for a factor
    that all share, and grows with m|m|/q: t* >= t where m*|m*| >= r q*, r being the pair's own m|m|/q.
    A resample without mean and spread has t* = 0.
    """
    own = differences.mean(axis=1, keepdims=True)
    centred = differences - own
    means, squares = centred @ shares, centred**2 @ shares
    if two_sided:
        own, means = np.abs(own), np.abs(means, out=means)
    ratio = own * np.abs(own) / np.maximum((differences**2).mean(axis=1, keepdims=True), TIES)
    squares *= ratio - TIES * np.abs(ratio)
    squares += np.where(own > TIES, TIES**2, -(TIES**2))
    means *= np.abs(means)
    return np.asarray((means >= squares).sum(axis=1))
