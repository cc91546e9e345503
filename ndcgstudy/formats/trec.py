"""TREC's qrels and runs, and BEIR's qrels: text to columns, with everything that is wrong in it.

qrels: ``topic iteration document grade``; BEIR: ``query-id corpus-id score`` with that header;
runs: ``topic Q0 document rank score tag``, of which the score ranks and the rank is not read.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from ndcgstudy.data import Floats, Judgments, Rankings, duplicate_rows
from ndcgstudy.formats.fieldnames import plain_names, role_of
from ndcgstudy.formats.fields import map_pieces, split_fields
from ndcgstudy.formats.numbers import decimals
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.ids import Ids, Index, Mask, joined

T = TypeVar("T", Judgments, Rankings)
_GRADE_HEADERS = ("score", "grade", "label", "rel", "relevance")
_SWAPPED = "are QRELS and RUN in this order?"
_LARGEST = 2.0**53
_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class _Layout:
    """How many fields a line has, where topic, document and value stand, and what the value is.

    `kept` are the fields whose places a whole scan keeps; `hints` explain numbers of fields.
    """

    count: int
    wanted: tuple[int, int, int]
    value: str
    kept: tuple[int, ...]
    hints: Mapping[int, str] = field(default_factory=dict)

    def message(self, found: int) -> str:
        hint = f" ({self.hints[found]})" if found in self.hints else ""
        return f"expected {self.count} fields, found {found}{hint}"


_HEADLESS = "3 are read only below BEIR's header: query-id corpus-id score"
_MIXED = "the header is BEIR's, but the line below it has 4 fields"
_QRELS = _Layout(4, (0, 2, 3), "grade", (3,), {3: _HEADLESS, 6: f"6 are a run's; {_SWAPPED}"})
_QRELS_WITH_HEADER = replace(_QRELS, hints={3: _MIXED})
_BEIR = _Layout(3, (0, 1, 2), "grade", (2,))
_MARCO_HINT = "query, passage, rank of MS MARCO make 3; other columns need a header that names them"
_RUN = _Layout(
    6, (0, 2, 4), "score", (4, 3, 5), {4: f"4 are a qrels file's; {_SWAPPED}", 3: _MARCO_HINT}
)
_MARCO = _Layout(3, (0, 1, 2), "rank", (2, 2))


@dataclass(frozen=True)
class _Piece:
    """What one piece of a file holds; topics stand once for each stretch of lines that share them."""

    wrong: list[tuple[int, int]]
    topic: Ids
    counts: Index
    docs: Ids
    values: Floats
    bad: Ids
    columns: tuple[Ids, ...]


@dataclass(frozen=True)
class _Rows:
    """The good rows of a file."""

    topics: list[str]
    topic: Index
    docs: Ids
    values: Floats
    findings: list[Finding]
    columns: tuple[Ids, ...] = ()


@dataclass(frozen=True)
class Scan(Generic[T]):
    """What a file holds: its good rows, and what is wrong with the others.

    `later` and `earlier` are the rows that repeat a pair and the rows they repeat. A whole scan has
    `columns`, the fields as they stand: the grade of qrels; the score, rank and tag of a run.
    """

    data: T
    text: TextFile
    findings: list[Finding]
    later: Index
    earlier: Index
    columns: tuple[Ids, ...] = ()

    @cached_property
    def line(self) -> Index:
        """The 1-based number of the line of each row."""
        return self.text.numbers(self.data.docs.start)


def scan_qrels(text: TextFile, grades: str = "int", *, whole: bool = False) -> Scan[Judgments]:
    """Read qrels; `grades` tells whether real numbers may stand for grades ("float") or not."""
    kind = "an integer" if grades == "int" else "a finite number"

    def valid(grade: Floats, number: Mask) -> Mask:
        number = number & np.isfinite(grade)
        if grades == "int":
            number[number] = (grade[number] % 1 == 0) & (abs(grade[number]) <= _LARGEST)
        return number

    layout, skip = _qrels_layout(text)
    rows = _read(
        text, layout, valid, lambda value: _grade_message(value, kind), skip=skip, whole=whole
    )
    data = Judgments(tuple(rows.topics), rows.topic, rows.docs, rows.values, text.name)
    pairs = duplicate_rows(data.topic, data.docs)
    return Scan(data, text, rows.findings, *pairs, rows.columns)


def scan_run(text: TextFile, *, whole: bool = False) -> Scan[Rankings]:
    """Read a run; it is named by the tag on its first line, one without tags by its file."""
    first = text.first().split()
    if len(first) == 3 and re.fullmatch(r"\d+(\.\d+)?", first[2]):
        return _scan_ranks(text, whole=whole)
    rows = _read(
        text, _RUN, lambda score, number: number & ~np.isnan(score), _score_message, whole=whole
    )
    tag = text.last_field(int(rows.docs.start[0])) if len(rows.docs) else text.name
    return _run_of(text, rows, tag, rows.values)


def _scan_ranks(text: TextFile, *, whole: bool) -> Scan[Rankings]:
    """Read a run of MS MARCO: query, passage, rank; the ranks of each query begin at 1, or at 0."""

    def valid(rank: Floats, number: Mask) -> Mask:
        return np.asarray(number & (rank >= 0) & (rank % 1 == 0))

    rows = _read(
        text, _MARCO, valid, lambda v: f"rank {v!r} is not a whole number from 0", whole=whole
    )
    scan = _run_of(
        text, rows, text.name.rsplit("/", 1)[-1].split(".")[0] or text.name, -rows.values
    )
    first = np.full(len(rows.topics), np.inf)
    np.minimum.at(first, rows.topic, rows.values)
    late = np.flatnonzero(first[rows.topic] > 1)

    def message(i: int) -> str:
        topic = rows.topic[late[i]]
        begin = f"the ranks of query {rows.topics[topic]} begin at {first[topic]:g}"
        return f"{begin}; if these are scores, name the columns in a header"

    finding = Finding(text, "rank", scan.line[late], message)
    return replace(scan, findings=[*scan.findings, finding])


def _run_of(text: TextFile, rows: _Rows, tag: str, score: Floats) -> Scan[Rankings]:
    data = Rankings(tag, tuple(rows.topics), rows.topic, rows.docs, score, text.name)
    pairs = duplicate_rows(data.topic, data.docs)
    return Scan(data, text, rows.findings, *pairs, rows.columns)


def duplicate_findings(scan: Scan[T]) -> list[Finding]:
    """Tell of the rows that repeat an earlier one; of judgments, those with another grade apart."""
    if isinstance(scan.data, Rankings):
        return [_repeats(scan, "duplicate", np.ones(scan.later.size, dtype=bool))]
    grade = scan.data.grade
    differs = grade[scan.later] != grade[scan.earlier]
    return [_repeats(scan, "duplicate", ~differs), _repeats(scan, "conflict", differs)]


def _repeats(scan: Scan[T], rule: str, which: Mask) -> Finding:
    later, earlier, data = scan.later[which], scan.earlier[which], scan.data
    docs, topic = data.docs.take(later), data.topic[later]

    def message(i: int) -> str:
        if isinstance(data, Rankings):
            return f"duplicate document {docs[i]} for topic {data.topics[topic[i]]} in the run"
        told = f"duplicate judgement for document {docs[i]} in topic {data.topics[topic[i]]}"
        new, old = data.grade[later[i]], data.grade[earlier[i]]
        return told if new == old else f"{told}, of another grade ({new:g}, before {old:g})"

    return Finding(scan.text, rule, scan.line[later], message, docs, scan.line[earlier])


def _score_message(value: str) -> str:
    if value.lower().lstrip("+-") == "nan":
        return "score is NaN"
    return f"score {value!r} is not a number{_cause(value)}"


def _grade_message(value: str, kind: str) -> str:
    return f"grade {value!r} is not {kind}{_cause(value)}"


def _cause(value: str) -> str:
    """Say what may stand in the place of a number."""
    if value.lower() in _GRADE_HEADERS:
        return " (a header?)"
    return " (a comma in place of the point?)" if re.fullmatch(r"-?\d+,\d+", value) else ""


def _read(
    text: TextFile,
    layout: _Layout,
    valid: Callable[[Floats, Mask], Mask],
    message: Callable[[str], str],
    *,
    skip: int = 0,
    whole: bool = False,
) -> _Rows:
    """Read the columns of a file, piece by piece, and gather what is wrong."""
    wanted = (*layout.wanted, *(layout.kept if whole else ()))

    def work(begin: int, end: int) -> _Piece:
        fields = split_fields(text, begin, end, layout.count, wanted)
        topic, docs, number, *kept = fields.columns
        values, good = decimals(number)
        good = valid(values, good)
        if begin == 0 and skip:
            good[:skip] = False
        if not good.all():
            topic, docs, values = topic.take(good), docs.take(good), values[good]
            kept = [column.take(good) for column in kept]
        docs.hashes()
        heads = topic.runs()
        counts = np.diff(np.append(heads, len(topic)))
        bad = number.take(np.flatnonzero(~good)[skip if begin == 0 else 0 :])
        return _Piece(fields.wrong, topic.take(heads), counts, docs, values, bad, tuple(kept))

    return _gathered(text, layout, message, map_pieces(text, work))


def _gathered(
    text: TextFile, layout: _Layout, message: Callable[[str], str], pieces: list[_Piece]
) -> _Rows:
    if not pieces:
        return _Rows([], _NONE, Ids.of([]), _NONE.astype(float), [])
    codes, topics = joined([p.topic for p in pieces]).factorize()
    wrong = [one for p in pieces for one in p.wrong]
    bad = joined([p.bad for p in pieces])
    bad_line = text.numbers(bad.start) if len(bad) else _NONE
    findings = [
        Finding(text, "fields", [line for line, _ in wrong], lambda i: layout.message(wrong[i][1])),
        Finding(text, layout.value, bad_line, lambda i: message(bad[i]), bad),
    ]
    return _Rows(
        topics,
        np.repeat(codes, np.concatenate([p.counts for p in pieces])),
        joined([p.docs for p in pieces]),
        np.concatenate([p.values for p in pieces]),
        findings,
        tuple(joined([*column]) for column in zip(*(p.columns for p in pieces), strict=True)),
    )


def _qrels_layout(text: TextFile) -> tuple[_Layout, int]:
    """Return the layout and how many lines to skip: 1 where the first one is BEIR's header, else 0."""
    names = plain_names(text.first().split())
    if [role_of(name, "qrels") for name in names] != ["topic", "doc", "grade"]:
        return _QRELS, 0
    if text.ends.size > 1 and len(text.line(2).split()) == 4:
        return _QRELS_WITH_HEADER, 0
    return _BEIR, 1
