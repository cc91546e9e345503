"""Simulated people, who prefer lists by a utility that is known.

The measure nearest to the utility wins by construction. So answers made here serve to find how many
pairs a comparison needs and to check code, with one utility after another; they are no evidence for a
measure.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import number
from ndcgstudy.measures import MEASURES, Measure, score_grades

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Users:
    """People who answer by Davidson's model on the difference of a measure.

    The measure is divided by its value for a list of the best grade alone, so that slopes of
    different measures are on one scale: P(A) / P(B) = e^(slope d + position), and
    P(tie) = nu sqrt(P(A) P(B)). Fitted so to DCG@5, people who compared lists of music had slopes of
    4.6 and 6.9, and nu of 2.5 and 4.5.

    Parameters
    ----------
    measure
        The utility: a measure, or its text, that is above 0 for a list of the best grade.
    slope
        The log-odds of a list of the best grade against one without gain.
    nu
        The weight of a tie, at least 0.
    position
        The log-odds of A against an equal list.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> Users("DCG@5", slope=50, nu=0).answers([[2, 0], [0, 0]], [[0, 2], [1, 0]], 2, rng=rng)
    array([ 1, -1])
    """

    measure: str | Measure
    slope: float
    nu: float = 0.0
    position: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "measure", MEASURES.parse(self.measure))
        number("slope", self.slope)
        number("nu", self.nu, at_least=0)
        number("position", self.position)

    def chances(self, first: Any, second: Any, best: float) -> tuple[Floats, Floats]:
        """Return the probabilities of A and of B, (pairs,); a tie has the rest.

        Parameters
        ----------
        first, second
            The grades along lists A and B, (pairs, ranks).
        best
            The best grade of the scale.
        """
        x = self.slope * (self.utility(first, best) - self.utility(second, best)) + self.position
        with np.errstate(divide="ignore"):
            log_z = np.logaddexp(np.logaddexp(x / 2, -x / 2), np.log(self.nu))
        return np.exp(x / 2 - log_z), np.exp(-x / 2 - log_z)

    def answers(self, first: Any, second: Any, best: float, *, rng: np.random.Generator) -> Ints:
        """Draw an answer a pair: 1 for A, 0 for a tie, -1 for B; one uniform number each."""
        a, b = self.chances(first, second, best)
        drawn = rng.random(a.shape)
        return (drawn < a).astype(np.int64) - (drawn >= 1 - b)

    def utility(self, grades: Any, best: float) -> Floats:
        """Return the measure of lists over that of a list of the best grade alone.

        Raises
        ------
        ValueError
            If the measure is not above 0 for such a list.
        """
        grades = np.asarray(grades, dtype=float)
        top = float(score_grades(self.measure, np.full(grades.shape[-1], float(best))))
        if not top > 0:
            raise ValueError(f"{self.measure} must be above 0 for a list of grade {best:g} alone")
        return np.asarray(score_grades(self.measure, grades)) / top


def draw_pairs(
    clusters: int, size: int, *, ranks: int = 5, best: int = 2, rng: np.random.Generator
) -> tuple[Ints, Ints, Ints]:
    """Draw pairs of graded lists: the queries differ in how many good documents they have.

    A query's shares of the grades are Dirichlet(1, ..., 1), and its documents are drawn from these.

    Parameters
    ----------
    clusters, size
        How many queries, and how many pairs of each.
    best
        The best grade; the grades are 0, 1, ..., best.

    Returns
    -------
    first, second, cluster
        (pairs, ranks) twice, and (pairs,).

    Examples
    --------
    >>> first, second, cluster = draw_pairs(100, 3, rng=np.random.default_rng(1))
    >>> first.shape, second.shape, cluster.shape, int(first.max())
    ((300, 5), (300, 5), (300,), 2)
    """
    for name, value in (("clusters", clusters), ("size", size), ("ranks", ranks), ("best", best)):
        number(name, value, at_least=1, whole=True)
    shares = rng.dirichlet(np.ones(best + 1), size=clusters).cumsum(axis=1)[:, None, None, :-1]
    drawn = rng.random((clusters, 2 * size, ranks, 1))
    grades = (drawn > shares).sum(axis=-1)
    both = grades.reshape(clusters, 2, size, ranks)
    first, second = (both[:, side].reshape(-1, ranks) for side in (0, 1))
    return first, second, np.repeat(np.arange(clusters), size)
