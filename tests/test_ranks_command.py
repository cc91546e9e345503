"""`ndcgstudy ranks`: records, tables, figures, and what it refuses."""

import csv
import io
import json

import numpy as np
import pytest

from ndcgstudy.cli import main
from ndcgstudy.data import Scores
from ndcgstudy.formats.matrix import write_scores
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.seeding import rng_for

KEYS = [
    *("system", "mean", "estimate", "low", "high"),
    *("rank", "rank_low", "rank_high", "tied_for_first", "group"),
]
FEW = ("--resamples", "199")


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["ranks", *words])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


def scores_of(systems, topics=20):
    values = rng_for(1).normal(np.linspace(0.8, 0.2, systems)[:, None], 0.1, (systems, topics))
    names = tuple(f"s{i}" for i in range(systems)), tuple(f"q{j}" for j in range(topics))
    return Scores(values, *names, "value")


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "scores.csv"
    write_scores(scores_of(5), path)
    return str(path)


@pytest.fixture
def two(tmp_path):
    """A matrix of two measures."""
    values = scores_of(4).values
    lines = [f"s{i},q{j},{values[i, j]},{values[i, j] ** 2}" for i in range(4) for j in range(20)]
    path = tmp_path / "two.csv"
    path.write_text("\n".join(["system,topic,AP,P@5", *lines]))
    return str(path)


def test_json_has_the_records_that_the_library_gives(call, matrix):
    code, out, err = call(matrix, *FEW, "--format", "json")
    records = json.loads(out)
    assert code == 0
    assert [list(record) for record in records] == [KEYS] * 5
    assert "5 systems may be first" in err
    assert "design topics" in err
    found = ranks(scores_of(5), resamples=199, rng=rng_for(0, "ranks"))
    assert [r["rank_high"] for r in records] == found.rank_high.tolist()
    assert [r["low"] for r in records] == found.low.tolist()
    assert [r["tied_for_first"] for r in records] == found.tied_for_first.tolist()


def test_csv_holds_the_same(call, matrix):
    _, text, _ = call(matrix, *FEW, "--format", "json")
    _, table, _ = call(matrix, *FEW, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    for row, record in zip(rows, json.loads(text), strict=True):
        assert {key: str(value) for key, value in record.items()} == row


@pytest.mark.parametrize(
    ("form", "sign"), [("table", "convention: "), ("markdown", "Convention: "), ("latex", "% con")]
)
def test_a_table_says_how_it_was_computed(call, matrix, form, sign):
    code, out, err = call(matrix, *FEW, "--format", form)
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith(sign)]
    for words in ("method shrunken", "level 0.95", "199 resamples", "scores as given"):
        assert words in line
    assert "systems may be first" in err


def test_long_runs_of_letters_are_short_in_a_table(call, tmp_path):
    """Each system is near its neighbours: many letters for those in the middle."""
    path = tmp_path / "many.csv"
    write_scores(scores_of(40), path)
    _, table, _ = call(str(path), *FEW)
    _, text, _ = call(str(path), *FEW, "--format", "json")
    long = {r["system"]: r["group"] for r in json.loads(text)}
    short = {line.split()[0]: line.split()[-1] for line in table.splitlines()[1:41]}
    assert "-" in short["s20"]
    assert len(short["s20"]) < len(long["s20"])


def test_the_options_reach_the_library(call, matrix):
    how = ("--level", "0.8", "--method", "max-t", "--family", "marginal", "--seed", "7")
    _, out, err = call(matrix, *FEW, *how, "--design", "topics", "--format", "json")
    found = ranks(scores_of(5), level=0.8, method="max-t", family="marginal", design="topics",
                  resamples=199, rng=rng_for(7, "ranks"))  # fmt: skip
    assert [r["rank_low"] for r in json.loads(out)] == found.rank_low.tolist()
    assert "method max-t" in err
    assert "marginal (each system's set by itself)" in err


def test_the_seed_decides_alone(call, tmp_path):
    path = tmp_path / "near.csv"
    write_scores(scores_of(30), path)
    first, again, other = (
        call(str(path), *FEW, "--seed", seed, "--format", "csv")[1] for seed in ("1", "1", "2")
    )
    assert first == again != other


def test_two_measures_have_their_ranks_and_the_agreement_of_their_orders(call, two):
    values = ("--value", "AP", "--value", "P@5")
    code, out, err = call(two, *values, *FEW, "--format", "json")
    records = json.loads(out)
    assert code == 0
    assert [r["measure"] for r in records] == ["AP"] * 4 + ["P@5"] * 4
    assert [list(r) for r in records] == [["measure", *KEYS]] * 8
    assert "AP and P@5: tau 1.0000 [" in err
    assert "tau_AP 1.0000 [" in err
    assert "AP, P@5, 20 columns" in err
    alone = json.loads(call(two, "--value", "P@5", *FEW, "--format", "json")[1])
    assert [{**r, "measure": "P@5"} for r in alone] == [
        {**r, "measure": "P@5"} for r in records[4:]
    ]


def test_runs_are_scored(call, data_folder):
    folder = data_folder / "trec_covid_round1"
    runs = sorted(map(str, (folder / "runs").iterdir()))[:3]
    code, out, _ = call(str(folder / "round1.qrels.gz"), *runs, *FEW, "--format", "json")
    assert (code, len(json.loads(out))) == (0, 3)


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_figure_is_written(call, matrix, tmp_path, ending):
    path = tmp_path / f"ranks.{ending}"
    code, *_ = call(matrix, *FEW, "--figure", str(path))
    assert code == 0
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert path.read_bytes().startswith(starts[ending])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--family", "simultanous"), "did you mean 'simultaneous'"),
        (("--method", "t"), "method 't' is not for family 'all'"),
        (("--method", "range", "--family", "marginal"), "method 'range' has no marginal ranks"),
        (("--level", "1"), "`level` must be"),
        (("--level", "high"), "Invalid value for '--level'"),
        (("--resamples", "9"), "needs `resamples` of at least 39, got 9"),
        (("--seed", "-1"), "'--seed': must be a whole number at least 0, got '-1'"),
        (("--design", "random"), "design 'random' needs scores with data sets"),
        (("--format", "yaml"), "unknown format 'yaml'"),
        (("--figure", "ranks.gif"), "the name must end with one of .pdf, .png, .svg"),
        (("--measure", "AP"), "no column 'AP'"),
    ],
)
def test_bad_input_is_told_in_a_line(call, matrix, words, message):
    code, out, err = call(matrix, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_no_file_and_two_measures_in_one_figure_are_refused(call, two, tmp_path):
    code, _, err = call()
    assert (code, len(err.splitlines())) == (2, 1)
    values = ("--value", "AP", "--value", "P@5")
    code, _, err = call(two, *values, "--figure", str(tmp_path / "x.png"))
    assert (code, err.strip()) == (2, "ndcgstudy: --figure draws one measure at a time")
