"""Limits of nDCG as the list grows: Wang et al. (2013), Theorems 4, 7, 9, 11-13.

The graded forms (their Theorems 14-17) are derived here from the same argument and tested against
simulation; they are named after the binary theorem that they extend.

Write ybar(u) for the expected gain at depth u (1 minus the quantile of the score), g_j for the gain
of grade j, P_j for P(grade >= j), and c(n) for the share of ranks that are counted. A discount that
varies regularly with index -b, D(tr)/D(r) -> t^-b, puts its weight over depths like u^-b, so

    0 <= b < 1, k = cn     nDCG -> int_0^c ybar(u) u^-b du / sum_j (g_j - g_(j-1)) J(min(c, P_j)),
                           J(x) = x^(1-b) / (1-b)
    b = 1, or k = o(n), the sum of D without bound
                           nDCG -> ybar(0) / g_top: all weight is at the top, where the ideal
                           has none but items of the highest grade that occurs

c = 1 is the full list; b = 0, as of 1/log r, then gives 1 for every ranker. Binary labels have one
step, g_1 = 1 and P_1 = p: the theorems as printed. Where the counted sum of D is bounded nothing
settles where labels stay uncertain at the top of a ranker's list (Theorem 10): nDCG tends to a random
number, the D-weighted mean of labels at the top over g_top. Where they become certain for every ranker,
as of `latent` pairs, nDCG tends to the gain of these labels over g_top, whatever the discount.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.rates import Decay, decay
from ndcgstudy.separability.tops import Tops, tops
from ndcgstudy.synthetic.generator import Described, Generator, described

Floats = npt.NDArray[np.float64]
LINEAR: Gain = Linear()
TOP = 1e-15  # the depth that stands for the top
CERTAIN = "certain labels"
EVERYWHERE, TOP_ONLY, RANDOM, UNKNOWN = "everywhere", "top", "random", "not resolved"


@dataclass(frozen=True)
class Limit:
    """What the nDCG of each ranker tends to.

    Parameters
    ----------
    values
        The limit by ranker; of a random limit, its mean; NaN where that is not known.
    kind
        "everywhere": all depths decide; "top": the first items alone, but many of them; "random":
        so few, of uncertain labels, that nDCG does not settle; "not resolved".
    theorem
        Of Wang et al. (2013), or that none of these but certain labels decide.
    """

    values: tuple[float, ...]
    kind: str
    theorem: str

    @property
    def gap(self) -> float:
        """The first ranker's limit minus the second's."""
        return self.values[0] - self.values[1]


def limit(
    generator: Generator,
    discount: Discount,
    *,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> Limit:
    """Return the limit of nDCG for every ranker of a described generator.

    Raises
    ------
    ValueError
        If the generator is not described in closed form or no grade above 0 occurs.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2, Power
    >>> from ndcgstudy.synthetic import Reference
    >>> limit(Reference(), Log2()).values
    (1.0, 1.0)
    >>> found = limit(Reference(), Power(beta=1))
    >>> [round(x, 2) for x in found.values], found.theorem
    ([0.5, 0.35], 'Theorem 9')
    """
    source, cut, fall = described(generator), Cutoff.parse(cutoff), decay(discount)
    levels = np.asarray(gain(np.arange(source.grades)), dtype=float)
    binary = source.grades == 2
    kind, theorem = _kind(fall, cut, binary)
    if kind == UNKNOWN:
        return Limit((float("nan"),) * len(source.curves([0.5])), kind, theorem)
    if kind == EVERYWHERE:
        share = cut.factor if cut.exponent == 1 else 1.0
        beta = 0.0 if fall.limit > 0 else fall.beta
        return Limit(_everywhere(source, levels, beta, share), kind, theorem)
    top = tops(source, gain)
    if kind == RANDOM and top.a.certain and top.b.certain:
        kind, theorem = TOP_ONLY, CERTAIN
    elif kind == RANDOM and not top.known:
        kind, theorem = UNKNOWN, ""
    return Limit(_at_top(source, levels, top), kind, theorem)


def _kind(fall: Decay, cut: Cutoff, binary: bool) -> tuple[str, str]:
    """Return which items decide, and the theorem that says so."""
    if cut.exponent == 0 or fall.diverges is False:
        return RANDOM, "Theorem 10"
    if fall.diverges is None:
        return UNKNOWN, ""
    if cut.exponent < 1:
        return TOP_ONLY, "Theorem 11" if binary else "Theorem 11, graded"
    if fall.beta == 1 and not fall.limit > 0:
        return TOP_ONLY, "Theorem 9" if binary else "Theorem 9, graded"
    slow = fall.beta == 0 or fall.limit > 0
    numbers = {(True, True): "4", (True, False): "7", (False, True): "12", (False, False): "13"}
    printed = f"Theorem {numbers[cut.whole, slow]}"
    return EVERYWHERE, printed if binary else f"{printed}, graded"


def _everywhere(source: Described, levels: Floats, beta: float, share: float) -> tuple[float, ...]:
    """Return the ratio of the integrals, with t = u^(1-b) for a measure: no pole at the top."""
    curves, weights = _over_depths(source, 0.0, 1.0)
    chances = (curves @ weights)[0]
    tails = np.cumsum(chances[::-1])[::-1][1:]
    ideal = float(np.diff(levels) @ np.minimum(share, tails) ** (1 - beta)) / (1 - beta)
    if ideal <= 0:
        raise ValueError("nDCG has no limit: no item has a gain above 0")
    if beta == 0 and share == 1:
        return (1.0,) * len(curves)
    curves, weights = _over_depths(source, beta, share)
    return tuple(float(levels @ one @ weights / ideal) for one in curves)


def _over_depths(source: Described, beta: float, share: float) -> tuple[Floats, Floats]:
    """Return P(grade | depth) and the measure u^-b du at nodes over depths 0 to `share`."""
    nodes, sides = np.polynomial.legendre.leggauss(8)
    edges = np.unique([*np.arange(257) / 256 * share, *(np.geomspace(1e-6, 1 / 256, 20) * share)])
    edges = np.unique(np.append(edges, np.arange(1, 65)[np.arange(1, 65) / 64 < share] / 64))
    ends = edges ** (1 - beta)  # even in the measure within each panel
    half = np.diff(ends)[:, None] / 2
    places = (ends[:-1, None] + half * (1 + nodes)).ravel()
    depths = places ** (1 / (1 - beta))
    weights = (half * sides).ravel() / (1 - beta)
    return np.asarray(source.curves(1 - depths), dtype=float), weights


def _at_top(source: Described, levels: Floats, top: Tops) -> tuple[float, ...]:
    """Return the expected gain at the top over the gain of the highest grade that occurs."""
    curves, weights = _over_depths(source, 0.0, 1.0)
    occurs = (curves @ weights)[0] > 1e-12
    highest = float(levels[occurs].max())
    if highest <= 0:
        raise ValueError("nDCG has no limit: no item has a gain above 0")
    found = np.asarray(source.curves(np.array([1 - TOP])), dtype=float)[:, :, 0] @ levels
    known = [
        one.expected if one.certain else value
        for one, value in zip((top.a, top.b), found, strict=False)
    ]
    return tuple((np.array([*known, *found[2:]]) / highest).tolist())
