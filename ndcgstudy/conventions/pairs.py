"""Conclusions on pairs of runs, and how many conventions share them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats
from ndcgstudy.ids import Index

if TYPE_CHECKING:
    import pandas as pd

TIED = 1e-12
"""Means that differ by less are equal: sums of thousands of scores up to 1 are off by less."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Agreement:
    """How many conventions share each conclusion on a pair; all counts have shape (pairs,).

    Parameters
    ----------
    systems
        The runs.
    first, second
        Each pair's runs, the one that is ahead by default first.
    ahead, behind
        In how many conventions the first is ahead of the second, and behind it.
    surely_ahead, surely_behind
        In how many of them by a paired t test over topics.
    conventions
        How many there are.
    """

    systems: tuple[str, ...]
    first: Index
    second: Index
    ahead: Counts
    behind: Counts
    surely_ahead: Counts
    surely_behind: Counts
    conventions: int

    @property
    def flipped(self) -> npt.NDArray[np.bool_]:
        """Which pairs stand in either order, depending on the convention."""
        return (self.ahead > 0) & (self.behind > 0)

    def statement(self, pair: int) -> str:
        """Say what the conventions make of a pair."""
        a, b = self.systems[self.first[pair]], self.systems[self.second[pair]]
        text = (
            f"{a} is ahead of {b} in {self.ahead[pair]} of {self.conventions}, "
            f"significantly in {self.surely_ahead[pair]}"
        )
        if self.behind[pair]:
            text += f"; behind in {self.behind[pair]}, significantly in {self.surely_behind[pair]}"
        return text

    def tenths(self) -> "pd.DataFrame":
        """Count pairs by the share of conventions, in tenths, that put the first ahead.

        Returns
        -------
        table
            Columns tenth (0: below a tenth), pairs (that some convention tells apart), and of these
            those that stand in either order, that are significantly ahead under some convention, and
            significantly both ways.
        """
        import pandas as pd

        tenth = np.minimum(10 * self.ahead // self.conventions, 9)
        sure, contrary = self.surely_ahead > 0, self.surely_behind > 0
        kinds = {
            "pairs": self.ahead + self.behind > 0,
            "pairs_flipped": self.flipped,
            "pairs_sure": sure,
            "pairs_sure_both_ways": sure & contrary,
        }
        counts = {name: np.bincount(tenth[kind], minlength=10) for name, kind in kinds.items()}
        return pd.DataFrame({"tenth": np.arange(10), **counts})

    def frame(self) -> "pd.DataFrame":
        """Return a row a pair."""
        import pandas as pd

        names = np.array(self.systems, dtype=object)
        counts: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("ahead", "behind", "surely_ahead", "surely_behind")
        }
        return pd.DataFrame(
            {
                "first": names[self.first],
                "second": names[self.second],
                **counts,
                "conventions": self.conventions,
                "flipped": self.flipped,
            }
        )


def agreement(
    systems: tuple[str, ...], means: Floats, values: Iterable[Floats], level: float = 0.05
) -> Agreement:
    """Count the conventions that share each conclusion.

    Parameters
    ----------
    means
        Shape (conventions, systems); the first convention is the default.
    values
        The scores of each convention, shape (systems, topics).
    level
        A pair is told apart where the p-value of a paired t test, over the topics that count for both,
        is below it, two-sided, and the means over these topics differ in the direction of the means.

    Examples
    --------
    >>> default = np.array([[0.9, 0.8, 0.9], [0.1, 0.2, 0.3]])
    >>> values = [default, default[::-1]]
    >>> found = agreement(("a", "b"), np.array([v.mean(axis=1) for v in values]), values)
    >>> found.statement(0)
    'a is ahead of b in 1 of 2, significantly in 1; behind in 1, significantly in 1'
    """
    order = np.argsort(-means[0], kind="stable")
    upper, lower = np.triu_indices(len(systems), 1)
    first, second = order[upper], order[lower]
    counts = np.zeros((4, first.size), dtype=np.int64)
    known: dict[bytes, npt.NDArray[np.bool_]] = {}  # many conventions give the same scores
    for own, scores in zip(means, values, strict=True):
        same = scores.tobytes()
        if same not in known:
            gap, t = own[first] - own[second], paired_t(scores, first, second, level)
            up, down = gap > TIED, gap < -TIED
            known[same] = np.array([up, down, up & (t > 0), down & (t < 0)])
        counts += known[same]
    ahead, behind, surely_ahead, surely_behind = counts
    return Agreement(systems, first, second, ahead, behind, surely_ahead, surely_behind, len(means))


def paired_t(scores: Floats, first: Index, second: Index, level: float) -> Index:
    """Return 1 where the first of a pair is above the second by a paired t test, -1 below, else 0.

    Parameters
    ----------
    scores
        Shape (systems, topics); topics that are NaN for either count for neither.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.9, 0.7], [0.5, 0.5, 0.6, 0.3], [0.4, 0.9, 0.2, 0.5]])
    >>> paired_t(scores, np.array([0, 1, 1]), np.array([1, 0, 2]), 0.05)
    array([ 1, -1,  0])
    """
    from scipy.special import stdtrit

    gaps = scores[first] - scores[second]
    if np.isnan(gaps).any():
        counted = np.isfinite(gaps)
        n = counted.sum(axis=1)
        gaps = np.where(counted, gaps, 0.0)
        spread = np.where(counted, gaps - (gaps.sum(axis=1) / np.maximum(n, 1))[:, None], 0.0)
    else:
        n = np.full(len(gaps), gaps.shape[1])
        spread = gaps - gaps.mean(axis=1, keepdims=True)
    df = np.maximum(n - 1, 1)
    mean = gaps.sum(axis=1) / np.maximum(n, 1)
    error = np.sqrt((spread**2).sum(axis=1) / df / np.maximum(n, 1))
    critical = stdtrit(df, 1 - level / 2)
    sure = (n > 1) & (np.abs(mean) > TIED) & (np.abs(mean) > critical * error)
    return np.asarray(np.sign(mean) * sure, dtype=np.int64)
