"""What other judgments do to scores, ranks and the order of systems."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import number
from ndcgstudy.data import Floats
from ndcgstudy.holes.flips import TIE
from ndcgstudy.ids import Index, Mask
from ndcgstudy.orders import kendall_tau, tau_ap


def ranks(means: npt.ArrayLike) -> Index:
    """Rank systems from 1, the highest first; tied ones share the best of their ranks.

    Examples
    --------
    >>> ranks([0.3, 0.5, 0.3, 0.1])
    array([2, 1, 2, 4])
    """
    values = np.asarray(means, dtype=float)
    rising = np.sort(values)
    higher = values.size - np.searchsorted(rising, values + TIE, side="right")
    return np.asarray(1 + higher, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Change:
    """The means of the same systems under fewer and under more judgments, shape (systems,).

    Examples
    --------
    >>> change = Change(np.array([0.5, 0.4, 0.3]), np.array([0.5, 0.6, 0.3]))
    >>> change.climbed, round(change.tau, 3), change.swapped
    (array([-1,  1,  0]), 0.333, 1)
    """

    fewer: Floats
    more: Floats

    @property
    def climbed(self) -> Index:
        """How many places each system rises when there are more judgments."""
        return ranks(self.fewer) - ranks(self.more)

    @property
    def tau(self) -> float:
        """Kendall's tau-b between the two orders."""
        return kendall_tau(self.fewer, self.more)

    @property
    def tau_ap(self) -> float:
        """The AP correlation of the order by fewer judgments with that by more, its reference."""
        return tau_ap(self.fewer, self.more)

    @property
    def swapped(self) -> int:
        """How many pairs of systems change their order."""
        return int(np.count_nonzero(_signs(self.fewer) * _signs(self.more) < 0)) // 2


def _signs(means: Floats) -> Floats:
    gaps = means[:, None] - means
    return np.where(np.abs(gaps) > TIE, np.sign(gaps), 0.0)


def separated(scores: Floats, level: float = 0.95) -> Mask:
    """Tell which systems' means differ by a paired t test over topics, each pair by itself.

    Parameters
    ----------
    scores
        Shape (systems, topics), at least 2 topics.
    level
        The confidence level, in (0, 1).

    Returns
    -------
    apart
        Shape (systems, systems). Pairs with the same gap on every topic differ if it is not 0.

    Raises
    ------
    ValueError
        If there are fewer than 2 topics, or `level` lies outside (0, 1).

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.7, 0.9], [0.5, 0.5, 0.2, 0.6], [0.9, 0.1, 0.8, 0.3]])
    >>> separated(scores).astype(int)
    array([[0, 1, 0],
           [1, 0, 0],
           [0, 0, 0]])
    """
    from scipy.stats import t

    topics = scores.shape[1]
    number("topics", topics, at_least=2, whole=True)
    number("level", level, above=0, below=1)
    centred = scores - scores.mean(axis=1, keepdims=True)
    products = centred @ centred.T
    own = np.diag(products)
    squares = np.maximum(own[:, None] + own - 2 * products, 0.0)
    gaps = scores.mean(axis=1)[:, None] - scores.mean(axis=1)
    error = np.sqrt(squares / (topics - 1) / topics)
    return np.asarray(np.abs(gaps) > t.ppf((1 + level) / 2, topics - 1) * error + TIE)
