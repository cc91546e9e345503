"""Drawn lists written out item by item, as far down as the ranks that decide between two of them.

A part of a list is known by how many items of each grade it holds. Where a discount falls steeply
within a part, the order of its items decides, and no sum over the part can stand for it. Here the
items get their places, part by part and no further than is asked for. Only items that are not of the
commonest grade of their part are placed, so that 10^10 relevant items and one miss cost one number.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STEPS = (24, 2**10, 2**14, 2**17)  # items that a step places, or more where one part has more
MOST = 2**17  # of a part with more items to place only the first are placed, and nothing behind it
DENSE = 8  # where more than one item in so many is to be placed, all items of the part are


@dataclass(eq=False)
class Written:
    """One list, known down to the rank `known` and extended at need.

    Parameters
    ----------
    counts, leans
        The items of each part by grade, and how far those of a grade lean to the bottom of the
        part, (parts, grades): by t where their density is 1 + t (x - 1/2).
    upper
        Of parts of two items: whether the one of the higher grade comes first, (parts,).
    start
        How many ranks lie before the first part.
    """

    counts: Ints
    leans: Floats
    upper: npt.NDArray[np.bool_]
    start: int
    known: int = field(init=False)
    part: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        sizes = self.counts.sum(axis=-1)
        self.ends = self.start + np.cumsum(sizes)
        self.common: Ints = self.counts.argmax(axis=-1)
        others = self.counts * (np.arange(self.counts.shape[1]) != self.common[:, None])
        whole = DENSE * others.sum(axis=-1) > sizes
        self.placed: Ints = np.where(whole[:, None], self.counts, others)
        self.cost = np.cumsum(self.placed.sum(axis=-1))
        self.ranks = self.grades = np.empty(0, dtype=np.int64)
        self.known = self.start

    def extend(self, items: int, rng: np.random.Generator) -> None:
        """Place the items of further parts: of one at least, and of more up to so many items."""
        if self.part == len(self.ends):
            return
        before = self.cost[self.part - 1] if self.part else 0
        last = int(np.searchsorted(self.cost, before + items, side="right"))
        last = max(last, self.part + 1)
        if self.cost[last - 1] - before > MOST:
            ranks, grades, self.known = self._begun(self.part, rng)
            last = len(self.ends)
        else:
            ranks, grades = self._spread(slice(self.part, last), rng)
            self.known = int(self.ends[last - 1])
        self.part = last
        self.ranks = np.concatenate([self.ranks, ranks])
        self.grades = np.concatenate([self.grades, grades])

    def at(self, ranks: Ints) -> Ints:
        """Return the grades at known ranks behind the start."""
        found: Ints = self.common[np.searchsorted(self.ends, ranks)]
        if len(self.ranks):
            place = np.minimum(np.searchsorted(self.ranks, ranks), len(self.ranks) - 1)
            found = np.where(self.ranks[place] == ranks, self.grades[place], found)
        return found

    def changes(self, last: int) -> Ints:
        """Return ranks between which, and between which and `last`, the grade is one: unsorted."""
        ends = self.ends[: self.part]
        marks = np.concatenate([self.ranks - 1, self.ranks, ends, [last]])
        return marks[(marks > self.start) & (marks <= last)]

    def _spread(self, parts: slice, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Place the items of some parts; return ranks, rising, and grades."""
        placed, sizes = self.placed[parts], self.counts[parts].sum(axis=-1)
        cells = np.repeat(np.arange(placed.size), placed.ravel())
        part, grade = np.divmod(cells, placed.shape[1])
        lean = np.clip(self.leans[parts][part, grade], -2, 2)
        depth = _depths(lean, rng.random(len(part)))
        pair = sizes[part] == 2
        depth = np.where(pair, 0.5 - grade * np.where(self.upper[parts][part], 1e-3, -1e-3), depth)
        order = np.lexsort((depth, part))
        part, grade, lean, depth = part[order], grade[order], lean[order], depth[order]
        number = placed.sum(axis=-1)
        place = np.arange(len(part)) - (np.cumsum(number) - number)[part]
        sparse = (number < sizes)[part]
        while sparse.any():
            place[sparse] = (depth[sparse] * sizes[part[sparse]]).astype(np.int64)
            order = np.lexsort((place, part))
            part, grade, lean, depth, place, sparse = (
                x[order] for x in (part, grade, lean, depth, place, sparse)
            )
            twice = np.flatnonzero((np.diff(part) == 0) & (np.diff(place) == 0))
            if not len(twice):
                break
            depth[twice] = _depths(lean[twice], rng.random(len(twice)))
        ranks: Ints = (self.ends[parts] - sizes)[part] + place + 1
        return ranks, np.asarray(grade, dtype=np.int64)

    def _begun(self, part: int, rng: np.random.Generator) -> tuple[Ints, Ints, int]:
        """Place the first items of a part that has too many, as if drawn with replacement."""
        counts = self.counts[part].copy()
        size, counts[self.common[part]] = counts.sum(), 0
        ranks = np.cumsum(rng.geometric(counts.sum() / size, MOST))
        ranks = ranks[ranks <= size] + self.ends[part] - size
        grades = rng.choice(len(counts), len(ranks), p=counts / counts.sum())
        return ranks, grades, int(ranks[-1])


def _depths(lean: Floats, uniform: Floats) -> Floats:
    """Turn uniforms to depths x of the density 1 + t (x - 1/2), t the lean, |t| <= 2."""
    level = 1 - lean / 2
    root = np.sqrt(level**2 + 2 * lean * uniform)
    return np.minimum(2 * uniform / np.maximum(level + root, 1e-300), np.nextafter(1.0, 0.0))


class Both:
    """Two lists on the same ranks, extended in steps that do not hang on who asks."""

    def __init__(self, lists: tuple[Written, Written], rng: np.random.Generator) -> None:
        self._lists = lists
        self._rng = rng
        self._known: list[int] = []

    def differences(self, step: int, levels: Floats, k: int) -> tuple[Ints, Ints, Floats, int]:
        """Return the ranges (low, high] in which gains differ, by how much, and the rank known.

        Step 0 places `STEPS[0]` items in either list, and so on; ranks behind k are not looked at.
        """
        while len(self._known) <= step:
            for one in self._lists:
                one.extend(STEPS[len(self._known)], self._rng)
            self._known.append(min(one.known for one in self._lists))
        last = min(self._known[step], k)
        marks = np.unique(np.concatenate([one.changes(last) for one in self._lists]))
        apart = np.subtract(*(levels[one.at(marks)] for one in self._lists))
        low = np.concatenate([[self._lists[0].start], marks[:-1]])
        differ = apart != 0
        return low[differ], marks[differ], apart[differ], last
