"""What no ordinary file does: it is refused in one line, soon, and within the memory of a laptop."""

import bz2
import gzip
import io
import lzma
import os
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from ndcgstudy import Scores, read_qrels, read_run
from ndcgstudy.cli import main
from ndcgstudy.formats.budget import FREE, LONGEST, VARIABLE
from ndcgstudy.formats.registry import read_table
from ndcgstudy.formats.textfile import read_text

GIB = 1 << 30
ZEROS = b"0" * 1_000_000


def limited(*words: object, cwd: Path, seconds: float = 20) -> tuple[int, str, float]:
    """Run the command in 1 GiB above what it maps at start; return code, stderr and seconds."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "ndcgstudy", *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 * GIB, 2 * GIB)),
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stderr, time.monotonic() - begun


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 2.0 a\nq1 Q0 d2 2 1.0 a\n")
    (tmp_path / "scores.csv").write_text("topic,a,b\nq1,.1,.2\nq2,.3,.1\nq3,.5,.4\n")
    return tmp_path


@pytest.fixture
def call(folder, monkeypatch, capsys):
    """Run the command in this process and a folder; return code and stderr."""
    monkeypatch.chdir(folder)

    def run(*words: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main([*map(str, words)])
        return int(end.value.code), capsys.readouterr().err

    return run


# -- what expands -------------------------------------------------------------------------------------


def bomb(kind: str, size: int) -> bytes:
    """Compress so many million zeros without holding them."""
    if kind == "gz":
        file = io.BytesIO()
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
            for _ in range(size):
                packed.write(ZEROS)
        return file.getvalue()
    if kind == "zst":
        frame = zstandard.ZstdCompressor().compressobj()
        return b"".join([*(frame.compress(ZEROS) for _ in range(size)), frame.flush()])
    new = bz2.BZ2Compressor() if kind == "bz2" else lzma.LZMACompressor(preset=0)
    return b"".join([*(new.compress(ZEROS) for _ in range(size)), new.flush()])


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_a_bomb_is_refused(folder, kind):
    (folder / "bomb").write_bytes(bomb(kind, 105))
    code, said, _ = limited("score", "qrels", "bomb", cwd=folder)
    assert code == 2
    assert said.startswith("ndcgstudy: bomb: ")
    assert "expand to more than" in said
    assert VARIABLE in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zst"])
def test_data_that_expand_a_lot_are_read_up_to_the_free_size(tmp_path, kind):
    (tmp_path / "file").write_bytes(bomb(kind, 20))
    assert read_text(tmp_path / "file").size == 20_000_001  # with its last newline


def test_the_limit_is_raised_by_a_variable(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(bomb("gz", FREE // 10**6 + 1))
    with pytest.raises(ValueError, match="100 times their size"):
        read_text(tmp_path / "file")
    monkeypatch.setenv(VARIABLE, "2000")
    assert read_text(tmp_path / "file").size == FREE + 10**6 + 1
    monkeypatch.setenv(VARIABLE, "a lot")
    with pytest.raises(ValueError, match=f"{VARIABLE} must be a number"):
        read_text(tmp_path / "file")


@pytest.mark.parametrize("inner", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("outer", [gzip.compress, bz2.compress, lzma.compress])
def test_data_packed_twice_are_refused(tmp_path, inner, outer):
    (tmp_path / "file").write_bytes(outer(inner(b"q1 0 d1 1\n")))
    with pytest.raises(ValueError, match="unpack it once first"):
        read_qrels(tmp_path / "file")


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress]
)
def test_parts_that_were_packed_one_by_one_are_read_one_after_another(tmp_path, pack):
    parts = [f"q{i} 0 d{i} 1\n".encode() * 1 for i in range(5)]
    (tmp_path / "file").write_bytes(b"".join(pack(part) for part in parts))
    assert read_qrels(tmp_path / "file").topics == ("q0", "q1", "q2", "q3", "q4")


def test_a_workbook_that_expands_without_measure_is_refused(folder):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", ZEROS * 105)
    (folder / "bomb.xlsx").write_bytes(file.getvalue())
    code, said, _ = limited("gaps", "bomb.xlsx", cwd=folder)
    assert (code, said.count("\n")) == (2, 1)
    assert "expand to more than" in said


def test_a_workbook_with_xml_entities_is_refused(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["topic", "a"])
    book.save(tmp_path / "good.xlsx")
    entity = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>'
    with (
        zipfile.ZipFile(tmp_path / "good.xlsx") as good,
        zipfile.ZipFile(tmp_path / "bad.xlsx", "w") as bad,
    ):
        for member in good.infolist():
            data = good.read(member)
            if member.filename.endswith("sheet1.xml"):
                data = entity + data.partition(b"?>")[2]
            bad.writestr(member.filename, data)
    with pytest.raises(ValueError, match=r"sheet1\.xml declares XML entities"):
        read_table(tmp_path / "bad.xlsx")


def test_parquet_that_repeats_one_value_without_measure_is_refused(tmp_path):
    many = pa.array(np.zeros(20_000_000))
    pq.write_table(pa.table({"a": many}), tmp_path / "file.parquet")
    assert (tmp_path / "file.parquet").stat().st_size < 10**6
    with pytest.raises(ValueError, match="expand to more than"):
        read_table(tmp_path / "file.parquet")


# -- what has no end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("score", "qrels"), ("gaps",)])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_no_file(folder, call, command, device):
    code, said = call(*command, device)
    assert (code, said) == (2, f"ndcgstudy: {device}: a device, not a file\n")


def test_a_pipe_without_lines_is_not_read_for_ever(folder):
    command = f"exec '{sys.executable}' -m ndcgstudy score qrels - < /dev/zero"
    shell = subprocess.run(
        ["sh", "-c", f"cat /dev/zero | ({command.replace(' < /dev/zero', '')})"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert shell.returncode == 2
    assert shell.stderr.startswith("ndcgstudy: <stdin>: no line ends in its first ")


# -- what is too large --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qrels", "q1 0 {} 1\n"),
        ("qrels", "{} 0 d1 1\n"),
        ("qrels", "q1 0 d1 {}\n"),
        ("run", "q1 Q0 {} 1 2.0 a\n"),
    ],
)
def test_a_field_of_megabytes_is_refused_with_its_line(folder, name, text):
    (folder / name).write_text("q1 0 d1 1\n" * (name == "qrels") + text.format("x" * 6_000_000))
    code, said, seconds = limited("score", "qrels", "run", cwd=folder)
    assert code == 2
    assert said.startswith(f"ndcgstudy: {name}: line {2 if name == 'qrels' else 1}: ")
    assert len(said) < 1000
    assert seconds < 10  # 2 s on a quiet machine; without the rule, minutes


def test_a_cell_of_megabytes_is_refused(folder, call):
    (folder / "scores.csv").write_text(f"topic,a,b\n{'x' * (LONGEST + 1)},.1,.2\n")
    code, said = call("gaps", "scores.csv")
    assert code == 2
    assert len(said) < 1000


@pytest.mark.parametrize("grade", ["1" + "0" * 400, "1e400", "9" * 30])
def test_a_grade_beyond_all_numbers_is_refused(folder, call, grade):
    (folder / "qrels").write_text(f"q1 0 d1 {grade}\n")
    code, said = call("score", "qrels", "run")
    assert code == 2
    assert said.startswith("ndcgstudy: qrels: line 1: grade ")
    assert len(said) < 700


@pytest.mark.parametrize("value", ["1e308", "-1e308", "1e101"])
@pytest.mark.parametrize("command", ["gaps", "ranks", "power", "plan"])
def test_a_score_whose_square_overflows_is_refused(folder, call, command, value):
    (folder / "scores.csv").write_text(f"topic,a,b\nq1,{value},.2\nq2,.3,.1\nq3,.5,.4\n")
    more = ("--gap", ".1") if command == "plan" else ()
    code, said = call(command, "scores.csv", *more)
    assert (code, said.count("\n")) == (2, 1)
    assert "within 1e+100 of 0" in said


def test_large_scores_are_refused_in_python_too():
    with pytest.raises(ValueError, match="system 'a', topic 'q2'"):
        Scores(np.array([[0.5, -2e100]]), ("a",), ("q1", "q2"), "score")


@pytest.mark.parametrize(
    "words",
    [
        ("gaps", "scores.csv", "--resamples"),
        ("ranks", "scores.csv", "--resamples"),
        ("power", "scores.csv", "--resamples"),
        ("plan", "scores.csv", "--gap", ".1", "--resamples"),
        ("flip", "qrels", "run", "other", "--draws"),
        ("separability", "--discount", "log2", "--n", "1000", "--replicates"),
        ("discount", "log2", "--replicates"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("count", [10**12, 10**20])
def test_counts_that_no_machine_holds_are_refused_soon(folder, call, words, count):
    (folder / "other").write_text("q1 Q0 d3 1 2.0 b\n")
    code, said = call(*words, count)
    assert code == 2, said
    assert "at most" in said
    assert said.count("\n") == 1


def test_running_out_of_memory_is_one_line(folder):
    code = (
        "import ndcgstudy.cli.commands\n"
        "from ndcgstudy.cli import app, main\n"
        "def hungry(): raise MemoryError\n"
        "app.app.command('hungry')(hungry)\n"
        "main(['hungry'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "ndcgstudy: not enough memory for this input\n")


def test_runs_are_read_as_before(folder):
    assert read_run(folder / "run").topics == ("q1",)
