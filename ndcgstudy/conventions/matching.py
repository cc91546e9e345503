"""Which conventions give a reported number."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.conventions.convention import (
    AVERAGES,
    KNOWN,
    ONLY_NDCG,
    OWN,
    Convention,
    combinations,
    is_graded,
)
from ndcgstudy.conventions.reporting import Reported
from ndcgstudy.conventions.shared import evaluate
from ndcgstudy.conventions.suspects import suspects
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.measures import nDCG
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import answer_key, own_documents, rank
from ndcgstudy.scoring import check_topics

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

RARE: dict[str, tuple[Any, ...]] = {
    "ideal": (*TRIED["ideal"], "top", "hits"),
    "average": AVERAGES,
}
"""Choices that few make: these are tried together with `WITH_RARE`, all else by default."""

WITH_RARE = ("gain", "ties", "missing", "no_relevant", "precision")


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

    @property
    def names(self) -> list[str]:
        """The tools, or the nearest convention where no tool gives the scores."""
        return [*self.tools] or [str(self.convention)]


@dataclass(frozen=True)
class Found:
    """What was tried for reported numbers.

    Parameters
    ----------
    matches
        What gives the numbers, named tools first, then by the number of changes from the defaults.
    misses
        What gives others: first what gives the most of the numbers, then the nearest.
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

    def alone(self, number: int) -> list[Match]:
        """Return what gives one of several numbers, whatever it makes of the others."""
        return [found for found in (*self.matches, *self.misses) if found.how[number]]


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
    others = _tried(judgments, run, numbers, judged)
    measures = [number.measure for number in numbers]
    scored = evaluate(judgments, [run], [*tools, *others], measures, judged=judged)
    means = np.array([scored.means(j)[:, 0] for j in range(len(numbers))]).T
    groups: dict[tuple[float, ...], list[Convention]] = {}
    exact: dict[tuple[float, ...], tuple[float, ...]] = {}
    counted = np.isfinite(means).all(axis=1)
    if not counted.any():
        raise ValueError(f"{run.source}: no topic counts under any convention")
    for convention, scores, some in zip(scored.conventions, means.tolist(), counted, strict=True):
        if not some:
            continue
        same = tuple(round(score, 13) for score in scores)  # but for the rounding of sums
        groups.setdefault(same, []).append(convention)
        exact.setdefault(same, tuple(scores))
    each = sorted((_match(exact[k], group, numbers) for k, group in groups.items()), key=_nearest)
    matches = tuple(m for m in each if m.met)
    misses = tuple(m for m in each if not m.met)
    told = () if matches else tuple(suspects(judgments, run, numbers, means, judged))
    chance = _chance(exact.values(), numbers)
    return Found(matches, misses, len(scored.conventions), chance, told)


def _tried(
    judgments: Judgments, run: Rankings, numbers: Sequence[Reported], judged: frozenset[str]
) -> list[Convention]:
    """Return every combination of choices, without those that cannot matter for the run."""
    idle = {**_idle(judgments, run, numbers), "union": judged.issuperset(run.topics)}
    kept = {name: values[:1] if idle.get(name) else values for name, values in TRIED.items()}
    common = combinations(kept)
    rare = {name: [v for v in values if not idle.get(v)] for name, values in RARE.items()}
    if idle["ideal"]:
        rare["ideal"] = ["cut"]
    found = dict.fromkeys(common)
    for ideal, average in itertools.product(rare["ideal"], rare["average"]):
        with_rare = {name: kept[name] for name in WITH_RARE}
        if ideal == "top":
            with_rare["ties"] = tuple(v for v in kept["ties"] if v != "average")
        if average == "pooled":
            with_rare["no_relevant"] = kept["no_relevant"][:1]
        found |= dict.fromkeys(combinations({**with_rare, "ideal": [ideal], "average": [average]}))
    return [*found]


def _idle(judgments: Judgments, run: Rankings, numbers: Sequence[Reported]) -> dict[str, bool]:
    """Tell which settings, and which of the rare values, cannot matter for a run."""
    key = answer_key(judgments, Policy())
    ranked = rank(run, key, Policy())
    own = any(own_documents(x.topics, x.topic, x.docs).any() for x in (judgments, run))
    graded = [n.measure for n in numbers if is_graded(n.measure)]
    held = np.bincount(ranked.topic, minlength=len(key.topics))[ranked.answered]
    ideal = np.count_nonzero(key.ideal > 0, axis=1)[ranked.answered]
    cutoffs = [m.cutoff or np.inf for m in graded]
    return {
        "ties": not ranked.tied.any(),
        "precision": not ranked.rounded,
        "missing": bool(ranked.answered.all()),
        "exclude_self": not own,
        **dict.fromkeys(ONLY_NDCG, not graded),
        "top": all((held <= c).all() for c in cutoffs),
        "hits": all((held >= np.minimum(c, ideal)).all() for c in cutoffs),
        "pooled": not any(isinstance(m, nDCG) for m in graded) or len(key.topics) < 2,
    }


def _chance(groups: Iterable[tuple[float, ...]], numbers: Sequence[Reported]) -> float:
    """Return the share of numbers, in the span of the scores, that some convention gives."""
    each = list(groups)
    columns = list(zip(*each, strict=True))
    units = [float(number.grain) for number in numbers]
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


def _nearest(found: Match) -> tuple[int, bool, bool, int, float]:
    """Order: what is met, named tools, rounding before cutting, few changes, then what is near."""
    changes = 0 if found.convention is None else _distance(found.convention)
    unmet = sum(not how for how in found.how)
    if unmet:
        return unmet, False, False, 0, abs(found.off)
    return 0, not found.tools, "cut" in found.how, changes, abs(found.off)
