"""Whether a discount separates two rankers: one of three findings, and the evidence for it.

A finding rests on P(right) and on the last wrong length, beside what theory says of this pair
(`foreseen`); z and its growth describe, and decide nothing where theory speaks.

separates          theory sends P(right) to 1, and it shows: P(right) is expected to be .99 at the longest
                   list and the draws do not deny it, or where z says nothing of P(right) the low end of its
                   interval is .95; and 95% of replicates are wrong on no list as long. On nested prefixes
                   that is the event of Definition 5 of Wang et al. (2013), as far as was looked; for lists
                   drawn apart it asks at least as much.
stops separating   theory has P(right) settle below 1, and one can see it: at .97 at most, and the interval
                   of the draws ends below .995. Lists that only tie, and equal rankers, are among these.
not resolved       all else: theory is silent, or what it says does not show on lists of these lengths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.intervals import wilson
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.foreseen import Foreseen
from ndcgstudy.separability.growth import Growth, growth_of
from ndcgstudy.separability.resolution import SURE, expected_right, resolves_at, settled
from ndcgstudy.separability.theory import foresee
from ndcgstudy.synthetic.generator import Generator

if TYPE_CHECKING:
    import pandas as pd

LINEAR: Gain = Linear()
SHOWN = 0.95  # the low end of P(right) that shows separation where z does not say what to expect
VETO = 0.98  # P(right) whose interval ends below it is not 1, whatever was expected
BELOW = 0.97  # P(right) that can be seen to settle below 1, with ...
TOP = 0.995  # ... the interval of the draws ending below this


class Finding(StrEnum):
    """What becomes of the separation of two rankers as their list grows."""

    SEPARATES = "separates"
    STOPS = "stops separating"
    UNRESOLVED = "not resolved"


@dataclass(frozen=True)
class Verdict:
    """A finding and its evidence.

    Parameters
    ----------
    finding
        One of `Finding`.
    foreseen
        What theory says of this pair.
    why
        The reason for the finding, in words.
    resolves_at
        The list length that would resolve what is not, NaN where theory names none.
    ahead
        The ranker that is ahead, "A" or "B"; empty where that is not known.
    growth
        What the draws say of the growth of z.
    n
        The largest list looked at.
    exponent, low, high
        The measured exponent of z over the last decades and its 95% interval.
    p_right, p_right_low, p_right_high
        The share of right orders at n with its 95% Wilson interval.
    last_wrong
        The list length behind which 95% of the replicates are right, as far as was looked: for good
        where the lists are nested prefixes; where each length is drawn apart, the largest of
        independent draws in which A was not ahead.
    nested
        Whether they are nested; None where the figures do not tell.
    z, z_se, expected_z
        z at n, its standard error, and what theory expects, NaN where there is no expectation.
    p_tied
        The share of ties at n.
    """

    discount: str
    finding: Finding
    foreseen: Foreseen
    why: str
    resolves_at: float
    ahead: str
    growth: Growth
    n: int
    exponent: float
    low: float
    high: float
    p_right: float
    p_right_low: float
    p_right_high: float
    last_wrong: int
    nested: bool | None = None
    z: float = np.nan
    z_se: float = np.nan
    expected_z: float = np.nan
    p_tied: float = 0.0

    @property
    def surprising(self) -> bool:
        """Whether z is off its expectation by over 3 standard errors and a quarter of it."""
        off = abs(self.z - self.expected_z)
        return off > 3 * self.z_se and off > 0.25 * abs(self.expected_z)

    @property
    def headline(self) -> str:
        """The finding, with the growth of z or the length below which nothing is resolved."""
        if self.finding == Finding.UNRESOLVED:
            return f"not resolved below n = {_resolved(self):.3g}"
        if self.finding == Finding.STOPS:
            return str(self.finding)
        ahead = " with B ahead" if self.ahead == "B" else ""
        law = f", z like {self.foreseen.law}" if self.foreseen.law else ", whatever z does"
        return f"{self.finding}{ahead}{law}"

    def __str__(self) -> str:
        return f"{self.discount}: {self.headline}; {self.why}; {self._evidence()}"

    def _evidence(self) -> str:
        interval = f"[{self.p_right_low:.3f}, {self.p_right_high:.3f}]"
        tied = f", tied {self.p_tied:.3f}" if self.p_tied >= 0.0005 else ""
        parts = [f"P(right) {self.p_right:.3f} {interval}{tied} at n = {self.n:.3g}"]
        wrong = {True: "wrong prefix", False: "wrong n (drawn apart)", None: "wrong n"}
        parts.append(f"last {wrong[self.nested]} {self.last_wrong:.3g} (95%)")
        if np.isfinite(self.exponent):
            parts.append(f"exponent of z {self.exponent:.3f} [{self.low:.3f}, {self.high:.3f}]")
        if np.isfinite(self.expected_z):
            parts.append(f"z {self.z:.3g}, {self.expected_z:.3g} expected")
        if self.surprising and abs(self.z) > abs(self.expected_z):
            parts.append("gaps too rare for so few replicates make up the spread")
        elif self.surprising:
            parts.append("theory and draws disagree")
        return ", ".join(parts)


def _resolved(found: Verdict) -> float:
    """Return the length below which nothing is resolved."""
    return found.resolves_at if found.resolves_at > found.n else float(found.n)


def decide(
    discount: Discount,
    rows: "pd.DataFrame",
    pair: Generator,
    *,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> Verdict:
    """Return the verdict of one discount on a pair from its rows of `summarise`.

    Raises
    ------
    ValueError
        If there are no rows.
    """
    if rows.empty:
        raise ValueError(f"no figures of discount {discount} to decide from")
    rows = rows.sort_values("n")
    last, theory = rows.iloc[-1], foresee(pair, discount, cutoff=cutoff, gain=gain)
    growth, (exponent, low, high) = growth_of(rows)
    shown = _Shown.of(last, theory.ahead, falls=high < 0)
    far = settled(pair, discount, theory, cutoff=cutoff, gain=gain)
    finding = _finding(theory, shown, far)
    at = np.nan
    if finding == Finding.UNRESOLVED:
        at = resolves_at(pair, discount, theory, shown.n, far, cutoff=cutoff, gain=gain)
    return Verdict(
        discount=str(rows["discount"].iloc[0]),
        finding=finding,
        foreseen=theory,
        why=_why(finding, theory, shown, far, at),
        resolves_at=at,
        ahead=shown.ahead,
        growth=growth,
        n=shown.n,
        exponent=exponent,
        low=low,
        high=high,
        p_right=float(last["p_right"]),
        p_right_low=float(last["p_right_low"]),
        p_right_high=float(last["p_right_high"]),
        last_wrong=int(last["last_wrong_95"]),
        nested=bool(last["nested"]) if "nested" in rows else None,
        z=float(last["z"]),
        z_se=float(last["z_se"]),
        expected_z=float(last.get("expected_z", np.nan)),
        p_tied=float(last["p_tied"]),
    )


@dataclass(frozen=True)
class _Shown:
    """What the draws of the longest list show of the ranker that is ahead.

    Parameters
    ----------
    low, high
        The interval of the share of lists on which it is strictly ahead.
    expected
        That share by theory, NaN where there is no expectation.
    lasts
        Whether 95% of the replicates are wrong on no list as long.
    falls
        Whether z falls.
    """

    n: int
    ahead: str
    low: float
    high: float
    expected: float
    lasts: bool
    falls: bool

    @classmethod
    def of(cls, last: "pd.Series[float]", ahead: str, *, falls: bool) -> "_Shown":
        n, draws = int(last["n"]), float(last["replicates"])
        behind = 1 - last["p_right"] - last["p_tied"]
        ahead = ahead or ("A" if last["p_right"] >= behind else "B")
        share = last["p_right"] if ahead == "A" else behind
        low, high = wilson(share * draws, draws)
        lasts = last["last_wrong_95"] < n if ahead == "A" else bool(share >= SHOWN)
        expected = expected_right(float(last.get("expected_z", np.nan)), ahead)
        return cls(n, ahead, float(low), float(high), expected, bool(lasts), falls)

    def right(self, *, normal: bool) -> bool:
        """Say whether the ranker is all but surely ahead."""
        if normal and np.isfinite(self.expected):
            return self.lasts and self.expected >= SURE and self.high >= VETO
        return self.lasts and self.low >= SHOWN


def _finding(theory: Foreseen, shown: _Shown, far: float) -> Finding:
    """Decide by theory, where the draws show what it says; by the draws of a pair without curves."""
    if theory.separates is False:
        visible = not far > BELOW and shown.high < TOP
        return Finding.STOPS if visible else Finding.UNRESOLVED
    silent = theory.separates is None and (theory.known or theory.rate.separates is not True)
    if (
        silent
        or not shown.right(normal=theory.normal)
        or (theory.separates is None and shown.falls)
    ):
        return Finding.UNRESOLVED
    return Finding.SEPARATES


def _why(finding: Finding, theory: Foreseen, shown: _Shown, far: float, at: float) -> str:
    """Give the reason, and what would resolve the case."""
    if finding != Finding.UNRESOLVED or theory.separates is None:
        return theory.why
    if theory.separates:
        when = f" from n = {at:.1g} on" if np.isfinite(at) else ", on longer lists or more draws"
        return f"{theory.why}: theory has P(right) go to 1, as could be seen{when}"
    if not far > BELOW:
        return f"{theory.why}, which these lists do not show"
    when = f" beyond n = {at:.1g}" if np.isfinite(at) else ""
    settles = f" (at {far:.3f})" if far < SURE else " (too near to 1 to be seen)"
    return f"z stops growing{when}: {theory.why}{settles}"


def decide_all(
    discounts: Sequence[Discount],
    table: "pd.DataFrame",
    pair: Generator,
    *,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> Mapping[str, Verdict]:
    """Return the verdicts of several discounts from the table of `summarise`."""
    parts = {str(d): (d, table[table["discount"] == str(d)]) for d in discounts}
    return {
        name: decide(d, rows, pair, cutoff=cutoff, gain=gain) for name, (d, rows) in parts.items()
    }
