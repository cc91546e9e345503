"""What a measure is, and the registry that reads ``nDCG(gain=exponential)@20``."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import number
from ndcgstudy.lists import Floats, Lists
from ndcgstudy.measures.names import foreign, not_offered
from ndcgstudy.registry import Registry


class Measure(Protocol):
    """A value that scores lists: called on `Lists`, it returns scores of shape (systems, topics).

    A score is NaN where the measure is 0/0 because nothing is relevant. `cutoff` is the last rank
    that counts, or None.
    """

    @property
    def cutoff(self) -> int | None:
        """The last rank that counts; None counts them all."""

    def __call__(self, lists: Lists) -> Floats:
        """Score the lists."""


MEASURES: Registry[Measure] = Registry("measure", "ndcgstudy.measures", suffix="cutoff")


@MEASURES.translates
def translated(text: str) -> str:
    """Return our text of a measure that another tool's name stands for; other texts as they are.

    Raises
    ------
    ValueError
        If the measure is not offered.

    Examples
    --------
    >>> translated("recip_rank"), translated("nDCG@10"), str(MEASURES.parse("P_5"))
    ('RR', 'nDCG@10', 'P@5')
    """
    known = MEASURES.names()
    name = foreign(text, known)
    if name is None:
        return text
    if name.measure not in known:
        raise not_offered(name, known)
    return name.text


def readings(measures: Iterable[Any]) -> list[str]:
    """Say how names of other tools among some measures were read.

    Examples
    --------
    >>> readings(["nDCG@10", "P_5"])
    ['P_5 (trec_eval) = P@5']
    """
    known = MEASURES.names()
    found = [foreign(text, known) for text in measures if isinstance(text, str)]
    return [str(name) for name in found if name]


def check_cutoff(cutoff: int | None) -> None:
    """Check that a cutoff is None or a whole number from 1."""
    if cutoff is not None:
        number("cutoff", cutoff, at_least=1, whole=True)


@MEASURES.checks_externals
def check_measure(measure: Measure) -> None:
    """Check that a user's measure is one: it has a cutoff, and gives each list a score.

    Raises
    ------
    ValueError
        Naming the measure and the rule.
    """
    if not hasattr(measure, "cutoff"):
        raise ValueError(
            f"measure {measure} must have a `cutoff`: the last rank that counts, or None"
        )
    grade = np.array([[[1.0, 0.0, np.nan], [0.0, 0.0, 1.0]]])
    ideal = np.array([[[1.0, 0.0], [1.0, 0.0]]])
    try:
        check_cutoff(measure.cutoff)
        scores = np.asarray(measure(Lists(grade, np.full((1, 2), 3), ideal)), dtype=float)
    except Exception as error:  # noqa: BLE001 - a user's measure may raise anything
        raise ValueError(f"measure {measure} fails on graded lists: {error}") from None
    if scores.shape != (1, 2):
        raise ValueError(
            f"measure {measure} must return scores (systems, topics): shape (1, 2), got {scores.shape}"
        )


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide, giving NaN for 0/0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def score_grades(
    measure: "str | Measure",
    grades: npt.ArrayLike,
    ideal: Sequence[float] | npt.NDArray[Any] | None = None,
    *,
    cut_ideal: bool = True,
) -> Floats:
    """Score lists given as the grades along their ranks.

    Parameters
    ----------
    measure
        A measure or its text form.
    grades
        Shape (..., ranks): the grade at each rank, NaN for a document that is not judged.
    ideal
        The grades of all judged documents, in any order: shape (judged,) for all lists alike, or
        (..., judged). By default those of each list itself.
    cut_ideal
        Whether the ideal ends at the measure's cutoff.

    Returns
    -------
    scores
        Shape (...); NaN where the measure is 0/0.

    Examples
    --------
    >>> score_grades("nDCG", [3, 2, 3, 0, 1, 2]).round(3)
    np.float64(0.961)
    >>> score_grades("P@2", [[1, 0, 1], [0, 0, 1]])
    array([0.5, 0. ])
    """
    grades = np.asarray(grades, dtype=float)
    judged = np.asarray(grades if ideal is None else ideal, dtype=float)
    judged = np.where(np.isnan(judged), -1.0, judged)
    flat = grades.reshape(1, -1, grades.shape[-1])
    lists = Lists(
        grade=flat,
        retrieved=np.full(flat.shape[:2], flat.shape[-1]),
        ideal=-np.sort(-judged, axis=-1).reshape(1, -1, judged.shape[-1]),
        ideal_rule="cut" if cut_ideal else "all",
    )
    scores = MEASURES.parse(measure)(lists)
    return scores.reshape(grades.shape[:-1])
