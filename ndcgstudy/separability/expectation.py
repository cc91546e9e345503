"""What theory expects of a list of n items: mean and spread of nDCG and of the gap, n to 1e12.

Mean. An item at depth u (1 minus the quantile of its score) has rank 1 + Binomial(n - 1, u), so with
W(u) = E[D(rank)] and ybar(u) the expected gain there, E[DCG] = n * integral of ybar W: exact for
every n. The ideal I = sum over grades j of (gain_j - gain_(j-1)) S(N_j), N_j the number of items of
grade j or more and S the sum of D, has E[I] = that sum of n * integral of W from 0 to P(grade >= j).
E[DCG / I] takes Cov(DCG, N_j), exact too, and the law of I as `ideal` has it; what is left out, the
curvature of E[DCG | N], is of relative order 1/n^2: at n = 10 below 1% of nDCG and 3% of the gap.

Short lists (two grades and n up to 300, three and n up to 100, weights without a step) are computed
by `exact`, mean and spread; what is said here of n = 10 and 30 is for all others.

Spread. The gap is a function of i.i.d. items; its variance is that of its Hájek projection (van der
Vaart 1998, ch. 11), exact for that, plus what the projection lacks at the first ranks, where ranks
are random and labels decide: n E[e^2 Var(D(rank))], e the gain minus that expected at its depth.
Of two rankers the ranks of one item are correlated; Aitken and Gonin (1935, On fourfold sampling)
expand their law in powers of the correlation, of which the first two are kept, the second scaled
so that ranks that are one cancel. The left-out terms are of relative order 1/n for scores that are
independent: the sd of the gap is within 1.5% from n = 100 on, 5% at 30 and 15% at 10, that of nDCG
itself, which has a ceiling, within 2%, 6% and 80%. The spread is summed over 24 bins a decade (0.1%).

Tails. A spread says little where rare lists make it. Where the top items of both rankers are all but
surely relevant (`latent` pairs) and weights fall like 1/r or faster, nearly all of the variance is
that of the few lists with a miss at the top: of latent(a=0.8,b=0.6) and 1/r the gap has a kurtosis of
7 at n = 1e3, 100 at 1e6 and some 6,000 at 1e12. The sd here is that of 20,000 lists of 1e6 items
within its error of 3%, but 400 lists of 1e12 items have a quarter of it, and a z four times as large.
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
from ndcgstudy.separability.exact import exact, is_short
from ndcgstudy.separability.ideal import Ideal, ideal
from ndcgstudy.separability.ranklaw import Depths, RankLaw, Weighed
from ndcgstudy.separability.spread import Spread, spread
from ndcgstudy.synthetic.generator import Described, Generator, described

Floats = npt.NDArray[np.float64]
LINEAR: Gain = Linear()


@dataclass(frozen=True)
class Expected:
    """What theory expects of two rankers on a list of n items, cut at `cutoff`.

    Parameters
    ----------
    mean_a, mean_b, gap
        E[nDCG] of either ranker, and of their difference.
    sd_a, sd_b, sd
        Their standard deviations.
    """

    n: int
    cutoff: int
    mean_a: float
    mean_b: float
    gap: float
    sd_a: float
    sd_b: float
    sd: float

    @property
    def z(self) -> float:
        """Expected gap over its standard deviation; NaN where nothing varies."""
        return self.gap / self.sd if self.sd > 0 else float("nan")

    @property
    def p_right(self) -> float:
        """The normal chance that the gap is above 0: too low where rare lists make the spread."""
        from scipy.special import ndtr

        return float(ndtr(self.z))


def expect(
    generator: Generator,
    discount: Discount,
    n: int,
    *,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> Expected:
    """Return what theory expects of the first two rankers of a described generator.

    Raises
    ------
    ValueError
        If n is no whole number at least 2, the cutoff lies beyond n, or the generator is not
        described in closed form.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2
    >>> from ndcgstudy.synthetic import Reference
    >>> found = expect(Reference(), Log2(), 1000)
    >>> round(found.z, 1), round(found.p_right, 2)
    (2.1, 0.98)
    """
    number("n", n, at_least=2, whole=True)
    source = described(generator)
    k = Cutoff.parse(cutoff).of(n)
    levels = tuple(np.asarray(gain(np.arange(source.grades)), dtype=float).tolist())
    model = _model(source, n, k, levels)
    less = float(np.asarray(discount(np.array([n])))[0]) if k == n else 0.0
    whole, part = (model.law.weigh(discount, k, less=x) for x in (0.0, less))
    best = model.ideal(whole, discount)
    if is_short(n, source.grades):
        weights = np.asarray(discount(np.arange(1, n + 1)), dtype=float) * (np.arange(n) < k)
        found = exact(source, n, model.levels, weights, model.plain(whole, part))
        if found:
            return Expected(n, k, *np.concatenate(found).tolist())
    (first, second), gap = model.means(whole, best), model.gap(part, best)
    sds = _spread(source, n, k, levels).of(
        discount, less, best.mean, best.slopes, (first, second, gap)
    )
    return Expected(n, k, first, second, gap, *sds)


@dataclass(frozen=True, eq=False)
class _Model:
    """What does not depend on the discount: nodes, law of ranks, and P(grade | node)."""

    n: int
    cutoff: int
    levels: Floats  # gain by grade
    depths: Depths
    law: RankLaw  # at the nodes, then at the share of each grade or more
    curves: Floats  # (systems, grades, nodes)
    shares: Floats  # P(grade >= j), j from 1

    def ideal(self, weighed: Weighed, discount: Discount) -> Ideal:
        """Return the ideal of a discount."""
        count = len(self.depths.nodes)
        sums = np.array([self.depths.upto(weighed.mean[:count], share) for share in self.shares])
        rises, ends = np.diff(self.levels), weighed.mean[count:]
        return ideal(self.n, self.cutoff, rises, self.shares, self.n * sums, ends, discount)

    def means(self, weighed: Weighed, best: Ideal) -> tuple[float, float]:
        """Return E[DCG / I] of each ranker."""
        a, b = (
            self._dcg(self.curves[i], weighed) * best.inverse
            + self._together(i, weighed) @ best.response
            for i in (0, 1)
        )
        return float(a), float(b)

    def plain(self, whole: Weighed, part: Weighed) -> Floats:
        """Return E[DCG] of each ranker, and the difference from weights less a constant."""
        apart = self._dcg(self.curves[0] - self.curves[1], part)
        return np.array([*(self._dcg(curve, whole) for curve in self.curves), apart])

    def gap(self, weighed: Weighed, best: Ideal) -> float:
        """Return E[(DCG of A - DCG of B) / I], from the difference of their curves."""
        apart = self._dcg(self.curves[0] - self.curves[1], weighed)
        together = self._together(0, weighed) - self._together(1, weighed)
        return float(apart * best.inverse + together @ best.response)

    def _dcg(self, curve: Floats, weighed: Weighed) -> float:
        nodes = slice(len(self.depths.nodes))
        return self.n * float(self.depths.integral(self.levels @ curve * weighed.mean[nodes]))

    def _together(self, ranker: int, weighed: Weighed) -> Floats:
        """Return the covariance of a ranker's DCG with each N_j, exact, (grades - 1,)."""
        nodes, u = slice(len(self.depths.nodes)), self.depths.nodes
        curve, shares = self.curves[ranker], self.shares[:, None]
        parts = self.levels[:, None] * curve
        gains, own = parts.sum(axis=0), np.cumsum(parts[::-1], axis=0)[::-1][1:]
        above = self.depths.running(np.cumsum(curve[::-1], axis=0)[::-1][1:])
        moved = above / u - (shares - above) / (1 - u)
        value = (own - shares * gains) * weighed.mean[nodes] + gains * moved * weighed.slope[nodes]
        return self.n * self.depths.integral(value)


@functools.lru_cache(maxsize=8)
def _model(source: Described, n: int, cutoff: int, levels: tuple[float, ...]) -> _Model:
    rough = Depths.of(n)
    shares = _tails(rough.integral(source.curves(1 - rough.nodes)[0]))
    depths = Depths.of(n, breaks=shares.tolist(), cutoff=cutoff)
    curves = np.asarray(source.curves(1 - depths.nodes), dtype=float)[:2]
    law = RankLaw.of(n, np.append(depths.nodes, shares))
    return _Model(n, cutoff, np.array(levels), depths, law, curves, shares)


@functools.lru_cache(maxsize=8)
def _spread(source: Described, n: int, cutoff: int, levels: tuple[float, ...]) -> Spread:
    return spread(source, n, cutoff, np.array(levels))


def _tails(chances: Floats) -> Floats:
    """Return P(grade >= j) for j from 1."""
    return np.clip(np.cumsum(chances[::-1])[::-1][1:], 0, 1)


def expected_curve(
    generator: Generator,
    discount: Discount,
    ns: Sequence[int],
    *,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> list[Expected]:
    """Return `expect` at every list length."""
    return [expect(generator, discount, n, cutoff=cutoff, gain=gain) for n in ns]
