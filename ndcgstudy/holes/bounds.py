"""True bounds on scores and on gaps between systems, over all judgments of the documents at stake."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats
from ndcgstudy.formats.read import check_choice
from ndcgstudy.holes.extremes import best
from ndcgstudy.holes.tops import TopicTops, Tops
from ndcgstudy.ids import Index, Mask

STAKES = ("own", "all")
BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Bounds:
    """The lowest and the highest value that judgments of the documents at stake can give.

    `value` is what it is now; all three have one shape.
    """

    low: Floats
    value: Floats
    high: Floats


def score_bounds(tops: Tops, stake: str = "own") -> Bounds:
    """Bound every score of every system.

    Parameters
    ----------
    tops
        From `lay_out`.
    stake
        Which documents may be judged: "own", the unjudged ones in the system's own top; "all", those
        in the top of any system. Documents elsewhere count as not relevant; were they judged, they
        could only lower scores, since they raise the ideal.

    Returns
    -------
    bounds
        Shape (systems, topics). Topics are judged independently, so the mean over topics of the
        lows is the lowest mean, and that of the highs the highest; both are attained.

    Raises
    ------
    ValueError
        If `stake` is another word.

    Examples
    --------
    >>> from ndcgstudy import Judgments, Rankings
    >>> from ndcgstudy.holes import lay_out
    >>> qrels = Judgments.from_dict({"q1": {"a": 1}})
    >>> run = Rankings.from_dict({"q1": {"a": 2.0, "x": 1.0, "y": 0.0}})
    >>> bounds = score_bounds(lay_out(qrels, [run]))
    >>> bounds.low.round(3), bounds.value, bounds.high
    (array([[0.92]]), array([[1.]]), array([[1.]]))
    """
    check_choice("stake", stake, STAKES)
    low, high = (np.empty(tops.scores.shape) for _ in range(2))
    for t, topic in enumerate(tops.topics):
        inside = topic.number >= 0
        change = np.where(inside, np.take_along_axis(_padded(topic.weight), topic.number, 1), 0.0)
        change, inside = _with_others(change, inside, topic, tops, stake)
        high[:, t] = _best(topic, topic.base, topic.bare, change, inside)
        low[:, t] = -_best(topic, -topic.base, -topic.bare, -change, inside)
    return Bounds(np.minimum(low, tops.scores), tops.scores, np.maximum(high, tops.scores))


def gap_bounds(tops: Tops, stake: str = "own") -> Bounds:
    """Bound the gap between the mean scores of every two systems.

    The bounds of a gap are not differences of bounds: a document that both systems retrieved moves
    both, and every relevant one raises the ideal of both.

    Parameters
    ----------
    tops
        From `lay_out`.
    stake
        "own": the unjudged documents in the top of either of the two may be judged; "all": those in
        the top of any system.

    Returns
    -------
    bounds
        Shape (systems, systems): the mean of the row's system minus that of the column's. Bounds
        are attained.

    Raises
    ------
    ValueError
        If `stake` is another word.

    Examples
    --------
    >>> from ndcgstudy import Judgments, Rankings
    >>> from ndcgstudy.holes import lay_out
    >>> qrels = Judgments.from_dict({"q1": {"a": 1}})
    >>> runs = [Rankings.from_dict({"q1": {"a": 2.0, "x": s}}, name=str(s)) for s in (1.0, 3.0)]
    >>> bounds = gap_bounds(lay_out(qrels, runs))  # x at rank 2 and at rank 1: nothing, or a tie
    >>> bounds.low[0, 1].round(3), bounds.value[0, 1].round(3), bounds.high[0, 1].round(3)
    (np.float64(0.0), np.float64(0.369), np.float64(0.369))
    """
    check_choice("stake", stake, STAKES)
    systems, count = len(tops.systems), len(tops.topics)
    high = np.zeros((systems, systems))
    for topic in tops.topics:
        for rows in _blocks(systems, topic):
            base = topic.base[rows, None] - topic.base
            bare = topic.bare[rows, None] - topic.bare
            change, inside = pair_changes(topic, np.arange(systems)[rows], np.arange(systems))
            change, inside = _with_others(change, inside, topic, tops, stake)
            found = _best(topic, base.ravel(), bare.ravel(), change, inside)
            high[rows] += found.reshape(base.shape)
    high /= count
    np.fill_diagonal(high, 0.0)
    means = tops.scores.mean(axis=1)
    value = means[:, None] - means
    return Bounds(np.minimum(0.0 - high.T, value), value, np.maximum(high, value))


def pair_changes(topic: TopicTops, first: Index, second: Index) -> tuple[Floats, Mask]:
    """Return what a unit of gain of each document at stake adds to the first minus the second.

    Returns
    -------
    change, inside
        Shape (first * second, 2 * width): the documents of the first, then those only in the second;
        and which of them are documents.
    """
    a, b = topic.number[first], topic.number[second]
    weight_a, weight_b = _padded(topic.weight[first]), _padded(topic.weight[second])
    shape = (first.size, second.size, a.shape[1])
    own = np.take_along_axis(weight_a, a, axis=1)[:, None]
    other = weight_b[np.arange(second.size)[:, None], a[:, None]]
    shared = _padded(topic.rank[first] > 0)[np.arange(first.size)[:, None, None], b]
    alone = np.take_along_axis(weight_b, b, axis=1)
    change = np.concatenate([own - other, np.broadcast_to(-alone, shape)], axis=-1)
    inside = np.concatenate(
        [np.broadcast_to((a >= 0)[:, None], shape), (b >= 0) & ~shared], axis=-1
    )
    flat = (first.size * second.size, 2 * a.shape[1])
    return change.reshape(flat), inside.reshape(flat)


def falling(change: Floats, inside: Mask) -> tuple[Floats, Index]:
    """Return the running sums of changes, the largest first, and how many there are.

    Returns
    -------
    sums, most
        Shape (rows, documents + 1) and (rows,).
    """
    ordered = -np.sort(np.where(inside, -change, np.inf), axis=-1)
    most = inside.sum(axis=-1)
    sums = np.zeros((len(ordered), ordered.shape[1] + 1))
    np.cumsum(np.where(np.isinf(ordered), 0.0, ordered), axis=-1, out=sums[:, 1:])
    return sums[:, : int(most.max(initial=0)) + 1], most


def _best(topic: TopicTops, base: Floats, bare: Floats, change: Floats, inside: Mask) -> Floats:
    sums, most = falling(change, inside)
    found = np.empty(base.size)
    for count in np.unique(most):  # rows of few documents need few columns
        rows = np.flatnonzero(most == count)
        part = sums[rows, : count + 1]
        found[rows] = best(base[rows], part, most[rows], bare[rows], topic.ladder)[0]
    return found


def _with_others(
    change: Floats, inside: Mask, topic: TopicTops, tops: Tops, stake: str
) -> tuple[Floats, Mask]:
    """Add the documents of other systems, which move nothing but the ideal.

    More of them than the ideal is long make no difference.
    """
    if stake == "own":
        return change, inside
    others = len(topic.docs) - inside.sum(axis=-1)
    width = min(int(others.max(initial=0)), tops.form.ideal_cutoff or len(topic.docs))
    more = np.arange(width) < others[:, None]
    return np.concatenate([change, np.zeros(more.shape)], axis=-1), np.concatenate(
        [inside, more], axis=-1
    )


def _padded(table: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Add a last column of zeros, which the number -1 finds."""
    return np.concatenate([table, np.zeros((len(table), 1), dtype=table.dtype)], axis=1)


def _blocks(systems: int, topic: TopicTops) -> Iterator[slice]:
    """Cut the systems so that their pairs with all others take a bounded memory."""
    step = max(BLOCK // (systems * max(2 * topic.number.shape[1], 1)), 1)
    return (slice(begin, begin + step) for begin in range(0, systems, step))
