"""Complete blocks of a matrix with missing scores: systems and topics that have all of theirs."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Scores
from ndcgstudy.ids import Mask

_WORK = 300_000_000  # cells looked at: systems x topics squared


@dataclass(frozen=True)
class Block:
    """Systems that have a score on every one of some topics.

    Parameters
    ----------
    why
        What it has the most of.
    systems, topics
        Their names.
    """

    why: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]

    def __str__(self) -> str:
        size = len(self.systems) * len(self.topics)
        return f"{self.why}: {len(self.systems)} systems x {len(self.topics)} topics, {size} scores"


def complete_blocks(scores: Scores) -> tuple[Block, ...]:
    """Suggest complete blocks: the most scores, the most systems with T topics, the most topics with S.

    T is half of the topics and S half of the systems. The search is greedy: topics are taken out, and
    added, one by one, each time the one that leaves the most complete systems; a larger block may exist.

    Returns
    -------
    blocks
        No two alike; none where no two systems share two topics, or nothing is missing.

    Examples
    --------
    >>> gap = np.nan
    >>> values = np.array([[1, 1, 1, gap], [1, 1, 1, gap], [1, 1, 1, 1], [1, 1, gap, gap]])
    >>> for block in complete_blocks(Scores(values, (*"abcd",), (*"wxyz",), "AP")):
    ...     print(block)
    most scores: 3 systems x 3 topics, 9 scores
    most systems with 2 topics or more: 4 systems x 2 topics, 8 scores
    """
    there = np.isfinite(scores.values)
    systems, topics = there.shape
    if there.all() or systems * topics**2 > _WORK:
        return ()
    best: dict[int, tuple[int, Mask]] = {}
    for kept in (*_taken_out(there), *_added(there)):
        count = int(there[:, kept].all(axis=1).sum())
        if count >= 2 and kept.sum() >= 2 and count > best.get(int(kept.sum()), (0,))[0]:
            best[int(kept.sum())] = count, kept
    if not best:
        return ()
    few, many = -(-topics // 2), -(-systems // 2)
    wanted = {
        "most scores": max(best, key=lambda t: t * best[t][0]),
        f"most systems with {few} topics or more": max(
            (t for t in best if t >= few), key=lambda t: (best[t][0], t), default=None
        ),
        f"most topics with {many} systems or more": max(
            (t for t in best if best[t][0] >= many), default=None
        ),
    }
    return _distinct(scores, there, {why: best[t][1] for why, t in wanted.items() if t})


def _taken_out(there: Mask) -> list[Mask]:
    """Return the topics left after each step of taking one out."""
    kept = np.ones(there.shape[1], dtype=bool)
    found = [kept.copy()]
    while kept.sum() > 2:
        lacking = (~there & kept).sum(axis=1)
        near = 1.0 / np.maximum(lacking, 1) ** 2
        gain = (~there & (lacking == 1)[:, None]).sum(axis=0) + 1e-6 * near @ ~there
        kept[np.argmax(np.where(kept, gain, -1.0))] = False
        found.append(kept.copy())
    return found


def _added(there: Mask) -> list[Mask]:
    """Return the topics after each step of adding one."""
    kept, found = np.zeros(there.shape[1], dtype=bool), []
    complete = np.ones(there.shape[0], dtype=bool)
    while not kept.all():
        left = there[complete].sum(axis=0)
        new = int(np.argmax(np.where(kept, -1, left)))
        kept[new], complete = True, complete & there[:, new]
        found.append(kept.copy())
    return found


def _distinct(scores: Scores, there: Mask, chosen: dict[str, Mask]) -> tuple[Block, ...]:
    blocks: dict[bytes, Block] = {}
    for why, kept in chosen.items():
        rows = there[:, kept].all(axis=1)
        systems = tuple(scores.systems[i] for i in np.flatnonzero(rows))
        topics = tuple(scores.topics[j] for j in np.flatnonzero(kept))
        blocks.setdefault(kept.tobytes(), Block(why, systems, topics))
    return tuple(blocks.values())
