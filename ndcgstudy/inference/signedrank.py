"""Wilcoxon's signed-rank test, exact with ties and zeros as well (Wilcoxon 1945; Pratt 1959)."""

import numpy as np
import numpy.typing as npt

from ndcgstudy.inference.outcome import Draws, Floats, Outcome, one_of_tails

DIGITS = 12
"""Differences are rounded so before they are ranked: 0.825 - 0.775 ties with 0.55 - 0.5."""

MOST_EXACT = 50
"""Up to so many differences that are not 0 the null distribution is computed, as scipy does."""

Ints = npt.NDArray[np.int64]


def wilcoxon(differences: Floats, alternative: str, _: Draws) -> Outcome:
    """Test by the sum of the ranks of the positive differences; zeros are dropped first."""
    return _signed_rank(differences, alternative, keep_zeros=False)


def pratt(differences: Floats, alternative: str, _: Draws) -> Outcome:
    """Test as `wilcoxon` does, but drop the zeros only after they took the lowest ranks."""
    return _signed_rank(differences, alternative, keep_zeros=True)


def doubled_ranks(differences: Floats, *, keep_zeros: bool = False) -> Ints:
    """Return twice the mid-rank of each |difference| in its row; 0 for a zero.

    Examples
    --------
    >>> doubled_ranks(np.array([[-0.025, 0.05, 0.0, 0.05]])).tolist()
    [[2, 5, 0, 5]]
    """
    from scipy.stats import rankdata

    sizes = np.abs(np.round(differences, DIGITS))
    doubled = np.round(2 * rankdata(sizes, axis=1)).astype(np.int64)
    zeros = (sizes == 0).sum(axis=1, keepdims=True)
    return np.where(sizes == 0, 0, doubled - (0 if keep_zeros else 2 * zeros))


def _signed_rank(differences: Floats, alternative: str, *, keep_zeros: bool) -> Outcome:
    doubled = doubled_ranks(differences, keep_zeros=keep_zeros)
    won = np.where(differences > 0, doubled, 0).sum(axis=1)
    exact = (doubled > 0).sum(axis=1) <= MOST_EXACT
    upper, lower = np.empty(len(won)), np.empty(len(won))
    upper[exact], lower[exact] = _exact_tails(won[exact], doubled[exact])
    upper[~exact], lower[~exact] = _normal_tails(won[~exact], doubled[~exact])
    return Outcome(one_of_tails(upper, lower, alternative), won / 2, exact)


def _exact_tails(won: Ints, doubled: Ints) -> tuple[Floats, Floats]:
    """Return both tails of each sum; pairs whose ranks are the same share one distribution."""
    patterns, which = np.unique(np.sort(doubled, axis=1), axis=0, return_inverse=True)
    upper, lower = np.empty(len(won)), np.empty(len(won))
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(patterns)))
    for pattern, rows in zip(patterns, np.split(order, ends)[:-1], strict=True):
        at_least = _tail(pattern[pattern > 0].tolist())
        upper[rows] = at_least[won[rows]]
        lower[rows] = at_least[pattern.sum() - won[rows]]  # the null is symmetric
    return upper, lower


def _tail(ranks: list[int]) -> Floats:
    """Return P(sum >= s), s = 0 .. the sum of `ranks`, where each counts with probability 1/2."""
    p, top = np.zeros(sum(ranks) + 1), 0
    p[0] = 1.0
    for rank in ranks:
        below = p[: top + 1] / 2
        p[: top + 1] = below
        p[rank : rank + top + 1] += below
        top += rank
    return np.minimum(np.cumsum(p[::-1])[::-1], 1.0)


def _normal_tails(won: Ints, doubled: Ints) -> tuple[Floats, Floats]:
    """Return both tails by the normal law, with the variance of tied ranks, sum r²/4, and continuity."""
    from scipy.special import ndtr

    away = won / 2 - doubled.sum(axis=1) / 4
    spread = np.sqrt((doubled**2).sum(axis=1)) / 4
    return ndtr(-(away - 0.5) / spread), ndtr((away + 0.5) / spread)
