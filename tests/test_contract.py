"""Every registered discount, gain and measure obeys the laws; nothing here names them one by one."""

import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import laws
import measure_laws
import numpy as np
import pytest
from part_examples import all_examples, classes, examples, top_grade

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import MEASURES
from ndcgstudy.parts import FAMILIES
from ndcgstudy.registry import Registry

# What a law does not ask of a measure. A new measure must obey all laws until it is named here.
UNBOUNDED = {"DCG"}
ONE_WHEN_IDEAL = {"nDCG"}
NOT_OF_GRADES = {"Judged"}
OF_THE_LENGTH = {"Judged", "P"}  # without a cutoff P divides by the number of documents


def named(law: Any) -> str:
    return str(law.__name__)


def parts(registry: Registry[Any]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("part", all_examples(registry), ids=str)


@pytest.mark.parametrize("law", laws.DISCOUNT_LAWS, ids=named)
@parts(DISCOUNTS)
def test_discount_obeys(law: laws.Law, part: Any) -> None:
    law(part)


@pytest.mark.parametrize("law", laws.GAIN_LAWS, ids=named)
@parts(GAINS)
def test_gain_obeys(law: laws.Law, part: Any) -> None:
    law(part)


@pytest.mark.parametrize("kind", FAMILIES)
def test_parts_are_values(kind: str) -> None:
    registry = FAMILIES[kind]
    for part in all_examples(registry):
        for law in (*laws.VALUE_LAWS, laws.text_reads_back(registry)):
            law(part)


@pytest.mark.parametrize("kind", FAMILIES)
def test_no_two_examples_share_a_text(kind: str) -> None:
    found = all_examples(FAMILIES[kind])
    assert len({str(part) for part in found}) == len(set(found)) == len(found)


@pytest.mark.parametrize("kind", FAMILIES)
def test_each_name_is_covered_and_described(kind: str) -> None:
    registry = FAMILIES[kind]
    described = registry.describe()
    assert sorted(described) == registry.names() == sorted(classes(registry))
    for name in registry.names():
        assert examples(registry, name)
        assert classes(registry)[name].__doc__.splitlines()[0] in described[name]


def test_parts_read_their_pickles_in_another_process() -> None:
    found = [part for registry in FAMILIES.values() for part in all_examples(registry)]
    code = "import pickle, sys; print(*pickle.load(sys.stdin.buffer), sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(found), capture_output=True, check=True
    )
    assert done.stdout.decode().splitlines() == [str(part) for part in found]


measures = pytest.mark.parametrize("name", MEASURES.names())


def within_one(measure: Any) -> bool:
    """Tell whether a measure must lie in [0, 1]: a graded gain may take RBP's beyond."""
    if isinstance(measure, classes(MEASURES)["RBP"]):
        return bool(measure.gain(np.array([float(top_grade(measure))])) <= 1)
    return not any(isinstance(measure, classes(MEASURES)[name]) for name in UNBOUNDED)


@measures
def test_measure_is_bounded(name: str) -> None:
    measure_laws.is_bounded([m for m in examples(MEASURES, name) if within_one(m)])


@pytest.mark.parametrize("name", sorted(ONE_WHEN_IDEAL))
def test_measure_is_one_on_an_ideal_list(name: str) -> None:
    measure_laws.is_one_on_an_ideal_list(examples(MEASURES, name))


@pytest.mark.parametrize("name", sorted(set(MEASURES.names()) - NOT_OF_GRADES - {"Bpref"}))
def test_measure_never_falls_when_a_better_document_moves_up(name: str) -> None:
    measure_laws.never_falls_when_a_better_document_moves_up(examples(MEASURES, name))


@measures
def test_measure_does_not_read_beyond_the_cutoff(name: str) -> None:
    found = [m for m in examples(MEASURES, name) if m.cutoff]
    assert found
    measure_laws.does_not_read_beyond_the_cutoff(found)


@measures
def test_measure_is_untouched_by_more_documents_of_grade_zero(name: str) -> None:
    found = [m for m in examples(MEASURES, name) if name not in OF_THE_LENGTH or m.cutoff == 1]
    measure_laws.is_untouched_by_more_documents_of_grade_zero(found)


@measures
def test_measure_scores_each_list_alone(name: str) -> None:
    measure_laws.scores_each_list_alone(examples(MEASURES, name))


@measures
def test_measure_averages_ties(name: str) -> None:
    measure_laws.is_the_mean_over_all_orders_of_ties(examples(MEASURES, name))


def test_a_part_without_an_example_fails() -> None:
    registry: Registry[Any] = Registry("shape", "ndcgstudy.no_such_group")

    @registry.register("odd")
    @dataclasses.dataclass(frozen=True)
    class Odd:
        """Needs what no example has."""

        colour: frozenset[str]

    with pytest.raises(pytest.fail.Exception, match=r"shape Odd has no example: .*`colour"):
        examples(registry, "odd")


def test_a_new_part_is_found_by_itself() -> None:
    registry: Registry[Any] = Registry("discount", "ndcgstudy.no_such_group")

    @registry.register("step")
    @dataclasses.dataclass(frozen=True)
    class Step:
        """Weigh the first page fully and later ranks by a fixed share."""

        page: int
        rest: float = 0.25

        def __post_init__(self) -> None:
            if not 0 <= self.rest <= 1:
                raise ValueError("`rest` must be in [0, 1]")

        def __call__(self, ranks: Any) -> Any:
            return np.where(np.asarray(ranks) <= self.page, 1.0, self.rest)

    found = examples(registry, "step")
    assert {s.page for s in found} >= {1, 3}
    assert {s.rest for s in found} >= {0.25, 0.5}
    for part in found:
        for law in (*laws.DISCOUNT_LAWS, laws.text_reads_back(registry)):
            law(part)
