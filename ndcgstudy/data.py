"""What an evaluation rests on: judgments, rankings, and the matrix of scores they give."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ndcgstudy.ids import Finder, Ids, Index, Mask, pair_keys

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

LARGEST = 1e100
"""The largest score: variances are squares, and sums of squares of more could overflow."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """Graded judgments (qrels): one row a judged (topic, document) pair, none twice.

    Parameters
    ----------
    topics
        The topics' ids, in the order of the source.
    topic
        The position in `topics` of each row, shape (rows,).
    docs
        The document of each row.
    grade
        The grade of each row, a whole number unless real grades were allowed.
    source
        Where they came from, for messages.
    dropped
        How many duplicate judgments were dropped in reading.
    notes
        What reading found worth a note, a line each.

    Examples
    --------
    >>> Judgments.from_dict({"q1": {"a": 2, "b": 0}}).grade
    array([2., 0.])
    """

    topics: tuple[str, ...]
    topic: Index
    docs: Ids
    grade: Floats
    source: str = "qrels"
    dropped: int = 0
    notes: tuple[str, ...] = ()

    @classmethod
    def from_dict(
        cls, qrels: Mapping[str, Mapping[str, float]], source: str = "qrels"
    ) -> "Judgments":
        """Take judgments from ``{topic: {document: grade}}``."""
        topics, topic, docs, values = _flatten(qrels, source, "grade")
        if not docs:
            raise ValueError(f"{source}: the qrels hold no judgement")
        return cls(topics, topic, Ids.of(docs), values, source)

    @cached_property
    def _finder(self) -> Finder:
        return Finder(pair_keys(self.topic, self.docs))

    def grades_of(self, topic: Index, docs: Ids) -> Floats:
        """Look up the grades of documents.

        Parameters
        ----------
        topic, docs
            The position of each document's topic in `topics`, and its id; shape (rows,).

        Returns
        -------
        grade
            Shape (rows,); NaN where the document is not judged.

        Examples
        --------
        >>> judged = Judgments.from_dict({"q1": {"a": 2, "b": 0}})
        >>> judged.grades_of(np.array([0, 0]), Ids.of(["b", "z"]))
        array([ 0., nan])
        """
        rows, at = self.find(topic, docs)
        grade = np.full(len(docs), np.nan)
        grade[rows] = self.grade[at]
        return grade

    def find(self, topic: Index, docs: Ids) -> tuple[Index, Index]:
        """Return which of some documents are judged, and the row of each one's judgment."""
        rows, at = self._finder.find(pair_keys(topic, docs))
        same = self.docs.take(at).equal(docs.take(rows)) & (self.topic[at] == topic[rows])
        return rows[same], at[same]

    def select(self, rows: Mask) -> "Judgments":
        """Keep some rows; the topics stay."""
        kept = self.topic[rows], self.docs.take(rows), self.grade[rows]
        return Judgments(self.topics, *kept, self.source, notes=self.notes)


@dataclass(frozen=True, eq=False)
class Rankings:
    """A run: the documents one system retrieved for each topic, with their scores.

    Rows stand in the order of the source; it is the scores that rank them. `topics`, `topic`, `docs`,
    `source`, `dropped` and `notes` are as in `Judgments`; `warnings` are what makes its order doubtful.

    Examples
    --------
    >>> Rankings.from_dict({"q1": {"a": 1.5, "b": 0.2}}, name="bm25").score
    array([1.5, 0.2])
    """

    name: str
    topics: tuple[str, ...]
    topic: Index
    docs: Ids
    score: Floats
    source: str = "run"
    dropped: int = 0
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_dict(
        cls, run: Mapping[str, Mapping[str, float]], name: str = "run", source: str = "run"
    ) -> "Rankings":
        """Take a run from ``{topic: {document: score}}``."""
        topics, topic, docs, values = _flatten(run, source, "score")
        if not docs:
            raise ValueError(f"{source}: the run holds no document")
        return cls(name, topics, topic, Ids.of(docs), values, source)

    def select(self, rows: Mask) -> "Rankings":
        """Keep some rows; the topics stay."""
        return Rankings(
            self.name,
            self.topics,
            self.topic[rows],
            self.docs.take(rows),
            self.score[rows],
            self.source,
            notes=self.notes,
            warnings=self.warnings,
        )


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of systems on topics under one measure: everything before makes one of these.

    Parameters
    ----------
    values
        Shape (systems, topics); NaN where a topic does not count for a system.
    systems, topics
        The names on the axes, none twice.
    measure
        What was measured.
    datasets
        The collection of each topic, where there are several.

    Raises
    ------
    ValueError
        If the shape and the names differ in number, a name is duplicated, or a score is larger than
        `LARGEST`.

    Examples
    --------
    >>> Scores(np.array([[1.0, 0.5]]), ("bm25",), ("q1", "q2"), "nDCG@10").mean()
    array([0.75])
    """

    values: Floats
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measure: str
    datasets: tuple[str, ...] | None = field(default=None)

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.topics))
        if self.values.shape != shape:
            raise ValueError(
                f"`values` must have shape (systems, topics) = {shape}, got {self.values.shape}"
            )
        keys = list(zip(self.datasets, self.topics, strict=True)) if self.datasets else self.topics
        for axis, names in (("system", self.systems), ("topic", keys)):
            if twice := first_repeated(names):
                raise ValueError(f"{axis} {twice!r} stands twice")
        if (
            self.values.size
            and (most := float(np.nanmax(np.abs(self.values), initial=0.0))) > LARGEST
        ):
            at = np.unravel_index(np.nanargmax(np.abs(self.values)), shape)
            raise ValueError(
                f"a score must lie within {LARGEST:g} of 0, got {most:g} (system "
                f"{self.systems[at[0]]!r}, topic {self.topics[at[1]]!r})"
            )
        self.values.setflags(write=False)

    def mean(self) -> Floats:
        """Return each system's mean over the topics that count, NaN where none does."""
        counted = np.isfinite(self.values)
        total = np.where(counted, self.values, 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / counted.sum(axis=1))

    def frame(self) -> "pd.DataFrame":
        """Return the scores as a frame, topics x systems."""
        import pandas as pd

        return pd.DataFrame(self.values.T, index=list(self.topics), columns=list(self.systems))


T = TypeVar("T", Judgments, Rankings)


def first_repeated(names: Any) -> Any:
    """Return the first name that stands twice, or None."""
    seen: set[Any] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def duplicate_rows(topic: Index, docs: Ids) -> tuple[Index, Index]:
    """Find the rows that repeat an earlier row's (topic, document).

    Returns
    -------
    later, earlier
        Each repeating row and the first row with the same pair, in the order of `later`.
    """
    keys = pair_keys(topic, docs)
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    earlier = first[inverse]
    later = np.flatnonzero(earlier != np.arange(keys.size))
    earlier = earlier[later]
    same = docs.take(later).equal(docs.take(earlier)) & (topic[later] == topic[earlier])
    return later[same], earlier[same]


def without_repeats(data: T, values: Floats, later: Index, earlier: Index, which: str) -> T:
    """Keep of rows that repeat one another the "first", or the one of the "max" value.

    `later` and `earlier` are what `duplicate_rows` returns.
    """
    if not later.size:
        return data
    keep = np.ones(values.size, dtype=bool)
    keep[later] = False
    if which == "max":
        group = np.arange(values.size)
        group[later] = earlier
        order = np.lexsort((-values, group))  # of equal values the first leads
        heads = np.append([True], group[order][1:] != group[order][:-1])
        keep[order] = heads
    return replace(data.select(keep), dropped=int(later.size))


def _flatten(
    nested: Mapping[str, Mapping[str, float]], source: str, what: str
) -> tuple[tuple[str, ...], Index, list[str], Floats]:
    """Turn ``{topic: {document: value}}`` into columns, checking every id and value."""
    topics = tuple(nested)
    Ids.of(topics)
    sizes = [len(inner) for inner in nested.values()]
    docs = [doc for inner in nested.values() for doc in inner]
    given = [v for inner in nested.values() for v in inner.values()]
    try:
        values = np.array(given, dtype=float)
    except (TypeError, ValueError):
        values = None
    if values is None or values.ndim != 1 or any(isinstance(v, str) for v in given):
        raise ValueError(f"{source}: every {what} must be a number")
    bad = np.isnan(values) if what == "score" else ~np.isfinite(values)
    if bad.any():
        topic = np.repeat(topics, sizes)[np.argmax(bad)]
        raise ValueError(
            f"{source}: {what} is {values[bad][0]} for document {docs[np.argmax(bad)]} of topic {topic}"
        )
    return topics, np.repeat(np.arange(len(topics)), sizes), docs, values
