"""Gaps in a matrix of scores: what a system or topic without a score does to the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Scores
from ndcgstudy.ids import Index, Mask
from ndcgstudy.words import many

MISSING = ("error", "zero", "drop-topics", "drop-systems")
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix of scores without gaps, and what was done to have it so.

    Parameters
    ----------
    scores
        The scores; no NaN among them.
    notes
        What deserves a word, a line each.
    """

    scores: Scores
    notes: tuple[str, ...] = ()


def complete(scores: Scores, missing: str = "error") -> Matrix:
    """Fill the gaps of a matrix, or take them out.

    Parameters
    ----------
    scores
        With NaN where a system has no score for a topic.
    missing
        "error" refuses gaps and lists them. "zero" counts them as 0, so that no system gains by one.
        "drop-systems" takes out the systems that have one. "drop-topics" takes out, for all systems,
        the topics that have one: all are compared on the same topics, but a system that lacks a topic
        hard for it gains. With `datasets` a topic is dropped from its own data set alone.

    Raises
    ------
    ValueError
        If there are gaps and `missing` is "error", or no word it knows; if a score is infinite; with
        "zero", if a score is below 0, as a gap would then beat it; if fewer than two systems or topics
        are left.

    Examples
    --------
    >>> gaps = Scores(np.array([[0.5, 0.2], [0.4, np.nan]]), ("a", "b"), ("q1", "q2"), "AP")
    >>> complete(gaps, "zero").scores.mean()
    array([0.35, 0.2 ])
    >>> complete(gaps, "zero").notes
    ("1 of 4 scores (1 system, 1 topic) missing, counted as 0: system 'b', topic 'q2'",)
    """
    check_missing(missing)
    _refuse(scores, np.isinf(scores.values), "infinite")
    holes = np.isnan(scores.values)
    if not holes.any():
        return Matrix(scores)
    if missing == "zero":
        return _zeroed(scores, holes)
    if missing == "drop-topics":
        return _without_topics(scores, holes)
    if missing == "drop-systems":
        return _without_systems(scores, holes)
    way = "zero, drop-topics or drop-systems"
    raise ValueError(f"{_told(scores, holes)} (choose what they mean: missing {way})")


def check_missing(missing: str) -> None:
    """Check that a word says what missing scores mean, else raise `ValueError` with the known ones."""
    if missing not in MISSING:
        raise ValueError(f"unknown missing {missing!r}{nearest(missing, [*MISSING])}")


def select_topics(scores: Scores, topics: Sequence[str]) -> Scores:
    """Keep some topics, in the order asked for; where data sets share one, it is kept in each.

    Raises
    ------
    ValueError
        If one is not there, or none is asked for.

    Examples
    --------
    >>> scores = Scores(np.array([[0.5, 0.2]]), ("a",), ("q1", "q2"), "AP")
    >>> select_topics(scores, ["q2"]).values
    array([[0.2]])
    """
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(scores.topics):
        places.setdefault(topic, []).append(place)
    if not topics:
        raise ValueError("no topic is asked for")
    if unknown := [topic for topic in topics if topic not in places]:
        raise ValueError(f"no topic {unknown[0]!r}{nearest(unknown[0], [*places])}")
    return _part(scores, topics=[i for topic in dict.fromkeys(topics) for i in places[topic]])


def check_comparable(scores: Scores) -> None:
    """Check that there are two systems and two topics to compare.

    Raises
    ------
    ValueError
        If there are fewer.

    Examples
    --------
    >>> check_comparable(Scores(np.array([[0.5, 0.2]]), ("a",), ("q1", "q2"), "AP"))
    Traceback (most recent call last):
        ...
    ValueError: a comparison takes two systems or more, found 1: 'a'
    """
    for axis, names in (("systems", scores.systems), ("topics", scores.topics)):
        if len(names) < 2:
            found = f"{len(names)}{': ' * len(names)}{', '.join(map(repr, names))}"
            raise ValueError(f"a comparison takes two {axis} or more, found {found}")


def _zeroed(scores: Scores, holes: Mask) -> Matrix:
    _refuse(scores, scores.values < 0, "below 0, where 0 for a missing one would be a gain")
    values = np.where(holes, 0.0, scores.values)
    filled = Scores(values, scores.systems, scores.topics, scores.measure, scores.datasets)
    return Matrix(filled, (_told(scores, holes, "missing, counted as 0"),))


def _without_topics(scores: Scores, holes: Mask) -> Matrix:
    gone = holes.any(axis=0)
    lacking = [f"{_topic(scores, j)} ({holes[:, j].sum()})" for j in np.flatnonzero(gone).tolist()]
    note = (
        f"{gone.sum()} of {gone.size} topics dropped for all systems, with how many lack each: "
        f"{_some(lacking)}; a system may gain by lacking a topic that is hard for it"
    )
    left = _left(_part(scores, topics=np.flatnonzero(~gone)), note)
    sets = scores.datasets if scores.datasets != scores.topics else None
    empty = [d for d in dict.fromkeys(sets or ()) if d not in (left.datasets or ())]
    more = [f"no topic is left of data set {_some(map(repr, empty))}"] if empty else []
    return Matrix(left, (note, *more))


def _without_systems(scores: Scores, holes: Mask) -> Matrix:
    gone = holes.any(axis=1)
    lacking = [f"{scores.systems[i]!r} ({holes[i].sum()})" for i in np.flatnonzero(gone).tolist()]
    note = (
        f"{gone.sum()} of {gone.size} systems dropped, with how many topics each lacks: "
        f"{_some(lacking)}"
    )
    return Matrix(_left(_part(scores, systems=np.flatnonzero(~gone)), note), (note,))


def _left(scores: Scores, note: str) -> Scores:
    """Return what is left, or refuse it as too little."""
    try:
        check_comparable(scores)
    except ValueError as error:
        raise ValueError(f"{error}; {note}") from None
    return scores


def _part(
    scores: Scores,
    systems: Index | slice = slice(None),
    topics: Index | slice | list[int] = slice(None),
) -> Scores:
    """Keep some systems and some topics."""
    rows = np.arange(len(scores.systems))[systems]
    columns = np.arange(len(scores.topics))[topics]
    datasets = scores.datasets
    return Scores(
        np.ascontiguousarray(scores.values[np.ix_(rows, columns)]),
        tuple(scores.systems[i] for i in rows),
        tuple(scores.topics[j] for j in columns),
        scores.measure,
        tuple(datasets[j] for j in columns) if datasets else None,
    )


def _refuse(scores: Scores, wrong: Mask, what: str) -> None:
    if wrong.any():
        i, j = np.argwhere(wrong)[0].tolist()
        value = float(scores.values[i, j])
        raise ValueError(f"the score of {_cell(scores, i, j)} is {what}, got {value!r}")


def _told(scores: Scores, holes: Mask, how: str = "missing") -> str:
    """Say how many scores are missing, and which: the first of them."""
    cells = (_cell(scores, i, j) for i, j in np.argwhere(holes)[: _SHOWN + 1].tolist())
    total = int(holes.sum())
    extent = f"{many(holes.any(axis=1).sum(), 'system')}, {many(holes.any(axis=0).sum(), 'topic')}"
    return f"{total} of {holes.size} scores ({extent}) {how}: {_some(cells, total, '; ')}"


def _some(names: Iterable[str], total: int | None = None, between: str = ", ") -> str:
    """Write the first few of many, and how many more there are."""
    names = list(names)
    more = (len(names) if total is None else total) - _SHOWN
    return between.join(names[:_SHOWN]) + (f"{between}and {more} more" if more > 0 else "")


def _cell(scores: Scores, i: int, j: int) -> str:
    return f"system {scores.systems[i]!r}, topic {_topic(scores, j)}"


def _topic(scores: Scores, j: int) -> str:
    data = scores.datasets[j] if scores.datasets else scores.topics[j]
    return f"{scores.topics[j]!r}" + (f" of {data!r}" if data != scores.topics[j] else "")
