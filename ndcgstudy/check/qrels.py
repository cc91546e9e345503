"""Grades out of the ordinary, and topics on which they cannot tell runs apart."""

from collections.abc import Callable

import numpy as np

from ndcgstudy.check.text import first_rows, once
from ndcgstudy.data import Judgments
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.trec import Scan
from ndcgstudy.ids import Index
from ndcgstudy.words import many

_USUAL = 10


def qrels_findings(scan: Scan[Judgments]) -> list[Finding]:
    """Look at the grades of a file of judgments."""
    if not len(scan.data.docs):
        return []
    rules: list[Callable[[Scan[Judgments]], list[Finding]]] = [
        _negative,
        _high,
        _without_relevant,
        _one_grade,
    ]
    return [finding for rule in rules for finding in rule(scan)]


def _negative(scan: Scan[Judgments]) -> list[Finding]:
    """Tell of each grade below 0 once."""
    below = np.flatnonzero(scan.data.grade < 0)
    grades, first, counts = np.unique(scan.data.grade[below], return_index=True, return_counts=True)

    def message(i: int) -> str:
        return f"negative grade {grades[i]:g} on {many(int(counts[i]), 'line')}; tools differ on its meaning"

    rows = below[first]
    fields = scan.columns[0].take(rows)
    return [
        Finding(scan.text, "negative-grade", scan.line[rows], message, fields, severity="warning")
    ]


def _high(scan: Scan[Judgments]) -> list[Finding]:
    """Tell of the highest grade if it is above 10, or rare and far above the others."""
    levels, first, counts = np.unique(scan.data.grade, return_index=True, return_counts=True)
    high = int(counts[levels > _USUAL].sum())
    if high:
        message = f"grades above {_USUAL} on {many(high, 'line')}, the highest {levels[-1]:g}"
    elif _far(levels, counts):
        message = (
            f"grade {levels[-1]:g} on {many(int(counts[-1]), 'line')} is far above the others, "
            f"which end at {levels[-2]:g}"
        )
    else:
        return []
    field = scan.columns[0].take(first[-1:])
    return [once(scan.text, "high-grade", message, int(scan.line[first[-1]]), field=field)]


def _far(levels: "np.ndarray[tuple[int], np.dtype[np.float64]]", counts: Index) -> bool:
    if levels.size < 3 or counts[-1] > max(1, counts.sum() // 100):
        return False
    return bool(levels[-1] - levels[-2] >= 3 * (levels[-2] - max(levels[0], 0.0)) > 0)


def _without_relevant(scan: Scan[Judgments]) -> list[Finding]:
    topics, first = scan.data.topics, first_rows(scan.data.topic, len(scan.data.topics))
    best = np.full(len(topics), -np.inf)
    np.maximum.at(best, scan.data.topic, scan.data.grade)
    which = np.flatnonzero(best <= 0)

    def message(i: int) -> str:
        return f"topic {topics[which[i]]} has no relevant document"

    lines = scan.line[first[which]]
    return [Finding(scan.text, "no-relevant", lines, message, severity="warning")]


def _one_grade(scan: Scan[Judgments]) -> list[Finding]:
    """Tell of topics with one grade above 0: each, or once where most topics are so."""
    data = scan.data
    topics, first = data.topics, first_rows(data.topic, len(data.topics))
    grade = data.grade[first]
    other = np.bincount(data.topic[data.grade != grade[data.topic]], minlength=len(topics))
    which = np.flatnonzero((other == 0) & (grade > 0))
    counts = np.bincount(data.topic, minlength=len(topics))
    lines = scan.line[first[which]]
    if which.size > len(topics) / 2 and which.size > 1:
        message = (
            f"{which.size} of {len(topics)} topics have one grade for all judged documents; "
            "among these alone every order scores the same"
        )
        return [once(scan.text, "one-grade", message, int(lines[0]))]

    def told(i: int) -> str:
        topic = which[i]
        return (
            f"topic {topics[topic]} has one grade, {grade[topic]:g}, for all its judged documents "
            f"({counts[topic]}): among these alone every order scores the same"
        )

    return [Finding(scan.text, "one-grade", lines, told, severity="warning")]
