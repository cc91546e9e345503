"""The store gives back what it was given, and says in a line what is wrong with its file."""

import math
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.store import Store, StoreError, clear, listing, names, path_of

SCALARS = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8")),
)
ROWS = st.lists(st.dictionaries(st.text(max_size=5), SCALARS, max_size=4), max_size=4)


@pytest.fixture
def path(tmp_path):
    return path_of(tmp_path / "cache", "walk")


@given(ROWS)
def test_rows_come_back_to_the_last_bit_and_in_their_types(rows):
    with closing(Store()) as store:
        store.put("a", rows, seconds=1.0)
        (found,) = store.rows(["a"])
    assert [[(k, type(v), repr(v)) for k, v in row.items()] for row in found] == [
        [(k, type(v), repr(v)) for k, v in row.items()] for row in rows
    ]


def test_numbers_that_are_none_come_back():
    with closing(Store()) as store:
        store.put("a", [{"x": math.nan, "y": math.inf, "z": -0.0}], seconds=1.0)
        ((row,),) = store.rows(["a"])
    assert math.isnan(row["x"])
    assert (row["y"], math.copysign(1, row["z"])) == (math.inf, -1)


def test_another_connection_sees_each_cell_at_once(path):
    with closing(Store(path)) as one, closing(Store(path)) as two:
        one.put("a", [{"n": 1}], seconds=2.0)
        assert two.keys() == {"a"}
        two.put("b", [{"n": 2}], seconds=4.0)
        two.put("a", [{"n": 3}], seconds=6.0)
        assert list(one.rows(["b", "a"])) == [[{"n": 2}], [{"n": 3}]]
        assert one.seconds(["b", "none"]) == [4.0]


def not_a_database(path):
    path.write_text("not a database" * 1000)


def foreign(path):
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE bookmarks (url TEXT)")


def folder(path):
    path.mkdir()


def garbled_rows(path):
    with closing(Store(path)) as store:
        store.put("a", [{"n": 1}], seconds=1.0)
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE cells SET rows = X'7878'")
        base.commit()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (not_a_database, "file is not a database"),
        (foreign, "it belongs to another program"),
        (folder, "unable to open database file"),
        (garbled_rows, "cell a is damaged"),
    ],
)
def test_a_file_that_is_no_store_is_told_in_a_line_and_left_alone(path, spoil, why):
    path.parent.mkdir()
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StoreError) as caught, closing(Store(path)) as store:
        list(store.rows(["a"]))
    assert str(caught.value).startswith(f"store of cells {path}: {why}; ")
    assert str(caught.value).endswith(" or name another with --cache DIR")
    assert "\n" not in str(caught.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_store_below_a_file_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="Not a directory; free the place or name another"):
        Store(tmp_path / "file" / "cache" / "walk.sqlite")


def test_a_folder_of_stores_is_listed_with_what_cannot_be_read(path):
    with closing(Store(path)) as store:
        store.put("a", [{"n": 1}], seconds=1.0)
    not_a_database(path.with_name("bad.sqlite"))
    bad, walk = listing(path.parent)
    assert "file is not a database" in bad.problem
    assert (walk.study, walk.cells, walk.problem) == ("walk", 1, "")
    assert walk.size > 0
    assert walk.last > 1e9


def test_clearing_deletes_a_store_with_its_latest_writes(path):
    with closing(Store(path)) as store:
        store.put("a", [{"n": 1}], seconds=1.0)
        assert len(list(path.parent.glob("walk.sqlite*"))) == 3
        clear(path.parent, ["walk"])
    assert names(path.parent) == []
    assert not list(path.parent.glob("walk.sqlite*"))


def test_rows_under_the_key_of_another_cell_are_found_out(path):
    with closing(Store(path)) as store:
        store.put("a", [{"n": 1}], seconds=1.0)
        store.put("b", [{"n": 2}], seconds=1.0)
    with closing(sqlite3.connect(path)) as base:
        other = "(SELECT {0} FROM cells WHERE key = 'b')"
        base.execute(f"UPDATE cells SET rows = {other.format('rows')}, sum = {other.format('sum')}")
        base.commit()
    with closing(Store(path)) as store:
        assert list(store.rows(["b"])) == [[{"n": 2}]]
        with pytest.raises(StoreError, match="cell a is damaged"):
            list(store.rows(["a"]))


def test_cells_of_an_earlier_version_are_computed_again(path):
    with closing(Store(path)) as store:
        store.put("a", [{"n": 1}], seconds=1.0)
    with closing(sqlite3.connect(path)) as base:
        base.execute("ALTER TABLE cells DROP COLUMN sum")
        base.execute("PRAGMA user_version=0")
        base.commit()
    with closing(Store(path)) as store:
        assert store.keys() == set()
        store.put("a", [{"n": 2}], seconds=1.0)
        assert list(store.rows(["a"])) == [[{"n": 2}]]
