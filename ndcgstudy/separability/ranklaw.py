"""The law of an item's rank: at depth u of a list of n items it is 1 + Binomial(n - 1, u).

Depth is 1 minus the quantile of the score, so 0 is the top. Expectations under the law are sums
over its probabilities: every count where few matter, an even stride of about 1/14 of a standard
deviation where many do, whose error falls off faster than any power of the stride.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount

Floats = npt.NDArray[np.float64]

POINTS = 256  # counts looked at; they reach 9 standard deviations to both sides
PER_DECADE, ORDER = 8, 6  # panels a decade near the top; Gauss-Legendre nodes a panel
TOP = 1 / 64  # panels are even in the logarithm of the depth above this depth, and even below it

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(ORDER)


@dataclass(frozen=True, eq=False)
class Weighed:
    """What a discount weighs at each depth: moments of D(rank) under the law, arrays like the depths.

    Parameters
    ----------
    mean
        W(u) = E[D(rank)].
    square
        E[D(rank)^2].
    slope
        E[(rank - E[rank]) D(rank)].
    spread
        The standard deviation of the rank.
    """

    mean: Floats
    square: Floats
    slope: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class RankLaw:
    """The law of the rank at some depths, ready to be used for any discount.

    Parameters
    ----------
    n
        Items in the list.
    depths
        Where in the list, each in [0, 1], (points,).

    Examples
    --------
    >>> law = RankLaw.of(10, np.array([0.0, 0.5, 1.0]))
    >>> law.weigh(lambda ranks: 1.0 * ranks, 10).mean.round(6).tolist()
    [1.0, 5.5, 10.0]
    """

    n: int
    depths: Floats
    counts: Floats
    chances: Floats
    stride: Floats

    @classmethod
    def of(cls, n: int, depths: Floats) -> "RankLaw":
        """Lay out counts of items ahead and their probabilities, (points, POINTS)."""
        from scipy.stats import binom

        spread = 9 * np.sqrt((n - 1) * depths * (1 - depths)) + 12
        stride = np.ceil(2 * spread / (POINTS - 1))
        first = np.floor(np.maximum((n - 1) * depths - spread, 0))
        counts = first[:, None] + stride[:, None] * np.arange(POINTS)
        chances = binom.pmf(counts, n - 1, depths[:, None])
        chances /= chances.sum(axis=1, keepdims=True)
        return cls(n, depths, counts, chances, stride)

    def weigh(self, discount: Discount, cutoff: int, *, less: float = 0.0) -> Weighed:
        """Return the moments of D(rank) - less, ranks beyond the cutoff weighing nothing."""
        weights = np.asarray(discount(np.minimum(self.counts, self.n - 1) + 1), dtype=float) - less
        if cutoff < self.n:
            weights = weights * self._within(cutoff)
        off = self.counts - (self.n - 1) * self.depths[:, None]
        off -= np.einsum("pc,pc->p", self.chances, off)[:, None]  # 0 but for rounding
        return Weighed(
            np.einsum("pc,pc->p", self.chances, weights),
            np.einsum("pc,pc->p", self.chances, weights**2),
            np.einsum("pc,pc,pc->p", self.chances, off, weights),
            np.sqrt((self.n - 1) * self.depths * (1 - self.depths)),
        )

    def _within(self, cutoff: int) -> Floats:
        """Return the share of the ranks around each count that are not beyond the cutoff."""
        stride = self.stride[:, None]
        return np.clip((cutoff - self.counts - 0.5) / stride + 0.5, 0, 1)


@dataclass(frozen=True, eq=False)
class Depths:
    """Gauss-Legendre nodes over [0, 1], fine near the top and at places where something breaks.

    Examples
    --------
    >>> depths = Depths.of(1000, breaks=[0.3])
    >>> round(float(depths.integral(depths.nodes**2)), 12), round(depths.upto(depths.nodes, 0.3), 12)
    (0.333333333333, 0.045)
    """

    edges: Floats
    nodes: Floats
    weights: Floats

    @classmethod
    def of(cls, n: int, *, breaks: Sequence[float] = (), cutoff: int | None = None) -> "Depths":
        """Lay out the panels for a list of n items; a cutoff blurs over sqrt(cutoff) ranks."""
        decades = np.log10(TOP * n / 0.02) if n > 2 else 1.0
        near = np.geomspace(TOP, 0.02 / n, max(int(PER_DECADE * decades), 2))
        edges = [0.0, *near, *np.arange(1, 65) / 64, *breaks, *blurred(n, cutoff)]
        return cls._panels(np.unique(np.clip(edges, 0, 1)))

    @classmethod
    def _panels(cls, edges: Floats) -> "Depths":
        half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
        return cls(edges, (middle + half * _NODES).ravel(), (half * _WEIGHTS).ravel())

    def integral(self, values: Floats) -> Floats:
        """Integrate over all depths what is known at the nodes, (..., nodes) -> (...)."""
        return np.asarray(values @ self.weights)

    def upto(self, values: Floats, depth: float) -> float:
        """Integrate from the top to a depth that is among the breaks."""
        inside = self.nodes < depth
        return float(values[inside] @ self.weights[inside])

    def running(self, values: Floats) -> Floats:
        """Integrate from the top to every node, (..., nodes) -> (..., nodes)."""
        panels = (values * self.weights).reshape(*values.shape[:-1], -1, ORDER)
        whole = np.cumsum(panels.sum(axis=-1), axis=-1)[..., None] - panels.sum(axis=-1)[..., None]
        half = np.diff(self.edges)[:, None] / 2
        inner = values.reshape(panels.shape) @ _RUNNING.T * half
        return np.asarray((whole + inner).reshape(values.shape))


def blurred(n: int, cutoff: int | None) -> Floats:
    """Return depths around that of a cutoff, a standard deviation of the rank there apart."""
    if not cutoff or cutoff >= n:
        return np.empty(0)
    depth = cutoff / n
    return np.asarray(depth + np.arange(-10, 11) * np.sqrt(depth * (1 - depth) / n))


def _running_matrix() -> Floats:
    """Return the matrix that integrates a polynomial through the nodes from -1 to each node."""
    powers = np.arange(ORDER)
    through = np.linalg.inv(_NODES[:, None] ** powers)
    sums = (_NODES[:, None] ** (powers + 1) - (-1.0) ** (powers + 1)) / (powers + 1)
    return np.asarray(sums @ through)


_RUNNING = _running_matrix()
