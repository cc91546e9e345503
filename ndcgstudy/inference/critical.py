"""What each system's gaps are held against: the largest statistics over its own pairs, either way."""

from typing import NamedTuple

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.simultaneous import (
    Scale,
    observed_scale,
    own,
    ratio,
    ratios,
    resampled,
    shrunken,
)

SCALES: dict[str, Scale] = {"shrunken": shrunken(), "max-t": resampled, "max": own}
"""The methods whose critical values can be had for one system alone."""


class Largest(NamedTuple):
    """The largest signed statistic over a system's pairs, each (systems, resamples).

    Parameters
    ----------
    beaten
        Of how far another system's resampled mean moves up against its own.
    beating
        Of how far its own moves up against another's.
    """

    beaten: Floats
    beating: Floats

    @property
    def either(self) -> Floats:
        """The largest absolute statistic, (systems, resamples)."""
        return np.maximum(self.beaten, self.beating)


def largest(task: Task, scale: Scale) -> Largest:
    """Return the largest of (gap* - gap)/s over each system's pairs, by direction."""
    family = Family("all", task.family.systems)
    parts = [_of_chunk(task, family, scale, counts) for counts in task.counts()]
    beaten, beating = (np.concatenate(found, axis=1) for found in zip(*parts, strict=True))
    return Largest(beaten, beating)


def _of_chunk(task: Task, family: Family, scale: Scale, counts: Floats) -> Largest:
    beaten, least = (np.zeros((family.systems, counts.shape[1])) for _ in range(2))
    runs = zip(family.runs, ratios(task, task.differences(family), scale, counts), strict=True)
    for (first, below), up in runs:
        np.maximum(beaten[below], up, out=beaten[below])
        np.minimum(least[below], up, out=least[below])
        np.maximum(beaten[first], -up.min(axis=0), out=beaten[first])
        np.minimum(least[first], -up.max(axis=0), out=least[first])
    return Largest(beaten, -least)


def statistics(task: Task, scale: Scale) -> Floats:
    """Return (mean_i - mean_j)/s_ij, (systems, systems)."""
    gaps, square = observed_scale(task, scale)
    return antisymmetric(task.family, np.copysign(ratio(gaps, square), gaps))


def antisymmetric(family: Family, values: Floats) -> Floats:
    """Lay out the values of all pairs, (pairs,), as (systems, systems): x_ji = -x_ij."""
    first, second = family.pairs
    matrix = np.zeros((family.systems, family.systems))
    matrix[first, second], matrix[second, first] = values, -values
    return matrix
