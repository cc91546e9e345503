"""Where text comes from: packed files, BEIR's form, dictionaries, frames; and what is no text at all."""

import bz2
import contextlib
import gzip
import io
import lzma
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ndcgstudy import read_qrels, read_run, score
from ndcgstudy.formats.numbers import decimals
from ndcgstudy.formats.textfile import text_of
from ndcgstudy.formats.trec import scan_qrels, scan_run
from ndcgstudy.ids import Ids

QRELS = b"t1 0 a 1\nt1 0 b 0\nt2 0 c 2\n"
RUN = b"t1 Q0 a 1 2.0 tag\nt2 Q0 c 1 1.0 tag\n"
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
packing = pytest.mark.parametrize("kind", PACK)


def written(folder: Path, data: bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@packing
@pytest.mark.parametrize("name", ["q.gz", "q.txt", "q"])
def test_packed_file_is_told_by_its_content(kind: str, name: str, tmp_path: Path) -> None:
    qrels = read_qrels(written(tmp_path, PACK[kind](QRELS), name))
    assert (qrels.topics, qrels.docs.strings()) == (("t1", "t2"), ["a", "b", "c"])


def test_plain_file_may_be_called_gz(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, QRELS, "q.gz")).topics == ("t1", "t2")


@packing
def test_packed_files_put_together_are_one(kind: str, tmp_path: Path) -> None:
    head, tail = QRELS[:9], QRELS[9:]
    both = written(tmp_path, PACK[kind](head) + PACK[kind](tail))
    assert read_qrels(both).docs.strings() == ["a", "b", "c"]


@packing
@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_packed_file_cut_short_is_refused(kind: str, keep: float, tmp_path: Path) -> None:
    # A download that broke off must not pass for a short file.
    packed = PACK[kind](b"".join(b"t1 0 doc%d 1\n" % i for i in range(500)))
    path = written(tmp_path, packed[: int(len(packed) * keep)])
    with pytest.raises(ValueError, match=f"{path}: the {kind} data are damaged or cut short"):
        read_qrels(path)


@packing
def test_packed_file_that_is_damaged_is_refused(kind: str, tmp_path: Path) -> None:
    packed = bytearray(PACK[kind](QRELS * 40))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(ValueError, match=f"the {kind} data are damaged or cut short"):
        read_qrels(written(tmp_path, bytes(packed)))


@packing
@pytest.mark.parametrize("inside", [b"", b"\n", b" \t\r\n\n"])
def test_packed_file_without_a_line_is_empty(kind: str, inside: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the qrels hold no judgement"):
        read_qrels(written(tmp_path, PACK[kind](inside)))


EMPTY = [b"", b"\n", b"\r\n", b"\r", b" ", b"\t \n\n \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"]


@pytest.mark.parametrize("data", EMPTY)
def test_file_without_a_line_is_refused(data: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, data)
    with pytest.raises(ValueError, match=f"{path}: the qrels hold no judgement"):
        read_qrels(path)
    with pytest.raises(ValueError, match=f"{path}: the run holds no document"):
        read_run(path)


NO_TEXT = {
    "utf-16 with a mark": (QRELS.decode().encode("utf-16"), "it looks like UTF-16"),
    "utf-16 big endian": (b"\xfe\xff" + QRELS.decode().encode("utf-16-be"), "it looks like UTF-16"),
    "utf-16 without a mark": (QRELS.decode().encode("utf-16-le"), "line 1: not text"),
    "utf-16 packed": (gzip.compress(QRELS.decode().encode("utf-16")), "it looks like UTF-16"),
    "nul": (QRELS + b"t3 0 a\0 1\n", "line 4: not text (byte 0x00)"),
    "form feed": (QRELS + b"\x0c", "line 4: not text (byte 0x0c)"),
    "vertical tab": (b"t1\x0b0 a 1\n", "line 1: not text (byte 0x0b)"),
    "escape": (QRELS + b"t3 0 \x1b[1m 1\n", "line 4: not text (byte 0x1b)"),
    "end of file of old": (QRELS + b"\x1a", "line 4: not text (byte 0x1a)"),
    "latin-1": (QRELS + "t3 0 é 1\n".encode("latin-1"), "line 4: not UTF-8 text"),
    "half a character": (QRELS + b"t3 0 \xc3 1\n", "line 4: not UTF-8 text"),
    "surrogate": (QRELS + b"t3 0 \xed\xa0\x80 1\n", "line 4: not UTF-8 text"),
    "zip": (b"PK\x03\x04" + QRELS, "not a workbook"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not text"),
}


@pytest.mark.parametrize(("data", "message"), NO_TEXT.values(), ids=NO_TEXT)
def test_what_is_no_text_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, data)
    for read in (read_qrels, read_run):
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            read(path)
        assert str(path) in str(error.value)


def test_missing_file_and_folder_are_errors_of_the_system(tmp_path: Path) -> None:
    for read in (read_qrels, read_run):
        with pytest.raises(FileNotFoundError, match="none"):
            read(tmp_path / "none")
        with pytest.raises(IsADirectoryError):
            read(tmp_path)


def test_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(RUN))))
    assert read_run("-").topics == ("t1", "t2")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"t1 0 a\n")))
    with pytest.raises(ValueError, match="<stdin>: line 1: expected 4 fields, found 3"):
        read_qrels("-")


HEADERS = ["query-id\tcorpus-id\tscore", "query-id corpus-id score", "QUERY-ID\tCORPUS-ID\tSCORE"]
BEIR_ROWS = "q1\td1\t1\nq1\td2\t0\nq2\t007\t2\n"


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_beir_qrels_are_told_by_their_header(
    header: str, ends: str, mark: str, tmp_path: Path
) -> None:
    text = mark + f"{header}\n{BEIR_ROWS}".replace("\n", ends)
    qrels = read_qrels(written(tmp_path, text.encode()))
    assert (qrels.topics, qrels.docs.strings()) == (("q1", "q2"), ["d1", "d2", "007"])
    assert qrels.grade.tolist() == [1.0, 0.0, 2.0]


BEIR_WRONG = {
    "header alone": (f"{HEADERS[0]}\n", "the qrels hold no judgement"),
    "rows alone": (BEIR_ROWS, "line 1: expected 4 fields, found 3"),
    "header twice": (f"{HEADERS[0]}\n{HEADERS[0]}\nq\td\t1\n", "line 2: grade 'score' is not"),
    "real grade": (f"{HEADERS[0]}\nq\td\t0.5\n", "line 2: grade '0.5' is not an integer"),
    "two fields": (f"{HEADERS[0]}\nq\td\n", "line 2: expected 3 fields, found 2"),
    "judged twice": (f"{HEADERS[0]}\nq\td\t1\nq\td\t0\n", "line 3: duplicate judgement"),
}


@pytest.mark.parametrize(("text", "message"), BEIR_WRONG.values(), ids=BEIR_WRONG)
def test_beir_qrels_that_are_wrong(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_qrels(written(tmp_path, text.encode()))


def test_topic_may_be_called_like_a_header(tmp_path: Path) -> None:
    # Four fields below no header: a topic "query-id" whose document is called "score".
    qrels = read_qrels(written(tmp_path, b"query-id 0 score 1\n"))
    assert (qrels.topics, qrels.docs.strings()) == (("query-id",), ["score"])


def test_swapped_files_are_suspected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"expected 4 fields, found 6 .*QRELS and RUN"):
        read_qrels(written(tmp_path, RUN))
    with pytest.raises(ValueError, match=r"expected 6 fields, found 4 .*QRELS and RUN"):
        read_run(written(tmp_path, QRELS))


def test_run_is_named_by_its_tag_or_as_asked(tmp_path: Path) -> None:
    path = written(tmp_path, RUN)
    assert (read_run(path).name, read_run(path, name="mine").name) == ("tag", "mine")
    assert read_run({"t1": {"a": 1.0}}).name == "run"


WRONG_DICTS: list[tuple[Any, str]] = [
    ({}, "hold"),
    ({"t1": {}}, "hold"),
    ({1: {"a": 1}}, "an id must be a string"),
    ({"t1": {2: 1}}, "an id must be a string"),
    ({"": {"a": 1}}, "an id must be a string of one or more"),
    ({"t1": {"": 1}}, "an id must be a string of one or more"),
    ({"t1": {"a\0": 1}}, "an id must be a string"),
    ({"t1": {"a": float("nan")}}, "is nan for document a of topic t1"),
    ({"t1": {"a": None}}, "number|nan"),
    ({"t1": {"a": "high"}}, "must be a number"),
    ({"t1": {"a": [1]}}, "must be a number"),
]


@pytest.mark.parametrize(("nested", "message"), WRONG_DICTS)
def test_dictionary_that_is_wrong(nested: Any, message: str) -> None:
    for read in (read_qrels, read_run):
        with pytest.raises(ValueError, match=message):
            read(nested)


def test_grades_in_dictionaries_and_frames_follow_the_policy() -> None:
    frame = pd.DataFrame({"qid": ["t1"], "docno": ["a"], "label": [0.9]})
    for source in ({"t1": {"a": 0.9}}, frame):
        assert read_qrels(source, grades="float").grade.tolist() == [0.9]
        with pytest.raises(ValueError, match=r"grade 0\.9 .*is not an integer"):
            read_qrels(source)


def test_frames_with_the_columns_of_pyterrier() -> None:
    qrels = pd.DataFrame({"qid": ["001", "t2"], "docno": ["NA", "b"], "label": [1, 2]})
    run = pd.DataFrame({"qid": ["001", "t2"], "docno": ["NA", "x"], "score": [2, 0.5]})
    result = score(read_qrels(qrels), read_run(run, name="mine"))
    assert result.scores["nDCG@10"].topics == ("001", "t2")
    assert result.scores["nDCG@10"].values.tolist() == [[1.0, 0.0]]


WRONG_FRAMES: list[tuple[dict[str, list[Any]], str]] = [
    ({"qid": ["t1"], "docno": ["a"]}, "missing columns (label|score)"),
    ({"qid": [1], "docno": ["a"], "label": [1], "score": [1]}, "an id must be a string"),
    ({"qid": ["t1"], "docno": [None], "label": [1], "score": [1]}, "an id must be a string"),
    ({"qid": ["t1"], "docno": ["a"], "label": ["x"], "score": ["x"]}, "must be a number"),
    ({"qid": ["t1"], "docno": ["a"], "label": [None], "score": [None]}, "NaN|number"),
    ({"qid": [], "docno": [], "label": [], "score": []}, "hold"),
    (
        {"qid": ["t1", "t1"], "docno": ["a", "a"], "label": [1, 1], "score": [1, 2]},
        "row 1: duplicate document a for topic t1",
    ),
]


@pytest.mark.parametrize(("columns", "message"), WRONG_FRAMES)
def test_frame_that_is_wrong(columns: dict[str, list[Any]], message: str) -> None:
    for read in (read_qrels, read_run):
        with pytest.raises(ValueError, match=message):
            read(pd.DataFrame(columns))


@pytest.mark.parametrize(("option", "value"), [("duplicates", "last"), ("grades", "real")])
def test_unknown_word_of_a_policy(option: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"unknown {option} '{value}'.*known: "):
        read_qrels({"t1": {"a": 1}}, **{option: value})


DIGITS = st.text("0123456789", max_size=20)
SIGN = st.sampled_from(["", "", "+", "-", "--"])
DECIMAL = st.builds("{}{}{}{}".format, SIGN, DIGITS, st.sampled_from(["", ".", ".", ".."]), DIGITS)


@given(
    st.lists(
        st.builds("{}{}{}".format, DECIMAL, st.sampled_from(["", "", ".5"]), DIGITS), min_size=1
    )
)
def test_numbers_of_any_length_are_read_as_python_reads_them(texts: list[str]) -> None:
    texts = [text or "." for text in texts]
    values, good = decimals(Ids.of(texts))
    for text, value, right in zip(texts, values.tolist(), good.tolist(), strict=True):
        if right:
            assert value == float(text)
            assert math.copysign(1, value) == math.copysign(1, float(text))
        else:
            with pytest.raises(ValueError, match="could not convert"):
                float(text)


ODD = st.sampled_from([b"\n", b"\r", b" ", b"\t", b"t1", b"Q0", b"1", b"-", b".", b"e5", b"nan"])
ANY = st.one_of(st.binary(max_size=60), st.lists(ODD, max_size=30).map(b"".join))
MAGIC = [b"", b"\x1f\x8b", b"\xfd7zXZ\x00", b"BZh91AY&SY", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc3"]


@given(ANY, st.sampled_from(MAGIC))
@example(b"t1 Q0 a 1 1 x", b"")
def test_any_bytes_are_read_or_refused(data: bytes, magic: bytes) -> None:
    for scan in (scan_qrels, scan_run):
        with contextlib.suppress(ValueError):
            found = scan(text_of(magic + data, "file"))
            for finding in found.findings:
                assert all(str(finding.problem(i)) for i in range(len(finding.lines)))
            assert len(found.data.docs) == found.data.topic.size == len(found.line)
