"""What a generator gives: one growing list of items that several rankers score."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ndcgstudy.registry import Registry


@dataclass(frozen=True, eq=False)
class Sample:
    """The first n items of one growing list.

    Parameters
    ----------
    scores
        What each ranker gives each item, (systems, n); a ranker sorts by it, highest first.
    grades
        The relevance grade of each item, (n,), whole numbers from 0.
    """

    scores: npt.NDArray[np.float64]
    grades: npt.NDArray[np.int64]


class Generator(Protocol):
    """A source of samples, by convention with the ranker that should win as system 0.

    The same stream gives nested samples: ``sample(n)`` is the first n items of ``sample(m)`` for
    every m above n. So what is measured on a prefix does not depend on how far the list goes on.
    """

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items from a stream that was not used before."""


GENERATORS: Registry[Generator] = Registry("generator", "ndcgstudy.generators")
