"""Score runs: judgments, rankings and measures to `Scores`, saying what each policy changed."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats, Judgments, Rankings, Scores, first_repeated
from ndcgstudy.lists import Lists
from ndcgstudy.measures import MEASURES, Measure, readings
from ndcgstudy.notes import Count, Remark, convention, remarks_on_key, remarks_on_run, told
from ndcgstudy.oddities import NearIds, near_topic, oddities
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import Graded, Key, Ranked, answer_key, graded_lists, rank

Mask = npt.NDArray[np.bool_]
Measures = str | Measure | Sequence[str | Measure]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The scores of runs, how they were computed, and what deserves a word.

    Parameters
    ----------
    scores
        One matrix (systems, topics) a measure, by the measure's text.
    convention
        One line that says how the numbers were computed.
    notes
        What the policies changed, a line each.
    unjudged_topics
        How many topics without judgments each system has, where these were counted.
    """

    scores: Mapping[str, Scores]
    convention: str
    notes: tuple[str, ...]
    unjudged_topics: tuple[int, ...] = ()


def score(
    judgments: Judgments,
    runs: Rankings | Iterable[Rankings],
    measures: Measures = "nDCG@10",
    policy: Policy | None = None,
    *,
    topics: Sequence[str] | None = None,
) -> Evaluation:
    """Score runs on judged topics.

    Parameters
    ----------
    judgments, runs
        As `read_qrels` and `read_run` return them. Runs are taken one at a time, so that a generator
        of many large ones needs the memory of one. A run is called by its name, or by its file
        where names clash.
    measures
        Measures or their text forms.
    policy
        How ties, missing topics, unjudged documents and the like are treated; see `Policy`.
    topics
        Which of the judged topics count; by default all of them, in the order of the judgments.

    Raises
    ------
    ValueError
        If a measure cannot be read, a topic is not judged, two runs cannot be told apart, a run shares
        no topic with the judgments, or a run breaks a policy: a line for each run.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1}, "q2": {"b": 1}})
    >>> run = Rankings.from_dict({"q1": {"x": 2.0, "a": 1.0}})
    >>> result = score(qrels, run, "RR@10")
    >>> result.scores["RR@10"].values
    array([[0.5, 0. ]])
    >>> result.notes
    ('1 of 2 topics missing from run run, counted as 0',)
    """
    policy = policy or Policy()
    parts = _parsed(measures)
    chosen = on_topics(judgments, topics)
    key = answer_key(chosen, policy)
    results = _each(runs, key, parts, policy, judgments.topics)
    names = distinct_names([r.count.run for r in results], [r.source for r in results])
    values = np.array([r.values for r in results]).reshape(-1, len(parts), len(key.topics))
    scores = {
        str(part): Scores(np.ascontiguousarray(values[:, i]), names, key.topics, str(part))
        for i, part in enumerate(parts)
    }
    counts = [r.count.called(name) for r, name in zip(results, names, strict=True)]
    remarks: list[Remark] = [r for count in counts for r in remarks_on_run(count, policy)]
    notes = told(remarks_on_key(chosen, key.ideal, policy) + remarks)
    given = [measures] if isinstance(measures, str) else measures
    how = convention(parts, policy, key.ideal, counts)
    line = "; ".join([*readings(given if isinstance(given, Sequence) else ()), how])
    return Evaluation(scores, line, notes, tuple(count.ignored for count in counts))


def _parsed(measures: Measures) -> list[Measure]:
    if isinstance(measures, Sequence) and not isinstance(measures, str):
        return [MEASURES.parse(measure) for measure in measures]
    return [MEASURES.parse(measures)]


def distinct_names(names: Sequence[str], sources: Sequence[str]) -> tuple[str, ...]:
    """Call each run by its name, or by its file's name where names clash, or by its whole path.

    Raises
    ------
    ValueError
        If two runs have the same name and source.

    Examples
    --------
    >>> distinct_names(["bm25", "x", "x"], ["a.run", "b.run.gz", "c/d.txt"])
    ('bm25', 'b.run.gz', 'd.txt')
    """
    called = list(names)
    for longer in ([source.rsplit("/", 1)[-1] for source in sources], list(sources)):
        clash = [called.count(name) > 1 for name in called]
        called = [b if c else a for a, b, c in zip(called, longer, clash, strict=True)]
    if twice := first_repeated(called):
        raise ValueError(f"two runs are named {twice!r}")
    return tuple(called)


@dataclass(frozen=True, eq=False)
class _Result:
    """The scores of one run, shape (measures, topics), and what was counted on the way."""

    values: Floats
    count: Count
    source: str


def _each(
    runs: Rankings | Iterable[Rankings],
    key: Key,
    measures: list[Measure],
    policy: Policy,
    judged: tuple[str, ...],
) -> list[_Result]:
    """Score each run, and refuse all that cannot be scored at once."""
    results, wrong = [], []
    known, near = frozenset(judged), NearIds(key.judgments)
    for run in [runs] if isinstance(runs, Rankings) else runs:
        try:
            ranked, graded, values, count = _score_run(run, key, measures, policy, known)
            odd = oddities(ranked, graded, key, near)
            some = count.missing and count.ignored
            topic_ids = near_topic(run.topics, judged) if some else ""
            count = replace(count, odd=odd, topic_ids=topic_ids, read=run.warnings, form=run.notes)
            results.append(_Result(values, count, run.source))
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError("\n".join(dict.fromkeys(wrong)))
    return results


def _score_run(
    run: Rankings, key: Key, measures: list[Measure], policy: Policy, judged: frozenset[str]
) -> tuple[Ranked, Graded, Floats, Count]:
    cutoffs = [measure.cutoff for measure in measures]
    depth = None if None in cutoffs else max((c for c in cutoffs if c), default=1)
    check_topics(run, judged)
    ranked = rank(run, key, policy)
    graded = graded_lists(ranked, key, policy, depth)
    values = np.empty((len(measures), len(key.topics)))
    flat = 0
    for part, lists in graded.blocks(key, policy):
        for i, measure in enumerate(measures):
            values[i, part] = measure(lists)[0]
        flat += int(np.count_nonzero(_without_information(lists) & ranked.answered[part]))
    count = Count(
        run=run.name,
        topics=len(key.topics),
        missing=int(np.count_nonzero(~ranked.answered)),
        ignored=sum(topic not in judged for topic in run.topics),
        rounded=ranked.rounded,
        dropped=run.dropped,
        unjudged=graded.unjudged,
        seen=graded.seen,
        depth=graded.depth,
        flat=flat,
    )
    of_run = np.array([[getattr(measure, "of_run", True)] for measure in measures])
    values = settled(values, ranked.answered | ~of_run, key.ideal[:, 0] > 0, policy)
    return ranked, graded, values, count


def check_topics(run: Rankings, judged: Set[str]) -> None:
    """Check that a run has a topic in common with the judgments."""
    if judged.isdisjoint(run.topics):
        near = near_topic(run.topics, tuple(judged))
        hint = f"; {near}" if near else ""
        raise ValueError(f"{run.source}: no topic of the run is in the qrels{hint}")


def settled(values: Floats, answered: Mask, relevant: Mask, policy: Policy) -> Floats:
    """Fill in topics without relevant documents and topics a run lacks, as the policy says.

    Parameters
    ----------
    values
        Shape (..., topics); NaN where a measure is 0/0.
    answered, relevant
        Which topics the run has a document for, and which have a relevant one; shapes that go with
        that of `values`.
    """
    undefined = np.isnan(values)
    left_out = (undefined | ~relevant) & (policy.no_relevant == "skip")
    values = np.where(undefined, 1.0 if policy.no_relevant == "one" else 0.0, values)
    values = np.where(answered, values, 0.0 if policy.missing == "zero" else np.nan)
    return np.where(left_out, np.nan, values)


def _without_information(lists: Lists) -> Mask:
    """Tell on which topics every order scores alike: one grade among all retrieved and judged.

    Lists of which only the top was looked up are not among them: what follows is not known.
    """
    inside = np.arange(lists.depth) < lists.retrieved[0][:, None]
    top, judged = lists.ideal[0][:, :1], lists.ideal[0] >= 0
    retrieved = (~inside | (lists.grade[0] == top)).all(axis=1) & (
        lists.retrieved[0] <= lists.depth
    )
    return np.asarray(retrieved & (~judged | (lists.ideal[0] == top)).all(axis=1) & (top[:, 0] > 0))


def on_topics(judgments: Judgments, topics: Sequence[str] | None) -> Judgments:
    """Keep the judgments of the topics asked for, in the order asked for (None: all of them).

    Raises
    ------
    ValueError
        If a topic is not judged, or none is asked for.
    """
    if topics is None:
        return judgments
    place = {topic: i for i, topic in enumerate(dict.fromkeys(topics))}
    known = {topic: i for i, topic in enumerate(judgments.topics)}
    if unknown := [topic for topic in place if topic not in known]:
        others = nearest(unknown[0], [*known])
        raise ValueError(f"{judgments.source}: no judgments for topic {unknown[0]!r}{others}")
    if not place:
        raise ValueError("no topic is left to score")
    position = np.array([place.get(topic, -1) for topic in known])[judgments.topic]
    rows = position >= 0
    kept = judgments.select(rows)
    columns = (tuple(place), position[rows], kept.docs, kept.grade)
    return Judgments(*columns, judgments.source, judgments.dropped)
