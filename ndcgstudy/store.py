"""Finished cells on disk: one sqlite file a study, in which every cell is committed as it ends."""

import hashlib
import json
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ndcgstudy.study import Row

_MARK = 0x6E644347  # "ndCG", by which a file is known as a store
_FORM = 2  # of the table; cells that an earlier version stored are computed again
_TABLE = (
    "CREATE TABLE IF NOT EXISTS cells "
    "(key TEXT PRIMARY KEY, rows BLOB, sum BLOB, seconds REAL, at REAL)"
)
_BUSY = 60.0  # seconds that a run waits for another that writes to the same store


class StoreError(RuntimeError):
    """A store cannot be read or written; the message says which, why, and what to do."""


class Store:
    """Rows by key, on disk or, without a path, in memory.

    Every `put` is one transaction: a process that is killed loses no cell that was put. Rows come
    back as they were: numbers to the last bit, and int, float, bool and str as they are.

    Raises
    ------
    StoreError
        From every method: if the file is damaged, no store, not writable, or the disk is full.

    Examples
    --------
    >>> store = Store()
    >>> store.put("a", [{"x": 0.1, "n": 1}], seconds=2.0)
    >>> list(store.rows(["a"])), store.seconds(["a"])
    ([[{'x': 0.1, 'n': 1}]], [2.0])
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        with self._told():
            if path:
                _make(path.parent)
            self._base = sqlite3.connect(path or ":memory:", timeout=_BUSY, isolation_level=None)
            self._open()

    def _open(self) -> None:
        """Mark a new file as a store, and refuse a file of another program."""
        mark, tables = self._asked("PRAGMA application_id"), self._tables()
        if tables and mark != _MARK:
            raise sqlite3.DatabaseError("it belongs to another program")
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        if not tables or self._asked("PRAGMA user_version") != _FORM:
            self._renew()

    def _renew(self) -> None:
        """Make the table, in one transaction: another run may open the same file."""
        self._base.execute("BEGIN IMMEDIATE")
        if not self._tables() or self._asked("PRAGMA user_version") != _FORM:
            self._base.execute(f"PRAGMA application_id={_MARK}")
            self._base.execute("DROP TABLE IF EXISTS cells")
            self._base.execute(_TABLE)
            self._base.execute(f"PRAGMA user_version={_FORM}")
        self._base.execute("COMMIT")

    def _tables(self) -> int:
        return self._asked("SELECT count(*) FROM sqlite_master")

    def _asked(self, query: str) -> int:
        (found,) = self._base.execute(query).fetchone()
        return int(found)

    def keys(self) -> set[str]:
        """Return the keys of all stored cells."""
        with self._told():
            return {key for (key,) in self._base.execute("SELECT key FROM cells")}

    def put(self, key: str, rows: list[Row], *, seconds: float) -> None:
        """Store the rows of a cell and the time they took; they replace earlier ones."""
        data = zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 1)
        with self._told():
            values = (key, data, _sum(key, data), seconds, time.time())
            self._base.execute("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?)", values)

    def rows(self, keys: Sequence[str]) -> Iterator[list[Row]]:
        """Yield the rows of each cell in the order of the keys."""
        with self._told():
            for key in keys:
                query = "SELECT rows, sum FROM cells WHERE key = ?"
                data, found = self._base.execute(query, (key,)).fetchone()
                if found != _sum(key, data):
                    raise sqlite3.DatabaseError(f"cell {key} is damaged")
                yield json.loads(zlib.decompress(data))

    def seconds(self, keys: Sequence[str] | None = None) -> list[float]:
        """Return what stored cells took: those of some keys, or all."""
        with self._told():
            took = dict(self._base.execute("SELECT key, seconds FROM cells").fetchall())
        return [*took.values()] if keys is None else [took[key] for key in keys if key in took]

    def last(self) -> float | None:
        """Return when the last cell was stored, in seconds since 1970."""
        with self._told():
            (at,) = self._base.execute("SELECT max(at) FROM cells").fetchone()
        return float(at) if at is not None else None

    def close(self) -> None:
        """Close the file."""
        with suppress(sqlite3.Error):
            self._base.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one line what is wrong with the file and what to do about it."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(
                self._line(error, "finished cells are kept; mend this and run again,")
            ) from None
        except (sqlite3.Error, zlib.error, ValueError, TypeError) as error:
            raise StoreError(
                self._line(error, "move the file away, `ndcgstudy cache clear` it,")
            ) from None
        except OSError as error:
            raise StoreError(self._line(error.strerror or error, "free the place")) from None

    def _line(self, why: object, advice: str) -> str:
        return f"store of cells {self.path}: {why}; {advice} or name another with --cache DIR"


def _sum(key: str, data: bytes) -> bytes:
    """Return the checksum of a cell: its rows, and which cell's they are."""
    return hashlib.sha256(key.encode() + b"\0" + data).digest()


def _make(folder: Path) -> None:
    """Make a folder that git ignores."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".gitignore").exists():
        (folder / ".gitignore").write_text("*\n")


@dataclass(frozen=True)
class Stored:
    """What the file of one study holds; `problem` says why it cannot be read."""

    study: str
    cells: int = 0
    size: int = 0
    last: float | None = None
    problem: str = ""


def path_of(folder: Path, study: str) -> Path:
    """Return the file that the cells of a study are stored in."""
    return folder / f"{study}.sqlite"


def names(folder: Path) -> list[str]:
    """Return the studies that have a store in a folder, sorted."""
    return sorted(path.stem for path in folder.glob("*.sqlite"))


def listing(folder: Path) -> list[Stored]:
    """Return what each store in a folder holds, by the name of its study."""
    return [_stored(path_of(folder, name)) for name in names(folder)]


def _stored(path: Path) -> Stored:
    size = sum(part.stat().st_size for part in _parts(path))
    try:
        store = Store(path)
        found = Stored(path.stem, len(store.keys()), size, store.last())
        store.close()
    except StoreError as error:
        return Stored(path.stem, size=size, problem=str(error))
    return found


def clear(folder: Path, studies: Sequence[str]) -> None:
    """Delete the stores of studies.

    Raises
    ------
    OSError
        If a file cannot be deleted.
    """
    for study in studies:
        for part in _parts(path_of(folder, study)):
            part.unlink()


def _parts(path: Path) -> list[Path]:
    """Return the files of a store: sqlite keeps its latest writes beside it."""
    parts = [path.with_name(path.name + tail) for tail in ("", "-wal", "-shm", "-journal")]
    return [part for part in parts if part.exists()]
