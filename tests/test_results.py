"""Results are written whole or not at all, with the same bytes, and read back as they were."""

import json
import math
import os
import subprocess

import full_results
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy import read_results, results
from ndcgstudy.decision import Decision
from ndcgstudy.ledger import Claim, Ruling, Verdict
from ndcgstudy.provenance import commit, versions
from ndcgstudy.study import Study

CLAIMS = (Claim("A1", 'A "quoted" text, with a comma'), Claim("A2", "Zwei Größen\nauf zwei Zeilen"))
VERDICTS = [
    Verdict("A1", Ruling.HOLDS, "0.63 [0.57, 0.69]", "It is 0.63."),
    Verdict("A2", Ruling.CITED, "", "Not tested."),
]
TABLE = pd.DataFrame(
    {"name": ["07", "nan-like", "1e5"], "n": [1, 2, 3], "x": [1 / 3, math.nan, -1e-300]}
)


def study_of(**fields):
    return Study(
        "What?",
        lambda scale: [],
        print,
        print,
        name="sample",
        decisions=tuple(Decision(claim, lambda tables: []) for claim in CLAIMS),
        **fields,
    )


def files_of(table=TABLE, **more):
    files = {
        **results.tables_bytes({"table": table}),
        "claims.csv": results.claims_bytes(CLAIMS, VERDICTS),
        **more,
    }
    facts = {"seed": 3, "scale": "quick", "seconds": 1.5, "options": {"discount": []}}
    facts |= {"commit": None, "dirty": None, "computed": 60, "reused": 0}
    cells = [{"n": 1, "block": b} for b in range(60)]
    files["manifest.json"] = results.manifest_bytes(
        study_of(), cells, VERDICTS, {"table": table}, files, **facts
    )
    return files


# bytes


def test_a_table_has_these_bytes():
    table = pd.DataFrame(
        {"n": [1, 2], "x": [0.1 + 0.2, -0.0], "ok": [True, False], "s": ["a", "b"]}
    )
    assert results.table_bytes(table) == b"n,x,ok,s\n1,0.3,True,a\n2,0,False,b\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (1e22, "1e+22"),
        (2 / 3, "0.6666666667"),
        (np.float32(0.5), "0.5"),
        (12345678901, "12345678901"),
    ],
)
def test_numbers_are_written_to_ten_digits(value, text):
    table = pd.DataFrame({"x": pd.Series([value])})
    assert results.table_bytes(table).decode().splitlines()[1] == text


def test_last_bits_do_not_reach_the_file_but_the_tenth_digit_does():
    def written(x):
        return results.table_bytes(pd.DataFrame({"x": [x]}))

    assert written(0.3) == written(0.1 + 0.2)
    assert written(0.3) != written(0.3 + 1e-10)


@given(st.floats(-1e308, 1e308))  # beyond, ten digits may round to more than a double holds
def test_a_number_read_back_and_written_again_stays(x):
    once = results.table_bytes(pd.DataFrame({"x": [x]}))
    again = float(once.decode().splitlines()[1])
    assert results.table_bytes(pd.DataFrame({"x": [again]})) == once


# write and read


def test_what_is_written_is_read_back(tmp_path):
    results.write(tmp_path, files_of())
    found = read_results.read(tmp_path)
    pd.testing.assert_frame_equal(found.tables["table"], TABLE, check_dtype=False, rtol=1e-9)
    assert found.tables["table"]["name"].tolist() == ["07", "nan-like", "1e5"]
    assert found.claims == list(zip(CLAIMS, VERDICTS, strict=True))
    assert (found.manifest["seed"], found.manifest["question"]) == (3, "What?")


def test_only_the_files_are_left_in_the_folder(tmp_path):
    files = files_of(**{"curve.png": b"png"})
    results.write(tmp_path / "deep" / "er", files)
    assert sorted(path.name for path in (tmp_path / "deep" / "er").iterdir()) == sorted(files)


def test_a_file_that_no_longer_belongs_goes_and_a_stranger_stays(tmp_path):
    results.write(tmp_path, files_of(**{"old.png": b"png"}))
    (tmp_path / "notes.txt").write_text("mine")
    results.write(tmp_path, files_of())
    assert not (tmp_path / "old.png").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_write_that_ends_early_leaves_the_earlier_results(tmp_path, monkeypatch):
    results.write(tmp_path, files_of())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    calls = []

    def full_disk(handle):
        calls.append(handle)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        results.write(tmp_path, files_of(TABLE.assign(n=9)))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_broken_manifest_does_not_stop_the_next_write(tmp_path):
    (tmp_path / "manifest.json").write_text("{")
    results.write(tmp_path, files_of())
    assert read_results.read(tmp_path).manifest["study"] == "sample"


# manifest and provenance


def test_the_manifest_says_what_was_asked_with_what_and_how_it_came_out():
    manifest = json.loads(files_of()["manifest.json"])
    assert manifest["claims"] == {"A1": "holds", "A2": "cited only"}
    assert manifest["cells"] == 60
    assert manifest["parameters"] == {"n": [1], "block": [0, 1, "...", 59]}
    assert {"python", "ndcgstudy", "numpy", "pandas"} <= set(manifest["versions"])
    assert set(manifest["files"]) == {"table.csv", "claims.csv"}


def test_versions_are_those_of_what_the_package_requires():
    assert versions()["numpy"] == np.__version__
    assert "pytest" not in versions()


@pytest.fixture
def repository(tmp_path):
    def git(*arguments):
        subprocess.run(["git", "-C", tmp_path, *arguments], check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "code.py").write_text("a = 1\n")
    git("add", ".")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(*who, "commit", "-q", "-m", "one")
    return tmp_path


def test_the_commit_is_clean_whatever_lies_in_the_results(repository):
    (repository / "results").mkdir()
    (repository / "results" / "new.csv").touch()
    found = commit(repository, ignore=repository / "results")
    assert found["dirty"] is False
    assert len(found["commit"]) == 40


@pytest.mark.parametrize("name", ["code.py", "new.py"])
def test_a_changed_or_new_file_makes_the_tree_dirty(repository, name):
    (repository / name).write_text("a = 2\n")
    assert commit(repository, ignore=repository / "results")["dirty"] is True


def test_outside_a_repository_there_is_no_commit(tmp_path):
    found = commit(tmp_path, ignore=tmp_path / "results")
    assert found == {"commit": None, "dirty": None}


def test_texts_are_held_to_results_at_full_scale_only(tmp_path, monkeypatch):
    monkeypatch.setattr(full_results, "RESULTS", tmp_path)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "manifest.json").write_text('{"scale": "full"}')
    assert full_results.at_full_scale("one") == tmp_path
    (tmp_path / "one" / "manifest.json").write_text('{"scale": "quick"}')
    with pytest.raises(AssertionError, match="results/one is of scale quick"):
        full_results.at_full_scale("one")
