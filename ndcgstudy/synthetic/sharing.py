"""Two stages that err alike: what a reranker gains hangs on whether its errors are its own."""

from dataclasses import dataclass, replace

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.synthetic.generator import Sample
from ndcgstudy.synthetic.stages import TwoStage


@dataclass(frozen=True)
class Sharing:
    """Two stages whose errors correlate: the better signal is a sum of the first stage's and another.

    That is x = w x_first + v y, with y independent of x_first given the quality; w, v and the
    correlation of y with the quality are such that x has that of `stages.second`.

    Parameters
    ----------
    stages
        The two stages.
    alike
        The correlation of their errors, in [0, 1).

    Examples
    --------
    >>> pair = Sharing(TwoStage(depth=2), alike=0.5)
    >>> pair.at(pair.sample(4, rng=np.random.default_rng(0)), 4).scores.shape
    (2, 4)
    """

    stages: TwoStage
    alike: float

    def __post_init__(self) -> None:
        number("alike", self.alike, at_least=0, below=1)

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw what the better signal (row 0) and the first stage (row 1) see of `n` items."""
        one, two = self.stages.first, self.stages.second
        own, error = ((1 - c * c) ** 0.5 for c in (one, two))
        w = error * self.alike / own
        quality, noise = two - w * one, error * (1 - self.alike**2) ** 0.5
        v = float(np.hypot(quality, noise))
        drawn = replace(self.stages, second=quality / v).sample(n, rng=rng)
        other, first = drawn.scores
        return Sample(np.stack([w * first + v * other, first]), drawn.grades)

    def at(self, sample: Sample, n: int) -> Sample:
        """Return the scores of the first `n` items where these are the whole list."""
        return self.stages.at(sample, n)
