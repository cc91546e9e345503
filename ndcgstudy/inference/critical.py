"""What each system's gaps are held against, where a method has it."""

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.scales import Scale, observed_scale, own, ratio, resampled, shrunken

SCALES = {"shrunken": shrunken(), "max-t": resampled, "max": own}
"""The methods whose critical values can be had for one system alone."""


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
