"""What the number of relevant documents does to scores, and to the order of two means."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats
from ndcgstudy.holes.changes import separated
from ndcgstudy.holes.flips import TIE
from ndcgstudy.measures import score_grades


def ordered(relevant: npt.NDArray[np.int64], quality: Floats, noise: Floats) -> Floats:
    """Return grades, 0 or 1, in the order of signal plus noise, (systems, topics, documents).

    Parameters
    ----------
    relevant
        How many documents of each topic are relevant, (topics,).
    quality
        What is added to their noise, (systems, topics).
    noise
        (systems, topics, documents).

    Examples
    --------
    >>> ordered(np.array([1]), np.array([[2.0]]), np.array([[[0.0, 1.0, 3.0]]]))
    array([[[0., 1., 0.]]])
    """
    truly = (np.arange(noise.shape[-1]) < relevant[:, None]).astype(float)
    order = np.argsort(-(quality[..., None] * truly + noise), axis=-1)
    return np.take_along_axis(np.broadcast_to(truly, order.shape), order, axis=-1)


def expected(measure: str, relevant: int, documents: int) -> float:
    """Return the mean of a DCG or nDCG (linear or binary gain) over all orders of the documents.

    Each rank holds a relevant document with chance R/n: E DCG@k = R/n * the sum of D(r) to k.

    Examples
    --------
    >>> round(expected("nDCG@10", 30, 1000), 12), round(expected("nDCG@10", 3, 1000), 4)
    (0.03, 0.0064)
    """
    flat = np.full(documents, relevant / documents)
    best = (np.arange(documents) < relevant).astype(float)
    dcg = measure.removeprefix("n")
    ideal = float(score_grades(dcg, best)) if measure.startswith("n") else 1.0
    return float(score_grades(dcg, flat)) / ideal


def opposed(one: Floats, two: Floats) -> dict[str, Any]:
    """Count the pairs of systems that the means of two measures order oppositely.

    Parameters
    ----------
    one, two
        Scores of the same systems on the same topics, (systems, topics).

    Returns
    -------
    counts
        pairs; opposed; half, those that just one measure tells apart by a 95% t interval; torn, those
        that both tell apart, in opposite directions.

    Examples
    --------
    >>> one = np.array([[0.9, 0.8, 0.7], [0.5, 0.5, 0.4]])
    >>> opposed(one, one[::-1].copy())
    {'pairs': 1, 'opposed': 1, 'half': 0, 'torn': 1}
    """
    pairs = np.triu_indices(len(one), 1)
    gaps = [x.mean(axis=1)[:, None] - x.mean(axis=1) for x in (one, two)]
    signs = [(np.sign(gap) * (np.abs(gap) > TIE))[pairs] for gap in gaps]
    told = [separated(x)[pairs] for x in (one, two)]
    against = signs[0] * signs[1] < 0
    return {
        "pairs": len(against),
        "opposed": int(against.sum()),
        "half": int((told[0] != told[1]).sum()),
        "torn": int((against & told[0] & told[1]).sum()),
    }


def correlation(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[float, float, float]:
    """Return Spearman's rho and its 95% interval, tanh(atanh rho +- 1.96 sqrt((1 + rho^2/2)/(n - 3))).

    Bonett and Wright (2000, Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations).

    Examples
    --------
    >>> [round(value, 2) for value in correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])]
    [0.8, -0.46, 0.99]
    """
    from scipy.stats import spearmanr

    rho = float(spearmanr(x, y).statistic)
    half = 1.96 * ((1 + rho**2 / 2) / (np.size(x) - 3)) ** 0.5
    low, high = np.tanh(np.arctanh(rho) + np.array([-half, half]))
    return rho, float(low), float(high)
