"""From a run's scores to ranked lists of grades, under a policy."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.ids import Ids, Index, Mask
from ndcgstudy.lists import Lists
from ndcgstudy.policies import Policy

FloatAny = npt.NDArray[np.floating[Any]]

BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Key:
    """The judgments as a policy reads them, with the ideal list of each topic laid out.

    Parameters
    ----------
    judgments
        Without the rows that the policy drops.
    ideal
        Shape (topics, judged): grades, falling, filled up with -1.
    """

    judgments: Judgments
    ideal: Floats

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that are scored."""
        return self.judgments.topics


def answer_key(judgments: Judgments, policy: Policy) -> Key:
    """Read the judgments as the policy says and lay out the ideal lists."""
    grade = judgments.grade
    keep = np.ones(grade.size, dtype=bool)
    if policy.exclude_self is True:
        keep &= ~own_documents(judgments.topics, judgments.topic, judgments.docs)
    if policy.negative == "unjudged":
        keep &= grade >= 0
    if not keep.all():
        judgments = judgments.select(keep)
    if policy.negative == "judged":
        judgments = Judgments(
            judgments.topics, judgments.topic, judgments.docs, np.maximum(judgments.grade, 0.0)
        )
    order = np.lexsort((-judgments.grade, judgments.topic))
    topic = judgments.topic[order]
    counts = np.bincount(topic, minlength=len(judgments.topics))
    ideal = np.full((len(judgments.topics), max(int(counts.max(initial=0)), 1)), -1.0)
    ideal[topic, _rank(topic, counts)] = judgments.grade[order]
    return Key(judgments, ideal)


@dataclass(frozen=True, eq=False)
class Ranked:
    """A run in ranked order: one row a document, topic by topic, first rank first.

    Parameters
    ----------
    run
        The run's name, for messages.
    topic
        The position of each row's topic among the key's topics.
    docs, order
        The documents in the order of the source, and the place of each row among them: the few
        that are looked up need not move the rest.
    tied
        Whether each row's score equals that of the row before, on one topic.
    answered
        Which topics the run has any document for, shape (topics,).
    rounded
        How many ties were made by rounding scores to 32 bits: different scores less different
        rounded ones, topic by topic.
    """

    run: str
    topic: Index
    docs: Ids
    order: Index | slice
    tied: Mask
    answered: Mask
    rounded: int


def rank(run: Rankings, key: Key, policy: Policy) -> Ranked:
    """Put a run's documents in order.

    Raises
    ------
    ValueError
        If scores tie where the policy refuses ties.
    """
    place = {topic: i for i, topic in enumerate(key.topics)}
    position = np.array([place.get(topic, -1) for topic in run.topics], dtype=np.int64)
    topic = position[run.topic]
    rows = np.flatnonzero(topic >= 0) if (position < 0).any() else slice(None)
    topic, docs = topic[rows], run.docs.take(rows)
    score = run.score[rows] + 0.0  # turns -0 into 0
    answered = np.bincount(topic, minlength=len(key.topics)) > 0
    if policy.exclude_self:
        other = ~own_documents(key.topics, topic, docs)
        topic, docs, score = topic[other], docs.take(other), score[other]
    order, tied, rounded = _order(topic, score, docs, policy)
    topic = topic[order]
    if policy.ties == "error" and tied.any():
        at = int(np.argmax(tied))
        first, second = docs.take(order).take(slice(at - 1, at + 1)).strings()
        raise ValueError(
            f"{run.source}: documents {first} and {second} of topic {key.topics[topic[at]]} "
            f"tie at score {score[order][at]:g} in {policy.precision}"
        )
    return Ranked(run.name, topic, docs, order, tied, answered, rounded)


def source_grades(ranked: Ranked, key: Key) -> Floats:
    """Look up the grades of all documents of a run, in the order of its source."""
    topic = np.empty_like(ranked.topic)
    topic[ranked.order] = ranked.topic
    return key.judgments.grades_of(topic, ranked.docs)


def graded_lists(
    ranked: Ranked, key: Key, policy: Policy, depth: int | None, known: Floats | None = None
) -> "Graded":
    """Look up the grades of a ranked run, down to a depth (None: all of it).

    Where they are `known`, as `source_grades` returns them, they are put in order only.
    """
    topic, order, tied = ranked.topic, ranked.order, ranked.tied
    if policy.unjudged != "nonrelevant" or policy.ties == "average" or policy.ideal == "retrieved":
        depth = None
    counts = np.bincount(topic, minlength=len(key.topics))
    ranks = _rank(topic, counts)
    if depth is not None and depth < counts.max(initial=0):
        near = np.flatnonzero(ranks < depth)
        topic, tied, ranks = topic[near], tied[near], ranks[near]
        order = near if isinstance(order, slice) else order[near]
    grade = (
        key.judgments.grades_of(topic, ranked.docs.take(order)) if known is None else known[order]
    )
    seen, unjudged = grade.size, int(np.count_nonzero(np.isnan(grade)))
    if policy.unjudged == "condensed":
        kept = grade >= 0 if policy.negative == "zero" else ~np.isnan(grade)
        topic, tied, grade = topic[kept], _tied_still(tied, kept), grade[kept]
        counts = np.bincount(topic, minlength=len(key.topics))
        ranks = _rank(topic, counts)
    return Graded(topic, ranks, grade, tied, counts, unjudged, seen, depth)


@dataclass(frozen=True, eq=False)
class Graded:
    """A ranked run with its grades: rows of (topic, rank, grade, tied with the row before).

    `retrieved` is the number of documents of each topic; of the `seen` documents looked up, down to
    `depth` a topic (None: all), `unjudged` had no grade.
    """

    topic: Index
    rank: Index
    grade: Floats
    tied: Mask
    retrieved: Index
    unjudged: int
    seen: int
    depth: int | None

    def blocks(self, key: Key, policy: Policy) -> Iterator[tuple[slice, Lists]]:
        """Lay the rows out as lists, a block of topics at a time to bound the memory."""
        depth = int(self.rank.max(initial=0)) + 1
        step = max(BLOCK // max(depth, key.ideal.shape[1]), 1)
        for begin in range(0, len(key.topics), step):
            part = slice(begin, min(begin + step, len(key.topics)))
            yield part, self.lists(part, key, policy)

    def lists(self, part: slice, key: Key, policy: Policy) -> Lists:
        """Lay the rows of some topics out as lists."""
        rows = slice(*np.searchsorted(self.topic, [part.start, part.stop]))
        topic, ranks, grade = self.topic[rows] - part.start, self.rank[rows], self.grade[rows]
        ideal = key.ideal[part]
        if policy.unjudged == "optimistic":
            top = np.maximum(ideal[:, 0], 0.0)
            missing = np.isnan(grade)
            ideal = _with_more(ideal, top, np.bincount(topic[missing], minlength=top.size))
            grade = np.where(missing, top[topic], grade)
        shape = (part.stop - part.start, int(ranks.max(initial=0)) + 1)
        laid = np.full(shape, np.nan)
        laid[topic, ranks] = grade
        lists = Lists(laid[None], self.retrieved[None, part], ideal[None], policy.ideal)
        if policy.ties == "average" and self.tied[rows].any():
            return _with_ties(lists, topic, ranks, self.tied[rows])
        return lists


def _with_ties(lists: Lists, topic: Index, ranks: Index, tied: Mask) -> Lists:
    """Add to lists where the group of tied documents around each rank begins and ends."""
    shape = lists.grade.shape[1:]
    head = np.ones(shape, dtype=bool)
    head[topic, ranks] = ~tied
    places = np.broadcast_to(np.arange(shape[1]), shape)
    first = np.maximum.accumulate(np.where(head, places, 0), axis=-1)
    ends = np.ones(shape, dtype=bool)
    ends[:, :-1] = head[:, 1:]
    stops = np.where(ends, places + 1, shape[1])
    last = np.minimum.accumulate(stops[:, ::-1], axis=-1)[:, ::-1]
    return replace(lists, first=first[None], last=last[None])


def _with_more(ideal: Floats, top: Floats, more: Index) -> Floats:
    """Put `more` documents of the top grade at the head of each ideal list."""
    width = ideal.shape[1] + int(more.max(initial=0))
    place = np.arange(width) - more[:, None]
    moved = np.take_along_axis(ideal, np.clip(place, 0, ideal.shape[1] - 1), axis=1)
    moved = np.where(place >= ideal.shape[1], -1.0, moved)
    return np.where(place < 0, top[:, None], moved)


def _order(
    topic: Index, score: Floats, docs: Ids, policy: Policy
) -> tuple[Index | slice, Mask, int]:
    """Sort rows by topic, then by falling score, then as the policy breaks ties.

    Returns
    -------
    order, tied, rounded
        The rows in order, which of them tie with the one before, and how many ties rounding made.
    """
    compared: FloatAny = score
    if policy.precision == "float32":
        with np.errstate(over="ignore"):
            compared = score.astype(np.float32)
    order = _sorted_rows(topic, compared)
    tied = _equal_to_previous(topic[order], compared[order])
    if not tied.any():
        return order, tied, 0
    order = np.arange(topic.size) if isinstance(order, slice) else order
    rows = np.flatnonzero(tied | np.append(tied[1:], [False]))
    group = np.cumsum(~tied, dtype=np.int64)[rows]
    keys: list[Any] = [order[rows]]
    if policy.ties == "trec":
        keys = [~word for word in docs.take(order[rows]).byte_order()]
    order[rows] = order[rows][np.lexsort((*keys, group))]
    rounded = 0 if compared is score else _steps(group, score[order[rows]])
    return order, tied, rounded


def _steps(group: Index, score: Floats) -> int:
    """Count the steps between different scores within groups."""
    order = np.lexsort((score, group))
    group, score = group[order], score[order]
    return int(np.count_nonzero((group[1:] == group[:-1]) & (score[1:] != score[:-1])))


def _sorted_rows(topic: Index, score: FloatAny) -> Index | slice:
    """Return the rows sorted by topic and falling score, ties in any order."""
    same = topic[1:] == topic[:-1]
    if ((topic[1:] > topic[:-1]) | (same & (score[1:] <= score[:-1]))).all():
        return slice(None)
    if score.dtype == np.float32:
        bits = score.view(np.uint32)
        falling = np.where(bits >> 31, bits, ~bits ^ np.uint32(1 << 31))  # the largest score first
        return np.argsort((topic.astype(np.uint64) << np.uint64(32)) | falling)
    return np.lexsort((-score, topic))


def _equal_to_previous(topic: Index, score: FloatAny) -> Mask:
    equal = np.zeros(topic.size, dtype=bool)
    equal[1:] = (score[1:] == score[:-1]) & (topic[1:] == topic[:-1])
    return equal


def _tied_still(tied: Mask, kept: Mask) -> Mask:
    """Tell which of the kept rows tie with the kept row before."""
    group = np.cumsum(~tied)[kept]
    still = np.zeros(group.size, dtype=bool)
    still[1:] = group[1:] == group[:-1]
    return still


def own_documents(topics: tuple[str, ...], topic: Index, docs: Ids) -> Mask:
    """Tell which documents bear the id of their topic."""
    return docs.equal(Ids.of(topics).take(topic))


def _rank(topic: Index, counts: Index) -> Index:
    """Return the 0-based place of each row within its topic, rows being sorted by topic."""
    starts = np.cumsum(counts) - counts
    return np.arange(topic.size) - starts[topic]
