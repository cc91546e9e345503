"""Which pairs of systems are compared; they follow from the ranking and are never typed."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest
from ndcgstudy.inference.chunks import blocks

Ints = npt.NDArray[np.int64]

FAMILIES = {
    "each": "every pair by itself, no correction",
    "all": "all pairs at once",
    "best": "the first system against every other",
    "neighbours": "every system against the next one down",
}


@dataclass(frozen=True)
class Family:
    """Pairs of systems, of which 0 is the best: each first with a run of seconds below it.

    Parameters
    ----------
    name
        A key of `FAMILIES`.
    systems
        How many systems there are.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> Family("neighbours", 4).pairs
    (array([0, 1, 2]), array([1, 2, 3]))
    """

    name: str
    systems: int

    def __post_init__(self) -> None:
        if self.name not in FAMILIES:
            raise ValueError(f"unknown family {self.name!r}{nearest(self.name, list(FAMILIES))}")

    @property
    def runs(self) -> list[tuple[int, slice]]:
        """Each first system and the systems below it that it is compared with."""
        last = self.systems - 1
        if self.name == "best":
            return [(0, slice(1, self.systems))]
        if self.name == "neighbours":
            return [(i, slice(i + 1, i + 2)) for i in range(last)]
        return [(i, slice(i + 1, self.systems)) for i in range(last)]

    @property
    def guard(self) -> "Family":
        """The family whose largest statistic makes all its intervals hold at once.

        The best system is found on the same topics, so it may be any: all pairs. Neighbours need no
        such care: of any fixed chain through all systems some step spans the widest gap between
        neighbours, so that a chain's maximum bounds theirs.
        """
        return Family("all", self.systems) if self.name == "best" else self

    @property
    def blocks(self) -> Iterator[tuple[Ints, Ints]]:
        """The pairs, in order and some at a time: firsts and seconds."""
        first, second = self.pairs
        for at in blocks(len(first)):
            yield first[at], second[at]

    @property
    def pairs(self) -> tuple[Ints, Ints]:
        """The positions of the first and the second system of every pair."""
        runs = [(first, np.arange(below.start, below.stop)) for first, below in self.runs]
        firsts = [np.full(len(seconds), first) for first, seconds in runs]
        return np.concatenate(firsts), np.concatenate([seconds for _, seconds in runs])
