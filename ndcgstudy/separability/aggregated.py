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

from ndcgstudy.checks import LISTS, number
from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.separability.bins import PARTS, Cells, cells_for
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.direct import Cut, Paired, check_prefixes, underflow
from ndcgstudy.separability.pieces import LAST
from ndcgstudy.separability.sums import Sums, sums_for
from ndcgstudy.synthetic import Generator, described

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LINEAR: Gain = Linear()
AHEAD = 1000  # ranks that are looked at for a first difference
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
    number("replicates", replicates, at_least=1, at_most=LISTS, whole=True)
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
    counts, keys
        The items of each part by grade, (replicates, 2 rankers, parts, grades), and what keys the
        streams that drew them.
    ends, sizes
        The last rank of each part, and how many items are in it.
    gains
        The sum of their gains.
    leans
        That sum, each gain times how far items of its grade lean to the bottom of the part, less
        what all its items lean on average.
    noise
        A standard normal, times the standard deviation of gains: sqrt((K2 - K^2/m) / (m - 1)).
    levels
        The gain of each grade.
    """

    counts: Ints
    keys: Sequence[int]
    ends: Ints
    sizes: Ints
    gains: Floats
    leans: Floats
    noise: Floats
    levels: Floats

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
        spread = np.sqrt(np.maximum(spread, 0.0))
        average = (counts * cells.leans).sum(axis=-1) / np.maximum(sizes, 1)
        leans = (counts * (cells.leans - average[..., None])) @ levels
        two = (sizes == 2) & (spread > 0)  # these have two orders: their lean is in the chances
        normal[two] = np.sign(normal[two] - ndtri(0.5 + leans[two] / (72**0.5 * spread[two])))
        leans = np.where(sizes > 2, leans, 0.0)
        noise = normal * spread
        return cls(counts, keys, np.cumsum(sizes, axis=-1), sizes, gains, leans, noise, levels)

    def score(self, discount: Discount, k: int) -> Floats:
        """Return nDCG of B, the gap and its sign, (3, replicates), of the lists cut at rank k."""
        sums = sums_for(discount)
        low, high = np.minimum(self.ends - self.sizes, k), np.minimum(self.ends, k)
        one, two = sums.between(low, high)
        mean = one / np.maximum(self.sizes, 1)
        around = two - one * mean
        around = np.where(around > ROUNDING * two, around, 0.0)
        slope = _slope(discount, low, high, self.sizes, mean)
        parts = self.gains * mean + self.leans * slope + self.noise * np.sqrt(around)
        apart = parts[:, 0] - parts[:, 1]
        gap, size = apart.sum(axis=-1), np.abs(apart).sum(axis=-1)
        sign = np.sign(gap)
        for at in np.flatnonzero((np.abs(gap) <= TIE * size) & (size > 0)):
            gap[at], sign[at] = self._closely(int(at), discount, k)
        if k > underflow(discount):
            for at in np.flatnonzero(size == 0):
                gap[at], sign[at] = self._closely(int(at), discount, k)
        ideal = self._ideal(sums, k)
        return np.stack([parts[:, 1].sum(axis=-1) / ideal, gap / ideal, sign])

    def _closely(self, at: int, discount: Discount, k: int) -> tuple[float, float]:
        """Compare two lists that rounding cannot tell apart, rank by rank from where they differ.

        Returns the difference of DCG and its sign; where the weights are too small for a double,
        the first rank that differs decides. Where ranks further down could decide, it is a tie.
        """
        counts = self.counts[at]
        first = int(np.argmax((counts[0] != counts[1]).any(axis=-1)))
        start = int(self.ends[at, 0, first] - self.sizes[at, 0, first])
        length = min(AHEAD, k - start)
        if length <= 0:
            return 0.0, 0.0
        rng = np.random.default_rng([self.keys[at], int(self.ends[at, 0, -1]), 1])
        one, other = (self.levels[_spelled(part[first:], length, rng)] for part in counts)
        difference = one - other
        weights = np.asarray(discount(start + 1 + np.arange(length)), dtype=float)
        gap = float(difference @ weights)
        deciding = int(np.argmax(difference != 0))
        if start + 1 + deciding > underflow(discount):
            return gap, float(np.sign(difference[deciding]))
        unseen = weights[-1] * (k - start - length) * self.levels[-1]
        return (gap, float(np.sign(gap))) if unseen < abs(gap) else (0.0, 0.0)

    def _ideal(self, sums: Sums, k: int) -> Floats:
        """Return the DCG of the items sorted by gain, (replicates,); 1 where nothing is relevant."""
        totals = self.counts[:, 0].sum(axis=1)[:, ::-1]
        ends = np.cumsum(totals, axis=-1)
        spans = sums.between(np.minimum(ends - totals, k), np.minimum(ends, k))[0]
        ideal = (spans * self.levels[::-1]).sum(axis=-1)
        return np.where(ideal > 0, ideal, 1.0)


def _slope(discount: Discount, low: Ints, high: Ints, sizes: Ints, mean: Floats) -> Floats:
    """Return by how much D changes for items that lean by 1, others not: see the module.

    D counts from low + 1 to high, where it is taken as linear in the rank, and is 0 behind.
    """
    counted, size = high - low, np.maximum(sizes, 2)
    ends = np.stack([np.maximum(high, 1), np.minimum(low + 1, np.maximum(high, 1))])
    last, first = np.asarray(discount(ends), dtype=float)
    together = (last - first) * (counted / size) * (counted + 1) / 12 - mean * (size - counted) / 2
    return np.asarray(together / (size - 1) / (1 + 1 / size))


def _spelled(counts: Ints, length: int, rng: np.random.Generator) -> Ints:
    """Write out the grades of the next `length` items, those of a part in random order."""
    sizes = counts.sum(axis=-1)
    ends = np.cumsum(sizes)
    last = min(int(np.searchsorted(ends, length)), len(ends) - 1)
    rest = min(length - int(ends[last] - sizes[last]), int(sizes[last]))
    kinds = np.arange(counts.shape[1])
    whole = np.repeat(np.tile(kinds, last), counts[:last].ravel())
    order = np.lexsort((rng.random(len(whole)), np.repeat(np.arange(last), sizes[:last])))
    if sizes[last] > AHEAD**2:  # so many that drawing with replacement is the same
        tail = rng.choice(kinds, rest, p=counts[last] / sizes[last])
    else:
        tail = rng.permutation(np.repeat(kinds, counts[last]))[:rest]
    found = np.concatenate([whole[order], tail])
    return np.concatenate([found, np.zeros(length - len(found), dtype=np.int64)])
