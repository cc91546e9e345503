"""Answers on pairs of runs, given as such or through documents that the runs put first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.formats.answers import Answer, table_of_answers, wrong
from ndcgstudy.formats.cells import Table
from ndcgstudy.formats.pairing import paired
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.policies import Policy
from ndcgstudy.preferences import Preferences
from ndcgstudy.ranking import answer_key
from ndcgstudy.scoring import distinct_names
from ndcgstudy.shown import show
from ndcgstudy.words import many

TOPIC = ("topic", "qid", "query_id", "query-id", "topic_id", "question_id", "query", "prompt")
_RUNS = (("run_a", "model_a", "system_a"), ("run_b", "model_b", "system_b"))
_DOCS = (("doc_a", "docno_a"), ("doc_b", "docno_b"))


def run_pairs(
    text: TextFile,
    table: Table,
    judgments: Judgments,
    runs: Sequence[Rankings],
    policy: Policy,
    depth: int | None,
) -> Preferences:
    """Lay out the lists of runs, and find those that the answers are about."""
    key = answer_key(judgments, policy)
    shown = show(runs, key, policy, depth)
    names = distinct_names([run.name for run in runs], [run.source for run in runs])
    board = _Board(text, table, _places(key.topics), _places(names), shown.docs)
    header = {name.strip().lower() for name in table.header or ()}
    by_document = bool(header & {*_DOCS[0]}) and not header & {*_RUNS[0]}
    answers, notes = board.by_documents() if by_document else board.by_runs()
    if not answers:
        raise wrong(text, f"no answer is left: {'; '.join(notes)}")
    first, second = np.array([board.lists_of(answer) for answer in answers]).T
    both = np.sort([first, second], axis=0)
    seen = "all of each list" if depth is None else f"the top {depth} of each list"
    return paired(
        answers,
        text,
        shown,
        pair=np.unique(both, axis=1, return_inverse=True)[1].reshape(-1),
        first=first,
        second=second,
        convention=f"{policy.describe()}; people saw {seen}",
        notes=[*shown.warnings, *notes],
        kind="top-1 documents" if by_document else "runs",
    )


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


@dataclass(frozen=True)
class _Board:
    """Where the list of each run on each topic stands."""

    text: TextFile
    table: Table
    topics: dict[str, int]
    runs: dict[str, int]
    docs: tuple[tuple[str, ...], ...]

    def place(self, run: str, topic: str) -> int:
        return self.runs[run] * len(self.topics) + self.topics[topic]

    def lists_of(self, answer: Answer) -> tuple[int, int]:
        return self.place(answer.first, answer.topic), self.place(answer.second, answer.topic)

    def by_runs(self) -> tuple[list[Answer], list[str]]:
        """Return the answers on judged topics."""
        answers = table_of_answers(self.table, _RUNS, TOPIC, ("preference", "pref", "winner"))
        for answer in answers:
            for run in (answer.first, answer.second):
                if run not in self.runs:
                    others = nearest(run, [*self.runs])
                    raise self.table.wrong(f"no run {run!r}{others}", answer.line)
        kept = [answer for answer in answers if answer.topic in self.topics]
        empty = {place for a in kept for place in self.lists_of(a) if not self.docs[place]}
        columns = [
            replace(a, columns={**a.columns, "run_a": a.first, "run_b": a.second}) for a in kept
        ]
        return columns, [
            *self._unjudged(len(answers) - len(kept)),
            *[f"{many(len(empty), 'list')} of a topic that the run lacks: empty"] * bool(empty),
        ]

    def by_documents(self) -> tuple[list[Answer], list[str]]:
        """Return an answer on each two runs whose first documents were compared."""
        answers = table_of_answers(self.table, _DOCS, TOPIC, ("winner", "preference", "pref"))
        kept = [answer for answer in answers if answer.topic in self.topics]
        compared: dict[tuple[str, frozenset[str]], list[Answer]] = {}
        for answer in kept:
            key = (answer.topic, frozenset((answer.first, answer.second)))
            compared.setdefault(key, []).append(answer)
        found, different, covered = [], 0, 0
        for topic, one, other, tops in self._tops():
            different += 1
            on_these = compared.get((topic, frozenset(tops)), [])
            covered += bool(on_these)
            found += [_about(answer, one, other, tops[0]) for answer in on_these]
        coverage = (
            f"top-1 preferences cover {covered} of the {different} times that two runs "
            "put different documents first"
        )
        return found, [*self._unjudged(len(answers) - len(kept)), coverage]

    def _tops(self) -> Iterator[tuple[str, str, str, tuple[str, str]]]:
        """Yield a topic, two runs and the different documents that they put first on it."""
        for topic in self.topics:
            for one, other in combinations(self.runs, 2):
                tops = [self.docs[self.place(run, topic)][:1] for run in (one, other)]
                if all(tops) and tops[0] != tops[1]:
                    yield topic, one, other, (tops[0][0], tops[1][0])

    def _unjudged(self, count: int) -> list[str]:
        return [f"{many(count, 'answer')} on topics without judgments left out"] * bool(count)


def _about(answer: Answer, one: str, other: str, top: str) -> Answer:
    """Turn an answer on two documents into one on the runs that put them first, `one` having put `top`."""
    first, second = (one, other) if answer.first == top else (other, one)
    columns = {**answer.columns, "run_a": first, "run_b": second}
    return replace(answer, first=first, second=second, columns=columns)
