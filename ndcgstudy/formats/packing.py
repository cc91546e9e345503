"""Compressed data: recognised by their first bytes when read, by the name of the file when written."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ndcgstudy.formats.budget import PIECE, SLICE, Budget
from ndcgstudy.formats.extras import needed

_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # of bzip2: a block follows, or the end


@dataclass(frozen=True)
class Packing:
    """A way to compress.

    Parameters
    ----------
    kind, suffix
        What it is called, and how its files' names end.
    magic
        How its data begin.
    pack, expand
        Compress, and decompress piece by piece; the second argument is the file's name.
    """

    kind: str
    suffix: str
    magic: bytes
    pack: Callable[[bytes, str], bytes]
    expand: Callable[[bytes, str], Iterator[bytes]]

    def fits(self, head: bytes) -> bool:
        """Return whether data begin as this packing's."""
        return head.startswith(self.magic) and (self.kind != "bzip2" or head[4:10] in _BLOCKS)


def _zstd(name: str) -> Any:
    return needed("zstandard", name, "zstd")


def _pack_zstd(data: bytes, name: str) -> bytes:
    packed: bytes = _zstd(name).ZstdCompressor(write_checksum=True).compress(data)
    return packed


def _expand_gzip(data: bytes, _: str) -> Iterator[bytes]:
    while data:
        member, rest = zlib.decompressobj(zlib.MAX_WBITS | 16), data
        while not member.eof:
            piece = member.decompress(rest, PIECE)
            rest = member.unconsumed_tail
            if not (piece or rest or member.eof):
                raise EOFError
            yield piece
        data = member.unused_data.lstrip(b"\0")  # padding, as of a tape


def _expand_by(new: Callable[[], Any]) -> Callable[[bytes, str], Iterator[bytes]]:
    """Return the function that expands data of bz2's or lzma's decompressor."""

    def expand(data: bytes, _: str) -> Iterator[bytes]:
        while data:
            member, rest = new(), data
            while not member.eof:
                piece = member.decompress(rest, PIECE)
                rest = b""
                if not piece and member.needs_input and not member.eof:
                    raise EOFError
                yield piece
            data = member.unused_data

    return expand


def _expand_zstd(data: bytes, name: str) -> Iterator[bytes]:
    return _zstd_frames(
        _zstd(name), data
    )  # a missing package is told here, before any data are read


def _zstd_frames(library: Any, data: bytes) -> Iterator[bytes]:
    whole = library.ZstdDecompressor()
    while data:
        frame = whole.decompressobj()
        for at in range(0, len(data), SLICE):
            yield _step(library, frame, data[at : at + SLICE])
            if frame.eof:
                break
        if not frame.eof:
            raise EOFError
        data = frame.unused_data + data[at + SLICE :]


def _step(library: Any, frame: Any, data: bytes) -> bytes:
    try:
        return bytes(frame.decompress(data))
    except library.ZstdError:
        raise ValueError("no zstd frame") from None


PACKINGS = (
    Packing(
        "gzip",
        ".gz",
        b"\x1f\x8b",
        lambda data, _: gzip.compress(data, mtime=0),
        _expand_gzip,
    ),
    Packing(
        "bzip2",
        ".bz2",
        b"BZh",
        lambda data, _: bz2.compress(data),
        _expand_by(bz2.BZ2Decompressor),
    ),
    Packing(
        "xz",
        ".xz",
        b"\xfd7zXZ\x00",
        lambda data, _: lzma.compress(data),
        _expand_by(lzma.LZMADecompressor),
    ),
    Packing("zstd", ".zst", b"\x28\xb5\x2f\xfd", _pack_zstd, _expand_zstd),
)


def packing_of(head: bytes) -> Packing | None:
    """Return how data are compressed, by their first 16 bytes; None where they are not."""
    return next((packing for packing in PACKINGS if packing.fits(head)), None)


def unpacked(packing: Packing, data: bytes, name: str) -> bytes:
    """Decompress, piece by piece, within a budget.

    Raises
    ------
    ValueError
        If the data are damaged or cut short, expand beyond the limit, hold compressed data again, or
        zstd is not installed.
    """
    budget, found = Budget(name, len(data)), list[bytes]()
    pieces = packing.expand(data, name)
    while (piece := _next(packing, pieces, name)) is not None:
        budget.spend(len(piece))
        found.append(piece)
    whole = found[0] if len(found) == 1 else b"".join(found)
    if inner := packing_of(whole[:16]):
        raise ValueError(
            f"{name}: {inner.kind} data inside {packing.kind} data; unpack it once first"
        )
    return whole


def _next(packing: Packing, pieces: Iterator[bytes], name: str) -> bytes | None:
    """Return the next piece, None behind the last."""
    try:
        return next(pieces, None)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
        raise ValueError(f"{name}: the {packing.kind} data are damaged or cut short") from None


def packed(data: bytes, path: str) -> bytes:
    """Compress as the end of a file's name says: .gz, .bz2, .xz, .zst; any other leaves data as they are."""
    packing = next((p for p in PACKINGS if path.lower().endswith(p.suffix)), None)
    return packing.pack(data, path) if packing else data


def inner_name(path: str) -> str:
    """Return a file's name without the suffix of its packing.

    Examples
    --------
    >>> inner_name("board.csv.gz"), inner_name("board.csv")
    ('board.csv', 'board.csv')
    """
    end = next((p.suffix for p in PACKINGS if path.lower().endswith(p.suffix)), "")
    return path[: len(path) - len(end)]
