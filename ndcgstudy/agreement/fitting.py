"""Fit a discount to people's answers: the best of a family, its interval, and its lead over others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement import davidson
from ndcgstudy.agreement.families import (
    ONE_PARAMETER,
    TABLE,
    Answers,
    Family,
    best_table,
    best_value,
    check_family,
    family,
)
from ndcgstudy.agreement.heldout import Lead, by_folds, lead
from ndcgstudy.agreement.likelihood import Fit, fitted_loglik
from ndcgstudy.agreement.weights import ratios
from ndcgstudy.checks import number
from ndcgstudy.discounts import DISCOUNTS, Discount, Table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a discount with its interval.

    Parameters
    ----------
    at_low, at_high
        Whether the interval reaches the lower or upper end of the family.
    """

    name: str
    value: float
    low: float
    high: float
    at_low: bool = False
    at_high: bool = False


@dataclass(frozen=True, eq=False)
class FittedDiscount:
    """The discount of a family that makes the answers most likely.

    Parameters
    ----------
    discount
        The discount, which never rises.
    parameters
        One, or of a table the weight of each rank but the first. The weights of a table are free:
        they may rise where its discount does not.
    weights, low, high
        The weight of each rank relative to the first, (ranks,), with intervals one by one.
    fit
        Slope and ties under the discount.
    """

    discount: Discount
    parameters: tuple[Parameter, ...]
    weights: Floats
    low: Floats
    high: Floats
    fit: Fit

    @property
    def aic(self) -> float:
        """Akaike's criterion, the parameters of the discount counted."""
        return self.fit.aic + 2 * len(self.parameters)


def fit_discount(answers: Answers, name: str, *, level: float = 0.95) -> FittedDiscount:
    """Fit a family: ``power``, ``geometric``, ``log-base`` or ``table``.

    The interval of one parameter holds the values whose profile likelihood is near the greatest:
    twice the loss is at most q² v, with q the t quantile of one degree of freedom less than there
    are clusters, and v the clustered variance of the parameter over that of independent pairs (the
    adjustment of a likelihood whose parts depend on each other: Pace, Salvan and Sartori 2011,
    Adjusting composite likelihood ratio statistics). The intervals of a table are those of `ratios`.

    Raises
    ------
    ValueError
        If the family is unknown, the answers cannot be fitted, or they go against the grades.

    Examples
    --------
    >>> from ndcgstudy.agreement.users import Users, draw_pairs
    >>> rng = np.random.default_rng(1)
    >>> first, second, query = draw_pairs(200, 10, rng=rng)
    >>> people = Users("DCG(discount=zipf)", slope=8.0).answers(first, second, 2, rng=rng)
    >>> beta = fit_discount(Answers(first - second, people, query), "power").parameters[0]
    >>> 0.5 < beta.low < 1.0 < beta.high < 1.5  # zipf is power(beta=1)
    True
    """
    number("level", level, above=0, below=1)
    check_family(name)
    if name == TABLE:
        return _fit_table(answers, level)
    of = family(name, len(answers.ranks))
    value = best_value(answers, of)
    found = _rising(answers.fit(of.weights(value, answers.ranks)))
    low, high = _interval(answers, of, value, found, level)
    ends = {"at_low": bool(low == of.ends[0]), "at_high": bool(high == of.ends[1])}
    parameter = Parameter(of.parameter, value, low, high, **ends)
    bands = np.array([_relative(of, end, answers) for end in (low, high)])
    weights = _relative(of, value, answers)
    bounds = bands.min(axis=0), bands.max(axis=0)
    return FittedDiscount(of.make(value), (parameter,), weights, *bounds, found)


def lead_over(
    answers: Answers,
    name: "str | Discount",
    other: "str | Discount" = "log2",
    *,
    folds: int = 10,
    level: float = 0.95,
) -> Lead:
    """Return by how much log-likelihood a pair one discount passes another on unseen queries.

    Parameters
    ----------
    name, other
        A family, fitted to the other folds each time, or a discount or its text.
    folds
        As in `fold_of`.

    Examples
    --------
    >>> from ndcgstudy.agreement.users import Users, draw_pairs
    >>> rng = np.random.default_rng(1)
    >>> first, second, query = draw_pairs(200, 10, rng=rng)
    >>> people = Users("DCG", slope=8.0).answers(first, second, 2, rng=rng)
    >>> lead_over(Answers(first - second, people, query), "constant").high < 0  # it predicts worse
    True
    """
    first, second = (held_out_discount(answers, one, folds=folds) for one in (name, other))
    return lead(first - second, answers.cluster, level=level)


def held_out_discount(answers: Answers, name: "str | Discount", *, folds: int = 10) -> Floats:
    """Return the log-likelihood of each answer, all that is fitted being fitted without its fold."""

    def predict(seen: Any, unseen: Any) -> Floats:
        known, rest = answers.take(seen), answers.take(unseen)
        weights = best_weights(known, name)
        return fitted_loglik(known.fit(weights), rest.gaps @ weights, rest.preference)

    return by_folds(predict, answers.cluster, folds)


def best_weights(answers: Answers, name: "str | Discount") -> Floats:
    """Return the weights of the ranks under a discount, or under the best of a family."""
    if name == TABLE:
        return best_table(answers)
    if isinstance(name, str) and name in ONE_PARAMETER:
        of = family(name, len(answers.ranks))
        return of.weights(best_value(answers, of), answers.ranks)
    return np.asarray(DISCOUNTS.parse(name)(answers.ranks))


def verdict(found: Lead, name: str, other: str = "log2") -> str:
    """Say in words whether two discounts can be told apart.

    Examples
    --------
    >>> verdict(Lead(-0.001, 0.002, -0.005, 0.003, 900, 50), "power")
    'power and log2 cannot be told apart'
    """
    if found.low > 0:
        return f"{name} predicts better than {other}"
    if found.high < 0:
        return f"{name} predicts worse than {other}"
    return f"{name} and {other} cannot be told apart"


def _fit_table(answers: Answers, level: float) -> FittedDiscount:
    if not answers.gaps[:, 0].any():
        raise ValueError("the lists of a pair never differ in gain at rank 1, the unit of a table")
    free = ratios(_rising(answers.fit_ranks()), level=level)
    columns = (free.values, free.low, free.high)
    rows = np.column_stack(columns)[1:].tolist()
    parameters = tuple(
        Parameter(f"weight at rank {rank}", value, low, high)
        for rank, (value, low, high) in enumerate(rows, start=2)
    )
    weights = best_table(answers)
    return FittedDiscount(Table(tuple(weights)), parameters, *columns, answers.fit(weights))


def _relative(of: Family, value: float, answers: Answers) -> Floats:
    """Return the weights over that of the first rank, NaN of an unknown parameter."""
    if np.isnan(value):
        return np.full(len(answers.ranks), np.nan)
    weights = of.weights(value, answers.ranks)
    return np.asarray(weights / weights[0])


def _rising(found: Fit) -> Fit:
    """Refuse answers whose first slope is not above 0 and finite."""
    if found.separated:
        raise ValueError(
            "the answers are separated: the difference foretells them all, whatever the scale"
        )
    if np.isnan(found.slope):
        raise ValueError("the lists of a pair never differ in gain, so there is no slope to fit")
    if not found.slope > 0:
        raise ValueError(f"the answers go against the grades: the slope is {found.slope:.4g}")
    return found


def _interval(
    answers: Answers, of: Family, value: float, found: Fit, level: float
) -> tuple[float, float]:
    """Walk from the best value to either side until the profile has fallen far enough."""
    from scipy.optimize import brentq
    from scipy.special import stdtrit

    enough = float(stdtrit(found.clusters - 1, (1 + level) / 2)) ** 2
    enough *= _dependence(answers, of, value, found)
    if np.isnan(enough):
        return float("nan"), float("nan")

    def short(at: float) -> float:
        loss = found.loglik - answers.fit(of.weights(at, answers.ranks)).loglik
        return 2 * loss - enough

    def end(points: list[float]) -> float:
        inside = value
        for point in points:
            if short(point) > 0:
                return float(brentq(short, inside, point, xtol=1e-6))
            inside = point
        return inside

    below = [point for point in reversed(of.points) if point < value]
    return end(below), end([point for point in of.points if point > value])


def _dependence(answers: Answers, of: Family, value: float, found: Fit) -> float:
    """Return the variance of the parameter with clusters over that of independent pairs.

    It is 1 where the parameter cannot be told from the slope.
    """
    step = 1e-5 * max(1.0, abs(value))
    low, high = np.clip([value - step, value + step], *of.ends)
    rise = of.weights(high, answers.ranks) - of.weights(low, answers.ranks)
    slant = answers.gaps @ rise * found.slope / (high - low)
    level = answers.gaps @ of.weights(value, answers.ranks)
    design, scale = answers.design(np.column_stack([level, slant]))
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return 1.0
    scale = np.append(scale, np.ones(int(answers.tied)))
    at = np.insert(found.parameters, 1, 0.0) * scale
    here = davidson.evaluate(design, answers.preference, at, answers.tied)
    alone, together = davidson.covariances(here, answers.cluster, scale)
    return float(together[1, 1] / alone[1, 1])
