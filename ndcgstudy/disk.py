"""Files written so that a reader, or a machine that stops, never finds half of one."""

import os
from pathlib import Path


def put(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it.

    Raises
    ------
    OSError
        If it cannot be written; the error names the file.
    """
    try:
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:  # a full disk names no file
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def put_whole(path: Path, data: bytes) -> Path:
    """Write a file under another name first and then rename it; return its path.

    Raises
    ------
    OSError
        If it cannot be written; an earlier file stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        put(staged, data)
        staged.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        staged.unlink(missing_ok=True)
    return path
