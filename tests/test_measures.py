"""Measures: worked examples with their sources, small lists by hand, and what numbers they refuse."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small import values

from ndcgstudy import MEASURES, score_grades
from ndcgstudy.discounts import DISCOUNTS, JK2002, Log2
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import DCG, nDCG

NAN = float("nan")
LOG = [1.0, 1 / np.log2(3), 0.5, 1 / np.log2(5), 1 / np.log2(6)]


def test_cumulated_gain_of_the_paper_that_introduced_it() -> None:
    # Järvelin and Kekäläinen (2002): their example list, base 2.
    grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    expected = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    found = [score_grades(DCG(discount=JK2002(2), cutoff=k), grades) for k in range(1, 11)]
    assert np.round(found, 2).tolist() == expected


def test_base_of_the_original_discount() -> None:
    ranks = np.arange(1, 101)
    assert JK2002(2)(ranks)[:2].tolist() == [1.0, 1.0]
    assert JK2002(10)(ranks)[:10].tolist() == [1.0] * 10
    assert JK2002(10)(ranks)[10] < 1
    assert JK2002(10)(np.array([100])) == pytest.approx([0.5])


def test_worked_example_of_textbooks() -> None:
    grades = [3, 2, 3, 0, 1, 2]
    assert score_grades("DCG", grades).round(3) == 6.861
    assert score_grades("DCG", sorted(grades, reverse=True)).round(3) == 7.141
    assert score_grades("nDCG", grades).round(3) == 0.961
    assert score_grades("nDCG(gain=exponential)", grades).round(3) == 0.949


@pytest.mark.parametrize(
    ("rank", "value"), [(1, 1.0), (2, 0.631), (3, 0.5), (10, 0.289), (11, 0.0)]
)
def test_one_relevant_document(rank: int, value: float) -> None:
    grades = [0] * (rank - 1) + [1] + [0] * (12 - rank)
    assert score_grades("nDCG@10", grades).round(3) == value


CONVENTIONS = {
    "nDCG@10": 0.746324,
    "nDCG(gain=exponential)@10": 0.628943,
    "nDCG(discount=jk2002)@10": 0.799158,
}


@pytest.mark.parametrize("measure", CONVENTIONS)
def test_one_list_under_three_conventions(measure: str) -> None:
    # Grades 3, 1, 2 of alpha, bravo, charlie; ranked bravo, charlie, an unjudged one, alpha.
    found = score_grades(measure, [1, 2, NAN, 3], [3, 1, 2])
    assert found == pytest.approx(CONVENTIONS[measure], abs=5e-7)


BY_HAND = [
    ("P@2", [1, 0, 1], 0.5),
    ("P@5", [1, 0, 1], 0.4),  # a short list is divided by the cutoff all the same
    ("P", [1, 0, 1], 2 / 3),
    ("P(rel=2)@2", [1, 2, 2], 0.5),
    ("R@2", [1, 0, 1, 1], 1 / 3),
    ("R", [1, 0, 1, 1], 1.0),
    ("RR", [0, 0, 1, 1], 1 / 3),
    ("RR@2", [0, 0, 1, 1], 0.0),
    ("RR(rel=2)", [1, 0, 0, 2], 0.25),
    ("AP", [1, 0, 1, 0], (1 + 2 / 3) / 2),
    ("AP@2", [1, 0, 1, 0], 1 / 2),
    ("AP(rel=2)", [1, 2, 0, 3], (1 / 2 + 2 / 4) / 2),
    ("DCG(discount=zipf)", [1, 2, 3], 1 + 2 / 2 + 3 / 3),
    ("DCG(gain=table(0,1,5),discount=constant)", [2, 1, 0], 6.0),
    ("nDCG(discount=linear(depth=2))", [0, 1, 1], 0.5 / 1.5),
    ("nDCG(discount=table(1))@3", [1, 2, 2], 0.5),
    ("RBP(p=0.5)", [1, 0, 1], 0.5 * (1 + 0.25)),
    ("RBP(p=0.8)@1", [1, 1], 0.2),
    ("RBP(p=0.5,gain=table(0,0.5,1))", [1, 2], 0.5 * (0.5 + 0.5)),
    ("ERR(max_grade=1)", [1, 1], 0.5 + 0.5 * 0.5 / 2),
    ("ERR", [4, 0], 15 / 16),
    ("ERR", [0, 2], 3 / 16 / 2),
    ("ERR@1", [0, 2], 0.0),
    ("Bpref", [1, 0, 1, 0], (1 + 1 - 1 / 2) / 2),
    ("Bpref", [0, 0, 0, 1], 0.0),
    ("Bpref", [1, NAN, NAN, 1], 1.0),
    ("Bpref", [-1, 1], 1.0),  # a negative grade is no judgment of non-relevance here
    ("Judged@2", [1, NAN, 0], 0.5),
    ("Judged@5", [1, NAN, 0], 2 / 3),  # of those retrieved
    ("Judged", [NAN, -1], 0.5),
]


@pytest.mark.parametrize(("measure", "grades", "value"), BY_HAND)
def test_small_list_by_hand(measure: str, grades: list[float], value: float) -> None:
    assert score_grades(measure, grades) == pytest.approx(value, abs=1e-15)


def test_documents_that_were_not_retrieved_count_where_they_must() -> None:
    judged = [1, 1, 1, 0]
    assert score_grades("AP", [1, 0], judged) == pytest.approx(1 / 3)
    assert score_grades("R", [1, 0], judged) == pytest.approx(1 / 3)
    assert score_grades("Bpref", [1, 0], judged) == pytest.approx(1 / 3)
    assert score_grades("nDCG", [1, 0], judged) == pytest.approx(1 / sum(LOG[:3]))
    assert score_grades("nDCG@2", [1, 0], judged) == pytest.approx(1 / sum(LOG[:2]))
    assert score_grades("nDCG@2", [1, 0], judged, cut_ideal=False) == pytest.approx(
        1 / sum(LOG[:3])
    )


ZERO_BY_ZERO = ["nDCG@10", "AP", "R@10", "Bpref"]
ZERO = ["P@10", "RR", "RBP", "ERR", "DCG", "Judged@2"]


@pytest.mark.parametrize("measure", [*ZERO_BY_ZERO, *ZERO])
@pytest.mark.parametrize("grades", [[0, 0], [NAN, 0], [-1, -2], [NAN, NAN]])
def test_nothing_relevant(measure: str, grades: list[float]) -> None:
    value = score_grades(measure, grades)
    if measure in ZERO_BY_ZERO:
        assert np.isnan(value)
    elif not measure.startswith("Judged"):
        assert value == 0


def test_shapes_follow_the_lists() -> None:
    grades = np.arange(24).reshape(2, 3, 4) % 3
    values = score_grades("nDCG@3", grades)
    assert values.shape == (2, 3)
    one = [[score_grades("nDCG@3", grades[i, j]) for j in range(3)] for i in range(2)]
    assert values.tolist() == one
    assert np.shape(score_grades("nDCG@3", [1, 0])) == ()
    shared = score_grades("R", [[1, 0], [0, 0]], [1, 1])
    assert shared.tolist() == [0.5, 0.0]


GRADES = st.lists(st.sampled_from([NAN, -1.0, 0.0, 1.0, 2.0, 3.0]), min_size=2, max_size=8)


@given(GRADES, st.randoms(use_true_random=False), st.sampled_from([None, 1, 3]))
def test_normalising_does_not_reorder_two_lists_of_a_topic(
    grades: list[float], random: Any, cutoff: int | None
) -> None:
    # Both lists share the ideal, so nDCG and DCG differ by a factor; it matters only over topics.
    lists = [random.sample(grades, len(grades)) for _ in range(2)]
    for gain in ("linear", "exponential"):
        part = GAINS.parse(gain)
        plain = score_grades(DCG(gain=part, cutoff=cutoff), lists, grades)
        normed = score_grades(nDCG(gain=part, cutoff=cutoff), lists, grades)
        if not np.isnan(normed).any():
            assert np.sign(np.round(plain[0] - plain[1], 9)) == np.sign(
                np.round(normed[0] - normed[1], 9)
            )


@given(GRADES)
def test_special_cases_are_the_general_one(grades: list[float]) -> None:
    same = [
        ("nDCG(discount=zipf)", "nDCG(discount=power(beta=1))"),
        ("nDCG(discount=constant)", "nDCG(discount=power(beta=0))"),
        ("nDCG(gain=binary)", "nDCG(gain=table(0,1,1,1))"),
        ("nDCG(gain=exponential)", "nDCG(gain=table(0,1,3,7))"),
    ]
    for one, other in same:
        np.testing.assert_allclose(
            score_grades(one, grades), score_grades(other, grades), rtol=1e-12
        )
    weighed = score_grades("DCG(gain=binary,discount=geometric(p=0.5))", grades)
    np.testing.assert_allclose(score_grades("RBP(p=0.5)", grades), weighed / 2, rtol=1e-12)


def test_expectation_over_a_tied_group() -> None:
    # McSherry and Najork (2008): the mean gain of the group times the discounts of its ranks, those
    # beyond the cutoff left out; the ideal stays.
    qrels, run = {"q": {"a": 3, "b": 1, "c": 2}}, {"q": {"z": 9.0, "a": 5.0, "b": 5.0, "c": 5.0}}
    for cutoff, ranks in ((2, LOG[1:2]), (3, LOG[1:3]), (10, LOG[1:4])):
        measure = nDCG(cutoff=cutoff)
        (found,) = values(qrels, run, measure, ties="average")
        ideal = sum(g * w for g, w in zip([3, 2, 1][:cutoff], LOG, strict=False))
        assert found == pytest.approx(2 * sum(ranks) / ideal, abs=1e-15)


def test_filling_a_hole_can_lower_ndcg() -> None:
    # A relevant document at rank 3 enters the ideal at rank 2, so a perfect list is so no longer:
    # the extreme fillings of the holes do not bound nDCG.
    qrels, run = {"q": {"a": 1, "x": 0}}, {"q": {"a": 3.0, "x": 2.0, "unjudged": 1.0}}
    assert values(qrels, run) == [1.0]
    (filled,) = values(qrels, run, "nDCG@10", unjudged="optimistic")
    assert filled == pytest.approx(1.5 / (1 + LOG[1]), abs=1e-15)
    assert filled == pytest.approx(0.9197, abs=5e-5)


REFUSED = [
    ("ERR", [5], "ERR takes grades up to 4, got 5"),
    ("ERR(max_grade=1)@3", [0, 2], r"ERR\(max_grade=1\)@3 takes grades up to 1, got 2"),
    ("nDCG(gain=exponential)", [1024], "gain exponential takes grades up to 1023, got 1024"),
    ("nDCG(gain=table(0,1))", [2], r"gain table\(0,1\) has no entry for grade 2"),
    ("nDCG(gain=table(0,1))", [0.5], r"gain table\(0,1\) has no entry for grade 0\.5"),
    # Numbers beyond the doubles must not pass for a topic without relevant documents.
    ("nDCG", [1.7e308, 1.7e308, 1], "the sum of the gains leaves the range of a double"),
    ("nDCG(gain=exponential)", [1023] * 3, "the sum of the gains leaves the range of a double"),
    ("DCG(gain=exponential)", [1023] * 3, "the sum of the gains leaves the range of a double"),
]


@pytest.mark.parametrize(("measure", "grades", "message"), REFUSED)
def test_grades_beyond_a_measure(measure: str, grades: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_grades(measure, grades)


def test_large_grades_within_range() -> None:
    assert score_grades("nDCG(gain=exponential)", [1000, 999]) == 1.0
    assert score_grades("nDCG", [2.0**53, 1]) == 1.0
    assert score_grades("nDCG", [1e-300, 1e-301]) == 1.0


def test_weights_of_each_discount() -> None:
    ranks = np.array([1, 2, 10, 11])
    weights = {
        "log2": [1, 1 / np.log2(3), 1 / np.log2(11), 1 / np.log2(12)],
        "jk2002(base=10)": [1, 1, 1, 1 / np.log10(11)],
        "power(beta=0.5)": [1, 2**-0.5, 10**-0.5, 11**-0.5],
        "zipf": [1, 1 / 2, 1 / 10, 1 / 11],
        "geometric(p=0.5)": [1, 1 / 2, 2**-9, 2**-10],
        "constant": [1, 1, 1, 1],
        "loglog": [1 / np.log(np.e + np.log(1 + r)) for r in ranks],
        "linear(depth=10)": [1, 0.9, 0.1, 0],
        "table(1,0.5)": [1, 0.5, 0, 0],
    }
    assert {name.split("(")[0] for name in weights} == set(DISCOUNTS.names())
    for text, expected in weights.items():
        np.testing.assert_allclose(DISCOUNTS.parse(text)(ranks), expected, rtol=1e-14)


def test_values_of_each_gain() -> None:
    grades = np.array([0, 1, 2, 3])
    values = {
        "linear": [0, 1, 2, 3],
        "exponential": [0, 1, 3, 7],
        "binary": [0, 1, 1, 1],
        "table(0,1,1,5)": [0, 1, 1, 5],
    }
    assert {name.split("(")[0] for name in values} == set(GAINS.names())
    for text, expected in values.items():
        assert GAINS.parse(text)(grades).tolist() == expected
    assert GAINS.parse("binary(threshold=2)")(grades).tolist() == [0, 0, 1, 1]


def test_defaults_are_those_of_the_field() -> None:
    assert nDCG() == nDCG(gain=GAINS.parse("linear"), discount=Log2(), cutoff=None)
    assert MEASURES.names() == [
        "AP",
        "Bpref",
        "DCG",
        "ERR",
        "Judged",
        "P",
        "R",
        "RBP",
        "RR",
        "nDCG",
    ]
