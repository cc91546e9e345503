"""The bytes of a text file, decompressed, checked to be UTF-8 text, with a line at hand by number."""

import bz2
import gzip
import lzma
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ndcgstudy.ids import PADDING, Bytes, Index

BOM = b"\xef\xbb\xbf"
_PACKED: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
    b"BZh": ("bzip2", bz2.decompress),
}


@dataclass(frozen=True)
class TextFile:
    """The content of a text file.

    Parameters
    ----------
    name
        What to call it in messages.
    buffer
        Its bytes without a byte order mark, ending in a newline, then eight NULs.
    size
        The number of bytes of text.
    """

    name: str
    buffer: Bytes
    size: int

    @cached_property
    def ends(self) -> Index:
        """The position of the newline that ends each line."""
        return np.flatnonzero(self.buffer[: self.size] == ord("\n"))

    def number(self, position: int) -> int:
        """Return the 1-based number of the line that holds a position."""
        return int(np.searchsorted(self.ends, position)) + 1

    def start(self, number: int) -> int:
        """Return where a line begins, by its 1-based number."""
        return 0 if number == 1 else int(self.ends[number - 2]) + 1

    def last_field(self, position: int) -> str:
        """Return the last field of the line that holds a position."""
        size = 1 << 10
        while ord("\n") not in self.buffer[position : position + size]:
            size *= 4
        return (
            self.buffer[position : position + size].tobytes().split(b"\n")[0].split()[-1].decode()
        )

    def line(self, number: int) -> str:
        """Return a line by its 1-based number, without its end."""
        raw = self.buffer[self.start(number) : int(self.ends[number - 1])].tobytes()
        return raw.decode(errors="replace").rstrip("\r")


def read_text(path: str | Path) -> TextFile:
    """Read a text file: plain, gzip, xz or bzip2 (told by its content), or ``-`` for standard input.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not text, not UTF-8, or its compressed data are damaged or cut short.
    """
    name = str(path)
    if name == "-":
        data, name = sys.stdin.buffer.read(), "<stdin>"
    else:
        data = Path(path).read_bytes()
    return text_of(_unpacked(data, name), name)


def text_of(data: bytes, name: str) -> TextFile:
    """Check bytes to be text and lay them out for reading."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name}: not UTF-8 text (it looks like UTF-16); save it as UTF-8")
    data = data.removeprefix(BOM)
    end = b"" if data.endswith(b"\n") or not data else b"\n"
    return TextFile(name, np.frombuffer(data + end + PADDING, dtype=np.uint8), len(data) + len(end))


def _unpacked(data: bytes, name: str) -> bytes:
    for magic, (kind, unpack) in _PACKED.items():
        if data.startswith(magic) and (kind != "bzip2" or data[4:10] == b"1AY&SY"):
            try:
                return unpack(data)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
                raise ValueError(f"{name}: the {kind} data are damaged or cut short") from None
    return data
