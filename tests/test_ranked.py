"""Sorting grades by score: the fast way gives what a stable argsort of the whole scores gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.separability import simulate
from ndcgstudy.separability.direct import ranked
from ndcgstudy.synthetic import Reference, Sample

NEXT = np.nextafter(1.0, 2.0)
# numbers that are close to each other or to the ends of what a double holds
AWKWARD = (0.0, -0.0, 5e-324, -5e-324, 1.0, NEXT, np.nextafter(NEXT, 2.0), -1.0, -NEXT)
ENDS = (np.inf, -np.inf, 1.7e308, -1.7e308)


def plainly(scores, grades):
    return grades[np.argsort(-scores, kind="stable")]


@st.composite
def lists(draw):
    number = st.sampled_from([*AWKWARD, *ENDS]) | st.floats(allow_nan=False)
    scores = draw(st.lists(number, min_size=2, max_size=12))
    grades = draw(st.lists(st.integers(0, 9), min_size=len(scores), max_size=len(scores)))
    return np.array(scores), np.array(grades)


@given(lists())
def test_grades_come_in_the_order_of_the_scores(case):
    assert ranked(*case).tolist() == plainly(*case).tolist()


@pytest.mark.parametrize("top", [0, 1, 2, 1000])
def test_long_lists_too(top):
    rng = np.random.default_rng(0)
    scores, grades = rng.standard_normal(10**5), rng.integers(0, top + 1, 10**5)
    assert np.array_equal(ranked(scores, grades), plainly(scores, grades))


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_scores_of_other_types_are_sorted_as_they_are(kind):
    rng = np.random.default_rng(0)
    scores, grades = rng.integers(-50, 50, 200).astype(kind), rng.integers(0, 3, 200)
    assert np.array_equal(ranked(scores, grades), plainly(scores, grades))


def test_scores_that_differ_in_their_last_bit_are_told_apart():
    # Without the second look the last bit would be the grade's, and the lower score could be first.
    scores, grades = np.array([1.0, NEXT]), np.array([0, 1])
    assert ranked(scores, grades).tolist() == [1, 0]
    assert ranked(scores, grades[::-1]).tolist() == [0, 1]


class Blunt(Reference):
    """The reference pair with scores of two digits, so that most of them are ties."""

    def sample(self, n, *, rng):
        sample = super().sample(n, rng=rng)
        return Sample(sample.scores.round(2), sample.grades)


def test_ties_stay_in_the_order_in_which_items_came():
    ns = (50, 400)
    found = simulate(Blunt(), [lambda r: 1 / r], ns, replicates=3, rng=np.random.default_rng(0))
    for place, stream in enumerate(np.random.default_rng(0).spawn(3)):
        sample = Blunt().sample(400, rng=stream)
        for at, n in enumerate(ns):
            grades = sample.grades[:n]
            a, b = (plainly(s[:n], grades) @ (1 / np.arange(1, n + 1)) for s in sample.scores)
            ideal = -np.sort(-grades) @ (1 / np.arange(1, n + 1))
            assert found.gap[place, 0, at] == pytest.approx((a - b) / ideal, abs=1e-12)
