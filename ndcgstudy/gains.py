"""Gains: what a document of a grade is worth.

A gain is a callable on relevance grades (an array of any shape, 0 = not relevant) that returns gains
of the same shape: 0 at grade 0, finite, and never falling with the grade.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import flat, number
from ndcgstudy.registry import Registry

Grades = npt.NDArray[np.float64]
Gains = npt.NDArray[np.float64]
Gain = Callable[[Any], Gains]

GAINS: Registry[Gain] = Registry("gain", "ndcgstudy.gains")


@GAINS.register("linear")
@dataclass(frozen=True)
class Linear:
    """Value a document at its grade g: trec_eval, pytrec_eval, BEIR, MTEB, scikit-learn.

    Examples
    --------
    >>> Linear()(np.array([0, 1, 3]))
    array([0., 1., 3.])
    """

    def __call__(self, grades: Grades) -> Gains:
        return np.asarray(grades, dtype=float)


@GAINS.register("exponential", "exp")
@dataclass(frozen=True)
class Exponential:
    """Value a document at 2^g - 1: Burges et al. (2005), gdeval, LightGBM, XGBoost.

    Raises
    ------
    ValueError
        If a grade is above 1023, where 2^g leaves the range of a double.

    Examples
    --------
    >>> Exponential()(np.array([0, 1, 3]))
    array([0., 1., 7.])
    """

    def __call__(self, grades: Grades) -> Gains:
        grades = np.asarray(grades, dtype=float)
        if grades.size and grades.max() >= 1024:
            raise ValueError(f"gain exponential takes grades up to 1023, got {grades.max():g}")
        return np.exp2(grades) - 1.0


@GAINS.register("binary")
@dataclass(frozen=True)
class Binary:
    """Value a document at 1 from grade `threshold` on, else at 0.

    Examples
    --------
    >>> Binary(threshold=2)(np.array([0, 1, 2, 3]))
    array([0., 0., 1., 1.])
    """

    threshold: float = 1

    def __post_init__(self) -> None:
        number("threshold", self.threshold, above=0)

    def __call__(self, grades: Grades) -> Gains:
        return (np.asarray(grades) >= self.threshold).astype(float)


@GAINS.register("table")
@dataclass(frozen=True)
class Table:
    """Value a document of grade 0, 1, 2, ... at the numbers given, the first of which is 0.

    Raises
    ------
    ValueError
        If a grade has no entry, or is no whole number.

    Examples
    --------
    >>> GAINS.parse("table(0,1,5)")(np.array([0, 2, 1]))
    array([0., 5., 1.])
    """

    values: tuple[float, ...]
    variadic: ClassVar[str] = "values"

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", flat(self.values))
        for grade, value in enumerate(self.values):
            number(f"values[grade {grade}]", value, at_least=0)
        if len(self.values) < 2 or self.values[0] != 0 or any(np.diff(self.values) < 0):
            raise ValueError(f"`values` must be 0 at grade 0 and never fall, got {self.values}")

    def __call__(self, grades: Grades) -> Gains:
        grades = np.asarray(grades, dtype=float)
        bad = (grades < 0) | (grades > len(self.values) - 1) | (grades % 1 != 0)
        if bad.any():
            raise ValueError(f"gain {self} has no entry for grade {grades[bad].flat[0]:g}")
        return np.asarray(self.values, dtype=float)[grades.astype(np.intp)]


@GAINS.checks_externals
def check_gain(gain: Gain) -> None:
    """Check that a user's gain is one: 0 at grade 0, finite, never falling, one value a grade.

    Raises
    ------
    ValueError
        Naming the gain and the rule.
    """
    for top in (4, 1):  # a gain may refuse grades beyond its scale
        grades = np.arange(top + 1.0)
        try:
            found = gain(grades)
            if np.iscomplexobj(found):
                raise TypeError("gains must be real, got complex ones")
            values = np.asarray(found, dtype=float)
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            why = error
            continue
        good = values.shape == grades.shape and np.isfinite(values).all()
        if good and values[0] == 0 and (np.diff(values) >= 0).all():
            return
        raise ValueError(
            f"gain {gain} must be 0 at grade 0, finite and never falling; "
            f"grades 0 to {top} give {values.tolist()}"
        )
    raise ValueError(f"gain {gain} fails on an array of grades: {why}")
