"""Which conventions give a reported number."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.conventions.convention import (
    KNOWN,
    ONLY_NDCG,
    OWN,
    Convention,
    combinations,
    is_graded,
)
from ndcgstudy.conventions.reporting import Reported
from ndcgstudy.conventions.shared import evaluate
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.measures import MEASURES, Measure
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import answer_key, own_documents, rank
from ndcgstudy.scoring import check_topics
from ndcgstudy.words import many

TRIED: dict[str, tuple[Any, ...]] = {
    "gain": ("linear", "exponential", "binary"),
    "discount": ("log2", "jk2002", "jk2002(base=10)", "zipf"),
    "ideal": ("cut", "all", "retrieved"),
    "ties": ("trec", "average", "input"),
    "unjudged": ("nonrelevant", "condensed"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "one", "skip"),
    "precision": ("float32", "float64"),
    "exclude_self": (False, True, "run"),
}
"""The choices that are tried in every combination, the default first."""

OTHERS = (
    *("nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "nDCG@1000", "nDCG"),
    *("AP", "AP@10", "RR", "RR@10", "P@10", "R@10", "R@100", "ERR@20", "Judged@10"),
)


@dataclass(frozen=True)
class Match:
    """Conventions that give the same scores, and how near these are to the reported numbers.

    Parameters
    ----------
    scores
        The means, one a number.
    how
        "rounded" or "cut" for each number that is met, "" for one that is not.
    off
        Score less number, the one that is farthest off.
    tools
        The named conventions among them.
    convention
        The nearest to the defaults among the others; None where there is none.
    others
        How many conventions without a tool's name there are.
    """

    scores: tuple[float, ...]
    how: tuple[str, ...]
    off: float
    tools: tuple[str, ...]
    convention: Convention | None
    others: int

    @property
    def met(self) -> bool:
        """Whether every number is met."""
        return all(self.how)


@dataclass(frozen=True)
class Found:
    """What was tried for reported numbers.

    Parameters
    ----------
    matches
        What gives the numbers, named tools first, then by the number of changes from the defaults.
    misses
        What gives others, the nearest first.
    tried
        How many conventions were tried.
    chance
        The share of all numbers of as many decimals, between the lowest and the highest score, that
        some convention would give: how likely a match by chance is.
    suspects
        What else to suspect, where nothing matches.
    """

    matches: tuple[Match, ...]
    misses: tuple[Match, ...]
    tried: int
    chance: float
    suspects: tuple[str, ...]


def match(
    judgments: Judgments,
    run: Rankings,
    numbers: Sequence[Reported],
    *,
    judged: frozenset[str] | None = None,
) -> Found:
    """Find the conventions under which a run has the reported numbers.

    Every named tool is tried, and every combination of `TRIED` that can matter for the run.

    Raises
    ------
    ValueError
        If the run cannot be scored.

    Examples
    --------
    >>> from ndcgstudy.conventions.reporting import reported
    >>> qrels = Judgments.from_dict({"q": {"a": 3, "b": 1, "c": 2, "d": 0}})
    >>> run = Rankings.from_dict({"q": {"b": 9.0, "c": 8.0, "d": 7.0, "a": 6.0}})
    >>> match(qrels, run, reported("0.6289")).matches[0].tools
    ('gdeval', 'lightgbm', 'xgboost')
    """
    judged = judged or frozenset(judgments.topics)
    check_topics(run, judged)
    tools = [tool.convention for tool in KNOWN.values()]
    others = _tried(judgments, run, numbers)
    measures = [number.measure for number in numbers]
    scored = evaluate(judgments, [run], [*tools, *others], measures, judged=judged)
    means = np.array([scored.means(j)[:, 0] for j in range(len(numbers))]).T
    groups: dict[tuple[float, ...], list[Convention]] = {}
    counted = np.isfinite(means).all(axis=1)
    if not counted.any():
        raise ValueError(f"{run.source}: no topic counts under any convention")
    for convention, scores, some in zip(scored.conventions, means.tolist(), counted, strict=True):
        if not some:
            continue
        groups.setdefault(tuple(round(score, 13) for score in scores), []).append(convention)
    each = sorted((_match(key, group, numbers) for key, group in groups.items()), key=_nearest)
    matches = tuple(m for m in each if m.met)
    misses = tuple(m for m in each if not m.met)
    told = () if matches else tuple(_suspects(judgments, run, numbers, means, judged))
    return Found(matches, misses, len(scored.conventions), _chance(groups, numbers), told)


def _tried(judgments: Judgments, run: Rankings, numbers: Sequence[Reported]) -> list[Convention]:
    """Return every combination of choices, without those that cannot matter for the run."""
    key = answer_key(judgments, Policy())
    ranked = rank(run, key, Policy())
    own = any(own_documents(x.topics, x.topic, x.docs).any() for x in (judgments, run))
    idle = {
        "ties": not ranked.tied.any(),
        "precision": not ranked.rounded,
        "missing": ranked.answered.all(),
        "exclude_self": not own,
        **dict.fromkeys(ONLY_NDCG, not any(is_graded(number.measure) for number in numbers)),
    }
    return combinations(
        {name: values[:1] if idle.get(name) else values for name, values in TRIED.items()}
    )


def _chance(groups: Iterable[tuple[float, ...]], numbers: Sequence[Reported]) -> float:
    """Return the share of numbers, in the span of the scores, that some convention gives."""
    each = list(groups)
    columns = list(zip(*each, strict=True))
    units = [float(number.unit) for number in numbers]
    span = [(max(c) - min(c)) / u + 1 for c, u in zip(columns, units, strict=True)]
    printed = {
        choice
        for scores in each
        for choice in itertools.product(
            *({value for _, value in n.printed(s)} for n, s in zip(numbers, scores, strict=True))
        )
    }
    return min(len(printed) / float(np.prod(span)), 1.0)


def _match(
    scores: tuple[float, ...], group: Sequence[Convention], numbers: Sequence[Reported]
) -> Match:
    gaps = [s - float(number.value) for s, number in zip(scores, numbers, strict=True)]
    how = tuple(number.how(s) for s, number in zip(scores, numbers, strict=True))
    tools = tuple(c.name for c in group if c.name != OWN)
    others = [c for c in group if c.name == OWN]
    first = min(others, key=_distance, default=None)
    return Match(scores, how, max(gaps, key=abs), tools, first, len(dict.fromkeys(others)))


def _distance(convention: Convention) -> int:
    """Count the changes from the defaults."""
    return len(convention.changes_from(KNOWN[OWN].convention))


def _nearest(found: Match) -> tuple[bool, bool, bool, int, float]:
    """Order: what is met, named tools, rounding before cutting, few changes, then what is near."""
    changes = 0 if found.convention is None else _distance(found.convention)
    if not found.met:
        return True, False, False, 0, abs(found.off)
    return False, not found.tools, "cut" in found.how, changes, abs(found.off)


def _suspects(
    judgments: Judgments,
    run: Rankings,
    numbers: Sequence[Reported],
    means: Any,
    judged: frozenset[str],
) -> list[str]:
    """Say what else may have made the numbers, from what the files show."""
    told = _other_measures(judgments, run, numbers, judged)
    known = set(judgments.topics)
    answered = len(known & set(run.topics))
    if answered < len(known):
        told.append(f"missing topics: the run answers {answered} of {len(known)} judged ones")
    if chosen := len(judged - known):
        told.append(f"other topics: {many(chosen, 'judged one')} left out here")
    if strange := len(set(run.topics) - judged):
        told.append(f"another qrels: {many(strange, 'topic')} of the run not judged in this one")
    depth = np.bincount(run.topic, minlength=len(run.topics))
    cutoff = max((n.measure.cutoff or 0 for n in numbers), default=0)
    if depth.max(initial=0) <= max(cutoff, 100):
        told.append(
            f"a truncated run: its lists hold {depth.min()} to {depth.max()} documents a topic"
        )
    alone = [Convention().but(missing="skip")]
    found = evaluate(judgments, [run], alone, _judged(cutoff), judged=judged)
    holes = 1 - float(found.means()[0, 0])  # NaN where the run answers none of the topics
    if holes > 0:
        where = f"the top {cutoff}" if cutoff else "all retrieved"
        told.append(f"another qrels: {holes:.1%} of {where} are not judged in this one")
    for j, number in enumerate(numbers):
        low, high = np.nanmin(means[:, j]), np.nanmax(means[:, j])
        told.append(f"{number.measure}: all conventions tried give {low:.4f} to {high:.4f}")
    return told


def _judged(cutoff: int) -> list[Measure]:
    return [MEASURES.parse(f"Judged@{cutoff}" if cutoff else "Judged")]


def _other_measures(
    judgments: Judgments, run: Rankings, numbers: Sequence[Reported], judged: frozenset[str]
) -> list[str]:
    """Name other measures that give a number, whether missing topics count or not."""
    top = judgments.grade.max(initial=0)
    names = [name for name in OTHERS if not name.startswith("ERR") or top <= 4]
    parts = [MEASURES.parse(name) for name in names]
    both = [Convention(), Convention().but(missing="skip")]
    scored = evaluate(judgments, [run], both, parts, judged=judged)
    told = []
    for number in numbers:
        digits = 2 - int(number.value.as_tuple().exponent)
        for j, part in enumerate(parts):
            met = [score for score in scored.means(j)[:, 0] if number.how(score)]
            if met and part != number.measure:
                told.append(f"another measure: {part} is {met[0]:.{digits}f}")
    return told
