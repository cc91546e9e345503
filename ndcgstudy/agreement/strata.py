"""Ways to divide pairs: what the lists hold, how far apart a measure puts them, a column."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.agreement.counts import TOLERANCE, signs
from ndcgstudy.checks import nearest, number
from ndcgstudy.preferences import Preferences, Texts

ONE_SIDE, BOTH, NEITHER = "one side nothing relevant", "both something relevant", "nothing relevant"
TIE = "tie"
NOTHING = "(none)"
BINS = 10
NAMED = ("relevant", "difference")


def strata(preferences: Preferences, name: str, difference: Any = None) -> Texts:
    """Return the stratum of each answer.

    Parameters
    ----------
    name
        "relevant": whether each side holds a document of grade above 0. "difference": how far the
        lists are apart under one measure, in tenths. Else one of the columns.
    difference
        Of that measure, shape (pairs,).

    Raises
    ------
    ValueError
        If there is no such column.
    """
    if name == "relevant":
        return relevance(*preferences.anything_relevant())
    if name == "difference":
        return by_size(difference)
    return column(preferences, name)


def column(preferences: Preferences, name: str) -> Texts:
    """Return a column of the answers; where it is empty, "(none)".

    Raises
    ------
    ValueError
        If there is none of this name.
    """
    if name not in preferences.columns:
        known = [*NAMED, *preferences.columns]
        raise ValueError(f"{preferences.source}: no column {name!r}{nearest(name, known)}")
    values = preferences.columns[name]
    return np.asarray(np.where(values == "", NOTHING, values))


def relevance(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> Texts:
    """Say of each pair whether one side, both or none hold something relevant.

    Examples
    --------
    >>> relevance(np.array([True, True]), np.array([False, True])).tolist()
    ['one side nothing relevant', 'both something relevant']
    """
    sides = first.astype(int) + second
    return np.asarray(np.array([NEITHER, ONE_SIDE, BOTH], dtype=object)[sides])


def by_size(difference: Any, bins: int = BINS, tolerance: float = TOLERANCE) -> Texts:
    """Put pairs into bins by the absolute difference; ties are apart.

    The bins divide [0, 1] evenly, or [0, largest difference] where that is above 1; a difference on
    the edge of two belongs to the upper one.

    Examples
    --------
    >>> by_size([0.05, -0.1, 0.0, 1.0]).tolist()
    ['0.0-0.1', '0.1-0.2', 'tie', '0.9-1.0']
    """
    number("bins", bins, at_least=1, whole=True)
    size = np.abs(np.asarray(difference, dtype=float))
    tied = signs(size, tolerance) == 0
    names = np.array([*bin_names(size, bins), TIE], dtype=object)
    at = np.floor(size / _reach(size) * bins + tolerance * bins).astype(int)
    return np.asarray(names[np.where(tied, bins, np.minimum(at, bins - 1))])


def bin_names(difference: Any, bins: int = BINS) -> list[str]:
    """Return the names of the bins of `by_size`, from small to large."""
    edges = np.linspace(0, _reach(np.abs(np.asarray(difference, dtype=float))), bins + 1)
    digits = 1 if bins == BINS and edges[-1] == 1 else 2
    return [f"{a:.{digits}f}-{b:.{digits}f}" for a, b in pairwise(edges)]


def _reach(size: npt.NDArray[np.float64]) -> float:
    return max(1.0, float(size.max(initial=0.0)))


def ordered(labels: Sequence[str]) -> list[str]:
    """Return the different labels in order: those of known strata as named, others sorted."""
    known = {ONE_SIDE: 0, BOTH: 1, NEITHER: 2, TIE: -1}
    return sorted(set(labels), key=lambda label: (known.get(label, 0), label))
