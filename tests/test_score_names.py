"""Score tables by the names in them: orientation, ids, summaries, long tables, missing words, scales."""

import itertools
from typing import Any

import numpy as np
import pytest
from gaps import refusal
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.formats import read_scores
from ndcgstudy.formats.roles import DATASET, SYSTEM, TOPIC, is_summary
from ndcgstudy.formats.textfile import text_of

VALUES = np.array([[0.25, 0.5, 0.125], [0.375, 0.0625, 0.75]])
SYSTEMS, TOPICS = ("bm25", "dpr"), ("NQ", "FiQA", "SciFact")


def read(text: str, **how: Any) -> Any:
    return read_scores(text_of(text.encode(), "t"), **how)


def table(corner: str, rows: Any, header: Any, values: Any, delimiter: str = ",") -> str:
    """Write a wide table; `values` is rows x columns."""
    lines = [
        [corner, *header],
        *([name, *map(repr, row)] for name, row in zip(rows, values, strict=True)),
    ]
    return "".join(f"{delimiter.join(map(str, line))}\n" for line in lines)


def check(done: Any, systems: Any = SYSTEMS, topics: Any = TOPICS, values: Any = VALUES) -> None:
    assert (done.scores.systems, done.scores.topics) == (tuple(systems), tuple(topics))
    np.testing.assert_array_equal(done.scores.values, values)


def spelt(name: str) -> list[str]:
    """The ways in which people write a name of two words."""
    words = name.split("_")
    camel = "".join([words[0], *(word.title() for word in words[1:])])
    return [name, name.upper(), " ".join(words).title(), "-".join(words), camel]


# -- orientation --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SYSTEM)
def test_a_column_named_as_systems_has_them_in_the_rows(name: str) -> None:
    for corner in spelt(name):
        check(read(table(corner, SYSTEMS, TOPICS, VALUES.tolist())))


@pytest.mark.parametrize("name", [*TOPIC, *DATASET])
def test_a_column_named_as_topics_or_data_sets_has_systems_in_the_columns(name: str) -> None:
    for corner in spelt(name):
        done = read(table(corner, TOPICS, SYSTEMS, VALUES.T.tolist()))
        check(done)
        assert (done.scores.datasets == TOPICS) is (name in DATASET)


@pytest.mark.parametrize("corner", ["", "x", "Unnamed: 0", "label", "key", "metric"])
def test_any_other_column_of_text_is_refused_with_both_readings(corner: str) -> None:
    text = table(corner, [*TOPICS, "T4"], SYSTEMS, [*VALUES.T.tolist(), [0.5, 0.5]])
    if corner == "metric":
        return
    told = refusal(read, text)
    assert (
        "--systems rows takes NQ, FiQA, SciFact and 1 more as systems and bm25, dpr as topics"
        in told
    )
    assert "--systems columns takes bm25, dpr as systems and NQ, FiQA, SciFact and 1 more" in told
    assert read(text, systems="columns").scores.systems == SYSTEMS
    assert read(text, systems="rows").scores.systems == (*TOPICS, "T4")


@given(
    st.lists(st.integers(0, 8), min_size=6, max_size=6),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
    st.sampled_from(["Model", "task", "qid", "?"]),
)
def test_the_same_scores_however_they_are_laid_out(
    numbers: list[int], delimiter: str, comma: bool, corner: str
) -> None:
    values = np.array(numbers, dtype=float).reshape(2, 3) / 8 + 0.0625
    side = {"Model": "rows", "?": "rows"}.get(corner, "columns")
    rows, header, body = (
        (SYSTEMS, TOPICS, values) if side == "rows" else (TOPICS, SYSTEMS, values.T)
    )
    text = table(corner, rows, header, body.tolist(), delimiter)
    if comma and delimiter != ",":
        text = text.replace(".", ",")
    check(read(text, systems="rows" if corner == "?" else None), values=values)


def test_columns_of_scores_alone_are_systems_with_a_note() -> None:
    done = read("a,b\n.5,.25\n.125,1\n")
    check(done, ("a", "b"), ("1", "2"), [[0.5, 0.125], [0.25, 1.0]])
    assert done.notes == (
        "no column names the topics: one a line, numbered from 1; systems in columns",
    )
    assert "no column names the systems" in refusal(read, "a,b\n.5,.25\n", systems="rows")


def test_data_sets_and_topics_may_both_name_the_rows() -> None:
    done = read("collection,qid,a,b\nx,1,.5,.25\nx,2,.125,1\ny,1,0,1\n")
    assert (done.scores.topics, done.scores.datasets) == (("1", "2", "1"), ("x", "x", "y"))
    assert "line 4: topic '1' of 'x' stands twice" in refusal(
        read, "collection,qid,a,b\nx,1,.5,.25\nx,2,.125,1\nx,1,0,1\n"
    )


@pytest.mark.parametrize("corner", ["Model", "qid"])
def test_columns_called_as_measures_are_neither_systems_nor_topics(corner: str) -> None:
    text = f"{corner},nDCG@10,MAP,recip_rank\na,.5,.25,.5\nb,.125,1,.5\n"
    assert "(nDCG@10, MAP, recip_rank) are called as measures" in refusal(read, text)
    side = "rows" if corner == "Model" else "columns"
    assert read(text, systems=side).scores.values.size == 6


def test_a_choice_is_one_of_two() -> None:
    assert "unknown systems 'row'; did you mean 'rows'?" in refusal(
        read, "a,b\n1,2\n", systems="row"
    )


# -- ids ----------------------------------------------------------------------------------------------

IDS = [
    "id",
    "index",
    "Unnamed: 0",
    "rank",
    "seed",
    "#",
    "n_topics",
    "row_id",
    "No.",
    "idx",
    "count",
    "year",
]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("corner", ["topic", "model", ""])
def test_ids_are_neither_systems_nor_topics(name: str, corner: str) -> None:
    labels = ["x", "y"] if corner else ["", ""]
    rows = [f"{label}{',' * bool(corner)}{n},{a},{b}\n" for label, n, a, b in
            zip(labels, (7, 3), (0.5, 0.125), (0.25, 0.75), strict=True)]  # fmt: skip
    text = f"{corner}{',' * bool(corner)}{name},a,b\n{''.join(rows)}"
    done = read(text)
    assert {"a", "b"} in ({*done.scores.systems}, {*done.scores.topics})
    assert any(repr(name) in note and "--keep" in note for note in done.notes)
    kept = read(text, keep=[name])
    assert name in (*kept.scores.systems, *kept.scores.topics)


def test_a_column_that_only_counts_is_no_system() -> None:
    assert read("foo,a,b\n5,.5,.25\n6,.125,1\n7,0,1\n").scores.systems == ("a", "b")
    assert read("foo,a,b\n5,.5,.25\n6,.125,1\n8,0,1\n").scores.systems == ("foo", "a", "b")
    assert read("foo,a,b\n5,.5,.25\n6,.125,1\n7,0,1\n", keep=["foo"]).scores.systems == (
        "foo",
        "a",
        "b",
    )


@pytest.mark.parametrize(
    "name", ["model_a", "nDCG-tuned", "idf", "page_rank", "embedding_gemma", "maxp"]
)
def test_systems_with_names_near_to_ids_stay(name: str) -> None:
    assert read(f"topic,{name},b\nx,.5,.25\ny,.125,1\n").scores.systems == (name, "b")


def test_what_identifies_a_row_beside_its_topic_is_named() -> None:
    done = read("row_id,domain,#,topic,a,b\n4,law,1,x,.5,.25\n9,med,2,y,.125,1\n")
    assert done.scores.topics == ("x", "y")
    assert done.notes == (
        "'row_id', '#': ids or counts, no scores, left out (--keep)",
        "'domain': text, no scores, left out",
    )


def test_a_column_of_odd_cells_is_refused_not_left_out() -> None:
    told = refusal(read, "topic,a,b\nx,.5 ± .1,.25\ny,.4 ± .1,1\n")
    assert (
        "line 2: score '.5 ± .1' in column 2 is not a finite number; --drop a leaves the column"
        in told
    )
    assert read("topic,a,b,c\nx,.5!,1,1\ny,.4!,1,0\n", drop=["a"]).scores.systems == ("b", "c")


# -- summaries ----------------------------------------------------------------------------------------

MEANS = [
    *(
        "mean",
        "Average",
        "avg",
        "AVG.",
        "overall",
        "Total",
        "all",
        "macro",
        "micro avg",
        "Average (15)",
    ),
    *("Mean (Task)", "macro-average", "Overall score", "Avg. nDCG@10", "mean over datasets", "ALL"),
]
OTHERS = [
    "all-nli",
    "mean-pooling",
    "AllenNLP",
    "macrobenchmark",
    "averaged perceptron",
    "sumo",
]


@pytest.mark.parametrize("name", MEANS)
def test_means_are_left_out_where_their_values_agree(name: str) -> None:
    own, means = VALUES.mean(axis=1).tolist(), VALUES.mean(axis=0).tolist()
    row = table("task", [*TOPICS, name], SYSTEMS, [*VALUES.T.tolist(), own])
    longer = [[*values, mean] for values, mean in zip(VALUES.tolist(), own, strict=True)]
    column = table("model", SYSTEMS, [*TOPICS, name], longer)
    across = table("model", [*SYSTEMS, name], TOPICS, [*VALUES.tolist(), means])
    for text in (row, column, across):
        done = read(text)
        check(done)
        assert done.notes == (f"{name!r}: no scores but means of the others, left out (--keep)",)
        kept = read(text, keep=[name])
        assert name in (*kept.scores.systems, *kept.scores.topics)
        assert name not in (
            *read(text, drop=[name]).scores.systems,
            *read(text, drop=[name]).scores.topics,
        )


@pytest.mark.parametrize("name", MEANS)
def test_means_with_other_values_are_refused(name: str) -> None:
    text = table("task", TOPICS, SYSTEMS, VALUES.T.tolist()) + f"{name},0.5,0.5\n"
    told = refusal(read, text)
    assert f"{name!r} is the name of a summary" in told
    assert "--drop" in told
    assert "--keep" in told
    check(read(text, drop=[name]))
    assert read(text, keep=[name]).scores.topics == (*TOPICS, name)


@pytest.mark.parametrize("name", OTHERS)
def test_names_that_hold_such_a_word_stay(name: str) -> None:
    text = table(
        "task", [*TOPICS, name], SYSTEMS, [*VALUES.T.tolist(), VALUES.mean(axis=1).tolist()]
    )
    assert read(text).scores.topics == (*TOPICS, name)
    assert not is_summary(name)


@given(st.lists(st.integers(0, 1000), min_size=8, max_size=8), st.integers(0, 3))
def test_a_mean_is_compared_to_its_printed_digits(numbers: list[int], digits: int) -> None:
    values = np.array(numbers).reshape(2, 4) / 10
    means = [f"{mean:.{digits}f}" for mean in values.mean(axis=1)]
    text = table("task", "wxyz", SYSTEMS, values.T.tolist())
    check(read(f"{text}Average,{','.join(means)}\n"), topics="wxyz", values=values)
    off = 2 * (0.5 * 10.0**-digits + 0.05) + 1e-6
    wrong = [repr(float(mean) + off) for mean in means]
    assert "summary" in refusal(read, f"{text}Average,{','.join(wrong)}\n")


def test_a_mean_over_what_is_there_agrees_too() -> None:
    text = "task,a,b\nx,.5,.25\ny,-,.75\nmean,.5,.5\n"
    assert read(text, missing="zero").scores.topics == ("x", "y")
    assert read(text.replace("mean,.5", "mean,.25"), missing="zero").scores.topics == ("x", "y")


def test_sums_and_medians_are_summaries_too() -> None:
    text = "task,a,b\nx,.5,.25\ny,.25,.75\nz,.75,.5\n"
    assert read(f"{text}total,1.5,1.5\nmedian,.5,.5\n").scores.topics == ("x", "y", "z")


def test_nothing_but_means_is_no_comparison() -> None:
    assert "only means ('all')" in refusal(read, "run,topic,value\na,all,.5\nb,all,.25\n")


def test_a_name_that_is_nowhere_is_refused() -> None:
    for option in ("keep", "drop"):
        told = refusal(
            read, table("task", TOPICS, SYSTEMS, VALUES.T.tolist()), **{option: ["bm52"]}
        )
        assert f"{option}: no row or column 'bm52'; did you mean 'bm25'?" in told
    assert "cannot be both kept and dropped" in refusal(read, "a,b\n", keep=["a"], drop=["a"])


def test_what_is_dropped_is_gone() -> None:
    text = table("task", TOPICS, [*SYSTEMS, "c"], [[*row, 0.5] for row in VALUES.T.tolist()])
    check(read(text, drop=["c"]))
    assert read(text, drop=["FiQA"]).scores.topics == ("NQ", "SciFact")


# -- long tables --------------------------------------------------------------------------------------

LONG = [
    ("model_name", "task_name", "score"),
    ("name", "qid", "value"),
    ("system", "query_id", "value"),
    ("run", "topic", "score"),
    ("run_id", "query", "value"),
    ("Model", "q_id", "score"),
    ("System Name", "Topic ID", "Value"),
    ("retriever", "dataset", "ndcg"),
]


@pytest.mark.parametrize("names", LONG)
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_long_tables_by_names_in_any_order(names: Any, order: Any) -> None:
    lines = [names] + [(s, t, repr(v)) for s, row in zip(SYSTEMS, VALUES.tolist(), strict=True)
                       for t, v in zip(TOPICS, row, strict=True)]  # fmt: skip
    text = "".join(f"{','.join(line[i] for i in order)}\n" for line in lines)
    done = read(text)
    check(done)
    assert done.scores.measure == names[2]


def test_other_names_are_given() -> None:
    text = "wer,wo,was\na,x,.5\na,y,.25\nb,x,.125\nb,y,1\n"
    assert "are the systems in the rows or the columns?" in refusal(read, text)
    done = read(text, columns={"system": "wer", "topic": "wo", "value": "was"})
    check(done, ("a", "b"), ("x", "y"), [[0.5, 0.25], [0.125, 1]])
    assert "no column 'weer'; did you mean 'wer'?" in refusal(
        read, text, columns={"system": "weer"}
    )
    assert "unknown role 'sistem'; did you mean 'system'?" in refusal(
        read, text, columns={"sistem": "x"}
    )


MEASURED = "run,measure,topic,value\n" + "".join(
    f"{s},{m},{t},{v}\n" for m, add in (("AP", 0), ("RR", 0.5)) for s, a in (("a", 0.25), ("b", 0.125))
    for t, v in (("1", a + add), ("2", a))
)  # fmt: skip


def test_one_of_several_measures_is_chosen() -> None:
    assert "the column 'measure' holds 2 measures: AP, RR; choose one with -m" in refusal(
        read, MEASURED
    )
    done = read(MEASURED, measure="RR")
    check(done, ("a", "b"), ("1", "2"), [[0.75, 0.25], [0.625, 0.125]])
    assert done.scores.measure == "RR"
    assert "no measure 'AR'; known: AP, RR" in refusal(read, MEASURED, measure="AR")
    wide = "topic,metric,a,b\n1,AP,.5,.25\n1,RR,1,1\n2,AP,.125,1\n2,RR,0,1\n"
    check(read(wide, measure="AP"), ("a", "b"), ("1", "2"), [[0.5, 0.125], [0.25, 1]])
    assert "holds 2 measures" in refusal(read, wide)


def test_a_measure_may_be_a_column() -> None:
    text = "run,topic,AP,RR\na,1,.5,1\na,2,.25,0\nb,1,.125,1\nb,2,1,1\n"
    assert "which column is the score? say one of: AP, RR (--value)" in refusal(read, text)
    assert read(text, measure="RR").scores.measure == "RR"
    assert read(text, value="AP").scores.measure == "AP"
    assert "-m names a measure" in refusal(read, text, value="AP", measure="RR")


@pytest.mark.parametrize("header", ["query_id,measure,value", "qid,metric,score"])
def test_scores_without_a_system_are_refused(header: str) -> None:
    told = refusal(read, f"{header}\n1,AP,.5\n2,AP,.25\n")
    assert "no column names the systems: say --column system=NAME" in told


def test_a_second_score_says_in_what_it_differs() -> None:
    told = refusal(read, "model,qid,score,seed\na,1,.5,1\na,1,.25,2\n")
    assert "line 3: system 'a' has a second score for topic '1'; the first is on line 2" in told
    assert told.endswith("they differ in score, seed")


def test_two_columns_that_name_systems_are_refused_where_they_differ() -> None:
    text = "retriever,model,NQ,FiQA\nbm25,none,.5,.25\nbm25,t5,.75,.5\ndpr,t5,1,1\n"
    assert "which column names the systems, 'retriever' or 'model'?" in refusal(read, text)
    assert "line 4: system 't5' stands twice" in refusal(read, text, columns={"system": "model"})
    assert read(text.replace("dpr,t5", "dpr,e5")).scores.systems == ("none", "t5", "e5")


def test_one_column_is_no_table() -> None:
    assert "one column: fields need commas" in refusal(read, "q1 0 d1 1\nq2 0 d1 1\n")


# -- cells --------------------------------------------------------------------------------------------

WORDS = [
    "",
    "NA",
    "N/A",
    "n/a",
    "nan",
    "NaN",
    "null",
    "NULL",
    "None",
    "none",
    "-",
    "--",
    "–",
    "—",
    " - ",
]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_words_for_a_missing_score(word: str, delimiter: str) -> None:
    text = f"task,a,b\nx,.5,.25\ny,.25,{word}\nz,.75,.5\n".replace(",", delimiter)
    assert "1 of 6 scores (1 system, 1 topic) missing: system 'b', topic 'y'" in refusal(read, text)
    assert read(text, missing="drop-topics").scores.topics == ("x", "z")
    assert read(text, missing="zero").scores.values[1].tolist() == [0.25, 0, 0.5]


@pytest.mark.parametrize(
    "cell", ["inf", "1e999", "0x1", "1_0", "１", "1.2.3", "--1", "x", "1 2", ".", "%"]
)
def test_what_is_no_number_is_refused_with_its_line(cell: str) -> None:
    told = refusal(read, f"task,a,b\nx,.5,.25\ny,.25,{cell}\n")
    assert f"line 3: score {cell!r} in column 3 is not a finite number" in told


def test_percent_signs_stand_on_all_scores_or_none() -> None:
    check(
        read("task,a,b\nx,50%,25%\ny,12.5%,100%\n"),
        ("a", "b"),
        ("x", "y"),
        [[0.5, 0.125], [0.25, 1]],
    )
    assert "topic 'x' has a percent sign" in refusal(read, "task,a,b\nx,50%,.25\ny,12.5%,1\n")


def test_a_minus_of_print_is_a_minus() -> None:
    assert read("task,a,b\nx,\u22120.5,.25\ny,1,1\n").scores.values[0, 0] == -0.5


# -- objects in objects -------------------------------------------------------------------------------


def test_objects_in_objects_do_not_say_which_are_the_systems() -> None:
    text = '{"bm25": {"q1": 0.5, "q2": 0.25}, "dpr": {"q1": 1, "q2": 0}}'
    told = refusal(read, text)
    assert "--systems rows takes the outer names (bm25, dpr) as systems" in told
    check(read(text, systems="rows"), SYSTEMS, ("q1", "q2"), [[0.5, 0.25], [1, 0]])
    check(read(text, systems="columns"), ("q1", "q2"), SYSTEMS, [[0.5, 1], [0.25, 0]])
