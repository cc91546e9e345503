"""A run against the judgments: topics and documents that should match and do not."""

import numpy as np

from ndcgstudy.check.folding import difference, fold, folded
from ndcgstudy.check.text import first_rows, once
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.trec import Scan
from ndcgstudy.ids import Finder, Ids, Index, pair_keys


def topic_findings(qrels: Scan[Judgments], run: Scan[Rankings]) -> list[Finding]:
    """Compare the topics of a run with the judged ones."""
    ours, theirs = run.data.topics, qrels.data.topics
    known, judged = set(ours), set(theirs)
    near = _near_topics(ours, theirs)
    explained = {i for i, _ in near if ours[i] not in judged}, {j for _, j in near}
    unjudged = [i for i, t in enumerate(ours) if t not in judged and i not in explained[0]]
    missing = [j for j, t in enumerate(theirs) if t not in known and j not in explained[1]]
    here = run.line[first_rows(run.data.topic, len(ours))]
    there = qrels.line[first_rows(qrels.data.topic, len(theirs))]

    def alike(i: int) -> str:
        a, b = ours[near[i][0]], theirs[near[i][1]]
        return f"topic {a!r} of the run and {b!r} of the qrels differ only in {difference(a, b)}"

    pairs = here[[i for i, _ in near]], there[[j for _, j in near]]
    findings = [Finding(run.text, "topic-id", pairs[0], alike, None, pairs[1], qrels.text)]
    if not known & judged:
        message, first = "no topic of the run is in the qrels", int(here[0])
        return [
            *findings,
            once(
                run.text,
                "no-common-topic",
                message,
                first,
                other=int(there[0]),
                other_file=qrels.text,
                severity="error",
            ),
        ]
    return [
        *findings,
        Finding(
            run.text,
            "unjudged-topic",
            here[unjudged],
            lambda i: f"topic {ours[unjudged[i]]} is not in the qrels",
            severity="warning",
        ),
        Finding(
            run.text,
            "missing-topic",
            np.zeros(len(missing), dtype=np.int64),
            lambda i: f"topic {theirs[missing[i]]} of the qrels is not in the run",
            None,
            there[missing],
            qrels.text,
        ),
    ]


def _near_topics(ours: tuple[str, ...], theirs: tuple[str, ...]) -> list[tuple[int, int]]:
    """Pair each topic that stands on one side alone with one of the other that folds to the same."""
    known, judged = set(ours), set(theirs)
    folds = [
        {fold(t, inner=True): i for i, t in reversed([*enumerate(ts)])} for ts in (ours, theirs)
    ]
    pairs = {
        (i, folds[1][fold(t, inner=True)])
        for i, t in enumerate(ours)
        if t not in judged and fold(t, inner=True) in folds[1]
    }
    explained = {j for _, j in pairs}
    pairs |= {
        (folds[0][fold(t, inner=True)], j)
        for j, t in enumerate(theirs)
        if t not in known and j not in explained and fold(t, inner=True) in folds[0]
    }
    return sorted(pairs)


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
    left = np.flatnonzero(unmatched)
    ours, theirs = run.data.docs.take(left), qrels.data.docs
    found, at = _find((qrels.data.topic, folded(theirs)), (topic[left], folded(ours)))
    near = left[found]
    lost, twin = ~retrieved[at], retrieved[at]
    findings = [
        _near_documents(qrels, run, near[lost], at[lost], "document-id", "error"),
        _near_documents(qrels, run, near[twin], at[twin], "twin-document", "warning"),
    ]
    if not rows.size and not near.size:
        message = "no document of the run is judged for the topic it stands under"
        findings.append(once(run.text, "all-unjudged", message))
    return findings


def _find(among: tuple[Index, Ids], wanted: tuple[Index, Ids]) -> tuple[Index, Index]:
    """Find (topic, document) pairs among others: the rows that are there, and where each is."""
    rows, at = Finder(pair_keys(*among)).find(pair_keys(*wanted))
    same = among[1].take(at).equal(wanted[1].take(rows)) & (among[0][at] == wanted[0][rows])
    return rows[same], at[same]


def _near_documents(
    qrels: Scan[Judgments], run: Scan[Rankings], rows: Index, at: Index, rule: str, severity: str
) -> Finding:
    ours, theirs = run.data.docs.take(rows), qrels.data.docs.take(at)
    also = " (the run holds both)" if severity == "warning" else ""

    def message(i: int) -> str:
        a, b = ours[i], theirs[i]
        how = f"differ only in {difference(a, b)}{also}"
        return f"document {a!r} of the run and the judged {b!r} {how}"

    lines, others = run.line[rows], qrels.line[at]
    return Finding(run.text, rule, lines, message, ours, others, qrels.text, severity)
