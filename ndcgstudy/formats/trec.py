"""TREC's qrels and runs, and BEIR's qrels: text to columns, with everything that is wrong in it.

qrels: ``topic iteration document grade``; BEIR: ``query-id corpus-id score`` with that header;
runs: ``topic Q0 document rank score tag``, of which the score ranks and the rank is not read.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ndcgstudy.data import Floats, Judgments, Rankings, duplicate_rows
from ndcgstudy.formats.fields import Fields, map_pieces, split_fields
from ndcgstudy.formats.numbers import decimals
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.ids import Ids, Index, Mask, joined

T = TypeVar("T", Judgments, Rankings)
_GRADE_HEADERS = ("score", "grade", "label", "rel", "relevance")
_LARGEST = 2.0**53
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class _Layout:
    """How many fields a line has, where topic, document and value stand, and what the value is."""

    count: int
    wanted: tuple[int, int, int]
    value: str

    def message(self, found: int) -> str:
        hint = " (3 are read only below BEIR's header: query-id corpus-id score)"
        shown = hint if (self.count, found) == (4, 3) else ""
        return f"expected {self.count} fields, found {found}{shown}"


_QRELS = _Layout(4, (0, 2, 3), "grade")
_BEIR = _Layout(3, (0, 1, 2), "grade")
_RUN = _Layout(6, (0, 2, 4), "score")


@dataclass(frozen=True)
class _Piece:
    """What one piece of a file holds; topics stand once for each stretch of lines that share them."""

    fields: Fields
    topic: Ids
    counts: Index
    docs: Ids
    values: Floats
    good: Mask
    bad: Ids
    bad_rows: Index


@dataclass(frozen=True)
class _Rows:
    """The good rows of a file."""

    topics: list[str]
    topic: Index
    docs: Ids
    values: Floats
    line: Index
    findings: list[Finding]


@dataclass(frozen=True)
class Scan(Generic[T]):
    """What a file holds: its good rows, their lines, and what is wrong with the others.

    `later` and `earlier` are the rows that repeat a pair and the rows they repeat.
    """

    data: T
    text: TextFile
    line: Index
    findings: list[Finding]
    later: Index
    earlier: Index


def scan_qrels(text: TextFile, grades: str = "int") -> Scan[Judgments]:
    """Read qrels; `grades` tells whether real numbers may stand for grades ("float") or not."""
    kind = "an integer" if grades == "int" else "a finite number"

    def valid(grade: Floats, number: Mask) -> Mask:
        number = number & np.isfinite(grade)
        if grades == "int":
            number[number] = (grade[number] % 1 == 0) & (abs(grade[number]) <= _LARGEST)
        return number

    beir = _beir_header(text)
    layout = _BEIR if beir else _QRELS
    rows = _read(text, layout, valid, lambda value: f"grade {value!r} is not {kind}", skip=beir)
    data = Judgments(tuple(rows.topics), rows.topic, rows.docs, rows.values, text.name)
    return Scan(data, text, rows.line, rows.findings, *duplicate_rows(data.topic, data.docs))


def scan_run(text: TextFile) -> Scan[Rankings]:
    """Read a run; it is named by the tag on its first line."""
    rows = _read(text, _RUN, lambda score, number: number & ~np.isnan(score), _score_message)
    tag = text.last_field(int(rows.docs.start[0])) if len(rows.docs) else text.name
    data = Rankings(tag, tuple(rows.topics), rows.topic, rows.docs, rows.values, text.name)
    return Scan(data, text, rows.line, rows.findings, *duplicate_rows(data.topic, data.docs))


def duplicate_finding(scan: Scan[T]) -> Finding:
    """Tell of the rows that repeat an earlier one."""
    docs, topics = scan.data.docs.take(scan.later), scan.data.topics
    topic = scan.data.topic[scan.later]

    def message(i: int) -> str:
        if isinstance(scan.data, Rankings):
            return f"duplicate document {docs[i]} for topic {topics[topic[i]]} in the run"
        return f"duplicate judgement for document {docs[i]} in topic {topics[topic[i]]}"

    lines, others = scan.line[scan.later], scan.line[scan.earlier]
    return Finding(scan.text, "duplicate", lines, message, docs, others)


def rows_to_keep(scan: Scan[T], values: Floats, which: str) -> Mask:
    """Choose among rows that repeat one another: the "first" or the one of the "max" value."""
    keep = np.ones(values.size, dtype=bool)
    keep[scan.later] = False
    if which == "max":
        best = scan.earlier.copy()
        for row, first in zip(scan.later.tolist(), scan.earlier.tolist(), strict=True):
            now = best[scan.earlier == first][0]
            if values[row] > values[now]:
                best[scan.earlier == first] = row
                keep[[now, row]] = False, True
    return keep


def _score_message(value: str) -> str:
    return (
        "score is NaN"
        if value.lower().lstrip("+-") == "nan"
        else f"score {value!r} is not a number"
    )


def _read(
    text: TextFile,
    layout: _Layout,
    valid: Callable[[Floats, Mask], Mask],
    message: Callable[[str], str],
    skip: int = 0,
) -> _Rows:
    """Read the columns of a file, piece by piece, and gather what is wrong."""

    def work(begin: int, end: int) -> _Piece:
        fields = split_fields(text, begin, end, layout.count, layout.wanted)
        topic, docs, number = fields.columns
        values, good = decimals(number)
        good = valid(values, good)
        if begin == 0 and skip:
            good[:skip] = False
        if not good.all():
            topic, docs, values = topic.take(good), docs.take(good), values[good]
        docs.hashes()
        heads = topic.runs()
        counts = np.diff(np.append(heads, len(topic)))
        bad = np.flatnonzero(~good)[skip if begin == 0 else 0 :]
        return _Piece(fields, topic.take(heads), counts, docs, values, good, number.take(bad), bad)

    return _gathered(text, layout, message, map_pieces(text, work))


def _gathered(
    text: TextFile, layout: _Layout, message: Callable[[str], str], pieces: list[_Piece]
) -> _Rows:
    if not pieces:
        return _Rows([], _NONE, Ids.of([]), _NONE.astype(float), _NONE, [])
    before = np.cumsum([1, *(p.fields.lines for p in pieces)])[:-1].tolist()
    codes, topics = joined([p.topic for p in pieces]).factorize()
    wrong = [
        (at + line, n) for p, at in zip(pieces, before, strict=True) for line, n in p.fields.wrong
    ]
    bad = joined([p.bad for p in pieces])
    bad_line = np.concatenate(
        [p.fields.line[p.bad_rows] + at for p, at in zip(pieces, before, strict=True)]
    )
    findings = [
        Finding(text, "fields", [line for line, _ in wrong], lambda i: layout.message(wrong[i][1])),
        Finding(text, layout.value, bad_line, lambda i: message(bad[i]), bad),
    ]
    return _Rows(
        topics,
        np.repeat(codes, np.concatenate([p.counts for p in pieces])),
        joined([p.docs for p in pieces]),
        np.concatenate([p.values for p in pieces]),
        np.concatenate([p.fields.line[p.good] + at for p, at in zip(pieces, before, strict=True)]),
        findings,
    )


def _beir_header(text: TextFile) -> int:
    """Return how many lines to skip: 1 where the first one is BEIR's header, else 0."""
    if not text.size:
        return 0
    names = text.line(1).lower().split()
    return int(len(names) == 3 and names[-1] in _GRADE_HEADERS)
