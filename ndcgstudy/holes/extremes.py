"""The largest value that judgments can give to a weighted sum of gains over its ideal, exactly.

Once it is fixed how many documents get each grade, the ideal is fixed, and by the rearrangement
inequality the sum is largest when the documents of the largest weights get the highest grades. So
with the documents sorted by falling weight, and the distinct gains 0 = v_0 < v_1 < ... < v_L, an
assignment is a chain m_1 >= m_2 >= ... >= m_L: the first m_l documents get at least gain v_l. Both
sums then add up over the levels,

    sum = base + sum_l (v_l - v_(l-1)) * (weights of the first m_l documents)
    ideal = sum_l (v_l - v_(l-1)) * (ideal weights of the first c_l + m_l ranks)

where c_l judged documents have gain v_l or more. The largest ratio is found by Dinkelbach (1967, On
nonlinear fractional programming): maximise sum - ratio * ideal over the chains, level by level, and
take the ratio at the best chain, until it rises no more.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ladder:
    """The distinct gains of one topic, and its ideal list's sums.

    Parameters
    ----------
    steps
        Shape (levels,): how far each assignable gain above 0 lies above the one before.
    ideal
        Shape (levels, documents + 1): what a level adds to the ideal when 0, 1, ... documents at
        stake reach it.
    rest
        The part of the ideal that no document at stake changes.
    """

    steps: Floats
    ideal: Floats
    rest: float

    def ideal_of(self, chains: Index) -> Floats:
        """Return the ideal's sum for chains (rows, levels), shape (rows,)."""
        return np.asarray(self.rest + _at(self.ideal, chains).sum(axis=-1))


def best(
    base: Floats, sums: Floats, most: Index, bare: Floats, ladder: Ladder
) -> tuple[Floats, Index]:
    """Find the judgments with the largest ratio of the sum to the ideal, for many rows at once.

    Parameters
    ----------
    base
        Shape (rows,): the sum without the documents at stake.
    sums
        Shape (rows, documents + 1): the weights of the first 0, 1, ... documents at stake together,
        which are sorted by falling weight; no more than the ladder has.
    most
        Shape (rows,): how many documents may get a gain above 0.
    bare
        Shape (rows,): what stands for 0/0 if nothing is relevant.
    ladder
        The gains and the ideal.

    Returns
    -------
    ratio, chains
        Shape (rows,) and (rows, levels): the largest ratio, and how many documents reach each level.
    """
    rows, levels = base.size, ladder.steps.size
    chains = np.zeros((rows, levels), dtype=np.int64)
    ideal = float(ladder.ideal_of(chains[:1])[0]) if rows else 1.0
    ratio = base / ideal if ideal > 0 else bare.astype(float)
    if not levels:
        return ratio, chains
    blocked = np.arange(sums.shape[1]) > most[:, None]
    if ideal == 0:
        blocked[:, 0] = True  # with nothing relevant there is no ratio
    left = np.flatnonzero(most > 0)
    while left.size:
        found = _longest(sums[left], blocked[left], ratio[left], ladder)
        total = base[left] + (_at(sums[left, None], found) * ladder.steps).sum(axis=-1)
        higher = total / ladder.ideal_of(found)
        better = higher > ratio[left]
        left, found = left[better], found[better]
        ratio[left], chains[left] = higher[better], found
    return ratio, chains


def _longest(sums: Floats, blocked: npt.NDArray[np.bool_], ratio: Floats, ladder: Ladder) -> Index:
    """Return the chain of each row that maximises its sum - ratio * its ideal."""
    levels, places = ladder.steps.size, np.arange(sums.shape[1])
    value, came = np.zeros_like(sums), []
    for level in reversed(range(levels)):
        value += ladder.steps[level] * sums - ratio[:, None] * ladder.ideal[level, : places.size]
        if level == 0:
            value[blocked] = -np.inf
        top = np.maximum.accumulate(value, axis=1)
        higher = np.zeros(value.shape, dtype=bool)
        higher[:, 1:] = value[:, 1:] > top[:, :-1]  # of equal chains the one of fewest documents
        came.append(np.maximum.accumulate(higher * places, axis=1))
        value = top
    chain = np.full(len(sums), sums.shape[1] - 1)
    chains = np.empty((len(sums), levels), dtype=np.int64)
    for level, place in enumerate(reversed(came)):
        chain = chains[:, level] = np.take_along_axis(place, chain[:, None], axis=1)[:, 0]
    return chains


def _at(table: Floats, chains: Index) -> Floats:
    """Look up, for each level, the entry of its row of a table: (1 or levels) x documents."""
    table = np.broadcast_to(table, (*table.shape[:-2], chains.shape[-1], table.shape[-1]))
    if table.ndim == 2:
        return table[np.arange(chains.shape[-1]), chains]
    return np.take_along_axis(table, chains[..., None], axis=-1)[..., 0]
