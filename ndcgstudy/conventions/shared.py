"""Runs scored under many conventions at once: each step once per what it depends on.

Documents meet their judgments once a run; sorting happens once for ties and precision; gains and ideals are
laid out once; all that is left for a convention is a weighted sum along the ranks of all runs.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ndcgstudy.conventions.convention import Convention
from ndcgstudy.conventions.scoring_as import pooled, sums, with_zeros
from ndcgstudy.conventions.stacking import Shared, stacked
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.ids import Index, Mask
from ndcgstudy.lists import Lists
from ndcgstudy.measures import Measure, nDCG
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import (
    BLOCK,
    Key,
    Ranked,
    answer_key,
    graded_lists,
    rank,
    source_grades,
)
from ndcgstudy.scoring import check_topics, distinct_names, settled

Ideals = dict[tuple[int, int], Floats]

AFTERWARDS = ("missing", "no_relevant")
"""Policies that fill in topics once all lists are scored."""

_KEY, _ORDER = ("negative", "exclude_self"), ("ties", "precision", "exclude_self")


@dataclass(frozen=True, eq=False)
class Many:
    """The scores of runs under many conventions.

    Parameters
    ----------
    conventions, measures, systems, topics
        The names on the axes.
    raw
        Shape (cells, measures, systems, topics): scores before topics are filled in, NaN where a
        measure is 0/0.
    cell
        The cell of each convention: those that differ in what is filled in share one.
    answered
        Shape (systems, topics): which topics a run has a document for.
    relevant
        Shape (cells, topics): which topics have a relevant document.
    ideal
        As `raw`, of the cells whose convention pools topics: the ideal DCG, where raw has the DCG.
    unjudged
        Shape (systems,): how many topics without judgments each run has.
    """

    conventions: tuple[Convention, ...]
    measures: tuple[Measure, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    raw: Floats
    cell: Index
    answered: Mask
    relevant: Mask
    ideal: Mapping[tuple[int, int], Floats] = field(default_factory=dict)
    unjudged: Index = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def values(self, convention: int, measure: int = 0) -> Floats:
        """Return the scores under a convention, shape (systems, topics); NaN where none counts."""
        how, cell = self.conventions[convention], int(self.cell[convention])
        relevant = self.relevant[cell]
        values = settled(self.raw[cell, measure], self.answered, relevant, how.policy)
        if how.average == "union":
            return with_zeros(values, self.unjudged)
        if (cell, measure) in self.ideal:
            always = np.ones_like(self.answered)
            ideal = settled(self.ideal[cell, measure], always, relevant, how.policy)
            return pooled(values, ideal)
        return values

    def means(self, measure: int = 0) -> Floats:
        """Return the means over topics, shape (conventions, systems); NaN where no topic counts."""
        return np.array([mean(self.values(i, measure)) for i in range(len(self.conventions))])


def mean(values: Floats) -> Floats:
    """Average over the topics that count, in the way of `Scores.mean`."""
    counted = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(counted, values, 0.0).sum(axis=-1) / counted.sum(axis=-1))


def evaluate(
    judgments: Judgments,
    runs: Iterable[Rankings],
    conventions: Sequence[Convention],
    measures: Sequence[Measure],
    *,
    judged: frozenset[str] | None = None,
) -> Many:
    """Score runs under many conventions.

    Parameters
    ----------
    judgments
        Of the topics that are scored.
    runs
        Taken one after another; no more of them is kept at once than fits a block of memory.
    conventions
        Each rewrites the measures.
    judged
        All topics that have judgments, where only some are scored.

    Raises
    ------
    ValueError
        If a run has no topic in common with the judgments, has the name of another, or breaks a
        policy: a line for each run.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q": {"a": 2, "b": 1}})
    >>> run = Rankings.from_dict({"q": {"b": 2.0, "a": 1.0}})
    >>> from ndcgstudy.measures import nDCG
    >>> both = [Convention(), Convention().but(gain="exponential")]
    >>> evaluate(qrels, [run], both, [nDCG()]).means().round(3)
    array([[0.86 ],
           [0.797]])
    """
    cells: dict[Convention, int] = {}
    cell = np.array([cells.setdefault(_before(c), len(cells)) for c in conventions])
    keys = _Keys(judgments)
    blocks: list[tuple[Floats, Ideals]] = []
    answered: list[Mask] = []
    known, unjudged = judged or frozenset(judgments.topics), list[int]()
    names, sources = list[str](), list[str]()
    wrong: list[str] = []
    for block in _blocks(runs, known, keys, wrong):
        try:
            blocks.append(_scores(block, keys, [*cells], measures))
        except ValueError:
            wrong += _mistakes(block, keys, [*cells], measures)
        answered += [run.answered for run in block]
        names += [run.source.name for run in block]
        sources += [run.source.source for run in block]
        unjudged += [sum(t not in known for t in run.source.topics) for run in block]
    if wrong:
        raise ValueError("\n".join(dict.fromkeys(wrong)))
    relevant = np.array([keys.of(c.policy).ideal[:, 0] > 0 for c in cells])
    shape = (len(cells), len(measures), 0, len(judgments.topics))
    return Many(
        conventions=tuple(conventions),
        measures=tuple(measures),
        systems=distinct_names(names, sources),
        topics=judgments.topics,
        raw=np.concatenate([np.empty(shape), *(raw for raw, _ in blocks)], axis=2),
        cell=cell,
        answered=np.array(answered).reshape(-1, len(judgments.topics)),
        relevant=relevant,
        ideal={
            at: np.concatenate([np.empty(shape[2:]), *(ideals[at] for _, ideals in blocks)])
            for at in (blocks[0][1] if blocks else ())
        },
        unjudged=np.array(unjudged, dtype=np.int64),
    )


def _mistakes(
    block: "list[_Run]", keys: "_Keys", cells: Sequence[Convention], measures: Sequence[Measure]
) -> list[str]:
    """Return why runs of a block cannot be scored, a message each."""
    told = []
    for run in block:
        try:
            _scores([run], keys, cells, measures)
        except ValueError as error:
            told.append(str(error))
    return told


def _before(convention: Convention) -> Convention:
    """Return a convention without what is filled in afterwards, nameless."""
    policy = dataclasses.replace(convention.policy, **dict.fromkeys(AFTERWARDS, "zero"))
    average = convention.average if convention.average == "pooled" else "topics"
    return Convention(convention.gain, convention.discount, policy, average=average)


def _part(policy: Policy, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(policy, name) for name in names)


class _Keys:
    """The judgments as each policy reads them, laid out once."""

    def __init__(self, judgments: Judgments) -> None:
        self.judgments = judgments
        self._known: dict[tuple[Any, ...], Key] = {}

    def of(self, policy: Policy) -> Key:
        """Return the judgments as a policy reads them."""
        which = (policy.negative, policy.exclude_self is True)
        if which not in self._known:
            self._known[which] = answer_key(self.judgments, policy)
        return self._known[which]


class _Run:
    """One run, sorted once for ties and precision and matched once with the judgments."""

    def __init__(self, source: Rankings, keys: _Keys) -> None:
        self.source, self.keys = source, keys
        self.answered = _answered(source, keys.judgments)
        self._ranked: dict[tuple[Any, ...], Ranked] = {}
        self._grades: dict[tuple[Any, ...], Floats] = {}

    def lists(self, policy: Policy) -> Lists:
        """Return the run's lists under a policy."""
        order, which = _part(policy, _ORDER), _part(policy, _KEY)
        key = self.keys.of(policy)
        if order not in self._ranked:
            self._ranked[order] = rank(self.source, key, policy)
        ranked = self._ranked[order]
        if which not in self._grades:
            self._grades[which] = source_grades(ranked, key)
        graded = graded_lists(ranked, key, policy, None, self._grades[which])
        return graded.lists(slice(0, len(key.topics)), key, policy)


def _answered(run: Rankings, judgments: Judgments) -> Mask:
    """Tell for which of the judged topics a run has a document."""
    held = np.bincount(run.topic, minlength=len(run.topics)) > 0
    names = {topic for topic, some in zip(run.topics, held, strict=True) if some}
    return np.array([topic in names for topic in judgments.topics], dtype=bool)


def _blocks(
    runs: Iterable[Rankings], judged: frozenset[str], keys: _Keys, wrong: list[str]
) -> Iterator[list[_Run]]:
    """Gather runs into blocks of bounded size, noting those that share no topic."""
    block: list[_Run] = []
    deepest = 0
    for source in runs:
        try:
            check_topics(source, judged)
        except ValueError as error:
            wrong.append(str(error))
            continue
        depth = int(np.bincount(source.topic).max(initial=1))
        if block and (len(block) + 1) * max(deepest, depth) * len(keys.judgments.topics) > BLOCK:
            yield block
            block, deepest = [], 0
        block.append(_Run(source, keys))
        deepest = max(deepest, depth)
    if block:
        yield block


def _scores(
    block: list[_Run], keys: _Keys, cells: Sequence[Convention], measures: Sequence[Measure]
) -> tuple[Floats, Ideals]:
    """Score a block of runs, shape (cells, measures, runs, topics); and the ideal DCG of pooled cells."""
    found = np.empty((len(cells), len(measures), len(block), len(keys.judgments.topics)))
    ideals: Ideals = {}
    laid: dict[Policy, Shared] = {}
    for i, convention in enumerate(cells):
        same = dataclasses.replace(convention.policy, ideal="cut")
        if same not in laid:
            laid[same] = stacked([run.lists(same) for run in block])
        lists = laid[same].with_ideal(convention.policy.ideal)
        for j, measure in enumerate(measures):
            part = convention.rewrite(measure)
            if convention.average == "pooled" and isinstance(part, nDCG):
                part, ideal = sums(part)
                ideals[i, j] = np.broadcast_to(ideal(lists), found.shape[2:])
            found[i, j] = part(lists)
    return found, ideals
