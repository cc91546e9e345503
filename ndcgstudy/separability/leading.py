"""Which of two rankers has the larger limit of nDCG."""

import numpy as np
import numpy.typing as npt

from ndcgstudy.gains import Gain
from ndcgstudy.synthetic.generator import Described

Floats = npt.NDArray[np.float64]
NOTHING = 1e-6  # a difference of limits below this share of what it is made of may be none


def leading(pair: Described, gain: Gain, beta: float, rest: bool, share: float, whole: bool) -> str:
    """Name the ranker with the larger limit, or where both have one, the larger next term.

    The sign of int_0^c (ya - yb)(u) w(u) du, y the expected gain at depth u: w = u^-beta, or -log u for
    a slowly varying D on a whole list, where both reach all items.
    """
    depths, widths = _nodes(share)
    curves = np.asarray(pair.curves(1 - depths), dtype=float)[:2]
    apart = np.asarray(gain(np.arange(pair.grades)), dtype=float) @ (curves[0] - curves[1])
    slow = whole and beta == 0 and not rest
    parts = apart * widths * (-np.log(depths) if slow else depths**-beta)
    found = float(parts.sum())
    if abs(found) <= NOTHING * float(np.abs(parts).sum()):
        return ""
    return "A" if found > 0 else "B"


def _nodes(share: float) -> tuple[Floats, Floats]:
    """Return depths from 0 to `share`, dense at the top on a log scale, and what each stands for."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    low = np.geomspace(1e-14, 1e-2, 97)
    edges = np.concatenate([low, np.linspace(1e-2, 1, 512)[1:]]) * share
    half = np.diff(edges)[:, None] / 2
    depths = (edges[:-1, None] + half * (1 + nodes)).ravel()
    return depths, (half * weights).ravel()
