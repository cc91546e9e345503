"""Measures that only ask whether a document is relevant: AP, RR, P, R, Bpref; and Judged."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.lists import Floats, Lists, running, total
from ndcgstudy.measures.base import MEASURES, check_cutoff, ratio
from ndcgstudy.measures.graded import reciprocal_stop


def _check(rel: float, cutoff: int | None) -> None:
    number("rel", rel, above=0)
    check_cutoff(cutoff)


@MEASURES.register("P")
@dataclass(frozen=True)
class P:
    """Precision: the relevant documents (grade at least `rel`) down to the cutoff, over the cutoff.

    Without a cutoff, over the number of documents retrieved.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("P@4", [1, 0, 2])
    array(0.5)
    """

    rel: float = 1
    cutoff: int | None = None

    def __post_init__(self) -> None:
        _check(self.rel, self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        hits = total(lists.expected(lists.relevant(self.rel))[..., : self.cutoff])
        return np.asarray(hits / (self.cutoff or np.maximum(lists.retrieved, 1)))


@MEASURES.register("R")
@dataclass(frozen=True)
class R:
    """Recall: the relevant documents down to the cutoff, over all relevant documents.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("R@2", [1, 0, 2])
    array(0.5)
    """

    rel: float = 1
    cutoff: int | None = None

    def __post_init__(self) -> None:
        _check(self.rel, self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        hits = total(lists.expected(lists.relevant(self.rel))[..., : self.cutoff])
        return ratio(hits, lists.relevant_total(self.rel))


@MEASURES.register("AP")
@dataclass(frozen=True)
class AP:
    """Average precision: the precision at each relevant document, summed, over all relevant documents.

    In a group of m tied documents with k relevant ones, c relevant ones before it, the i-th rank of
    the group, r in the list, adds k/m * (c + 1 + (i - 1)(k - 1)/(m - 1)) / r (McSherry and Najork 2008).

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("AP", [1, 0, 1]).round(4)
    np.float64(0.8333)
    """

    rel: float = 1
    cutoff: int | None = None

    def __post_init__(self) -> None:
        _check(self.rel, self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        relevant = lists.relevant(self.rel)
        ranks = np.arange(1, lists.depth + 1)
        if lists.first is None or lists.last is None:
            summands = relevant * np.cumsum(relevant, axis=-1) / ranks
        else:
            size, k = lists.last - lists.first, lists.tied_sum(relevant)
            more = (ranks - 1 - lists.first) * (k - 1) / np.maximum(size - 1, 1)
            summands = k / size * (lists.before_tied(relevant) + 1 + more) / ranks
        return ratio(total(summands[..., : self.cutoff]), lists.relevant_total(self.rel))


@MEASURES.register("RR")
@dataclass(frozen=True)
class RR:
    """Reciprocal rank of the first relevant document, 0 where there is none down to the cutoff.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("RR@10", [0, 0, 1, 1]).round(4)
    np.float64(0.3333)
    """

    rel: float = 1
    cutoff: int | None = None

    def __post_init__(self) -> None:
        _check(self.rel, self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        return reciprocal_stop(lists, lists.relevant(self.rel), self.cutoff)


@MEASURES.register("Bpref")
@dataclass(frozen=True)
class Bpref:
    """Binary preference: how rarely judged non-relevant documents stand before relevant ones.

    The mean over all R relevant documents of 1 - min(n, R)/min(N, R), where n of the N judged
    non-relevant documents stand before the one at hand; a relevant document that was not retrieved
    adds 0 (Buckley and Voorhees 2004, as trec_eval computes it).

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("Bpref", [1, 0, 1, 0])
    array(0.75)
    """

    rel: float = 1
    cutoff: int | None = None

    def __post_init__(self) -> None:
        _check(self.rel, self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        relevant = lists.relevant(self.rel)
        nonrelevant = ((lists.grade >= 0) & (lists.grade < self.rel)).astype(float)
        rel_total = lists.relevant_total(self.rel)
        limit = np.minimum(lists.relevant_total(0) - rel_total, rel_total)[..., None]
        above = _capped_above(lists, nonrelevant, rel_total[..., None])
        with np.errstate(invalid="ignore", divide="ignore"):
            kept = np.where(above > 0, 1.0 - above / limit, 1.0)
        kept = (lists.expected(relevant) * kept)[..., : self.cutoff]
        return ratio(total(kept), rel_total)


def _capped_above(lists: Lists, nonrelevant: Floats, cap: Floats) -> Floats:
    """Return min(non-relevant documents above a relevant one at each rank, cap), or its expectation.

    Among m tied documents, n of them non-relevant, a relevant one on the i-th rank of the group has a
    hypergeometric number of these above it: i - 1 draws from the m - 1 others.
    """
    if lists.first is None or lists.last is None:
        return np.minimum(running(nonrelevant)[..., :-1], cap)
    before, n = lists.before_tied(nonrelevant), lists.tied_sum(nonrelevant)
    others = lists.last - lists.first - 1
    drawn = np.arange(lists.depth) - lists.first
    mean = np.asarray(np.minimum(before + drawn * n / np.maximum(others, 1), cap))
    cap = np.broadcast_to(cap, mean.shape)
    at = np.nonzero((before < cap) & (before + n > cap))
    if at[0].size:
        from scipy.stats import hypergeom

        room = (cap - before)[at]
        law = hypergeom(np.maximum(others, 1)[at], np.minimum(n, others)[at], drawn[at])
        mean[at] = cap[at] - sum(
            (np.maximum(room - h, 0) * law.pmf(h) for h in range(int(room.max()))),
            np.zeros(room.size),
        )
    return mean


@MEASURES.register("Judged")
@dataclass(frozen=True)
class Judged:
    """The share of the documents retrieved, down to the cutoff, that are judged for the topic.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("Judged@2", [1, float("nan"), 0])
    array(0.5)
    """

    cutoff: int | None = None

    def __post_init__(self) -> None:
        check_cutoff(self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        judged = lists.expected((~np.isnan(lists.grade)).astype(float))[..., : self.cutoff]
        seen = np.minimum(lists.retrieved, self.cutoff or lists.depth)
        return np.asarray(total(judged) / np.maximum(seen, 1))
