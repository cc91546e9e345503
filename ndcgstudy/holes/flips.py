"""The flip budget: how many unjudged documents it takes to turn the order of two systems round."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats
from ndcgstudy.holes.bounds import falling, pair_changes
from ndcgstudy.holes.extremes import best
from ndcgstudy.holes.tops import TopicTops, Tops
from ndcgstudy.ids import Index

TIE = 1e-12
"""Means nearer to each other than this are tied."""


@dataclass(frozen=True)
class Judged:
    """A document judged relevant: its topic, id and grade, and its ranks in the tops (0: not there)."""

    topic: str
    doc: str
    grade: float
    leader_rank: int
    other_rank: int


@dataclass(frozen=True)
class Flip:
    """What it takes to put the system that is behind ahead.

    Parameters
    ----------
    leader, other
        The systems; where they are tied, as they were named.
    gap
        The mean of the leader minus that of the other.
    least
        The lowest gap that judgments of the documents at stake can give.
    stake
        How many documents are at stake: unjudged, and in the top of either system.
    documents
        The fewest documents that, judged so, put the other system ahead: empty if none can.
    """

    leader: str
    other: str
    gap: float
    least: float
    stake: int
    documents: tuple[Judged, ...]

    @property
    def fewest(self) -> int | None:
        """How many documents must be judged relevant; None if no judgments turn the order."""
        return len(self.documents) or None

    @property
    def verdict(self) -> str:
        """Return "tied", "safe" or "fragile"."""
        if self.gap <= TIE:
            return "tied"
        return "fragile" if self.documents else "safe"

    def __str__(self) -> str:
        pair = f"{self.leader} - {self.other}: gap {self.gap:.4f}"
        if self.verdict == "tied":
            return f"{pair}, tied"
        reach = (
            f"{pair}, at least {self.least:.4f} whatever the {self.stake} unjudged documents are"
        )
        if self.verdict == "safe":
            return f"{reach}: safe"
        return f"{reach}: fragile, {self.fewest} of them can turn it"


def flip_budget(tops: Tops, first: str, second: str) -> Flip:
    """Find the fewest unjudged documents whose judgments turn the order of two means round.

    Documents count as not relevant until they are judged, so only those judged relevant matter.
    For each topic and number of documents the best change of the gap is exact (see `extremes`); a
    knapsack over the topics then spends the fewest in all. The order is turned when the mean of
    the system behind is ahead by more than 1e-12.

    Parameters
    ----------
    tops
        From `lay_out`; the other runs in it play no part.
    first, second
        The names of the two systems.

    Raises
    ------
    ValueError
        If a system is unknown.

    Examples
    --------
    >>> from ndcgstudy import Judgments, Rankings
    >>> from ndcgstudy.holes import lay_out
    >>> qrels = Judgments.from_dict({"q1": {"a": 1, "b": 1}})
    >>> good = Rankings.from_dict({"q1": {"a": 2.0, "b": 1.0}}, name="good")
    >>> odd = Rankings.from_dict({"q1": {"x": 3.0, "y": 2.0, "a": 1.0}}, name="odd")
    >>> print(flip_budget(lay_out(qrels, [good, odd]), "good", "odd"))
    good - odd: gap 0.6934, at least -0.1952 whatever the 2 unjudged documents are: fragile, \
2 of them can turn it
    """
    a, b = pair_of(tops, first, second)
    means = tops.scores.mean(axis=1)
    if means[b] > means[a]:
        a, b = b, a
    parts = [_Part.of(topic, b, a) for topic in tops.topics]
    gap, count = float(means[a] - means[b]), len(parts)
    gains = [(part.values - part.values[0]) / count for part in parts]
    least = gap - sum(float(gain.max()) for gain in gains)
    stake = sum(part.order.size for part in parts)
    spent = _knapsack(gains, gap + TIE) if gap > TIE else None
    documents: list[Judged] = []
    for name, topic, part, used in zip(
        _topics(tops), tops.topics, parts, spent or (), strict=False
    ):
        documents += _judged(tops, name, topic, part, used, a, b)
    return Flip(tops.systems[a], tops.systems[b], gap, least, stake, tuple(documents))


def pair_of(tops: Tops, first: str, second: str) -> tuple[int, int]:
    """Return the places of two systems.

    Raises
    ------
    ValueError
        If one is unknown, or both are the same.
    """
    for name in (first, second):
        if name not in tops.systems:
            raise ValueError(f"unknown system {name!r}{nearest(name, [*tops.systems])}")
    if first == second:
        raise ValueError(f"`first` and `second` must be two systems, got {first!r} twice")
    return tops.systems.index(first), tops.systems.index(second)


@dataclass(frozen=True, eq=False)
class _Part:
    """One topic: the largest gap by the number of documents judged relevant, and by which chain.

    `order` holds the numbers of the documents at stake, those that help the most first.
    """

    values: Floats
    chains: Index
    order: Index

    @classmethod
    def of(cls, topic: TopicTops, first: int, second: int) -> "_Part":
        pair = np.array([first]), np.array([second])
        change, inside = pair_changes(topic, *pair)
        sums, most = falling(change, inside)
        budgets = np.arange(int(most[0]) + 1)
        base, bare = (
            np.repeat(x[first] - x[second], budgets.size) for x in (topic.base, topic.bare)
        )
        values, chains = best(
            base, np.repeat(sums, budgets.size, axis=0), budgets, bare, topic.ladder
        )
        numbers = np.concatenate([topic.number[first], topic.number[second]])[inside[0]]
        return cls(values, chains, numbers[np.argsort(-change[0][inside[0]], kind="stable")])


def _knapsack(gains: Sequence[Floats], needed: float) -> list[int] | None:
    """Spend the fewest documents in all so that the gains add up to more than is needed.

    Parameters
    ----------
    gains
        For each topic, what 0, 1, ... documents gain there at most.

    Returns
    -------
    spent
        How many on each topic, or None if all together are not enough.
    """
    reached, choices = np.zeros(1), []
    for gain in gains:
        wider = np.full(reached.size + gain.size - 1, -np.inf)
        chosen = np.zeros(wider.size, dtype=np.int64)
        for used, more in enumerate(gain):
            part = slice(used, used + reached.size)
            higher = reached + more > wider[part]
            wider[part][higher] = (reached + more)[higher]
            chosen[part][higher] = used
        reached = wider
        choices.append(chosen)
    enough = np.flatnonzero(reached > needed)
    if not enough.size:
        return None
    left, spent = int(enough[0]), []
    for chosen in reversed(choices):
        spent.append(int(chosen[left]))
        left -= spent[-1]
    return spent[::-1]


def _judged(
    tops: Tops, name: str, topic: TopicTops, part: _Part, used: int, a: int, b: int
) -> list[Judged]:
    """Name the documents that a chain judges relevant, with the grades it gives."""
    chain = part.chains[used]
    levels = (np.arange(chain[:1].sum())[:, None] < chain).sum(axis=1)
    return [
        Judged(
            name,
            topic.docs[doc],
            float(tops.grades[level]),
            int(topic.rank[a, doc]),
            int(topic.rank[b, doc]),
        )
        for doc, level in zip(part.order[: levels.size], levels, strict=True)
    ]


def _topics(tops: Tops) -> tuple[str, ...]:
    return next(iter(tops.evaluation.scores.values())).topics
