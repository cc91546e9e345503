"""What theory says of two rankers under a discount, as a record and in words."""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.separability.rates import Rate

SETTLES = "P(right) settles below 1"
TIES = "ties"
CLOSE = 0.03  # exponents so near to 1 need more than 5e6 items to show what they are
APART = 0.464  # (1 - exp(-x))/x = .8 and (exp(x) - 1)/x = 1.27


@dataclass(frozen=True)
class Foreseen:
    """What theory says of two rankers.

    Parameters
    ----------
    separates
        Whether P(right) goes to 1, or that of B; None where theory does not say.
    why
        In words.
    rate
        The growth of z for two rankers whose top items differ and stay uncertain.
    law
        That growth for these rankers: as `Rate.law`, or empty where z says nothing of P(right).
    ahead
        The ranker that separation puts ahead, "A" or "B"; empty where that is not known.
    normal
        Whether P(right) follows from z: not where the gap is mostly tiny and seldom large.
    known
        Whether the curves of the pair are known.
    """

    separates: bool | None
    why: str
    rate: Rate
    law: str = ""
    ahead: str = ""
    normal: bool = True
    known: bool = True

    @property
    def settles(self) -> bool:
        """Whether P(right) settles below 1."""
        return self.why.endswith(SETTLES)

    @property
    def open_sum(self) -> bool:
        """Whether theory is silent since numbers leave the sum of D open."""
        return self.separates is None and self.rate.separates is None


def only_ties(why: str, law: Rate) -> Foreseen:
    """Return what theory says of lists that end up tied."""
    return Foreseen(False, f"only ties: {why}", law, TIES, normal=False)


def bound(law: Rate) -> str:
    """Say whether the sum of D has a bound, and why z may stop where it has none."""
    words = {True: "has no bound", False: "is bounded", None: "is not resolved"}
    decay = law.decay
    said = f"the sum of D {words[decay.diverges]}"
    if law.fixed and decay.diverges:
        return f"{said}, but ranks count down to a fixed one only"
    if decay.limit > 0 and decay.beta > 0 and law.separates is False:
        return f"{said}, that of D above its limit {decay.limit:.3g} is bounded"
    if 0 < abs(decay.beta - 1) < CLOSE:
        return f"{said}, but within a fifth of that of 1/r to n = {apart(decay.beta):.1g}"
    return said


def apart(beta: float) -> float:
    """Return the n at which the sum of r^-beta is a fifth below that of 1/r, or 27% above it.

    Examples
    --------
    >>> f"{apart(1.005):.0e} {apart(0.5):.3f}"
    '2e+40 2.529'
    """
    with np.errstate(over="ignore"):
        return float(np.exp(APART / abs(beta - 1)))
