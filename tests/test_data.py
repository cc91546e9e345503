"""Judgments, rankings and scores: checked when they are made, looked up as in a dictionary."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy import Judgments, Rankings, Scores
from ndcgstudy.data import duplicate_rows, first_repeated
from ndcgstudy.ids import Ids

ID = st.text("ab01", min_size=1, max_size=10)
QRELS = st.dictionaries(
    ID, st.dictionaries(ID, st.integers(-1, 3), max_size=5), min_size=1, max_size=5
).filter(lambda qrels: any(qrels.values()))


@given(QRELS)
def test_from_dict_keeps_every_row(qrels: dict[str, dict[str, float]]) -> None:
    judged = Judgments.from_dict(qrels)
    rows = zip(judged.topic.tolist(), judged.docs.strings(), judged.grade.tolist(), strict=True)
    expected = [(t, d, g) for t, docs in qrels.items() for d, g in docs.items()]
    assert [(judged.topics[t], d, g) for t, d, g in rows] == expected
    assert judged.topics == tuple(qrels)


@given(QRELS, st.lists(st.tuples(st.integers(-1, 4), ID), max_size=30))
def test_grades_are_those_of_a_dictionary(
    qrels: dict[str, dict[str, float]], wanted: list[tuple[int, str]]
) -> None:
    judged = Judgments.from_dict(qrels)
    wanted = [(t, d) for t, d in wanted if t < len(qrels)]
    wanted += [(judged.topics.index(t), d) for t, docs in qrels.items() for d in docs]
    topic, docs = np.array([t for t, _ in wanted]), Ids.of([d for _, d in wanted])
    names = [*judged.topics, "no topic"]  # -1 stands for none
    expected = [qrels.get(names[t], {}).get(d, np.nan) for t, d in wanted]
    np.testing.assert_array_equal(judged.grades_of(topic, docs), expected)
    rows, at = judged.find(topic, docs)
    assert sorted(rows.tolist()) == np.flatnonzero(~np.isnan(expected)).tolist()
    assert judged.docs.take(at).strings() == docs.take(rows).strings()


def test_a_hash_that_two_documents_share_finds_no_wrong_grade(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    judged = Judgments.from_dict({"t": {"a": 3}})
    monkeypatch.setattr(
        "ndcgstudy.data.pair_keys", lambda topic, docs: np.zeros(len(docs), np.uint64)
    )
    assert np.isnan(judged.grades_of(np.array([0]), Ids.of(["b"])))[0]
    assert judged.grades_of(np.array([0]), Ids.of(["a"]))[0] == 3


ROWS = st.lists(st.tuples(st.integers(0, 2), st.text("ab", min_size=1, max_size=2)), max_size=30)


def repeats(rows: list[tuple[int, str]]) -> list[tuple[int, int]]:
    """Return (row, first row of the same pair) for each row that repeats one."""
    first: dict[tuple[int, str], int] = {}
    return [(i, first[r]) for i, r in enumerate(rows) if first.setdefault(r, i) != i]


@given(ROWS)
def test_duplicates_are_those_of_a_dictionary(rows: list[tuple[int, str]]) -> None:
    topic = np.array([t for t, _ in rows], dtype=np.int64)
    later, earlier = duplicate_rows(topic, Ids.of([d for _, d in rows]))
    assert list(zip(later.tolist(), earlier.tolist(), strict=True)) == repeats(rows)


def test_equal_documents_of_two_topics_are_no_duplicates() -> None:
    later, _ = duplicate_rows(np.array([0, 1]), Ids.of(["a", "a"]))
    assert not later.size


WRONG: list[tuple[dict[Any, Any], str]] = [
    ({}, "hold no judgement"),
    ({"t": {}}, "hold no judgement"),
    ({"t": {"a": "x"}}, "every grade must be a number"),
    ({"t": {"a": None}}, "every grade must be a number|grade is nan"),
    ({"t": {"a": [1, 2]}}, "every grade must be a number"),
    ({"t": {"a": float("nan")}}, "grade is nan for document a of topic t"),
    ({"t": {"b": 1, "a": float("inf")}}, "grade is inf for document a of topic t"),
    ({"t": {"": 1}}, "an id must be a string"),
    ({7: {"a": 1}}, "an id must be a string"),
    ({"t": {7: 1}}, "an id must be a string"),
    ({"t": {"a\0": 1}}, "an id must be a string"),
]


@pytest.mark.parametrize(("qrels", "message"), WRONG)
def test_wrong_judgments_are_refused(qrels: dict[Any, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Judgments.from_dict(qrels)


def test_a_score_may_be_infinite_but_not_nan() -> None:
    assert Rankings.from_dict({"t": {"a": float("-inf")}}).score[0] == -np.inf
    with pytest.raises(ValueError, match="score is nan for document b of topic u"):
        Rankings.from_dict({"t": {"a": 1.0}, "u": {"b": float("nan")}})


def test_select_keeps_rows_and_all_topics() -> None:
    judged = Judgments.from_dict({"t": {"a": 1, "b": 0}, "u": {"a": 2}})
    kept = judged.select(judged.grade > 1)
    assert (kept.topics, kept.docs.strings(), kept.topic.tolist()) == (("t", "u"), ["a"], [1])
    run = Rankings.from_dict({"t": {"a": 1.0, "b": 2.0}}, name="s")
    assert run.select(run.score > 1).docs.strings() == ["b"]


def test_judgments_can_be_pickled() -> None:
    copy = pickle.loads(pickle.dumps(Judgments.from_dict({"t": {"a": 1, "b": 0}})))
    assert copy.grades_of(np.array([0, 0]), Ids.of(["b", "a"])).tolist() == [0, 1]


def scores(values: Any, **given: Any) -> Scores:
    return Scores(
        np.array(values, dtype=float),
        **({"systems": ("x", "y"), "topics": ("t", "u")} | given),
        measure="P@1",
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"systems": ("x",)}, r"shape \(systems, topics\) = \(1, 2\), got \(2, 2\)"),
        ({"systems": ("x", "x")}, "system 'x' stands twice"),
        ({"topics": ("t", "t")}, "topic 't' stands twice"),
        ({"topics": ("t", "t"), "datasets": ("d", "d")}, "stands twice"),
        ({"datasets": ("d",)}, "."),
    ],
)
def test_scores_check_their_axes(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scores([[1, 2], [3, 4]], **given)


def test_two_collections_may_share_the_name_of_a_topic() -> None:
    assert scores([[1, 2], [3, 4]], topics=("t", "t"), datasets=("d", "e")).topics == ("t", "t")


def test_the_mean_leaves_out_topics_that_do_not_count() -> None:
    with np.errstate(all="raise"):
        mean = scores([[1, np.nan], [np.nan, np.nan]]).mean()
    np.testing.assert_array_equal(mean, [1, np.nan])


def test_the_values_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        scores([[1, 2], [3, 4]]).values[0, 0] = 9


def test_frame_has_topics_down_and_systems_across() -> None:
    frame = scores([[1, 2], [3, 4]]).frame()
    assert frame.to_dict() == {"x": {"t": 1, "u": 2}, "y": {"t": 3, "u": 4}}


@given(st.lists(st.integers(0, 5), max_size=8))
def test_first_repeated_is_the_first_seen_before(names: list[int]) -> None:
    expected = next((n for i, n in enumerate(names) if n in names[:i]), None)
    assert first_repeated(names) == expected
