"""Bad input on the command line: one clear line for each mistake on stderr, code 2, nothing on stdout."""

import bz2
import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ndcgstudy.cli import main

QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = b"q1 Q0 d1 1 3.0 s\nq1 Q0 d2 2 2.0 s\nq2 Q0 d1 1 1.5 s\n"
Call = Callable[..., list[str]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a folder with good files."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_bytes(QRELS)
    Path("run").write_bytes(RUN)


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return a function that makes a call, sees it refused, and returns the lines on stderr."""

    def lines(*arguments: str) -> list[str]:
        with pytest.raises(SystemExit) as stop:
            main(list(arguments))
        out, err = capsys.readouterr()
        assert (stop.value.code, out) == (2, "")
        assert "Traceback" not in err
        told = err.splitlines()
        assert all(line.startswith("ndcgstudy: ") for line in told)
        return [line.removeprefix("ndcgstudy: ") for line in told]

    return lines


def test_good_input_is_not_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["score", "qrels", "run", "-m", "nDCG@10"])
    assert (stop.value.code, capsys.readouterr().out.startswith("run")) == (0, True)


MORE = "`ndcgstudy check` lists them"
RUNS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "file: the run holds no document"),
    "blank": (b"\n \r\n", "file: the run holds no document"),
    "a byte order mark alone": (b"\xef\xbb\xbf", "file: the run holds no document"),
    "bytes": (b"q1 Q0 \x00\x01 1 1 s\n", "file: line 1: not text (byte 0x00)"),
    "Latin-1": (RUN + b"q1 Q0 caf\xe9 3 1 s\n", "file: line 4: not UTF-8 text"),
    "UTF-16": (RUN.decode().encode("utf-16"), "file: not UTF-8 text (it looks like UTF-16)"),
    "cut gzip": (gzip.compress(RUN)[:-9], "file: the gzip data are damaged or cut short"),
    "cut xz": (lzma.compress(RUN)[:-9], "file: the xz data are damaged or cut short"),
    "cut bzip2": (bz2.compress(RUN)[:-9], "file: the bzip2 data are damaged or cut short"),
    "5 fields": (
        RUN + b"q1 Q0 d3 3 1\n",
        "file: line 4: expected 6 fields, found 5: 'q1 Q0 d3 3 1'",
    ),
    "7 fields": (
        b"q1 Q0 d 3 3 1 s\n",
        "file: line 1: expected 6 fields, found 7: 'q1 Q0 d 3 3 1 s'",
    ),
    "a score in words": (
        b"q1 Q0 d3 1 high s\n",
        "file: line 1: score 'high' is not a number: 'q1 Q0",
    ),
    "a comma": (
        b"q1 Q0 d3 1 1,5 s\n",
        "score '1,5' is not a number (a comma in place of the point?)",
    ),
    "NaN": (RUN + b"q2 Q0 d3 3 nan s\n", "file: line 4: score is NaN: 'q2 Q0 d3 3 nan s'"),
    "a document twice": (
        RUN + b"q1 Q0 d1 9 0 s\n",
        "file: line 4: duplicate document d1 for topic q1 in the run: 'q1 Q0 d1 9 0 s'; "
        "line 1: 'q1 Q0 d1 1 3.0 s'",
    ),
    "many mistakes": (
        b"q1 Q0 d3\n" + RUN + b"q1 Q0 d1 1 x s\nq1 Q0 d2 1 1 s\n",
        f"(and 2 more; {MORE})",
    ),
    "no topic in common": (b"q9 Q0 d1 1 1 s\n", "file: no topic of the run is in the qrels"),
    "qrels": (
        QRELS,
        "expected 6 fields, found 4 (4 are a qrels file's; are QRELS and RUN in this order?)",
    ),
}
KEYS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "file: the qrels hold no judgement"),
    "a header alone": (b"query-id\tcorpus-id\tscore\n", "file: the qrels hold no judgement"),
    "bytes": (b"q1 0 \x1b[0m 1\n", "file: line 1: not text (byte 0x1b)"),
    "Latin-1": (b"q1 0 d1 1\nq1 0 caf\xe9 1\n", "file: line 2: not UTF-8 text"),
    "cut gzip": (gzip.compress(QRELS)[:30], "file: the gzip data are damaged or cut short"),
    "3 fields": (
        b"q1 d1 1\n",
        "file: line 1: expected 4 fields, found 3 (3 are read only below BEIR's",
    ),
    "a run": (RUN, "file: line 1: expected 4 fields, found 6 (6 are a run's; are QRELS and RUN in"),
    "a header": (
        b"x it y rel\n" + QRELS,
        "file: line 1: grade 'rel' is not an integer (a header?)",
    ),
    "half a grade": (
        QRELS + b"q2 0 d7 0.5\n",
        "file: line 4: grade '0.5' is not an integer: 'q2 0 d7",
    ),
    "NaN": (QRELS + b"q2 0 d7 nan\n", "file: line 4: grade 'nan' is not an integer: 'q2 0 d7 nan'"),
    "a repeated line": (
        QRELS + b"q1 0 d1 1\n",
        "file: line 4: duplicate judgement for document d1 in topic q1: 'q1 0 d1 1'; line 1: 'q1 0 d1 1'",
    ),
    "two grades": (
        QRELS + b"q1 0 d1 0\n",
        "file: line 4: duplicate judgement for document d1 in topic q1, of another grade (0, before 1): "
        "'q1 0 d1 0'; line 1: 'q1 0 d1 1'",
    ),
}


@pytest.mark.parametrize("case", RUNS)
def test_a_bad_run_is_refused(case: str, refused: Call) -> None:
    data, message = RUNS[case]
    Path("file").write_bytes(data)
    (line,) = refused("score", "qrels", "file", "-m", "nDCG@10")
    assert message in line


@pytest.mark.parametrize("case", KEYS)
def test_bad_qrels_are_refused(case: str, refused: Call) -> None:
    data, message = KEYS[case]
    Path("file").write_bytes(data)
    (line,) = refused("score", "file", "run", "-m", "nDCG@10")
    assert message in line


def test_what_is_no_file_is_refused(refused: Call) -> None:
    Path("folder").mkdir()
    assert refused("score", "nowhere", "run") == ["nowhere: No such file or directory"]
    assert refused("score", "qrels", "folder") == ["folder: Is a directory"]
    assert refused("score", "qrels", "") == ["'': No such file or directory"]
    long = "9" * 300
    (told,) = refused("score", "qrels", long)
    assert told.startswith(long[:90])
    assert told.endswith("9: File name too long")
    assert len(told) <= 200 + len(": File name too long")  # names are cut in the middle
    assert refused("score", "nowhere", long, "run", "folder") == [
        "nowhere: No such file or directory",
        told,
        "folder: Is a directory",
    ]


MEASURES = "known: AP, Bpref, DCG, ERR, Judged, P, R, RBP, RR, nDCG"
SPECS = {
    "NDGC@10": f"unknown measure 'NDGC'; did you mean 'nDCG'? {MEASURES}",
    "Foo": f"unknown measure 'Foo'; {MEASURES}",
    "nDCG(discount=pover)@5": "unknown discount 'pover'; did you mean 'power'? known: constant, ",
    "nDCG(gain=exponental)": "unknown gain 'exponental'; did you mean 'exponential'? known: binary, ",
    "nDCG(discont=log2)": "unknown parameter 'discont' in 'nDCG(discont=log2)'; did you mean 'discount'?",
    "nDCG(discount=power(bta=1))": "unknown parameter 'bta'",
    "nDCG(discount=power(beta=-1))": "`beta` must be a number at least 0, got -1",
    "nDCG@0": "got 0",
    "nDCG@-5": "got -5",
    "nDCG@2.5": "got 2.5",
    "RBP(p=1.5)": "`p` must be a number above 0 and below 1, got 1.5",
    "RBP(p='x')": "`p` must be a number above 0 and below 1, got 'x'",
    "P(cutoff=5)@20": "gives `cutoff` twice",
    "nDCG(": "cannot read measure 'nDCG(': expected NAME or NAME(...)",
    "nowhere:name": "cannot import nowhere",
    "nowhere.py:name": "no such file: nowhere.py",
    "math:pi": "measure 'math:pi'",
}


@pytest.mark.parametrize("spec", SPECS)
def test_a_bad_measure_is_refused(spec: str, refused: Call) -> None:
    (line,) = refused("score", "qrels", "run", "-m", spec)
    assert SPECS[spec] in line


OPTIONS = {
    "ties": (
        "averag",
        "unknown ties 'averag'; did you mean 'average'? known: average, error, input, trec",
    ),
    "unjudged": ("x", "unknown unjudged 'x'; known: condensed, nonrelevant, optimistic"),
    "missing": ("zro", "unknown missing 'zro'; did you mean 'zero'? known: skip, zero"),
    "no-relevant": ("two", "unknown no-relevant 'two'"),
    "negative": ("x", "unknown negative 'x'; known: judged, unjudged, zero"),
    "ideal": ("cat", "unknown ideal 'cat'; did you mean 'cut'? known: all, cut"),
    "precision": ("float16", "unknown precision 'float16'; did you mean 'float"),
    "duplicates": ("last", "unknown duplicates 'last'"),
    "grades": ("real", "unknown grades 'real'; known: float, int"),
    "average": ("mikro", "unknown average 'mikro'; did you mean 'micro'? known: macro, micro"),
    "format": (
        "jso",
        "unknown format 'jso'; did you mean 'json'? known: csv, json, latex, markdown, table",
    ),
    "topics": ("q7", "no judgments for topic 'q7'"),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_a_bad_choice_is_refused(option: str, refused: Call) -> None:
    value, message = OPTIONS[option]
    (line,) = refused("score", "qrels", "run", f"--{option}", value)
    assert message in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score"], "give QRELS and one or more RUNs"),
        (["score", "qrels"], "give QRELS and one or more RUNs"),
        (["score", "qrels", "run", "--tie"], "No such option"),
        (["score", "qrels", "run", "-m"], "requires an argument"),
        (["scor", "qrels", "run"], "No such command 'scor'"),
        (["score", "qrels", "run", "AP"], "AP: no such run; write -m before each measure"),
        (
            ["list", "discount"],
            "unknown family 'discount'; did you mean 'discounts'? known: conventions, discounts, ",
        ),
        (["list"], "Missing argument"),
        (["check"], "Missing argument"),
    ],
)
def test_a_bad_call_is_refused(arguments: list[str], message: str, refused: Call) -> None:
    (line,) = refused(*arguments)
    assert message in line


def test_all_bad_arguments_of_one_call_are_told_together(refused: Call) -> None:
    Path("bad").write_bytes(b"q1 Q0 d1\n")
    Path("worse").write_bytes(b"q1 0 d1 x\n")
    options = ["-m", "Foo", "-m", "RBP(p=2)", "--ties", "x", "--grades", "y", "--format", "z"]
    told = refused("score", "worse", "nowhere", "run", "bad", *options)
    beginnings = [
        "unknown measure 'Foo'",
        "measure 'RBP(p=2)': `p` must be",
        "unknown format 'z'",
        "unknown ties 'x'",
        "unknown grades 'y'",
        "worse: line 1: grade 'x' is not an integer",
        "nowhere: No such file or directory",
        "bad: line 1: expected 6 fields, found 3",
    ]
    assert len(told) == len(beginnings)
    assert all(a.startswith(b) for a, b in zip(told, beginnings, strict=True))


def test_a_table_of_collections_and_a_list_of_topics_are_checked_too(refused: Call) -> None:
    Path("latin").write_bytes(b"collection,qrels,run\ncaf\xe9,qrels,run\n")
    Path("short").write_text("collection,run\na,run\n")
    Path("holes").write_text("collection,qrels,run\na,,run\n")
    Path("wide").write_text(f"collection,qrels,run\n{'a' * 200_000},qrels,run\n")
    assert refused("score", "--collections", "latin") == ["latin: line 2: not UTF-8 text"]
    assert refused("score", "--collections", "short") == ["short: line 1: missing columns qrels"]
    (line,) = refused("score", "--collections", "holes")
    assert line == "holes: line 2: collection, qrels and run must not be empty"
    assert "field larger than field limit" in refused("score", "--collections", "wide")[0]
    assert refused("score", "qrels", "run", "--topics", "latin") == [
        "latin: line 2: not UTF-8 text"
    ]
    many = ",".join(f"q{i}" for i in range(1, 200))
    assert refused("score", "qrels", "run", "--topics", many)[0].startswith(
        "qrels: no judgments for topic"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "qrels", "nowhere"], "ndcgstudy: nowhere: No such file or directory\n"),
        (["check", "qrels", "nowhere"], "ndcgstudy: nowhere: No such file or directory\n"),
        (["score", "qrels", "-"], "ndcgstudy: <stdin>: line 1: expected 6 fields, found 1: 'x'\n"),
    ],
)
def test_a_process_ends_with_code_2(arguments: list[str], message: str) -> None:
    command = [sys.executable, "-m", "ndcgstudy", *arguments]
    done = subprocess.run(command, input="x\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
