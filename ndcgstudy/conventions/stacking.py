"""Lists of several runs in one, whose gains are worked out once for all discounts and measures."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats
from ndcgstudy.gains import Gain
from ndcgstudy.ids import Index
from ndcgstudy.lists import Lists


@dataclass(frozen=True, eq=False)
class Shared(Lists):
    """Lists that work out the gains of a gain function once, for all discounts and measures."""

    known: dict[Any, Floats] = field(default_factory=dict)

    def with_ideal(self, ideal: str) -> "Shared":
        """Return the same lists under another policy for the ideal; what is known is shared."""
        return dataclasses.replace(self, ideal_rule=ideal)

    def gains(self, gain: Gain, cutoff: int | None) -> Floats:
        """Return the (expected) gain at each rank down to the cutoff."""
        which = ("gains", gain, cutoff)
        if which not in self.known:
            self.known[which] = super().gains(gain, cutoff)
        return self.known[which]

    def ideal_gains(self, gain: Gain, cutoff: int | None) -> Floats:
        """Return the gains of the ideal list."""
        which = (self.ideal_rule, gain, cutoff)
        if which not in self.known:
            self.known[which] = super().ideal_gains(gain, cutoff)
        return self.known[which]


def stacked(each: Sequence[Lists]) -> Shared:
    """Put the lists of several runs into one, filled up to the longest.

    Examples
    --------
    >>> one = Lists(np.ones((1, 1, 2)), np.full((1, 1), 2), np.ones((1, 1, 2)))
    >>> two = Lists(np.ones((1, 1, 3)), np.full((1, 1), 3), np.ones((1, 1, 2)))
    >>> stacked([one, two]).grade[0]
    array([[ 1.,  1., nan]])
    """
    depth = max(lists.depth for lists in each)
    tied = any(lists.first is not None for lists in each)
    ideals = [lists.ideal for lists in each]
    width = max(ideal.shape[-1] for ideal in ideals)
    alone = np.arange(depth)
    same = all(ideal is ideals[0] or ideal.base is ideals[0].base is not None for ideal in ideals)
    return Shared(
        grade=_joined([lists.grade for lists in each], depth, np.nan),
        retrieved=np.concatenate([lists.retrieved for lists in each]),
        ideal=ideals[0] if same else _joined(ideals, width, -1.0),
        first=_ends([lists.first for lists in each], each, alone) if tied else None,
        last=_ends([lists.last for lists in each], each, alone + 1) if tied else None,
    )


def _joined(
    parts: Sequence[npt.NDArray[Any]], width: int, fill: "float | Index"
) -> npt.NDArray[Any]:
    """Join arrays (1, topics, ranks) along the first axis, filling up the ranks."""
    shape = (len(parts), parts[0].shape[1], width)
    whole = np.broadcast_to(np.asarray(fill, dtype=parts[0].dtype), shape).copy()
    for i, part in enumerate(parts):
        whole[i, :, : part.shape[-1]] = part[0]
    return whole


def _ends(ends: Sequence[Index | None], each: Sequence[Lists], alone: Index) -> Index:
    """Join the ends of tied groups; a rank without a group of its own stands alone."""
    none = [np.broadcast_to(alone[: lists.depth], lists.grade.shape) for lists in each]
    parts = [n if e is None else e for e, n in zip(ends, none, strict=True)]
    return _joined(parts, alone.size, alone)
