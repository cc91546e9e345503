"""The standard deviation of nDCG and of the gap, from the joint law of depths and grades.

The derivation is that of `ndcgstudy.separability.expectation`; here are its sums over bins.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount
from ndcgstudy.separability.ranklaw import RankLaw, blurred
from ndcgstudy.synthetic.generator import Described

Floats = npt.NDArray[np.float64]
PER_DECADE, EVEN = 24, 50  # bins a decade near the top; even bins below


@dataclass(frozen=True, eq=False)
class Spread:
    """What does not depend on the discount: bins, their joint law, and how ranks go together.

    Parameters
    ----------
    joint
        P(bin of A, bin of B, grade), (bins, bins, grades).
    alike
        Correlation of the two ranks of an item in a pair of bins, (bins, bins).
    means
        Expected gain by ranker and bin, (2, bins).
    """

    n: int
    cutoff: int
    levels: Floats
    edges: RankLaw
    centres: RankLaw
    joint: Floats
    alike: Floats
    means: Floats

    def of(
        self,
        discount: Discount,
        less: float,
        ideal: float,
        slopes: Floats,
        means: tuple[float, float, float],
    ) -> tuple[float, float, float]:
        """Return the standard deviations of nDCG of A, of B, and of their difference.

        Parameters
        ----------
        less
            What is taken from every weight for the difference, which it does not change.
        ideal, slopes
            E[I] and by how much I rises with the number of items of each grade or more.
        means
            E[nDCG] of A, of B, and of the difference.
        """
        if ideal <= 0:
            return 0.0, 0.0, 0.0
        rise = np.append(0.0, np.cumsum(slopes))  # what an item of a grade adds to the ideal
        whole = _Parts.of(self, discount, 0.0)
        part = whole if less == 0 else _Parts.of(self, discount, less)
        single = [self._single(whole, i, means[i] * rise) for i in (0, 1)]
        apart = self._variance(self._apart(part) - means[2] * rise, self.joint)
        variances = [*single, apart + self._excess(part)]
        a, b, gap = (float(np.sqrt(max(v, 0.0) * self.n) / ideal) for v in variances)
        return a, b, gap

    def _single(self, parts: "_Parts", ranker: int, rise: Floats) -> float:
        """Return the variance of one ranker's DCG, an item."""
        chance = self.joint.sum(axis=1 - ranker)
        noise = np.einsum("bg,bg,b->", chance, parts.off[ranker] ** 2, parts.noise)
        return self._variance(self._own(parts, ranker) - rise, chance) + float(noise)

    def _own(self, parts: "_Parts", ranker: int) -> Floats:
        """Return what an item adds to a ranker's DCG, itself and by moving others, (bins, grades)."""
        own = parts.weight[:, None] * self.levels
        return np.asarray(own + parts.moved[ranker][:, None])

    def _apart(self, parts: "_Parts") -> Floats:
        """Return what an item adds to the difference of DCG, (bins, bins, grades).

        The two rankers' shares are subtracted bin by bin, so that what they have alike cancels.
        """
        weight, moved = parts.weight, parts.moved[0]
        own = np.subtract.outer(weight, weight)[..., None] * self.levels
        others = np.subtract.outer(moved, moved) + parts.apart
        return np.asarray(own + others[..., None])

    def _variance(self, value: Floats, chance: Floats) -> float:
        """Return the variance of a value over items, of arrays of one shape."""
        mean = float(np.sum(chance * value))
        return float(np.sum(chance * (value - mean) ** 2))

    def _excess(self, parts: "_Parts") -> float:
        """Return E[Var(e_A D_A - e_B D_B | bins, grade)]: what the randomness of ranks adds."""
        first, second = parts.off[0][:, None], parts.off[1][None]
        total = 0.0
        for part, power in ((parts.line, 1), (parts.rest, 2)):
            one, other = first * part[:, None, None], second * part[None, :, None]
            loose = (1 - self.alike**power)[..., None]
            total += float(np.sum(self.joint * ((one - other) ** 2 + 2 * loose * one * other)))
        return total


@dataclass(frozen=True, eq=False)
class _Parts:
    """What a discount makes of the bins.

    Parameters
    ----------
    weight
        E[D(rank)], (bins,).
    moved
        What an item in a bin changes by moving those below it, (2, bins); `apart`: A less B.
    line, rest
        The standard deviation of D(rank): of its linear part in the rank, and of what remains.
    off
        Gain minus its mean in the bin, (2, bins, grades).
    """

    weight: Floats
    moved: Floats
    apart: Floats
    line: Floats
    rest: Floats
    off: Floats

    @property
    def noise(self) -> Floats:
        """Return Var(D(rank)), (bins,)."""
        return np.asarray(self.line**2 + self.rest**2)

    @classmethod
    def of(cls, spread: Spread, discount: Discount, less: float) -> "_Parts":
        at = spread.centres.weigh(discount, spread.cutoff, less=less)
        edge = spread.edges.weigh(discount, spread.cutoff, less=less).mean
        means = np.stack([*spread.means, spread.means[0] - spread.means[1]])
        steps = means * np.diff(edge)
        below = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1] - steps
        moved = below + means * (edge[1:] - at.mean)
        zero = np.zeros_like(at.slope)
        line = np.divide(at.slope, at.spread, out=zero, where=at.spread > 0)
        rest = np.sqrt(np.maximum(at.square - at.mean**2 - line**2, 0))
        off = spread.levels - spread.means[..., None]
        return cls(at.mean, moved[:2], moved[2], line, rest, off)


def spread(source: Described, n: int, cutoff: int, levels: Floats) -> Spread:
    """Lay out bins, fine near the top and around the cutoff, and the joint law over them."""
    edges = _edges(n, cutoff)
    joint = np.asarray(source.joint(edges, edges), dtype=float)
    sides = (joint.sum(axis=1), joint.sum(axis=0))
    means = np.array([side @ levels / np.maximum(side.sum(axis=1), 1e-300) for side in sides])
    low, high = edges[:-1], edges[1:]
    centres = np.where(low > 0, np.sqrt(low * high), high / 2)
    return Spread(
        n,
        cutoff,
        levels,
        RankLaw.of(n, edges),
        RankLaw.of(n, centres),
        joint,
        alike(joint.sum(axis=2), high, high),
        means,
    )


def _edges(n: int, cutoff: int) -> Floats:
    top = 1 / EVEN
    decades = max(np.log10(top * n / 0.1), 0.1)
    near = np.geomspace(0.1 / n, top, max(int(PER_DECADE * decades), 2)) if n > 5 else [0.01]
    edges = [0.0, *near, *np.arange(1, EVEN + 1) / EVEN, *blurred(n, cutoff)]
    return np.unique(np.clip(edges, 0, 1))


def alike(joint: Floats, ends_a: Floats, ends_b: Floats) -> Floats:
    """Return the correlation of being ahead of an item in A's and in B's order, by pair of bins."""
    ahead = np.cumsum(np.cumsum(joint, axis=0), axis=1)
    scales = (np.sqrt(np.maximum(ends * (1 - ends), 0)) for ends in (ends_a, ends_b))
    product = np.multiply.outer(*scales)
    excess = ahead - np.multiply.outer(ends_a, ends_b)
    inside = product > 0
    value = np.clip(np.divide(excess, product, out=np.zeros_like(excess), where=inside), -1, 1)
    return np.where(np.abs(value) > 1 - 1e-9, np.sign(value), value)  # but for rounding, one order
