"""`ndcgstudy gaps`: records, what it says of them, figures, and what it refuses."""

import csv
import io
import json

import numpy as np
import pytest

from ndcgstudy.cli import main

KEYS = ["system_a", "system_b", "mean_a", "mean_b", "gap", "low", "high", "p", "separated"]


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["gaps", *map(str, words)])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture
def wide(tmp_path):
    """A board of five systems, 20 topics, each system .2 better than the next."""
    rng = np.random.default_rng(0)
    values = rng.random((20, 5)) / 2 + 0.2 * np.arange(5)
    lines = ["topic,a,b,c,d,e"] + [
        f"q{i}," + ",".join(map(repr, row)) for i, row in enumerate(values.tolist())
    ]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(lines))
    return path


def test_json_and_csv_are_pure_records_and_the_rest_goes_to_stderr(call, wide):
    code, out, err = call(wide, "--format", "json", "--resamples", 199)
    records = json.loads(out)
    assert code == 0
    assert [list(record) for record in records] == [KEYS] * 10
    assert "would the gaps hold on other topics like these?" in err
    assert "10 pairs, all pairs at once" in err
    code, out, _ = call(wide, "--format", "csv", "--resamples", 199)
    assert [row["system_a"] for row in csv.DictReader(io.StringIO(out))] == [
        r["system_a"] for r in records
    ]
    assert records[0]["system_a"] == "e"


def test_a_table_ends_with_how_it_was_made(call, wide):
    code, out, err = call(wide, "--family", "neighbours", "--resamples", 199)
    assert code == 0
    assert out.splitlines()[0].split() == KEYS
    assert "4 of 4 pairs separated" in out.splitlines()[-1]
    assert err == ""


def test_qrels_and_runs_are_scored_first(call, data_folder):
    folder = data_folder / "trec_covid_round1"
    runs = sorted((folder / "runs").iterdir())[:4]
    words = (folder / "round1.qrels.gz", *runs, "-m", "P@5", "--family", "each", "--format", "json")
    code, out, err = call(*words)
    assert code == 0
    assert len(json.loads(out)) == 6
    assert "P@5 on 30 topics" in err


def test_means_of_data_sets_ask_about_other_data_sets(call, data_folder):
    path = data_folder / "leaderboards" / "beir2021_table2_ndcg10.csv"
    code, out, _ = call(path, "--family", "each", "--method", "t")
    assert code == 0
    assert "other data sets like these, of which only means are known" in out
    assert "30 of 45 pairs separated" in out  # by t, as published figures give it


@pytest.mark.parametrize("family", ["all", "best", "neighbours"])
@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_a_figure_is_written(call, wide, tmp_path, family, ending):
    path = tmp_path / f"figure{ending}"
    code, _, _ = call(wide, "--family", family, "--figure", path, "--resamples", 99)
    assert code == 0
    assert path.stat().st_size > 2000
    assert sorted(p.name for p in tmp_path.iterdir()) == ["board.csv", path.name]


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (("--level", "1.2"), "`level` must be a number above 0 and below 1, got 1.2"),
        (("--resamples", "20"), "level 0.95 needs `resamples` of at least 39, got 20"),
        (("--family", "al"), "unknown family 'al'; did you mean 'all'?"),
        (("--method", "sign"), "unknown method 'sign'"),
        (("--method", "t"), "method 't' is not for family 'all'"),
        (("--design", "fixed"), "design 'fixed' needs scores with data sets"),
        (("--format", "xml"), "unknown format 'xml'"),
        (("--seed", "-1"), "'--seed': must be a whole number at least 0, got '-1'"),
        (("--figure", "gaps.gif"), "the name must end with one of .pdf, .png, .svg"),
        (("--figure", "no/such/x.png"), "there is no folder no/such"),
        (("--resamples", "many"), "'--resamples': must be a whole number, got 'many'"),
        (("--level", ".9x"), "'--level': must be a number, got '.9x'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(call, wide, words, rule):
    code, out, err = call(wide, *words)
    assert (code, out) == (2, "")
    assert rule in err
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


def test_several_measures_are_asked_for_one_at_a_time(call, data_folder):
    folder = data_folder / "trec_covid_round1"
    runs = sorted((folder / "runs").iterdir())[:2]
    code, _, err = call(folder / "round1.qrels.gz", *runs, "-m", "P@5", "-m", "AP")
    assert code == 2
    assert "`gaps` takes one measure at a time, got P@5, AP" in err


def test_a_name_twice_is_told_with_its_line(call, tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("system,topic,value\na,q1,0.5\nb,q1,0.5\na,q1,0.6\n")
    code, _, err = call(path)
    assert code == 2
    assert f"{path}: line 4" in err


def test_all_mistakes_are_told_together(call, tmp_path):
    code, _, err = call(tmp_path / "none.csv", "--format", "xml", "--figure", "x.gif")
    assert code == 2
    assert len(err.splitlines()) == 3
