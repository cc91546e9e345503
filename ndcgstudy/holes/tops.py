"""The tops of runs: what their judged documents earn, and which of their documents are unjudged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.holes.extremes import Ladder
from ndcgstudy.holes.form import Form, form_of
from ndcgstudy.holes.top import Top, top_of
from ndcgstudy.ids import Index
from ndcgstudy.lists import total
from ndcgstudy.measures import Measure
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import Key, answer_key
from ndcgstudy.scoring import Evaluation, score

HIGHEST = 100
"""The highest grade that may be given: each one is a level of the search."""


@dataclass(frozen=True, eq=False)
class TopicTops:
    """The unjudged documents in the tops of all runs on one topic.

    Parameters
    ----------
    docs
        Their ids; a document's number is its place here.
    number
        Shape (systems, width): the numbers of each system's documents by rank, filled up with -1.
    rank
        Shape (systems, documents): the 1-based rank of each, 0 where a system has it not in its top.
    weight
        Same shape: what the rank weighs; 0 where a system has the document not in its top.
    base
        Shape (systems,): the weighted sum of the gains of judged documents.
    bare
        Shape (systems,): the score if nothing is relevant.
    ladder
        The gains that may be given, and the ideal list.
    """

    docs: tuple[str, ...]
    number: Index
    rank: Index
    weight: Floats
    base: Floats
    bare: Floats
    ladder: Ladder


@dataclass(frozen=True, eq=False)
class Tops:
    """The tops of runs on all topics under one measure; see `lay_out`.

    Parameters
    ----------
    form
        The measure as a sum.
    evaluation
        The scores as they stand: unjudged documents are not relevant.
    topics
        One `TopicTops` a topic, in the order of the scores.
    gains
        The distinct gains that a document at stake may get, rising from 0.
    grades
        The lowest grade of each of these gains.
    most
        The highest grade that may be given.
    seen
        Shape (systems, ranks, grades): how many documents at a rank are judged with the lowest
        grade of each gain or any up to the next.
    """

    form: Form
    evaluation: Evaluation
    topics: tuple[TopicTops, ...]
    gains: Floats
    grades: Floats
    most: int
    seen: Index

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return next(iter(self.evaluation.scores.values())).systems

    @property
    def scores(self) -> Floats:
        """The scores as they stand, shape (systems, topics)."""
        return next(iter(self.evaluation.scores.values())).values


def lay_out(
    judgments: Judgments,
    runs: Rankings | Iterable[Rankings],
    measure: str | Measure = "nDCG@10",
    policy: Policy | None = None,
    *,
    max_grade: int | None = None,
) -> Tops:
    """Find the unjudged documents in the tops of runs, which are at stake in a measure.

    Parameters
    ----------
    judgments, runs
        As `score` takes them.
    measure
        nDCG, DCG, RBP, P or R; its cutoff ends the tops, without one they are all that is retrieved.
    policy
        As in `score`, but every topic must count, ties be broken, and unjudged documents keep their
        rank without a gain.
    max_grade
        The highest grade that may be given, in whole numbers from 0; by default the highest one of
        the judgments, and 1 if that is lower.

    Raises
    ------
    ValueError
        As `score`; if there is no run, the measure is no weighted sum, or the policy or `max_grade`
        does not fit.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1}})
    >>> run = Rankings.from_dict({"q1": {"x": 2.0, "a": 1.0}})
    >>> lay_out(qrels, [run]).topics[0].docs
    ('x',)
    """
    policy = policy or Policy()
    _check(policy)
    runs = [runs] if isinstance(runs, Rankings) else list(runs)
    if not runs:
        raise ValueError("there is no run whose top could have holes")
    form = form_of(measure, cut_ideal=policy.ideal == "cut")
    most = _highest(judgments, max_grade)
    gains, first = np.unique(form.gain(np.arange(most + 1.0)), return_index=True)
    grades = first.astype(float)
    evaluation = score(judgments, runs, form.measure, policy)
    key = answer_key(judgments, policy)
    found = [top_of(run, key, policy, form.cutoff) for run in runs]
    topics = tuple(_topic(t, found, form, gains, key, policy) for t in range(len(key.topics)))
    return Tops(form, evaluation, topics, gains, grades, most, _seen(found, grades))


def _check(policy: Policy) -> None:
    """Refuse policies under which a bound would mean something else."""
    wrong = [
        f"bounds need {name.replace('_', '-')} {' or '.join(fit)}, got {getattr(policy, name)}"
        for name, fit in (
            ("unjudged", ("nonrelevant",)),
            ("ties", ("trec", "input", "error")),
            ("ideal", ("cut", "all")),
            ("missing", ("zero",)),
            ("no_relevant", ("zero", "one")),
        )
        if getattr(policy, name) not in fit
    ]
    if wrong:
        raise ValueError("\n".join(wrong))


def _highest(judgments: Judgments, most: int | None) -> int:
    """Return the highest grade that may be given."""
    if most is None:
        most = max(int(judgments.grade.max(initial=1)), 1)
        if most > HIGHEST:
            raise ValueError(
                f"{judgments.source}: the highest grade is {most}; give `max_grade`, at most {HIGHEST}"
            )
    number("max_grade", most, at_least=1, below=HIGHEST + 1, whole=True)
    return most


def _topic(
    t: int, found: Sequence[Top], form: Form, gains: Floats, key: Key, policy: Policy
) -> TopicTops:
    """Gather one topic from the tops of all runs."""
    numbers: dict[str, int] = {}
    holes, base = [], np.zeros(len(found))
    for system, top in enumerate(found):
        rows = slice(*np.searchsorted(top.topic, [t, t + 1]))
        grade, place = top.grade[rows], top.place[rows]
        earned = form.gain(np.fmax(grade, 0.0)) * form.weights(grade.size)
        base[system] = total(earned)
        open_ = np.flatnonzero(np.isnan(grade))
        docs = top.docs.take(rows).take(open_).strings()
        holes.append((place[open_], [numbers.setdefault(doc, len(numbers)) for doc in docs]))
    number_, rank_ = _placed(holes, len(numbers))
    by_rank = np.concatenate([[0.0], form.weights(int(rank_.max(initial=0)))])
    ideal = key.ideal[t]
    bare = np.array([float(policy.no_relevant == "one" and top.answered[t]) for top in found])
    ladder = _ladder(form, gains, form.gain(np.maximum(ideal[ideal >= 0], 0.0)), len(numbers))
    return TopicTops(tuple(numbers), number_, rank_, by_rank[rank_], base, bare, ladder)


def _placed(holes: Sequence[tuple[Index, list[int]]], documents: int) -> tuple[Index, Index]:
    """Lay out the numbers of each system's documents by rank, and the rank of each document."""
    width = max(len(own) for _, own in holes)
    number_ = np.full((len(holes), width), -1)
    rank_ = np.zeros((len(holes), documents), dtype=np.int64)
    for system, (place, own) in enumerate(holes):
        number_[system, : len(own)] = own
        rank_[system, own] = place + 1
    return number_, rank_


def _ladder(form: Form, gains: Floats, judged: Floats, documents: int) -> Ladder:
    """Lay out the ideal of a topic for up to so many documents at stake.

    A level between two gains that may be given is reached with the higher one, and one above all
    of them never.
    """
    steps = np.diff(gains)
    ideal = np.zeros((steps.size, documents + 1))
    if not form.normed:
        return Ladder(steps, ideal, 1.0)
    levels = np.unique(np.concatenate([[0.0], gains, judged]))
    count = judged.size - np.searchsorted(np.sort(judged), levels[1:])
    sums = form.ideal_sums(judged.size + documents)
    added = np.diff(levels)[:, None] * sums[count[:, None] + np.arange(documents + 1)]
    owner = np.searchsorted(gains, levels[1:]) - 1
    inside = owner < steps.size
    np.add.at(ideal, owner[inside], added[inside])
    return Ladder(steps, ideal, float(added[~inside, 0].sum()))


def _seen(found: Sequence[Top], grades: Floats) -> Index:
    """Count the judged documents of each system by rank and level."""
    depth = max((int(top.place.max(initial=-1)) + 1 for top in found), default=0)
    seen = np.zeros((len(found), depth, grades.size), dtype=np.int64)
    for system, top in enumerate(found):
        judged = ~np.isnan(top.grade)
        level = np.searchsorted(grades, np.maximum(top.grade[judged], 0.0), side="right") - 1
        np.add.at(seen[system], (top.place[judged], level), 1)
    return seen
