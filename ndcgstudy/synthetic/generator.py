"""What a generator gives: one growing list of items that several rankers score."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from ndcgstudy.registry import Registry

Floats = npt.NDArray[np.float64]


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

    scores: Floats
    grades: npt.NDArray[np.int64]


class Generator(Protocol):
    """A source of samples, by convention with the ranker that should win as system 0.

    The same stream gives nested samples: ``sample(n)`` is the first n items of ``sample(m)`` for
    every m above n. So what is measured on a prefix does not depend on how far the list goes on.

    One that is not described in closed form may name by an attribute ``tends_to`` the described
    generator whose distribution its items tend to.
    """

    def sample(self, n: int, *, rng: np.random.Generator) -> Sample:
        """Draw the first `n` items from a stream that was not used before."""


class Described(Generator, Protocol):
    """A generator of i.i.d. items whose distribution is known in closed form.

    The quantile of an item's score runs from 0 to 1 at the top; its depth is 1 minus that, the
    share of items ahead of it, so that depths near the top (1e-13, say) keep all their digits.

    A generator whose rankers share their order of the top items may say so by an attribute
    ``alike``: the depth down to which the two orders are one.
    """

    def __hash__(self) -> int:
        """Equal generators have equal hashes: what is computed for one is kept."""

    @property
    def grades(self) -> int:
        """How many grades there are: items have grades 0 to `grades` - 1."""

    def curves(self, s: Any) -> Floats:
        """Return P(grade | quantile s of the ranker's score), (systems, grades, len(s))."""

    def joint(self, edges_a: Any, edges_b: Any) -> Floats:
        """Return the chance of each bin of ranker A, bin of ranker B and grade.

        Parameters
        ----------
        edges_a, edges_b
            DEPTHS that rise from 0, the top, to 1: bin 0 is the top bin.

        Returns
        -------
        array
            (len(edges_a) - 1, len(edges_b) - 1, grades), which sums to 1.
        """


class Relative(Generator, Protocol):
    """A generator some of whose scores depend on which other items are in the list.

    ``sample`` then gives what the rankers see of each item, which is nested; `at` gives their
    scores on a prefix.
    """

    def at(self, sample: Sample, n: int) -> Sample:
        """Return the scores and grades of the first `n` items where these are the whole list."""


GENERATORS: Registry[Generator] = Registry("generator", "ndcgstudy.generators", method="sample")


@GENERATORS.checks_externals
def check_generator(generator: Generator) -> None:
    """Check that a user's generator draws lists that can be ranked.

    Raises
    ------
    ValueError
        Naming the generator, and what of a sample of 8 items is not as `Sample` has it.
    """
    n, name = 8, str(generator)
    try:
        sample = generator.sample(n, rng=np.random.default_rng(0))
        sample = generator.at(sample, n) if is_relative(generator) else sample
        scores, grades = np.asarray(sample.scores, dtype=float), np.asarray(sample.grades)
    except Exception as error:  # noqa: BLE001 - a user's method may raise anything
        raise ValueError(f"generator {name} fails to draw {n} items: {error}") from None
    if scores.ndim != 2 or scores.shape[0] < 2 or scores.shape[1] != n or np.isnan(scores).any():
        raise ValueError(
            f"generator {name} must give each of two or more rankers a score an item, numbers of "
            f"shape (2, {n}) for {n} items, got shape {scores.shape}"
        )
    whole = np.issubdtype(grades.dtype, np.integer)
    if grades.shape != (n,) or not whole or grades.min() < 0:
        raise ValueError(
            f"generator {name} must give each item one grade, whole numbers from 0 of shape ({n},) "
            f"for {n} items, got {grades.dtype} of shape {grades.shape}: {grades.tolist()}"
        )


def is_relative(generator: object) -> TypeGuard[Relative]:
    """Say whether some of a generator's scores depend on which other items are in the list."""
    return hasattr(generator, "at")


def is_described(generator: object) -> TypeGuard[Described]:
    """Say whether a generator has a closed form, so that lists of any length can be drawn.

    Attributes are asked for, not types: a user's generator comes in a wrapping that passes them on.
    """
    has_form = all(hasattr(generator, name) for name in ("curves", "joint", "grades"))
    return has_form and not is_relative(generator)


def described(generator: Generator) -> Described:
    """Return a generator that describes its distribution.

    Raises
    ------
    ValueError
        Naming the generator and what it lacks.
    """
    if is_described(generator):
        return generator
    raise ValueError(
        f"generator {generator} has no closed form (`curves` and `joint`): "
        "it can be simulated directly only"
    )
