"""What each document of a run adds to its topic's score, and how that differs between conventions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.conventions.convention import Convention
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.ids import Ids, Index
from ndcgstudy.lists import Lists, running
from ndcgstudy.measures import DCG, Measure
from ndcgstudy.measures.graded import discounted
from ndcgstudy.ranking import answer_key, graded_lists, rank, source_grades

if TYPE_CHECKING:
    import pandas as pd

SAME = 1e-12
"""Shares that differ by less are equal."""


@dataclass(frozen=True, eq=False)
class Shares:
    """What each ranked document adds to its topic's nDCG or DCG, before topics are filled in.

    Parameters
    ----------
    topics
        The topics' ids.
    topic
        The position of each row's topic among them, shape (rows,).
    docs
        The documents.
    rank
        From 1; the mean of the ranks of its group for a document whose ties are averaged.
    grade
        NaN for a document that is not judged, unless the policy gives it a grade.
    share
        Shares sum to the topic's score.
    """

    topics: tuple[str, ...]
    topic: Index
    docs: Ids
    rank: Floats
    grade: Floats
    share: Floats

    def frame(self, rows: Any = slice(None)) -> "pd.DataFrame":
        """Return some rows as a frame: topic, document, rank, grade, share, and the row's id."""
        import pandas as pd

        names = np.array(self.topics, dtype=object)[self.topic[rows]]
        docs = self.docs.take(rows)
        columns = {"rank": self.rank, "grade": self.grade, "share": self.share}
        return pd.DataFrame(
            {
                "topic": names,
                "document": docs.strings(),
                **{name: values[rows] for name, values in columns.items()},
                "row": docs.start,  # where the id begins in the run: one place a row
            }
        )


def shares(judgments: Judgments, run: Rankings, measure: Measure, convention: Convention) -> Shares:
    """Return what each document of a run adds to its topic's score under a convention.

    Examples
    --------
    >>> from ndcgstudy.measures import nDCG
    >>> qrels = Judgments.from_dict({"q": {"a": 2, "b": 1}})
    >>> run = Rankings.from_dict({"q": {"b": 2.0, "a": 1.0}})
    >>> shares(qrels, run, nDCG(), Convention()).share.round(3)
    array([0.38, 0.48])
    """
    policy, part = convention.policy, convention.rewrite(measure)
    key = answer_key(judgments, policy)
    ranked = rank(run, key, policy)
    known = source_grades(ranked, key)
    graded = graded_lists(ranked, key, policy, None, known)
    docs = ranked.docs.take(ranked.order)
    if policy.unjudged == "condensed":
        grade = known[ranked.order]
        docs = docs.take(grade >= 0 if policy.negative == "zero" else ~np.isnan(grade))
    lists = graded.lists(slice(0, len(key.topics)), key, policy)
    at = (0, graded.topic, graded.rank)
    first, last = graded.rank, graded.rank + 1
    if lists.first is not None and lists.last is not None:
        first, last = lists.first[at], lists.last[at]
    sums = running(_weights(convention, lists, part))
    share = convention.gain(np.fmax(lists.grade[at], 0.0)) * (sums[last] - sums[first])
    share = share / (last - first)
    if not isinstance(part, DCG):
        best = discounted(lists.ideal_gains(convention.gain, part.cutoff), convention.discount)
        share = share / np.where(best > 0, best, 1.0)[0, graded.topic]
    middle = (first + 1 + last) / 2
    return Shares(key.topics, graded.topic, docs, middle, lists.grade[at], share)


def _weights(convention: Convention, lists: Lists, part: Measure) -> Floats:
    """Return the weights of all ranks, 0 below the cutoff."""
    weights = np.array(convention.discount(np.arange(1, lists.depth + 1)), dtype=float)
    if part.cutoff is not None:
        weights[part.cutoff :] = 0.0
    return weights


def changed_documents(one: Shares, two: Shares) -> "pd.DataFrame":
    """Return the documents that add to a score and whose rank or share differs.

    Returns
    -------
    table
        A row a document, topic by topic, the largest difference of a topic first: topic, document, and
        rank, grade and share under either, ``_a`` and ``_b``.
    """
    adding = [s.docs.start[s.share > 0] for s in (one, two)]
    wanted = np.concatenate(adding)
    both = [s.frame(np.flatnonzero(np.isin(s.docs.start, wanted))) for s in (one, two)]
    table = both[0].merge(
        both[1], on=["topic", "document", "row"], how="outer", suffixes=("_a", "_b")
    )
    table = table.fillna({"share_a": 0.0, "share_b": 0.0})
    change = (table["share_b"] - table["share_a"]).abs()
    table = table.assign(change=change)[(change > SAME) | (table["rank_a"] != table["rank_b"])]
    place = {topic: i for i, topic in enumerate(one.topics)}
    table = table.assign(place=table["topic"].map(place)).sort_values(
        ["place", "change", "document"], ascending=[True, False, True], ignore_index=True
    )
    sides = [f"{name}_{side}" for name in ("rank", "grade", "share") for side in "ab"]
    return table[["topic", "document", *sides]]
