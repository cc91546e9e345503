"""Score matrices in CSV: what is read, which cells are missing, and what is refused."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from gaps import holed, refusal
from hypothesis import given

from ndcgstudy.formats import read_scores, write_scores
from ndcgstudy.missing import MISSING, complete


@pytest.fixture
def read(tmp_path):
    def reading(content, **how):
        (tmp_path / "m.csv").write_text(content)
        return read_scores(tmp_path / "m.csv", **how)

    return reading


WIDE = "topic,a,b\nq1,0.5,0.25\nq2,,1\nq3,0,0.5\n"
LONG = "system,topic,value\na,q1,0.5\na,q2,\na,q3,0\nb,q1,0.25\nb,q2,1\nb,q3,0.5\n"
LINE_ABSENT = LONG.replace("a,q2,\n", "")


@pytest.mark.parametrize("content", [WIDE, LONG])
def test_an_empty_cell_is_a_missing_score(read, content):
    assert "1 of 6 scores (1 system, 1 topic) missing: system 'a', topic 'q2'" in refusal(
        read, content
    )
    done = read(content, missing="zero")
    np.testing.assert_array_equal(done.scores.values, [[0.5, 0, 0], [0.25, 1, 0.5]])
    assert "counted as 0: system 'a', topic 'q2'" in done.notes[0]
    assert read(content, missing="drop-topics").scores.topics == ("q1", "q3")


def test_so_is_a_line_that_is_not_there(read):
    done = read(LINE_ABSENT, missing="zero")
    assert done.scores.topics == ("q1", "q3", "q2")
    np.testing.assert_array_equal(done.scores.values, [[0.5, 0, 0], [0.25, 0.5, 1]])
    assert read(LINE_ABSENT, topics=["q1", "q3"]).notes == ()


@pytest.mark.parametrize("word", ["inf", "-Infinity", "1e999", "x", "1,5", "1_000"])
@pytest.mark.parametrize("missing", MISSING)
def test_a_cell_that_holds_no_finite_number_is_never_missing(read, word, missing):
    message = refusal(read, f'topic,a,b\nq1,0.5,0.25\nq2,"{word}",1\n', missing=missing)
    assert re.search(rf"m\.csv: line 3: score '{word}' in column 2 is not a finite number", message)


@pytest.mark.parametrize(
    ("content", "how", "message"),
    [
        ("", {}, "is empty"),
        ("topic,a,b\n", {}, "has a header and no scores"),
        ("topic\nq1\n", {}, "names no system"),
        ("topic,a,a\nq1,1,1\n", {}, "system 'a' stands twice"),
        ("topic,a,b\nq1,1,1\nq1,1,1\n", {}, "topic 'q1' stands twice"),
        ("topic,a,\nq1,1,1\n", {}, "line 1: the system in column 3 has no name"),
        ("topic,a,b\nq1,1,1\n,1,1\n", {}, "line 3: the topic has no name"),
        ("topic,a,b\nq1,1\n", {}, "line 2: expected 3 fields, found 2"),
        (WIDE, {"value": "AP"}, "line 1: a wide matrix has no column of values"),
        (WIDE, {"dataset": "year"}, "no column 'year'"),
        (WIDE, {"topics": ["q4"]}, "no topic 'q4'; known: q1, q2, q3"),
        (LONG, {"value": "vale"}, "no column 'vale'; did you mean 'value'?"),
        ("system,topic,AP,RR\na,q1,1,1\n", {}, "which column is the score? say one of: AP, RR"),
        ("system,topic,value\n,q1,1\n", {}, "line 2: the system has no name"),
        ("system,topic,value\na,,1\n", {}, "line 2: the topic has no name"),
        (
            "system,topic,value\na,q,1\na,q,1\n",
            {},
            "second score for topic 'q'; the first is on line 2",
        ),
        (LONG, {"missing": "drop-systems"}, "two systems or more, found 1: 'b'"),
        (LONG, {"missing": "skip"}, "unknown missing 'skip'"),
    ],
)
def test_bad_files_in_one_line(read, content, how, message):
    told = refusal(read, content, **how)
    assert message in told
    assert "m.csv: " in told


def test_numbers_in_the_first_column_are_scores_unless_it_is_headed_as_topics(read):
    assert read("a,b\n,1\n0.5,0\n", missing="zero").scores.topics == ("1", "2")
    assert read("task,b,c\n7,1,1\n9,0,1\n").scores.topics == ("7", "9")
    assert "line 2: score 'inf' in column 1" in refusal(read, "a,b\ninf,1\n0.5,0\n")


def test_a_long_table_without_topics_holds_means(read):
    done = read("model,task,score\na,NQ,0.5\na,FiQA,0.25\nb,NQ,1\nb,FiQA,0\n").scores
    assert done.topics == ("NQ", "FiQA")
    assert done.datasets == done.topics
    np.testing.assert_array_equal(done.values, [[0.5, 0.25], [1, 0]])


def test_a_system_lacks_a_topic_in_one_data_set(read):
    lines = [
        "system,dataset,topic,value",
        "a,x,1,0.5",
        "a,y,1,0.5",
        "b,x,1,1",
        "b,x,2,1",
        "a,x,2,0",
    ]
    done = read("\n".join(lines), missing="drop-topics")
    assert done.scores.datasets == ("x", "x")
    assert done.notes[1] == "no topic is left of data set 'y'"
    assert "system 'b', topic '1' of 'y'" in refusal(read, "\n".join(lines))


@given(holed())
def test_what_is_written_reads_back(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("scores") / "m.csv"
    write_scores(scores, path)
    filled = complete(scores, "zero")
    back = read_scores(path, missing="zero")
    np.testing.assert_array_equal(back.scores.values, filled.scores.values)
    assert back.scores.systems == scores.systems
    assert back.scores.topics == scores.topics
    assert back.notes == filled.notes


def test_gzip_reads_as_plain(tmp_path):
    path = tmp_path / "m.csv.gz"
    path.write_bytes(gzip.compress(WIDE.encode()))
    assert read_scores(path, missing="zero").scores.systems == ("a", "b")


@pytest.mark.parametrize("name", ["robust2004_ndcg", "web2011_ndcg20", "web2013_rr"])
def test_real_matrices_are_whole(data_folder, name):
    path = data_folder / "topic_scores" / "urbano" / f"{name}.csv"
    done, frame = read_scores(path), pd.read_csv(path)
    note = "no column names the topics: one a line, numbered from 1; systems in columns"
    assert done.notes == (note,)
    assert done.scores.systems == tuple(frame.columns)
    np.testing.assert_array_equal(done.scores.values, frame.to_numpy(dtype=float).T)


def test_the_runs_of_three_years_share_no_topic(data_folder):
    path = data_folder / "topic_scores" / "trec_dl_2019_2021_passage.csv.gz"
    frame = pd.read_csv(path, dtype={"qid": str})
    missing = frame.run.nunique() * len(frame.drop_duplicates(["year", "qid"])) - len(frame)
    told = refusal(read_scores, path, value="map", dataset="year")
    assert f": {missing} of " in told
    assert len(told) < 700
    late = frame[frame.year == 2021].qid.unique()
    done = read_scores(path, value="map", dataset="year", topics=late, missing="drop-systems")
    assert set(done.scores.datasets) == {"2021"}
    assert set(done.scores.systems) == set(frame[frame.year == 2021].run)


@pytest.mark.parametrize("text", ["0.5,0.4\n0.6,0.2\n0.3,0.1\n", "0.5;1.0\n0.25;0.5\n"])
def test_scores_without_names_are_refused(text, tmp_path):
    """The first topic used to be taken for the names of two systems, 0.5 and 0.4."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(
        ValueError, match="line 1: the first line holds scores, no names of systems"
    ):
        read_scores(path)
