"""Files of text in every dress: packed, with a byte order mark, with other ends of lines."""

import bz2
import gzip
import io
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from plain import rows, texts

from ndcgstudy import read_qrels, read_run
from ndcgstudy.formats.textfile import read_text, text_of

QRELS = b"t1 0 a 1\nt1 0 b 0\nt2 0 \xc3\xa9 2\n"
RUN = b"t1 Q0 a 1 2.0 tag\nt1 Q0 c 2 1.5 tag\nt2 Q0 \xc3\xa9 1 1.0 tag\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip in two members": lambda data: gzip.compress(data[:20]) + gzip.compress(data[20:]),
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
DRESS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "no newline at the end": lambda data: data[:-1],
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "CR": lambda data: data.replace(b"\n", b"\r"),
    "blank lines": lambda data: b"\n \n" + data.replace(b"\n", b"\n\r\n") + b"\n\n",
    "tabs": lambda data: data.replace(b" ", b"\t"),
    "many blanks": lambda data: data.replace(b" ", b" \t  ").replace(b"\n", b" \n "),
}


@pytest.mark.parametrize("pack", PACK)
@pytest.mark.parametrize("dress", DRESS)
def test_all_dresses_of_a_file_read_the_same(pack: str, dress: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(PACK[pack](DRESS[dress](QRELS)))
    assert rows(read_qrels(path)) == [("t1", "a", 1), ("t1", "b", 0), ("t2", "é", 2)]
    path.write_bytes(PACK[pack](DRESS[dress](RUN)))
    run = read_run(path)
    assert rows(run) == [("t1", "a", 2.0), ("t1", "c", 1.5), ("t2", "é", 1.0)]
    assert (run.name, run.source) == ("tag", str(path))


@pytest.mark.parametrize("pack", PACK)
def test_standard_input_is_read_like_a_file(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(PACK[pack](RUN))))
    run = read_run("-")
    assert (len(rows(run)), run.source) == (3, "<stdin>")


@pytest.mark.parametrize("pack", sorted(set(PACK) - {"plain"}))
def test_packed_data_cut_anywhere_are_refused(pack: str, tmp_path: Path) -> None:
    data, path = PACK[pack](QRELS * 50), tmp_path / "file"
    for size in range(10, len(data) - 1, max(len(data) // 15, 1)):
        path.write_bytes(data[:size])
        with pytest.raises(ValueError, match="damaged or cut short"):
            read_qrels(path)


@given(texts(4))
def test_a_text_file_finds_its_lines(text: str) -> None:
    data = text_of(text.encode(), "text")
    expected = text.removesuffix("\n").split("\n") if text else []
    numbers = range(1, len(expected) + 1)
    assert [data.line(n) for n in numbers] == [line.rstrip("\r") for line in expected]
    assert [data.number(data.start(n)) for n in numbers] == list(numbers)


def test_the_last_field_of_a_line_may_be_long() -> None:
    tag = "t" * 5000
    assert text_of(f"q Q0 d 1 1 {tag} \r\nq Q0 e 2 0 x\n".encode(), "text").last_field(0) == tag


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(QRELS,))
    writer.start()
    text = read_text(path)
    writer.join()
    assert text.buffer[: text.size].tobytes() == QRELS
