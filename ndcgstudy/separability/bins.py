"""Bins of the score quantiles of two rankers, and how many items of each grade fall into them."""

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.synthetic.generator import Described

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FINEST = 0.1  # items expected in the first bin
FINE, COARSE = 24, 12  # bins a decade, down to rank `DEEP` and below
DEEP = 100
TOP, EVEN = 0.02, 50  # the share of the list that the bins on a log scale take; bins over the rest
RARE = 1.0  # cells that expect fewer items are drawn item by item
PARTS = 4  # into which a bin is split for each ranker alone
_NODES, _SHARES = np.polynomial.legendre.leggauss(3)


def edges(n: int, alike: float = 0.0) -> Floats:
    """Return depths from 0, the top, to 1: fine at the top of a list of n items.

    They are fine behind the depth `alike` too, where two lists that agree so far begin to differ.

    Examples
    --------
    >>> [len(edges(n)) for n in (10, 10**4, 10**12)]
    [60, 128, 224]
    """
    finest, deep = min(FINEST / n, TOP), min(max(DEEP / n, FINEST / n), TOP)
    fine = np.geomspace(finest, deep, 1 + int(np.ceil(FINE * np.log10(deep / finest))))
    coarse = np.geomspace(deep, TOP, 1 + int(np.ceil(COARSE * np.log10(TOP / deep))))
    even = np.linspace(TOP, 1.0, EVEN + 1)
    behind = alike + np.concatenate([[0.0], fine, coarse]) if alike else np.empty(0)
    return np.unique(np.concatenate([[0.0], fine[:-1], coarse[:-1], even, behind[behind < 1]]))


def _splits(generator: Described, ends: Floats) -> tuple[Floats, Floats]:
    """Return how the items of a grade in a bin spread over its parts, and how they lean in each.

    Both are (2, bins, grades, parts). A grade that leans by t has the density 1 + t (x - 1/2) over
    a part, x from 0 at its top to 1.
    """
    width = np.diff(ends)
    steps = (np.arange(PARTS)[:, None] + (_NODES + 1) / 2) / PARTS
    depth = ends[:-1, None, None] + width[:, None, None] * steps
    curves = np.asarray(generator.curves(1 - depth.ravel()))[:2]
    curves = np.maximum(curves.reshape(*curves.shape[:2], *depth.shape), 1e-300)
    parts, moments = curves @ _SHARES, curves @ (_SHARES * _NODES)
    shares = parts / parts.sum(axis=-1, keepdims=True)
    return np.moveaxis(shares, 1, 2), np.moveaxis(6 * moments / parts, 1, 2)


@dataclass(frozen=True, eq=False)
class Cells:
    """The chances of all cells (bin of A, bin of B, grade), split so that drawing is fast.

    Parameters
    ----------
    shape
        Bins of A, bins of B, grades.
    alike
        How many of the first bins both rankers order alike.
    common, where
        Chances that rise, the first of them of all rare cells together, and the cells of the others.
    rare, rest
        The cumulated chances of the rare cells, up to 1, and the cells.
    splits
        How the items of a grade in a bin spread over its parts, (2 rankers, bins, grades, parts).
    leans
        How far they lie to the bottom of each part, (2 rankers, parts of all bins, grades).
    """

    shape: tuple[int, int, int]
    alike: int
    common: Floats
    where: Ints
    rare: Floats
    rest: Ints
    splits: Floats
    leans: Floats

    @classmethod
    def of(cls, generator: Described, n: int) -> "Cells":
        """Lay bins for lists of n items and ask the generator for the chances of the cells."""
        alike = float(getattr(generator, "alike", 0.0))
        ends = edges(n, alike)
        joint = generator.joint(ends, ends)
        chances = joint.ravel() / joint.sum()
        order = np.argsort(chances, kind="stable")
        order = order[chances[order] > 0]
        few = int(np.searchsorted(chances[order], RARE / n))
        rare = np.cumsum(chances[order[:few]])
        total = rare[-1] if few else 0.0
        splits, leans = _splits(generator, ends)
        return cls(
            shape=joint.shape,
            alike=int(np.count_nonzero(ends[1:] <= alike)),
            common=np.concatenate([[total], chances[order[few:]]]),
            where=order[few:],
            rare=rare / (total or 1.0),
            rest=order[:few],
            splits=splits,
            leans=np.moveaxis(leans, -1, 2).reshape(2, -1, joint.shape[2]),
        )

    def draw(self, n: int, rng: np.random.Generator) -> Ints:
        """Draw n items from one multinomial; return their numbers (2 rankers, parts, grades).

        What falls into a bin is then split over its parts for either ranker alone.
        """
        counts = np.zeros(int(np.prod(self.shape)), dtype=np.int64)
        number = rng.multinomial(n, self.common / self.common.sum())
        counts[self.where] = number[1:]
        if number[0]:
            items = np.searchsorted(self.rare, rng.random(number[0]), side="right")
            counts += np.bincount(
                self.rest[np.minimum(items, len(self.rest) - 1)], minlength=len(counts)
            )
        cells = counts.reshape(self.shape)
        bins = np.stack([cells.sum(axis=1), cells.sum(axis=0)])
        parts = np.moveaxis(rng.multinomial(bins, self.splits), -1, 2)
        parts[1, : self.alike] = parts[0, : self.alike]
        return np.asarray(parts.reshape(2, -1, self.shape[2]))


@functools.lru_cache(maxsize=64)
def cells_for(generator: Described, n: int) -> Cells:
    """Return the cells of a generator for lists of n items, laid out once."""
    return Cells.of(generator, n)
