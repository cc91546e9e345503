"""Direct simulation: draw every item, sort it, and score two rankers on nested prefixes.

One list of items grows; two rankers sort every prefix of it; a measure is right on a prefix where
it puts ranker A, the better one, strictly ahead of ranker B.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import number
from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.synthetic import Generator, Sample, is_relative

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LINEAR: Gain = Linear()
Cut = Cutoff | str | int | None
TINY = float(np.finfo(float).tiny)
FAR = 2**50  # ranks down to which weights are looked at


@dataclass(frozen=True, eq=False)
class Paired:
    """What two rankers reach on the same prefixes: three arrays (replicates, discounts, prefixes).

    Under several cutoffs the second axis has all discounts at the first cutoff, then all at the
    second, and so on.

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

        The shape is (replicates, discounts); prefixes between those of `ns` are not looked at. For
        lists of `aggregate`, which are drawn apart, it is the largest of them, not a prefix.

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
    cutoffs: Sequence[Cut] = (None,),
) -> Paired:
    """Compare the first two rankers of a generator on every prefix length, in every replicate.

    A replicate draws max(ns) items once and sorts every prefix of them, so that its prefixes are
    nested, as consistent distinguishability asks. Every replicate has a stream of its own and every
    discount sums alone: no number depends on which other discounts or prefixes are asked for.

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
    cutoffs
        How many ranks count, each a `Cutoff` or its text: none, 10, 0.2n, n^0.5.

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
    check_prefixes(ns)
    tables = _Tables.of(discounts, ns[-1])
    cuts = [[cut.of(n) for cut in map(Cutoff.parse, cutoffs)] for n in ns]
    draws = (generator.sample(ns[-1], rng=stream) for stream in rng.spawn(replicates))
    parts = [_replicate(generator, draw, ns, tables, gain, cuts) for draw in draws]
    second, gap, ahead = (np.stack(part) for part in zip(*parts, strict=True))
    return Paired(second, gap, ahead.astype(np.int8))


def check_prefixes(ns: Sequence[int]) -> None:
    """Check that prefix lengths are whole numbers from 2 on that rise."""
    for n in ns:
        number("ns", n, at_least=2, whole=True)
    if list(ns) != sorted(set(ns)) or not len(ns):
        raise ValueError(f"`ns` must be one or more rising prefix lengths, got {list(ns)}")


@dataclass(frozen=True, eq=False)
class _Tables:
    """Weights of all discounts at ranks 1..depth, their sums from 0 on, and how far they reach."""

    weights: Floats
    sums: Floats
    reach: Ints

    @classmethod
    def of(cls, discounts: Sequence[Discount], depth: int) -> "_Tables":
        ranks = np.arange(1, depth + 1)
        weights, sums = np.empty((len(discounts), depth)), np.zeros((len(discounts), depth + 1))
        for row, total, discount in zip(weights, sums, discounts, strict=True):
            row[:] = discount(ranks)
            np.cumsum(row, out=total[1:])
        return cls(weights, sums, np.array([_reach(row) for row in weights]))


def _reach(weights: Floats) -> int:
    """Count the ranks whose weight a double holds in full.

    Weights that fall to 0 by themselves, as those of a table do, reach everywhere; those that fall
    below the smallest normal number, and would go on falling, stop there.
    """
    positive = weights[weights > 0]
    if positive.size and positive[-1] * (positive[-1] / positive[-2:][0]) < TINY:
        return int(np.count_nonzero(weights >= TINY))
    return len(weights)


@functools.lru_cache(maxsize=256)
def underflow(discount: Discount) -> float:
    """Return the last rank whose weight a double holds in full, infinity where all do.

    Examples
    --------
    >>> from ndcgstudy.discounts import Geometric, Log2
    >>> underflow(Geometric(p=0.5)), underflow(Log2())
    (1023.0, inf)
    """
    last = _last(discount, 0.0)
    if last < 2:
        return np.inf
    reach = _reach(np.asarray(discount(np.array([last - 1, last])), dtype=float))
    return float(_last(discount, TINY)) if reach < 2 else np.inf


def _last(discount: Discount, least: float) -> int:
    """Return the last rank down to `FAR` whose weight is above 0 and at least `least`, 0 for none."""
    low, high = 0, FAR + 1
    while high - low > 1:
        middle = (low + high) // 2
        weight = float(np.asarray(discount(np.array([middle])), dtype=float)[0])
        low, high = (middle, high) if weight > 0 and weight >= least else (low, middle)
    return low


def _replicate(
    generator: Generator,
    sample: Sample,
    ns: Sequence[int],
    tables: _Tables,
    gain: Gain,
    cuts: Sequence[Sequence[int]],
) -> tuple[Floats, Floats, Floats]:
    """Score one draw: nDCG of B, the gap and its sign, each (cutoffs x discounts, prefixes)."""
    levels = np.asarray(gain(np.arange(sample.grades.max() + 1)), dtype=float)
    width = len(tables.weights)
    out = np.empty((3, len(cuts[0]) * width, len(ns)))
    for place, n in enumerate(ns):
        part = generator.at(sample, n) if is_relative(generator) else sample
        grades = [ranked(scores[:n], part.grades[:n]) for scores in part.scores[:2]]
        counts = np.bincount(grades[0], minlength=len(levels))
        gains = levels[grades[0]], levels[grades[1]]
        for c, k in enumerate(cuts[place]):
            arm = out[:, c * width : (c + 1) * width, place]
            arm[:] = _prefix(gains[0][:k], gains[1][:k], tables)
            arm[:2] /= _ideal(counts, levels, tables, k)
    return out[0], out[1], out[2]


def ranked(scores: Floats, grades: Ints) -> Ints:
    """Return the grades of items sorted by score, highest first; ties stay in their order.

    The last bits of a score are lent to the grade and the scores alone are sorted, which is four
    times as fast as an argsort. Where scores of different grades agree but for these bits, and
    where one is infinite, items are sorted by their whole scores.

    Examples
    --------
    >>> ranked(np.array([0.1, 0.3, 0.2, 0.3]), np.array([0, 2, 1, 0])).tolist()
    [2, 0, 1, 0]
    """
    mask = (1 << int(grades.max()).bit_length()) - 1
    keys = np.subtract(0.0, scores, dtype=float)  # 0 - 0 is 0, and -0 would sort as another number
    bits = keys.view(np.int64)
    bits &= ~mask
    bits |= grades
    keys.sort()
    apart = bits[1:] ^ bits[:-1]
    if ((apart > 0) & (apart <= mask)).any() or not np.isfinite(keys[[0, -1]]).all():
        return grades[np.argsort(-scores, kind="stable")]
    bits &= mask
    return bits


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


def _ideal(counts: Ints, levels: Floats, tables: _Tables, k: int) -> Floats:
    """Return the DCG of the best k of the items counted by grade; 1 where nothing is relevant."""
    counts = counts[::-1]
    ends = np.cumsum(counts)
    spans = tables.sums[:, np.minimum(ends, k)] - tables.sums[:, np.minimum(ends - counts, k)]
    ideal = np.einsum("dg,g->d", spans, levels[::-1])
    return np.where(ideal > 0, ideal, 1.0)
