"""Signs that a run is not what it should be: unjudged, tied throughout, or named by other ids."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ndcgstudy.data import Judgments
from ndcgstudy.folding import cut_at, difference, fold, near_topics
from ndcgstudy.ids import Index
from ndcgstudy.ranking import Graded, Key, Ranked

LOW = 0.05
"""A run with a lower share of judged documents in its top deserves a warning."""

SPARSE = 0.25
"""Judgments that are sparse leave no run more; of what they leave, a sound run finds such a share."""

_ENOUGH = 4  # fewer documents may tie by chance
_TOPICS, _TOP = 25, 10  # of so many topics the first unjudged documents are looked at


@dataclass(frozen=True)
class Oddities:
    """What is odd in one run.

    Parameters
    ----------
    judged, seen
        Of the `seen` documents looked up, those that are judged; only where they are suspiciously few.
    tied, lists
        Of the `lists` of two or more documents, those whose scores are all equal; only where most are.
    ids
        How the run's ids differ from the judged ones, with an example; "" where they do not.
    """

    judged: int = 0
    seen: int = 0
    tied: int = 0
    lists: int = 0
    ids: str = ""


def oddities(ranked: Ranked, graded: Graded, key: Key, near: "NearIds") -> Oddities:
    """Look at a run that was ranked and matched with the judgments."""
    judged = graded.seen - graded.unjudged
    few = _few(judged, graded, key)
    tied, lists = _tied(ranked)
    return Oddities(
        judged=judged,
        seen=graded.seen if few else 0,
        tied=tied if 2 * tied > lists else 0,
        lists=lists,
        ids=near.difference(ranked) if graded.unjudged else "",
    )


def _few(judged: int, graded: Graded, key: Key) -> bool:
    """Tell whether the judged documents are under 5%, and few of those that judgments allow."""
    if judged >= LOW * graded.seen:
        return False
    allowed = np.bincount(key.judgments.topic, minlength=len(key.topics))
    depth = graded.retrieved if graded.depth is None else np.minimum(graded.retrieved, graded.depth)
    return judged < SPARSE * int(np.minimum(allowed, depth).sum())


def _tied(ranked: Ranked) -> tuple[int, int]:
    """Count the lists of two or more documents, and those among them that have one score."""
    topics = ranked.answered.size
    held = np.bincount(ranked.topic, minlength=topics)
    lists = int(np.count_nonzero(held > 1))
    if not ranked.tied.any():
        return 0, lists
    tied = np.bincount(ranked.topic[ranked.tied], minlength=topics)
    whole = (held > 1) & (tied == held - 1)
    return int(np.count_nonzero(whole)) * bool(held[whole].sum() >= _ENOUGH), lists


class NearIds:
    """Judged documents of some topics, among which those that a run names otherwise are found."""

    def __init__(self, judgments: Judgments) -> None:
        self.judgments = judgments
        count = len(judgments.topics)
        self.topics = np.unique(np.linspace(0, count - 1, min(count, _TOPICS)).astype(np.int64))

    @cached_property
    def judged(self) -> dict[int, dict[str, str]]:
        """The judged documents of each topic looked at, by what they fold to."""
        found: dict[int, dict[str, str]] = {int(topic): {} for topic in self.topics}
        rows = np.flatnonzero(np.isin(self.judgments.topic, self.topics))
        names = self.judgments.docs.take(rows).strings()
        for topic, name in zip(self.judgments.topic[rows].tolist(), names, strict=True):
            found[topic][fold(name)] = name
        return found

    def difference(self, ranked: Ranked) -> str:
        """Say how unjudged documents at the top differ from judged ones, if a share of them does."""
        unjudged = list(self._unjudged(ranked))
        if not unjudged:
            return ""
        pairs = [
            (name, other)
            for topic, name in unjudged
            if (other := self.judged[topic].get(fold(name))) is not None
        ]
        how = f"differ only in {difference(*pairs[0])}" if pairs else ""
        if not pairs and (pairs := self._cut(unjudged)):
            how = "are one cut off"
        if len(pairs) < LOW * len(unjudged):
            return ""
        return f"{pairs[0][0]!r} of the run and the judged {pairs[0][1]!r} {how}" if pairs else ""

    def _unjudged(self, ranked: Ranked) -> Iterator[tuple[int, str]]:
        """Yield the unjudged documents among the first of each topic looked at."""
        ends = np.searchsorted(ranked.topic, [self.topics, self.topics + 1])
        for topic, begin, end in zip(self.topics.tolist(), *ends.tolist(), strict=True):
            known = set(self.judged[topic].values())
            rows = _rows(ranked, begin, min(end, begin + _TOP))
            yield from (
                (topic, name) for name in ranked.docs.take(rows).strings() if name not in known
            )

    def _cut(self, unjudged: list[tuple[int, str]]) -> list[tuple[str, str]]:
        """Pair documents with judged ones that begin alike, where one side is cut at one length."""
        ours = cut_at(np.array([len(name) for _, name in unjudged]))
        all_judged = [name for names in self.judged.values() for name in names.values()]
        theirs = cut_at(np.array([len(name) for name in all_judged]))
        pairs = []
        for size, both in ((ours, False), (theirs, True)):
            if not size:
                continue
            heads = {
                topic: {name[:size]: name for name in names.values() if (len(name) > size) ^ both}
                for topic, names in self.judged.items()
            }
            pairs += [
                (name, heads[topic][name[:size]])
                for topic, name in unjudged
                if name[:size] in heads[topic] and (len(name) > size) == both
            ]
        return pairs


def _rows(ranked: Ranked, begin: int, end: int) -> Index:
    if isinstance(ranked.order, slice):
        return np.arange(begin, end)
    return ranked.order[begin:end]


def near_topic(ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """Give an example of a topic of a run and a judged one that differ in what programs change."""
    near = near_topics(ours, theirs)
    if not near:
        return ""
    a, b = ours[near[0][0]], theirs[near[0][1]]
    return f"{a!r} of the run and {b!r} of the qrels differ only in {difference(a, b)}"
