"""Files that cells read: found by name, known by content, read once a process."""

import hashlib
import json
import os
import pickle
from pathlib import Path

import pytest
from runs import finish
from study_files import put

from ndcgstudy import inputs
from ndcgstudy.runner.cells import answer
from ndcgstudy.study import load_study

READING = """
import os
from pathlib import Path
import numpy as np
from ndcgstudy.inputs import loader
from ndcgstudy.study import Study

@loader
def matrix(path):
    with open(Path(__file__).parent / "reads.txt", "a") as file:
        file.write(f"{os.getpid()}\\n")
    return np.load(path)

def cell(parameters, rng):
    scores = matrix("big/scores.npy")
    return [{"column": parameters["column"], "mean": scores[:, parameters["column"]].mean()}]

STUDY = Study("Means?", lambda scale: [{"column": c} for c in range(20)], cell,
              lambda rows: {"table": rows}, inputs=("big",))
"""


@pytest.fixture
def data(tmp_path, monkeypatch):
    import numpy as np

    folder = tmp_path / "data"
    (folder / "big").mkdir(parents=True)
    np.save(folder / "big" / "scores.npy", np.arange(200_000.0).reshape(-1, 20))
    monkeypatch.setenv("NDCGSTUDY_DATA", str(folder))
    return folder


def test_a_text_is_relative_to_the_folder_of_the_data_and_a_path_is_not(data):
    assert inputs.find("big/scores.npy") == data / "big" / "scores.npy"
    assert inputs.find(Path("x")) == Path("x")


def test_a_folder_stands_for_its_files_and_each_is_hashed(data):
    (data / "b.txt").write_text("b")
    found = inputs.hashes(["big", "b.txt"])
    assert list(found) == ["b.txt", "big/scores.npy"]
    assert found["b.txt"] == hashlib.sha256(b"b").hexdigest()


def test_a_missing_input_is_named_with_the_variable(data):
    with pytest.raises(ValueError, match=r"input none.gz: no such file: .*\(see NDCGSTUDY_DATA\)"):
        inputs.listed(["none.gz"])


def test_a_file_is_read_again_when_it_changed(data):
    (data / "b.txt").write_text("one")
    text = inputs.loader(Path.read_text)
    assert text("b.txt") == text("b.txt") == "one"
    (data / "b.txt").write_text("other")
    assert text("b.txt") == "other"


def test_each_worker_reads_a_file_once_and_no_cell_carries_it(tmp_path, data):
    put(tmp_path / "experiments", reading=READING)
    finish(tmp_path, "--workers", 2, "--quiet")
    reads = (tmp_path / "experiments" / "reads.txt").read_text().split()
    assert len(reads) == len(set(reads)) <= 2
    study = load_study(tmp_path / "experiments" / "reading.py")
    sent = pickle.dumps((answer, study, 0, {"column": 3}, "0" * 64))
    assert len(sent) < 500


def test_the_manifest_has_the_hash_of_every_input_and_output(tmp_path, data):
    put(tmp_path / "experiments", reading=READING)
    finish(tmp_path, "--workers", 1, "--quiet")
    folder = tmp_path / "results" / "reading"
    manifest = json.loads((folder / "manifest.json").read_text())
    content = (data / "big" / "scores.npy").read_bytes()
    assert manifest["inputs"] == {"big/scores.npy": hashlib.sha256(content).hexdigest()}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert set(manifest["files"]) == {"table.csv", "claims.csv"}


def test_cells_are_computed_anew_when_an_input_changes(tmp_path, data):
    put(tmp_path / "experiments", reading=READING)
    finish(tmp_path, "--workers", 1, "--quiet")
    path = data / "big" / "scores.npy"
    path.write_bytes(path.read_bytes()[:-8] + b"\0" * 8)
    said = finish(tmp_path, "--workers", 1)
    assert said.startswith("ndcgstudy: reading begins, 0 of 20 cells done\n")


def test_a_study_without_its_data_is_refused_by_name_and_left_out_else(tmp_path, data):
    put(tmp_path / "experiments", reading=READING, plain=READING.replace('"big",', ""))
    os.rename(data / "big", data / "moved")
    said = finish(tmp_path, "reading", code=2)
    assert said == (
        f"ndcgstudy: study reading: input big: no such file: {data}/big (see NDCGSTUDY_DATA)\n"
    )
    first, *_ = finish(tmp_path, "--dry-run").splitlines()
    assert first.startswith("ndcgstudy: study reading is left out: input big: no such file")
