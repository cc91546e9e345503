"""Compact letter displays: systems share a letter just where they are not separated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.inference.letters import groups, letters, shortened
from ndcgstudy.seeding import rng_for


@st.composite
def relations(draw, most=8):
    """Any symmetric relation of systems."""
    n = draw(st.integers(1, most))
    upper = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    above = np.triu(np.reshape(upper, (n, n)), 1)
    return above | above.T


def shared(cover):
    return cover.astype(int) @ cover.T > 0


def along_a_line(points, width):
    """Systems, best first, that are separated where they are further apart than a width."""
    points = np.sort(points)[::-1]
    return np.abs(points[:, None] - points) > width


def inserted_and_absorbed(separated):
    """Piepho's letters before sweeping: all maximal groups, as sets."""
    columns = [frozenset(range(len(separated)))]
    for i, j in np.argwhere(np.triu(separated)):
        split = [c - {k} for c in columns if {i, j} <= c for k in (i, j)]
        columns = [c for c in columns if not {i, j} <= c]
        for new in split:
            if not any(new <= c for c in columns):
                columns = [*(c for c in columns if not c <= new), new]
    return set(columns)


@given(relations())
def test_systems_share_a_letter_just_where_they_are_not_separated(separated):
    assert (shared(groups(separated)) == ~separated).all()


@given(relations())
def test_every_letter_is_a_maximal_group_and_needed(separated):
    cover = groups(separated)
    found = {frozenset(np.flatnonzero(column)) for column in cover.T}
    assert found <= inserted_and_absorbed(separated)
    for i in range(cover.shape[1]):
        rest = np.delete(cover, i, axis=1)
        assert (shared(rest) != ~separated).any()  # with one letter less the law fails


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(0, 12))
def test_along_a_line_letters_are_runs_and_none_could_be_spared(points, width):
    separated = along_a_line(np.array(points), width)
    cover = groups(separated)
    assert cover.shape[1] == len(inserted_and_absorbed(separated))
    for column in cover.T:
        at = np.flatnonzero(column)
        assert at.tolist() == list(range(at[0], at[-1] + 1))


def test_runs_along_the_ranking_are_not_enough_where_widths_differ():
    """A wrong display: each letter runs on from a system for as long as none is separated."""
    separated = np.zeros((3, 3), dtype=bool)
    separated[0, 1] = separated[1, 0] = True  # 0 and 2 are not: an uncertain system at the end
    runs = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1]], dtype=bool)
    assert (shared(runs) != ~separated).any()
    assert letters(separated) == ("a", "b", "ab")


def test_none_and_all_separated():
    assert letters(np.zeros((3, 3))) == ("a", "a", "a")
    assert letters(~np.eye(3, dtype=bool)) == ("a", "b", "c")
    assert letters([[False]]) == ("a",)


def test_where_all_maximal_groups_would_be_a_million_there_are_few_letters():
    separated = np.zeros((40, 40), dtype=bool)
    even = np.arange(0, 40, 2)
    separated[even, even + 1] = separated[even + 1, even] = True
    cover = groups(separated)
    assert (shared(cover) == ~separated).all()
    assert cover.shape[1] < 40


def test_letters_go_on_after_the_alphabets():
    found = letters(~np.eye(105, dtype=bool))
    assert (found[0], found[25], found[26], found[51]) == ("a", "z", "A", "Z")
    assert (found[52], found[103], found[104]) == ("a2", "Z2", "a3")


def test_two_hundred_systems():
    separated = along_a_line(rng_for(1).random(200), 0.2)
    cover = groups(separated)
    assert (shared(cover) == ~separated).all()
    assert cover.shape[1] == len(inserted_and_absorbed(separated))


@pytest.mark.parametrize(
    ("text", "short"),
    [("a", "a"), ("abc", "abc"), ("abcd", "a-d"), ("acdefh", "ac-fh"),
     ("yzAB", "y-B"), ("YZa2b2", "Y-b2"), ("aa2", "aa2")],
)  # fmt: skip
def test_runs_are_written_short(text, short):
    assert shortened(text) == short


@pytest.mark.parametrize(
    ("separated", "message"),
    [
        ([[False, True], [False, False]], "`separated` must be a symmetric matrix"),
        ([False, True], "`separated` must be a symmetric matrix, got shape"),
        ([[False, False]], "got shape (1, 2)"),
        ([[False, False], [False, True]], "must not separate a system from itself, as it does 1"),
    ],
)
def test_mistakes_are_named(separated, message):
    with pytest.raises(ValueError, match=r".") as error:
        letters(separated)
    assert message in str(error.value)
