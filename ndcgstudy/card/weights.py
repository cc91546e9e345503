"""How a discount spreads its weight over the ranks."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ndcgstudy.card.line import NAN, Figure, Line, Section
from ndcgstudy.discounts import Discount
from ndcgstudy.separability.pieces import LAST
from ndcgstudy.separability.rates import decay
from ndcgstudy.separability.sums import sums_for

Floats = npt.NDArray[np.float64]

RANKS = (2, 5, 10, 100, 1000)
PAST = (1, 5, 10, 100)
LISTS: tuple[tuple[str, str, int | None], ...] = (
    ("share past, 1000 ranks", "1,000", 1000),
    ("share past, all ranks", "all", None),
)
CURVE = np.unique(np.geomspace(1, 10_000, 81).round().astype(np.int64))


def relative(discount: Discount, ranks: npt.ArrayLike) -> Floats:
    """Return the weights of ranks over that of rank 1."""
    whole = np.concatenate([[1], np.asarray(ranks)]).astype(np.int64)
    weights = np.asarray(discount(whole), dtype=float)
    return np.asarray(weights[1:] / weights[0])


def share_past(discount: Discount, rank: int, ranks: int | None) -> float:
    """Return the share of the weight of a list that lies past a rank.

    Of an endless list (None) it is 1 where the sum of the weights has no bound, and NaN where that
    is not resolved.

    Examples
    --------
    >>> from ndcgstudy.discounts import Constant
    >>> share_past(Constant(), 5, 1000)
    0.995
    """
    diverges = decay(discount).diverges if ranks is None else False
    if diverges is not False:
        return 1.0 if diverges else NAN
    head, tail = sums_for(discount).between([0, rank], [rank, ranks or LAST])[0].tolist()
    return float(tail / (head + tail))


def weights_section(discount: Discount, log2: Discount) -> Section:
    """Compare the weights of ranks, and what lies past some of them in a short and a long list."""
    both = (discount, log2)
    lines = [_line("weight", k, f"weight of rank {k}", _weight(k), *both) for k in RANKS]
    lines += [
        _line(name, k, f"share past rank {k} of {words}", _past(k, ranks), *both)
        for name, words, ranks in LISTS
        for k in PAST
    ]
    return Section("weights", "exact; the weight of rank 1 is 1", tuple(lines))


def _weight(rank: int) -> Callable[[Discount], float]:
    return lambda discount: float(relative(discount, (rank,))[0])


def _past(rank: int, ranks: int | None) -> Callable[[Discount], float]:
    return lambda discount: share_past(discount, rank, ranks)


def _line(
    name: str,
    at: int,
    label: str,
    of: Callable[[Discount], float],
    discount: Discount,
    log2: Discount,
) -> Line:
    mine, other = of(discount), of(log2)
    difference = Figure(mine - other).settled(1e-12)
    return Line(name, Figure(mine), Figure(other), difference, float(at), label=label)
