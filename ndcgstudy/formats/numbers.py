"""Read columns of decimal numbers, rounded correctly and vectorised."""

import re

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.ids import Hashes, Ids, Index, Mask, blocks

_NUMBER = rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?|[nN][aA][nN])"
_ONE = re.compile(_NUMBER)
_ALL = re.compile(rb"(?:" + _NUMBER + rb"\n)*")
_EXACT = 1 << 53  # up to here every whole number is a double, and 10^22 is one too
_LONGEST = 18  # as many digits fit a 64-bit integer
_TENS = 10.0 ** np.arange(_LONGEST + 1)
_POWERS = 10 ** np.arange(9)


def _each(byte: int) -> np.uint64:
    return np.uint64(byte * 0x0101010101010101)


_ZEROS, _DOTS, _ONES, _TOPS, _ABOVE = (_each(b) for b in (0x30, 0x2E, 0x01, 0x80, 0x46))
_LOW, _ZERO = np.uint64(0xFF), np.uint64(0x30)
_U = [np.uint64(n) for n in range(64)]
_PAD = np.array([0x3030303030303030 >> (8 * n) if n < 8 else 0 for n in range(9)], dtype=np.uint64)


def decimals(column: Ids) -> tuple[Floats, Mask]:
    """Read a column of numbers.

    A plain decimal of few digits is a whole number over a power of ten, both exact as doubles, so
    that one division rounds correctly (Clinger 1990). All others go through Python's `float`.

    Returns
    -------
    values, good
        The numbers, and whether each field was one; shape (rows,). ``nan`` and ``inf`` are numbers.

    Examples
    --------
    >>> decimals(Ids.of(["1.50", "-2e3", "1,5"]))
    (array([ 1.5e+00, -2.0e+03,      nan]), array([ True,  True, False]))
    """
    values = np.full(len(column), np.nan)
    good = np.ones(len(column), dtype=bool)
    slow = np.zeros(len(column), dtype=bool)
    for block in blocks(len(column)):
        values[block], slow[block] = _plain(column.take(block))
    rows = np.flatnonzero(slow)
    if rows.size:
        values[rows], good[rows] = _any(column.take(rows))
    return values, good


def _plain(column: Ids) -> tuple[Floats, Mask]:
    """Read plain decimals, eight characters at a time; the second value tells which are not plain."""
    first = column.buffer[column.start]
    minus = first == ord("-")
    sign = (minus | (first == ord("+"))).astype(np.int64)
    unsigned = Ids(column.buffer, column.start + sign, column.length - sign)
    whole, places, dots, digits = (np.zeros(len(column), dtype=np.int64) for _ in range(4))
    slow = unsigned.length > _LONGEST + 1
    for i in range(min(-(-int(unsigned.length.max(initial=0)) // 8), 3)):
        value, count, after, bad = _eight(unsigned.word(i), np.clip(unsigned.length - 8 * i, 0, 8))
        dot = after >= 0
        places = np.where(dot, after, places + np.where(dots > 0, count, 0))
        whole = whole * _POWERS[count] + value
        dots, digits = dots + dot, digits + count
        slow |= bad
    slow |= (dots > 1) | (digits == 0) | (digits > _LONGEST) | (whole > _EXACT)
    values = whole / _TENS[np.where(slow, 0, places)]
    return np.where(minus, -values, values), slow


def _eight(word: Hashes, length: Index) -> tuple[Index, Index, Index, Mask]:
    """Read up to eight characters, the first in the lowest byte, as a whole number with its dot taken out.

    Returns
    -------
    value, count, after, bad
        The number, its digits, how many of them stand behind the dot (-1 without one), and whether
        another character, or a second dot, is among them. The arithmetic runs on all eight bytes of
        a word at once (Lemire 2018, Quickly parsing eight digits).
    """
    shift = ((8 - length) * 8).astype(np.uint64)
    word = np.where(length > 0, word << np.minimum(shift, _U[63]), _U[0]) | _PAD[length]
    differs = word ^ _DOTS
    found = (differs - _ONES) & ~differs & _TOPS
    dot = found & (~found + _U[1])  # the lowest mark is a true one
    below = (dot >> _U[7]) - _U[1]  # the bytes before the dot; all of them where there is none
    has_dot = dot != 0
    closed = (word & ~((below << _U[8]) | _LOW)) | ((word & below) << _U[8]) | _ZERO
    word = np.where(has_dot, closed, word)
    bad = (((word + _ABOVE) | (word - _ZEROS)) & _TOPS) != 0
    after = np.where(has_dot, 7 - (np.bitwise_count(below) >> 3).astype(np.int64), -1)
    return _value(word), length - has_dot, after, bad


def _value(word: Hashes) -> Index:
    """Turn eight digit characters into the number they spell."""
    word = (word & _each(0x0F)) * np.uint64(2561) >> _U[8]
    word = (word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(6553601) >> _U[16]
    word = (word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(42949672960001) >> _U[32]
    return word.astype(np.int64)


def _any(column: Ids) -> tuple[Floats, Mask]:
    """Read numbers of any form."""
    fields = [text.encode() for text in column.strings()]
    if _ALL.fullmatch(b"".join(field + b"\n" for field in fields)):
        good = np.ones(len(column), dtype=bool)
    else:
        good = np.array([_ONE.fullmatch(field) is not None for field in fields])
    return np.array([float(f) if ok else np.nan for f, ok in zip(fields, good, strict=True)]), good
