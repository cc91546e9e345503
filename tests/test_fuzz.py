"""Whatever stands in a file or a spec, it is read or refused in one line, by a documented error."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ndcgstudy import Policy, Rankings, read_qrels, read_run
from ndcgstudy.check import Validator
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.formats.matrix import read_scores
from ndcgstudy.gains import GAINS
from ndcgstudy.measures import MEASURES
from ndcgstudy.policies import CHOICES
from ndcgstudy.registry import Registry

QRELS = b"q1 0 d1 1\nq1 0 \xc3\xa9 0\nq2 0 d3 2\nq2 0 d4 0\n"
BEIR = b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td4\t0\n"
RUN = b"q1 Q0 d1 1 3.0 s\nq1 Q0 \xc3\xa9 2 -2.5e-1 s\nq2 Q0 d4 1 15 s\n"
LONG = b"system,topic,value\na,q1,0.5\na,q2,1\nb,q1,0\nb,q2,1e-3\n"
WIDE = b'topic,a,"b, c"\nq1,0.5,0\nq2,1,1\n'
MORE = settings(max_examples=3 * settings().max_examples)
VALID = st.sampled_from([QRELS, BEIR, RUN, LONG, WIDE])


def refusal(action: Callable[..., Any], *arguments: Any, **given: Any) -> str | None:
    """Return the message of a documented error, None if there is none; all other errors come through."""
    try:
        action(*arguments, **given)
    except (ValueError, OSError) as error:
        return str(error)
    return None


def in_one_line(message: str | None) -> bool:
    return message is None or len(message.splitlines()) == 1


def test_an_undocumented_error_would_come_through() -> None:
    with pytest.raises(KeyError):
        refusal(dict[str, int]().__getitem__, "x")
    assert not in_one_line("a\u2028b")


# -- files --------------------------------------------------------------------------------------------

PIECES = [
    *[bytes([byte]) for byte in b"\0\t\n\r #\"',.-+0129eEqx\x1c\x7f\x85\xa0\xc3\xff"],
    *[b"nan", b"inf", b"1e999", b"9" * 40, b"q1 0 d1 1\n", b"q1 Q0 d1 1 3.0 s\n", b"\r\n", b"\n\n"],
    *[
        "\u00a0 \u2028\n".encode(),
        b"\xef\xbb\xbf",
        b"score",
        b"query-id corpus-id score\n",
        b"x" * 300,
    ],
]
PIECE = st.sampled_from(PIECES)
SOUP = st.lists(PIECE, max_size=30).map(b"".join)
TEXT = st.text(max_size=60).map(lambda text: text.encode(errors="surrogatepass"))
HEAD = st.sampled_from(
    [b"\x1f\x8b\x08\0", b"\xfd7zXZ\0", b"BZh91AY&SY", b"\xff\xfe", b"\xef\xbb\xbf"]
)
PACKED_SOUP = st.builds(lambda head, rest: head + rest, HEAD, st.binary(max_size=40))


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Draw a valid file, packed or not, with bytes flipped, put in, or cut off."""
    data = bytearray(draw(VALID))
    if draw(st.booleans()):
        data = bytearray(gzip.compress(bytes(data), mtime=0))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        change = draw(st.sampled_from(["flip", "put in", "take out", "cut off"]))
        if change == "flip" and data:
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "put in":
            data[at:at] = draw(PIECE)
        elif change == "take out":
            del data[at : at + draw(st.integers(1, 8))]
        else:
            del data[at:]
    return bytes(data)


DATA = st.one_of(SOUP, TEXT, st.binary(max_size=60), PACKED_SOUP, mutated())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to write again and again."""
    return tmp_path_factory.mktemp("fuzz") / "file"


READERS: dict[str, Callable[[Path], Any]] = {
    "qrels": read_qrels,
    "real qrels": lambda path: read_qrels(path, grades="float", duplicates="max"),
    "run": read_run,
    "run, first of duplicates": lambda path: read_run(path, duplicates="first"),
    "scores": read_scores,
}


@pytest.mark.parametrize("reader", READERS)
@MORE
@given(data=DATA)
@example(b"")
@example(b"\n")
@example(b"\xef\xbb\xbf")
@example(gzip.compress(RUN)[:-9])
@example(gzip.compress(b""))
@example(b"system,topic,value\na,q1,\n")
@example(b"topic,a\nq1," + b"9" * 5000 + b"\n")
@example(b'topic,a\n"q1,1\n')
@example(b"topic,a\n" + b"x" * 200_000 + b",1\n")
@example("q1 0 d\u2028 x\n".encode())
@example("q1 0 d\u2028 1\nq1 0 d\u2028 1\n".encode())
@example(b"q1 Q0 d 1 nan " + b"y" * 100_000)
def test_a_reader_reads_or_refuses(reader: str, path: Path, data: bytes) -> None:
    path.write_bytes(data)
    message = refusal(READERS[reader], path)
    assert in_one_line(message)
    assert message is None or (message.startswith(str(path)) and len(message) < 2000)


@MORE
@given(DATA)
def test_what_is_read_has_sound_arrays(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        run = read_run(path)
    except ValueError:
        return
    assert isinstance(run, Rankings)
    assert len(run.docs) == run.topic.size == run.score.size > 0
    assert not np.isnan(run.score).any()
    assert set(run.topic.tolist()) == set(range(len(run.topics)))
    assert all(run.docs.strings())


@MORE
@given(DATA, DATA)
@example(QRELS, RUN.replace(b"d1", b"D1"))
def test_the_validator_tells_of_an_error_where_the_reader_refuses(
    path: Path, qrels: bytes, run: bytes
) -> None:
    other = path.with_name("other")
    path.write_bytes(qrels)
    other.write_bytes(run)
    try:
        validator = Validator(path)
        reports = {path: validator.qrels(), other: validator.run(other)}
    except ValueError:  # no text at all
        return
    for name, report in reports.items():
        found = list(report.problems())
        json.dumps([problem.__dict__ for problem in found])
        assert all(
            in_one_line(str(problem)) and problem.column >= bool(problem.line) for problem in found
        )
        if refusal(read_qrels if name == path else read_run, name):
            assert report.count("error")


# -- specs --------------------------------------------------------------------------------------------

SPECS = {
    "discount": (
        DISCOUNTS,
        ["log2", "power(beta=0.5)", "jk2002(base=2)", "table(1,0.5)", "linear(depth=9)"],
    ),
    "gain": (GAINS, ["linear", "exponential", "binary(threshold=2)", "table(0,1,3)"]),
    "measure": (
        MEASURES,
        ["nDCG@10", "RBP(p=0.8)", "nDCG(gain=exponential,discount=power(beta=1))@5"],
    ),
}
TOKENS = [
    *"()[]{},=@.:+-*/%~'\"\\ #\n\0_1e",
    *[
        "**",
        "None",
        "True",
        "nan",
        "inf",
        "1e999",
        "9" * 50,
        "0x1",
        "1j",
        "lambda",
        "x if y else z",
    ],
    *[
        "log2",
        "power",
        "beta",
        "gain",
        "cutoff",
        "AP",
        "P@10",
        "nowhere:name",
        "math:nothing",
        "a.py:b",
    ],
    *["é", "\u2028", "((((((((((", "'a'", "f'{1}'", "[i for i in x]", "_external_0", "*x", "**x"],
]


@st.composite
def spec(draw: st.DrawFn, valid: list[str]) -> str:
    """Draw a spec: tokens in any order, any text, or a valid one with some text changed."""
    if draw(st.booleans()):
        return draw(
            st.one_of(
                st.lists(st.sampled_from(TOKENS), max_size=8).map("".join), st.text(max_size=20)
            )
        )
    text = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(1, 3))):
        at, gone = draw(st.integers(0, len(text))), draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from(["", *TOKENS])) + text[at + gone :]
    return text


@pytest.mark.parametrize("family", SPECS)
@MORE
@given(data=st.data())
def test_a_spec_is_read_or_refused(family: str, data: st.DataObject) -> None:
    parts: Registry[Any] = SPECS[family][0]
    text = data.draw(spec(SPECS[family][1]))
    message = refusal(parts.parse, text)
    assert in_one_line(message)
    if message is None:
        part = parts.parse(text)
        assert parts.parse(str(part)) == part


NASTY = ["", " ", "(", "()", "@", "x@", "@5", "-1", "log2(", "log2()()", "log2(**{})", "log2(*[1])"]
NASTY += [
    "(" * 500,
    "-" * 5000 + "1",
    "a" * 100_000,
    "power(beta=" + "9" * 5000 + ")",
    "power(beta=1e999)",
]
NASTY += [
    "nDCG@1@2",
    "nDCG@-1",
    "nDCG@1.5",
    "nDCG@'5'",
    "nDCG@True",
    "nDCG(cutoff=5)@5",
    "power(0.5, beta=1)",
]
NASTY += [
    "nDCG(gain=power)",
    "nDCG(gain=nDCG)",
    "nDCG(gain=1)",
    "power(beta='1')",
    "power(beta=[1])",
    "x:y:z",
]
NASTY += [
    "power(beta=nan)",
    "table()",
    "table((1,2))",
    "binary(threshold=None)",
    "P(rel={})",
    "P(rel={}.x)@5",
]


@pytest.mark.parametrize("family", SPECS)
@pytest.mark.parametrize("text", NASTY, ids=lambda text: text[:20])
def test_nasty_specs_are_refused_in_one_line(family: str, text: str) -> None:
    message = refusal(SPECS[family][0].parse, text)
    assert in_one_line(message)
    assert message


@given(st.dictionaries(st.sampled_from(sorted(CHOICES)), st.one_of(st.text(max_size=9), st.none())))
def test_a_policy_is_made_or_refused_with_a_line_a_wrong_choice(choices: dict[str, Any]) -> None:
    wrong = [name for name, choice in choices.items() if choice not in CHOICES[name]]
    message = refusal(Policy, **choices)
    assert len((message or "").splitlines()) == len(wrong)
