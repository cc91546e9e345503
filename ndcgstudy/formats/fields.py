"""Split lines of text into fields, vectorised: a column becomes an array of positions.

Any run of blanks or tabs separates fields; blank lines are skipped; lines end in LF, in CRLF, or all
of them in CR. The text is taken in pieces that fit a processor's cache, on a thread for each processor.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import starmap
from typing import TypeVar

import numpy as np

from ndcgstudy.formats.budget import LONGEST
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.ids import Bytes, Ids, Index, Mask

R = TypeVar("R")

PIECE = 1 << 20
_LF = 10
_SPACES = np.zeros(256, dtype=bool)
_HIGH = np.uint64(0x8080808080808080)
_SPACES[[9, _LF, 13, 32]] = True


@dataclass(frozen=True)
class Fields:
    """The fields of the lines of a piece that have the right number of them.

    Parameters
    ----------
    columns
        The columns asked for, each with one field a good line.
    wrong
        (line, number of fields) of the lines with another number of fields; lines from 1.
    """

    columns: tuple[Ids, ...]
    wrong: list[tuple[int, int]]


def map_pieces(text: TextFile, work: Callable[[int, int], R]) -> list[R]:
    """Return ``work(begin, end)`` for each piece of whole lines, in order."""
    pieces = list(_pieces(text))
    if len(pieces) < 2:
        return list(starmap(work, pieces))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, *zip(*pieces, strict=True)))


def split_fields(
    text: TextFile, begin: int, end: int, count: int, wanted: tuple[int, ...]
) -> Fields:
    """Find the wanted columns of the whole lines from `begin` to `end`, which have `count` fields.

    Raises
    ------
    ValueError
        If the text holds control characters, is not UTF-8, or has a field over `LONGEST`, with the
        line.
    """
    piece = text.buffer[begin:end]
    stop = np.flatnonzero(piece <= 32)
    space = piece[stop]
    _check_text(text, begin, piece, stop, space)
    ends = space == _LF
    lines = int(np.count_nonzero(ends))
    start = np.empty_like(stop)
    start[0] = 0
    np.add(stop[:-1], 1, out=start[1:])
    if piece.size > PIECE + LONGEST:  # which only a line without end makes
        _check_length(text, begin, start, stop)
    wrong: list[tuple[int, int]] = []
    if not (stop.size == lines * count and (stop > start).all() and ends[count - 1 :: count].all()):
        start, stop, bad = _irregular(start, stop, ends, count)
        first = text.number(begin) if bad else 0
        wrong = [(first + line, found) for line, found in bad]
    columns = (
        Ids(text.buffer, start[i::count] + begin, stop[i::count] - start[i::count]) for i in wanted
    )
    return Fields(tuple(columns), wrong)


def _check_length(text: TextFile, begin: int, start: Index, stop: Index) -> None:
    """Refuse a field that is longer than any id, naming the line."""
    sizes = stop - start
    if (at := int(np.argmax(sizes))) >= 0 and sizes[at] > LONGEST:
        line = text.number(begin + int(start[at]))
        raise ValueError(
            f"{text.name}: line {line}: a field of {sizes[at]:,} bytes, over {LONGEST:,}"
        )


def _irregular(
    start: Index, stop: Index, ends: Mask, count: int
) -> tuple[Index, Index, list[tuple[int, int]]]:
    """Drop empty fields, blank lines, and the lines whose number of fields is wrong."""
    field = np.flatnonzero(stop > start)
    line_of = np.searchsorted(np.flatnonzero(ends), field)
    counts = np.bincount(line_of, minlength=1)
    chosen = field[counts[line_of] == count]
    bad = np.flatnonzero((counts != count) & (counts != 0))
    return start[chosen], stop[chosen], list(zip(bad.tolist(), counts[bad].tolist(), strict=True))


def _pieces(text: TextFile) -> Iterator[tuple[int, int]]:
    begin = 0
    while begin < text.size:
        end = min(begin + PIECE, text.size)
        while end < text.size and text.buffer[end - 1] != _LF:
            ahead = text.buffer[end : end + max(PIECE // 16, 1)] == _LF
            end += int(np.argmax(ahead)) + 1 if ahead.any() else ahead.size
        yield begin, end
        begin = end


def _check_text(text: TextFile, begin: int, piece: Bytes, stop: Index, space: Bytes) -> None:
    """Refuse control characters and what is not UTF-8, naming the line."""
    odd = (space != 32) & (space != _LF)
    if odd.any() and not _SPACES[space[odd]].all():
        odd = ~_SPACES[space]
        at = int(stop[np.argmax(odd)])
        line = text.number(begin + at)
        raise ValueError(f"{text.name}: line {line}: not text (byte 0x{piece[at]:02x})")
    if (piece[: piece.size & ~7].view(np.uint64) & _HIGH).any() or (piece[-8:] >= 128).any():
        try:
            piece.tobytes().decode()
        except UnicodeDecodeError as error:
            line = text.number(begin + error.start)
            raise ValueError(f"{text.name}: line {line}: not UTF-8 text") from None
