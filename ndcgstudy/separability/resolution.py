"""How long a list must be to show what theory says of P(right)."""

import numpy as np

from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.foreseen import Foreseen, apart
from ndcgstudy.separability.pieces import LAST
from ndcgstudy.synthetic.generator import Generator, is_described

SURE = 0.99  # P(right) that counts as 1
SURE_Z = 2.326  # the z of it
HIDDEN = 1e300


def expected_right(z: float, ahead: str) -> float:
    """Return the normal chance that a ranker is ahead, from the z of A."""
    from scipy.special import ndtr

    return float(ndtr(-z if ahead == "B" else z))


def settled(
    pair: Generator,
    discount: Discount,
    theory: Foreseen,
    *,
    cutoff: Cutoff | str | int | None,
    gain: Gain,
) -> float:
    """Return the P(right) of the ranker ahead where z has stopped, on lists of 2^50 items.

    NaN where theory does not have z stop, or z says nothing of P(right).
    """
    if theory.separates is not False or not theory.normal or not is_described(pair):
        return float("nan")
    z = expect(pair, discount, LAST, cutoff=cutoff, gain=gain).z
    return expected_right(abs(z), "A")


def resolves_at(
    pair: Generator,
    discount: Discount,
    theory: Foreseen,
    n: int,
    far: float,
    *,
    cutoff: Cutoff | str | int | None,
    gain: Gain,
) -> float:
    """Return the list length beyond n that would show what theory says, NaN where none is known.

    Where z grows: P(right) reaches .99, on lists of up to 2^50 items as `expect` has it, beyond by the
    law of z. Where the sum of r^-b, b > 1, is bounded: the sum to n is a fifth short of that of 1/r, at
    n = exp(.464/(b - 1)). Where numbers up to rank 2^50 leave the sum open: a term e/r that they hide
    adds e log n, and e log n reaches the sum of the rest beyond n = 1e300.
    """
    if not is_described(pair):
        return float("nan")
    beta = theory.rate.decay.beta
    if theory.separates is None:
        return HIDDEN if theory.open_sum else float("nan")
    if theory.separates is False:
        if theory.rate.fixed or not far > 0.5 or not 1 < beta < 2:
            return float("nan")
        at = apart(beta)
        return at if n < at < np.inf else float("nan")
    if not theory.normal or theory.law != theory.rate.law:
        return float("nan")
    return _growing(pair, discount, theory, n, cutoff=cutoff, gain=gain)


def _growing(
    pair: Generator,
    discount: Discount,
    theory: Foreseen,
    n: int,
    *,
    cutoff: Cutoff | str | int | None,
    gain: Gain,
) -> float:
    """Return the first power of ten beyond n at which z is 2.326, or by its law the length where it is."""
    z = 0.0
    for power in range(int(np.log10(n)) + 1, 16):
        z = abs(expect(pair, discount, 10**power, cutoff=cutoff, gain=gain).z)
        if z >= SURE_Z:
            return 10.0**power
    if not z > 0:
        return float("nan")
    growth = SURE_Z / z
    logs = 15 * growth if theory.rate.critical else 15 + np.log10(growth) / theory.rate.exponent
    return float(10.0**logs) if logs < 300 else float("inf")
