"""Fields and numbers against plain Python, wherever a piece of the text may end."""

import re
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from plain import pieces_of, plain_float, texts

from ndcgstudy.formats import numbers
from ndcgstudy.formats.fields import map_pieces, split_fields
from ndcgstudy.formats.numbers import decimals
from ndcgstudy.formats.textfile import TextFile, text_of
from ndcgstudy.ids import Ids

Split = tuple[list[tuple[int, list[str]]], list[tuple[int, int]]]


def split_plainly(text: str, count: int) -> Split:
    """Split a text into (line, fields) of the good lines and (line, number) of the others."""
    words = [re.findall(r"[^ \t\r\n]+", line) for line in text.split("\n")]
    lines = list(enumerate(words, start=1))
    good = [(i, found) for i, found in lines if len(found) == count]
    return good, [(i, len(found)) for i, found in lines if len(found) not in (0, count)]


def split_by_package(text: TextFile, count: int) -> Split:
    """Do the same with the package, the pieces put together again."""
    good, wrong = [], []
    parts = map_pieces(text, lambda a, b: split_fields(text, a, b, count, tuple(range(count))))
    for part in parts:
        rows = zip(*(column.strings() for column in part.columns), strict=True)
        lines = text.numbers(part.columns[0].start).tolist()
        good += [(line, list(row)) for line, row in zip(lines, rows, strict=True)]
        wrong += part.wrong
    return good, wrong


@given(texts(3), st.sampled_from([1, 2, 5, 8, 16, 40, 1 << 20]))
@example("a b c", 1)
@example("\n\n a b c\r\n\t\n", 1)
@example("a" * 50 + " b c\nd e f\n", 16)
def test_fields_are_those_of_a_plain_splitter(text: str, piece: int) -> None:
    with pieces_of(piece):
        assert split_by_package(text_of(text.encode(), "text"), 3) == split_plainly(text, 3)


@given(texts(3))
def test_pieces_are_whole_lines_that_cover_the_text(text: str) -> None:
    data = text_of(text.encode(), "text")
    with pieces_of(4):
        parts = map_pieces(data, lambda a, b: data.buffer[a:b].tobytes())
    assert b"".join(parts) == data.buffer[: data.size].tobytes()
    assert all(part.endswith(b"\n") for part in parts)


def test_a_splitter_that_takes_every_unicode_blank_would_be_noticed() -> None:
    text = "a\u00a0b c\n"
    assert split_plainly(text, 2) == ([(1, ["a\u00a0b", "c"])], [])
    assert split_plainly(text, 2) != ([], [(1, len(text.split()))])


# -- numbers ------------------------------------------------------------------------------------------

DIGITS = st.text("0123456789", max_size=25)
DECIMAL = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(["", "-", "+"]),
    DIGITS,
    st.sampled_from([".", "", ".0", "0000.", ".00000000"]),
    DIGITS,
    st.one_of(
        st.just(""),
        st.builds(lambda e, n: f"{e}{n}", st.sampled_from("eE"), st.integers(-400, 400)),
    ),
)
NEARLY = st.text("0123456789.+-eEinfatyNAI_,x é\u0661", min_size=1, max_size=24).map(
    lambda text: text.replace(" ", "")
)
TOKEN = st.one_of(
    DECIMAL,
    NEARLY,
    st.floats().map(repr),
    st.floats(-1e4, 1e4).map(lambda x: f"{x:.6f}"),
    st.floats(width=32).map(str),
    st.integers().map(str),
    st.sampled_from(
        ["nan", "-NaN", "inf", "+Infinity", "infinit", "1e", "0x10", "1_0", ".", "-", "1.5.2"]
    ),
).filter(bool)


def bits(value: float) -> bytes:
    return b"nan" if value != value else struct.pack("<d", value)


@given(st.lists(TOKEN, min_size=1, max_size=40))
@example(["9007199254740993", "9007199254740992.5", "0.1", "-0", "-.0", "123456789012345678"])
@example(["1" * 18, "1" * 19, "0" * 30 + "7", "4.35", "0.000001", "12345678.12345678", "5e-324"])
def test_decimals_equal_pythons_to_the_last_bit(tokens: list[str]) -> None:
    expected = [plain_float(text) for text in tokens]
    values, good = decimals(Ids.of(tokens))
    assert good.tolist() == [value is not None for value in expected]
    for value, wanted in zip(values.tolist(), expected, strict=True):
        assert bits(value) == bits(float("nan") if wanted is None else wanted)


def test_dividing_step_by_step_would_be_noticed() -> None:
    """Rounding twice is wrong in the last bit for some of few digits, so exact equality says something."""
    tokens = [f"{n / 1000:.3f}" for n in range(1, 3000)]
    twice = np.array([int(t.replace(".", "")) for t in tokens]) * 0.1 * 0.1 * 0.1
    assert (decimals(Ids.of(tokens))[0] != twice).any()
    assert (decimals(Ids.of(tokens))[0] == np.array([float(t) for t in tokens])).all()


def test_numbers_do_not_depend_on_their_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = ["1.25", "x", "7", "1e3", "-0.5", "nan", "12345678901234567890"] * 5
    whole = decimals(Ids.of(tokens))
    monkeypatch.setattr(
        numbers, "blocks", lambda rows: (slice(i, i + 3) for i in range(0, rows, 3))
    )
    for a, b in zip(whole, decimals(Ids.of(tokens)), strict=True):
        np.testing.assert_array_equal(a, b)
