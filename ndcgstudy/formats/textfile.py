"""The bytes of a file, decompressed; where they are UTF-8 text, with a line at hand by number."""

import os
import stat
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ndcgstudy.formats.budget import FREE, STREAM
from ndcgstudy.formats.packing import packing_of, unpacked
from ndcgstudy.ids import PADDING, Bytes, Index

BOM = b"\xef\xbb\xbf"
_END = len(PADDING) + 1
_HEAD = 1 << 16


@dataclass(frozen=True)
class TextFile:
    """The content of a file, of text but for parquet and workbooks.

    Parameters
    ----------
    name
        What to call it in messages.
    buffer
        Its bytes without a byte order mark, ending in a newline, then eight NULs.
    size
        The number of bytes of text.
    bom
        Whether a byte order mark stood before the text.
    added
        The number of bytes at its end that the file does not have: its last newline.
    """

    name: str
    buffer: Bytes
    size: int
    bom: bool = False
    added: int = 0

    @property
    def exact(self) -> bool:
        """Whether places within a line are those of the file."""
        return True

    @cached_property
    def ends(self) -> Index:
        """The position of the newline that ends each line."""
        return np.flatnonzero(self.buffer[: self.size] == ord("\n"))

    def numbers(self, positions: Index) -> Index:
        """Return the 1-based number of the line that holds each position."""
        return np.searchsorted(self.ends, positions) + 1

    def number(self, position: int) -> int:
        """Return the 1-based number of the line that holds a position."""
        return int(self.numbers(np.array(position)))

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

    @property
    def data(self) -> bytes:
        """The bytes as they are, for formats that are no text."""
        return self.buffer[: self.size - self.added].tobytes()

    def decoded(self) -> str:
        """Return the whole text.

        Raises
        ------
        ValueError
            If it is not UTF-8 or holds a NUL, with the line.
        """
        raw = self.buffer[: self.size].tobytes()
        if (at := raw.find(0)) >= 0:
            raise ValueError(f"{self.name}: line {self.number(at)}: not text (byte 0x00)")
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            line = self.number(error.start)
            raise ValueError(f"{self.name}: line {line}: not UTF-8 text") from None

    def first(self) -> str:
        """Return the first line that is not blank, at most 64 KiB into the text, "" where none is."""
        head = self.buffer[: min(self.size, _HEAD)].tobytes().decode(errors="replace")
        return next((line.rstrip("\r") for line in head.split("\n") if line.strip()), "")

    def line(self, number: int) -> str:
        """Return a line by its 1-based number, without its end."""
        raw = self.buffer[self.start(number) : int(self.ends[number - 1])].tobytes()
        return raw.decode(errors="replace").rstrip("\r")


def read_text(path: str | Path) -> TextFile:
    """Read a file: plain, gzip, xz, bzip2 or zstd (by its content), or ``-`` for standard input.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is UTF-16, or its compressed data are damaged or cut short.
    """
    if str(path) == "-":
        return text_of(_streamed(sys.stdin.buffer, "<stdin>"), "<stdin>")
    with open(path, "rb") as file:
        state = os.fstat(file.fileno())
        if stat.S_ISCHR(state.st_mode) and not file.isatty():
            raise ValueError(f"{path}: a device, not a file")
        size = state.st_size
        buffer = np.empty(size + _END, dtype=np.uint8)
        got = file.readinto(buffer.data[:size])
        rest = _streamed(file, str(path))  # a pipe has no size, a growing file has another
    if rest or got < size:
        return text_of(buffer[:got].tobytes() + rest, str(path))
    return _laid_out(buffer, size, str(path))


def _streamed(file: BinaryIO, name: str) -> bytes:
    """Read what has no size beforehand, up to a limit; what begins with a long line is no text."""
    found = bytearray()
    while piece := file.read(1 << 20):
        found += piece
        if len(found) > STREAM:
            raise ValueError(f"{name}: more than {STREAM:,} bytes; save it as a file")
        if len(found) >= FREE > len(found) - len(piece) and not _has_lines(found):
            raise ValueError(f"{name}: no line ends in its first {len(found):,} bytes")
    return bytes(found)


def _has_lines(data: bytearray) -> bool:
    packed = packing_of(bytes(data[:16])) is not None
    return packed or data.startswith((b"PK", b"PAR1")) or b"\n" in data or b"\r" in data


def text_of(data: bytes, name: str) -> TextFile:
    """Lay out bytes for reading, as `read_text` does."""
    buffer = np.empty(len(data) + _END, dtype=np.uint8)
    buffer[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    return _laid_out(buffer, len(data), name)


def _laid_out(buffer: Bytes, size: int, name: str) -> TextFile:
    """Unpack, take off a byte order mark, and end the text with a newline and eight NULs."""
    head = buffer[: min(size, 16)].tobytes()
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError(f"{name}: not UTF-8 text (it looks like UTF-16); save it as UTF-8")
    if packing := packing_of(head):
        return text_of(unpacked(packing, buffer[:size].tobytes(), name), name)
    begin = len(BOM) if head.startswith(BOM) else 0
    text = buffer[:size]
    newline = ord("\n") in text[:_HEAD] or ord("\n") in text
    if not (newline or _is_binary(text)):
        text[text == ord("\r")] = ord("\n")  # lines of an old Mac
    added = int(size > begin and buffer[size - 1] != ord("\n"))
    buffer[size : size + added] = ord("\n")
    size += added
    buffer[size:] = 0
    return TextFile(name, buffer[begin:], size - begin, begin > 0, added)


def _is_binary(data: Bytes) -> bool:
    """Tell parquet and zip files, as a workbook is one, from text."""
    ends = (data[:4].tobytes(), data[-4:].tobytes())
    return ends[0] == b"PK\x03\x04" or ends == (b"PAR1", b"PAR1")
