"""Sums of a discount and of its square over any ranks up to 1e15, and whether the sum diverges."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount, sums_of
from ndcgstudy.separability.pieces import LAST, Pieces, Weigh, quadrature

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TABLES = (2**10, 2**12, 2**14, 2**16)  # ranks that are added up one by one: the first that will do
CLOSED, SMOOTH, BLOCKS = "closed form", "Euler-Maclaurin", "blocks"
GOOD = 1e-12
ONE = 1e-4  # a fitted exponent as near to 1 is 1: that of 1/(r + 5) is off by 5e-6
TINY = 1e-290  # a weight below it goes on falling, out of the range of doubles


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of D and D^2 over ranks low < r <= high, each to `error` of itself.

    Small ranks are added one by one; beyond them stands a closed form, where the discount has a
    method ``partial_sum``, or the rule of `pieces`. No range is a difference of two longer sums:
    the sum of 1/r^2 over the ranks from 1e12 to 2e12 has all its digits.

    Parameters
    ----------
    method
        "closed form"; "Euler-Maclaurin", where the error is bounded below 1e-12; or "blocks".
    error
        By what share of itself a sum may be off: a bound, or for "blocks" an estimate.

    Examples
    --------
    >>> from ndcgstudy.discounts import Power
    >>> sums = Sums.of(Power(beta=2))
    >>> round(sums.total(0, 10**15), 12), sums.method
    (1.644934066848, 'Euler-Maclaurin')
    """

    method: str
    error: float
    table: Floats
    weigh: Weigh
    closed: Callable[[Any, Any, int], Floats] | None = None
    pieces: Pieces | None = None
    spans: Floats | None = None

    @classmethod
    def of(cls, discount: Discount) -> "Sums":
        """Prepare the sums of a discount."""
        closed = getattr(discount, "partial_sum", None)
        if closed:
            table = _weights(discount, TABLES[0])
            return cls(CLOSED, 4e-16 * TABLES[0] ** 0.5, table, discount, closed)
        weigh, whole = _on_reals(discount)
        table, rest = _table(discount, weigh, TABLES[-1:] if whole else TABLES)
        pieces = Pieces.lay(weigh, len(table))
        error = max(rest, float(pieces.error.max()), 4e-15)
        good = error < GOOD and not whole
        spans = _spans(weigh, table, pieces)
        return cls(SMOOTH if good else BLOCKS, error, table, weigh, None, pieces, spans)

    @property
    def caution(self) -> str:
        """What is to be told of sums whose error is an estimate; nothing of others."""
        if self.method != BLOCKS:
            return ""
        return f"its sums are added up by blocks, each within about {self.error:.1g} of itself"

    def between(self, low: Any, high: Any) -> tuple[Floats, Floats]:
        """Return the sums of D and of D^2 over ranks low < r <= high, in the shape of both.

        Raises
        ------
        ValueError
            If a range falls, starts below 0 or ends beyond 2^50.
        """
        low, high = np.broadcast_arrays(*(np.asarray(x, dtype=np.int64) for x in (low, high)))
        if low.size and (low.min() < 0 or (low > high).any() or high.max() > LAST):
            raise ValueError(f"ranges of ranks must rise within 0 to 2^50, got {low} to {high}")
        depth = len(self.table)
        head = np.minimum(low, depth), np.minimum(high, depth)
        one, two = (sums_of(self.table**power, *head) for power in (1, 2))
        deep = high > depth
        if deep.any():
            tail = self._beyond(np.maximum(low[deep], depth), high[deep])
            one[deep] += tail[0]
            two[deep] += tail[1]
        return one, two

    def total(self, low: int, high: int, power: int = 1) -> float:
        """Return the sum of D or, for power 2, of D^2 over ranks low < r <= high."""
        return float(self.between([low], [high])[power - 1][0])

    def _beyond(self, low: Ints, high: Ints) -> tuple[Floats, Floats]:
        """Sum ranges that start at or behind the end of the table."""
        if self.closed:
            return self.closed(low, high, 1), self.closed(low, high, 2)
        assert self.pieces is not None
        assert self.spans is not None
        edges = self.pieces.edges
        first = np.searchsorted(edges, low, side="right") - 1
        last = np.maximum(np.searchsorted(edges, high, side="left") - 1, first)
        start = _within(self, low, np.minimum(high, edges[first + 1]), first)
        across = last > first
        for power in (0, 1):
            start[power][across] += self.spans[power, first[across] + 1, last[across]]
        end = _within(self, edges[last[across]], high[across], last[across])
        for power in (0, 1):
            start[power][across] += end[power]
        return start


def _within(sums: Sums, low: Ints, high: Ints, piece: Ints) -> tuple[Floats, Floats]:
    """Sum ranges that lie in one piece each."""
    assert sums.pieces is not None
    one, two = quadrature(sums.weigh, low, high)
    for at in np.flatnonzero(sums.pieces.short[piece]):
        d = sums.weigh(np.arange(low[at] + 1.0, high[at] + 1.0))
        one[at], two[at] = d.sum(), (d * d).sum()
    return one, two


def _spans(weigh: Weigh, table: Floats, pieces: Pieces) -> Floats:
    """Return the sums over pieces i, ..., j - 1, (2, K + 1, K + 1), each added up alone."""
    edges = pieces.edges
    bare = Sums(BLOCKS, 0.0, table, weigh, None, pieces)
    each = np.stack(_within(bare, edges[:-1], edges[1:], np.arange(len(edges) - 1)))
    spans = np.zeros((2, len(edges), len(edges)))
    for i in range(len(edges) - 1):
        spans[:, i, i + 1 :] = np.cumsum(each[:, i:], axis=1)
    return spans


def _weights(discount: Discount, depth: int) -> Floats:
    return np.asarray(discount(np.arange(1, depth + 1)), dtype=float)


def _on_reals(discount: Discount) -> tuple[Weigh, bool]:
    """Return the discount on real numbers, and whether it takes whole ranks only."""

    def plain(r: Any) -> Floats:
        return np.reshape(np.asarray(discount(r), dtype=float), np.shape(r))

    def rounded(r: Any) -> Floats:
        return plain(np.rint(r).astype(np.int64))

    probe = 2.0 ** np.arange(4, 40, 3) + 1
    try:
        between = plain(probe + 0.5)
    except Exception:  # noqa: BLE001 - a user's function may raise anything
        return rounded, True
    ends = rounded(probe), rounded(probe + 1)
    good = np.isfinite(between) & (between <= ends[0]) & (between >= ends[1])
    steps = (ends[0] > ends[1]) & ((between == ends[0]) | (between == ends[1]))
    smooth = bool(good.all()) and np.count_nonzero(steps) < 3
    return (plain, False) if smooth else (rounded, True)


def _table(discount: Discount, weigh: Weigh, depths: tuple[int, ...]) -> tuple[Floats, float]:
    """Return the weights to be added one by one, and the share that the rest may be off behind."""
    for depth in depths:
        rest = _rest(weigh, depth)
        if rest < GOOD / 10:
            break
    return _weights(discount, depth), rest


def _rest(weigh: Weigh, depth: int) -> float:
    """Return the first term left out at a rank, 17/5760 of the 4th derivative, for D and D^2."""
    step = max(depth // 64, 1)
    d = weigh(depth + step * np.arange(5.0))
    if d[0] ** 2 == 0:
        return 0.0
    both = np.stack([d / d[0], (d / d[0]) ** 2])
    fourth = np.abs(both @ np.array([1.0, -4.0, 6.0, -4.0, 1.0])).max()
    return float(17 / 5760 * fourth / step**4)


@dataclass(frozen=True)
class Tail:
    """What the weights up to rank 2^50 say of the sum over all ranks.

    Parameters
    ----------
    diverges
        True or False where D is close to c r^-power (log r)^-log_power with exponents that decide;
        None, not resolved, where they lie nearer to the border than the misfit allows to tell.
    power, log_power
        The two exponents, fitted to the octaves from 2^20 on; both infinite where D vanishes.
    misfit
        The largest |log D - fit|.
    evidence
        The same in words.
    """

    diverges: bool | None
    power: float
    log_power: float
    misfit: float
    evidence: str


def tail(discount: Discount) -> Tail:
    """Judge by numbers whether the sum of a discount diverges.

    c r^-a (log r)^-b has an unbounded sum for a < 1, and for a = 1 where b <= 1. A margin is left
    on both sides of the border: there iterated logarithms decide, which no reachable rank shows.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2, Power
    >>> [tail(d).diverges for d in (Log2(), Power(beta=1), Power(beta=1.1))]
    [True, True, False]
    >>> tail(lambda r: 1 / ((r + 1) * np.log(r + 1))).diverges is None
    True
    """
    ranks = 2.0 ** np.arange(20, 51)
    sums = sums_for(discount).between(ranks[:-1], ranks[1:])[0]
    if sums[-1] < 1e-250:
        return Tail(False, np.inf, np.inf, 0.0, "the weights vanish before rank 2^50")
    at = np.log(ranks[:-1] * 2**0.5)
    design = np.stack([np.ones_like(at), -at, -np.log(at)], axis=1)
    mean = np.log(sums / ranks[:-1])
    fit = np.linalg.lstsq(design, mean, rcond=None)[0]
    misfit = float(np.abs(mean - design @ fit).max())
    diverges = _judged(float(fit[1]), float(fit[2]), max(1e-3, 10 * misfit))
    word = {True: "grows without bound", False: "is bounded", None: "is not resolved"}[diverges]
    evidence = (
        f"up to rank 2^50 D is r^{0 - fit[1]:.3f} (log r)^{0 - fit[2]:.2f} within {misfit:.1g} of its "
        f"logarithm: the sum {word}"
    )
    return Tail(diverges, float(fit[1]), float(fit[2]), misfit, evidence)


def _judged(power: float, log_power: float, margin: float) -> bool | None:
    """Decide from two exponents, the first known within a margin; near 1 and 1 nothing is decided.

    At power 1 a bounded sum is never decided: 1/(r log^2 r) + 1e-8/r has an unbounded sum, of which
    no rank up to 2^50 shows anything.
    """
    if abs(power - 1) > margin:
        return power < 1
    return True if abs(power - 1) < ONE and log_power < 0.5 else None


def last_rank(discount: Discount) -> float:
    """Return the last rank that has a weight, infinity where there is none: a fixed cutoff.

    Weights that only become too small for a double, as those of 2^-r do, have no last rank.

    Examples
    --------
    >>> from ndcgstudy.discounts import Geometric, Linear, Log2
    >>> last_rank(Linear(depth=7)), last_rank(Geometric(p=0.5)), last_rank(Log2())
    (7.0, inf, inf)
    """

    def weight(rank: int) -> float:
        return float(np.asarray(discount(np.array([rank])), dtype=float)[0])

    low, high = 1, LAST
    if weight(high) > 0:
        return np.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if weight(middle) > 0 else (low, middle)
    return float(low) if weight(low) > TINY else np.inf


@functools.lru_cache(maxsize=256)
def sums_for(discount: Discount) -> Sums:
    """Return the sums of a discount, prepared once."""
    return Sums.of(discount)
