"""`ndcgstudy check`: its output, its exit codes, and what it says of real runs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from shared_data import Collection

from ndcgstudy.check import Validator
from ndcgstudy.cli import main
from ndcgstudy.cli.check import KEYS, SHOWN

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\nq2 0 d4 0\n"
RUN = "q1 Q0 d1 1 3.0 s\nq1 Q0 d9 2 2.0 s\nq2 Q0 d4 1 1.5 s\n"


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["check", *arguments])
    return (int(stop.value.code or 0), *capsys.readouterr())


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with clean files, one with warnings and one with errors."""
    monkeypatch.chdir(tmp_path)
    texts = {
        "qrels": QRELS,
        "clean": RUN,
        "odd": RUN.replace("2.0", "3"),
        "bad": RUN + "q1 Q0 d1 9 0 s\nq1 Q0 d5\n",
        "many": RUN + "q1 Q0 d1 9 0 s\n" * 25,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "code", "closing"),
    [
        (["qrels"], 0, "0 errors, 0 warnings in 1 file"),
        (["qrels", "clean"], 0, "0 errors, 0 warnings in 2 files"),
        (["qrels", "odd"], 0, "0 errors, 1 warning in 2 files"),
        (["qrels", "odd", "--strict"], 1, "0 errors, 1 warning in 2 files"),
        (["qrels", "clean", "--strict"], 0, "0 errors, 0 warnings in 2 files"),
        (["qrels", "odd", "bad"], 1, "2 errors, 1 warning in 3 files"),
    ],
)
def test_exit_code_and_closing_line(
    arguments: list[str], code: int, closing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    got, out, err = called(capsys, *arguments)
    assert (got, out.splitlines()[-1], err) == (code, closing, "")


@pytest.mark.usefixtures("files")
def test_a_line_says_file_line_column_and_both_lines(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "qrels", "bad")
    assert out.splitlines()[:2] == [
        "bad:4:7: error: duplicate document d1 for topic q1 in the run: 'q1 Q0 d1 9 0 s'; "
        "line 1: 'q1 Q0 d1 1 3.0 s' [duplicate]",
        "bad:5:1: error: expected 6 fields, found 3 (query, passage, rank of MS MARCO make 3; "
        "other columns need a header that names them): 'q1 Q0 d5' [fields]",
    ]


@pytest.mark.usefixtures("files")
def test_json_has_a_record_a_problem_with_all_keys(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "qrels", "bad", "odd", "--format", "json")
    records = json.loads(out)
    assert code == 1
    assert [tuple(r) for r in records] == [KEYS] * 3
    assert records[0] == {
        "file": "bad",
        "severity": "error",
        "rule": "duplicate",
        "message": "duplicate document d1 for topic q1 in the run",
        "line": 4,
        "column": 7,
        "text": "q1 Q0 d1 9 0 s",
        "other_file": "",
        "other_line": 1,
        "other_text": "q1 Q0 d1 1 3.0 s",
    }
    assert json.loads(called(capsys, "qrels", "clean", "--format", "json")[1]) == []


@pytest.mark.usefixtures("files")
def test_the_table_shows_the_first_of_many_and_json_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = called(capsys, "qrels", "many")
    lines = [line for line in out.splitlines() if "duplicate" in line]
    assert len(lines) == SHOWN + 1
    assert lines[-1] == "many: and 5 more [duplicate]"
    records = json.loads(called(capsys, "qrels", "many", "--format", "json")[1])
    assert sum(r["rule"] == "duplicate" for r in records) == 25


@pytest.mark.usefixtures("files")
def test_files_that_cannot_be_read_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    Path("binary").write_bytes(b"q1 Q0 \x01\n")
    code, out, err = called(capsys, "qrels", "nowhere", "bad", ".", "binary")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "ndcgstudy: nowhere: No such file or directory",
        "ndcgstudy: .: Is a directory",
        "ndcgstudy: binary: line 1: not text (byte 0x01)",
    ]
    assert len(called(capsys, "nowhere", "bad", "nothing")[2].splitlines()) == 2


@pytest.mark.usefixtures("files")
def test_bad_arguments_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = called(capsys, "-", "-", "--format", "jsn", "--grades", "it")
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "ndcgstudy: unknown format 'jsn'; did you mean 'json'? known: json, table",
        "ndcgstudy: unknown grades 'it'; did you mean 'int'? known: float, int",
        "ndcgstudy: standard input (-) can be read once only",
    ]


def test_standard_input_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(QRELS)
    command = [sys.executable, "-m", "ndcgstudy", "check", str(path), "-"]
    done = subprocess.run(command, input=RUN + "q1\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("<stdin>:4:1: error: expected 6 fields, found 1: 'q1' [fields]")


# -- real files ---------------------------------------------------------------------------------------


def rules(validator: Validator, paths: list[Path]) -> dict[str, int]:
    """Return how many of some runs break each rule."""
    found = [{f.rule for f in validator.run(path).findings if len(f.lines)} for path in paths]
    return {rule: sum(rule in each for each in found) for rule in sorted(set().union(*found))}


def test_what_the_runs_of_trec_covid_break(covid: Collection) -> None:
    validator = Validator(covid.qrels_path)
    assert list(validator.qrels().problems()) == []
    expected = {"rank": 3, "reversed": 9, "tie": 89, "tie-32bit": 4}
    assert rules(validator, covid.run_paths) == expected


def test_what_the_runs_of_deep_learning_break(deep_learning: Collection) -> None:
    validator = Validator(deep_learning.qrels_path)
    assert list(validator.qrels().problems()) == []
    assert rules(validator, deep_learning.run_paths) == {"rank": 1, "tie": 52, "tie-32bit": 9}
