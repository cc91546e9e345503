"""Missing scores: no system gains by one that counts as 0, and what is filled or dropped is told."""

import numpy as np
import pandas as pd
import pytest
from gaps import holed, made, refusal
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.collections import average
from ndcgstudy.data import Scores
from ndcgstudy.missing import MISSING, Matrix, check_comparable, complete, select_topics


@st.composite
def gapped(draw, datasets=False):
    """A whole matrix and a mask of gaps, one of them at least, all in one system."""
    systems, topics = draw(st.integers(2, 5)), draw(st.integers(2, 6))
    unit = st.floats(0, 1, allow_subnormal=False)
    values = draw(st.lists(st.lists(unit, min_size=topics, max_size=topics), min_size=systems))
    system = draw(st.integers(0, len(values) - 1))
    lacked = draw(st.sets(st.integers(0, topics - 1), min_size=1))
    holes = np.zeros((len(values), topics), dtype=bool)
    holes[system, sorted(lacked)] = True
    names = tuple(draw(st.sampled_from("xy")) for _ in range(topics)) if datasets else None
    return made(values, names), holes, system


def without(scores, holes):
    return made(np.where(holes, np.nan, scores.values), scores.datasets)


def never_gains(mean, whole, gaps, system):
    """The law: a system that withholds scores has no higher mean, and passes no other by it."""
    before, after = mean(whole), mean(gaps)
    assert after[system] <= before[system]
    ahead = before > before[system]
    assert (after[ahead] > after[system]).all()


@given(gapped())
def test_with_zero_no_system_gains_by_a_missing_score(case):
    whole, holes, system = case
    gaps = complete(without(whole, holes), "zero").scores
    never_gains(lambda scores: scores.mean(), whole, gaps, system)
    others = np.arange(len(whole.systems)) != system
    np.testing.assert_array_equal(gaps.values[others], whole.values[others])


@given(gapped(datasets=True))
def test_nor_in_the_mean_over_data_sets(case):
    whole, holes, system = case
    gaps = complete(without(whole, holes), "zero").scores
    assert gaps.datasets == whole.datasets
    never_gains(average, whole, gaps, system)


def test_a_mean_over_what_is_there_breaks_the_law():
    whole = made([[0.9, 0.1], [0.6, 0.6]])
    gaps = made([[0.9, np.nan], [0.6, 0.6]])
    never_gains(lambda s: complete(s, "zero").scores.mean(), whole, gaps, 0)
    with pytest.raises(AssertionError):
        never_gains(lambda s: s.mean(), whole, gaps, 0)


def test_dropping_topics_can_break_it_and_says_so():
    whole = made([[0.9, 0.8, 0.1], [0.6, 0.6, 0.9]])
    gaps = made([[0.9, 0.8, np.nan], [0.6, 0.6, 0.9]])
    done = complete(gaps, "drop-topics")
    with pytest.raises(AssertionError):
        never_gains(lambda s: complete(s, "drop-topics").scores.mean(), whole, gaps, 0)
    assert done.notes == (
        "1 of 3 topics dropped for all systems, with how many lack each: 'q3' (1); "
        "a system may gain by lacking a topic that is hard for it",
    )


@given(holed(), st.sampled_from(MISSING))
def test_what_is_left_is_what_pandas_leaves(scores, missing):
    frame = pd.DataFrame(scores.values, index=scores.systems, columns=scores.topics)
    ways = {
        "error": frame if frame.notna().all(axis=None) else frame.iloc[:0],
        "zero": frame.fillna(0.0),
        "drop-topics": frame.dropna(axis=1),
        "drop-systems": frame.dropna(axis=0),
    }
    expected = ways[missing]
    if min(expected.shape) < 2:
        with pytest.raises(ValueError, match=r"scores .* missing|a comparison takes two"):
            complete(scores, missing)
        return
    done = complete(scores, missing)
    np.testing.assert_array_equal(done.scores.values, expected.to_numpy())
    assert done.scores.systems == tuple(expected.index)
    assert done.scores.topics == tuple(expected.columns)
    assert bool(done.notes) == bool(np.isnan(scores.values).any())


def test_a_whole_matrix_stays_as_it_is():
    scores = made([[0.1, 0.2]])
    for missing in MISSING:
        done = complete(scores, missing)
        assert done.scores is scores
        assert done.notes == Matrix(scores).notes == ()


def test_the_error_lists_the_first_and_counts_all():
    values = np.full((4, 3), 0.5)
    values[1:3] = np.nan
    message = refusal(complete, made(values))
    assert message == (
        "6 of 12 scores (2 systems, 3 topics) missing: system 's2', topic 'q1'; system 's2', topic "
        "'q2'; system 's2', topic 'q3'; system 's3', topic 'q1'; system 's3', topic 'q2'; and 1 more "
        "(choose what they mean: missing zero, drop-topics or drop-systems)"
    )


def test_zero_and_drop_systems_tell_what_they_did():
    gaps = made([[0.1, np.nan, np.nan], [0.1, 0.2, 0.3], [0.1, 0.2, 0.4]])
    assert complete(gaps, "zero").notes == (
        "2 of 9 scores (1 system, 2 topics) missing, counted as 0: "
        "system 's1', topic 'q2'; system 's1', topic 'q3'",
    )
    assert complete(gaps, "drop-systems").notes == (
        "1 of 3 systems dropped, with how many topics each lacks: 's1' (2)",
    )


def test_a_topic_is_dropped_from_its_own_data_set_alone():
    values = [[0.1, 0.2, 0.3, np.nan], [0.1, 0.2, 0.3, 0.4]]
    scores = made(values, ("x", "x", "y", "y"), ("q1", "q2", "q1", "q2"))
    done = complete(scores, "drop-topics")
    assert done.scores.topics == ("q1", "q2", "q1")
    assert done.scores.datasets == ("x", "x", "y")
    assert "'q2' of 'y' (1)" in done.notes[0]
    assert "topic 'q2' of 'y'" in refusal(complete, scores)


def test_a_data_set_that_loses_all_its_topics_is_named():
    scores = made([[0.1, 0.2, np.nan], [0.1, 0.2, 0.3]], ("x", "x", "y"))
    done = complete(scores, "drop-topics")
    assert done.notes[1:] == ("no topic is left of data set 'y'",)
    assert done.scores.datasets == ("x", "x")


@pytest.mark.parametrize(
    ("values", "missing", "message"),
    [
        ([[0.1, np.nan]], "nil", "unknown missing 'nil'; known: drop-sys"),
        ([[0.1, np.nan]], "zeros", "did you mean 'zero'?"),
        (
            [[-0.1, np.nan]],
            "zero",
            "is below 0, where 0 for a missing one would be a gain, got -0.1",
        ),
        ([[0.1, np.nan], [0.1, 0.2]], "drop-topics", "two topics or more, found 1: 'q1'; 1 of 2"),
        ([[0.1, np.nan], [0.1, 0.2]], "drop-systems", "two systems or more, found 1: 's2'; 1 of 2"),
        ([[np.nan, np.nan]] * 2, "drop-topics", "found 0; 2 of 2 topics dropped"),
        ([[0.1, np.nan], [np.nan, 0.2]], "drop-systems", "two systems or more, found 0; 2 of 2"),
    ],
)
def test_what_is_refused(values, missing, message):
    assert message in refusal(complete, made(values), missing)


def test_without_gaps_scores_below_zero_are_let_through():
    assert complete(made([[-0.1, 0.2]]), "zero").scores.values[0, 0] == -0.1


def test_topics_are_chosen_in_the_order_asked_for():
    scores = made([[0.1, 0.2, 0.3, 0.4]], ("x", "x", "y", "y"), ("q1", "q2", "q2", "q3"))
    chosen = select_topics(scores, ["q3", "q2", "q3"])
    assert chosen.topics == ("q3", "q2", "q2")
    assert chosen.datasets == ("y", "x", "y")
    np.testing.assert_array_equal(chosen.values, [[0.4, 0.2, 0.3]])
    assert refusal(select_topics, scores, ["q9"]) == "no topic 'q9'; known: q1, q2, q3"
    assert refusal(select_topics, scores, []) == "no topic is asked for"


def test_two_of_each_are_needed():
    check_comparable(made([[0.1, 0.2], [0.1, 0.2]]))
    assert "systems or more, found 1: 's1'" in refusal(check_comparable, made([[0.1, 0.2]]))
    assert "topics or more, found 1: 'q1'" in refusal(check_comparable, made([[0.1], [0.2]]))
    nothing = Scores(np.empty((0, 2)), (), ("q1", "q2"), "AP")
    assert refusal(check_comparable, nothing).endswith("found 0")
