"""`ndcgstudy discount`: the card in three forms, its data and its figure, and what it refuses."""

import csv
import io
import json
import time

import numpy as np
import pytest

from ndcgstudy.cli import main

USER = """
import numpy as np
def half(ranks):
    return 0.5 ** np.log10(ranks)
def rises(ranks):
    return np.where(np.asarray(ranks) < 7, 1.0, 2.0)
def negative(ranks):
    return 5.0 - np.asarray(ranks, dtype=float)
def blank(ranks):
    return np.where(np.asarray(ranks) == 3, np.nan, 1.0)
def of_others(ranks):
    return np.ones(np.shape(ranks)) / np.size(ranks)
def pages(ranks):
    return 1 / np.ceil(np.asarray(ranks) / 10)
def raises(ranks):
    raise RuntimeError("no weights today")
"""
KEYS = ["discount", "section", "name", "at", "of", "value", "low", "high", "note"]
FEW = ("--replicates", "4", "--resamples", "99")


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["discount", *map(str, words)])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(USER)
    return path


@pytest.fixture
def folder(tmp_path):
    """A folder with judgments, four runs of rising quality, and answers on pairs of lists."""
    rng = np.random.default_rng(1)
    data = tmp_path / "data"
    (data / "runs").mkdir(parents=True)
    grades = rng.integers(0, 3, (8, 20))
    lines = [f"q{t} 0 d{d} {grades[t, d]}" for t in range(8) for d in range(20)]
    (data / "small.qrels").write_text("\n".join(lines) + "\n")
    for skill in range(4):
        seen = grades * skill / 2 + rng.normal(0, 1, grades.shape)
        rows = [f"q{t} Q0 d{d} 1 {seen[t, d]} r{skill}" for t in range(8) for d in range(20)]
        (data / "runs" / f"r{skill}.run").write_text("\n".join(rows) + "\n")
    (data / "answers.jsonl").write_text(answers(rng, graded=True))
    return data


def answers(rng, graded):
    """Return answers on lists of five, the one of more relevant documents mostly preferred."""
    records = []
    for i in range(120):
        docs = [rng.permutation(20)[:5] for _ in "AB"]
        grades = rng.integers(0, 3, (2, 5))
        better = grades[0].sum() + rng.normal(0, 3) > grades[1].sum()
        record = {"query": f"q{i % 8}", "pref": "A" if better else "B"}
        for side, own, worth in zip("AB", docs, grades, strict=True):
            record[f"{side}_docs"] = (
                [f"d{d}" for d in own] if not graded else [f"{side}{i}-{d}" for d in own]
            )
            if graded:
                record[f"{side}_grades"] = worth.tolist()
        records.append(json.dumps(record))
    return "\n".join(records) + "\n"


def sources(out):
    return {r["section"]: r["note"] for r in json.loads(out) if r["name"] == "source"}


def test_the_error_of_sums_that_are_estimated_is_shown(call, mine):
    code, _, err = call(f"{mine}:pages", *FEW, "--format", "json")
    assert code == 0
    assert f"discount {mine}:pages: its sums are added up by blocks, each within about" in err


def test_json_has_tidy_records_of_all_sections_on_a_fresh_machine(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NDCGSTUDY_DATA", str(tmp_path / "none"))
    code, out, err = call("power(beta=2)", *FEW, "--format", "json")
    records = json.loads(out)
    assert (code, err) == (0, "")
    assert all(list(record) == KEYS for record in records)
    assert {r["discount"] for r in records} == {"power(beta=2)"}
    assert list(sources(out)) == ["weights", "separation", "board", "people"]
    verdicts = [r["note"] for r in records if r["name"] == "verdict"]
    assert verdicts[0].startswith("power(beta=2): stops separating")
    assert "SYNTHETIC" in sources(out)["board"]
    assert "no evidence for a measure" in sources(out)["people"]


def test_csv_holds_the_same_figures(call):
    _, text, _ = call("zipf", *FEW, "--format", "json")
    _, table, _ = call("zipf", *FEW, "--format", "csv")
    rows, records = list(csv.DictReader(io.StringIO(table))), json.loads(text)
    assert list(rows[0]) == KEYS
    both = [
        (float(a["value"]), b["value"]) for a, b in zip(rows, records, strict=True) if a["value"]
    ]
    assert len(both) > 50
    assert all(a == b for a, b in both)


def test_text_puts_log2_beside(call):
    code, out, err = call("log2", *FEW)
    assert (code, err) == (0, "")
    assert out.startswith("log2 beside log2; board nDCG@10 and pairs DCG@10, gain linear\n")
    assert "against log2" in out
    assert "the same as log2" in out
    assert "no pair changes its order" in out
    assert "cannot be told" not in out


def test_the_seed_decides_alone(call):
    first, again, other = (call("zipf", *FEW, "--seed", seed)[1] for seed in (1, 1, 2))
    assert first == again != other


def test_a_users_file_and_its_figure(call, mine, tmp_path):
    figure = tmp_path / "card.svg"
    code, out, _ = call(f"{mine}:half", *FEW, "--figure", figure)
    assert code == 0
    assert "half" in out.splitlines()[0] + out.splitlines()[1]
    assert figure.read_text().lstrip().startswith("<?xml")


def test_a_function_that_loops_is_that_of_its_weights(call, tmp_path):
    path = tmp_path / "loop.py"
    path.write_text("import math\ndef f(ranks): return [1 / math.log2(r + 1) for r in ranks]\n")
    code, out, err = call(f"{path}:f", *FEW)
    assert (code, err) == (0, "")
    assert "the same as log2 at n = 1e3" in out


@pytest.mark.slow
def test_the_default_takes_less_than_a_minute(call):
    begun = time.process_time()
    assert call("power(beta=0.5)")[0] == 0
    assert time.process_time() - begun < 60


def test_a_folder_of_data_takes_the_place_of_the_synthetic_ones(call, folder):
    code, out, _ = call("zipf", *FEW, "--data", folder, "--cutoff", "5", "--format", "json")
    assert code == 0
    assert "SYNTHETIC" not in out
    found = sources(out)
    assert "4 systems, 6 pairs, 8 topics" in found["board"]
    assert str(folder / "small.qrels") in found["board"]
    assert "120 answers on 8 queries" in found["people"]
    assert "DCG@5" in found["people"]


def test_what_is_missing_is_synthetic(call, folder):
    (folder / "answers.jsonl").unlink()
    _, out, _ = call("zipf", *FEW, "--data", folder, "--format", "json")
    found = sources(out)
    assert "SYNTHETIC" not in found["board"]
    assert "SYNTHETIC" in found["people"]
    (folder / "small.qrels").rename(folder / "small.txt")
    words = ("--runs", folder / "runs", "--qrels", folder / "small.txt")
    _, same, _ = call("zipf", *FEW, *words, "--format", "json")
    assert [r["value"] for r in json.loads(same)] == [r["value"] for r in json.loads(out)]


def test_lists_without_grades_are_graded_by_the_judgments(call, folder):
    path = folder / "bare.jsonl"
    path.write_text(answers(np.random.default_rng(2), graded=False))
    words = ("--data", folder, "--pairs", path)
    code, out, err = call("zipf", *FEW, *words, "--format", "json")
    assert code == 0, err
    assert str(path) in sources(out)["people"]
    code, _, err = call("zipf", *FEW, "--pairs", path)
    assert (code, "no list has grades" in err) == (2, True)


def test_answers_on_runs(call, folder):
    rows = [f"q{t},r{a},r{b},{'AB'[b > a]}" for t in range(8) for a in range(4) for b in range(a)]
    path = folder / "preferences.csv"
    path.write_text("\n".join(["topic,run_a,run_b,preference", *rows]) + "\n")
    (folder / "answers.jsonl").unlink()
    code, out, err = call("zipf", *FEW, "--data", folder, "--format", "json")
    assert code == 0, err
    assert "48 answers on 8 queries" in sources(out)["people"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pover",), "did you mean 'power'"),
        (("power(beta=-1)",), "`beta` must be a number at least 0, got -1"),
        (("zipf", "--gain", "lineer"), "did you mean 'linear'"),
        (("zipf", "--cutoff", "0"), "`cutoff` must be a whole number at least 1, got 0"),
        (("zipf", "--cutoff", "x"), "must be a whole number, got 'x'"),
        (("zipf", "--replicates", "1"), "`replicates` must be a whole number at least 2, got 1"),
        (("zipf", "--resamples", "9"), "`resamples` must be a whole number at least 39, got 9"),
        (("zipf", "--seed", "-1"), "must be a whole number at least 0"),
        (("zipf", "--format", "table"), "unknown format 'table'"),
        (("zipf", "--figure", "x.gif"), "must end with one of"),
        (("zipf", "--data", "no/where"), "--data no/where: there is no such folder"),
        (("zipf", "--qrels", "no.where"), "--qrels no.where: there is no such file"),
        (("zipf", "--pairs", "no.where"), "--pairs no.where: there is no such file"),
        (("zipf", "--runs", "no/where"), "--runs no/where: there is no such folder"),
    ],
)
def test_bad_input_is_told_in_one_line(call, words, message):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rises", "must never rise, but from rank 6 to 7"),
        ("negative", "must be at least 0, got -1.0 at rank 6"),
        ("blank", "must be finite, got nan at rank 3"),
        ("of_others", "must depend on the rank alone"),
        ("raises", "fails on an array of ranks: no weights today"),
        ("nothing", "has no 'nothing'"),
    ],
)
def test_a_function_that_is_no_discount_is_refused_by_name(call, mine, name, message):
    code, out, err = call(f"{mine}:{name}")
    assert (code, out) == (2, "")
    assert f"mine.py:{name}" in err
    assert message in err
    assert len(err.splitlines()) == 1


def test_folders_that_lack_something_are_refused(call, folder, tmp_path):
    empty = tmp_path / "empty"
    (empty / "runs").mkdir(parents=True)
    assert "need judgments: give --qrels" in call("zipf", "--data", empty)[2]
    assert "holds no run" in call("zipf", "--data", empty, "--qrels", folder / "small.qrels")[2]
    assert "need runs: give --runs" in call("zipf", "--qrels", folder / "small.qrels")[2]
    (empty / "runs").rmdir()
    assert "holds neither judgments" in call("zipf", "--data", empty)[2]
    (folder / "other.qrels").write_text("q1 0 d1 1\n")
    code, _, err = call("zipf", "--data", folder)
    assert code == 2
    assert "several files of qrels (other.qrels, small.qrels): name one by --qrels" in err
    assert call("zipf", *FEW, "--data", folder, "--qrels", folder / "small.qrels")[0] == 0


def test_a_broken_file_is_told_with_its_line(call, folder):
    (folder / "runs" / "r9.run").write_text("q1 Q0 d1\n")
    code, out, err = call("zipf", *FEW, "--data", folder)
    assert (code, out) == (2, "")
    assert "r9.run" in err
    assert "Traceback" not in err


def test_all_mistakes_are_reported_together(call):
    code, _, err = call("nope", "--gain", "none", "--cutoff", "0", "--format", "?", "--data", "no")
    assert code == 2
    assert len(err.splitlines()) == 5
