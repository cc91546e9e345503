"""MTEB's files and their flattened table: what is no result, and which of it is told."""

import json

import numpy as np
import pytest
from gaps import HASH, Folder, refusal, row, two_models
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.formats import read_mteb


@pytest.fixture
def folder(tmp_path):
    return two_models(tmp_path / "mteb")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: not JSON: Expecting value"),
        ('{\n"scores": {,}}', "line 2: not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not an MTEB result: the file holds [], no object"),
        ("{}", "not an MTEB result: the file has no task_name"),
        ('{"task_name": 3}', "the file has task_name 3"),
        ('{"task_name": "NQ"}', "not an MTEB result: the file has no scores"),
        ('{"task_name": "NQ", "scores": {}}', "the file has scores {}"),
        (
            '{"task_name": "QN", "scores": {"test": []}}',
            "task_name is 'QN', which is not the file's",
        ),
        ('{"task_name": "NQ", "scores": {"test": []}}', "split 'test' must be a list of scores"),
        ('{"task_name": "NQ", "scores": {"test": 0.5}}', "must be a list of scores, got 0.5"),
        ('{"task_name": "NQ", "scores": {"test": [0.5]}}', "split test holds 0.5, no object"),
        ('{"task_name": "NQ", "scores": {"test": [{}]}}', "split test has no hf_subset"),
    ],
)
def test_a_file_that_is_no_result_is_named(folder, content, message):
    path = folder.put("m1", "NQ")
    path.write_text(content)
    told = refusal(folder.read)
    assert told.startswith(f"{path}: ")
    assert message in told


@pytest.mark.parametrize("score", ["0.5", True, float("inf"), -0.1, 50.1, [1]])
def test_a_score_that_is_none_is_named(folder, score):
    path = folder.put("m1", "NQ", score)
    told = refusal(folder.read)
    assert told == f"{path}: main_score must be a number in 0..1, got {score!r}"


@pytest.mark.parametrize("score", [None, float("nan")])
def test_a_score_that_is_null_is_missing(folder, score):
    folder.put("m1", "NQ", score)
    told = refusal(folder.read)
    assert "1 of 4 scores (1 system, 1 topic) missing: system 'm1', topic 'NQ'" in told
    assert "m1 has no main_score on NQ: it is null" in told
    done = folder.read(missing="zero")
    np.testing.assert_array_equal(done.scores.values[0], [0.25, 0.0])
    assert "m1 has no main_score on NQ: it is null" in done.notes


def test_a_score_that_is_not_there_is_named(folder):
    path = folder.put("m1", "NQ", test=[{"hf_subset": "default", "ndcg_at_10": 0.5}])
    assert refusal(folder.read) == f"{path}: split test has no main_score"


def test_a_subset_stands_once(folder):
    path = folder.put("m1", "NQ", test=[row(0.5), row(0.6)])
    assert refusal(folder.read) == f"{path}: split test has subset 'default' twice"


def test_a_folder_without_results_is_named(tmp_path):
    rule = "no MTEB results: expected MODEL/REVISION/TASK.json"
    assert refusal(read_mteb, tmp_path) == f"{tmp_path}: {rule}"
    (tmp_path / "NQ.json").write_text("{}")
    assert refusal(read_mteb, tmp_path) == f"{tmp_path}: {rule}"
    with pytest.raises(FileNotFoundError):
        read_mteb(tmp_path / "nowhere")


# The flattened CSV

HEADER = "model,revision,task,split,mteb_version,ndcg_at_10,ndcg_at_20\n"
ROWS = f"m1,{HASH},NQ,test,1.2.0,0.5,\nm1,external,NQ,test,,0.75,0.8\nm2,{HASH},NQ,test,1,0,0.1\n"


@pytest.fixture
def flat(tmp_path):
    def reading(content, **how):
        (tmp_path / "flat.csv").write_text(content)
        return read_mteb(tmp_path / "flat.csv", **how)

    return reading


def test_the_table_follows_the_rules_of_the_folder(flat):
    done = flat(HEADER + ROWS)
    assert done.scores.measure == "ndcg_at_10"
    assert done.scores.values.tolist() == [[0.5], [0.0]]
    assert "1 score had several revisions" in done.notes[1]
    assert flat(HEADER + ROWS, value="ndcg_at_20").scores.values.tolist() == [[0.8], [0.1]]
    main = flat((HEADER + ROWS).replace("ndcg_at_20", "main_score"))
    assert main.scores.measure == "main_score"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (f"m1,{HASH},NQ,test,1,inf,\n", "line 2: score 'inf' in column 6 is not a finite number"),
        (f"m1,{HASH},NQ,test,1,50.1,\n", "line 2: ndcg_at_10 must be in 0..1, got 50.1"),
        (f",{HASH},NQ,test,1,0.5,\n", "line 2: the model has no name"),
        (f"m1,{HASH},NQ,,1,0.5,\n", "line 2: the split has no name"),
        (
            "m1,x,NQ,test,1,0.5,\n" * 2,
            "line 3: a second score of m1, x, NQ, test; the first is on line 2",
        ),
        ("m1,x,NQ,test\n", "line 2: expected 7 fields, found 4"),
        ("m1,x,NQ,test,1,,\n", "no result has a score 'ndcg_at_10'"),
        ("", "no result has a score 'ndcg_at_10'"),
    ],
)
def test_what_is_wrong_in_the_table_is_named(flat, rows, message):
    told = refusal(flat, HEADER + rows)
    assert "flat.csv: " in told
    assert message in told


def test_columns_that_are_not_there_are_named(flat):
    assert "no column 'map'" in refusal(flat, HEADER + ROWS, value="map")
    assert "the table is empty" in refusal(flat, "")
    lacks = "expected the columns model, revision, task, split"
    assert lacks in refusal(flat, "model,task,split,ndcg_at_10\nm1,NQ,test,0.5\n")


# Whatever the files hold

WORDS = st.sampled_from(
    ["task_name", "NQ", "scores", "test", "hf_subset", "main_score", "a\nb", ""]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
SHAPED = st.fixed_dictionaries(
    {
        "task_name": st.just("NQ"),
        "scores": st.dictionaries(WORDS, JSON | st.lists(JSON), max_size=3),
    }
)
CELL = st.sampled_from(["m1", "m2", "r", "external", "test", "NQ", "0.5", "1", "", "nan", '"a\nb"'])
TABLE = st.lists(st.lists(CELL, min_size=7, max_size=7).map(",".join)).map("\n".join)


def reads_or_refuses(path):
    try:
        told, values = "", read_mteb(path, missing="zero").scores.values
    except ValueError as error:
        told, values = str(error), np.empty((0, 0))
    assert ((values >= 0) & (values <= 1)).all()
    assert bool(told) == (values.size == 0)
    assert "\n" not in told
    assert len(told) < 1000
    assert told.startswith(str(path)) or not told


@given(JSON | SHAPED)
def test_any_json_is_read_or_refused(tmp_path_factory, content):
    made = Folder(tmp_path_factory.mktemp("mteb"))
    made.put("m1", "NQ").write_text(json.dumps(content))
    reads_or_refuses(made.root)


@given(TABLE)
def test_any_table_is_read_or_refused(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("mteb") / "flat.csv"
    path.write_text(HEADER + rows)
    reads_or_refuses(path)
