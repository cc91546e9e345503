"""Measures that use the grade: nDCG, DCG, RBP, ERR."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.discounts import DISCOUNTS, Discount, Geometric, Log2
from ndcgstudy.gains import GAINS, Binary, Gain, Linear
from ndcgstudy.lists import Floats, Lists, total
from ndcgstudy.measures.base import MEASURES, check_cutoff, ratio
from ndcgstudy.registry import ALWAYS, field, read_parts


@MEASURES.register("DCG")
@dataclass(frozen=True)
class DCG:
    """Discounted cumulative gain: the sum over ranks r of gain(grade at r) * discount(r).

    Järvelin and Kekäläinen (2002, Cumulated gain-based evaluation of IR techniques).

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("DCG", [3, 2, 3, 0, 1, 2]).round(3)
    np.float64(6.861)
    """

    gain: Gain = field(Linear(), GAINS)
    discount: Discount = field(Log2(), DISCOUNTS)
    cutoff: int | None = None

    def __post_init__(self) -> None:
        read_parts(self)
        check_cutoff(self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        return discounted(lists.gains(self.gain, self.cutoff), self.discount)


@MEASURES.register("nDCG")
@dataclass(frozen=True)
class nDCG:  # noqa: N801 - the field writes it so
    """DCG over the DCG of the ideal list: the judged documents in the order of their grades.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("nDCG(gain=exponential)", [3, 2, 3, 0, 1, 2]).round(3)
    np.float64(0.949)
    """

    gain: Gain = field(Linear(), GAINS)
    discount: Discount = field(Log2(), DISCOUNTS)
    cutoff: int | None = None

    def __post_init__(self) -> None:
        read_parts(self)
        check_cutoff(self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        parts = (self.gain, self.discount, self.cutoff)
        return ratio(DCG(*parts)(lists), IdealDCG(*parts)(lists))


@dataclass(frozen=True)
class IdealDCG:
    """The DCG of the ideal list, by which nDCG divides.

    It is no measure of a run (`of_run`): it counts even on topics that a run lacks.
    """

    gain: Gain = field(Linear(), GAINS)
    discount: Discount = field(Log2(), DISCOUNTS)
    cutoff: int | None = None
    of_run: ClassVar[bool] = False

    def __call__(self, lists: Lists) -> Floats:
        return discounted(lists.ideal_gains(self.gain, self.cutoff), self.discount)


@MEASURES.register("RBP")
@dataclass(frozen=True)
class RBP:
    """Rank-biased precision: (1 - p) * the sum over ranks r of gain(grade at r) * p^(r - 1).

    Moffat and Zobel (2008, Rank-biased precision for measurement of retrieval effectiveness). The gain
    is binary by default; a graded one should lie in [0, 1], as ``RBP(gain=table(0,0.5,1))``.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("RBP(p=0.5)", [1, 0, 1])
    array(0.625)
    """

    p: float = dataclasses.field(default=0.8, metadata={ALWAYS: True})
    gain: Gain = field(Binary(), GAINS)
    cutoff: int | None = None

    def __post_init__(self) -> None:
        read_parts(self)
        number("p", self.p, above=0, below=1)
        check_cutoff(self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        gains = lists.gains(self.gain, self.cutoff)
        return (1.0 - self.p) * discounted(gains, Geometric(self.p))


@MEASURES.register("ERR")
@dataclass(frozen=True)
class ERR:
    """Expected reciprocal rank at which a reader is satisfied, who is by grade g with (2^g - 1)/2^max.

    Chapelle et al. (2009, Expected reciprocal rank for graded relevance). `max_grade` is the highest
    grade of the scale: 4 in gdeval and so in ir_measures.

    Raises
    ------
    ValueError
        If a document has a higher grade than `max_grade`.

    Examples
    --------
    >>> from ndcgstudy.measures import score_grades
    >>> score_grades("ERR(max_grade=1)@10", [1, 1])
    array(0.625)
    """

    max_grade: float = 4
    cutoff: int | None = None

    def __post_init__(self) -> None:
        number("max_grade", self.max_grade, above=0, below=1024)
        check_cutoff(self.cutoff)

    def __call__(self, lists: Lists) -> Floats:
        grade = np.fmax(lists.grade, 0.0)
        if grade.size and grade.max() > self.max_grade:
            raise ValueError(f"{self} takes grades up to {self.max_grade:g}, got {grade.max():g}")
        return reciprocal_stop(lists, (np.exp2(grade) - 1.0) / 2.0**self.max_grade, self.cutoff)


def discounted(gains: Floats, discount: Discount) -> Floats:
    """Return the sum along the ranks of gain times discount.

    Raises
    ------
    ValueError
        If a sum leaves the range of a double, after which 0/0 and inf/inf could not be told apart.
    """
    with np.errstate(over="ignore"):
        sums = total(gains * discount(np.arange(1, gains.shape[-1] + 1)))
    if not np.isfinite(sums).all():
        raise ValueError("the sum of the gains leaves the range of a double; use smaller grades")
    return sums


def reciprocal_stop(lists: Lists, stop: Floats, cutoff: int | None) -> Floats:
    """Return the expected 1/rank at which a reader stops, 0 where none does by the cutoff."""
    passed = lists.survival(stop)[..., :cutoff]
    before = np.concatenate([np.ones((*passed.shape[:-1], 1)), passed[..., :-1]], axis=-1)
    return total((before - passed) / np.arange(1, passed.shape[-1] + 1))
