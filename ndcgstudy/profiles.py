"""The lists, and the systems, that have two given figures of nDCG, at ranks 5 and 20.

Lists of twenty grades 0, 1 or 2 (3.5 thousand million) are counted, not drawn: a list is a head of five
ranks and a tail in two parts, and the sums of the parts meet. The gain is linear, the discount log2.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats
from ndcgstudy.discounts import Log2
from ndcgstudy.enumeration import every

Ints = npt.NDArray[np.int64]
Parts = dict[tuple[int, int], tuple[Ints, Floats]]

HEAD, SPLIT, RANKS = 5, 13, 20
HALF = 0.005
WEIGHTS = Log2()(np.arange(1, RANKS + 1))


@dataclass(eq=False)
class Found:
    """The lists that match.

    Parameters
    ----------
    counts
        How many there are by relevant documents in all and in the head.
    ranks
        How many have grade 1 (row 0) and grade 2 (row 1) at each rank, (2, ranks).
    """

    counts: dict[tuple[int, int], int] = field(default_factory=lambda: defaultdict(int))
    ranks: Floats = field(default_factory=lambda: np.zeros((2, RANKS)))

    @property
    def total(self) -> int:
        """How many lists there are."""
        return sum(self.counts.values())


def lists_with(ones: int, twos: int, five: float, twenty: float) -> Found:
    """Count the lists whose nDCG@5 and nDCG@20 round to two figures of two digits.

    Parameters
    ----------
    ones, twos
        The documents of grade 1 and 2 that the topic has.
    five, twenty
        The figures.

    Examples
    --------
    >>> lists_with(8, 1, 0.89, 0.72).counts
    {(5, 4): 8}
    """
    ideal = np.repeat([2.0, 1.0], [twos, ones])[:RANKS]
    best = [float(ideal[:k] @ WEIGHTS[: len(ideal[:k])]) for k in (HEAD, RANKS)]
    grades = 3 if twos else 2
    edges = ((0, HEAD), (HEAD, SPLIT), (SPLIT, RANKS))
    head, middle, end = (parts(grades, WEIGHTS[a:b]) for a, b in edges)
    found = Found()
    for (h1, h2), (heads, sums) in head.items():
        for which, at in enumerate(sums):
            if h1 <= ones and h2 <= twos and abs(at / best[0] - five) < HALF:
                span = ((twenty - HALF) * best[1] - at, (twenty + HALF) * best[1] - at)
                left = (ones - h1, twos - h2)
                _meet(found, heads[which], left, (middle, end), span)
    found.counts = dict(sorted(found.counts.items()))
    return found


def parts(grades: int, weights: Floats) -> Parts:
    """Return every part of a list by how many of grades 1 and 2 it holds, in the order of its sum."""
    lists = every(grades, len(weights))
    sums, held = lists @ weights, [(lists == g).sum(axis=1) for g in (1, 2)]
    code = held[0] * 100 + held[1]
    order = np.lexsort((sums, code))
    lists, sums, code = lists[order], sums[order], code[order]
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    groups = zip(np.split(lists, starts[1:]), np.split(sums, starts[1:]), strict=True)
    return {divmod(int(c), 100): group for c, group in zip(code[starts], groups, strict=True)}


def _meet(
    found: Found,
    head: Ints,
    left: tuple[int, int],
    tails: tuple[Parts, Parts],
    span: tuple[float, float],
) -> None:
    """Add the lists with one head: pairs of a middle and an end whose sums lie in the span."""
    top = int((head > 0).sum())
    for (m1, m2), (middles, a) in tails[0].items():
        for (e1, e2), (ends, b) in tails[1].items():
            if m1 + e1 > left[0] or m2 + e2 > left[1]:
                continue
            ways = _within(b, a, span)
            if count := int(ways.sum()):
                found.counts[top + m1 + m2 + e1 + e2, top] += count
                back = _within(a, b, span)
                for row, grade in zip(found.ranks, (1, 2), strict=True):
                    row[:HEAD] += count * (head == grade)
                    row[HEAD:SPLIT] += ways @ (middles == grade)
                    row[SPLIT:] += back @ (ends == grade)


def _within(ordered: Floats, others: Floats, span: tuple[float, float]) -> Ints:
    """Count, for each of the others, the ordered values whose sum with it lies inside the span."""
    low = np.searchsorted(ordered, span[0] - others, side="right")
    high = np.searchsorted(ordered, span[1] - others, side="left")
    return np.asarray(np.maximum(high - low, 0))


def systems_with(relevant: int, five: float, twenty: float) -> dict[str, float]:
    """Return the least and the most mean recall@20 and P@5 of systems whose means are the figures.

    Every topic has `relevant` documents, graded alike. A system is a mixture of lists: a linear
    programme, to which of all tails with m relevant documents only those of the highest and the
    lowest sum matter. NaN where there is no such system.

    Examples
    --------
    >>> {name: round(value, 2) for name, value in systems_with(10, 0.89, 0.72).items()}
    {'recall_least': 0.6, 'recall_most': 0.76, 'p5_least': 0.82, 'p5_most': 0.94}
    """
    from scipy.optimize import linprog

    at_five, at_twenty, recall, top = np.array(_corners(relevant)).T
    bounds = np.stack([at_five, -at_five, at_twenty, -at_twenty])
    limits = [five + HALF, HALF - five, twenty + HALF, HALF - twenty]
    ones = np.ones((1, len(recall)))
    found = {}
    for name, values in (("recall", recall), ("p5", top)):
        for end, sign in (("least", 1), ("most", -1)):
            best = linprog(sign * values, bounds, limits, ones, [1])
            found[f"{name}_{end}"] = sign * float(best.fun) if best.status == 0 else np.nan
    return found


def _corners(relevant: int) -> Sequence[tuple[float, float, float, float]]:
    """Return nDCG@5, nDCG@20, recall and P@5 of binary lists from which all others are mixed."""
    best = [float(WEIGHTS[: min(relevant, k)].sum()) for k in (HEAD, RANKS)]
    tail = WEIGHTS[HEAD:]
    corners = []
    for head in every(2, HEAD):
        found, first = int(head.sum()), float(head @ WEIGHTS[:HEAD])
        for more in range(min(relevant - found, len(tail)) + 1):
            for chosen in (tail[:more], tail[len(tail) - more :]):
                both = first + float(chosen.sum())
                figures = (first / best[0], both / best[1])
                corners.append((*figures, (found + more) / relevant, found / HEAD))
    return corners
