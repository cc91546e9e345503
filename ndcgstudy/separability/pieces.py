"""Cut the ranks into pieces on which a discount is smooth, or short enough to be added up.

On a smooth piece the sum over ranks a < r <= b is the midpoint form of Euler and Maclaurin's, its
derivatives written as differences,

    integral of D from a + 1/2 to b + 1/2  -  ((D(b + 1) - D(b)) - (D(a + 1) - D(a))) / 24  +  rest,

the integral by Gauss and Legendre's rule in log r. Where D is completely monotone (as 1/log(1 + r)
and r^-b are) the series envelops its sum, so |rest| is at most the first term left out,
17/5760 |D'''(b + 1/2) - D'''(a + 1/2)|: for r^-b, about b^4 r^-4 / 340 of the sum.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Weigh = Callable[[Any], Floats]

LAST = 2**50  # ranks to which pieces are laid, 1.1e15
SHORT = 256  # ranks that are rather added up than halved once more
MOST = 600  # pieces
TOLERANCE = 2e-14
LEAST = 1e-280  # sums below are not refined: their squares leave the range of a double
NARROW = 0.12  # the width in log r up to which few nodes are enough: 1e-14 for r^-3
FORESEEN = 1e-9  # how far D may be off the curve through a piece's nodes at the ends of it
SLIVER = 0.01  # of a piece that lies behind its last node: 0.92% at 12 nodes
_RULES = [np.polynomial.legendre.leggauss(nodes) for nodes in (5, 12)]
_APART = np.subtract.outer(_RULES[-1][0], _RULES[-1][0]) + np.eye(12)
_BARYCENTRIC = 1 / _APART.prod(axis=1)


def quadrature(weigh: Weigh, low: Ints, high: Ints) -> tuple[Floats, Floats]:
    """Return the sums of D and of D^2 over ranks low < r <= high where D is smooth.

    Parameters
    ----------
    weigh
        D on real numbers.
    low, high
        Whole ranks of one shape, low at least 1; a range may be empty.

    Examples
    --------
    >>> one, two = quadrature(lambda r: r**-2.0, np.array([1000]), np.array([2000]))
    >>> bool(abs(one / sum(r**-2.0 for r in range(1001, 2001)) - 1)[0] < 1e-12)
    True
    """
    start = low + 0.5
    half = np.log1p((high - low) / start) / 2
    narrow = half <= NARROW / 2
    sums = np.empty((2, *np.shape(half)))
    for (nodes, shares), these in zip(_RULES, (narrow, ~narrow), strict=True):
        h = half[these][:, None]
        x = start[these][:, None] * np.exp(h * (1 + nodes))
        inner = weigh(x)
        area = h * x * inner
        sums[:, these] = area @ shares, (area * inner) @ shares
    d = weigh(np.stack([low, low + 1.0, high, high + 1.0]))
    sums -= (
        np.stack([d[0] - d[1] - d[2] + d[3], d[0] ** 2 - d[1] ** 2 - d[2] ** 2 + d[3] ** 2]) / 24
    )
    return sums[0], sums[1]


@dataclass(frozen=True, eq=False)
class Pieces:
    """Pieces (edges[i], edges[i + 1]] of the ranks, from `edges[0]` on.

    Parameters
    ----------
    edges
        Whole ranks, rising, the last of them `LAST`.
    short
        Whether a piece is to be added up rank by rank.
    error
        Of each piece: how far the sums of the piece may be off, as a share of them: the difference
        between the rule on the whole and on its halves, at most what monotony leaves open.
    """

    edges: Ints
    short: npt.NDArray[np.bool_]
    error: Floats

    @classmethod
    def lay(cls, weigh: Weigh, first: int) -> "Pieces":
        """Start from octaves and halve the worst piece until all are good or there are `MOST`."""
        octaves = 2.0 ** np.arange(np.log2(first), np.log2(LAST) + 1)
        low = octaves[:-1].astype(np.int64)
        high = octaves[1:].astype(np.int64)
        worst = -_disagreement(weigh, low, high)
        heap = list(zip(worst.tolist(), low.tolist(), high.tolist(), strict=True))
        heapq.heapify(heap)
        done: list[tuple[float, int, int]] = []
        while heap and -heap[0][0] > TOLERANCE and len(heap) + len(done) < MOST:
            _, a, b = heapq.heappop(heap)
            if b - a <= SHORT:
                done.append((0.0, a, b))
                continue
            middle = round((a * b) ** 0.5)
            cut = np.array([a, middle]), np.array([middle, b])
            worse = (-_disagreement(weigh, *cut)).tolist()
            for piece in zip(worse, *(x.tolist() for x in cut), strict=True):
                heapq.heappush(heap, piece)
        pieces = sorted(done + heap, key=lambda piece: piece[1])
        edges = np.array([a for _, a, _ in pieces] + [LAST])
        exact = {a for _, a, _ in done}
        short = np.array([a in exact for a in edges[:-1].tolist()])
        return cls(edges, short, np.array([-e for e, _, _ in pieces]))


def _disagreement(weigh: Weigh, low: Ints, high: Ints) -> Floats:
    """Return by what share the rule on pieces differs from that on their halves, at worst."""
    middle = np.rint(np.sqrt(low.astype(float) * high)).astype(np.int64)
    whole = np.stack(quadrature(weigh, low, high))
    halves = np.stack(quadrature(weigh, low, middle)) + quadrature(weigh, middle, high)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.abs(whole / halves - 1)
        ends = weigh(np.stack([low.astype(float), high + 1.0]))
        most = (ends[0] / ends[1]) ** np.array([[1], [2]]) - 1  # by monotony
    apart = np.fmax(apart, SLIVER * _unforeseen(weigh, low, high))
    worst: Floats = np.where(whole > LEAST, np.fmin(apart, most), 0.0).max(axis=0)
    return worst


def _unforeseen(weigh: Weigh, low: Ints, high: Ints) -> Floats:
    """Return by what share of its mean D jumps at the ends of pieces, where no rule has a node.

    D at low, low + 1, high and high + 1 is compared with the polynomial in log r through 12 nodes; 0
    stands for what is as smooth as that polynomial.
    """
    nodes = _RULES[-1][0]
    start = (low + 0.5)[:, None]
    half = np.log1p((high - low)[:, None] / start) / 2
    inner = weigh(start * np.exp(half * (1 + nodes)))
    ends = np.stack([low, low + 1.0, high, high + 1.0], axis=1)
    share = _BARYCENTRIC / ((np.log(ends / start) / half - 1)[..., None] - nodes)
    curve = np.einsum("ken,kn->ke", share, inner) / share.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.abs(curve - weigh(ends)).max(axis=1) / inner.mean(axis=1)
    return np.where(off > FORESEEN, off, 0.0)
