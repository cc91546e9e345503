"""The reference pair: two rankers with independent scores, one of which tells more."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.checks import flat, number
from ndcgstudy.synthetic.curves import Curves, Floats, check_levels, grade_of
from ndcgstudy.synthetic.generator import GENERATORS, Sample


@GENERATORS.register("reference")
@dataclass(frozen=True)
class Reference:
    """Label items with P(relevant) = base + a (U0 - 1/2) + b (U1 - 1/2); ranker i sorts by Ui.

    U0 and U1 are independent uniforms on [0, 1). Ranker 0 is the better one where a is above b,
    and its top items differ from those of ranker 1.

    Parameters
    ----------
    base
        The share of relevant items, in (0, 1).
    a, b
        How much the chance of relevance rises over the scores of ranker 0 and of ranker 1.
    levels
        The shares of grades 1, 2, ... among the relevant items.

    Raises
    ------
    ValueError
        If some item would be relevant with a probability outside [0, 1].

    Examples
    --------
    >>> sample = Reference().sample(5, rng=np.random.default_rng(0))
    >>> sample.scores.shape, sample.grades.shape
    ((2, 5), (5,))
    """

    base: float = 0.3
    a: float = 0.4
    b: float = 0.1
    levels: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", flat(self.levels))
        check_levels(self.levels)
        number("base", self.base, above=0, below=1)
        number("a", self.a)
        number("b", self.b)
        reach = (abs(self.a) + abs(self.b)) / 2
        low, high = self.base - reach, self.base + reach
        if low < -1e-12 or high > 1 + 1e-12:  # 0.3 - (0.4 + 0.2)/2 is 0 but for rounding
            raise ValueError(
                f"`base`, `a` and `b` must keep P(relevant) in [0, 1], got {low:g} to {high:g}"
            )

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items: three uniforms an item, so that samples are nested."""
        number("n", n, at_least=1, whole=True)
        uniforms = np.ascontiguousarray(rng.random((n, 3)).T)
        scores, coin = uniforms[:2], uniforms[2]
        chance = self.base + self.a * (scores[0] - 0.5) + self.b * (scores[1] - 0.5)
        return Sample(scores, grade_of(coin, chance, self.levels))

    @property
    def grades(self) -> int:
        """How many grades there are."""
        return 1 + len(self.levels)

    @property
    def _pair(self) -> Curves:
        first, second = ((self.base - slope / 2, slope) for slope in (self.a, self.b))
        return Curves(first, second, self.levels)

    def curves(self, s: Any) -> Floats:
        """Return P(grade | quantile s), (2, grades, len(s))."""
        return self._pair.curves(s)

    def joint(self, edges_a: Any, edges_b: Any) -> Floats:
        """Return the chance of each bin of A, bin of B and grade, for edges in depths."""
        return self._pair.joint(edges_a, edges_b)
