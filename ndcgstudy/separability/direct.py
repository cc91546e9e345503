"""Direct simulation: draw every item, sort it, and score two rankers on nested prefixes.

One list of items grows; two rankers sort every prefix of it; a measure is right on a prefix where
it puts ranker A, the better one, strictly ahead of ranker B.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.registry import number
from ndcgstudy.synthetic import Generator, Sample

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LINEAR: Gain = Linear()


@dataclass(frozen=True, eq=False)
class Paired:
    """What two rankers reach on the same prefixes: three arrays (replicates, discounts, prefixes).

    Parameters
    ----------
    second
        nDCG of ranker B, in [0, 1].
    gap
        nDCG of ranker A minus that of B.
    ahead
        1 where A is strictly ahead, 0 at a tie, -1 where B is. Where the weights of all ranks that
        differ are too small for a double, the first of these ranks decides.
    """

    second: Floats
    gap: Floats
    ahead: npt.NDArray[np.int8]

    def last_wrong(self, ns: Sequence[int]) -> Ints:
        """Return each replicate's last prefix on which A is not ahead, 0 for none.

        The shape is (replicates, discounts); prefixes between those of `ns` are not looked at.

        Examples
        --------
        >>> ahead = np.array([[[1, -1, 1]], [[0, 1, 1]], [[1, 1, 1]]], dtype=np.int8)
        >>> Paired(ahead, ahead, ahead).last_wrong([10, 20, 30]).tolist()
        [[20], [10], [0]]
        """
        wrong: Ints = np.where(self.ahead < 1, np.asarray(ns, dtype=np.int64), 0)
        last: Ints = wrong.max(axis=-1)
        return last


def simulate(
    generator: Generator,
    discounts: Sequence[Discount],
    ns: Sequence[int],
    *,
    replicates: int,
    rng: np.random.Generator,
    gain: Gain = LINEAR,
) -> Paired:
    """Compare the first two rankers of a generator on every prefix length, in every replicate.

    A replicate draws max(ns) items once and sorts them once per ranker; the order of each prefix is
    the order of the whole with later items left out. Every replicate has a stream of its own and
    every discount sums alone: no number depends on which other discounts or prefixes are asked for.

    Parameters
    ----------
    generator
        Gives scores (systems, n) and grades (n,).
    discounts
        Callables on 1-based ranks.
    ns
        Prefix lengths, rising, each at least 2.
    replicates
        How often to draw, at least 1.

    Raises
    ------
    ValueError
        Naming the parameter, the rule and the value.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2
    >>> from ndcgstudy.synthetic import Reference
    >>> rng = np.random.default_rng(1)
    >>> simulate(Reference(), [Log2()], [100, 1000], replicates=3, rng=rng).gap.shape
    (3, 1, 2)
    """
    number("replicates", replicates, at_least=1, whole=True)
    for n in ns:
        number("ns", n, at_least=2, whole=True)
    if list(ns) != sorted(set(ns)) or not ns:
        raise ValueError(f"`ns` must be one or more rising prefix lengths, got {list(ns)}")
    tables = _Tables.of(discounts, ns[-1])
    draws = (generator.sample(ns[-1], rng=stream) for stream in rng.spawn(replicates))
    parts = [_replicate(draw, ns, tables, gain) for draw in draws]
    second, gap, ahead = (np.stack(part) for part in zip(*parts, strict=True))
    return Paired(second, gap, ahead.astype(np.int8))


@dataclass(frozen=True, eq=False)
class _Tables:
    """Weights of all discounts at ranks 1..depth, their sums from 0 on, and how far they reach."""

    weights: Floats
    sums: Floats
    reach: Ints

    @classmethod
    def of(cls, discounts: Sequence[Discount], depth: int) -> "_Tables":
        ranks = np.arange(1, depth + 1)
        weights = np.stack([np.asarray(discount(ranks), dtype=float) for discount in discounts])
        sums = np.pad(np.cumsum(weights, axis=1), ((0, 0), (1, 0)))
        return cls(weights, sums, np.array([_reach(row) for row in weights]))


def _reach(weights: Floats) -> int:
    """Count the ranks whose weight a double holds in full.

    Weights that fall to 0 by themselves, as those of a table do, reach everywhere; those that fall
    below the smallest normal number, and would go on falling, stop there.
    """
    tiny = np.finfo(float).tiny
    positive = weights[weights > 0]
    if positive.size and positive[-1] * (positive[-1] / positive[-2:][0]) < tiny:
        return int(np.count_nonzero(weights >= tiny))
    return len(weights)


def _replicate(
    sample: Sample, ns: Sequence[int], tables: _Tables, gain: Gain
) -> tuple[Floats, Floats, Floats]:
    """Score one draw: nDCG of B, the gap and its sign, each (discounts, prefixes)."""
    orders = [np.argsort(-scores) for scores in sample.scores[:2]]
    levels = np.asarray(gain(np.arange(sample.grades.max() + 1)), dtype=float)
    out = np.empty((3, len(tables.weights), len(ns)))
    for place in reversed(range(len(ns))):
        if ns[place] < len(orders[0]):
            orders = [order[order < ns[place]] for order in orders]
        grades = [sample.grades[order] for order in orders]
        out[:, :, place] = _prefix(levels[grades[0]], levels[grades[1]], tables)
        out[:2, :, place] /= _ideal(grades[0], levels, tables)
    return out[0], out[1], out[2]


def _prefix(first: Floats, second: Floats, tables: _Tables) -> tuple[Floats, Floats, Floats]:
    """Return DCG of B, the difference of DCG, and its sign, (discounts,) each, of two gain lists.

    The gains are subtracted before they are weighed: ranks that agree cancel exactly, so weights
    that differ by many orders of magnitude cannot drown the ranks that decide.
    """
    difference = first - second
    weights = tables.weights[:, : len(first)]
    gap = np.array([np.einsum("r,r->", row, difference) for row in weights])
    base = np.array([np.einsum("r,r->", row, second) for row in weights])
    at = int(np.argmax(difference != 0))
    return base, gap, np.sign(np.where(at < tables.reach, gap, difference[at]))


def _ideal(grades: Ints, levels: Floats, tables: _Tables) -> Floats:
    """Return the DCG of the items sorted by gain, (discounts,); 1 where nothing is relevant."""
    counts = np.bincount(grades, minlength=len(levels))[::-1]
    ends = np.cumsum(counts)
    spans = tables.sums[:, ends] - tables.sums[:, ends - counts]
    ideal = np.einsum("dg,g->d", spans, levels[::-1])
    return np.where(ideal > 0, ideal, 1.0)
