"""Columns of ids: each operation against the same one on plain Python strings."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.ids import Finder, Ids, blocks, joined, mix, pair_keys

# Few letters, so that ids repeat and share beginnings; lengths around the words of eight bytes.
LETTERS = st.text("ab0é\u00a0", min_size=1, max_size=20)
ODD = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=9
)
LONG = st.builds(lambda a, n, b: a * n + b, LETTERS, st.integers(1, 40), LETTERS)
COLUMN = st.lists(st.one_of(LETTERS, ODD, LONG), max_size=40)
CODES = st.integers(0, 3)


@given(COLUMN)
def test_of_and_strings_are_inverse(strings: list[str]) -> None:
    ids = Ids.of(strings)
    assert ids.strings() == strings
    assert [ids[i] for i in range(len(ids))] == strings


@pytest.mark.parametrize("wrong", ["", "a\0b", 7, None, b"a", float("nan")])
def test_what_is_no_id_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="an id must be a string"):
        Ids.of(["good", wrong])  # type: ignore[list-item]


def numbered(strings: list[str]) -> tuple[list[int], list[str]]:
    names = list(dict.fromkeys(strings))
    return [names.index(text) for text in strings], names


@given(COLUMN)
def test_factorize_numbers_ids_as_a_dictionary_does(strings: list[str]) -> None:
    codes, names = Ids.of(strings).factorize()
    assert (codes.tolist(), names) == numbered(strings)


def test_factorize_notices_ids_that_share_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ids, "hashes", lambda self: np.zeros(len(self), np.uint64))
    with pytest.raises(RuntimeError, match="share a 64-bit hash"):
        Ids.of(["a", "b"]).factorize()


@given(COLUMN)
def test_runs_begin_where_the_id_changes(strings: list[str]) -> None:
    expected = [i for i, text in enumerate(strings) if i == 0 or text != strings[i - 1]]
    assert Ids.of(strings).runs().tolist() == expected


@given(st.lists(st.tuples(LETTERS, LETTERS), max_size=30), st.lists(LONG, max_size=5))
def test_equal_compares_row_by_row(pairs: list[tuple[str, str]], same: list[str]) -> None:
    left, right = [a for a, _ in pairs] + same, [b for _, b in pairs] + same
    expected = [a == b for a, b in zip(left, right, strict=True)]
    assert Ids.of(left).equal(Ids.of(right)).tolist() == expected


@pytest.mark.parametrize("last", ["a", "a" * 300], ids=["short", "long"])
@given(strings=COLUMN)
def test_byte_order_sorts_as_bytes_do(last: str, strings: list[str]) -> None:
    strings = [*strings, last]
    order = np.lexsort(Ids.of(strings).byte_order())
    assert [strings[i] for i in order] == sorted(strings, key=str.encode)


@given(COLUMN, LONG)
def test_a_hash_depends_on_its_id_alone(strings: list[str], other: str) -> None:
    alone = [int(Ids.of([text]).hashes()[0]) for text in strings]
    assert Ids.of([*strings, other]).hashes().tolist()[: len(strings)] == alone
    assert len(set(alone)) == len(set(strings))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50))
def test_mix_is_one_to_one(values: list[int]) -> None:
    assert len(set(mix(np.array(values, np.uint64)).tolist())) == len(set(values))


@given(COLUMN, st.data())
def test_take_keeps_ids_and_hashes(strings: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, max(len(strings) - 1, 0)), max_size=9 * bool(strings)))
    ids = Ids.of(strings)
    if data.draw(st.booleans()):
        ids.hashes()
    part = ids.take(np.array(rows, dtype=np.int64))
    assert part.strings() == [strings[i] for i in rows]
    assert part.hashes().tolist() == ids.hashes()[rows].tolist()


@given(COLUMN, st.integers(0, 40), st.booleans())
def test_joined_undoes_cutting(strings: list[str], at: int, hashed: bool) -> None:
    ids = Ids.of(strings)
    parts = [ids.take(slice(None, at)), ids.take(slice(at, None))]
    if hashed:
        for part in parts:
            part.hashes()
    assert joined(parts).strings() == strings
    assert joined(parts).hashes().tolist() == ids.hashes().tolist()


@given(COLUMN)
def test_a_pickle_holds_the_same_ids(strings: list[str]) -> None:
    assert pickle.loads(pickle.dumps(Ids.of(strings))).strings() == strings


@pytest.mark.parametrize(("rows", "size"), [(0, 4), (1, 4), (4, 4), (9, 4)])
def test_blocks_cover_all_rows(rows: int, size: int) -> None:
    assert [i for block in blocks(rows, size) for i in range(rows)[block]] == list(range(rows))


def test_hashes_do_not_depend_on_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    strings = [f"{'x' * (i % 30)}{i}" for i in range(500)]
    whole = Ids.of(strings).hashes().tolist()
    monkeypatch.setattr("ndcgstudy.ids.blocks", lambda rows: blocks(rows, 7))
    assert Ids.of(strings).hashes().tolist() == whole


KEYS = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 2**64 - 1)), max_size=30)


@given(KEYS, KEYS)
def test_finder_finds_what_a_dictionary_finds(keys: list[int], wanted: list[int]) -> None:
    wanted = wanted + keys[::2]
    rows, at = Finder(np.array(keys, np.uint64)).find(np.array(wanted, np.uint64))
    assert sorted(rows.tolist()) == [i for i, key in enumerate(wanted) if key in set(keys)]
    assert all(keys[j] == wanted[i] for i, j in zip(rows.tolist(), at.tolist(), strict=True))


Rows = list[tuple[int, str]]


def same_keys_as_pairs(keys: Callable[..., np.ndarray], rows: Rows) -> bool:
    """Tell whether keys are equal exactly where (topic, document) pairs are."""
    codes = np.array([topic for topic, _ in rows], dtype=np.int64)
    made = keys(codes, Ids.of([doc for _, doc in rows])).tolist()
    return len(set(made)) == len(set(rows)) == len(set(zip(made, rows, strict=True)))


@given(st.lists(st.tuples(CODES, LETTERS), max_size=40))
def test_pair_keys_tell_pairs_apart(rows: Rows) -> None:
    assert same_keys_as_pairs(pair_keys, rows)


def test_keys_of_the_document_alone_would_be_noticed() -> None:
    def wrong(codes: np.ndarray, ids: Ids) -> np.ndarray:
        return ids.hashes()

    assert not same_keys_as_pairs(wrong, [(0, "a"), (1, "a")])


def test_keys_that_add_number_and_hash_would_be_noticed() -> None:
    def wrong(codes: np.ndarray, ids: Ids) -> np.ndarray:
        return codes.astype(np.uint64) + ids.word(0)

    assert not same_keys_as_pairs(wrong, [(0, "b"), (1, "a")])
