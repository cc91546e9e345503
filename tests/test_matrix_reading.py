"""What a call compares: from runs, a matrix or MTEB's results, with all mistakes told at once."""

import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from ndcgstudy import score
from ndcgstudy.cli import matrix
from ndcgstudy.cli.app import Problems
from ndcgstudy.cli.matrix import scores_from
from ndcgstudy.collections import average
from ndcgstudy.formats import read_mteb, read_scores

QRELS = "q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 1\n"
RUN_A = "q1 Q0 d1 1 2 a\nq2 Q0 d2 1 2 a\nq3 Q0 x 1 2 a\n"
RUN_B = "q1 Q0 x 1 3 b\nq1 Q0 d1 2 2 b\nq3 Q0 d3 1 2 b\n"  # lacks q2
WIDE = "topic,a,b\nq1,0.5,0.25\nq2,0.5,1\n"
LONG = "system,topic,AP,RR\na,q1,0.5,1\na,q2,,0\nb,q1,0.25,0\nb,q2,1,1\n"
FLAT = "model,revision,task,split,ndcg_at_10,map\n" + "".join(
    f"{model},r,{task},test,{value},0.5\n"
    for model, value in (("m1", 0.5), ("m2", 0.25))
    for task in ("NQ", "FiQA2018")
)
FILES = {"q.qrels": QRELS, "a.run": RUN_A, "b.run": RUN_B, "wide.csv": WIDE, "long.csv": LONG}
RUNS = ("q.qrels", "a.run", "b.run")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A working folder with one file of each kind, and a folder of results."""
    for name, content in {**FILES, "flat.csv": FLAT}.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "table.csv").write_text(
        "collection,qrels,run\nx,q.qrels,a.run\nx,q.qrels,b.run\ny,q.qrels,a.run\n"
    )
    for model in ("m1", "m2"):
        for task in ("NQ", "FiQA2018"):
            path = tmp_path / "mteb" / model / "r" / f"{task}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = [{"hf_subset": "default", "main_score": 0.5, "map": 0.25}]
            path.write_text(json.dumps({"task_name": task, "scores": {"test": rows, "dev": rows}}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(*files, **how):
    problems = Problems()
    loaded = scores_from(problems, files, **how)
    assert problems.messages == []
    return loaded


def refused(*files, **how):
    problems = Problems()
    assert scores_from(problems, files, **how) is None
    assert problems.messages
    assert all("\n" not in message for message in problems.messages)
    return problems.messages


def test_two_files_or_more_are_judgments_and_runs():
    loaded = load(*RUNS, missing="zero")
    (scores,) = loaded.scores
    assert (scores.systems, scores.topics, scores.measure) == (
        ("a", "b"),
        ("q1", "q2", "q3"),
        "nDCG@10",
    )
    np.testing.assert_allclose(scores.values, [[1, 1, 0], [1 / np.log2(3), 0, 1]])
    assert "1 of 3 topics missing from run b, counted as 0" in loaded.notes
    assert "missing topics zero" in loaded.convention


def test_a_topic_that_a_run_lacks_is_a_missing_score():
    assert refused(*RUNS, measures=["AP RR"]) == [
        "1 of 6 scores (1 system, 1 topic) missing: system 'b', topic 'q2' "
        "(choose what they mean: missing zero, drop-topics or drop-systems)"
    ]
    loaded = load(*RUNS, missing="drop-topics", measures=["AP", "P@1"])
    assert [s.measure for s in loaded.scores] == ["AP", "P@1"]
    assert all(s.topics == ("q1", "q3") for s in loaded.scores)
    assert sum("topics dropped for all systems" in note for note in loaded.notes) == 1
    assert "two systems or more, found 1: 'a'" in refused(*RUNS, missing="drop-systems")[0]
    assert load(*RUNS, topics="q3,q1").scores[0].topics == ("q3", "q1")


def test_a_table_of_collections_gives_data_sets():
    loaded = load(collections="table.csv", missing="zero", measures=["P@1"])
    (scores,) = loaded.scores
    assert scores.datasets == ("x",) * 3 + ("y",) * 3
    np.testing.assert_allclose(average(scores), [2 / 3, 1 / 6])
    dropped = load(collections="table.csv", missing="drop-topics").scores[0]
    assert dropped.datasets == ("x", "x")
    assert "4 of 12 scores" in refused(collections="table.csv")[0]


def test_one_table_is_a_matrix_wide_or_long():
    assert load("wide.csv").scores[0].measure == "score"
    loaded = load("long.csv", values=["AP", "RR", "AP"], missing="zero", topics="q2,q1")
    assert [s.measure for s in loaded.scores] == ["AP", "RR"]
    assert [s.values.tolist() for s in loaded.scores] == [[[0, 0.5], [1, 0.25]], [[0, 1], [1, 0]]]
    assert len(loaded.notes) == 1
    assert loaded.notes[0].startswith("AP: 1 of 4 scores (1 system, 1 topic) missing, counted as 0")
    assert loaded.convention == "scores as given (csv, a score a line); missing zero"
    assert load("long.csv", values=["RR"]).notes == ()


def test_several_values_must_stand_on_the_same_topics(here):
    (here / "long.csv").write_text(LONG + "a,q3,1,1\nb,q3,1,1\n")
    told = refused("long.csv", values=["RR", "AP"], missing="drop-topics")
    assert told == ["RR and AP are not there for the same systems and topics"]


def test_a_column_may_be_the_data_set(here):
    (here / "m.csv").write_text("run,year,qid,v\na,1,q,1\nb,1,q,0\na,2,q,1\nb,2,q,0\n")
    scores = load("m.csv", dataset="year").scores[0]
    assert (scores.topics, scores.datasets) == (("q", "q"), ("1", "2"))


def test_a_folder_or_a_flattened_table_is_mteb():
    folder, table = load("mteb"), load("flat.csv")
    assert folder.scores[0].topics == ("FiQA2018", "NQ")
    assert table.scores[0].topics == ("NQ", "FiQA2018")
    assert folder.notes == table.notes == ("scores are means over split test",)
    several = load("mteb", values=["main_score", "map"], topics="NQ,FiQA2018", split="NQ=dev")
    assert [s.values[0, 0] for s in several.scores] == [0.5, 0.25]
    assert several.notes == ("scores are means over split test, but NQ dev",)


def test_topics_may_stand_in_a_file(here):
    (here / "tasks.txt").write_text("FiQA2018\nNQ\n")
    assert load("flat.csv", topics="tasks.txt").scores[0].topics == ("FiQA2018", "NQ")


@pytest.mark.parametrize(
    ("files", "how", "messages"),
    [
        ((), {}, ["give QRELS and RUNs, a table of scores, or MTEB's results"]),
        (("no.csv",), {}, ["no.csv: No such file or directory"]),
        (("no.csv",), {"missing": "nil"}, ["unknown missing 'nil'", "no.csv: No such file"]),
        (
            ("wide.csv",),
            {"measures": ["AP"]},
            ["wide.csv: line 1: a wide matrix has no column of measures"],
        ),
        (
            ("wide.csv",),
            {"split": "X=dev", "subset": "en"},
            ["--split does not go with a score table", "--subset does not go with a score table"],
        ),
        (("wide.csv",), {"values": ["AP"]}, ["wide.csv: line 1: a wide matrix has no column"]),
        (("wide.csv",), {"topics": "q7"}, ["wide.csv: no topic 'q7'"]),
        (("wide.csv",), {"topics": ","}, ["wide.csv: no topic is asked for"]),
        (("long.csv",), {}, ["which column is the score? say one of: AP, RR"]),
        (("long.csv",), {"values": ["AX", "RX"]}, ["no column 'AX'", "no column 'RX'"]),
        (("long.csv",), {"values": ["AP"]}, ["1 of 4 scores (1 system, 1 topic) missing"]),
        (("mteb",), {"measures": ["AP"]}, ["--measure does not go with MTEB's results"]),
        (("flat.csv",), {"dataset": "task"}, ["--dataset does not go with MTEB's results"]),
        (("mteb",), {"split": "NQ"}, ["`split` must be TASK=SPLIT,..., got 'NQ'"]),
        (("mteb",), {"split": "NQ=tset"}, ["no split 'tset' of NQ"]),
        (("mteb",), {"topics": "NG,FiQA2018"}, ["no results on task 'NG'"]),
        (("mteb",), {"topics": "NQ"}, ["two topics or more, found 1: 'NQ'"]),
        (RUNS, {"values": ["AP"]}, ["--value does not go with runs"]),
        (RUNS, {"measures": ["AQ", "RRR"]}, ["unknown measure 'AQ'", "unknown measure 'RRR'"]),
        (RUNS, {"missing": "nil"}, ["unknown missing 'nil'"]),
        (RUNS[:2], {}, ["a comparison takes two systems or more, found 1: 'a'"]),
        ((*RUNS, "c.run"), {"missing": "zero"}, ["c.run: No such file"]),
        (("mteb", "a.run"), {}, ["mteb: Is a directory"]),
        (RUNS, {"topics": "q1"}, ["two topics or more, found 1: 'q1'"]),
        (RUNS, {"collections": "table.csv"}, ["either QRELS and RUNs or --collections"]),
        ((), {"collections": "table.csv", "topics": "q1"}, ["--topics does not go with --coll"]),
        ((), {"collections": "no.csv"}, ["no.csv: No such file"]),
    ],
)
def test_every_mistake_has_its_line(files, how, messages):
    told = refused(*files, **how)
    assert len(told) == len(messages)
    for found, expected in zip(told, messages, strict=True):
        assert expected in found


def test_what_was_noted_before_does_not_hide_what_follows():
    problems = Problems()
    problems.messages.append("unknown format")
    assert scores_from(problems, ["long.csv"], values=["AP"]) is None
    assert [message[:14] for message in problems.messages] == ["unknown format", "long.csv: 1 of"]
    assert scores_from(problems, ["wide.csv"]) is not None


def test_the_options_make_a_command():
    app = typer.Typer()

    @app.command()
    def show(
        files: matrix.Files = None,
        measures: matrix.MeasureOption = None,
        values: matrix.ValueOption = None,
        missing: matrix.MissingOption = "error",
        topics: matrix.TopicsOption = "",
        dataset: matrix.DatasetOption = "",
        split: matrix.SplitOption = "",
        subset: matrix.SubsetOption = "",
        collections: matrix.CollectionsOption = "",
    ) -> None:
        problems = Problems()
        loaded = scores_from(
            problems,
            files,
            measures=measures,
            values=values,
            missing=missing,
            topics=topics,
            dataset=dataset,
            split=split,
            subset=subset,
            collections=collections,
        )
        problems.stop_if_any()
        typer.echo([(s.measure, s.topics) for s in loaded.scores])

    def call(*words):
        done = CliRunner().invoke(app, words)
        return done.exit_code, done.output.strip()

    assert call("wide.csv") == (0, "[('score', ('q1', 'q2'))]")
    assert call("flat.csv", "--tasks", "FiQA2018,NQ") == (
        0,
        "[('ndcg_at_10', ('FiQA2018', 'NQ'))]",
    )
    assert call(*RUNS, "-m", "AP", "-m", "P@1", "--missing", "drop-topics") == (
        0,
        "[('AP', ('q1', 'q3')), ('P@1', ('q1', 'q3'))]",
    )
    code, told = call(*RUNS, "--value", "AP")
    assert code == 2
    assert told.startswith("ndcgstudy: --value does not go with runs")


def test_real_runs_give_what_score_gives(covid):
    paths = [str(covid.qrels_path), *map(str, covid.run_paths[:3])]
    loaded = load(*paths, measures=["nDCG@10 AP"])
    result = score(covid.judgments, covid.runs[:3], ["nDCG@10", "AP"])
    for scores, expected in zip(loaded.scores, result.scores.values(), strict=True):
        np.testing.assert_array_equal(scores.values, expected.values)
        assert scores.topics == expected.topics


def test_real_tables_give_what_their_readers_give(data_folder):
    boards = data_folder / "leaderboards"
    tasks = "ArguAna,SCIDOCS,TRECCOVID"
    for name in ("mteb_results_sample", "mteb_retrieval.csv.gz"):
        path = boards / name
        loaded = load(str(path), topics=tasks, missing="drop-systems")
        direct = read_mteb(path, tasks=tasks.split(","), missing="drop-systems")
        np.testing.assert_array_equal(loaded.scores[0].values, direct.scores.values)
        assert loaded.notes == direct.notes
    path = boards / "beir2021_table2_ndcg10.csv"
    loaded = load(str(path))
    np.testing.assert_array_equal(loaded.scores[0].values, read_scores(path).scores.values)
