"""One run at a time on one folder of results."""

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ndcgstudy.disk import put

_HOLDER = ".held-by"


class HeldError(RuntimeError):
    """Another run writes to the folder; the message says which."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Make a folder and keep it to this process until the block ends; a dead process keeps nothing.

    Raises
    ------
    HeldError
        If another process has it.
    OSError
        If the folder cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder)
        holder = folder / _HOLDER
        put(holder, f"process {os.getpid()} on {platform.node()}".encode())
        try:
            yield
        finally:
            holder.unlink(missing_ok=True)
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    """Lock a folder; a file system that knows no locks lets every run in, and all end right."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        who = _holder(folder)
        text = f"{folder} is held by {who}; wait for it, or name another folder with --out"
        raise HeldError(text) from None
    except OSError:
        return


def _holder(folder: Path) -> str:
    try:
        return (folder / _HOLDER).read_text().strip() or "another run"
    except OSError:
        return "another run"
