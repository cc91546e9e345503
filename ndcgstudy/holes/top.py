"""The first documents of a run on each topic, with their grades."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Floats, Rankings
from ndcgstudy.ids import Ids, Index, Mask
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import Key, rank


@dataclass(frozen=True, eq=False)
class Top:
    """The top of one run: a row a document, topic by topic, first rank first.

    `topic` is the position among the key's topics, `place` the 0-based rank, `grade` is NaN where
    the document is not judged; `answered` tells for which topics the run has any document.
    """

    topic: Index
    place: Index
    docs: Ids
    grade: Floats
    answered: Mask


def top_of(run: Rankings, key: Key, policy: Policy, depth: int | None) -> Top:
    """Look up a run's first `depth` documents of each topic (None: all of them)."""
    ranked = rank(run, key, policy)
    counts = np.bincount(ranked.topic, minlength=len(key.topics))
    place = np.arange(ranked.topic.size) - (np.cumsum(counts) - counts)[ranked.topic]
    near = np.flatnonzero(place < (depth or place.size + 1))
    rows = near if isinstance(ranked.order, slice) else ranked.order[near]
    topic, docs = ranked.topic[near], ranked.docs.take(rows)
    grade = key.judgments.grades_of(topic, docs)
    return Top(topic, place[near], docs, grade, ranked.answered)
