"""Whether a discount separates two rankers: what theory says, what the data say, and if they agree.

The critical rate is z = log n, whose exponent d log z / d log n is 1/log n. Data speak through the
exponent over the largest decades: its interval lies above that of log(n/10) (faster than critical,
however late z starts to grow), below 1/log n (slower: z stops, as far as one can see), around them
but above 0 (like critical), or does not tell.
Theory speaks through the sum of D, of two rankers whose top items differ. Where neither speaks, or
the draws do not bear theory out (z is not told from 0, or falls), the verdict is "not resolved below
n = ...". Where both rankers are expected to reach the same, there is nothing to separate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Discount
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.rates import Rate, rate

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]
DECADES = 3.0  # the exponent is measured over the last so many
LEVEL = 1.96
LATE = 10.0  # 1/r has z like log(n/4): in finite lists its exponent lies above that of log n
NONE = 1e-9  # an expected z that is 0 but for rounding


class Finding(StrEnum):
    """What becomes of the separation of two rankers as their list grows."""

    SEPARATES = "separates"
    CRITICAL = "critical"
    STOPS = "stops separating"
    TIES = "only ties"
    ALIKE = "nothing to separate"
    UNRESOLVED = "not resolved"


class Growth(StrEnum):
    """What data alone say of the growth of z, against the critical rate log n."""

    FASTER = "faster than log n"
    LIKE = "like log n"
    SLOWER = "slower than log n"
    UNTOLD = "not told"


@dataclass(frozen=True)
class Verdict:
    """A finding and its evidence.

    Parameters
    ----------
    finding
        One of `Finding`.
    predicted
        The rate of z by theory, with its law and whether the sum of D diverges.
    growth
        What data alone say.
    n
        The largest list looked at.
    exponent, low, high
        The measured exponent of z over the last `DECADES` and its 95% interval.
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
    predicted: Rate
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
    def confirmed(self) -> bool:
        """Whether the data by themselves say what the finding says."""
        says = {
            Finding.SEPARATES: Growth.FASTER,
            Finding.CRITICAL: Growth.LIKE,
            Finding.STOPS: Growth.SLOWER,
        }
        certain = self.finding in (Finding.TIES, Finding.ALIKE)
        return certain or says.get(self.finding) == self.growth

    @property
    def reversed(self) -> bool:
        """Whether B is ahead: z is below 0 by over 3 standard errors."""
        return self.z < -3 * self.z_se

    def __str__(self) -> str:
        return f"{self.discount}: {self._headline()}; {self._evidence()}"

    def _headline(self) -> str:
        law, finding = self.predicted.law, str(self.finding)
        if self.reversed and self.finding in (Finding.SEPARATES, Finding.CRITICAL):
            finding += " with B ahead"
        match self.finding:
            case Finding.UNRESOLVED if self.predicted.separates:
                return f"not resolved below n = {self.n:.3g} (theory: z like {law})"
            case Finding.UNRESOLVED:
                return f"not resolved below n = {self.n:.3g}"
            case Finding.SEPARATES if not self.predicted.separates or self.predicted.critical:
                return f"{finding}, z like n^{self.exponent:.2f} as measured (theory: {law})"
            case Finding.SEPARATES | Finding.CRITICAL:
                return f"{finding}, z like {law}"
            case Finding.ALIKE:
                return f"{finding}, no gap expected between these rankers"
        return finding

    def _sum(self) -> str:
        """Say whether the sum of D has a bound, and why z may stop where it has none."""
        words = {True: "has no bound", False: "is bounded", None: "is not resolved"}
        decay = self.predicted.decay
        said = f"the sum of D {words[decay.diverges]}"
        if self.predicted.fixed:
            return f"{said}, but ranks count down to a fixed one only" if decay.diverges else said
        if decay.limit > 0 and decay.beta > 0 and self.predicted.separates is False:
            return f"{said}, that of D above its limit {decay.limit:.3g} is bounded"
        return said

    def _evidence(self) -> str:
        parts = [self._sum()]
        if np.isfinite(self.exponent):
            parts.append(f"exponent of z {self.exponent:.3f} [{self.low:.3f}, {self.high:.3f}]")
        interval = f"[{self.p_right_low:.3f}, {self.p_right_high:.3f}]"
        tied = f", tied {self.p_tied:.3f}" if self.p_tied >= 0.0005 else ""
        parts.append(f"P(right) {self.p_right:.3f} {interval}{tied} at n = {self.n:.3g}")
        wrong = {True: "wrong prefix", False: "wrong n (drawn apart)", None: "wrong n"}
        parts.append(f"last {wrong[self.nested]} {self.last_wrong:.3g} (95%)")
        if np.isfinite(self.expected_z):
            parts.append(f"z {self.z:.3g}, {self.expected_z:.3g} expected")
        if self.surprising and abs(self.z) > abs(self.expected_z):
            parts.append("gaps too rare for so few replicates make up the spread")
        elif self.surprising:
            parts.append("theory and draws disagree")
        if not self.confirmed and self.finding != Finding.UNRESOLVED:
            parts.append(f"the data alone do not tell below n = {self.n:.3g}")
        return ", ".join(parts)


def decide(
    discount: Discount, rows: "pd.DataFrame", *, cutoff: Cutoff | str | int | None = None
) -> Verdict:
    """Return the verdict of one discount from its rows of `summarise`.

    Raises
    ------
    ValueError
        If there are no rows.
    """
    if rows.empty:
        raise ValueError(f"no figures of discount {discount} to decide from")
    rows = rows.sort_values("n")
    predicted, last = rate(discount, cutoff=cutoff), rows.iloc[-1]
    exponent, low, high = exponent_of(rows)
    growth = _growth(exponent, low, high, _span(rows["n"]))
    told = bool(abs(last["z"]) > 2 * last["z_se"])
    return Verdict(
        discount=str(rows["discount"].iloc[0]),
        finding=_certain(rows) or _finding(predicted, growth, told=told, falls=high < 0),
        predicted=predicted,
        growth=growth,
        n=int(last["n"]),
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


def exponent_of(rows: "pd.DataFrame") -> tuple[float, float, float]:
    """Return the exponent of z over the largest decades, and its 95% interval.

    The slope of log |z| over log n by weighted least squares, weights from the standard errors of z,
    taken as independent: right for lists drawn apart; the errors of nested prefixes go together, so
    that the interval is too wide. NaN where z is within two standard errors of 0 or there are fewer
    than two n.
    """
    nothing = float("nan"), float("nan"), float("nan")
    rows = rows[rows["n"] >= rows["n"].max() / 10**DECADES * 0.99]
    z, error = rows["z"].abs().to_numpy(dtype=float), rows["z_se"].to_numpy(dtype=float)
    if len(rows) < 2 or not (np.isfinite(z) & np.isfinite(error) & (z > 2 * error)).all():
        return nothing
    x, y = np.log(rows["n"].to_numpy(dtype=float)), np.log(z)
    weights = (z / np.maximum(error, 1e-12 * z)) ** 2
    x = x - np.average(x, weights=weights)
    scatter = float(weights @ x**2)
    slope, half = float(weights @ (x * y)) / scatter, LEVEL / scatter**0.5
    return slope, slope - half, slope + half


def _span(ns: "pd.Series[Any]") -> tuple[float, float]:
    """Return the first and last n over which the exponent is measured."""
    last = float(ns.max())
    return float(ns[ns >= last / 10**DECADES * 0.99].min()), last


def _growth(exponent: float, low: float, high: float, span: tuple[float, float]) -> Growth:
    """Compare an exponent with those of log n and of log(n/10) over the same range of n."""
    if not np.isfinite(exponent):
        return Growth.UNTOLD
    first, last = np.log(span)
    critical = np.log(last / first) / (last - first)
    if low > _latest(first, last):
        return Growth.FASTER
    if high < critical:
        return Growth.SLOWER
    return Growth.LIKE if low > 0 else Growth.UNTOLD


def _latest(first: float, last: float) -> float:
    """Return the exponent of log n from a late start, n = 10, between two logarithms of n."""
    late = np.log(LATE)
    if first <= late:
        return float("inf")
    return float(np.log((last - late) / (first - late)) / (last - first))


def _certain(rows: "pd.DataFrame") -> Finding | None:
    """Return what needs no theory of discounts: lists that only tie, rankers that are alike."""
    if (rows["p_tied"] == 1).all():
        return Finding.TIES
    if "expected_z" in rows and (rows["expected_z"].abs() <= NONE).all():
        return Finding.ALIKE
    return None


def _finding(predicted: Rate, growth: Growth, *, told: bool, falls: bool) -> Finding:
    """Let theory decide unless the data oppose it; where it is silent only fast growth decides.

    `told` is whether z differs from 0 in the largest list, `falls` whether it falls with n.
    """
    if predicted.separates is None:
        return Finding.SEPARATES if growth == Growth.FASTER else Finding.UNRESOLVED
    if predicted.separates is False or predicted.critical:
        if growth == Growth.FASTER:  # as where the top items of both rankers are the same
            return Finding.SEPARATES
        if predicted.separates is False:
            return Finding.STOPS
        return Finding.CRITICAL if told and not falls else Finding.UNRESOLVED
    return Finding.SEPARATES if told and growth != Growth.SLOWER else Finding.UNRESOLVED


def decide_all(
    discounts: Sequence[Discount],
    table: "pd.DataFrame",
    *,
    cutoff: Cutoff | str | int | None = None,
) -> Mapping[str, Verdict]:
    """Return the verdicts of several discounts from the table of `summarise`."""
    parts = {str(d): (d, table[table["discount"] == str(d)]) for d in discounts}
    return {name: decide(d, rows, cutoff=cutoff) for name, (d, rows) in parts.items()}
