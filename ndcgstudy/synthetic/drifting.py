"""Prefixes that are not i.i.d.: what the scores tell changes while the list grows."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import flat, number
from ndcgstudy.synthetic.curves import grade_of
from ndcgstudy.synthetic.generator import GENERATORS, Sample
from ndcgstudy.synthetic.reference import Reference


@GENERATORS.register("drift")
@dataclass(frozen=True)
class Drift:
    """Start as the pair of `reference` with its rankers swapped and end as that pair itself.

    Item i (from 0) has P(relevant) = base + a_i (U0 - 1/2) + b_i (U1 - 1/2), with
    w_i = half / (half + i), a_i = a + (b - a) w_i and b_i = b + (a - b) w_i: early items favour
    ranker 1, and from the item `half` on ranker 0. What holds of growing i.i.d. lists need not hold.

    Parameters
    ----------
    base, a, b, levels
        As in `reference`.
    half
        The number of items after which the two rankers tell as much as each other, above 0.

    Examples
    --------
    >>> Drift().sample(3, rng=np.random.default_rng(0)).grades.shape
    (3,)
    """

    base: float = 0.3
    a: float = 0.4
    b: float = 0.1
    half: float = 1000.0
    levels: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", flat(self.levels))
        Reference(self.base, self.a, self.b, self.levels)
        number("half", self.half, above=0)

    @property
    def tends_to(self) -> Reference:
        """What the items tend to as the list grows."""
        return Reference(self.base, self.a, self.b, self.levels)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items: three uniforms an item, so that samples are nested."""
        number("n", n, at_least=1, whole=True)
        uniforms = np.ascontiguousarray(rng.random((n, 3)).T)
        u, v, coin = uniforms
        early = self.half / (self.half + np.arange(n))
        turn = (self.b - self.a) * early
        chance = self.base + (self.a + turn) * (u - 0.5) + (self.b - turn) * (v - 0.5)
        return Sample(uniforms[:2], grade_of(coin, chance, self.levels))
