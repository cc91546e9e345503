"""Rankers with independent scores whose relevance curves are given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import flat, number
from ndcgstudy.synthetic.generator import GENERATORS, Sample

Floats = npt.NDArray[np.float64]
NODES, SHARES = np.polynomial.legendre.leggauss(16)  # exact for polynomials of degree 31
_SLACK = 1e-12


def polynomial(coefficients: tuple[float, ...], s: Any) -> Floats:
    """Return c0 + c1 s + c2 s^2 + ... at each s."""
    return np.asarray(np.polynomial.polynomial.polyval(s, np.asarray(coefficients, dtype=float)))


def mean(coefficients: tuple[float, ...]) -> float:
    """Return the integral of a polynomial over [0, 1]."""
    return sum(c / (i + 1) for i, c in enumerate(coefficients))


def averages(coefficients: tuple[float, ...], edges: Any) -> Floats:
    """Return the mean of a curve over each bin of depths (1 - s), (bins,)."""
    edges = np.asarray(edges, dtype=float)
    depth = edges[:-1, None] + np.diff(edges)[:, None] * (NODES + 1) / 2
    return np.asarray(polynomial(coefficients, 1 - depth) @ SHARES / 2)


def reach(coefficients: tuple[float, ...]) -> tuple[float, float]:
    """Return the least and the largest value of a polynomial on [0, 1]."""
    slope = np.polynomial.polynomial.polyder(np.asarray(coefficients, dtype=float))
    roots = np.polynomial.polynomial.polyroots(slope) if np.any(slope) else np.empty(0)
    turns = roots.real[(np.abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real < 1)]
    values = polynomial(coefficients, np.concatenate([[0.0, 1.0], turns]))
    return float(values.min()), float(values.max())


def check_levels(levels: tuple[float, ...]) -> None:
    """Check the shares of the grades 1, 2, ... among the relevant items."""
    for grade, share in enumerate(levels, start=1):
        number(f"levels[grade {grade}]", share, above=0)
    if not levels or abs(sum(levels) - 1) > 1e-9:
        raise ValueError(f"`levels` must be shares of grades 1, 2, ... with sum 1, got {levels}")


def graded(relevant: Floats, levels: tuple[float, ...], axis: int) -> Floats:
    """Spread P(relevant) over the grades 0, 1, 2, ... along a new axis."""
    parts = [1 - relevant, *(share * relevant for share in levels)]
    return np.stack(parts, axis=axis)


def grade_of(coin: Floats, chance: Floats, levels: tuple[float, ...]) -> npt.NDArray[np.int64]:
    """Turn a uniform coin an item into its grade: 0 from `chance` on, below it by the levels."""
    if len(levels) == 1:
        return (coin < chance).astype(np.int64)
    ends = np.cumsum(levels[::-1])[::-1]  # the top grade takes the lowest coins
    ends[0] = 1.0
    return np.asarray((coin < chance * ends[:, None]).sum(axis=0), dtype=np.int64)


@GENERATORS.register("curves")
@dataclass(frozen=True)
class Curves:
    """Label items so that relevance follows a curve over the score of each of two rankers.

    The scores u, v are independent uniforms and P(relevant | u, v) = ya(u) + yb(v) - p, where both
    curves have the mean p. So P(relevant | u) = ya(u), P(relevant | v) = yb(v), and the labels are
    the same for both rankers.

    Parameters
    ----------
    a, b
        Coefficients of ya and yb, polynomials in the score: ``(0.1, 0, 0.5)`` is .1 + .5 s^2. A `b`
        of one number is a ranker that orders at random; without `b` it is the mean of ya.
    levels
        The shares of grades 1, 2, ... among the relevant items.

    Raises
    ------
    ValueError
        If the means differ, or some item would be relevant with a probability outside [0, 1].

    Examples
    --------
    >>> pair = Curves(a=(0.1, 0, 0.5))
    >>> pair.curves(np.array([1.0]))[:, 1, 0].round(3).tolist()
    [0.6, 0.267]
    """

    a: tuple[float, ...] = (0.1, 0.0, 0.5)
    b: tuple[float, ...] = ()
    levels: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        for name in ("a", "b", "levels"):
            object.__setattr__(self, name, flat(getattr(self, name)))
            for place, value in enumerate(getattr(self, name)):
                number(f"{name}[{place}]", value)
        if not self.a:
            raise ValueError("`a` must be one or more coefficients, got ()")
        check_levels(self.levels)
        p, other = mean(self.a), mean(self._second)
        if abs(p - other) > 1e-9:
            raise ValueError(
                f"`a` and `b` must have the same mean on [0, 1], got {p:g} and {other:g}"
            )
        (low_a, high_a), (low_b, high_b) = reach(self.a), reach(self._second)
        low, high = low_a + low_b - p, high_a + high_b - p
        if low < -_SLACK or high > 1 + _SLACK:
            raise ValueError(
                f"`a` and `b` must keep P(relevant) in [0, 1], got {low:g} to {high:g}"
            )

    @property
    def _second(self) -> tuple[float, ...]:
        return self.b or (mean(self.a),)

    @property
    def grades(self) -> int:
        """How many grades there are."""
        return 1 + len(self.levels)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items: three uniforms an item, so that samples are nested."""
        number("n", n, at_least=1, whole=True)
        uniforms = np.ascontiguousarray(rng.random((n, 3)).T)
        u, v, coin = uniforms
        chance = polynomial(self.a, u) + polynomial(self._second, v) - mean(self.a)
        return Sample(uniforms[:2], grade_of(coin, chance, self.levels))

    def curves(self, s: Any) -> Floats:
        """Return P(grade | quantile s), (2, grades, len(s))."""
        relevant = np.stack([polynomial(curve, s) for curve in (self.a, self._second)])
        return graded(relevant, self.levels, axis=1)

    def joint(self, edges_a: Any, edges_b: Any) -> Floats:
        """Return the chance of each bin of A, bin of B and grade, for edges in depths."""
        y_a, y_b = averages(self.a, edges_a), averages(self._second, edges_b)
        relevant = np.maximum(y_a[:, None] + y_b - mean(self.a), 0.0)
        area: Floats = np.diff(edges_a)[:, None] * np.diff(edges_b)
        chances: Floats = graded(relevant, self.levels, axis=-1) * area[..., None]
        return chances


@GENERATORS.register("random")
@dataclass(frozen=True)
class AgainstRandom:
    """Compare a ranker of P(relevant | s) = base + slope (s - 1/2) with one that orders at random.

    It is ``curves`` with a second curve that is constant.

    Raises
    ------
    ValueError
        If some item would be relevant with a probability outside [0, 1].

    Examples
    --------
    >>> AgainstRandom().curves(np.array([0.0, 1.0]))[:, 1].round(3).tolist()
    [[0.1, 0.5], [0.3, 0.3]]
    """

    base: float = 0.3
    slope: float = 0.4
    levels: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        number("base", self.base, above=0, below=1)
        number("slope", self.slope)
        object.__setattr__(self, "levels", flat(self.levels))
        self._pair  # noqa: B018 - refuses what cannot be

    @property
    def _pair(self) -> Curves:
        return Curves(a=(self.base - self.slope / 2, self.slope), levels=self.levels)

    @property
    def grades(self) -> int:
        """How many grades there are."""
        return self._pair.grades

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items."""
        return self._pair.sample(n, rng=rng)

    def curves(self, s: Any) -> Floats:
        """Return P(grade | quantile s), (2, grades, len(s))."""
        return self._pair.curves(s)

    def joint(self, edges_a: Any, edges_b: Any) -> Floats:
        """Return the chance of each bin of A, bin of B and grade, for edges in depths."""
        return self._pair.joint(edges_a, edges_b)
