"""What files may look like and what must then happen: lines, fields, ids, grades and scores.

Each small file is read and scored; the comment beside a case tells why its outcome is the right one.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ndcgstudy import Evaluation, Judgments, Rankings, read_qrels, read_run, score

SECOND = 1 / np.log2(3)
Write = Callable[[str, "str | bytes"], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file and returns its path."""

    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


@pytest.fixture
def scored(write: Write) -> Callable[..., dict[str, float]]:
    """Return a function from the text of qrels and run to nDCG@10 by topic."""

    def values(qrels: str | bytes, run: str | bytes) -> dict[str, float]:
        judgments, ranked = read_qrels(write("qrels", qrels)), read_run(write("run", run))
        return by_topic(score(judgments, ranked))

    return values


def by_topic(result: Evaluation) -> dict[str, float]:
    """Return the scores of the one run and measure by topic."""
    (scores,) = result.scores.values()
    return dict(zip(scores.topics, scores.values[0].tolist(), strict=True))


def words(text: str) -> list[str]:
    return text.split(" ")


def lines(*rows: str) -> str:
    return "".join(f"{row}\n" for row in rows)


QRELS = lines("t1 0 a 1", "t2 0 b 1")
RUN = lines("t1 Q0 a 1 2.0 x", "t1 Q0 z 2 1.0 x", "t2 Q0 z 1 2.0 x", "t2 Q0 b 2 1.0 x")

LAYOUTS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr alone, as on old Macs": lambda text: text.replace("\n", "\r"),
    "no newline at the end": lambda text: text.removesuffix("\n"),
    "no newline after crlf": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "byte order mark and crlf": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "tabs": lambda text: text.replace(" ", "\t"),
    "tabs and blanks mixed": lambda text: text.replace(" ", " \t  "),
    "trailing blanks": lambda text: text.replace("\n", " \t\n"),
    "leading blanks": lambda text: " " + text.replace("\n", "\n\t ").rstrip("\t "),
    "blank lines": lambda text: "\n\n" + text.replace("\n", "\n \t\n\r\n"),
    "other columns of any text": lambda text: text.replace(" Q0 ", ' "#,é ').replace(" 0 ", " - "),
    "topics by turns": lambda text: lines(*sorted(text.splitlines(), key=lambda s: s.split()[2])),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layout_of_lines_does_not_matter(layout: Any, scored: Any) -> None:
    expected = pytest.approx({"t1": 1.0, "t2": SECOND})
    assert scored(layout(QRELS), RUN) == expected
    assert scored(QRELS, layout(RUN)) == expected
    assert scored(layout(QRELS), layout(RUN)) == expected


# Words that other readers take for numbers, missing values, comments or quotes. An id is a string.
IDS = [
    *words(
        "NA N/A null NULL None nan NaN inf -inf True 1e5 1_000 00 -1 +1 1.0 007 0x10 ١ - --help"
    ),
    *words('#1 # // ; \' " "a" "" a,b a;b a|b a\\b %20 a=b {a} Q0 score é e\u0301 \U0001f600'),
    # Unicode's blanks, line ends and invisible signs do not separate fields or lines of TREC files.
    *(f"a{sign}b" for sign in "\u00a0\u0085\u2028\u2009\u3000\u200b\ufeff"),
    *(letter * size for letter in "yé" for size in (4, 7, 8, 9, 16, 17, 5000)),
]


@pytest.mark.parametrize("text", IDS, ids=lambda text: ascii(text[:12]) + str(len(text)))
def test_id_of_a_topic_or_document_is_a_string(text: str, scored: Any) -> None:
    qrels = lines(f"{text} 0 a 1", f"t2 0 {text} 1", "t2 0 other 2")
    run = lines(f"{text} Q0 a 1 1 x", f"t2 Q0 {text} 1 1 x", f"t2 Q0 other 1 2 {text}")
    assert scored(qrels, run) == {text: 1.0, "t2": 1.0}


ALIKE = [
    ("1", "01"),  # leading zeros
    ("1", "1.0"),
    ("100", "1e2"),
    ("a", "A"),
    ("é", "e\u0301"),  # composed and decomposed: equal to the eye, other bytes
    ("a", "a\u00a0"),
    ("nan", "NaN"),
    ("x" * 8, "x" * 9),  # ids that agree in their first 8, 16 or 64 bytes
    ("x" * 16 + "a", "x" * 16 + "b"),
    ("x" * 64 + "a", "x" * 64 + "b"),
    ("x" * 5000 + "a", "x" * 5000 + "b"),
    ("a", "b" * 40),  # a short id beside a long one
]


@pytest.mark.parametrize(("one", "other"), ALIKE, ids=lambda text: ascii(text[:9]) + str(len(text)))
def test_ids_that_look_alike_are_two(one: str, other: str, scored: Any) -> None:
    qrels = lines(f"t1 0 {one} 1", f"t1 0 {other} 0", f"{one} 0 d 1", f"{other} 0 d 0")
    run = lines(f"t1 Q0 {other} 1 9 x", f"t1 Q0 {one} 2 8 x", f"{one} Q0 d 1 1 x")
    assert scored(qrels, run) == pytest.approx({"t1": SECOND, one: 1.0, other: 0.0})


def test_length_of_other_ids_does_not_matter(scored: Any) -> None:
    # Qrels that hold short ids alone, and a run that also holds long ones.
    run = lines("t1 Q0 a 1 2 x", f"t1 Q0 {'long' * 9} 2 1 x", "t2 Q0 b 1 1 x")
    assert scored(QRELS, run) == {"t1": 1.0, "t2": 1.0}


def test_a_second_byte_order_mark_is_part_of_an_id(scored: Any) -> None:
    # Two files put together with `cat`: the mark now stands inside the text, where it is a sign.
    assert scored(lines("t1 0 a 1", "\ufefft2 0 b 1"), RUN) == {"t1": 1.0, "\ufefft2": 0.0}


GRADES = {
    **{"1": 1, "+1": 1, "01": 1, "1.0": 1, "1.": 1, "1e0": 1, "10e-1": 1, "-1": -1, "-0": 0},
    **{"9007199254740992": 2**53, "0000000000000000000000001": 1, "3": 3},
}
NO_GRADES = [
    *words("1.5 .5 1,0 1_000 0x1 one nan inf -inf 1e400 1e16 --1 1e e1 + - . 1.0.0 1- ١ １"),
    *("1\u00a0", "9007199254740993e1"),
]


@pytest.mark.parametrize("text", GRADES)
def test_grade_in_any_notation_of_a_whole_number(text: str, write: Write) -> None:
    assert read_qrels(write("q", f"t1 0 a {text}\n")).grade.tolist() == [GRADES[text]]


@pytest.mark.parametrize("text", NO_GRADES)
def test_grade_that_is_no_whole_number_is_refused(text: str, write: Write) -> None:
    with pytest.raises(ValueError, match=r"line 2: grade .* is not an integer"):
        read_qrels(write("q", lines("t1 0 a 1", f"t1 0 b {text}", "t1 0 c 1")))


def test_real_grades_where_they_are_allowed(write: Write) -> None:
    qrels = write("q", lines("t1 0 a .5", "t1 0 b 1e-3", "t1 0 c 2"))
    assert read_qrels(qrels, grades="float").grade.tolist() == [0.5, 0.001, 2.0]
    for text in ("nan", "inf", "1e400", "one", "1,5"):
        with pytest.raises(ValueError, match=r"line 1: grade .* is not a finite number"):
            read_qrels(write("q", f"t1 0 a {text}\n"), grades="float")


SCORES = [
    *words(
        "1 +1 -1 .5 5. -.5 1e3 1E-3 1e400 -1e400 1e-400 inf -inf +Infinity 0 -0.0 00012.500 0.1"
    ),
    *words("123456789012345678901234567890 0.30000000000000004 9007199254740993 4.9e-324"),
]
NO_SCORES = [
    *words(
        "1,5 1_000 0x10 0x1p3 ten 1e e5 . + - 1.2.3 1.2345678.9 --1 +-1 ١ 1e5.5 1d3 1f infinit (1) $1 1% ½"
    ),
    "1\u00a0",
]


@pytest.mark.parametrize("text", SCORES)
def test_score_is_rounded_as_python_rounds_it(text: str, write: Write) -> None:
    assert read_run(write("r", f"t1 Q0 a 1 {text} x\n")).score.tolist() == [float(text)]


@pytest.mark.parametrize("text", NO_SCORES)
def test_score_that_is_no_number_is_refused(text: str, write: Write) -> None:
    with pytest.raises(ValueError, match=r"r: line 2: score .* is not a number"):
        read_run(write("r", lines("t1 Q0 a 1 1 x", f"t1 Q0 b 2 {text} x")))


@pytest.mark.parametrize("text", ["nan", "NaN", "-nan", "+NAN"])
def test_score_that_is_nan_is_refused(text: str, write: Write) -> None:
    # It has no place in an order. Elsewhere its place depends on the ids.
    with pytest.raises(ValueError, match="line 1: score is NaN"):
        read_run(write("r", f"t1 Q0 a 1 {text} x\n"))


ORDERS = {
    # First score, second score: whether a 32-bit reading sees a tie. The document with the first
    # score is relevant and has the smaller id, so a tie puts it second.
    "signed zeros": ("0.0", "-0.0", True),
    "subnormal in 64 bits": ("4e-324", "0", True),
    "subnormal in 32 bits": ("3e-45", "1e-45", False),
    "subnormal in 32 bits, negative": ("-1e-45", "-3e-45", False),
    "above the largest 32-bit number": ("1e300", "1e39", True),
    "above the largest 32-bit number and below": ("1e39", "3e38", False),
    "infinite": ("inf", "1e400", True),
    "infinite and finite": ("inf", "3e38", False),
    "minus infinity is last": ("-3e38", "-inf", False),
    "beyond 24 bits": ("16777217", "16777216", True),
    "within 24 bits": ("16777216", "16777215", False),
    "negative": ("-1", "-2", False),
    "small exponents": ("2.5e-4", "1e-4", False),
}


@pytest.mark.parametrize(("first", "second", "tie"), ORDERS.values(), ids=ORDERS)
def test_order_of_scores(first: str, second: str, tie: bool, scored: Any) -> None:
    run = lines(f"t1 Q0 b 1 {second} x", f"t1 Q0 a 2 {first} x")
    assert scored(lines("t1 0 a 1"), run) == pytest.approx({"t1": SECOND if tie else 1.0})


def test_same_document_in_two_topics_is_no_duplicate(scored: Any) -> None:
    run = lines("t1 Q0 a 1 2 x", "t2 Q0 a 1 2 x", "t1 Q0 b 2 1 x", "t2 Q0 b 2 1 x")
    assert scored(lines("t1 0 a 1", "t2 0 a 1", "t1 0 b 0"), run) == {"t1": 1.0, "t2": 1.0}


BAD_LINES = [
    ("t1 0 a", "line 3: expected 4 fields, found 3"),
    ("t1 0 a b 1", "line 3: expected 4 fields, found 5"),
    ("# a remark", "line 3: expected 4 fields, found 3"),  # no comments: see the case of topic #1
    ("t1", "line 3: expected 4 fields, found 1"),
    ("t1 0 d high", "line 3: grade 'high' is not an integer"),
    ("t1 0 a 1", "line 3: duplicate judgement for document a in topic t1"),
    ("t1 0 a 0", "line 3: duplicate judgement for document a in topic t1"),
    ("t1\t0\ta\t1", "line 3: duplicate judgement for document a in topic t1"),
]


@pytest.mark.parametrize(("bad", "message"), BAD_LINES)
def test_bad_line_of_qrels_is_named(bad: str, message: str, write: Write) -> None:
    path = write("q", lines("t1 0 a 1", "", bad, "t2 0 b 1"))
    with pytest.raises(ValueError, match=re.escape(f"{path}: {message}")) as error:
        read_qrels(path)
    assert repr(bad) in str(error.value)
    assert "\n" not in str(error.value)


def test_duplicate_shows_both_lines(write: Write) -> None:
    path = write("r", lines("t1 Q0 a 1 3 x", "t2 Q0 a 1 2 x", "t1 Q0 b 2 2 x", "t1 Q0 a 3 1 y"))
    expected = (
        f"{path}: line 4: duplicate document a for topic t1 in the run: 't1 Q0 a 3 1 y'; "
        "line 1: 't1 Q0 a 1 3 x'"
    )
    with pytest.raises(ValueError, match=re.escape(expected)):
        read_run(path)


def test_duplicates_first_and_max(write: Write) -> None:
    rows = ("t1 Q0 a 1 1 x", "t1 Q0 b 2 2 x", "t1 Q0 a 3 3 x", "t1 Q0 a 4 2.5 x", "t1 Q0 b 5 1 x")
    path = write("r", lines(*rows))
    kept = {how: read_run(path, duplicates=how) for how in ("first", "max")}
    assert kept["first"].score.tolist() == [1.0, 2.0]
    assert dict(zip(kept["max"].docs.strings(), kept["max"].score, strict=True)) == {"a": 3, "b": 2}
    assert kept["first"].dropped == kept["max"].dropped == 3


def test_many_duplicates_take_no_time(write: Write) -> None:
    text = "".join(f"t{i % 50} Q0 d{i} {i} {i % 97} x\n" for i in range(40_000))
    run = read_run(write("r", text * 2), duplicates="max")
    assert (len(run.docs), run.dropped) == (40_000, 40_000)


def test_line_numbers_hold_in_a_large_file(write: Write) -> None:
    # The file is read in pieces of a megabyte; the bad line stands in a later one.
    rows = [f"t{i // 1000} Q0 doc{i} {i} {-i} tag" for i in range(60_000)]
    rows[54_320] = "t54 Q0 doc 1 x tag"
    with pytest.raises(ValueError, match="line 54321: score 'x' is not a number"):
        read_run(write("r", lines(*rows)))
    rows[54_320] = rows[7].replace("tag", "again")
    with pytest.raises(ValueError, match=r"line 54321: duplicate document doc7 .*; line 8:"):
        read_run(write("r", lines(*rows)))


def test_topics_stand_in_the_order_of_the_file(write: Write) -> None:
    qrels = read_qrels(write("q", lines("b 0 x 1", "a 0 x 1", "b 0 y 1", "10 0 x 1", "9 0 x 1")))
    assert qrels.topics == ("b", "a", "10", "9")


def test_dictionaries_and_files_are_read_alike(write: Write) -> None:
    nested = {"t1": {"a": 1, "long" * 9: 0}, "t2": {"b": 2}}
    text = lines(*(f"{t} 0 {d} {g}" for t in nested for d, g in nested[t].items()))
    kinds: tuple[Judgments | Rankings, ...] = (read_qrels(nested), read_qrels(write("q", text)))
    one, other = ([k.topics, k.topic.tolist(), k.docs.strings()] for k in kinds)
    assert one == other
