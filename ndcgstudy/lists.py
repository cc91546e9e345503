"""Graded lists: what a measure reads, with the arithmetic that all measures share."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.gains import Gain

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lists:
    """The grades along ranked lists, and those of all judged documents.

    Parameters
    ----------
    grade
        Shape (systems, topics, ranks): the grade at each rank; NaN where the document is not judged
        or the list has ended.
    retrieved
        Shape (systems, topics): how many documents each list holds.
    ideal
        Shape (systems or 1, topics, judged): the grades of the judged documents, falling, filled up
        with -1.
    ideal_rule
        Which documents the ideal list holds: "cut", "all", "retrieved", "top" or "hits", as the
        `ideal` of `Policy` explains.
    first, last
        For tied lists whose orders are averaged: the 0-based ranks from which and before which the
        documents tied with each rank stand; shape as `grade`. None otherwise.
    """

    grade: Floats
    retrieved: Index
    ideal: Floats
    ideal_rule: str = "cut"
    first: Index | None = None
    last: Index | None = None

    @property
    def depth(self) -> int:
        """How many ranks the lists are laid out for."""
        return int(self.grade.shape[-1])

    def gains(self, gain: Gain, cutoff: int | None) -> Floats:
        """Return the (expected) gain at each rank down to the cutoff."""
        top = self.grade if self.first is not None else self.grade[..., :cutoff]
        return self.expected(gain(np.fmax(top, 0.0)))[..., :cutoff]

    def ideal_gains(self, gain: Gain, cutoff: int | None) -> Floats:
        """Return the gains of the ideal list, down to the cutoff unless the ideal holds all."""
        if self.ideal_rule in ("retrieved", "top"):
            own = self.grade[..., : cutoff if self.ideal_rule == "top" else None]
            return gain(-np.sort(-np.fmax(own, 0.0), axis=-1)[..., :cutoff])
        top = np.fmax(self.ideal[..., : None if self.ideal_rule == "all" else cutoff], 0.0)
        if self.ideal_rule == "hits":
            top = np.where(np.arange(top.shape[-1]) < self.retrieved[..., None], top, 0.0)
        return gain(top)

    def relevant(self, rel: float) -> Floats:
        """Return 1 at each rank with a document of grade `rel` or above, else 0."""
        return (self.grade >= rel).astype(float)

    def relevant_total(self, rel: float) -> Floats:
        """Return how many judged documents have grade `rel` or above, shape (systems or 1, topics)."""
        return np.asarray((self.ideal >= rel).sum(axis=-1), dtype=float)

    def expected(self, values: Floats) -> Floats:
        """Return the mean of values over the documents tied with each rank (the values if none are)."""
        if self.first is None or self.last is None:
            return values
        size = self.last - self.first
        return np.where(size == 1, values, self.tied_sum(values) / size)

    def tied_sum(self, values: Floats) -> Floats:
        """Return the sum of values over the documents tied with each rank."""
        return _at(running(values), self.last) - _at(running(values), self.first)

    def before_tied(self, values: Floats) -> Floats:
        """Return the sum of values over the ranks before the documents tied with each rank."""
        return _at(running(values), self.first)

    def survival(self, stop: Floats) -> Floats:
        """Return the probability that a reader passes each rank.

        Parameters
        ----------
        stop
            Shape (systems, topics, ranks): the probability that the reader stops at the document.

        Returns
        -------
        passed
            Same shape: the product of (1 - stop) down to each rank; in tied lists its expectation
            over the orders of the tied documents.
        """
        passed = np.asarray(np.cumprod(1.0 - stop, axis=-1), dtype=np.float64)
        if self.first is None or self.last is None:
            return passed
        size = self.last - self.first
        heads = np.nonzero((size > 1) & (self.first == np.arange(self.depth)))
        if not heads[0].size:
            return passed
        before = np.concatenate([np.ones((*passed.shape[:-1], 1)), passed], axis=-1)
        widest = int(size[heads].max())
        rank = heads[-1][:, None] + np.arange(widest)
        inside = np.arange(widest) < size[heads][:, None]
        at = (heads[0][:, None], heads[1][:, None], np.minimum(rank, self.depth - 1))
        share = _mean_products(np.where(inside, 1.0 - stop[at], 0.0), size[heads])
        passed[tuple(np.broadcast_to(i, rank.shape)[inside] for i in at)] = (
            before[heads][:, None] * share
        )[inside]
        return passed


def running(values: Floats) -> Floats:
    """Return the sums of values before each rank, with one more entry for the total."""
    return np.concatenate([np.zeros((*values.shape[:-1], 1)), np.cumsum(values, axis=-1)], axis=-1)


def total(values: Floats) -> Floats:
    """Sum along the ranks, first to last.

    One fixed order keeps a perfect list's sum equal to the ideal's to the last bit, however many
    zeros follow, and equal to that of a program that adds rank by rank.
    """
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1])
    return np.asarray(np.cumsum(values, axis=-1)[..., -1])


def _at(values: Floats, place: Index | None) -> Floats:
    return np.take_along_axis(values, np.asarray(place), axis=-1)


def _mean_products(factors: Floats, size: Index) -> Floats:
    """Return the mean product of i distinct factors, i = 1, 2, ..., for each row of factors.

    These are elementary symmetric polynomials over their number of terms: with q_i that mean over
    the first j factors, adding a factor x gives q_i (j + 1 - i)/(j + 1) + x q_(i-1) i/(j + 1).

    Parameters
    ----------
    factors
        Shape (groups, width).
    size
        Shape (groups,): how many factors of each row count.
    """
    groups, width = factors.shape
    mean = np.zeros((groups, width + 1))
    mean[:, 0] = 1.0
    i = np.arange(1, width + 1)
    for j in range(width):
        more = mean[:, 1:] * (j + 1 - i) + factors[:, j, None] * mean[:, :-1] * i
        mean[:, 1:] = np.where((j < size)[:, None] & (i <= j + 1), more / (j + 1), mean[:, 1:])
    return mean[:, 1:]
