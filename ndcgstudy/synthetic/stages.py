"""Rankers as they are built: two stages, near misses, a candidate set that grows with the list."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import flat, number
from ndcgstudy.synthetic.generator import GENERATORS, Floats, Sample
from ndcgstudy.synthetic.latent import Latent, check_shares, correlation


@GENERATORS.register("two_stage")
@dataclass(frozen=True)
class TwoStage:
    """A reranks the first `depth` items of a first stage by a better signal; B is the first stage.

    Both signals see one latent quality, as in `latent`. Below rank `depth` A keeps the order of the
    first stage. Which items are reranked depends on the list, so scores of prefixes differ.

    Parameters
    ----------
    first, second
        The correlations of the first stage and of the better signal with the quality, in (-1, 1).
    depth
        How many items are reranked, at least 1.
    shares
        The shares of items of grade at least 1, at least 2, ..., falling.

    Examples
    --------
    >>> pair = TwoStage(depth=2)
    >>> pair.at(pair.sample(4, rng=np.random.default_rng(0)), 4).scores.shape
    (2, 4)
    """

    first: float = 0.5
    second: float = 0.8
    depth: int = 100
    shares: tuple[float, ...] = (0.3,)

    def __post_init__(self) -> None:
        correlation("first", self.first)
        correlation("second", self.second)
        number("depth", self.depth, at_least=1, whole=True)
        object.__setattr__(self, "shares", flat(self.shares))
        check_shares(self.shares)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw what the better signal (row 0) and the first stage (row 1) see of `n` items."""
        return Latent(self.second, self.first, self.shares).sample(n, rng=rng)

    def at(self, sample: Sample, n: int) -> Sample:
        """Return the scores of the first `n` items where these are the whole list."""
        better, stage = sample.scores[:, :n]
        grades = sample.grades[:n]
        if n <= self.depth:
            return Sample(np.stack([better, stage]), grades)
        top = np.argpartition(-stage, self.depth - 1)[: self.depth]
        reranked = stage.copy()
        reranked[top] = stage.max() + 1 + better[top] - better[top].min()
        return Sample(np.stack([reranked, stage]), grades)


@GENERATORS.register("near_misses")
@dataclass(frozen=True)
class NearMisses:
    """Put near misses into the list: items that are not relevant and look so, to B above all.

    The scores are those of `latent`; a share of the items below grade 1 gets more by `pull_a` and
    `pull_b` standard deviations. They spoil the top, which steep discounts look at.

    Parameters
    ----------
    a, b
        The correlations of the rankers with the quality, in (-1, 1).
    near
        The share of near misses among the items of grade 0, in [0, 1].
    pull_a, pull_b
        What a near miss gains in the eyes of A and of B.
    shares
        The shares of items of grade at least 1, at least 2, ..., falling.

    Examples
    --------
    >>> NearMisses().sample(3, rng=np.random.default_rng(0)).scores.shape
    (2, 3)
    """

    a: float = 0.7
    b: float = 0.7
    near: float = 0.05
    pull_a: float = 0.0
    pull_b: float = 2.0
    shares: tuple[float, ...] = (0.3,)

    def __post_init__(self) -> None:
        correlation("a", self.a)
        correlation("b", self.b)
        number("near", self.near, at_least=0)
        if self.near > 1:
            raise ValueError(f"`near` must be a share in [0, 1], got {self.near!r}")
        number("pull_a", self.pull_a)
        number("pull_b", self.pull_b)
        object.__setattr__(self, "shares", flat(self.shares))
        check_shares(self.shares)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items; a stream of its own says which are near misses."""
        (marks,) = rng.spawn(1)
        plain = Latent(self.a, self.b, self.shares).sample(n, rng=rng)
        near = (marks.random(n) < self.near) & (plain.grades == 0)
        pulls: Floats = np.array([[self.pull_a], [self.pull_b]])
        return Sample(plain.scores + pulls * near, plain.grades)


@GENERATORS.register("growing")
@dataclass(frozen=True)
class Growing:
    """A finds more of the list as it grows (query expansion); B finds a fixed share of it.

    An item is a candidate of a ranker where its uniform mark lies below the ranker's share, so that
    candidates stay candidates; all others follow in an order that tells nothing. A's share is
    min(1, start (n / 1000)^rate).

    Parameters
    ----------
    a, b
        The correlations of the rankers with the quality, among their candidates, in (-1, 1).
    start
        The share found by B always and by A at 1,000 items, in (0, 1].
    rate
        How fast A's share grows, at least 0.
    shares
        The shares of items of grade at least 1, at least 2, ..., falling.

    Examples
    --------
    >>> pair = Growing()
    >>> pair.at(pair.sample(4, rng=np.random.default_rng(0)), 4).scores.shape
    (2, 4)
    """

    a: float = 0.6
    b: float = 0.7
    start: float = 0.2
    rate: float = 0.25
    shares: tuple[float, ...] = (0.3,)

    def __post_init__(self) -> None:
        correlation("a", self.a)
        correlation("b", self.b)
        number("start", self.start, above=0)
        if self.start > 1:
            raise ValueError(f"`start` must be a share in (0, 1], got {self.start!r}")
        number("rate", self.rate, at_least=0)
        object.__setattr__(self, "shares", flat(self.shares))
        check_shares(self.shares)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the scores of A and of B, the marks, and the order of what is not found."""
        (others,) = rng.spawn(1)
        plain = Latent(self.a, self.b, self.shares).sample(n, rng=rng)
        marks = np.ascontiguousarray(others.random((n, 2)).T)
        return Sample(np.concatenate([plain.scores, marks]), plain.grades)

    def at(self, sample: Sample, n: int) -> Sample:
        """Return the scores of the first `n` items where these are the whole list."""
        first, second, mark, blind = sample.scores[:, :n]
        share = min(1.0, self.start * (n / 1000) ** self.rate)
        lowest = min(first.min(), second.min()) - 2  # all others lie below the candidates
        found = ((first, share), (second, self.start))
        scores = [np.where(mark < reach, score, lowest + blind) for score, reach in found]
        return Sample(np.stack(scores), sample.grades[:n])
