"""`ndcgstudy power` and `ndcgstudy plan`: records, words, figures, and what they refuse."""

import csv
import io
import json

import numpy as np
import pytest

from ndcgstudy.cli import main


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture
def table(tmp_path):
    """A long CSV with a fine and a coarse measure of 8 systems on 40 topics."""
    rng = np.random.default_rng(0)
    fine = np.linspace(0.2, 0.6, 8)[:, None] + rng.normal(0, 0.2, (8, 40))
    coarse = fine + rng.normal(0, 0.8, fine.shape)
    path = tmp_path / "scores.csv"
    rows = ["system,topic,fine,coarse"]
    rows += [f"s{i},q{j},{fine[i, j]},{coarse[i, j]}" for i in range(8) for j in range(40)]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def collection(tmp_path):
    """Judgments and three runs, of which the second is the first with its ranks turned."""
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 3, (6, 10))
    qrels = tmp_path / "a.qrels"
    lines = [f"q{t} 0 d{d} {grades[t, d]}" for t in range(6) for d in range(10)]
    qrels.write_text("\n".join(lines) + "\n")
    paths = [qrels]
    for name in ("one", "two", "three"):
        order = {t: rng.permutation(10) for t in range(6)}
        lines = [f"q{t} Q0 d{d} {r} {-r} {name}" for t in order for r, d in enumerate(order[t], 1)]
        paths.append(tmp_path / f"{name}.run")
        paths[-1].write_text("\n".join(lines) + "\n")
    return paths


BOTH = ("--value", "fine", "--value", "coarse")


def test_power_compares_the_columns_of_a_long_table(call, table):
    code, out, err = call("power", table, *BOTH, "--format", "json")
    records = json.loads(out)
    assert code == 0
    assert [(r["measure"], r["pairs"], r["verdict"]) for r in records] == [
        ("fine", 28, "-"),
        ("coarse", 28, "separates fewer"),
    ]
    assert records[0]["difference"] is None
    low, high = records[1]["difference_low"], records[1]["difference_high"]
    assert low < records[1]["difference"] < high < 0
    assert "all at once at 0.95" in err
    assert "compare shares, not gaps" in err


def test_power_compares_measures_of_runs(call, collection):
    measures = ("-m", "nDCG@10", "-m", "nDCG(discount=zipf)@10", "-m", "AP")
    code, out, _ = call("power", *collection, *measures, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["measure"] for row in rows] == ["nDCG@10", "nDCG(discount=zipf)@10", "AP"]
    assert {row["pairs"] for row in rows} == {"3"}


def test_power_prints_a_table_with_its_convention_and_draws_the_curves(call, table, tmp_path):
    figure = tmp_path / "curves.svg"
    code, out, _ = call("power", table, *BOTH, "--method", "holm", "--figure", figure)
    assert code == 0
    assert "separates fewer" in out
    assert "28 pairs, 40 columns, design topics" in out
    assert "Holm" in out
    assert "coarse" in figure.read_text() or figure.stat().st_size > 5000


def test_the_seed_decides_the_resamples(call, table):
    one, two, other = (
        call("power", table, *BOTH, "--format", "csv", "--seed", seed)[1] for seed in (1, 1, 2)
    )
    assert one == two != other


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--method", "hoim"), "unknown method 'hoim'; did you mean 'holm'?"),
        (("--level", "1"), "`level` must be"),
        (("--resamples", "5"), "needs `resamples` of at least 39"),
        (("--design", "fixed"), "needs scores with data sets"),
        (("--figure", "x.gif"), "must end with one of .pdf, .png, .svg"),
        (("--format", "xml"), "unknown format 'xml'"),
        (("--value", "fin"), "fin"),
        (("-m", "AP"), "-m names a measure, and no column holds measures"),
    ],
)
def test_power_refuses_in_one_line(call, table, words, told):
    code, out, err = call("power", table, "--value", "fine", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_plan_says_topics_and_gaps(call, table):
    words = ("--value", "fine", "--gap", "0.1", "--topics-planned", "60")
    code, out, err = call("plan", table, *words, "--format", "json")
    records = json.loads(out)
    assert code == 0
    pairs = [record["pair"] for record in records]
    assert pairs == ["median pair", "90th percentile", "median neighbours"]
    for record in records:
        assert record["topics_low"] < record["topics_needed"] < record["topics_high"]
        assert record["gap_low"] < record["smallest_gap"] < record["gap_high"]
        assert record["topics_planned"] == 60
    assert "60 topics are expected to separate" in err
    assert "variance of a score: systems" in err


def test_plan_without_a_gap_leaves_the_topics_out(call, table):
    code, out, _ = call("plan", table, "--value", "fine", "--family", "all", "--resamples", "99")
    assert code == 0
    assert "shrunken max-t over all pairs" in out
    assert out.splitlines()[1].split()[5:9] == ["-", "-", "-", "-"]


def test_topics_without_end_are_null_in_json_which_has_no_infinity(call, table):
    words = ("plan", table, "--value", "fine", "--gap", "1e-9", "--resamples", "99", "--format")

    def refused(name):
        raise AssertionError(name)

    _, text, _ = call(*words, "json")
    assert [r["topics_needed"] for r in json.loads(text, parse_constant=refused)] == [None] * 3
    _, text, _ = call(*words, "csv")
    assert {row["topics_needed"] for row in csv.DictReader(io.StringIO(text))} == {"inf"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--value", "fine", "--gap", "0"), "`gap` must be a number above 0"),
        (
            ("--value", "fine", "--topics-planned", "1"),
            "`topics` must be a whole number at least 2",
        ),
        (("--value", "fine", "--power", "1"), "`power` must be"),
        (("--value", "fine", "--family", "best"), "unknown family 'best'"),
        (BOTH, "`plan` takes one measure at a time"),
    ],
)
def test_plan_refuses_in_one_line(call, table, words, told):
    code, out, err = call("plan", table, *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_plan_refuses_topics_inside_data_sets(call, tmp_path):
    path = tmp_path / "sets.csv"
    rows = [f"s{i},q{j},{'xy'[j % 2]},{(i * j) % 7}" for i in range(3) for j in range(8)]
    path.write_text("\n".join(["system,topic,set,score", *rows]) + "\n")
    code, _, err = call("plan", path, "--dataset", "set")
    assert code == 2
    assert "not for design 'fixed'" in err
    assert call("plan", path, "--dataset", "set", "--design", "topics")[0] == 0
