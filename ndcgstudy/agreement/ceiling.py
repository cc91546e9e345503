"""How far people agree with each other, and so how far any measure can agree with them."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import number
from ndcgstudy.intervals import clustered

if TYPE_CHECKING:
    from ndcgstudy.preferences import Preferences

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ceiling:
    """What bounds the agreement of a measure with decided answers.

    Parameters
    ----------
    agreement, low, high
        The share of agreeing pairs of answers on one item, with its interval (jackknife over
        clusters). NaN where no item was answered twice.
    best, best_high
        At most this share of answers the best measure agrees with, in the long run: from the
        agreement, and from the upper end of its interval.
    seen
        At most this share of the very answers at hand any measure agrees with: that of the more
        frequent answer on each item.
    answers, items, repeated
        Decided answers, the items that they are on, and those answered at least twice.
    clusters
        How many there are.
    """

    agreement: float
    low: float
    high: float
    best: float
    best_high: float
    seen: float
    answers: int
    items: int
    repeated: int
    clusters: int


def ceiling(preference: Any, item: Any, cluster: Any, *, level: float = 0.95) -> Ceiling:
    """Measure how often two answers on one item agree, and what this leaves for measures.

    On an item where a share p of people prefers A, two answers agree with probability
    a = p² + (1 - p)², and the best answer of a measure, max(p, 1 - p) = (1 + sqrt(2a - 1)) / 2, which
    is concave in a: so the best measure agrees with at least a share a and at most
    (1 + sqrt(2a - 1)) / 2 of the answers, a being the mean over items. Items count by their answers.

    Parameters
    ----------
    preference
        (answers,): 1 for A, -1 for B; ties, 0, are left out.
    item
        (answers,): labels; answers that share one are on the same thing, A and B the same sides.
    cluster
        (answers,): labels of what is resampled, e.g. the query.

    Raises
    ------
    ValueError
        If the shapes differ or no answer is decided.

    Examples
    --------
    >>> found = ceiling([1, 1, -1, 1, 1], ["x", "x", "x", "y", "y"], ["q1", "q2", "q3", "q1", "q2"])
    >>> round(found.agreement, 3), round(found.best, 3), found.seen
    (0.6, 0.724, 0.8)
    """
    number("level", level, above=0, below=1)
    answers, items, groups = _checked(preference, item, cluster)
    votes = _votes(answers, items, int(items.max()) + 1)
    agreement, g = _agreement(votes), int(groups.max()) + 1
    error = _jackknife(answers, items, groups, votes)
    low, high = map(float, clustered(agreement, error, _parts(votes)[1].sum(), g, level))
    return Ceiling(
        agreement=agreement,
        low=low,
        high=high,
        best=_best(agreement),
        best_high=_best(high),
        seen=float(votes.max(axis=1).sum() / votes.sum()),
        answers=len(answers),
        items=len(votes),
        repeated=int(np.sum(votes.sum(axis=1) > 1)),
        clusters=g,
    )


def same_grades(preferences: "Preferences") -> tuple[Ints, Ints]:
    """Give pairs of lists a number by their grades alone, whatever the query and documents.

    A measure that sees grades alone gives one answer to all rows of a number, so a `ceiling` of
    ``preference * side`` by these numbers holds for all such measures.

    Returns
    -------
    item, side
        (rows,): the number, and 1 or -1 by whether A or B has the list that comes first in this
        numbering; 0 where both lists have the same grades, on which no such measure decides.
    """
    grade = np.nan_to_num(preferences.lists.grade[0], nan=-1.0)
    lists = np.unique(grade, axis=0, return_inverse=True)[1].ravel()
    first, second = lists[preferences.first], lists[preferences.second]
    both = np.sort(np.column_stack([first, second]), axis=1)
    item = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    return item.astype(np.int64), np.sign(second - first).astype(np.int64)


def same_lists(preferences: "Preferences") -> tuple[Ints, Ints]:
    """Give answers the number of their pair, for a `ceiling` of ``preference * side`` on any measure.

    Returns
    -------
    item, side
        (rows,): the number, and 1 or -1 by which list of the pair was on side A.
    """
    side = np.sign(preferences.second - preferences.first)
    return preferences.pair.astype(np.int64), side.astype(np.int64)


def _checked(preference: Any, item: Any, cluster: Any) -> tuple[Ints, Ints, Ints]:
    """Return the decided answers, and their items and clusters as numbers from 0."""
    answers, items, groups = (np.asarray(column) for column in (preference, item, cluster))
    if not (answers.shape == items.shape == groups.shape and answers.ndim == 1):
        shapes = answers.shape, items.shape, groups.shape
        raise ValueError(f"all columns must have one entry an answer, got {shapes}")
    if not np.isin(answers, (-1, 0, 1)).all():
        raise ValueError("`preference` must be 1 (A), 0 (tie) or -1 (B)")
    decided = answers != 0
    if not decided.any():
        raise ValueError("`preference` has no decided answer")
    numbers = (np.unique(column[decided], return_inverse=True)[1] for column in (items, groups))
    items, groups = (column.ravel().astype(np.int64) for column in numbers)
    return answers[decided].astype(np.int64), items, groups


def _votes(answers: Ints, items: Ints, size: int) -> Floats:
    """Return how many prefer A and B, (items, 2)."""
    return np.bincount(2 * items + (answers < 0), minlength=2 * size).reshape(size, 2).astype(float)


def _agreement(votes: Floats) -> float:
    """Return the mean over answers of the share of the other answers on the item that agree."""
    agreeing, counted = (part.sum() for part in _parts(votes))
    return float(agreeing / counted) if counted else math.nan


def _parts(votes: Floats) -> tuple[Floats, Floats]:
    """Return the two sums whose ratio is the agreement, an item each; once answered, 0 and 0."""
    n = votes.sum(axis=1)
    twice = n > 1
    agreeing = (votes * (votes - 1)).sum(axis=1) / np.where(twice, n - 1, 1)
    return np.where(twice, agreeing, 0.0), np.where(twice, n, 0.0)


def _jackknife(answers: Ints, items: Ints, groups: Ints, votes: Floats) -> float:
    """Return the standard error by leaving out one cluster at a time; NaN of one cluster.

    Without a cluster only the items change that it answered.
    """
    g = int(groups.max()) + 1
    if g == 1:
        return math.nan
    (group, item), place = np.unique(np.array([groups, items]), axis=1, return_inverse=True)
    own = _votes(answers, place.ravel(), len(item))
    before, after = _parts(votes[item]), _parts(votes[item] - own)
    left = [
        part.sum() - np.bincount(group, weights=old - new, minlength=g)
        for part, old, new in zip(_parts(votes), before, after, strict=True)
    ]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = left[0] / left[1]
    return float(np.sqrt((g - 1) / g * np.sum((shares - np.mean(shares)) ** 2)))


def _best(agreement: float) -> float:
    return (1 + math.sqrt(max(2 * agreement - 1, 0.0))) / 2 if agreement >= 0 else math.nan
