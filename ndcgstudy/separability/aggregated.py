"""Aggregated simulation: counts of items in bins of the score quantiles, at a cost free of n.

The quantiles of both rankers are cut into bins, fine at the top. One multinomial draws how many
items of each grade fall into each pair of bins; what falls into a bin of one ranker is split over
four parts of it as the ranker's relevance curve says; the parts' ranks follow from their totals. In
a part of m items the order is taken as random: the sum of gain times weight over its ranks has the
mean K S1/m, for K the sum of gains and S1, S2 the sums of D and D^2 over its ranks, and the variance

    (K2 - K^2/m) (S2 - S1^2/m) / (m - 1),    K2 the sum of squared gains,

which for binary labels is that of the hypergeometric distribution. Within a part relevance still
rises or falls, so the order is not quite random: where items of a grade have the density 1 + t (x -
1/2) over a part, x from 0 at its top to 1, they stand at rank r of m with the chance (1 + t (r/(m +
1) - 1/2))/m to first order in t. The mean then moves by Cov(D, r) m/(m^2 - 1) times the sum of gain
times (t - mean t of the part's items); without this the gap would be off by up to 2e-4 of itself,
which shows from 10^8 items on; with it, by up to 5e-6. A cutoff within a part sets the
weights behind it to 0, for which the same formulas hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from ndcgstudy.checks import number
from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.separability.bins import PARTS, Cells, cells_for
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.direct import Cut, Paired, check_prefixes, underflow
from ndcgstudy.separability.pieces import LAST
from ndcgstudy.separability.sums import Sums, sums_for
from ndcgstudy.separability.written import STEPS, Both, Written
from ndcgstudy.synthetic import Generator, described

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
LINEAR: Gain = Linear()
STEEP = 0.5  # a part is steep where D falls to less than this share of itself within it
LEAST = 1e-280  # a sum of D^2 below is near the end of the range of a double
FAR = 8  # a gap of more than so many standard deviations is safe from the noise of steep parts
TIE = 1e-12  # a gap below this share of what it is the difference of may be rounding alone
ROUNDING = 3e-14  # a variance of weights below this share of their squares is rounding
BATCH = 20  # replicates whose sums are evaluated together; no number depends on it


def aggregate(
    generator: Generator,
    discounts: Sequence[Discount],
    ns: Sequence[int],
    *,
    replicates: int,
    rng: np.random.Generator,
    gain: Gain = LINEAR,
    cutoffs: Sequence[Cut] = (None,),
) -> Paired:
    """Compare the two rankers of a generator on lists of up to 10^15 items.

    As `simulate`, but lists of different lengths are independent draws, not prefixes of one list:
    what is true of each length holds, not what is true of all at once, as the last wrong prefix. A
    replicate draws each length from a stream of its own, so that no number depends on which other
    lengths, discounts or cutoffs are asked for.

    Parameters
    ----------
    generator
        One whose distribution is known in closed form (`Described`).
    discounts, ns, replicates, gain, cutoffs
        As for `simulate`; ns up to 2^50.

    Raises
    ------
    ValueError
        Naming the parameter, the rule and the value, or the generator without a closed form.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2
    >>> from ndcgstudy.synthetic import Reference
    >>> rng = np.random.default_rng(1)
    >>> found = aggregate(Reference(), [Log2()], [10**12], replicates=3, rng=rng)
    >>> found.gap.shape, bool((found.ahead == 1).all())
    ((3, 1, 1), True)
    """
    number("replicates", replicates, at_least=1, whole=True)
    check_prefixes(ns)
    if ns[-1] > LAST:
        raise ValueError(f"`ns` must be at most 2^50 = {LAST}, got {ns[-1]}")
    source = described(generator)
    cuts = [Cutoff.parse(cutoff) for cutoff in cutoffs]
    levels = np.asarray(gain(np.arange(source.grades)), dtype=float)
    keys = [int(stream.integers(2**63)) for stream in rng.spawn(replicates)]
    out = np.empty((3, replicates, len(cuts) * len(discounts), len(ns)))
    for place, n in enumerate(ns):
        cells = cells_for(source, int(n))
        for start in range(0, replicates, BATCH):
            lists = _Lists.draw(cells, int(n), keys[start : start + BATCH], levels)
            part = out[:, start : start + BATCH, :, place]
            arms = [(cut.of(int(n)), discount) for cut in cuts for discount in discounts]
            for arm, (k, discount) in enumerate(arms):
                part[:, :, arm] = lists.score(discount, k)
    return Paired(out[0], out[1], out[2].astype(np.int8))


@dataclass(frozen=True, eq=False)
class _Lists:
    """Drawn lists: arrays (replicates, 2 rankers, parts); what is drawn serves all discounts.

    Parameters
    ----------
    cells, counts, keys
        What was drawn from, the items of each part by grade, (replicates, 2 rankers, parts, grades),
        and what keys the streams that drew them.
    ends, sizes
        The last rank of each part, and how many items are in it.
    base
        The gain of the first item, (replicates,).
    gains
        The sum of gains of each part less as many times the base: 0 where both lists hold nothing
        but items like the first, so that a first difference far down keeps its digits.
    leans
        The sum of gains, each times how far items of its grade lean to the bottom of the part, less
        what all its items lean on average.
    spread, noise
        The standard deviation of gains, sqrt((K2 - K^2/m) / (m - 1)), and a standard normal times it.
    levels
        The gain of each grade.
    written
        Pairs of lists that were written out.
    """

    cells: Cells
    counts: Ints
    keys: Sequence[int]
    ends: Ints
    sizes: Ints
    base: Floats
    gains: Floats
    leans: Floats
    spread: Floats
    noise: Floats
    levels: Floats
    written: dict[int, Both]

    @classmethod
    def draw(cls, cells: Cells, n: int, keys: Sequence[int], levels: Floats) -> "_Lists":
        streams = [np.random.default_rng([key, n]) for key in keys]
        counts = np.stack([cells.draw(n, stream) for stream in streams])
        normal = np.stack([stream.standard_normal(counts.shape[1:3]) for stream in streams])
        alike = cells.alike * PARTS
        normal[:, 1, :alike] = normal[:, 0, :alike]
        sizes = counts.sum(axis=-1)
        gains, squares = counts @ levels, counts @ levels**2
        spread = (squares - gains**2 / np.maximum(sizes, 1)) / np.maximum(sizes - 1, 1)
        pure = counts.max(axis=-1) == sizes  # then both are 0, but for rounding
        spread = np.where(pure, 0.0, np.sqrt(np.maximum(spread, 0.0)))
        average = (counts * cells.leans).sum(axis=-1) / np.maximum(sizes, 1)
        leans = (counts * (cells.leans - average[..., None])) @ levels
        two = (sizes == 2) & (spread > 0)  # these have two orders: their lean is in the chances
        normal[two] = np.sign(normal[two] - ndtri(0.5 + leans[two] / (72**0.5 * spread[two])))
        leans = np.where((sizes > 2) & ~pure, leans, 0.0)
        base = levels[_top(counts[:, 0])]
        gains = counts @ levels - base[:, None, None] * sizes
        ends = np.cumsum(sizes, axis=-1)
        noise = normal * spread
        return cls(cells, counts, keys, ends, sizes, base, gains, leans, spread, noise, levels, {})

    def score(self, discount: Discount, k: int) -> Floats:
        """Return nDCG of B, the gap and its sign, (3, replicates), of the lists cut at rank k."""
        sums = sums_for(discount)
        low, high = np.minimum(self.ends - self.sizes, k), np.minimum(self.ends, k)
        one, two = sums.between(low, high)
        mean = one / np.maximum(self.sizes, 1)
        around = two - one * mean
        around = np.where(around > ROUNDING * two, around, 0.0)
        slope, steep = _slope(discount, low, high, self.sizes, mean)
        lean, noise = self.leans * slope, np.sqrt(around)
        parts = self.gains * mean + lean + self.noise * noise
        apart = parts[:, 0] - parts[:, 1]
        gap, size = apart.sum(axis=-1), np.abs(apart).sum(axis=-1)
        sign = np.sign(gap)
        unsure = self._unsure(steep, one, two, np.abs(lean) + self.spread * noise)
        vanish = (size == 0) & (k > underflow(discount))
        flat = (np.abs(gap) <= TIE * size) & (size > 0)
        for at in np.flatnonzero((np.abs(gap) <= FAR * unsure) & (unsure > 0) | vanish | flat):
            steps = 1 if flat[at] and not unsure[at] else len(STEPS)
            gap[at], sign[at] = self._closely(int(at), discount, k, steps)
        ideal = self._ideal(sums, k)
        level = self.base * one[:, 1].sum(axis=-1) + parts[:, 1].sum(axis=-1)
        return np.stack([level / ideal, gap / ideal, sign])

    def _unsure(self, steep: Mask, one: Floats, two: Floats, moved: Floats) -> Floats:
        """Return how much of the gap hangs on the order within parts that no sum stands for.

        In these the discount falls by more than half, or its squares leave the range of a double.
        """
        steep = (steep | ((two < LEAST) & (one > 0))) & (self.sizes > 1) & (self.spread > 0)
        steep[..., : self.cells.alike * PARTS] = False
        if not steep.any():
            return np.zeros(len(steep))
        moved = np.where(two < LEAST, self.spread * one, moved)
        return np.asarray(np.where(steep, moved, 0.0).sum(axis=(1, 2)))

    def _closely(self, at: int, discount: Discount, k: int, steps: int) -> tuple[float, float]:
        """Compare two lists item by item, down to the rank that decides.

        Returns the difference of DCG and its sign; where the weights are too small for a double,
        the first rank that differs decides. Where `steps` leave it open, ranks further down could
        decide: where one step was to do, this is a tie but for rounding.
        """
        both, sums = self._written(at), sums_for(discount)
        gap = sign = 0.0
        for step in range(steps):
            low, high, apart, known = both.differences(step, self.levels, k)
            gap = float(apart @ sums.between(low, high)[0])
            if len(apart) and low[0] >= underflow(discount):
                return gap, float(np.sign(apart[0]))
            sign = float(np.sign(gap))
            unseen = sums.total(known, k) * float(np.ptp(self.levels))
            if known == k or (unseen < abs(gap)) or (unseen == 0 and np.isinf(underflow(discount))):
                return gap, sign
        return (gap, sign) if steps > 1 else (0.0, 0.0)

    def _written(self, at: int) -> Both:
        """Return two lists to be written out: at first nothing of them is."""
        if at not in self.written:
            alike = self.cells.alike * PARTS
            start = int(self.ends[at, 0, alike - 1]) if alike else 0
            upper = self.noise[at] > 0
            one, other = (
                Written(counts[alike:], leans[alike:], first[alike:], start)
                for counts, leans, first in zip(
                    self.counts[at], self.cells.leans, upper, strict=True
                )
            )
            rng = np.random.default_rng([self.keys[at], int(self.ends[at, 0, -1]), 1])
            self.written[at] = Both((one, other), rng)
        return self.written[at]

    def _ideal(self, sums: Sums, k: int) -> Floats:
        """Return the DCG of the items sorted by gain, (replicates,); 1 where nothing is relevant."""
        totals = self.counts[:, 0].sum(axis=1)[:, ::-1]
        ends = np.cumsum(totals, axis=-1)
        spans = sums.between(np.minimum(ends - totals, k), np.minimum(ends, k))[0]
        ideal = (spans * self.levels[::-1]).sum(axis=-1)
        return np.where(ideal > 0, ideal, 1.0)


def _top(counts: Ints) -> Ints:
    """Return the commonest grade of the first part that holds an item, (replicates,)."""
    filled = counts.sum(axis=-1) > 0
    first = filled.argmax(axis=-1)
    return np.asarray(counts[np.arange(len(counts)), first].argmax(axis=-1))


def _slope(
    discount: Discount, low: Ints, high: Ints, sizes: Ints, mean: Floats
) -> tuple[Floats, Mask]:
    """Return by how much D changes for items that lean by 1, others not, and where D is steep.

    D counts from low + 1 to high, where it is taken as linear in the rank, and is 0 behind.
    """
    counted, size = high - low, np.maximum(sizes, 2)
    ends = np.stack([np.maximum(high, 1), np.minimum(low + 1, np.maximum(high, 1))])
    last, first = np.asarray(discount(ends), dtype=float)
    together = (last - first) * (counted / size) * (counted + 1) / 12 - mean * (size - counted) / 2
    slope: Floats = together / (size - 1) / (1 + 1 / size)
    return slope, (last < STEEP * first) & (sizes > 2)
