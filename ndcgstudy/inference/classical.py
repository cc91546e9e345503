"""Tests of paired differences by formula: t and sign."""

import numpy as np

from ndcgstudy.inference.outcome import (
    Draws,
    Floats,
    Outcome,
    constant,
    flips_of_constant,
    one_of_tails,
)


def t_statistic(differences: Floats) -> Floats:
    """Return mean / (s / sqrt T) of each pair; 0 where all is 0, infinite where all is the same."""
    mean = differences.mean(axis=1)
    spread = differences.std(axis=1, ddof=1) if differences.shape[1] > 1 else np.zeros_like(mean)
    spread[constant(differences)] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / spread * np.sqrt(differences.shape[1]))


def t(differences: Floats, alternative: str, _: Draws) -> Outcome:
    """Test the mean by Student's t with T - 1 degrees of freedom.

    The same difference on every topic has no variance; t is infinite and says nothing of how few
    topics there are. The p-value is then that of all sign flips.
    """
    from scipy.special import stdtr

    statistic, same = t_statistic(differences), constant(differences)
    freedom = max(differences.shape[1] - 1, 1)
    p = one_of_tails(stdtr(freedom, -statistic), stdtr(freedom, statistic), alternative)
    p = np.where(same, flips_of_constant(differences, alternative), p)
    return Outcome(p, statistic, same)


def sign(differences: Floats, alternative: str, _: Draws) -> Outcome:
    """Test the number of topics won against a fair coin, by the binomial; ties are dropped."""
    from scipy.special import bdtr

    won, lost = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    trials = won + lost  # P(X >= won) = P(X <= lost), since the coin is fair
    p = one_of_tails(bdtr(lost, trials, 0.5), bdtr(won, trials, 0.5), alternative)
    return Outcome(p, won.astype(float), np.ones(len(won), dtype=bool))
