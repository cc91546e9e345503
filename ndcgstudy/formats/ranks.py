"""The rank column of a run, which scoring does not read: whether it contradicts the scores throughout."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ndcgstudy.data import Floats, Rankings
from ndcgstudy.formats.numbers import decimals
from ndcgstudy.formats.textfile import TextFile, text_of
from ndcgstudy.formats.trec import scan_run
from ndcgstudy.ids import Ids, Index, Mask
from ndcgstudy.words import many

_ENOUGH = 10  # so many documents that only count are no accident
_STEPS = 4  # so many steps of rank in reverse are none, where whole lists are
_SAMPLE = 1 << 17  # bytes, where a file is looked at only for a sign

REVERSED = "the scores rise with the rank (distances?)"
EXCHANGED = "ranks are not whole numbers: are the rank and score columns exchanged?"
FALLING = "the scores count the documents, and the ranks fall: are the columns exchanged?"


@dataclass(frozen=True)
class RankGroups:
    """The documents of one topic and score: their lowest and highest rank, in the order of the scores.

    `follows` tells which groups have one of their topic before them.
    """

    order: Index
    rank: Floats
    start: Index
    follows: Mask
    lowest: Floats
    highest: Floats

    @property
    def wrong(self) -> Mask:
        """Which groups have a rank that is no higher than one of the group before."""
        return np.asarray(self.follows & (self.lowest <= np.roll(self.highest, 1)))

    @cached_property
    def reversed(self) -> tuple[int, int]:
        """How many lists are in reverse, and how many have two scores or more; 0 where few are."""
        fallen = self.follows & (self.highest < np.roll(self.lowest, 1))
        heads = np.flatnonzero(~self.follows)
        steps = np.diff(heads, append=self.start.size) - 1
        down = np.add.reduceat(fallen, heads, dtype=np.int64)
        whole = (steps > 0) & (down == steps)
        lists = int(np.count_nonzero(steps))
        enough = 2 * np.count_nonzero(whole) > lists and steps[whole].sum() >= _STEPS
        return int(np.count_nonzero(whole)) * bool(enough), lists

    def example(self, group: int) -> tuple[int, int]:
        """Return the row of lowest rank in a group, and that of highest rank in the one before."""
        first, middle = int(self.start[group - 1]), int(self.start[group])
        last = int(self.start[group + 1]) if group + 1 < self.start.size else self.order.size
        here = middle + int(np.argmin(self.rank[middle:last]))
        before = first + int(np.argmax(self.rank[first:middle]))
        return int(self.order[here]), int(self.order[before])


def rank_groups(data: Rankings, rank: Floats, order: Index) -> RankGroups:
    """Group the documents of a run by topic and score, their rows in the order of falling scores."""
    topic, score, rank = data.topic[order], data.score[order] + 0.0, rank[order]
    equal = np.zeros(topic.size, dtype=bool)
    equal[1:] = (score[1:] == score[:-1]) & (topic[1:] == topic[:-1])
    start = np.flatnonzero(~equal)
    follows = np.zeros(start.size, dtype=bool)
    follows[1:] = topic[start[1:]] == topic[start[1:] - 1]
    lowest, highest = np.minimum.reduceat(rank, start), np.maximum.reduceat(rank, start)
    return RankGroups(order, rank, start, follows, lowest, highest)


def by_score(topic: Index, score: Floats) -> Index:
    """Return the rows sorted by topic and falling score."""
    same = topic[1:] == topic[:-1]
    if ((topic[1:] > topic[:-1]) | (same & (score[1:] <= score[:-1]))).all():
        return np.arange(topic.size)
    return np.lexsort((-score, topic))


def exchanged(data: Rankings, column: Ids) -> tuple[str, int]:
    """Say why rank and score seem to have changed places, and on which row; "" where they have not.

    Most ranks are numbers and not whole; or the scores count 1, 2, 3 down each list while the ranks
    fall, and no ranks do.
    """
    rank, good = decimals(column)
    part = good & (rank % 1 != 0)
    score = np.where(np.isfinite(data.score), data.score, -1.0)
    counting = bool((score % 1 == 0).all() and score.min(initial=0) >= 0)
    if part.any() and (counting or 2 * np.count_nonzero(part) >= rank.size):
        return EXCHANGED, int(np.argmax(part))
    heads = np.flatnonzero(np.diff(data.topic, prepend=-1) != 0)
    if not good.all() or heads.size > len(data.topics) or rank.size - heads.size < _ENOUGH:
        return "", 0
    place = np.arange(rank.size) - np.repeat(heads, np.diff(heads, append=rank.size))
    inside = place > 0
    counted = (data.score == place + data.score[heads[0]]).all() and data.score[heads[0]] in (0, 1)
    falling = (np.diff(rank, prepend=0.0) <= 0)[inside].all() and np.ptp(rank) > 0
    return (FALLING, int(np.argmax(inside))) if counted and falling else ("", 0)


def noted(data: Rankings, text: TextFile) -> Rankings:
    """Note on a run that was read without its ranks what these say against its scores, if they do.

    The beginning of the file is looked at; the whole of it only where that looks wrong.
    """
    if not _warning(text_of(_head(text), text.name)):
        return data
    told = _warning(text)
    return replace(data, warnings=(*data.warnings, told)) if told else data


def _head(text: TextFile) -> bytes:
    head = text.buffer[: min(text.size, _SAMPLE)].tobytes()
    return head[: head.rfind(b"\n") + 1]


def _warning(text: TextFile) -> str:
    scan = scan_run(text, whole=True)
    data, column = scan.data, scan.columns[1] if scan.columns else Ids.of([])
    if not len(data.docs):
        return ""
    told, row = exchanged(data, column)
    if told:
        line = text.line(int(scan.line[row]))
        return f"{told} line {int(scan.line[row])}: {line!r}"
    rank, good = decimals(column)
    if not good.all() or (rank % 1 != 0).any():
        return ""
    groups = rank_groups(data, rank, by_score(data.topic, data.score + 0.0))
    count, lists = groups.reversed
    share = f"{count} of {many(lists, 'topic')} ({count / max(lists, 1):.0%})"
    return f"{REVERSED} on {share}: the order is reversed" if count else ""
