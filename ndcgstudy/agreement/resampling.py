"""Resampling of clusters as one matrix product: how often each is drawn, times what each counts."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.counts import Floats, Ints
from ndcgstudy.intervals import around

_BLOCK = 1 << 22  # how many drawn clusters are held at a time


def cluster_labels(cluster: Any, counted: npt.NDArray[np.bool_], measures: Sequence[str]) -> Ints:
    """Return the clusters of pairs as numbers from 0.

    Raises
    ------
    ValueError
        If they, or the names of measures, do not fit what was counted, (pairs, measures, ...).
    """
    labels = np.unique(np.asarray(cluster), return_inverse=True)[1].reshape(-1)
    if counted.shape[:2] != (labels.size, len(measures)):
        raise ValueError("`cluster` must have an entry a pair, `measures` a name a row")
    return labels.astype(np.int64)


def cluster_counts(counted: npt.NDArray[np.bool_], cluster: Ints, clusters: int) -> Floats:
    """Add up what each cluster counts.

    Parameters
    ----------
    counted
        Shape (pairs, ...).
    cluster
        The cluster of each pair, from 0.

    Returns
    -------
    sums
        Shape (clusters, ...).

    Examples
    --------
    >>> cluster_counts(np.array([[True], [True], [False]]), np.array([1, 1, 0]), 2).tolist()
    [[0.0], [2.0]]
    """
    flat = counted.reshape(len(counted), -1)
    order = np.argsort(cluster, kind="stable")
    begins = np.searchsorted(cluster[order], np.arange(clusters))
    running = np.concatenate([np.zeros((1, flat.shape[1])), np.cumsum(flat[order], axis=0)])
    sums = running[np.append(begins[1:], len(flat))] - running[begins]
    return np.asarray(sums.reshape(clusters, *counted.shape[1:]), dtype=float)


def resample(sums: Floats, resamples: int, *, rng: np.random.Generator) -> Floats:
    """Draw as many clusters as there are, with replacement, and add up what they count, often.

    Parameters
    ----------
    sums
        Shape (clusters, ...): what each cluster counts.

    Returns
    -------
    drawn
        Shape (resamples, ...).

    Examples
    --------
    >>> resample(np.ones((5, 1)), 2, rng=np.random.default_rng(0)).tolist()
    [[5.0], [5.0]]
    """
    clusters = len(sums)
    flat = sums.reshape(clusters, -1)
    step = max(_BLOCK // clusters, 1)
    parts = [
        _times(clusters, min(step, resamples - begin), rng) @ flat
        for begin in range(0, resamples, step)
    ]
    return np.concatenate(parts).reshape(resamples, *sums.shape[1:])


def _times(clusters: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Return how often each cluster is drawn in each resample, shape (resamples, clusters)."""
    drawn = rng.integers(0, clusters, (resamples, clusters))
    drawn += np.arange(resamples)[:, None] * clusters
    times = np.bincount(drawn.ravel(), minlength=resamples * clusters)
    return times.reshape(resamples, clusters).astype(float)


def difference_interval(
    value: Any, drawn: Floats, clusters: int, level: float, most: float = 1.0
) -> tuple[Floats, Floats]:
    """Return the interval of a difference of rates, value -+ t sqrt(v + 1/(G + 2)²) within -+ `most`.

    v is the variance of the resampled differences times G/(G - 1) for G clusters, t has G - 1 degrees of
    freedom. The second part is what half a cluster more in each cell of the paired table adds (Agresti
    and Min 2005, Simple improved confidence intervals for comparing matched proportions): clusters that
    all say the same do not make a difference certain. NaN of one cluster.

    Parameters
    ----------
    value, drawn
        Shapes (...) and (resamples, ...); resamples in which a difference is NaN are left out.

    Examples
    --------
    >>> low, high = difference_interval(0.2, np.array([0.1, 0.2, 0.3, np.nan]), 20, 0.95)
    >>> round(float(low), 3), round(float(high), 3)
    (0.001, 0.399)
    """
    if clusters < 2 or not len(drawn):
        none = np.full(np.shape(value), np.nan)
        return none, none
    with warnings.catch_warnings():  # a rate may have no pair in any resample
        warnings.simplefilter("ignore", RuntimeWarning)
        variance = np.nanvar(drawn, axis=0) * clusters / (clusters - 1)
    error = np.sqrt(variance + 1 / (clusters + 2) ** 2)
    return around(value, error, clusters - 1, level, 0.0, (-most, most))
