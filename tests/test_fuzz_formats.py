"""Every format of tables and every reader: damaged files are read or refused in one line."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from ndcgstudy import read_mteb, read_qrels, read_run
from ndcgstudy.formats.cells import Row, Table
from ndcgstudy.formats.matrix import read_scores
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.formats.registry import formats, read_table

COUNT = 300
HEADER = ("topic", "bm25", "dense")
ROWS = tuple(Row(i, (f"q{i}", 0.1 * i, 1 / i)) for i in range(1, 6))
BOARD = Table("board", "csv", HEADER, ROWS)
QRELS = Table(
    "qrels",
    "csv",
    ("query_id", "doc_id", "relevance"),
    (Row(1, ("q1", "d1", 1)), Row(2, ("q1", "d2", 0))),
)
RUN = Table(
    "run", "csv", ("qid", "docno", "score"), (Row(1, ("q1", "d1", 2.5)), Row(2, ("q1", "d2", 1.5)))
)
PAIRS = b'{"query": "q1", "a_grades": [1, 0], "b_grades": [0, 1], "pref": "A"}\n' * 3
MTEB = json.dumps(
    {"task_name": "X", "scores": {"test": [{"main_score": 0.5, "hf_subset": "default"}]}}
).encode()
PIECES = (
    *[bytes([byte]) for byte in b"\0\n\r,;\t|\"'{}[]:-\xff"],
    *[b"=1+1", b"null", b"NaN", b"1e999", b"9" * 50, b"[" * 2000, b'{"a":' * 500],
    *[b"\xc2\x85", b"\xed\xb3\xbf", b"topic", b"PK\x03\x04"],
)
PACK: tuple[Callable[[bytes], bytes], ...] = (
    bytes,
    gzip.compress,
    bz2.compress,
    lzma.compress,
    zstandard.ZstdCompressor().compress,
)


@st.composite
def damaged(draw: st.DrawFn, whole: tuple[bytes, ...]) -> bytes:
    """Draw a good file with bytes flipped, put in, taken out or cut off, before or after it is packed."""
    data = bytearray(draw(st.sampled_from(whole)))
    pack = draw(st.sampled_from(PACK))
    early = draw(st.booleans())
    data = data if early else bytearray(pack(bytes(data)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        change = draw(st.sampled_from(("flip", "put in", "take out", "cut off", "swap")))
        if change == "flip" and data:
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "put in":
            data[at:at] = draw(st.sampled_from(PIECES))
        elif change == "take out":
            del data[at : at + draw(st.integers(1, 12))]
        elif change == "swap":
            data[at:] = data[at:][::-1]
        else:
            del data[at:]
    return pack(bytes(data)) if early else bytes(data)


def repacked(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return a workbook whose members went through a function: damage inside a sound zip."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for member in old.infolist():
            new.writestr(member.filename, change(old.read(member)))
    return file.getvalue()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "file"


def read_or_refused(reader: Callable[[Path], Any], path: Path, data: bytes) -> None:
    """Read a file; the only errors are those that are documented, in one line that names the file."""
    path.write_bytes(data)
    try:
        reader(path)
    except ValueError as error:
        message = str(error)
    else:
        return
    assert len(message.splitlines()) == 1
    assert str(path) in message
    assert len(message) < 3000


WRITTEN = {
    name: tuple(form.write(table) for table in (BOARD, QRELS, RUN))
    for name, form in formats().items()
    if form.write
}
READERS = {"table": read_table, "scores": read_scores, "qrels": read_qrels, "run": read_run}


@pytest.mark.parametrize("form", WRITTEN)
@pytest.mark.parametrize("reader", READERS)
@settings(max_examples=COUNT // len(READERS))
@given(data=st.data())
def test_a_format_is_read_or_refused(
    form: str, reader: str, path: Path, data: st.DataObject
) -> None:
    read_or_refused(READERS[reader], path, data.draw(damaged(WRITTEN[form])))


@settings(max_examples=COUNT // 3)
@given(data=st.data())
def test_a_workbook_with_damage_inside_is_read_or_refused(path: Path, data: st.DataObject) -> None:
    def change(member: bytes) -> bytes:
        return data.draw(damaged((member,))) if data.draw(st.integers(0, 4)) == 0 else member

    read_or_refused(read_scores, path, repacked(WRITTEN["xlsx"][0], change))


@settings(max_examples=COUNT)
@given(damaged((PAIRS, b"topic,run_a,run_b,preference\nq1,a,b,A\nq2,a,b,tie\n")))
def test_preferences_are_read_or_refused(path: Path, data: bytes) -> None:
    read_or_refused(read_preferences, path, data)


@settings(max_examples=COUNT)
@given(damaged((MTEB,)))
def test_results_of_mteb_are_read_or_refused(path: Path, data: bytes) -> None:
    folder = path.with_name("mteb") / "model" / "1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "X.json").write_bytes(data)
    try:
        read_mteb(path.with_name("mteb"))
    except ValueError as error:
        message = str(error)
        assert len(message.splitlines()) == 1
        assert len(message) < 3000


def test_an_error_that_is_not_documented_would_come_through(path: Path) -> None:
    def wrong(_: Path) -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        read_or_refused(wrong, path, b"")
