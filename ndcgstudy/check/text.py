"""What is odd in the text of a file, whatever it holds: rules for qrels and runs alike."""

import re
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.folding import ODD, difference, fold
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.formats.trec import Scan
from ndcgstudy.ids import Ids, Index

T = TypeVar("T", Judgments, Rankings)
_ODD_BYTES = re.compile(b"|".join(c.encode() for c in ODD))


def once(
    text: TextFile,
    rule: str,
    message: str,
    line: int = 0,
    *,
    field: Ids | None = None,
    other: int = 0,
    other_file: TextFile | None = None,
    severity: str = "warning",
) -> Finding:
    """Make a finding of one problem: of the whole file, or one that stands for many."""
    return Finding(text, rule, [line], lambda _: message, field, [other], other_file, severity)


def first_rows(topic: Index, topics: int) -> Index:
    """Return the first row of each topic."""
    first = np.zeros(topics, dtype=np.int64)
    first[topic[::-1]] = np.arange(topic.size)[::-1]
    return first


def text_findings(scan: Scan[T]) -> list[Finding]:
    """Look for an empty file, a byte order mark, blank lines, odd blanks and odd topics."""
    rules: list[Callable[[Scan[T]], list[Finding]]] = [
        _empty,
        _byte_order_mark,
        _blank_lines,
        _odd_blanks,
        _hash_topics,
        _twin_topics,
    ]
    return [finding for rule in rules for finding in rule(scan)]


def _empty(scan: Scan[T]) -> list[Finding]:
    if len(scan.data.docs):
        return []
    what = "judgement" if isinstance(scan.data, Judgments) else "document"
    kind = "qrels" if isinstance(scan.data, Judgments) else "run"
    hold = "hold" if kind == "qrels" else "holds"
    more = "" if scan.text.size else ": the file is empty"
    return [once(scan.text, "empty", f"the {kind} {hold} no {what}{more}", severity="error")]


def _byte_order_mark(scan: Scan[T]) -> list[Finding]:
    message = "a byte order mark stands before the text; other tools take it for part of the topic"
    line = int(scan.text.size > 0)
    return [once(scan.text, "byte-order-mark", message, line)] if scan.text.bom else []


def _blank_lines(scan: Scan[T]) -> list[Finding]:
    """Count the lines that are neither good nor wrong; a header is the one that is not blank."""
    lines = scan.text.ends.size
    told = np.concatenate([scan.line, *(np.asarray(f.lines) for f in scan.findings)])
    if told.size == lines:
        return []
    left = np.setdiff1d(np.arange(1, lines + 1), told)
    blank = [left_line for left_line in left.tolist() if not scan.text.line(left_line).strip()]
    if not blank:
        return []
    message = f"blank lines: {len(blank)}; other tools refuse them"
    return [once(scan.text, "blank-line", message, blank[0])]


def _odd_blanks(scan: Scan[T]) -> list[Finding]:
    text = scan.text
    content = text.buffer[: text.size]
    if not (content >= 128).any():
        return []
    at = [match.start() for match in _ODD_BYTES.finditer(content.data)]
    if not at:
        return []
    lines = np.unique(np.searchsorted(text.ends, at) + 1)
    sign = content[at[0] : at[0] + 4].tobytes().decode(errors="ignore")[0]
    message = (
        f"lines with U+{ord(sign):04X} or another odd blank inside a field: {lines.size}; "
        "tools that split at any blank read other fields"
    )
    place = Ids(text.buffer, np.array(at[:1]), np.array([1]))
    return [once(text, "odd-blank", message, int(lines[0]), field=place)]


def _hash_topics(scan: Scan[T]) -> list[Finding]:
    topics = scan.data.topics
    which = [i for i, topic in enumerate(topics) if topic.startswith("#")]
    lines = scan.line[first_rows(scan.data.topic, len(topics))[np.array(which, dtype=np.int64)]]

    def message(i: int) -> str:
        return (
            f"topic {topics[which[i]]!r} begins with #: trec_eval 10 takes its lines for comments"
        )

    return [Finding(scan.text, "hash-topic", lines, message, severity="warning")]


def _twin_topics(scan: Scan[T]) -> list[Finding]:
    topics, known, twins = scan.data.topics, dict[str, int](), list[tuple[int, int]]()
    for i, topic in enumerate(topics):
        if (first := known.setdefault(fold(topic, inner=True), i)) != i:
            twins.append((i, first))
    rows = first_rows(scan.data.topic, len(topics))

    def message(i: int) -> str:
        new, old = (topics[k] for k in twins[i])
        return f"topics {new!r} and {old!r} differ only in {difference(new, old)}"

    lines, others = ([scan.line[rows[pair[k]]] for pair in twins] for k in (0, 1))
    return [Finding(scan.text, "twin-topic", lines, message, None, others, severity="warning")]
