"""Families of discounts, and the member of each that makes the answers most likely."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement import davidson
from ndcgstudy.agreement.likelihood import Fit, fit, kept_pairs
from ndcgstudy.checks import nearest
from ndcgstudy.discounts import JK2002, Discount, Geometric, Power

Floats = npt.NDArray[np.float64]

_POINTS = 21
_MOST = 60.0  # of a step, in logits at a difference of 1 rms: where the answers are separated
ONE_PARAMETER, TABLE = ("power", "geometric", "log-base"), "table"
FAMILIES = (*ONE_PARAMETER, TABLE)


@dataclass(frozen=True, eq=False)
class Answers:
    """Pairs of lists by rank with their answers.

    Parameters
    ----------
    gaps
        The gain at each rank of list A minus that of list B, (pairs, ranks).
    preference, cluster, ties, position
        As in `fit`. Pairs without a preference are left out where ties are dropped.

    Raises
    ------
    ValueError
        If a shape or value is none that `fit` takes.
    """

    gaps: Floats
    preference: Any
    cluster: Any
    ties: str = "davidson"
    position: bool = False

    def __post_init__(self) -> None:
        columns = kept_pairs(self.gaps, self.preference, self.cluster, self.ties)
        for name, column in zip(("gaps", "preference", "cluster"), columns, strict=True):
            object.__setattr__(self, name, column)

    @property
    def ranks(self) -> npt.NDArray[np.int64]:
        """The ranks, from 1."""
        return np.arange(1, self.gaps.shape[1] + 1)

    def fit(self, weights: Floats) -> Fit:
        """Fit a slope to the lists discounted by some weights, (ranks,)."""
        return self._fit(self.gaps @ weights)

    def fit_ranks(self) -> Fit:
        """Fit a slope a rank."""
        return self._fit(self.gaps)

    def design(self, columns: Floats) -> tuple[Floats, Floats]:
        """Return columns, and ones for a position, each of mean square 1, and by what it was divided."""
        ones = np.ones((len(columns), int(self.position)))
        design = np.column_stack([columns, ones])
        scale = np.sqrt(np.mean(design**2, axis=0))
        return design / np.where(scale > 0, scale, 1.0), scale

    @property
    def tied(self) -> bool:
        """Whether there are ties to model."""
        return bool(np.any(self.preference == 0))

    def take(self, pairs: Any) -> "Answers":
        """Keep some pairs."""
        kept = self.gaps[pairs], self.preference[pairs], self.cluster[pairs]
        return Answers(*kept, self.ties, self.position)

    def _fit(self, difference: Floats) -> Fit:
        how: Any = {"ties": self.ties, "position": self.position}
        return fit(difference, self.preference, self.cluster, **how)


@dataclass(frozen=True)
class Family:
    """Discounts with one parameter between two ends, and points between which to look."""

    parameter: str
    make: Callable[[float], Discount]
    points: tuple[float, ...]

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest parameter."""
        return self.points[0], self.points[-1]

    def weights(self, value: float, ranks: Any) -> Floats:
        """Return the weights of ranks under the member with a parameter."""
        return np.asarray(self.make(value)(ranks))


def family(name: str, ranks: int) -> Family:
    """Return a family by name: power(beta), geometric(p) or log-base, i.e. jk2002(base).

    The ends are near the two discounts that all of them hold: the first rank alone, and a constant.

    Raises
    ------
    ValueError
        If there is no such family.
    """
    check_family(name)
    bases = np.geomspace(1.001, max(ranks, 2), _POINTS)
    return {
        "power": Family("beta", Power, _spaced(0.0, 8.0)),
        "geometric": Family("p", Geometric, _spaced(0.001, 0.9999)),
        "log-base": Family("base", JK2002, tuple(bases.tolist())),
    }[name]


def check_family(name: str) -> None:
    """Check the name of a family.

    Raises
    ------
    ValueError
        If there is no such family.
    """
    if name not in FAMILIES:
        raise ValueError(f"unknown family {name!r}{nearest(name, [*FAMILIES])}")


def best_value(answers: Answers, of: Family) -> float:
    """Return the parameter of most likelihood, its slope and ties fitted to each value."""
    from scipy.optimize import minimize_scalar

    start: Floats | None = None

    def loss(value: float) -> float:
        nonlocal start
        design, _ = answers.design(answers.gaps @ of.weights(value, answers.ranks))
        found = davidson.maximum(design, answers.preference, answers.tied, start)
        start = found.parameters  # the next value is near
        return -float(found.loglik.sum())

    losses = [loss(value) for value in of.points]
    i = int(np.argmin(losses))
    low, high = of.points[max(i - 1, 0)], of.points[min(i + 1, len(of.points) - 1)]
    found = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-6})
    return float(found.x) if found.fun < losses[i] else float(of.points[i])


def best_table(answers: Answers) -> Floats:
    """Return the weights of most likelihood among those that never rise, 1 at rank 1.

    They are sums of steps u >= 0 from the last rank up: w_r = u_r + u_(r+1) + ... The likelihood is
    concave in the steps.

    Raises
    ------
    ValueError
        If the answers want no rank to weigh anything.
    """
    free = answers.fit_ranks()
    if not free.separated and _never_rising(free.slopes):
        return np.asarray(free.slopes / free.slopes[0])
    steps = _best_steps(answers)
    weights = np.cumsum(steps[::-1])[::-1]
    if not weights[0] > 0:
        raise ValueError("the answers go against the grades: no rank earns a weight above 0")
    return np.asarray(weights / weights[0])


def _best_steps(answers: Answers) -> Floats:
    """Maximise over steps at least 0, with the position and ties free."""
    from scipy.optimize import minimize

    design, scale = answers.design(np.cumsum(answers.gaps, axis=1))
    preference, tied, steps = answers.preference, answers.tied, len(answers.ranks)

    def loss(at: Floats) -> tuple[float, Floats]:
        here = davidson.evaluate(design, preference, at, tied)
        return -here.loglik.mean(), -here.scores.mean(axis=0)

    size = design.shape[1] + tied
    bounds = [(0.0, _MOST)] * steps + [(None, None)] * (size - steps)
    how: Any = {"method": "L-BFGS-B", "options": {"ftol": 1e-15, "gtol": 1e-8, "maxiter": 1000}}
    found = minimize(loss, np.zeros(size), jac=True, bounds=bounds, **how)
    used = scale[:steps] > 0
    return np.where(used, found.x[:steps], 0.0) / np.where(used, scale[:steps], 1.0)


def _never_rising(weights: Floats) -> bool:
    return bool(weights[0] > 0 and weights[-1] >= 0 and np.all(np.diff(weights) <= 0))


def _spaced(low: float, high: float) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, _POINTS).tolist())
