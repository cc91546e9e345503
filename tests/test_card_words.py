"""The words of a card and its figures in text."""

import pytest

from ndcgstudy.card import Figure, Line
from ndcgstudy.card.line import LESS, MORE, SAME, UNTOLD, against, told
from ndcgstudy.card.text import shown


@pytest.mark.parametrize(
    ("figure", "word"),
    [
        (Figure(0.1, 0.05, 0.2), MORE),
        (Figure(-0.1, -0.2, -0.05), LESS),
        (Figure(0.1, -0.05, 0.2), UNTOLD),
        (Figure(0.0, -0.05, 0.2), UNTOLD),
        (Figure(0.1, 0.0, 0.2), UNTOLD),
        (Figure(0.0, 0.0, 0.0), SAME),
        (Figure(0.0), SAME),
        (Figure(0.3), MORE),
        (Figure(float("nan")), ""),
    ],
)
def test_words_of_a_difference(figure, word):
    assert told(figure) == word


def test_words_stand_with_log2():
    assert against(UNTOLD) == "cannot be told from log2"
    assert against(LESS) == "less than log2"
    assert Line("x", None, None, Figure(1.0), signed=False).verdict == ""


@pytest.mark.parametrize(
    ("figure", "signed", "text"),
    [
        (None, False, ""),
        (Figure(float("nan")), False, "-"),
        (Figure(float("nan"), word="not resolved"), False, "not resolved"),
        (Figure(1234567.0, 1.0, 2e9), False, "1.23e6 [1, 2.00e9]"),
        (Figure(0.25, -0.125, 0.5), True, "+0.2500 [-0.1250, 0.5000]"),
        (Figure(-0.00001), True, "-1.00e-5"),
        (Figure(1 - 1e-16), False, "1"),
        (Figure(-1954.43), False, "-1,954.4"),
    ],
)
def test_figures_in_text(figure, signed, text):
    assert shown(figure, signed) == text
