"""What people's answers say of a measure: Bradley and Terry's model with Davidson's ties.

Two lists of one query differ by d under a measure, and a person prefers the first (A), the second (B)
or neither. With x = slope d + position,

    P(A) = e^(x/2) / Z,   P(B) = e^(-x/2) / Z,   P(tie) = nu / Z,   Z = e^(x/2) + e^(-x/2) + nu

(Bradley and Terry 1952, Rank analysis of incomplete block designs; Davidson 1970, On extending the
Bradley-Terry model to accommodate ties). The slope is all that a measure may choose, so measures
compare by their log-likelihoods as they stand. With nu = 0 this is logistic regression on d, the model
of the decided pairs alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement import davidson
from ndcgstudy.checks import nearest

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TIES = ("davidson", "dropped")


@dataclass(frozen=True, eq=False)
class Fit:
    """The parameters that make the answers most likely.

    Parameters
    ----------
    names
        ``slope``, or ``slope1``, ``slope2``, ... of several columns; then ``position`` and
        ``log_nu`` where they are fitted.
    parameters
        Their values. They are infinite in the directions in which the answers are separated, i.e.
        follow the difference without exception; a slope is NaN where its column is 0 in every pair.
    se, clustered_se
        Standard errors, for independent pairs and for pairs that may depend on each other within a
        cluster. NaN where the answers are separated; the clustered ones also for one cluster.
    covariance
        (parameters, parameters), clustered.
    loglik
        The log-likelihood; its supremum where the answers are separated.
    pairs, clusters
        How many were fitted.
    ties
        ``davidson`` or ``dropped``.
    separated
        Whether the answers are separated, so that a larger slope is always likelier.
    """

    names: tuple[str, ...]
    parameters: Floats
    se: Floats
    clustered_se: Floats
    covariance: Floats
    loglik: float
    pairs: int
    clusters: int
    ties: str = "davidson"
    separated: bool = False

    @property
    def slopes(self) -> Floats:
        """The slopes, one a column of the difference."""
        return self.parameters[[name.startswith("slope") for name in self.names]]

    @property
    def slope(self) -> float:
        """The first slope: the log-odds of A against B at a difference of 1."""
        return float(self.slopes[0])

    @property
    def position(self) -> float:
        """The log-odds of A against B at a difference of 0; 0 where it is not fitted."""
        return self._named("position", 0.0)

    @property
    def nu(self) -> float:
        """The weight of a tie; 0 where ties are dropped or there are none."""
        return float(np.exp(self._named("log_nu", -np.inf)))

    @property
    def aic(self) -> float:
        """Akaike's criterion: twice the parameters found minus twice the log-likelihood."""
        return 2.0 * float(np.sum(~np.isnan(self.parameters))) - 2.0 * self.loglik

    def _named(self, name: str, default: float) -> float:
        return float(self.parameters[self.names.index(name)]) if name in self.names else default


def fit(
    difference: Any,
    preference: Any,
    cluster: Any,
    *,
    ties: str = "davidson",
    position: bool = False,
) -> Fit:
    """Fit the model by Newton's method.

    Clustered errors are of the sandwich form, times g/(g-1) (m-1)/(m-k) for g clusters, m pairs and
    k parameters, as in statsmodels.

    Parameters
    ----------
    difference
        The measure of list A minus that of list B, (pairs,), or (pairs, columns) for a slope each.
    preference
        (pairs,): 1 for A, 0 for a tie, -1 for B.
    cluster
        (pairs,): labels, e.g. the query; pairs that share one may depend on each other.
    ties
        ``davidson`` models them; ``dropped`` fits the decided pairs alone.
    position
        Whether to fit a preference for the side A.

    Raises
    ------
    ValueError
        If a shape or value is none of these, no pair is decided, or columns depend on each other.

    Examples
    --------
    >>> found = fit([0.5, 0.25, -0.25, 0.5], [1, -1, -1, 0], ["q1", "q1", "q2", "q3"])
    >>> round(found.slope, 3), round(found.nu, 3), round(found.loglik, 3)
    (2.309, 0.736, -4.052)
    """
    columns, answers, labels = kept_pairs(difference, preference, cluster, ties)
    if not np.any(answers):
        raise ValueError("`preference` has no decided pair, so it says nothing of a difference")
    tied = bool(np.any(answers == 0))
    design = _design(columns, position)
    used = np.any(design, axis=0)
    scale = np.sqrt(np.mean(design[:, used] ** 2, axis=0))
    unit = design[:, used] / scale
    if unit.size and np.linalg.matrix_rank(unit) < unit.shape[1]:
        raise ValueError("`difference` has columns that depend on each other or on the position")
    found = davidson.maximum(unit, answers, tied)
    away = davidson.separation(unit, answers, found, tied)
    names = [*_names(columns.shape[1], position), *(["log_nu"] if tied else [])]
    place = np.flatnonzero(np.append(used, tied)[: len(names)])
    return _told(found, away, labels, names, place, np.append(scale, np.ones(int(tied))), ties)


def fitted_loglik(found: Fit, difference: Any, preference: Any) -> Floats:
    """Return the log-likelihood of each answer under a fit, (pairs,), e.g. of pairs it has not seen.

    It is NaN for a tie where ties were dropped.

    Raises
    ------
    ValueError
        If the answers that were fitted are separated, so that the slope is infinite, or have no tie
        where these answers have one.
    """
    if found.separated:
        raise ValueError("the answers are separated: their slope is infinite and predicts nothing")
    columns, answers, _ = checked(
        difference, preference, np.zeros(np.shape(preference)), found.ties
    )
    tied = "log_nu" in found.names
    if not tied and found.ties == "davidson" and not answers.all():
        raise ValueError("the answers have no tie, so nothing tells how likely one is; drop ties")
    design = _design(columns, "position" in found.names)
    known = np.where(np.isnan(found.parameters), 0.0, found.parameters)
    loglik = davidson.pair_loglik(design, answers, known, tied)
    return np.where((answers == 0) & (found.ties == "dropped"), np.nan, loglik)


def check_ties(ties: str) -> None:
    """Check the word for what is done with ties."""
    if ties not in TIES:
        raise ValueError(f"unknown `ties` {ties!r}{nearest(str(ties), [*TIES])}")


def checked(difference: Any, preference: Any, cluster: Any, ties: str) -> tuple[Floats, Ints, Ints]:
    """Return the difference as (pairs, columns), the answers, and clusters as numbers from 0."""
    check_ties(ties)
    columns, answers = np.asarray(difference, dtype=float), np.asarray(preference)
    labels = np.asarray(cluster)
    if not (columns.ndim in (1, 2) and answers.shape == labels.shape == columns.shape[:1]):
        raise ValueError(
            "`difference`, `preference` and `cluster` must have one entry a pair, got shapes "
            f"{columns.shape}, {answers.shape} and {labels.shape}"
        )
    if not np.isfinite(columns).all():
        raise ValueError("`difference` must be finite, got NaN or infinity")
    known = np.isin(answers, (-1, 0, 1))
    if not known.all():
        wrong = answers[~known][0]
        raise ValueError(f"`preference` must be 1 (A), 0 (tie) or -1 (B), got {wrong!s}")
    numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    columns = columns if columns.ndim == 2 else columns[:, None]
    return columns, answers.astype(np.int64), numbers


def kept_pairs(
    difference: Any, preference: Any, cluster: Any, ties: str
) -> tuple[Floats, Ints, Ints]:
    """Return what `checked` does, of the decided pairs alone where ties are dropped."""
    columns, answers, labels = checked(difference, preference, cluster, ties)
    if ties == "davidson":
        return columns, answers, labels
    kept = answers != 0
    labels = np.unique(labels[kept], return_inverse=True)[1].astype(np.int64)
    return columns[kept], answers[kept], labels


def _design(columns: Floats, position: bool) -> Floats:
    """Return the columns that favour A: those of the difference, and ones for the position."""
    return np.column_stack([columns, np.ones(len(columns))]) if position else columns


def _names(columns: int, position: bool) -> list[str]:
    slopes = ["slope"] if columns == 1 else [f"slope{i}" for i in range(1, columns + 1)]
    return [*slopes, "position"] if position else slopes


def _told(
    found: davidson.Maximum,
    away: Floats | None,
    labels: Ints,
    names: list[str],
    place: Ints,
    scale: Floats,
    ties: str,
) -> Fit:
    """Put a maximum into the units and among the names of the parameters asked for."""
    plain, robust = np.full((2, len(names), len(names)), np.nan)
    inside = np.ix_(place, place)
    if away is None:
        plain[inside], robust[inside] = davidson.covariances(found, labels, scale)
    values = np.full(len(names), np.nan)
    values[place] = found.parameters / scale
    if away is not None:
        values[place] = np.where(away == 0, values[place], np.copysign(np.inf, away))
    return Fit(
        names=tuple(names),
        parameters=values,
        se=np.sqrt(np.diag(plain)),
        clustered_se=np.sqrt(np.diag(robust)),
        covariance=robust,
        loglik=float(found.loglik.sum()),
        pairs=len(labels),
        clusters=int(labels.max()) + 1,
        ties=ties,
        separated=away is not None,
    )
