"""Score runs: judgments, rankings and measures to `Scores`, saying what each policy changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Floats, Judgments, Rankings, Scores, first_repeated
from ndcgstudy.lists import Lists
from ndcgstudy.measures import MEASURES, Measure
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import Graded, Key, Ranked, answer_key, graded_lists, rank
from ndcgstudy.registry import nearest


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
    """

    scores: Mapping[str, Scores]
    convention: str
    notes: tuple[str, ...]


def score(
    judgments: Judgments,
    runs: Rankings | Iterable[Rankings],
    measures: "str | Measure | Sequence[str | Measure]" = "nDCG@10",
    policy: Policy | None = None,
    *,
    topics: Sequence[str] | None = None,
) -> Evaluation:
    """Score runs on judged topics.

    Parameters
    ----------
    judgments, runs
        As `read_qrels` and `read_run` return them.
    measures
        Measures or their text forms.
    policy
        How ties, missing topics, unjudged documents and the like are treated; see `Policy`.
    topics
        Which of the judged topics count; by default all of them, in the order of the judgments.

    Raises
    ------
    ValueError
        If a measure cannot be read, a run shares no topic with the judgments, two runs have one
        name, or a topic is not judged.

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
    runs = [runs] if isinstance(runs, Rankings) else list(runs)
    given = (
        measures if isinstance(measures, Sequence) and not isinstance(measures, str) else [measures]
    )
    parts = [MEASURES.parse(measure) for measure in given]
    if twice := first_repeated([run.name for run in runs]):
        raise ValueError(f"two runs are named {twice!r}")
    key = answer_key(_chosen(judgments, topics), policy)
    results = [_score_run(run, key, parts, policy) for run in runs]
    names = tuple(run.name for run in runs)
    values = np.array([r.values for r in results]).reshape(len(runs), len(parts), len(key.topics))
    scores = {
        str(measure): Scores(np.ascontiguousarray(values[:, i]), names, key.topics, str(measure))
        for i, measure in enumerate(parts)
    }
    notes = [
        note for r, run in zip(results, runs, strict=True) for note in _notes(r, run, key, policy)
    ]
    notes = _key_notes(judgments, key, policy) + notes
    return Evaluation(scores, _convention(parts, policy, key, results), tuple(notes))


@dataclass(frozen=True, eq=False)
class _Result:
    """The scores of one run, shape (measures, topics), and what was seen on the way."""

    values: Floats
    ranked: Ranked
    graded: Graded
    flat: int
    depth: int | None


def _score_run(run: Rankings, key: Key, measures: list[Measure], policy: Policy) -> _Result:
    cutoffs = [measure.cutoff for measure in measures]
    depth = None if None in cutoffs else max((c for c in cutoffs if c), default=1)
    ranked = rank(run, key, policy)
    graded = graded_lists(ranked, key, policy, depth)
    values = np.empty((len(measures), len(key.topics)))
    flat = 0
    for part, lists in graded.blocks(key, policy):
        for i, measure in enumerate(measures):
            values[i, part] = measure(lists)[0]
        flat += int(np.count_nonzero(_without_information(lists) & ranked.answered[part]))
    return _Result(_settled(values, ranked, key, policy), ranked, graded, flat, depth)


def _settled(values: Floats, ranked: Ranked, key: Key, policy: Policy) -> Floats:
    """Fill in topics without relevant documents and topics the run lacks, as the policy says."""
    if policy.no_relevant == "skip":
        values[:, key.ideal[:, 0] <= 0] = np.nan
    else:
        values[np.isnan(values)] = 1.0 if policy.no_relevant == "one" else 0.0
    left_out = np.isnan(values)
    values[:, ~ranked.answered] = 0.0 if policy.missing == "zero" else np.nan
    values[left_out] = np.nan
    return values


def _without_information(lists: Lists) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Tell on which topics every order scores the same: one grade among all retrieved and judged."""
    length = np.minimum(lists.retrieved[0], lists.depth)
    inside = np.arange(lists.depth) < length[:, None]
    top = lists.ideal[0][:, :1]
    judged = lists.ideal[0] >= 0
    same = ~inside | (lists.grade[0] == top)
    return np.asarray(
        same.all(axis=1) & (~judged | (lists.ideal[0] == top)).all(axis=1) & (top[:, 0] > 0)
    )


def _chosen(judgments: Judgments, topics: Sequence[str] | None) -> Judgments:
    """Keep the topics asked for, in the order asked for."""
    if topics is None:
        return judgments
    place = {topic: i for i, topic in enumerate(topics)}
    if unknown := [topic for topic in place if topic not in set(judgments.topics)]:
        shown = ", ".join(map(repr, unknown[:5]))
        raise ValueError(
            f"{judgments.source}: no judgments for topic {shown}{nearest(unknown[0], [*judgments.topics[:20]])}"
        )
    if not place:
        raise ValueError("no topic is left to score")
    position = np.array([place.get(topic, -1) for topic in judgments.topics])[judgments.topic]
    rows = position >= 0
    kept = judgments.select(rows)
    return Judgments(tuple(place), position[rows], kept.docs, kept.grade, judgments.source)


def _notes(result: _Result, run: Rankings, key: Key, policy: Policy) -> list[str]:
    """Say what the policies changed for one run."""
    ranked, name = result.ranked, f"run {run.name}"
    missing = int(np.count_nonzero(~ranked.answered))
    how = "counted as 0" if policy.missing == "zero" else "left out of its mean"
    ways = {"condensed": "taken out of the list", "optimistic": "given the topic's highest grade"}
    lines = [
        (missing, f"{missing} of {len(key.topics)} topics missing from {name}, {how}"),
        (ranked.ignored, f"{_many(ranked.ignored, 'topic')} of {name} not judged, ignored"),
        (ranked.rounded, f"{_many(ranked.rounded, 'tie')} made by 32-bit rounding in {name}"),
        (run.dropped, f"{_many(run.dropped, 'duplicate document')} dropped from {name}"),
        (
            result.graded.unjudged if policy.unjudged in ways else 0,
            f"{_many(result.graded.unjudged, 'unjudged document')} of {name} "
            f"{ways.get(policy.unjudged)}",
        ),
        (
            result.flat,
            f"{_many(result.flat, 'topic')} cannot tell orders apart in {name} (non-discriminating: "
            "one grade among all judged and retrieved documents)",
        ),
    ]
    return [text for count, text in lines if count]


def _key_notes(judgments: Judgments, key: Key, policy: Policy) -> list[str]:
    """Say what the policies changed in the judgments."""
    without = int(np.count_nonzero(key.ideal[:, 0] <= 0))
    negative = int(np.count_nonzero(judgments.grade < 0))
    ways = {
        "zero": "counted as 0",
        "one": "counted as 1 where a measure is 0/0",
        "skip": "left out",
    }
    lines = [
        (judgments.dropped, f"{_many(judgments.dropped, 'duplicate judgement')} dropped"),
        (
            without,
            f"{_many(without, 'topic')} without a relevant document, {ways[policy.no_relevant]}",
        ),
        (negative, f"{_many(negative, 'negative grade')}, treated as '{policy.negative}'"),
    ]
    return [text for count, text in lines if count]


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _convention(measures: list[Measure], policy: Policy, key: Key, results: list[_Result]) -> str:
    """Say in one line how the numbers were computed and on what."""
    gains = dict.fromkeys(str(m.gain) for m in measures if hasattr(m, "gain"))
    discounts = dict.fromkeys(str(m.discount) for m in measures if hasattr(m, "discount"))
    parts = [f"gain {', '.join(gains)}"] * bool(gains)
    parts += [f"discount {', '.join(discounts)}"] * bool(discounts)
    missing = [int(np.count_nonzero(~r.ranked.answered)) for r in results] or [0]
    skipped = int(np.count_nonzero(key.ideal[:, 0] <= 0)) if policy.no_relevant == "skip" else 0
    seen = sum(r.graded.seen for r in results)
    share = sum(r.graded.unjudged for r in results) / max(seen, 1)
    depth = results[0].depth if results else None
    where = f"the top {depth}" if depth and policy.unjudged == "nonrelevant" else "all retrieved"
    return (
        f"{'; '.join([*parts, policy.describe()])}; topics evaluated {len(key.topics) - skipped}, "
        f"missing {_span(missing)}; unjudged share {share:.1%} of {where}"
    )


def _span(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high} a run"
