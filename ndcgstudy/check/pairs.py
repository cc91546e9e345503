"""A run against the judgments: topics and documents that should match and do not."""

from typing import TypeVar

import numpy as np

from ndcgstudy.check.text import first_rows, once
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.folding import cut_at, difference, folded, near_topics
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.trec import Scan
from ndcgstudy.ids import Finder, Ids, Index, blocks, pair_keys

T = TypeVar("T", Judgments, Rankings)
_BLOCK = 1 << 18


def topic_findings(qrels: Scan[Judgments], run: Scan[Rankings]) -> list[Finding]:
    """Compare the topics of a run with the judged ones."""
    ours, theirs = run.data.topics, qrels.data.topics
    near = near_topics(ours, theirs)
    alike = _alike_finding(qrels, run, near)
    if set(ours).isdisjoint(theirs):
        return [alike, _nothing_common(qrels, run)]
    explained = {ours[i] for i, _ in near}, {theirs[j] for _, j in near}
    unjudged = _beyond(ours, {*theirs, *explained[0]})
    missing = _beyond(theirs, {*ours, *explained[1]})
    return [alike, _unjudged_finding(run, unjudged), _missing_finding(qrels, run, missing)]


def _beyond(topics: tuple[str, ...], known: set[str]) -> Index:
    return np.array([i for i, topic in enumerate(topics) if topic not in known], dtype=np.int64)


def _first_lines(scan: Scan[T]) -> Index:
    """Return the line on which each topic first stands."""
    return scan.line[first_rows(scan.data.topic, len(scan.data.topics))]


def _nothing_common(qrels: Scan[Judgments], run: Scan[Rankings]) -> Finding:
    message = "no topic of the run is in the qrels"
    lines = int(run.line[0]), int(qrels.line[0])
    return once(
        run.text,
        "no-common-topic",
        message,
        lines[0],
        other=lines[1],
        other_file=qrels.text,
        severity="error",
    )


def _alike_finding(
    qrels: Scan[Judgments], run: Scan[Rankings], near: list[tuple[int, int]]
) -> Finding:
    def message(i: int) -> str:
        a, b = run.data.topics[near[i][0]], qrels.data.topics[near[i][1]]
        return f"topic {a!r} of the run and {b!r} of the qrels differ only in {difference(a, b)}"

    ours, theirs = (np.array([pair[k] for pair in near], dtype=np.int64) for k in (0, 1))
    lines, others = _first_lines(run)[ours], _first_lines(qrels)[theirs]
    return Finding(run.text, "topic-id", lines, message, None, others, qrels.text)


def _unjudged_finding(run: Scan[Rankings], which: Index) -> Finding:
    def message(i: int) -> str:
        return f"topic {run.data.topics[which[i]]} is not in the qrels"

    lines = _first_lines(run)[which]
    return Finding(run.text, "unjudged-topic", lines, message, severity="warning")


def _missing_finding(qrels: Scan[Judgments], run: Scan[Rankings], which: Index) -> Finding:
    def message(i: int) -> str:
        return f"topic {qrels.data.topics[which[i]]} of the qrels is not in the run"

    others, nowhere = _first_lines(qrels)[which], np.zeros_like(which)
    return Finding(run.text, "missing-topic", nowhere, message, None, others, qrels.text)


def document_findings(qrels: Scan[Judgments], run: Scan[Rankings]) -> list[Finding]:
    """Look among the documents without a judgment for those whose id is nearly a judged one's."""
    place = {topic: j for j, topic in enumerate(qrels.data.topics)}
    position = np.array([place.get(topic, -1) for topic in run.data.topics], dtype=np.int64)
    topic = position[run.data.topic]
    if not (topic >= 0).any():
        return []
    rows, at = qrels.data.find(topic, run.data.docs)
    unmatched = topic >= 0
    unmatched[rows] = False
    retrieved = np.zeros(qrels.line.size, dtype=bool)
    retrieved[at] = True
    near, at = _near(qrels, run, topic, np.flatnonzero(unmatched))
    lost, twin = ~retrieved[at], retrieved[at]
    unmatched[near] = False
    short, whole = _cut(qrels, run, topic, np.flatnonzero(unmatched))
    findings = [
        _near_documents(qrels, run, near[lost], at[lost], "document-id", "error"),
        _near_documents(qrels, run, near[twin], at[twin], "twin-document", "warning"),
        _near_documents(
            qrels, run, short, whole, "document-id", "error", "begin alike: one is cut off"
        ),
    ]
    if not rows.size and not near.size and not short.size:
        message = "no document of the run is judged for the topic it stands under"
        findings.append(once(run.text, "all-unjudged", message))
    return findings


def _near(
    qrels: Scan[Judgments], run: Scan[Rankings], topic: Index, rows: Index
) -> tuple[Index, Index]:
    """Find which of some rows hold a document that folds to a judged one of its topic, and that one."""
    theirs = folded(qrels.data.docs)
    finder = Finder(pair_keys(qrels.data.topic, theirs))
    near, judged = [rows[:0]], [rows[:0]]
    for block in blocks(rows.size, _BLOCK):
        here = rows[block]
        ours = folded(run.data.docs.take(here))
        found, at = finder.find(pair_keys(topic[here], ours))
        same = theirs.take(at).equal(ours.take(found)) & (
            qrels.data.topic[at] == topic[here[found]]
        )
        near.append(here[found[same]])
        judged.append(at[same])
    return np.concatenate(near), np.concatenate(judged)


def _cut(
    qrels: Scan[Judgments], run: Scan[Rankings], topic: Index, rows: Index
) -> tuple[Index, Index]:
    """Find documents and judged ones that begin alike, where one file's ids are cut at one length."""
    ours, theirs = run.data.docs, qrels.data.docs
    for size, long_is_ours in ((cut_at(ours.length), False), (cut_at(theirs.length), True)):
        if not size:
            continue
        some = rows[(ours.length[rows] > size) if long_is_ours else (ours.length[rows] == size)]
        judged = np.flatnonzero(theirs.length == size if long_is_ours else theirs.length > size)
        heads = [_heads(docs, at, size) for docs, at in ((ours, some), (theirs, judged))]
        keys = pair_keys(qrels.data.topic[judged], heads[1])
        found, at = Finder(keys).find(pair_keys(topic[some], heads[0]))
        same = heads[1].take(at).equal(heads[0].take(found))
        same &= qrels.data.topic[judged[at]] == topic[some[found]]
        if same.any():
            return some[found[same]], judged[at[same]]
    return rows[:0], rows[:0]


def _heads(docs: Ids, rows: Index, size: int) -> Ids:
    """Return the first bytes of some ids."""
    return Ids(docs.buffer, docs.start[rows], np.full(rows.size, size))


def _near_documents(
    qrels: Scan[Judgments],
    run: Scan[Rankings],
    rows: Index,
    at: Index,
    rule: str,
    severity: str,
    how: str = "",
) -> Finding:
    ours, theirs = run.data.docs.take(rows), qrels.data.docs.take(at)
    also = " (the run holds both)" if severity == "warning" else ""

    def message(i: int) -> str:
        a, b = ours[i], theirs[i]
        told = how or f"differ only in {difference(a, b)}{also}"
        return f"document {a!r} of the run and the judged {b!r} {told}"

    lines, others = run.line[rows], qrels.line[at]
    return Finding(run.text, rule, lines, message, ours, others, qrels.text, severity)
