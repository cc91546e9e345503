"""Text as files may hold it, and plain Python that reads it the slow and obvious way."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import strategies as st

from ndcgstudy import Judgments, Rankings
from ndcgstudy.formats import fields

FIELD = st.text('ab1#",é\u00a0\u3000', min_size=1, max_size=9)
GAP = st.text(" \t", min_size=1, max_size=3)
EDGE = st.text(" \t", max_size=2)
END = st.sampled_from(["\n", "\r\n"])


@st.composite
def lines(draw: st.DrawFn, count: int) -> str:
    """Draw a line: mostly of `count` fields, blanks anywhere between them."""
    size = draw(st.one_of(st.just(count), st.integers(0, count + 2)))
    words = [draw(FIELD) for _ in range(size)]
    gaps = [draw(GAP) for _ in range(size)]
    return draw(EDGE) + "".join(w + g for w, g in zip(words, gaps, strict=True)) + draw(END)


def texts(count: int) -> st.SearchStrategy[str]:
    return st.lists(lines(count), max_size=12).map("".join)


@contextmanager
def pieces_of(size: int) -> Iterator[None]:
    """Cut texts into pieces of about so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fields, "PIECE", size)
        yield


def plain_float(text: str) -> float | None:
    """Read a number as Python does, without underscores and signs beyond ASCII."""
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def rows(data: Judgments | Rankings) -> list[tuple[str, str, float]]:
    """Return (topic, document, value) of each row."""
    values = data.grade if isinstance(data, Judgments) else data.score
    topics = [data.topics[i] for i in data.topic]
    return list(zip(topics, data.docs.strings(), values.tolist(), strict=True))
