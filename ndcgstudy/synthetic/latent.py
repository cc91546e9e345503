"""Rankers that see one latent quality, each through noise of its own."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ndcgstudy.checks import flat, number
from ndcgstudy.synthetic.curves import Floats
from ndcgstudy.synthetic.generator import GENERATORS, Sample

_NODES, _SHARES = np.polynomial.legendre.leggauss(16)
_FAR = 12.0  # standard deviations of the quality: 2e-33 of the items lie beyond


def correlation(name: str, value: object) -> None:
    """Check a correlation with the quality, in (-1, 1)."""
    number(name, value, above=-1, below=1)


def check_shares(shares: tuple[float, ...]) -> None:
    """Check the shares of items of grade >= 1, >= 2, ...: in (0, 1) and falling."""
    for grade, share in enumerate(shares, start=1):
        number(f"shares[grade {grade}]", share, above=0, below=1)
    if not shares or any(np.diff(shares) >= 0):
        raise ValueError(f"`shares` must be one or more and fall with the grade, got {shares}")


def thresholds(shares: tuple[float, ...]) -> Floats:
    """Return the least quality of grades 1, 2, ... where items of at least these have the shares."""
    return np.asarray(stats.norm.isf(np.asarray(shares, dtype=float)))


@GENERATORS.register("latent")
@dataclass(frozen=True)
class Latent:
    """Rank by x_i = c_i q + sqrt(1 - c_i^2) e_i, where the quality q decides the grade.

    q, e_0 and e_1 are independent standard normals (a Gaussian copula), so rankers share the items
    they find; grade g or more is q at or above a threshold.

    Parameters
    ----------
    a, b
        The correlations c of rankers A and B with the quality, in (-1, 1).
    shares
        The shares of items of grade at least 1, at least 2, ..., falling: one for binary labels.

    Examples
    --------
    >>> Latent(shares=(0.3, 0.1)).curves(np.array([0.5, 0.999]))[0].round(2).T.tolist()
    [[0.81, 0.17, 0.02], [0.0, 0.02, 0.98]]
    """

    a: float = 0.8
    b: float = 0.6
    shares: tuple[float, ...] = (0.3,)

    def __post_init__(self) -> None:
        correlation("a", self.a)
        correlation("b", self.b)
        object.__setattr__(self, "shares", flat(self.shares))
        check_shares(self.shares)

    @property
    def grades(self) -> int:
        """How many grades there are."""
        return 1 + len(self.shares)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items: three normals an item, so that samples are nested."""
        number("n", n, at_least=1, whole=True)
        quality, *noise = np.ascontiguousarray(rng.standard_normal((n, 3)).T)
        both = zip((self.a, self.b), noise, strict=True)
        scores = np.stack([c * quality + (1 - c * c) ** 0.5 * e for c, e in both])
        grades = np.searchsorted(thresholds(self.shares), quality, side="right")
        return Sample(scores, grades.astype(np.int64))

    def curves(self, s: Any) -> Floats:
        """Return P(grade | quantile s), (2, grades, len(s))."""
        x = np.clip(stats.norm.ppf(np.asarray(s, dtype=float)), -1e8, 1e8)
        cuts = np.concatenate([[-np.inf], thresholds(self.shares), [np.inf]])[:, None]
        return np.stack([_grades(cuts, c, x) for c in (self.a, self.b)])

    def joint(self, edges_a: Any, edges_b: Any) -> Floats:
        """Return the chance of each bin of A, bin of B and grade, for edges in depths.

        Given the quality the two scores are independent: the chance is an integral over it.
        """
        cuts = np.concatenate([[-_FAR], thresholds(self.shares), [_FAR]])
        parts = []
        for low, high in itertools.pairwise(cuts):
            q, weight = self._nodes(low, high)
            in_a, in_b = (_bins(c, q, e) for c, e in ((self.a, edges_a), (self.b, edges_b)))
            parts.append((in_a * weight).T @ in_b)
        return np.stack(parts, axis=-1)

    def _nodes(self, low: float, high: float) -> tuple[Floats, Floats]:
        """Return qualities, (nodes, 1), and what each counts, on panels that the noise can see."""
        width = min(0.5, *((1 - c * c) ** 0.5 / max(abs(c), 0.1) for c in (self.a, self.b)))
        ends = np.linspace(low, high, 1 + int(np.ceil((high - low) / width)))
        half = np.diff(ends)[:, None] / 2
        q = (ends[:-1, None] + half * (1 + _NODES)).reshape(-1, 1)
        return q, stats.norm.pdf(q) * (half * _SHARES).reshape(-1, 1)


def _grades(cuts: Floats, c: float, x: Floats) -> Floats:
    """Return P(quality between cuts | score x), which is normal with mean c x, variance 1 - c^2."""
    at = (cuts - c * x) / (1 - c * c) ** 0.5
    return _span(at[:-1], at[1:])


def _bins(c: float, q: Floats, edges: Any) -> Floats:
    """Return the chance that the score of an item of quality q lies in each bin, (nodes, bins)."""
    x = stats.norm.isf(np.asarray(edges, dtype=float))
    spread = (1 - c * c) ** 0.5
    return _span((x[1:] - c * q) / spread, (x[:-1] - c * q) / spread)


def _span(low: Floats, high: Floats) -> Floats:
    """Return the normal probability between two points, with its digits kept in both tails."""
    upper = stats.norm.sf(low) - stats.norm.sf(high)
    lower = stats.norm.cdf(high) - stats.norm.cdf(low)
    return np.asarray(np.where(low > 0, upper, lower))
