"""Where systems stand by their ranks on each topic: win rate, Borda count, critical difference."""

from typing import Any

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.inference.outcome import Floats
from ndcgstudy.inference.signedrank import DIGITS
from ndcgstudy.inference.tukey import complete


def wins(values: Any) -> Floats:
    """Return how many of the others each system beats on each topic, a tie counting one half.

    Parameters
    ----------
    values
        Scores, shape (systems, topics), none missing.

    Examples
    --------
    >>> wins([[0.5, 0.7], [0.5, 0.6], [0.4, 0.7]]).tolist()
    [[1.5, 1.5], [1.5, 0.0], [0.0, 1.5]]
    """
    from scipy.stats import rankdata

    return np.asarray(rankdata(np.round(complete(values), DIGITS), axis=0) - 1)


def borda(values: Any) -> Floats:
    """Return each system's Borda count: the others it beats, ties one half, summed over topics.

    Examples
    --------
    >>> borda([[0.5, 0.7], [0.5, 0.6], [0.4, 0.7]]).tolist()
    [3.0, 1.5, 1.5]
    """
    return np.asarray(wins(values).sum(axis=1))


def win_rate(values: Any) -> Floats:
    """Return the share of all comparisons that each system wins, ties one half.

    The rates of n systems add up to n/2, whatever their order and their ties.

    Examples
    --------
    >>> win_rate([[0.5, 0.7, 0.9], [0.5, 0.6, 0.9], [0.4, 0.7, 0.8]]).tolist()
    [0.75, 0.5, 0.25]
    """
    won = wins(values)
    return np.asarray(won.mean(axis=1) / (len(won) - 1))


def nemenyi(systems: int, topics: int, level: float = 0.95) -> float:
    """Return how far apart the mean ranks of two systems must be (Nemenyi 1963; Demsar 2006).

    q sqrt(k(k + 1) / 6n) for k systems on n topics, q being the quantile of the studentized range
    of k means with infinitely many degrees of freedom, divided by sqrt 2.

    Examples
    --------
    >>> round(nemenyi(5, 30), 4)
    1.1136
    """
    number("systems", systems, at_least=2, whole=True)
    number("topics", topics, at_least=1, whole=True)
    number("level", level, above=0, below=1)
    from scipy.stats import studentized_range

    q = studentized_range.ppf(level, systems, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(systems * (systems + 1) / (6 * topics)))
