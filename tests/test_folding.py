"""Ids without leading zeros, odd blanks and case: one by one and as columns."""

from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.folding import BLANKS, difference, fold, folded
from ndcgstudy.ids import Ids

ID = st.text("0aA1é" + BLANKS[:2] + "\u200b\uff11", min_size=1, max_size=10)


@given(st.lists(ID, max_size=20), st.integers(0, 9), st.integers(0, 9))
def test_a_column_folds_as_its_ids_do(ids: list[str], first: int, stop: int) -> None:
    expected = [fold(text) for text in ids]
    assert folded(Ids.of(ids)).strings() == expected
    assert folded(Ids.of(ids).take(slice(first, stop))).strings() == expected[first:stop]


def test_a_column_folds_every_letter_as_its_ids_do() -> None:
    ids = [chr(code) for code in range(1, 0x250)]
    assert folded(Ids.of(ids)).strings() == [fold(text) for text in ids]


@given(ID)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(fold(text, inner=True), inner=True) == fold(text, inner=True)


@given(ID, ID)
def test_ids_that_fold_to_the_same_differ_in_something_named(a: str, b: str) -> None:
    if a != b and fold(a) == fold(b):
        assert difference(a, b) in {
            "odd blanks",
            "Unicode form",
            "case",
            "leading zeros",
            "leading zeros, blanks or case",
        }


def test_folding_keeps_what_is_not_a_leading_zero() -> None:
    assert [fold(t) for t in ("100", "0", "00", "1.05", "a00")] == ["100", "0", "0", "1.05", "a00"]
    assert fold("a00", inner=True) == "a0"
