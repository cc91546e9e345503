"""Frames with PyTerrier's columns: the same as dictionaries, and refused by row and value."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy import read_qrels, read_run

ID = st.text("ab01é \t", min_size=1, max_size=4)
ROWS = st.dictionaries(st.tuples(ID, ID), st.integers(-1, 3), min_size=1, max_size=20)


def frame(**given: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {"qid": ["q1", "q2"], "docno": ["a", "b"], "label": [1, 0], "score": [2.5, 1]} | given
    )


@given(ROWS)
def test_a_frame_reads_as_the_dictionary_it_spells(rows: dict[tuple[str, str], int]) -> None:
    nested: dict[str, dict[str, float]] = {}
    for (topic, doc), value in rows.items():
        nested.setdefault(topic, {})[doc] = value
    table = pd.DataFrame([(*key, value) for key, value in rows.items()])
    for read, name in ((read_qrels, "label"), (read_run, "score")):
        left = read(table.set_axis(["qid", "docno", name], axis=1))
        right = read({t: nested[t] for t in nested})
        assert left.topics == right.topics
        values = [x.grade if name == "label" else x.score for x in (left, right)]
        found = [
            {(x.topics[t], d): v for t, d, v in zip(x.topic, x.docs.strings(), xs, strict=True)}
            for x, xs in zip((left, right), values, strict=True)
        ]
        assert found[0] == found[1] == rows


@pytest.mark.parametrize(
    "label",
    [
        np.array([1, 0], np.int8),
        np.array([1, 0], np.float32),
        pd.array([1, 0], dtype="Int64"),
        [True, False],
        pd.Series([1, 0.0], dtype=object),
        pd.Series([Decimal(1), np.int64(0)], dtype=object),
    ],
    ids=lambda label: f"{type(label).__name__}-{getattr(label, 'dtype', '')}",
)
def test_every_kind_of_number_is_one(label: Any) -> None:
    assert read_qrels(frame(label=label)).grade.tolist() == [1, 0]


def test_other_columns_and_an_index_of_any_kind_do_not_matter() -> None:
    run = read_run(frame().assign(rank=0, query="x").set_index("rank"), name="mine")
    assert (run.name, run.topics, run.score.tolist()) == ("mine", ("q1", "q2"), [2.5, 1])


def test_ids_may_be_categories() -> None:
    assert read_qrels(frame().astype({"qid": "category"})).topics == ("q1", "q2")


WRONG: list[tuple[dict[str, list[Any]], str]] = [
    ({"label": ["1", "0"]}, "row 0: label must be a number, got '1'"),
    ({"label": [1, "high"]}, "row 1: label must be a number, got 'high'"),
    ({"label": [1, None]}, r"row 1: label (is nan|must be a number)"),
    ({"label": [1j, 0]}, "row 0: label must be a number"),
    ({"label": [1, [2]]}, r"row 1: label must be a number, got \[2\]"),
    ({"label": [1, float("inf")]}, "row 1: label is inf"),
    ({"label": [1, 0.5]}, "grade 0.5 of document b is not an integer"),
    (
        {"label": list(pd.to_datetime(["2020-01-01", "2021-01-01"]))},
        "row 0: label must be a number",
    ),
    ({"qid": ["q1", None]}, "an id must be a string of one or more characters, got (nan|None)"),
    ({"docno": [1, 2]}, "an id must be a string of one or more characters, got 1"),
    ({"docno": ["", "b"]}, "an id must be a string of one or more characters, got ''"),
    ({"qid": ["q", "q"], "docno": ["a", "a"]}, "row 1: duplicate document a for topic q"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG)
def test_a_wrong_frame_of_judgments_is_refused(columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_qrels(frame(**columns))


def test_a_score_may_be_infinite_but_not_nan() -> None:
    assert read_run(frame(score=[float("inf"), 1])).score[0] == np.inf
    with pytest.raises(ValueError, match="row 1: score is nan"):
        read_run(frame(score=[1, float("nan")]))


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    with pytest.raises(ValueError, match="missing columns docno, label; found qid, 7"):
        read_qrels(pd.DataFrame({"qid": ["q"], 7: [1]}))


def test_a_column_that_stands_twice_is_named() -> None:
    twice = pd.DataFrame([["q", "a", 1, 2]], columns=["qid", "docno", "label", "label"])
    with pytest.raises(ValueError, match="column label stands twice"):
        read_qrels(twice)


@pytest.mark.parametrize("columns", [[], ["qid", "docno", "label", "score"]])
def test_an_empty_frame_is_refused(columns: list[str]) -> None:
    for read in (read_qrels, read_run):
        with pytest.raises(ValueError, match=r"missing columns|hold"):
            read(pd.DataFrame(columns=columns))


@pytest.mark.parametrize("source", [None, 5, [("q", "d", 1)], b"path"])
def test_what_is_no_source_is_refused_by_kind(source: Any) -> None:
    for read in (read_qrels, read_run):
        with pytest.raises(
            ValueError, match="expected a path, a pandas frame or a dictionary, got"
        ):
            read(source)


def test_duplicates_in_a_frame_follow_the_policy() -> None:
    frame = pd.DataFrame({"qid": ["q"] * 3, "docno": ["d", "e", "d"], "score": [1.0, 2.0, 3.0]})
    first, best = (read_run(frame, duplicates=which) for which in ("first", "max"))
    assert (first.score.tolist(), best.score.tolist()) == ([1.0, 2.0], [2.0, 3.0])
    assert first.dropped == best.dropped == 1
    grades = frame.rename(columns={"score": "label"})
    assert read_qrels(grades, duplicates="max").grade.tolist() == [2.0, 3.0]
