"""Whether weights obey the rules of a discount, and the first rank at which they do not."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Weigh = Callable[[npt.NDArray[np.int64]], Floats]

ONE_BY_ONE = 2**16  # every rank so far is looked at; behind it, 16 an octave to rank 2^50
RANKS = np.append(
    np.arange(1, ONE_BY_ONE + 1), np.round(2.0 ** (np.arange(16 * 16 + 1, 50 * 16 + 1) / 16))
).astype(np.int64)
RANKS.setflags(write=False)  # a function that writes into its ranks fails
ALONE = np.array([0, 1, 9, 99, 9999, len(RANKS) - 1])  # places in `RANKS`
ROUNDING = 1e-14  # by what share of itself a weight may rise


def breach(weigh: Weigh) -> str | None:
    """Say which rule weights break, and at which rank first; None where they break none.

    Ranks behind 2^16 are looked at here and there: what breaks a rule there and goes on breaking it
    is found, with the first rank where it does.

    Examples
    --------
    >>> breach(lambda ranks: 5.0 - ranks)
    'must be at least 0, got -1.0 at rank 6'
    """
    weights = weigh(RANKS)
    for place in ALONE:
        alone, among = weigh(RANKS[place : place + 1])[0], weights[place]
        if not np.isclose(alone, among, rtol=1e-12, atol=0, equal_nan=True):
            return (
                f"must depend on the rank alone, not on the other ranks: at rank {RANKS[place]} it "
                f"is {alone} by itself and {among} among others"
            )
    for breaks, rule in ((_not_finite, "be finite"), (_negative, "be at least 0")):
        if breaks(weights).any():
            rank = _first(weigh, breaks, breaks(weights))
            return f"must {rule}, got {_at(weigh, rank)} at rank {rank}"
    if weights[0] == 0:
        return "must be above 0 at rank 1, got 0"
    return _rise(weigh, weights)


def _not_finite(weights: Floats) -> Bools:
    return ~np.isfinite(weights)


def _negative(weights: Floats) -> Bools:
    return np.asarray(weights < 0)


def _rise(weigh: Weigh, weights: Floats) -> str | None:
    """Say where weights rise, if they do."""
    rises = weights[1:] > weights[:-1] * (1 + ROUNDING)
    if not rises.any():
        return None
    most = weights[int(np.argmax(rises))] * (1 + ROUNDING)
    rank = _first(weigh, lambda found: np.asarray(found > most), np.append(False, rises))
    before, after = _at(weigh, rank - 1), _at(weigh, rank)
    return f"must never rise, but from rank {rank - 1} to {rank} it goes from {before} to {after}"


def _first(weigh: Weigh, breaks: Callable[[Floats], Bools], bad: Bools) -> int:
    """Return the first rank that breaks a rule: the first of `bad`, or one left out before it."""
    place = int(np.argmax(bad))
    good, high = (int(RANKS[place - 1]) if place else 0), int(RANKS[place])
    while high - good > 1:
        middle = (good + high) // 2
        if breaks(weigh(np.array([middle])))[0]:
            high = middle
        else:
            good = middle
    return high


def _at(weigh: Weigh, rank: int) -> float:
    return float(weigh(np.array([rank]))[0])
