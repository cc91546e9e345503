"""The lists that systems show, topic by topic: their documents and, laid out for measures, their grades."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Rankings
from ndcgstudy.lists import Floats, Lists
from ndcgstudy.notes import Count, Remark, told, warnings_on_run
from ndcgstudy.oddities import NearIds, oddities
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import Key, Ranked, graded_lists, rank

Documents = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Shown:
    """The lists of several runs on the topics of a key.

    Parameters
    ----------
    lists
        Shape (1, runs * topics, ranks): the topics of the first run, then those of the second.
    docs
        The documents of each list, first rank first, in the same order.
    unjudged, seen
        Of the `seen` documents looked up, those without a judgment.
    warnings
        What makes the lists of a run doubtful, a line each.
    """

    lists: Lists
    docs: tuple[Documents, ...]
    unjudged: int
    seen: int
    warnings: tuple[str, ...] = ()


def show(runs: Sequence[Rankings], key: Key, policy: Policy, depth: int | None = None) -> Shown:
    """Lay out what runs show on each topic, down to a depth (None: all of it).

    Raises
    ------
    ValueError
        If the policy averages over the orders of tied documents: a person sees one order.
    """
    if policy.ties == "average":
        raise ValueError("ties must be trec, input or error: a person sees one order, no average")
    parts: list[Lists] = []
    docs: list[Documents] = []
    unjudged = seen = 0
    warnings: list[Remark] = []
    near = NearIds(key.judgments)
    for run in runs:
        ranked = rank(run, key, policy)
        graded = graded_lists(ranked, key, policy, depth)
        parts += [part for _, part in graded.blocks(key, policy)]
        docs += documents(ranked, len(key.topics), depth)
        unjudged, seen = unjudged + graded.unjudged, seen + graded.seen
        odd = oddities(ranked, graded, key, near)
        count = Count(run.name, len(key.topics), depth=graded.depth, odd=odd, read=run.warnings)
        warnings += warnings_on_run(count, policy)
    return Shown(stacked(parts), tuple(docs), unjudged, seen, told(warnings))


def documents(ranked: Ranked, topics: int, depth: int | None) -> list[Documents]:
    """Return the documents of a ranked run, a tuple for each topic, down to a depth."""
    ends = np.searchsorted(ranked.topic, np.arange(topics + 1))
    begins, stops = ends[:-1], ends[1:]
    if depth is not None:
        stops = np.minimum(stops, begins + depth)
    ids = ranked.docs.take(ranked.order)
    return [
        tuple(ids.take(slice(begin, stop)).strings())
        for begin, stop in zip(begins, stops, strict=True)
    ]


def stacked(parts: Sequence[Lists]) -> Lists:
    """Put the topics of several blocks of lists side by side.

    Examples
    --------
    >>> part = Lists(np.array([[[1.0, 0.0]]]), np.array([[2]]), np.array([[[1.0]]]))
    >>> longer = Lists(np.array([[[1.0]]]), np.array([[1]]), np.array([[[2.0, 1.0]]]))
    >>> stacked([part, longer]).grade
    array([[[ 1.,  0.],
            [ 1., nan]]])
    """
    return Lists(
        _filled([part.grade for part in parts], np.nan),
        np.concatenate([part.retrieved for part in parts], axis=1),
        _filled([part.ideal for part in parts], -1.0),
        parts[0].ideal_rule,
    )


def _filled(blocks: Sequence[Floats], value: float) -> Floats:
    """Join blocks (1, topics, width) along the topics, filled up to the widest."""
    width = max(block.shape[-1] for block in blocks)
    edges = [((0, 0), (0, 0), (0, width - block.shape[-1])) for block in blocks]
    wide = [np.pad(b, e, constant_values=value) for b, e in zip(blocks, edges, strict=True)]
    return np.concatenate(wide, axis=1)
