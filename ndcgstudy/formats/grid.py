"""Scores as they were found in a table: systems x topics, with what was written of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats, Scores
from ndcgstudy.formats.scorecells import NONE, Score
from ndcgstudy.ids import Mask

Topic = tuple[str | None, str]
"""A data set, None where there is but one, and a topic."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Scores of systems on topics, before summaries are taken out.

    Parameters
    ----------
    values, digits
        The scores, NaN where there is none, and how many decimals were written, (systems, topics).
    systems, topics
        The names on the axes.
    measure
        What was measured.
    means
        Whether each topic is a data set, of which only the mean is known.
    """

    values: Floats
    digits: npt.NDArray[np.int64]
    systems: tuple[str, ...]
    topics: tuple[Topic, ...]
    measure: str
    means: bool = False

    def part(self, systems: Mask | Sequence[bool], topics: Mask | Sequence[bool]) -> "Grid":
        """Keep some systems and topics."""
        at = np.ix_(np.flatnonzero(systems), np.flatnonzero(topics))
        return Grid(
            self.values[at],
            self.digits[at],
            tuple(name for name, kept in zip(self.systems, systems, strict=True) if kept),
            tuple(name for name, kept in zip(self.topics, topics, strict=True) if kept),
            self.measure,
            self.means,
        )

    @property
    def names(self) -> list[str]:
        """All names on its axes."""
        return [*self.systems, *(name for topic in self.topics for name in topic if name)]

    def scores(self) -> Scores:
        """Return them as scores.

        Raises
        ------
        ValueError
            If a name stands twice.
        """
        sets = tuple(topic for _, topic in self.topics) if self.means else self._datasets()
        names = tuple(topic for _, topic in self.topics)
        return Scores(np.ascontiguousarray(self.values), self.systems, names, self.measure, sets)

    def _datasets(self) -> tuple[str, ...] | None:
        sets = tuple(data for data, _ in self.topics if data is not None)
        return sets if sets else None


def laid_out(
    cells: Mapping[tuple[str, Topic], Score], measure: str, means: bool, **axes: Sequence[Any]
) -> Grid:
    """Lay scores out by system and topic, in the order in which these come first."""
    systems = dict.fromkeys(axes.get("systems") or (system for system, _ in cells))
    topics = dict.fromkeys(axes.get("topics") or (topic for _, topic in cells))
    rows, columns = ({name: i for i, name in enumerate(axis)} for axis in (systems, topics))
    values = np.full((len(rows), len(columns)), np.nan)
    digits = np.zeros(values.shape, dtype=np.int64)
    for (system, topic), score in cells.items():
        at = rows[system], columns[topic]
        values[at], digits[at] = score.value, 0 if score is NONE else score.digits
    return Grid(values, digits, tuple(systems), tuple(topics), measure, means)
