"""Ids without what people and programs change in them: leading zeros, odd blanks, case."""

import re
import unicodedata

import numpy as np

from ndcgstudy.ids import PADDING, Bytes, Ids, Mask, blocks

BLANKS = (
    "\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
ODD = BLANKS + "\xad\u200b\u2060\ufeff"  # and signs that no one sees
_NOTHING = dict.fromkeys(map(ord, ODD))
_ZERO = ord("0")


def fold(text: str, *, inner: bool = False) -> str:
    """Return an id in one letter case and Unicode form, without odd blanks and leading zeros.

    Parameters
    ----------
    inner
        Whether the zeros before each number in the id go, or only those before the id.

    Examples
    --------
    >>> fold("007"), fold("Q\u00a007"), fold("q07", inner=True)
    ('7', 'q07', 'q7')
    """
    seen = unicodedata.normalize("NFKC", text.translate(_NOTHING)).casefold()
    pattern = r"(?<![0-9])0+(?=[0-9])" if inner else r"^0+(?=.)"
    return re.sub(pattern, "", seen, flags=re.DOTALL) or text


def folded(ids: Ids) -> Ids:
    """Return a column of ids folded, as `fold` does it one by one.

    Examples
    --------
    >>> folded(Ids.of(["00A", "b\u00a0", "0"])).strings()
    ['a', 'b', '0']
    """
    if not len(ids):
        return ids
    low, high = int(ids.start.min()), int((ids.start + ids.length).max())
    buffer = _lower(ids.buffer[low : high + len(PADDING)])
    start, length = ids.start - low, ids.length.copy()
    if (buffer >= 128).any():
        rows = np.flatnonzero(_beyond_ascii(ids))
        others = Ids.of([fold(text) for text in ids.take(rows).strings()])
        start[rows], length[rows] = buffer.size + others.start, others.length
        buffer = np.concatenate([buffer, others.buffer])
    while (zero := (buffer[start] == _ZERO) & (length > 1)).any():
        start += zero
        length -= zero
    return Ids(buffer, start, length)


def _lower(buffer: Bytes) -> Bytes:
    """Return a copy with A to Z in lower case."""
    lower = buffer.copy()
    for block in blocks(lower.size):
        part = lower[block]
        part |= (part - np.uint8(ord("A")) < 26).view(np.uint8) << 5
    return lower


def _beyond_ascii(ids: Ids) -> Mask:
    high = np.flatnonzero(ids.buffer >= 128)
    stop = ids.start + ids.length
    return np.asarray(np.searchsorted(high, stop) > np.searchsorted(high, ids.start))


def difference(a: str, b: str) -> str:
    """Say in what two ids differ that fold to the same.

    Examples
    --------
    >>> difference("01", "1"), difference("a", "A"), difference("a\u00a0", "a")
    ('leading zeros', 'case', 'odd blanks')
    """
    bare_a, bare_b = a.translate(_NOTHING), b.translate(_NOTHING)
    if bare_a == bare_b:
        return "odd blanks"
    forms = [unicodedata.normalize("NFKC", text) for text in (bare_a, bare_b)]
    if forms[0] == forms[1]:
        return "Unicode form"
    if forms[0].casefold() == forms[1].casefold():
        return "case"
    zeros = [re.sub(r"(?<![0-9])0+(?=[0-9a-zA-Z])", "", text) for text in (a, b)]
    return "leading zeros" if zeros[0] == zeros[1] else "leading zeros, blanks or case"
