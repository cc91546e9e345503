"""`ndcgstudy holes` and `ndcgstudy flip`: records, words, figures, and what they refuse."""

import csv
import io
import json

import numpy as np
import pytest

from ndcgstudy import read_qrels, read_run
from ndcgstudy.cli import main
from ndcgstudy.cli.flip import DOCUMENTS
from ndcgstudy.holes import flip_budget, flip_share, gap_bounds, lay_out, survey
from ndcgstudy.holes.survey import COLUMNS
from ndcgstudy.seeding import rng_for

QRELS = "q1 0 a 2\nq1 0 b 1\nq2 0 a 1\n"
LATER = QRELS + "q1 0 x 2\nq2 0 y 1\n"
RUNS = {
    "one": "q1 Q0 a 1 3 one\nq1 Q0 b 2 2 one\nq2 Q0 a 1 3 one\n",
    "two": "q1 Q0 x 1 3 two\nq1 Q0 a 2 2 two\nq2 Q0 y 1 3 two\nq2 Q0 a 2 1 two\n",
    "three": "q1 Q0 c 1 3 three\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Judgments, later judgments and three runs in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "later").write_text(LATER)
    for name, text in RUNS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def call(folder, capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([*words])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


HOLES = ("holes", "qrels", "one", "two", "three", "--k", "3")
FLIP = ("flip", "qrels", "one", "two", "--k", "3", "--draws", "200")


def records(text):
    return json.loads(text)


def test_json_has_the_records_of_the_survey(call):
    code, out, err = call(*HOLES, "--after", "later", "--format", "json")
    found = records(out)
    assert code == 0
    assert [tuple(record) for record in found] == [COLUMNS] * 3
    runs = [read_run(name) for name in RUNS]
    table = survey(read_qrels("qrels"), runs, "nDCG@3", after=read_qrels("later")).table()
    for name in COLUMNS:
        assert [record[name] for record in found] == table[name].tolist()
    assert "before and after: tau" in err
    assert "convention: gain linear" in err
    assert "in the run's own top 3" in err


def test_csv_holds_the_same_figures(call):
    _, text, _ = call(*HOLES, "--after", "later", "--format", "json")
    _, table, _ = call(*HOLES, "--after", "later", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [float(row["high"]) for row in rows] == [r["high"] for r in records(text)]


def test_holes_of_a_topic_that_a_run_lacks_do_not_count(call):
    _, out, err = call(*HOLES, "--format", "json")
    three = records(out)[2]
    assert three["hole"] == 1
    assert three["after"] is three["rank_after"] is None
    assert "1 of 2 topics missing from run three, counted as 0" in err


def test_per_topic(call):
    _, out, _ = call(*HOLES, "--per-topic", "--format", "json")
    found = records(out)
    assert [(r["run"], r["topic"]) for r in found][:3] == [
        ("one", "q1"),
        ("one", "q2"),
        ("two", "q1"),
    ]
    assert found[-1]["hole"] is None  # no document, no holes
    assert found[-1]["low"] == found[-1]["high"] == 0


@pytest.mark.parametrize(("form", "sign"), [("table", ""), ("markdown", "- "), ("latex", "% ")])
def test_below_a_table_stands_what_the_bounds_mean(call, form, sign):
    code, out, _ = call(*HOLES, "--after", "later", "--format", form)
    assert code == 0
    assert f"\n{sign}low, high: grades 0 to 2 for the unjudged documents in the run's own" in out
    assert f"\n{sign}before and after: tau" in out


def test_without_later_judgments_a_table_has_no_empty_columns(call):
    _, out, _ = call(*HOLES)
    assert out.splitlines()[0].split() == ["run", "k", "hole", "score", "low", "high", "rank"]


def test_options_reach_the_bounds(call):
    def high(*words):
        return records(call(*HOLES, *words, "--format", "json")[1])[1]["high"]

    assert high() != high("--max-grade", "1")
    assert high("-m", "P") == pytest.approx(2 / 3)
    low, lowest = (
        records(call(*HOLES, "--stake", stake, "--format", "json")[1])[0]["low"]
        for stake in ("own", "all")
    )
    assert lowest < low


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_figure_is_written(call, folder, kind):
    code, _, _ = call(*HOLES, "--after", "later", "--figure", f"ranks.{kind}")
    assert code == 0
    head = {"png": b"\x89PNG", "svg": b"<?xml"}[kind]
    assert (folder / f"ranks.{kind}").read_bytes().startswith(head)


def test_later_judgments_that_differ_are_told(call, folder):
    (folder / "later").write_text("q1 0 a 1\nq2 0 a 1\n")
    _, _, err = call(*HOLES, "--after", "later")
    assert "1 judgement missing from the later ones" in err
    assert "1 judgement of another grade in the later ones" in err


def test_flip_has_the_figures_of_the_library(call):
    code, out, err = call(*FLIP, "--format", "json")
    (found,) = records(out)
    tops = lay_out(read_qrels("qrels"), [read_run("one"), read_run("two")], "nDCG@3")
    bounds, flip = gap_bounds(tops), flip_budget(tops, "one", "two")
    assert code == 0
    assert (found["gap"], found["low"], found["high"]) == tuple(
        float(x[0, 1]) for x in (bounds.value, bounds.low, bounds.high)
    )
    assert (found["verdict"], found["fewest"]) == ("fragile", flip.fewest)
    share = flip_share(tops, "one", "two", draws=200, rng=rng_for(0, "flip", "uniform"))
    assert (found["share_uniform"], found["share_uniform_se"]) == (share.value, share.error)
    assert f"verdict: {flip}" in err


def test_flip_does_not_depend_on_which_run_is_named_first(call):
    (one,) = records(call(*FLIP, "--format", "json")[1])
    (two,) = records(call("flip", "qrels", "two", "one", *FLIP[4:], "--format", "json")[1])
    assert (one["gap"], one["low"], one["high"]) == (-two["gap"], -two["high"], -two["low"])
    assert one["fewest"] == two["fewest"]


@pytest.mark.parametrize(("form", "sign"), [("table", ""), ("markdown", "- "), ("latex", "% ")])
def test_flip_names_the_documents_below_a_table(call, form, sign):
    code, out, _ = call(*FLIP, "--format", form)
    assert code == 0
    assert f"\n{sign}verdict: one - two: gap" in out
    assert f"\n{sign}judge " in out


def test_flip_lists_the_documents_with_their_ranks(call):
    _, out, _ = call(*FLIP[:-2], "--documents", "--format", "json")
    found = records(out)
    assert [tuple(record) for record in found] == [DOCUMENTS] * len(found)
    assert all(record["rank_a"] is None and record["rank_b"] == 1 for record in found)
    _, out, _ = call("flip", "qrels", "two", "one", "--documents", "--format", "json")
    assert all(record["rank_a"] == 1 and record["rank_b"] is None for record in records(out))


@pytest.mark.parametrize(("form", "text"), [("json", "[]\n"), ("csv", ",".join(DOCUMENTS) + "\n")])
def test_a_safe_pair_has_no_documents(call, folder, form, text):
    (folder / "two").write_text("q1 Q0 b 1 3 two\n")
    code, out, err = call(*FLIP[:-2], "--documents", "--format", form)
    assert (code, out) == (0, text)
    assert ": safe" in err
    _, out, _ = call(*FLIP)
    assert ["fewest", "-"] in [line.split() for line in out.splitlines()]


def test_without_a_judged_document_there_are_no_rates(call, folder):
    (folder / "one").write_text("q1 Q0 x 1 3 one\n")
    (folder / "two").write_text("q1 Q0 y 1 3 two\n")
    code, out, err = call(*FLIP, "--format", "json")
    (found,) = records(out)
    assert code == 0
    assert found["verdict"] == "tied"
    assert found["share_rates"] is None
    assert "no document in the tops is judged" in err


def test_the_seed_decides_alone(call, covid):
    words = ("flip", str(covid.qrels_path), *map(str, covid.run_paths[20:22]), "--draws", "300")
    first, again, other = (
        records(call(*words, "--seed", seed, "--format", "json")[1])[0] for seed in ("1", "1", "2")
    )
    assert first == again
    assert first["gap"] == other["gap"]
    assert np.isfinite(first["share_rates"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*HOLES, "--format", "yaml"), "unknown format 'yaml'"),
        ((*HOLES, "--stake", "al"), "unknown stake 'al'; did you mean 'all'"),
        ((*HOLES, "--ties", "average"), "bounds need ties trec or input or error, got average"),
        ((*HOLES, "--ties", "x"), "unknown ties 'x'"),
        ((*HOLES, "--duplicates", "last"), "unknown duplicates 'last'"),
        ((*HOLES, "--grades", "real"), "unknown grades 'real'"),
        ((*HOLES, "--max-grade", "0"), "`max-grade` must be a whole number at least 1, got 0"),
        ((*HOLES, "--max-grade", "x"), "`max-grade` must be a whole number at least 1, got 'x'"),
        ((*HOLES, "-m", "AP"), "bounds are known for DCG, P, R, RBP, nDCG; not for AP@3"),
        ((*HOLES, "-m", "nDCG@5"), "k is 3, but nDCG@5 has a cutoff of its own"),
        ((*HOLES, "-m", "nDGC"), "did you mean 'nDCG'"),
        ((*HOLES, "--figure", "a.png"), "give --after QRELS too"),
        (
            (*HOLES, "--after", "later", "--figure", "a.jpg"),
            "the name must end with one of .pdf, .png, .svg",
        ),
        ((*HOLES, "--after", "later", "--figure", "no/a.png"), "no/a.png: there is no folder no"),
        ((*HOLES, "--after", "nothing"), "nothing: No such file"),
        (("holes", "qrels", "one", "--k", "0"), "`k` must be a whole number at least 1, got 0"),
        (("holes", "qrels", "one", "nothing"), "nothing: No such file"),
        (("holes", "nothing", "one"), "nothing: No such file"),
        (("holes", "qrels", "one", "one"), "two runs are named 'one'"),
        (("holes", "qrels"), "Missing argument"),
        ((*FLIP, "--draws", "0"), "`draws` must be a whole number at least 1"),
        ((*FLIP, "--seed", "-1"), "`seed` must be a whole number at least 0"),
        ((*FLIP, "--format", "yaml"), "unknown format 'yaml'"),
        (("flip", "qrels", "one", "one"), "two runs are named 'one'"),
        (("flip", "qrels", "one"), "Missing argument"),
    ],
)
def test_bad_input_is_told(call, words, message):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_all_mistakes_are_reported_together(call):
    code, _, err = call(
        *("holes", "nothing", "none", "one", "--k", "x", "--format", "yaml", "--stake", "s"),
        *("--ties", "t", "--duplicates", "d", "--grades", "g", "--max-grade", "m"),
    )
    assert code == 2
    assert len(err.splitlines()) == 9


def test_a_line_of_the_file_is_named(call, folder):
    (folder / "one").write_text("q1 Q0 a 1 3 one\nq1 Q0 a 2 2 one\n")
    code, _, err = call(*HOLES)
    assert code == 2
    assert "one:2" in err or "line 2" in err


def test_topics_that_the_later_judgments_lack_are_named(call, folder):
    (folder / "later").write_text("q1 0 a 2\n")
    code, _, err = call(*HOLES, "--after", "later")
    assert code == 2
    assert "later: no judgments for topic 'q2'" in err
