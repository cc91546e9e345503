"""The likelihood of Davidson's model in its natural parameters, its maximum, and whether it has one.

A pair has signed columns f, which favour A, and an answer of 1 (A), 0 (tie) or -1 (B). The parameters
are a coefficient b for each column, and log nu where there are ties; x = f b, and

    P(answer) = e^(answer x / 2) / Z,   P(tie) = nu / Z,   Z = e^(x/2) + e^(-x/2) + nu.

This is a multinomial logit: the log-likelihood is concave, and its maximum is finite unless a direction
of the parameters separates the answers (Albert and Anderson 1984).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_STEPS, _HALVINGS = 100, 50
_LAST = 1e-12  # a step that promises less log-likelihood a pair than this is the last
_FLAT = 1e-6  # information a pair below which separation is looked for, columns of mean square 1


@dataclass(frozen=True, eq=False)
class Maximum:
    """Where the likelihood is greatest.

    Parameters
    ----------
    parameters
        Coefficients, then log nu where ties are modelled.
    loglik
        A pair, (pairs,).
    scores
        Gradients of these, (pairs, parameters).
    information
        Minus the second derivatives of their sum.
    """

    parameters: Floats
    loglik: Floats
    scores: Floats
    information: Floats


def pair_loglik(signed: Floats, answers: Ints, parameters: Floats, tied: bool) -> Floats:
    """Return the log-likelihood of each answer, (pairs,).

    Parameters
    ----------
    signed
        Columns that favour A, (pairs, columns).
    tied
        Whether the last parameter is log nu; without it a tie is impossible.
    """
    half, log_nu, log_z = _logs(signed, parameters, tied)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(answers == 0, log_nu, answers * half) - log_z)


def maximum(signed: Floats, answers: Ints, tied: bool, start: Floats | None = None) -> Maximum:
    """Climb by Newton's method, halving steps that do not help.

    Where the answers are separated it stops once steps bring nothing, far out.
    """
    at = np.zeros(signed.shape[1] + tied) if start is None else start
    here = evaluate(signed, answers, at, tied)
    for _ in range(_STEPS):
        gradient = here.scores.sum(axis=0)
        step = _solved(here.information, gradient)
        if gradient @ step < _LAST * len(answers):
            break
        here = _further(here, step, signed, answers, tied)
    return here


def evaluate(signed: Floats, answers: Ints, parameters: Floats, tied: bool) -> Maximum:
    """Return likelihood, scores and information at given parameters."""
    half, log_nu, log_z = _logs(signed, parameters, tied)
    first, second = np.exp(half - log_z), np.exp(-half - log_z)
    mean, tie = first - second, np.exp(log_nu - log_z)
    scores = signed * ((answers - mean) / 2)[:, None]
    spread = (first + second - mean**2) / 4
    information = signed.T @ (signed * spread[:, None])
    loglik = np.where(answers == 0, log_nu if tied else 0.0, answers * half) - log_z
    if tied:
        scores = np.column_stack([scores, (answers == 0) - tie])
        cross = -(signed.T @ (mean * tie)) / 2
        corner = np.sum(tie * (1 - tie))
        information = np.block([[information, cross[:, None]], [cross[None, :], corner]])
    return Maximum(parameters, loglik, scores, information)


def separation(signed: Floats, answers: Ints, here: Maximum, tied: bool) -> Floats | None:
    """Return a direction in which the likelihood rises for ever, or None if it has a maximum.

    The direction makes the answer of every pair at least as likely as any other, and of some pair
    strictly so; a linear program looks for it, where the information is so small that it may exist.
    """
    if np.all(np.linalg.eigvalsh(here.information / len(answers)) > _FLAT):
        return None
    from scipy.optimize import linprog

    margins = _margins(signed, answers, tied)
    size = margins.shape[1]
    found = linprog(
        -margins.mean(axis=0), -margins, np.zeros(len(margins)), bounds=[(-1, 1)] * size
    )
    away = np.where(np.abs(found.x) > 1e-7, found.x, 0.0)
    return away if -found.fun > 1e-9 else None


def covariances(found: Maximum, labels: Ints, scale: Floats) -> tuple[Floats, Floats]:
    """Return the covariance for independent pairs, and the clustered one, NaN for one cluster.

    Parameters
    ----------
    labels
        The cluster of each pair, numbers from 0.
    scale
        What each parameter is to be divided by.
    """
    m, k = found.scores.shape
    g = int(labels.max()) + 1
    bread, units = np.linalg.inv(found.information), np.outer(scale, scale)
    if g == 1 or m <= k:
        return bread / units, np.full((k, k), np.nan)
    sums = cluster_sums(found.scores, labels) @ bread
    return bread / units, g / (g - 1) * (m - 1) / (m - k) * (sums.T @ sums) / units


def cluster_sums(values: Floats, labels: Ints) -> Floats:
    """Return the sums of (pairs, columns) over each cluster, (clusters, columns)."""
    sums = np.empty((int(labels.max()) + 1, values.shape[1]))
    for place, column in enumerate(values.T):
        sums[:, place] = np.bincount(labels, weights=column)
    return sums


def _margins(signed: Floats, answers: Ints, tied: bool) -> Floats:
    """Return rows whose product with the parameters is by how much an answer beats another one."""
    sign = np.where(answers == 0, 1, answers)[:, None]
    half = signed * sign / 2
    if not tied:
        return np.asarray(2 * half)
    tie = (answers == 0)[:, None]
    ones = np.ones_like(tie, dtype=float)
    over_tie = np.column_stack([np.where(tie, -half, half), np.where(tie, ones, -ones)])
    over_other = np.column_stack([np.where(tie, half, 2 * half), np.where(tie, ones, 0 * ones)])
    return np.concatenate([over_tie, over_other])


def _logs(signed: Floats, parameters: Floats, tied: bool) -> tuple[Floats, float, Floats]:
    """Return x/2, log nu and log Z."""
    half = signed @ parameters[: signed.shape[1]] / 2
    log_nu = float(parameters[-1]) if tied else -np.inf
    decided = np.logaddexp(half, -half)
    return half, log_nu, np.logaddexp(decided, log_nu) if tied else decided


def _solved(information: Floats, gradient: Floats) -> Floats:
    """Return Newton's step; where the information is singular, the shortest."""
    try:
        return np.asarray(np.linalg.solve(information, gradient))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(information, gradient)[0])


def _further(here: Maximum, step: Floats, signed: Floats, answers: Ints, tied: bool) -> Maximum:
    """Take a step, or the largest half, quarter, ... of it that does not lose likelihood."""
    before = here.loglik.sum()
    for _ in range(_HALVINGS):
        there = evaluate(signed, answers, here.parameters + step, tied)
        if there.loglik.sum() >= before:
            return there
        step = step / 2
    return here
