"""The wheel works in an empty environment: command line, library, types."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def call(*command: str | Path, cwd: Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*map(str, command)], check=False, cwd=cwd, capture_output=True, text=True
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", out, cwd=ROOT)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def empty(tmp_path_factory, wheel) -> Path:
    """The bin folder of an environment that holds the wheel and what it asks for, no more."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    install = (python, "-m", "pip", "install", "--quiet")
    if "lowest" in sys.prefix:
        call(*install, "--constraint", ROOT / "constraints-lowest.txt", wheel, cwd=folder)
    else:
        locked = ROOT / "requirements" / "core.txt"
        call(*install, "--no-deps", "--require-hashes", "--requirement", locked, cwd=folder)
        call(*install, "--no-deps", wheel, cwd=folder)
    return python.parent


def test_the_wheel_holds_the_package_with_its_types_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "ndcgstudy/py.typed" in names
    tops = {name.split("/")[0] for name in names}
    assert {top.split("-")[0] for top in tops} == {"ndcgstudy"}


def test_the_command_scores_a_run(empty, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "run").write_text("q1 Q0 d2 1 2.0 bm25\nq1 Q0 d1 2 1.0 bm25\n")
    done = call(
        empty / "ndcgstudy", "score", "qrels", "run", "-m", "RR", "--format", "csv", cwd=tmp_path
    )
    assert done.stdout == "run,measure,topic,value\nbm25,RR,all,0.5\n"


def test_the_library_scores_a_run(empty, tmp_path):
    code = (
        "import ndcgstudy as n;"
        "r = n.score(n.read_qrels({'q': {'d': 1}}), n.read_run({'q': {'d': 1.0}}), 'nDCG@10');"
        "print(r.scores['nDCG@10'].mean())"
    )
    assert call(empty / "python", "-c", code, cwd=tmp_path).stdout == "[1.]\n"


def test_a_study_is_found_by_its_path_and_missing_ones_are_told(empty, tmp_path):
    none = call(empty / "ndcgstudy", "reproduce", cwd=tmp_path, code=2)
    assert "experiments" in none.stderr
    assert "Traceback" not in none.stderr
    study = ["reproduce", "worked_examples", "--experiments", ROOT / "experiments"]
    call(empty / "ndcgstudy", *study, "--out", tmp_path / "results", cwd=tmp_path)
    assert (tmp_path / "results" / "worked_examples" / "table.csv").is_file()
