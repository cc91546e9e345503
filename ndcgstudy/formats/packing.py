"""Compressed data: recognised by their first bytes when read, by the name of the file when written."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
    pack, unpack
        Compress and decompress; the second argument is the file's name.
    """

    kind: str
    suffix: str
    magic: bytes
    pack: Callable[[bytes, str], bytes]
    unpack: Callable[[bytes, str], bytes]

    def fits(self, head: bytes) -> bool:
        """Return whether data begin as this packing's."""
        return head.startswith(self.magic) and (self.kind != "bzip2" or head[4:10] in _BLOCKS)


def _zstd(name: str) -> Any:
    return needed("zstandard", name, "zstd")


def _pack_zstd(data: bytes, name: str) -> bytes:
    packed: bytes = _zstd(name).ZstdCompressor(write_checksum=True).compress(data)
    return packed


def _unpack_zstd(data: bytes, name: str) -> bytes:
    """Decompress all frames; a frame that does not end is damage."""
    library, parts = _zstd(name), list[bytes]()
    while data:
        frame = library.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(data))
        except library.ZstdError:
            raise ValueError("no zstd frame") from None
        if not frame.eof:
            raise EOFError
        data = frame.unused_data
    return b"".join(parts)


PACKINGS = (
    Packing(
        "gzip",
        ".gz",
        b"\x1f\x8b",
        lambda data, _: gzip.compress(data, mtime=0),
        lambda data, _: gzip.decompress(data),
    ),
    Packing(
        "bzip2",
        ".bz2",
        b"BZh",
        lambda data, _: bz2.compress(data),
        lambda data, _: bz2.decompress(data),
    ),
    Packing(
        "xz",
        ".xz",
        b"\xfd7zXZ\x00",
        lambda data, _: lzma.compress(data),
        lambda data, _: lzma.decompress(data),
    ),
    Packing("zstd", ".zst", b"\x28\xb5\x2f\xfd", _pack_zstd, _unpack_zstd),
)


def packing_of(head: bytes) -> Packing | None:
    """Return how data are compressed, by their first 16 bytes; None where they are not."""
    return next((packing for packing in PACKINGS if packing.fits(head)), None)


def unpacked(packing: Packing, data: bytes, name: str) -> bytes:
    """Decompress.

    Raises
    ------
    ValueError
        If the data are damaged or cut short, or zstd is not installed.
    """
    if packing.kind == "zstd":
        _zstd(name)
    try:
        return packing.unpack(data, name)
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
