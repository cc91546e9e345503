"""Read people's preferences: pairs of lists, pairs of runs, or pairs of documents."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.formats.answers import wrong
from ndcgstudy.formats.cells import Table
from ndcgstudy.formats.fieldnames import header_roles, plain_names
from ndcgstudy.formats.listpairs import ListPair, read_records
from ndcgstudy.formats.pairing import paired
from ndcgstudy.formats.registry import read_table
from ndcgstudy.formats.runpairs import run_pairs
from ndcgstudy.formats.textfile import TextFile, read_text, text_of
from ndcgstudy.policies import Policy
from ndcgstudy.preferences import Preferences
from ndcgstudy.ranking import answer_key
from ndcgstudy.shown import show
from ndcgstudy.words import many

_ORDER = ": PAIRS go first, then QRELS and RUNs"


def read_preferences(
    source: str | Path | TextFile | Iterable[Mapping[str, Any]],
    judgments: Judgments | None = None,
    runs: Iterable[Rankings] = (),
    policy: Policy | None = None,
    *,
    depth: int | None = None,
) -> Preferences:
    """Read preferences, from a file in one of three forms, or from records as the first has them.

    JSON lines: a record an answer, with query, A_docs, B_docs, pref (A, B, tie, tie_good, tie_bad)
    and A_grades, B_grades where no judgments are given (null: not judged). The ideal list is made of
    the query's judgments, or without these of the documents of both lists.

    CSV with the columns topic, run_a, run_b, preference: the lists are those of the runs.

    Arena files, with question_id, model_a, model_b and winner (model_a, model_b, tie, tie (bothbad)),
    are such a table; so are JSON, JSON lines and parquet with these columns.

    CSV with the columns topic, doc_a, doc_b, winner: where such two documents are the first ones of
    two runs, the run of the winner is preferred: top-1 preferences, on as many pairs as there are.

    In all of them ``weight`` weighs an answer, and further columns are kept; side A is the side that
    the file calls so, and a pair with its sides changed over is the same pair.

    Parameters
    ----------
    judgments, runs, policy
        As in `score`; pairs of lists take no runs. A list that a run lacks is empty, and a measure
        that is 0/0 since nothing is relevant counts as 0, whatever the policy says.
    depth
        How far down the runs were seen; by default all of them.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        Naming file, line, value and rule.

    Examples
    --------
    >>> pair = {"query": "q", "A_docs": ["x"], "B_docs": ["y"], "A_grades": [1], "B_grades": [0]}
    >>> found = read_preferences([{**pair, "pref": "A"}, {**pair, "pref": "tie"}])
    >>> found.preference.tolist(), found.pair.tolist(), found.differences(["P@1"]).tolist()
    ([1, 0], [0, 0], [[1.0, 1.0]])
    """
    text = read_pairs(source) if isinstance(source, str | Path | TextFile) else _of_records(source)
    if not text.size or not text.first().strip():
        raise wrong(text, "the preferences hold no answer")
    policy = replace(policy or Policy(), missing="zero", no_relevant="zero")
    table = _table(text)
    if table is None:
        if any(True for _ in runs):
            raise wrong(text, "pairs of lists hold their own lists and take no runs")
        return _list_pairs(text, judgments, policy)
    runs = list(runs)
    if judgments is None or not runs:
        raise wrong(text, "these preferences are on runs: give QRELS and the RUNs")
    return run_pairs(text, table, judgments, runs, policy, depth)


def read_pairs(source: str | Path | TextFile) -> TextFile:
    """Read a file of preferences, to be taken apart by `read_preferences`.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it is a file of judgments or a run.
    """
    text = source if isinstance(source, TextFile) else read_text(source)
    fields = text.first().split()
    for kind, count, value in (("a qrels file", 4, 3), ("a run", 6, 4)):
        if len(fields) == count and re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", fields[value]):
            raise wrong(text, f"it looks like {kind}{_ORDER}", 1)
    names = plain_names(re.split(r"[,;\t ]", text.first()))
    if len(names) == 3 and header_roles(names, "qrels"):
        raise wrong(text, f"it looks like a qrels file{_ORDER}", 1)
    return text


def _table(text: TextFile) -> Table | None:
    """Return the table of answers on runs; None where the file holds pairs of lists."""
    first = text.first()
    if first.lstrip()[:1] in ("{", "[") and not re.search(r'"(model|run|system|doc)_a"', first):
        return None
    return read_table(text).headed()


def _of_records(records: Iterable[Mapping[str, Any]]) -> TextFile:
    """Write records as lines, so that they are checked as those of a file."""
    try:
        lines = "\n".join(json.dumps(record) for record in records)
    except TypeError as error:
        raise ValueError(f"the records of preferences must be plain: {error}") from None
    return text_of(lines.encode(), "preferences")


def _list_pairs(text: TextFile, judgments: Judgments | None, policy: Policy) -> Preferences:
    """Lay out pairs of lists: each pair is a topic of its own, with two runs, A and B."""
    answers = read_records(text)
    places: dict[Any, int] = {}
    pair, turned = np.array([_numbered(answer, places) for answer in answers]).T
    pairs = [answers[at] for at in np.unique(pair, return_index=True)[1]]  # the first on each
    known = _known(text, pairs, judgments)
    differing = sum(known[p.topic].get(d, g) != g for p in pairs for d, g in p.graded.items())
    judged = {str(n): {**known[p.topic], **p.graded} for n, p in enumerate(pairs)}
    own = replace(policy, ties="input", precision="float64", exclude_self=False)
    sides = [_as_run(pairs, side, text.name) for side in (0, 1)]
    ideal = "of the documents of both lists" if judgments is None else "of the query's judgments"
    note = (
        f"{many(differing, 'grade')} in the lists other than the judgments': the lists' own count"
    )
    return paired(
        answers,
        text,
        show(sides, answer_key(Judgments.from_dict(judged, text.name), own), own),
        pair=pair,
        first=pair + turned * len(pairs),
        second=pair + (1 - turned) * len(pairs),
        convention=f"ideal {ideal}, {_cut(policy)}; unjudged {policy.unjudged}; no relevant zero",
        notes=[note] if differing else [],
    )


def _numbered(answer: ListPair, places: dict[Any, int]) -> tuple[int, int]:
    """Return the number of an answer's pair, and 1 where this pair has its sides changed over."""
    sides = (answer.docs, answer.grades)
    turned = (answer.topic, *(side[::-1] for side in sides))
    if (answer.topic, *sides) not in places and turned in places:
        return places[turned], 1
    return places.setdefault((answer.topic, *sides), len(places)), 0


def _known(
    text: TextFile, pairs: Sequence[ListPair], judgments: Judgments | None
) -> dict[str, dict[str, float]]:
    """Return the judgments of each topic, none where the lists' own grades are to do."""
    if judgments is None:
        if not any(pair.graded for pair in pairs):
            raise wrong(text, "no list has grades: give A_grades and B_grades, or QRELS")
        return {pair.topic: {} for pair in pairs}
    known: dict[str, dict[str, float]] = {topic: {} for topic in judgments.topics}
    columns = (judgments.topic.tolist(), judgments.docs.strings(), judgments.grade.tolist())
    for at, doc, grade in zip(*columns, strict=True):
        known[judgments.topics[at]][doc] = grade
    for pair in pairs:
        if pair.topic not in known:
            others = nearest(pair.topic, [*known])
            raise wrong(text, f"no judgments for query {pair.topic!r}{others}")
    return known


def _as_run(pairs: Sequence[ListPair], side: int, source: str) -> Rankings:
    """Return one side of all pairs as a run whose topics are the pairs."""
    lists = {
        str(number): {doc: -float(rank) for rank, doc in enumerate(pair.docs[side])}
        for number, pair in enumerate(pairs)
    }
    return Rankings.from_dict(lists, name="AB"[side], source=f"{source}, lists {'AB'[side]}")


def _cut(policy: Policy) -> str:
    return {"cut": "cut at k", "all": "all of them"}[policy.ideal]
