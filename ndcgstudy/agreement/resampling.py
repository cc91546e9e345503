"""Resampling of clusters as one matrix product: how often each is drawn, times what each counts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.counts import Floats, Ints

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


def percentile_interval(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    """Return the middle `level` of resampled rates, leaving out resamples in which one is NaN.

    Parameters
    ----------
    drawn
        Shape (resamples, ...).

    Examples
    --------
    >>> low, high = percentile_interval(np.array([0.1, 0.2, 0.3, np.nan]), 0.5)
    >>> round(float(low), 3), round(float(high), 3)
    (0.15, 0.25)
    """
    flat = drawn.reshape(len(drawn), -1)
    bounds = np.full((2, flat.shape[1]), np.nan)
    missing = np.isnan(flat)
    whole, some = ~missing.any(axis=0), missing.any(axis=0) & ~missing.all(axis=0)
    tails = [(1 - level) / 2, (1 + level) / 2]
    bounds[:, whole] = np.quantile(flat[:, whole], tails, axis=0)
    for column in np.flatnonzero(some):
        bounds[:, column] = np.quantile(flat[~missing[:, column], column], tails)
    low, high = bounds.reshape(2, *drawn.shape[1:])
    return low, high
