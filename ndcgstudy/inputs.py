"""Files that cells read: found by name, known by their content, read once a process."""

import functools
import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Input = str | Path

VARIABLE = "NDCGSTUDY_DATA"


def data_folder() -> Path:
    """Return the folder of the data: what NDCGSTUDY_DATA names, else ``../shared/data``."""
    return Path(os.environ.get(VARIABLE) or Path("..", "shared", "data")).resolve()


def find(name: Input) -> Path:
    """Return where an input is: a text is relative to the folder of the data, a path stands as it is.

    Examples
    --------
    >>> find("runs/bm25.gz") == data_folder() / "runs" / "bm25.gz"
    True
    """
    return name if isinstance(name, Path) else data_folder() / name


def listed(names: Iterable[Input]) -> dict[str, Path]:
    """Return the files behind inputs, by name and sorted; a folder stands for all files in it.

    Raises
    ------
    ValueError
        If one is missing.
    """
    found: dict[str, Path] = {}
    for name in names:
        path, text = find(name), name.name if isinstance(name, Path) else name
        if path.is_dir():
            files = (file for file in path.rglob("*") if file.is_file())
            found |= {f"{text}/{file.relative_to(path).as_posix()}": file for file in files}
        elif path.is_file():
            found[text] = path
        else:
            raise ValueError(f"input {text}: no such file: {path} (see {VARIABLE})")
    return dict(sorted(found.items()))


def hashes(names: Iterable[Input]) -> dict[str, str]:
    """Return the SHA-256 of every file behind inputs, by name."""
    return {name: _sha256(*stamp(path)) for name, path in listed(names).items()}


def stamp(path: Path) -> tuple[Path, int, int]:
    """Return a file's path, time and size: while they stay, its content is taken to stay."""
    state = path.stat()
    return path, state.st_mtime_ns, state.st_size


@functools.cache
def _sha256(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def loader(load: Callable[[Path], T]) -> Callable[[Input], T]:
    """Decorate a function that reads a file, so that a process reads each file once.

    A cell calls it with the name of an input; what it returns stays in the worker and must not be
    changed. So no cell carries data: it carries names.

    Examples
    --------
    >>> @loader
    ... def size(path):
    ...     return path.stat().st_size
    >>> size(Path(__file__)) > 0
    True
    """

    @functools.cache
    def kept(path: Path, changed: int, size: int) -> T:
        return load(path)

    @functools.wraps(load)
    def by_name(name: Input) -> T:
        return kept(*stamp(find(name)))

    return by_name
