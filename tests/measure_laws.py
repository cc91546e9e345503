"""The laws of measures, on small lists of any shape: ties, holes, negative grades, judged leftovers."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from part_examples import top_grade

from ndcgstudy import Judgments, Policy, Rankings, score
from ndcgstudy.lists import Lists

NAN = float("nan")
TOLERANCE = 1e-12
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A ranked list and what is judged beside it.

    `grades` stand along the list (NaN: not judged), `cuts` tell where a group of tied documents ends,
    and `others` are the grades of judged documents that were not retrieved.
    """

    grades: tuple[float, ...]
    cuts: tuple[bool, ...]
    others: tuple[float, ...]

    def clipped(self, top: float) -> "Problem":
        """Return the problem with no grade above `top`."""
        grades, others = (tuple(min(g, top) for g in side) for side in (self.grades, self.others))
        return Problem(tuple(grades), self.cuts, tuple(others))

    @cached_property
    def judged(self) -> tuple[float, ...]:
        return tuple(g for g in (*self.grades, *self.others) if g == g)

    def lists(self, grades: Any = None) -> Lists:
        """Lay out lists (1, topics, ranks), by default the one list, over this problem's ideal."""
        laid = np.array([self.grades] if grades is None else grades, dtype=float)[None]
        ideal = np.array(sorted(self.judged or (-1.0,), reverse=True))[None, None]
        retrieved = np.full(laid.shape[:2], laid.shape[-1])
        return Lists(laid, retrieved, np.broadcast_to(ideal, (1, laid.shape[1], ideal.size)))

    def orders(self) -> list[tuple[float, ...]]:
        """Return the grades along every order of the tied documents."""
        groups: list[list[float]] = [[]]
        for grade, cut in zip(self.grades, self.cuts, strict=True):
            groups[-1].append(grade)
            groups += [[]] * cut
        each = [list(itertools.permutations(group)) for group in groups if group]
        return [tuple(itertools.chain(*parts)) for parts in itertools.product(*each)]

    def dictionaries(self) -> tuple[Judgments, Rankings]:
        """Return judgments and run, with equal scores for tied documents."""
        group = np.cumsum([0, *self.cuts])[:-1].tolist()
        run = {f"d{i}": -float(g) for i, g in enumerate(group)}
        qrels = {f"d{i}": g for i, g in enumerate(self.grades) if g == g}
        qrels |= {f"other{i}": g for i, g in enumerate(self.others)} | {"spare": 0.0}
        return Judgments.from_dict({"t": qrels}), Rankings.from_dict({"t": run})


GRADE = st.sampled_from([NAN, -2.0, -1.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 4.0])
JUDGED = st.sampled_from([-1.0, 0.0, 1.0, 2.0, 4.0])
PAIRS = st.lists(st.tuples(GRADE, st.booleans()), min_size=1, max_size=6)
OTHERS = st.lists(JUDGED, max_size=3).map(tuple)
PROBLEM = st.builds(
    lambda pairs, others: Problem(tuple(p[0] for p in pairs), tuple(p[1] for p in pairs), others),
    PAIRS,
    OTHERS,
)
# The lists are small as they are: to shrink one that breaks a law takes longer than to read it.
EXAMPLES = settings(max_examples=40, report_multiple_bugs=False, phases=[Phase.generate])
Check = Callable[[Any, Problem], None]
Law = Callable[[Sequence[Any]], None]


def law(check: Check) -> Law:
    """Turn a check of one measure on one problem into a law of many measures on many problems."""

    def over_problems(measures: Sequence[Any]) -> None:
        tops = {measure: top_grade(measure) for measure in measures}

        @EXAMPLES
        @given(PROBLEM)
        def run(problem: Problem) -> None:
            for measure, top in tops.items():
                check(measure, problem.clipped(top))

        run()

    over_problems.__name__ = check.__name__
    return over_problems


def scores(measure: Any, lists: Lists) -> Floats:
    """Score lists, 0 where the measure is 0/0."""
    return np.nan_to_num(measure(lists), nan=0.0)


@law
def is_bounded(measure: Any, problem: Problem) -> None:
    (value,) = scores(measure, problem.lists())[0]
    assert -TOLERANCE <= value <= 1 + TOLERANCE, f"{measure} is {value}"


@law
def is_one_on_an_ideal_list(measure: Any, problem: Problem) -> None:
    best = sorted((g for g in problem.judged if g > 0), reverse=True)
    value = measure(problem.lists([[*best, 0.0]]))[0, 0]
    worth = measure.gain(np.array(best)).any()
    assert value == 1.0 if worth else np.isnan(value), f"{measure} is {value} on an ideal list"


@law
def never_falls_when_a_better_document_moves_up(measure: Any, problem: Problem) -> None:
    """Swap any document with a better one below it.

    Not a law of Bpref: a judged document that is not relevant to it is no better than one that is
    not judged, and may come to stand before a relevant one.
    """
    grades = np.nan_to_num(problem.grades, nan=0.0)
    lists = [problem.grades]
    for i, j in itertools.combinations(range(len(grades)), 2):
        if max(grades[j], 0.0) > max(grades[i], 0.0):
            swapped = list(problem.grades)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            lists.append(tuple(swapped))
    before, *after = scores(measure, problem.lists(lists))[0]
    assert all(value >= before - TOLERANCE for value in after), f"{measure}: {before}, {after}"


@law
def does_not_read_beyond_the_cutoff(measure: Any, problem: Problem) -> None:
    if measure.cutoff is None:
        return
    head, tail = problem.grades[: measure.cutoff], problem.grades[measure.cutoff :]
    (value,) = scores(measure, problem.lists())[0]
    for other in (tail[::-1], (NAN,) * len(tail), (4.0,) * len(tail), ()):
        clipped = tuple(min(g, max(problem.judged, default=0.0)) for g in other)
        changed = scores(measure, problem.lists([[*head, *clipped]]))
        assert changed[0, 0] == value, f"{measure}: {changed}, not {value}"


@law
def is_untouched_by_more_documents_of_grade_zero(measure: Any, problem: Problem) -> None:
    problem = Problem(problem.grades, problem.cuts, (*problem.others, 0.0, 0.0))
    (value,) = scores(measure, problem.lists())[0]
    for more in ((0.0,), (NAN,), (0.0, NAN, 0.0)):
        longer = scores(measure, problem.lists([[*problem.grades, *more]]))
        assert longer[0, 0] == value, f"{measure}: {longer}, not {value}"


@law
def is_the_mean_over_all_orders_of_ties(measure: Any, problem: Problem) -> None:
    judgments, run = problem.dictionaries()
    problem = Problem(problem.grades, problem.cuts, (*problem.others, 0.0))
    (given_,) = score(judgments, run, [measure], Policy(ties="average")).scores.values()
    expected = scores(measure, problem.lists(problem.orders()))[0].mean()
    assert abs(given_.values[0, 0] - expected) < 1e-12, (
        f"{measure}: {given_.values}, not {expected}"
    )


def scores_each_list_alone(measures: Sequence[Any]) -> None:
    """Check that systems and topics do not touch each other: one at a time equals all at once."""

    @EXAMPLES
    @given(st.lists(PROBLEM, min_size=6, max_size=6))
    def run(problems: list[Problem]) -> None:
        for measure in measures:
            top = top_grade(measure)
            _check_alone(measure, [problem.clipped(top) for problem in problems])

    run()


def _check_alone(measure: Any, problems: list[Problem]) -> None:
    single = [p.lists() for p in problems]
    lists = Lists(
        grade=_padded([s.grade[0, 0] for s in single], NAN).reshape(2, 3, -1),
        retrieved=np.array([s.retrieved[0, 0] for s in single]).reshape(2, 3),
        ideal=_padded([s.ideal[0, 0] for s in single], -1.0).reshape(2, 3, -1),
    )
    together = measure(lists)
    alone = np.array([measure(s)[0, 0] for s in single]).reshape(2, 3)
    np.testing.assert_array_equal(together, alone, err_msg=str(measure))
    topics, systems = [2, 0, 1], [1, 0]
    moved = Lists(
        lists.grade[systems][:, topics],
        lists.retrieved[systems][:, topics],
        lists.ideal[systems][:, topics],
    )
    np.testing.assert_array_equal(measure(moved), together[systems][:, topics])


def _padded(rows: list[Floats], filler: float) -> Floats:
    width = max(row.size for row in rows)
    return np.array([np.append(row, np.full(width - row.size, filler)) for row in rows])
