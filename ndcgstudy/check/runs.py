"""What is odd in a run alone: its scores, ranks and tags."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.check.text import once
from ndcgstudy.data import Rankings
from ndcgstudy.formats.numbers import decimals
from ndcgstudy.formats.problem import Finding
from ndcgstudy.formats.ranks import REVERSED, by_score, exchanged, rank_groups
from ndcgstudy.formats.trec import Scan
from ndcgstudy.ids import Index, Mask
from ndcgstudy.words import many


def run_findings(scan: Scan[Rankings]) -> list[Finding]:
    """Look at the scores, ranks and tags of a run."""
    order = by_score(scan.data.topic, scan.data.score + 0.0)
    return [*_infinite(scan), *_ties(scan, order), *_ranks(scan, order), *_tags(scan)]


def _infinite(scan: Scan[Rankings]) -> list[Finding]:
    rows = np.flatnonzero(np.isinf(scan.data.score))
    fields = scan.columns[0].take(rows)

    def message(i: int) -> str:
        return f"score {fields[i]!r} is not finite"

    return [Finding(scan.text, "infinite", scan.line[rows], message, fields)]


def _ties(scan: Scan[Rankings], order: Index) -> list[Finding]:
    """Tell once of the scores that tie, and once of those that do so in 32 bits only."""
    topic, score = scan.data.topic[order], scan.data.score[order] + 0.0
    with np.errstate(over="ignore"):
        short = score.astype(np.float32)
    exact = _as_before(topic, score)
    rounded = _as_before(topic, short) & ~exact
    told = [
        ("tie", exact, "ties in score"),
        ("tie-32bit", rounded, "ties made by rounding scores to 32 bits, as trec_eval 9 does"),
    ]
    return [_tie(scan, order, rule, tied, text) for rule, tied, text in told if tied.any()]


def _tie(scan: Scan[Rankings], order: Index, rule: str, tied: Mask, text: str) -> Finding:
    places = np.flatnonzero(tied)
    later = np.maximum(order[places], order[places - 1])
    at = int(np.argmin(scan.line[later]))
    row, other = int(later[at]), int(np.minimum(order[places], order[places - 1])[at])
    topics = np.unique(scan.data.topic[order[places]]).size
    message = f"{text}: {places.size} in {many(topics, 'topic')}; the first"
    field = scan.columns[0].take(slice(row, row + 1))
    line, other_line = int(scan.line[row]), int(scan.line[other])
    return once(scan.text, rule, message, line, field=field, other=other_line)


def _as_before(topic: Index, values: npt.NDArray[np.floating[Any]]) -> Mask:
    equal = np.zeros(topic.size, dtype=bool)
    equal[1:] = (values[1:] == values[:-1]) & (topic[1:] == topic[:-1])
    return equal


def _ranks(scan: Scan[Rankings], order: Index) -> list[Finding]:
    """Compare the rank column, which nothing else reads, with the order of the scores."""
    column = scan.columns[1]
    told, row = exchanged(scan.data, column)
    if told:
        field, line = column.take(slice(row, row + 1)), int(scan.line[row])
        return [once(scan.text, "exchanged", told, line, field=field, severity="error")]
    rank, good = decimals(column)
    good &= rank % 1 == 0
    if not good.all():
        rows = np.flatnonzero(~good)
        message = f"ranks that are no whole number: {rows.size}; the first is {column[rows[0]]!r}"
        field = column.take(rows[:1])
        return [once(scan.text, "rank", message, int(scan.line[rows[0]]), field=field)]
    groups = rank_groups(scan.data, rank, order)
    if not groups.wrong.any():
        return []
    here, before = groups.example(int(np.argmax(groups.wrong)))
    line, field = int(scan.line[here]), column.take(slice(here, here + 1))
    where: dict[str, Any] = {"field": field, "other": int(scan.line[before])}
    count, lists = groups.reversed
    if count:
        message = f"{REVERSED} on {count} of {many(lists, 'topic')}; the first"
        return [once(scan.text, "reversed", message, line, severity="error", **where)]
    message = (
        f"ranks that do not rise as the scores fall: {np.count_nonzero(groups.wrong)}; the first"
    )
    return [once(scan.text, "rank", message, line, **where)]


def _tags(scan: Scan[Rankings]) -> list[Finding]:
    if len(scan.columns) < 3:
        return []
    codes, names = scan.columns[2].factorize()
    if len(names) == 1:
        return []
    row = int(np.argmax(codes == 1))
    shown = ", ".join(map(repr, names[:5])) + ", ..." * (len(names) > 5)
    message = f"{len(names)} tags in one run: {shown}"
    line, other = int(scan.line[row]), int(scan.line[0])
    field = scan.columns[2].take(slice(row, row + 1))
    return [once(scan.text, "tags", message, line, field=field, other=other)]
