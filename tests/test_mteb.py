"""MTEB's results: which of several results is taken, and what is no result."""

import csv
import gzip

import numpy as np
import pandas as pd
import pytest
from gaps import HASH, Folder, refusal, row, two_models
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.formats import read_mteb, read_scores

BEIR = (
    *("ArguAna", "ClimateFEVER", "CQADupstackRetrieval", "DBPedia", "FEVER", "FiQA2018"),
    *("HotpotQA", "MSMARCO", "NFCorpus", "NQ", "QuoraRetrieval", "SCIDOCS", "SciFact"),
    *("Touche2020", "TRECCOVID"),
)


@pytest.fixture
def folder(tmp_path):
    return two_models(tmp_path / "mteb")


def test_models_are_systems_and_tasks_topics(folder):
    done = folder.read()
    assert done.scores.systems == ("m1", "m2")
    assert done.scores.topics == ("FiQA2018", "NQ")
    assert done.scores.measure == "main_score"
    assert done.scores.datasets == done.scores.topics
    np.testing.assert_array_equal(done.scores.values, [[0.25, 0.5], [0.125, 0.25]])
    assert done.notes == ("scores are means over split test",)


def test_the_folder_may_hold_a_folder_results(folder, tmp_path):
    folder.root.rename(tmp_path / "results")
    (tmp_path / "paths.json").write_text("[]")
    assert read_mteb(tmp_path).scores.systems == ("m1", "m2")


def test_what_describes_a_model_is_no_result(folder):
    (folder.root / "m1" / HASH / "model_meta.json").write_text("{}")
    (folder.root / "m1" / HASH / "notes.txt").write_text("not JSON")
    assert folder.read().scores.topics == ("FiQA2018", "NQ")


def test_tasks_are_chosen_in_their_order_and_only_their_files_read(folder):
    folder.put("m1", "Broken").write_text("{")
    assert folder.read(tasks=["NQ", "FiQA2018"]).scores.topics == ("NQ", "FiQA2018")
    assert "no results on task 'FiQA'; did you mean 'FiQA2018'?" in refusal(
        folder.read, tasks=["FiQA"]
    )
    assert "no task is asked for" in refusal(folder.read, tasks=[])


# Splits


def test_the_test_split_is_taken_and_dev_of_msmarco(folder):
    for model in ("m1", "m2"):
        folder.put(model, "MSMARCO", test=0.9, dev=0.4, train=0.8)
        folder.put(model, "NQ", test=0.5, dev=0.1)
        folder.put(model, "NanoNQRetrieval", train=0.7)
    done = folder.read()
    assert done.scores.topics == ("FiQA2018", "MSMARCO", "NQ", "NanoNQRetrieval")
    np.testing.assert_array_equal(done.scores.values[0, 1:], [0.4, 0.5, 0.7])
    note = "scores are means over split test, but MSMARCO dev, NanoNQRetrieval train"
    assert done.notes == (note,)


def test_a_model_without_the_split_of_the_others_has_no_score(folder):
    folder.put("m2", "NQ", train=0.99)
    assert "1 of 4 scores (1 system, 1 topic) missing: system 'm2', topic 'NQ'" in refusal(
        folder.read
    )
    assert folder.scores(missing="zero")["m2"] == [0.125, 0.0]


def test_a_split_may_be_named_and_must_be_where_none_is_meant(folder):
    for model in ("m1", "m2"):
        folder.put(model, "MSMARCO", test=0.9, dev=0.4)
        folder.put(model, "X", train=0.7, dev=0.6)
    assert "X has no split test: say which of dev, train" in refusal(folder.read)
    named = folder.scores(tasks=["MSMARCO", "X"], splits={"MSMARCO": "test", "X": "train"})
    assert named["m1"] == [0.9, 0.7]
    assert "no split 'tset' of X; known: dev, train" in refusal(folder.read, splits={"X": "tset"})
    assert "split of no task: 'Y'" in refusal(folder.read, splits={"Y": "test"})


def test_msmarco_without_dev_follows_the_rule_of_the_others(folder):
    folder.put("m1", "MSMARCO", test=0.9)
    folder.put("m2", "MSMARCO", test=0.8)
    assert folder.scores(tasks=["MSMARCO", "NQ"])["m2"][0] == 0.8


# Revisions


@pytest.mark.parametrize("own", ["0.9", "0.1"])
def test_own_results_come_before_self_reported_ones_whatever_they_say(folder, own):
    folder.put("m1", "NQ", float(own), revision="b" * 40, version="0.0.1")
    folder.put("m1", "NQ", 0.6, revision="no_revision_available", version="9.9.9")
    folder.put("m1", "NQ", 0.7, revision="external", version=None)
    (folder.root / "m1" / HASH / "NQ.json").unlink()
    done = folder.read(tasks=["NQ", "FiQA2018"])
    assert done.scores.values[0, 0] == float(own)
    rule = "named ones before external, then the newest mteb_version"
    assert done.notes[1:] == (f"1 score had several revisions of the model; taken: {rule}",)


def test_a_self_reported_result_is_told(folder):
    folder.put("m3", "NQ", 0.7, revision="external", version=None)
    folder.put("m3", "FiQA2018", 0.7, revision="no_revision_available")
    assert folder.read().notes[1:] == ("1 of 6 scores self-reported (revision external)",)


@pytest.mark.parametrize(
    ("older", "newer"),
    [("1.9.3", "1.12.0"), ("1.12", "1.12.1"), ("2.0.0.dev1", "2.0.0"), ("", "0.0.1"), ("1", "2")],
)
def test_of_several_own_revisions_the_newest_mteb_counts(folder, older, newer):
    folder.put("m1", "NQ", 0.9, version=newer)
    folder.put("m1", "NQ", 0.1, revision="b" * 40, version=older)
    assert folder.scores(tasks=["NQ", "FiQA2018"])["m1"][0] == 0.9
    folder.put("m1", "NQ", 0.9, version=older)
    folder.put("m1", "NQ", 0.1, revision="b" * 40, version=newer)
    assert folder.scores(tasks=["NQ", "FiQA2018"])["m1"][0] == 0.1


@pytest.mark.parametrize("versions", [("1.2", "1.2.0"), ("", ""), ("x", "")])
def test_revisions_that_cannot_be_told_apart_are_refused_unless_they_agree(folder, versions):
    folder.put("m1", "NQ", 0.9, version=versions[0])
    folder.put("m1", "NQ", 0.1, revision="b" * 40, version=versions[1])
    told = refusal(folder.read)
    assert "model 'm1', task 'NQ': revisions" in told
    assert "differ and have the same mteb_version" in told
    folder.put("m1", "NQ", 0.9, revision="b" * 40, version=versions[1])
    assert folder.scores()["m1"][1] == 0.9


# Subsets


def test_subsets_are_averaged_and_none_may_be_left_out(folder):
    folder.put("m1", "X", test=[row(0.2, "en"), row(0.6, "de")])
    folder.put("m2", "X", test=[row(0.9, "en")])
    done = folder.read(missing="zero")
    assert done.scores.topics == ("FiQA2018", "NQ", "X")
    np.testing.assert_allclose(done.scores.values[:, 2], [0.4, 0.0])
    assert "means over subsets: X (2)" in done.notes
    assert "system 'm2', topic 'X'" in done.notes[-1]


def test_one_subset_may_be_named(folder):
    folder.put("m1", "X", test=[row(0.2, "en"), row(0.6, "de")])
    folder.put("m2", "X", test=[row(0.9, "en")])
    done = folder.read(subset="en")
    assert done.scores.values[:, 2].tolist() == [0.2, 0.9]
    assert "subset en of X" in done.notes
    assert "no subset 'eng' of X; did you mean 'en'? known: de, en" in refusal(
        folder.read, subset="eng"
    )
    assert "no subset 'en' of FiQA2018" in refusal(
        folder.read, subset="en", tasks=["NQ", "FiQA2018"]
    )


@given(st.permutations(["ar", "bn", "en", "fi"]))
def test_the_order_of_subsets_does_not_change_a_digit(tmp_path_factory, order):
    made = Folder(tmp_path_factory.mktemp("mteb"))
    values = {"ar": 0.1, "bn": 0.7, "en": 0.3, "fi": 0.33}
    made.put("m", "X", test=[row(values[name], name) for name in order])
    assert made.scores()["m"] == [np.mean([values[name] for name in sorted(values)])]


# Metrics


def test_another_metric_may_be_asked_for(folder):
    for model in ("m1", "m2"):
        folder.put(model, "NQ", test=[row(0.5, ndcg_at_3=0.4)])
    done = folder.read(value="ndcg_at_3", tasks=["NQ"])
    assert (done.scores.measure, done.scores.values.tolist()) == ("ndcg_at_3", [[0.4], [0.4]])
    told = refusal(folder.read, value="ndcg_at_3")
    assert "2 of 4 scores (2 systems, 1 topic) missing: system 'm1', topic 'FiQA2018'" in told
    assert "no result has a score 'ndcg_at_9'" in refusal(folder.read, value="ndcg_at_9")


# Real results


@pytest.fixture(scope="module")
def boards(data_folder):
    return data_folder / "leaderboards"


def frame_of(boards):
    """The scores of the 15 tasks by plain pandas, own results before external ones."""
    frame = pd.read_csv(boards / "mteb_retrieval.csv.gz")
    split = frame.task.map(lambda task: "dev" if task == "MSMARCO" else "test")
    frame = frame[frame.task.isin(BEIR) & (frame.split == split)]
    frame = frame.sort_values("revision", key=lambda names: names == "external", kind="stable")
    return frame.drop_duplicates(["model", "task"]).pivot(
        index="model", columns="task", values="ndcg_at_10"
    )


def test_187_models_have_all_15_tasks_of_beir(boards):
    done = read_mteb(boards / "mteb_retrieval.csv.gz", tasks=BEIR, missing="drop-systems")
    assert done.scores.values.shape == (187, 15)
    whole = frame_of(boards).dropna()
    assert set(done.scores.systems) == set(whole.index)
    expected = whole.loc[list(done.scores.systems), list(BEIR)]
    np.testing.assert_array_equal(done.scores.values, expected.to_numpy())
    assert "scores are means over split test, but MSMARCO dev" in done.notes
    assert "115 of 302 systems dropped" in done.notes[-1]


def test_without_self_reported_results_there_are_fewer(boards, tmp_path):
    with gzip.open(boards / "mteb_retrieval.csv.gz", "rt") as file:
        rows = [row for row in csv.reader(file) if row[1] != "external"]
    with (tmp_path / "own.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    done = read_mteb(tmp_path / "own.csv", tasks=BEIR, missing="drop-systems")
    assert len(done.scores.systems) < 187
    assert not [note for note in done.notes if "self-reported" in note]


def test_the_whole_leaderboard_has_gaps_that_are_counted(boards):
    path = boards / "mteb_retrieval.csv.gz"
    gaps = int(frame_of(boards).isna().to_numpy().sum())
    assert f"{gaps} of {302 * 15} scores" in refusal(read_mteb, path, tasks=BEIR)
    filled = read_mteb(path, tasks=BEIR, missing="zero").scores
    expected = frame_of(boards).fillna(0.0).loc[list(filled.systems), list(BEIR)]
    np.testing.assert_array_equal(filled.values, expected.to_numpy())
    assert "found 0; 15 of 15 topics dropped" in refusal(
        read_mteb, path, tasks=BEIR, missing="drop-topics"
    )


def test_published_files_hold_what_the_flattened_table_holds(boards):
    files = read_mteb(boards / "mteb_results_sample")
    assert files.scores.values.shape == (6, 8)
    assert "16 of 48 scores self-reported (revision external)" in files.notes
    table = read_mteb(
        boards / "mteb_retrieval.csv.gz", tasks=files.scores.topics, missing="zero"
    ).scores
    rows = [table.systems.index(system) for system in files.scores.systems]
    np.testing.assert_allclose(  # the table rounds to 15 digits
        files.scores.values, table.values[rows], rtol=0, atol=1e-15
    )


def test_the_table_of_beir_is_a_matrix_of_means(boards):
    done = read_scores(boards / "beir2021_table2_ndcg10.csv")
    assert done.scores.values.shape == (10, 19)
    assert done.scores.topics[:2] == ("MSMARCO", "TREC-COVID")
    assert done.notes == ()
