"""Ids without what people and programs change in them: leading zeros, a trailing .0, blanks, case."""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from ndcgstudy.ids import PADDING, Bytes, Ids, Index, Mask, blocks

BLANKS = (
    "\x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
ODD = BLANKS + "\xad\u200b\u2060\ufeff"  # and signs that no one sees
_NOTHING = dict.fromkeys(map(ord, ODD))
_ZERO = ord("0")
_CUT = 6  # ids that are shorter are whole
_WHOLE = re.compile(r"([0-9]+)\.00?\Z")  # what a column of numbers makes of an id


def fold(text: str, *, inner: bool = False) -> str:
    """Return an id in one letter case and Unicode form, without odd blanks, leading zeros and ".0".

    Parameters
    ----------
    inner
        Whether the zeros before each number in the id go, or only those before the id.

    Examples
    --------
    >>> fold("007"), fold("Q\u00a007"), fold("q07", inner=True), fold("12.0")
    ('7', 'q07', 'q7', '12')
    """
    seen = unicodedata.normalize("NFKC", text.translate(_NOTHING)).casefold()
    seen = _WHOLE.sub(r"\1", seen)
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
    odd = _ends_in_zero(ids)
    if (buffer >= 128).any():
        odd |= _beyond_ascii(ids)
    if odd.any():
        rows = np.flatnonzero(odd)
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


def _ends_in_zero(ids: Ids) -> Mask:
    """Tell which ids end in .0 or .00."""
    stop = ids.start + ids.length
    last, before, third = (ids.buffer[np.maximum(stop - back, 0)] for back in (1, 2, 3))
    point, zero = ord("."), last == _ZERO
    one = zero & (before == point) & (ids.length > 2)
    return np.asarray(one | (zero & (before == _ZERO) & (third == point) & (ids.length > 3)))


def cut_at(lengths: Index) -> int:
    """Return the length at which ids seem to be cut off, the longest that most have; 0 where none is."""
    longest = int(lengths.max(initial=0))
    return longest if longest >= _CUT and np.mean(lengths == longest) >= 0.9 else 0


def near_topics(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Pair each topic that stands on one side alone with one of the other that folds to the same."""
    known = set(ours), set(theirs)
    folds = [[fold(topic, inner=True) for topic in topics] for topics in (ours, theirs)]
    first = [{f: i for i, f in reversed([*enumerate(each)])} for each in folds]
    lone = [i for i, f in enumerate(folds[0]) if ours[i] not in known[1] and f in first[1]]
    pairs = {(i, first[1][folds[0][i]]) for i in lone}
    explained = {j for _, j in pairs}
    lone = [j for j, f in enumerate(folds[1]) if theirs[j] not in known[0] and f in first[0]]
    pairs |= {(first[0][folds[1][j]], j) for j in lone if j not in explained}
    return sorted(pairs)


def difference(a: str, b: str) -> str:
    """Say in what two ids differ that fold to the same.

    Examples
    --------
    >>> difference("01", "1"), difference("a", "A"), difference("a\u00a0", "a"), difference("7.0", "7")
    ('leading zeros', 'case', 'odd blanks', "a trailing '.0'")
    """
    whole = [_WHOLE.sub(r"\1", text) for text in (a, b)]
    if whole[0] == whole[1] and a != b:
        return "a trailing '.0'"
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
