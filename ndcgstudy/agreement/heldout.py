"""Compare measures on answers that they have not been fitted to, so that none wins by parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.davidson import cluster_sums
from ndcgstudy.agreement.likelihood import checked, fit, fitted_loglik
from ndcgstudy.checks import number

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Lead:
    """A mean over pairs with its clustered interval.

    Parameters
    ----------
    mean, se
        The mean a pair and its clustered standard error.
    low, high
        The t interval with one degree of freedom less than there are clusters.
    pairs, clusters
        How many it rests on.
    """

    mean: float
    se: float
    low: float
    high: float
    pairs: int
    clusters: int

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


def lead(values: Any, cluster: Any, *, level: float = 0.95) -> Lead:
    """Return the mean of values a pair, e.g. by how much one log-likelihood passes another.

    With the deviations from the mean summed in each of g clusters, the variance of the mean of m
    pairs is g/(g-1) times the sum of their squares over m².

    Parameters
    ----------
    values
        (pairs,); NaN are left out.
    cluster
        (pairs,): labels, e.g. the query.

    Raises
    ------
    ValueError
        If there is no value.

    Examples
    --------
    >>> found = lead([0.1, 0.3, 0.2, 0.2], ["q1", "q1", "q2", "q3"])
    >>> round(found.mean, 3), found.clusters
    (0.2, 3)
    """
    from scipy.special import stdtrit

    number("level", level, above=0, below=1)
    values, labels = np.asarray(values, dtype=float), np.asarray(cluster)
    if values.shape != labels.shape or values.ndim != 1:
        raise ValueError(f"`cluster` must be of shape {values.shape}, got {labels.shape}")
    kept = ~np.isnan(values)
    if not kept.any():
        raise ValueError("`values` has no pair")
    values, labels = values[kept], np.unique(labels[kept], return_inverse=True)[1]
    mean, m, g = float(values.mean()), len(values), int(labels.max()) + 1
    sums = cluster_sums((values - mean)[:, None], labels)
    se = float(np.sqrt(g / (g - 1) * np.sum(sums**2)) / m) if g > 1 else float("nan")
    half = float(stdtrit(g - 1, (1 + level) / 2)) * se if g > 1 else float("nan")
    return Lead(mean, se, mean - half, mean + half, m, g)


def fold_of(cluster: Any, folds: int = 10) -> Ints:
    """Deal clusters to folds of about the same number of pairs, and return the fold of each pair.

    The largest cluster comes first, each to the smallest fold, equal ones in the order of their
    labels: there is no chance in it.

    Raises
    ------
    ValueError
        If there are fewer than 2 folds, or fewer clusters than folds.

    Examples
    --------
    >>> fold_of(["q1", "q2", "q2", "q3", "q1", "q2"], folds=2)
    array([1, 0, 0, 1, 1, 0])
    """
    number("folds", folds, at_least=2, whole=True)
    labels, sizes = np.unique(np.asarray(cluster), return_inverse=True, return_counts=True)[1:]
    if len(sizes) < folds:
        raise ValueError(f"`folds` must be at most the {len(sizes)} clusters, got {folds}")
    filled, of_cluster = np.zeros(folds, dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
    for label in np.argsort(-sizes, kind="stable"):
        of_cluster[label] = np.argmin(filled)
        filled[of_cluster[label]] += sizes[label]
    return of_cluster[labels]


def held_out(
    difference: Any,
    preference: Any,
    cluster: Any,
    *,
    folds: int = 10,
    ties: str = "davidson",
    position: bool = False,
) -> Floats:
    """Return the log-likelihood of each answer under the fit to the folds without its cluster.

    Parameters are those of `fit`; `folds` as in `fold_of`.

    Returns
    -------
    loglik
        (pairs,); NaN for a tie where ties are dropped.

    Raises
    ------
    ValueError
        If the rest of a fold cannot be fitted: its answers are separated or none is decided.

    Examples
    --------
    >>> d, answers = [1.0, 1.0, -1.0, 1.0, 1.0, -1.0], [1, -1, -1, 1, -1, 1]
    >>> held_out(d, answers, ["q1"] * 3 + ["q2"] * 3, folds=2, ties="dropped").round(3).tolist()
    [-1.099, -0.405, -1.099, -0.405, -1.099, -1.099]
    """
    columns, answers, labels = checked(difference, preference, cluster, ties)

    kept = np.ones(answers.shape, dtype=bool) if ties == "davidson" else answers != 0

    def predict(seen: Pairs, unseen: Pairs) -> Floats:
        known = (part[kept][seen] for part in (columns, answers, labels))
        found = fit(*known, ties=ties, position=position)
        return fitted_loglik(found, columns[kept][unseen], answers[kept][unseen])

    loglik = np.full(answers.shape, np.nan)
    loglik[kept] = by_folds(predict, labels[kept], folds)
    return loglik


def by_folds(predict: Callable[[Pairs, Pairs], Floats], cluster: Any, folds: int = 10) -> Floats:
    """Return what `predict(seen, unseen)` says of each fold, seen and unseen pairs as masks."""
    fold = fold_of(cluster, folds)
    found = np.full(fold.shape, np.nan)
    for i in range(folds):
        try:
            found[fold == i] = predict(fold != i, fold == i)
        except ValueError as error:
            raise ValueError(f"without fold {i + 1} of {folds}: {error}") from None
    return found
