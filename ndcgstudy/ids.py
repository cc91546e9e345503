"""Columns of ids, held as bytes of one buffer: read without making a Python string of each."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Index = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

PADDING = b"\0" * 8
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93))
_HALF = np.uint64(32)
_FEW_WORDS = 32


class Ids:
    """A column of ids, compared as bytes (UTF-8) and never read as numbers.

    Parameters
    ----------
    buffer
        The bytes, with at least eight more behind the last id; no id holds a NUL.
    start, length
        Where each id begins in the buffer and how many bytes it has, shape (rows,).

    Examples
    --------
    >>> ids = Ids.of(["d1", "007", "d1"])
    >>> len(ids), ids[1], ids.strings()
    (3, '007', ['d1', '007', 'd1'])
    """

    __slots__ = ("_hashes", "_words", "buffer", "length", "start")

    def __init__(self, buffer: Bytes, start: Index, length: Index) -> None:
        self.buffer, self.start, self.length = buffer, start, length
        self._hashes: Hashes | None = None
        # Every eight bytes of the buffer as one number, from each byte on, without a copy.
        self._words: Any = np.ndarray((buffer.size - 7,), "<u8", buffer.data, strides=(1,))

    @classmethod
    def of(cls, strings: Sequence[str]) -> "Ids":
        """Make a column of strings.

        Raises
        ------
        ValueError
            If an id is no string, empty, or holds a NUL.
        """
        for text in strings:
            if not isinstance(text, str) or not text or "\0" in text:
                raise ValueError(f"an id must be a string of one or more characters, got {text!r}")
        encoded = [text.encode() for text in strings]
        length = np.array([len(text) for text in encoded], dtype=np.int64)
        buffer = np.frombuffer(b"".join(encoded) + PADDING, dtype=np.uint8)
        return cls(buffer, np.cumsum(length) - length, length)

    def __len__(self) -> int:
        return int(self.start.size)

    def __getitem__(self, row: int) -> str:
        start = self.start[row]
        return self.buffer[start : start + self.length[row]].tobytes().decode()

    def __reduce__(self) -> tuple[Any, ...]:
        return Ids, (self.buffer, self.start, self.length)

    def strings(self) -> list[str]:
        """Return the ids as Python strings."""
        data, stop = self.buffer.data, self.start + self.length
        places = zip(self.start.tolist(), stop.tolist(), strict=True)
        return [bytes(data[a:b]).decode() for a, b in places]

    def take(self, rows: Any) -> "Ids":
        """Return the ids of some rows; the buffer is shared."""
        part = Ids(self.buffer, self.start[rows], self.length[rows])
        part._hashes = None if self._hashes is None else self._hashes[rows]
        return part

    def word(self, i: int) -> Hashes:
        """Return bytes 8i to 8i + 7 of each id as a little-endian number, 0 beyond its end."""
        at = self.start if i == 0 else np.minimum(self.start + 8 * i, self._words.size - 1)
        words: Hashes = self._words[at]
        left = self.length - 8 * i
        if left.size and left.min() < 8:
            words &= _MASKS[np.minimum(np.maximum(left, 0), 8)]
        return words

    def hashes(self) -> Hashes:
        """Return a 64-bit hash of each id; ids of up to eight bytes never share one."""
        if self._hashes is None:
            hashes = np.empty(len(self), dtype=np.uint64)
            for block in blocks(len(self)):
                hashes[block] = self.take(block)._mixed()
            self._hashes = hashes
        return self._hashes

    def _mixed(self) -> Hashes:
        """Hash the words of each id, and no word beyond its end: that depends on the other ids."""
        hashes = mix(self.word(0))
        for i, rows in self._longer(np.arange(len(self))):
            if rows.size == len(self):
                hashes = mix(hashes ^ self.word(i))
            else:
                hashes[rows] = mix(hashes[rows] ^ self.take(rows).word(i))
        return hashes

    def equal(self, other: "Ids") -> Mask:
        """Tell row by row whether two columns of the same number of rows hold the same id."""
        same: Mask = (self.length == other.length) & (self.word(0) == other.word(0))
        for i, rows in self._longer(np.flatnonzero(same)):
            still = rows[same[rows]]
            same[still] = self.take(still).word(i) == other.take(still).word(i)
        return same

    def byte_order(self) -> list[Hashes]:
        """Return keys, last to first as `numpy.lexsort` takes them, that sort ids as strcmp does."""
        words = -(-int(self.length.max(initial=0)) // 8)
        if words <= _FEW_WORDS:
            return [self.word(i).byteswap() for i in reversed(range(words))]
        strings = self.strings()  # UTF-8 and its code points sort alike
        key = np.empty(len(self), dtype=np.uint64)
        key[sorted(range(len(self)), key=strings.__getitem__)] = np.arange(len(self))
        return [key]

    def runs(self) -> Index:
        """Return the rows at which another id begins than stood on the row before."""
        changes = np.ones(len(self), dtype=bool)
        word = self.word(0)
        changes[1:] = (word[1:] != word[:-1]) | (self.length[1:] != self.length[:-1])
        for i, rows in self._longer(np.flatnonzero(~changes)):
            still = rows[~changes[rows]]
            changes[still] = self.take(still).word(i) != self.take(still - 1).word(i)
        return np.flatnonzero(changes)

    def _longer(self, rows: Index) -> Iterator[tuple[int, Index]]:
        """Go through the words behind the first, with those of the rows whose ids reach so far."""
        for i in range(1, -(-int(self.length[rows].max(initial=0)) // 8)):
            rows = rows[self.length[rows] > 8 * i]
            yield i, rows

    def factorize(self) -> tuple[Index, list[str]]:
        """Give the distinct ids numbers in the order of their first appearance.

        Returns
        -------
        codes, names
            The number of each row's id, shape (rows,), and the distinct ids.
        """
        heads = self.runs()
        _, first, inverse = np.unique(
            self.take(heads).hashes(), return_index=True, return_inverse=True
        )
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        codes = rank[inverse]
        distinct = self.take(heads[first[order]])
        if not distinct.take(codes).equal(self.take(heads)).all():
            raise RuntimeError("two ids share a 64-bit hash")
        return np.repeat(codes, np.diff(np.append(heads, len(self)))), distinct.strings()


def joined(parts: Sequence[Ids]) -> Ids:
    """Join columns that share one buffer."""
    ids = Ids(
        parts[0].buffer,
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.length for part in parts]),
    )
    if all(part._hashes is not None for part in parts):
        ids._hashes = np.concatenate([part.hashes() for part in parts])
    return ids


def blocks(rows: int, size: int = 1 << 15) -> Iterator[slice]:
    """Cut rows into blocks whose columns stay in the processor's cache."""
    return (slice(begin, begin + size) for begin in range(0, rows, size))


def mix(values: Hashes) -> Hashes:
    """Scatter 64-bit numbers one to one, so that near ones end far apart."""
    values = values * _ODD[0]
    values ^= values >> _HALF
    values *= _ODD[1]
    values ^= values >> _HALF
    return values


def pair_keys(codes: Index, ids: Ids) -> Hashes:
    """Return one 64-bit key a (topic number, document id)."""
    keys = np.empty(len(ids), dtype=np.uint64)
    hashes = ids.hashes()
    for block in blocks(len(ids)):
        keys[block] = mix(hashes[block] + codes[block].astype(np.uint64) * _ODD[1])
    return keys


class Finder:
    """Finds 64-bit keys among many, asked for in any number.

    Examples
    --------
    >>> Finder(np.array([7, 3], np.uint64)).find(np.array([5, 3], np.uint64))
    (array([1]), array([1]))
    """

    def __init__(self, keys: Hashes) -> None:
        self._order = np.argsort(keys)
        self._keys = keys[self._order]
        bits = min(max(keys.size.bit_length() + 5, 10), 26)
        self._shift = np.uint64(64 - bits)
        self._near = np.zeros(1 << bits, dtype=bool)
        self._near[keys >> self._shift] = True

    def find(self, wanted: Hashes) -> tuple[Index, Index]:
        """Return the rows of `wanted` that are there, and at which position each of them is.

        The first bits of a key tell for most of those not there, without a search.
        """
        rows = np.flatnonzero(self._near[wanted >> self._shift])
        keys = wanted[rows]
        asked = np.argsort(keys)  # sorted questions walk through the keys in one direction
        place = np.empty(keys.size, dtype=np.int64)
        place[asked] = np.searchsorted(self._keys, keys[asked])
        found = np.flatnonzero(place < self._keys.size)
        found = found[self._keys[place[found]] == keys[found]]
        return rows[found], self._order[place[found]]
