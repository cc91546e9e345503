"""The control pair: two rankers that agree on the top of the list and not below."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.checks import flat, number
from ndcgstudy.synthetic.curves import (
    NODES,
    SHARES,
    Floats,
    check_levels,
    grade_of,
    graded,
    polynomial,
    reach,
)
from ndcgstudy.synthetic.generator import GENERATORS, Sample


@GENERATORS.register("shared_top")
@dataclass(frozen=True)
class SharedTop:
    """Give both rankers one order down to depth `alike`, and B the reverse of A's order below.

    A sorts by a uniform score u, and P(relevant | u) is a polynomial. Even a discount with a bounded
    sum tells the two apart, as they differ where it is smooth: a control of Theorem 10 of Wang et
    al. (2013), whose "every pair" needs pairs whose top items differ.

    Parameters
    ----------
    a
        Coefficients of P(relevant | u).
    alike
        The share of the list, from the top, that both order alike, in (0, 1).
    levels
        The shares of grades 1, 2, ... among the relevant items.

    Raises
    ------
    ValueError
        If the curve leaves [0, 1].

    Examples
    --------
    >>> SharedTop().curves(np.array([0.0, 0.25, 0.75]))[:, 1].round(3).tolist()
    [[0.1, 0.2, 0.4], [0.3, 0.2, 0.4]]
    """

    a: tuple[float, ...] = (0.1, 0.4)
    alike: float = 0.5
    levels: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        for name in ("a", "levels"):
            object.__setattr__(self, name, flat(getattr(self, name)))
        for place, value in enumerate(self.a):
            number(f"a[{place}]", value)
        number("alike", self.alike, above=0, below=1)
        check_levels(self.levels)
        low, high = reach(self.a or (0.0,))
        if not self.a or low < -1e-12 or high > 1 + 1e-12:
            raise ValueError(f"`a` must keep P(relevant) in [0, 1], got {low:g} to {high:g}")

    @property
    def grades(self) -> int:
        """How many grades there are."""
        return 1 + len(self.levels)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items: two uniforms an item, so that samples are nested."""
        number("n", n, at_least=1, whole=True)
        u, coin = np.ascontiguousarray(rng.random((n, 2)).T)
        below = 1 - self.alike
        scores = np.stack([u, np.where(u >= below, u, below - u)])
        return Sample(scores, grade_of(coin, polynomial(self.a, u), self.levels))

    def curves(self, s: Any) -> Floats:
        """Return P(grade | quantile s), (2, grades, len(s))."""
        s = np.asarray(s, dtype=float)
        below = 1 - self.alike
        own = np.stack([s, np.where(s >= below, s, below - s)])
        return graded(np.clip(polynomial(self.a, own), 0, 1), self.levels, axis=1)

    def joint(self, edges_a: Any, edges_b: Any) -> Floats:
        """Return the chance of each bin of A, bin of B and grade, for edges in depths."""
        a, b = (np.asarray(edges, dtype=float) for edges in (edges_a, edges_b))
        top_a, top_b = np.minimum(a, self.alike), np.minimum(b, self.alike)
        low_a, low_b = np.maximum(a, self.alike), np.maximum(b, self.alike)
        turned = 1 + self.alike - low_b  # where in A's order the edges of B lie
        top = self._overlap(top_a, top_b[:-1], top_b[1:])
        return np.asarray(top + self._overlap(low_a, turned[1:], turned[:-1]))

    def _overlap(self, edges: Floats, low: Floats, high: Floats) -> Floats:
        """Return the chance of each grade where bins of A meet ranges of A's order."""
        start = np.maximum(edges[:-1, None], low)
        width = np.maximum(np.minimum(edges[1:, None], high) - start, 0.0)
        depth = start[..., None] + width[..., None] * (NODES + 1) / 2
        relevant = np.clip(polynomial(self.a, 1 - depth) @ SHARES / 2, 0, 1)
        return np.asarray(width[..., None] * graded(relevant, self.levels, axis=-1))
