"""Discounts: how much the document at a rank counts.

A discount is a callable on 1-based ranks (an array of any shape) that returns weights of the same
shape: finite, never negative, never rising with the rank, and a function of the rank alone.

One whose sums have a closed form may say so: ``partial_sum(low, high, power)`` is the sum of
D(r)^power over the ranks low < r <= high, arrays of one shape, for the powers 1 and 2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import flat, number
from ndcgstudy.falling import ONE_BY_ONE, breach
from ndcgstudy.registry import Registry

Ranks = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]
Discount = Callable[[Any], Weights]

DISCOUNTS: Registry[Discount] = Registry("discount", "ndcgstudy.discounts")


@DISCOUNTS.register("log2")
@dataclass(frozen=True)
class Log2:
    """Weigh rank r by 1/log2(r + 1), the discount of trec_eval, Burges (2005) and most tools.

    Examples
    --------
    >>> Log2()(np.array([1, 3, 7])).round(3)
    array([1.   , 0.5  , 0.333])
    """

    def __call__(self, ranks: Ranks) -> Weights:
        return np.asarray(1.0 / np.log2(np.asarray(ranks, dtype=float) + 1.0))


@DISCOUNTS.register("jk2002")
@dataclass(frozen=True)
class JK2002:
    """Weigh ranks below the base b by 1 and rank r from b on by 1/log_b(r).

    The discount of Järvelin and Kekäläinen (2002, Cumulated gain-based evaluation of IR techniques).

    Examples
    --------
    >>> JK2002(base=2)(np.array([1, 2, 4, 8])).round(3)
    array([1.   , 1.   , 0.5  , 0.333])
    """

    base: float = 2

    def __post_init__(self) -> None:
        number("base", self.base, above=1)

    def __call__(self, ranks: Ranks) -> Weights:
        return np.asarray(np.log(self.base) / np.log(np.maximum(ranks, self.base)))


@DISCOUNTS.register("power")
@dataclass(frozen=True)
class Power:
    """Weigh rank r by r^-beta; beta = 1 is the critical rate of Wang et al. (2013).

    Examples
    --------
    >>> Power(beta=0.5)(np.array([1, 4, 100]))
    array([1. , 0.5, 0.1])
    """

    beta: float

    def __post_init__(self) -> None:
        number("beta", self.beta, at_least=0)

    def __call__(self, ranks: Ranks) -> Weights:
        return np.asarray(np.asarray(ranks, dtype=float) ** -float(self.beta))


@DISCOUNTS.register("zipf")
@dataclass(frozen=True)
class Zipf:
    """Weigh rank r by 1/r: `power` with beta = 1.

    Examples
    --------
    >>> Zipf()(np.array([1, 2, 4]))
    array([1.  , 0.5 , 0.25])
    """

    def __call__(self, ranks: Ranks) -> Weights:
        return Power(beta=1.0)(ranks)


@DISCOUNTS.register("geometric")
@dataclass(frozen=True)
class Geometric:
    """Weigh rank r by p^(r - 1), a reader who goes on with probability p (Moffat and Zobel 2008).

    Examples
    --------
    >>> Geometric(p=0.5)(np.array([1, 2, 3]))
    array([1.  , 0.5 , 0.25])
    """

    p: float

    def __post_init__(self) -> None:
        number("p", self.p, above=0, below=1)

    def __call__(self, ranks: Ranks) -> Weights:
        return np.asarray(float(self.p) ** (np.asarray(ranks, dtype=float) - 1.0))

    def partial_sum(self, low: Ranks, high: Ranks, power: int) -> Weights:
        """Return the sums of p^(k (r - 1)) for ranks r above low and up to high, k being the power."""
        step = power * np.log(float(self.p))
        share = np.expm1(step * (high - low)) / np.expm1(step)
        return np.asarray(np.exp(step * np.asarray(low, dtype=float)) * share)


@DISCOUNTS.register("constant")
@dataclass(frozen=True)
class Constant:
    """Weigh every rank by 1.

    Examples
    --------
    >>> Constant()(np.array([1, 50]))
    array([1., 1.])
    """

    def __call__(self, ranks: Ranks) -> Weights:
        return np.ones(np.shape(ranks))

    def partial_sum(self, low: Ranks, high: Ranks, power: int) -> Weights:
        """Return high - low, the sum of ones over the ranks above low and up to high."""
        return np.asarray(high - low, dtype=float)


@DISCOUNTS.register("loglog")
@dataclass(frozen=True)
class LogLog:
    """Weigh rank r by 1/log(e + log(1 + r)), which decays more slowly than any power of a logarithm.

    Examples
    --------
    >>> LogLog()(np.array([1, 1000])).round(3)
    array([0.815, 0.442])
    """

    def __call__(self, ranks: Ranks) -> Weights:
        return np.asarray(1.0 / np.log(np.e + np.log1p(np.asarray(ranks, dtype=float))))


@DISCOUNTS.register("linear")
@dataclass(frozen=True)
class Linear:
    """Weigh rank r by 1 - (r - 1)/depth down to rank `depth`, and later ranks by 0.

    Examples
    --------
    >>> Linear(depth=4)(np.array([1, 2, 5]))
    array([1.  , 0.75, 0.  ])
    """

    depth: int

    def __post_init__(self) -> None:
        number("depth", self.depth, at_least=1, whole=True)

    def __call__(self, ranks: Ranks) -> Weights:
        return np.maximum(0.0, 1.0 - (np.asarray(ranks, dtype=float) - 1.0) / self.depth)

    def partial_sum(self, low: Ranks, high: Ranks, power: int) -> Weights:
        """Return the sums of (1 - (r - 1)/depth)^power over ranks above low and up to high."""
        a, b = (np.maximum(self.depth - np.asarray(x, dtype=float), 0.0) for x in (low, high))
        if power == 1:
            return np.asarray((a - b) * (a + b + 1) / 2 / self.depth)
        return np.asarray(
            (a - b) * (2 * (a * a + a * b + b * b) + 3 * (a + b) + 1) / 6 / self.depth**2
        )


@DISCOUNTS.register("table")
@dataclass(frozen=True)
class Table:
    """Weigh rank r by the r-th number given, and ranks beyond the table by 0.

    Examples
    --------
    >>> DISCOUNTS.parse("table(1,0.5)")(np.array([1, 2, 3]))
    array([1. , 0.5, 0. ])
    """

    weights: tuple[float, ...]
    variadic: ClassVar[str] = "weights"

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", flat(self.weights))
        for rank, weight in enumerate(self.weights, start=1):
            number(f"weights[rank {rank}]", weight, at_least=0)
        if not any(self.weights) or any(np.diff(self.weights) > 0):
            raise ValueError(f"`weights` must begin above 0 and never rise, got {self.weights}")

    def __call__(self, ranks: Ranks) -> Weights:
        padded = np.append(np.asarray(self.weights, dtype=float), [0.0])
        place = np.minimum(ranks, len(self.weights) + 1) - 1
        return np.asarray(padded[np.asarray(place, dtype=np.intp)])

    def partial_sum(self, low: Ranks, high: Ranks, power: int) -> Weights:
        """Return the sums of powers of the weights of the ranks above low and up to high."""
        return sums_of(np.asarray(self.weights, dtype=float) ** power, low, high)


def sums_of(weights: Weights, low: Ranks, high: Ranks) -> Weights:
    """Return the sums of weights[low:high], each range added alone; beyond the end are zeros.

    Examples
    --------
    >>> sums_of(np.array([4.0, 2.0, 1.0]), np.array([0, 1, 2]), np.array([2, 9, 2]))
    array([6., 3., 0.])
    """
    low, high = (np.minimum(x, len(weights)).astype(np.intp) for x in (low, high))
    pairs = np.stack([low, high], axis=-1).ravel()
    sums = np.add.reduceat(np.append(weights, 0.0), pairs)[::2].reshape(low.shape)
    return np.where(low < high, sums, 0.0)


@DISCOUNTS.checks_externals
def check_discount(discount: Discount) -> None:
    """Check that a user's discount is one: finite, at least 0, never rising, of the rank alone.

    Raises
    ------
    ValueError
        Naming the discount, the rule and the first rank where it breaks; or if its ``partial_sum``
        does not give the sums of its weights.

    Examples
    --------
    >>> check_discount(lambda ranks: ranks * 1.0)
    Traceback (most recent call last):
        ...
    ValueError: discount <lambda> must never rise, but from rank 1 to 2 it goes from 1.0 to 2.0
    """
    name = getattr(discount, "__name__", None) or str(discount)
    broken = breach(lambda ranks: _weights(discount, ranks, name))
    if broken:
        raise ValueError(f"discount {name} {broken}")
    if closed := getattr(discount, "partial_sum", None):
        _check_sums(closed, _weights(discount, np.arange(1, ONE_BY_ONE + 1), name), name)


def _check_sums(closed: Callable[..., Any], weights: Weights, name: str) -> None:
    """Check a closed form of the sums by adding up weights."""
    low, high = np.array([0, 10, 1000]), np.array([10, 1000, len(weights)])
    for power in (1, 2):
        try:
            given = np.asarray(closed(low, high, power), dtype=float)
        except Exception as error:  # noqa: BLE001 - a user's method may raise anything
            raise ValueError(f"`partial_sum` of discount {name} fails: {error}") from None
        added = sums_of(weights**power, low, high)
        off = np.shape(given) != low.shape or ~np.isclose(given, added, rtol=1e-9, atol=1e-300)
        if np.any(off):
            raise ValueError(
                f"`partial_sum` of discount {name} must give the sums of weights^{power} over ranks "
                f"0 to 10, 10 to 1000, ..., {added.tolist()}, got {given.tolist()}"
            )


def _weights(discount: Discount, ranks: Ranks, name: str) -> Weights:
    try:
        found = discount(ranks)
        if np.iscomplexobj(found):
            raise TypeError("weights must be real, got complex ones")
        weights = np.asarray(found, dtype=float)
    except Exception as error:  # noqa: BLE001 - a user's function may raise anything
        raise ValueError(f"discount {name} fails on an array of ranks: {error}") from None
    if weights.shape != ranks.shape:
        raise ValueError(
            f"discount {name} must return one weight a rank: shape {ranks.shape}, got {weights.shape}"
        )
    return weights
