"""How well a discount separates two rankers as their list grows, on the same draws as log2."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ndcgstudy.card.line import Figure, Line, Section, against, short
from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain
from ndcgstudy.intervals import wilson
from ndcgstudy.separability.aggregated import aggregate
from ndcgstudy.separability.direct import Paired
from ndcgstudy.separability.expectation import Expected, expected_curve
from ndcgstudy.separability.laboratory import DECADES
from ndcgstudy.separability.summary import summarise, tally
from ndcgstudy.separability.sums import sums_for
from ndcgstudy.separability.verdict import Verdict, decide
from ndcgstudy.synthetic import Curves, Described, Reference

if TYPE_CHECKING:
    import pandas as pd

Mask = npt.NDArray[np.bool_]

BOUND = {True: "no bound", False: "bounded", None: "not resolved"}
RIGHT = "P(right)"
MOST_GRADES = 9


def separation_section(
    discount: Discount, log2: Discount, *, gain: Gain, replicates: int, rng: np.random.Generator
) -> Section:
    """Draw a pair of rankers on lists of 1e3 to 1e12 items, whole lists counted."""
    pair = pair_for(gain)
    both = (discount, log2)
    drawn = aggregate(pair, both, DECADES, replicates=replicates, rng=rng, gain=gain)
    names = ("discount", "log2")
    table = _table(drawn, names)
    verdicts = tuple(
        decide(
            part,
            _expected(table, name, expected_curve(pair, part, DECADES, gain=gain)),
            pair,
            gain=gain,
        )
        for name, part in zip(names, both, strict=True)
    )
    lines = [_sums(both, verdicts), *_growth(verdicts), *_right(drawn, table), *_z(verdicts)]
    source = (
        f"simulated: pair {pair}, whole lists, {replicates} draws of each length, the same for both; "
        "a tie is not right; 95% intervals, each by itself"
    )
    said = [_said(str(part), v) for part, v in zip(both, verdicts, strict=True)]
    said = [*dict.fromkeys(said), _beside(lines, verdicts)]
    return Section("separation", source, tuple(lines), tuple(filter(None, said)))


def pair_for(gain: Gain) -> Described:
    """Return the reference pair; with more grades where a gain is 0 at grade 1.

    Examples
    --------
    >>> from ndcgstudy.gains import GAINS
    >>> str(pair_for(GAINS.parse("linear"))), str(pair_for(GAINS.parse("binary(threshold=2)")))
    ('reference', 'curves(a=(0.1, 0.4),b=(0.25, 0.1),levels=(0.5, 0.5))')
    """
    grades = range(1, MOST_GRADES + 1)
    first = next((grade for grade in grades if float(gain(np.array([grade]))[0]) > 0), 1)
    if first == 1:
        return Reference()
    return Curves(a=(0.1, 0.4), b=(0.25, 0.1), levels=(1 / first,) * first)


def _said(discount: str, found: Verdict) -> str:
    """Say what the discount does, and why."""
    off = "; z is not as theory expects" if found.surprising else ""
    return f"{discount}: {found.headline}; {found.why}{off}"


def _beside(lines: list[Line], verdicts: tuple[Verdict, ...]) -> str:
    """Say how the two compare at each length, and by theory in the longest list."""
    mine, log2 = verdicts
    at: dict[str, list[str]] = {}
    for line in (line for line in lines if line.name == RIGHT):
        at.setdefault(line.verdict, []).append(short(line.at))
    found = (f"{against(word)} at n = {', '.join(ns)}" for word, ns in at.items())
    text = f"P(right): {'; '.join(found)}"
    ratio = mine.expected_z / log2.expected_z if log2.expected_z else np.nan
    if not np.isfinite(ratio) or ratio == 1:
        return text
    times = f"{ratio:.3g}" if ratio >= 1e-3 else short(ratio, 2)
    return f"{text}; theory gives at {short(mine.n)} a z {times} times that of log2"


def _table(drawn: Paired, names: tuple[str, ...]) -> "pd.DataFrame":
    """Summarise the replicates; names stand for discounts, since two may have one text."""
    import pandas as pd

    rows = pd.DataFrame(tally(drawn, names, DECADES))  # type: ignore[arg-type]
    return summarise(rows).assign(nested=False)


def _expected(table: "pd.DataFrame", name: str, theory: list[Expected]) -> "pd.DataFrame":
    """Return the rows of a discount with the z that theory expects."""
    rows = table[table["discount"] == name].sort_values("n")
    return rows.assign(expected_z=[found.z for found in theory])


def _sums(both: tuple[Discount, ...], verdicts: tuple[Verdict, ...]) -> Line:
    """Add up the weights to the end of the longest list, and say whether they have a bound."""
    last = DECADES[-1]
    mine, other = (
        Figure(
            sums_for(part).total(0, last) / float(part(np.array([1]))[0]),
            word=BOUND[found.foreseen.rate.decay.diverges],
        )
        for part, found in zip(both, verdicts, strict=True)
    )
    return Line(
        "sum of weights", mine, other, at=float(last), label=f"sum of weights to {short(last)}"
    )


def _growth(verdicts: tuple[Verdict, ...]) -> list[Line]:
    """Put the exponent of z in n as predicted beside that measured over the last decades."""
    mine, log2 = (Figure(v.foreseen.rate.exponent, word=v.foreseen.rate.law) for v in verdicts)
    drawn, other = (Figure(v.exponent, v.low, v.high) for v in verdicts)
    return [
        Line("exponent of z, predicted", mine, log2),
        Line("exponent of z, measured", drawn, other),
    ]


def _right(drawn: Paired, table: "pd.DataFrame") -> list[Line]:
    """Compare how often each discount puts the better ranker ahead, list length by list length."""
    columns = ["p_right", "p_right_low", "p_right_high"]
    parts = [table[table["discount"] == name].sort_values("n") for name in ("discount", "log2")]
    figures = [[Figure.of(row) for row in part[columns].to_numpy().tolist()] for part in parts]
    right, gap = drawn.ahead == 1, drawn.gap
    return [
        Line(
            *(RIGHT, mine, other, _apart(right[..., k], gap[..., k]), float(n)),
            label=f"{RIGHT} at n = {short(n)}",
        )
        for k, (n, mine, other) in enumerate(zip(DECADES, *figures, strict=True))
    ]


def _apart(right: Mask, gap: npt.NDArray[np.float64]) -> Figure:
    """Return the difference of two shares of right orders; none where the scores are the same."""
    if (np.abs(gap[:, 0] - gap[:, 1]) <= 1e-12).all():
        return Figure(0.0, 0.0, 0.0)
    return paired_difference(right[:, 0], right[:, 1])


def _z(verdicts: tuple[Verdict, ...]) -> list[Line]:
    """Compare the signal to the noise in the longest list, drawn and expected.

    Without intervals: where rare gaps make up the noise, the replicates do not tell how rare they are.
    """
    last = float(DECADES[-1])
    drawn = (Figure(v.z) for v in verdicts)
    expected = (Figure(v.expected_z) for v in verdicts)
    return [
        Line(f"z, {what}", mine, log2, at=last, label=f"z at n = {short(last)}, {what}")
        for what, (mine, log2) in (("drawn", drawn), ("expected", expected))
    ]


def paired_difference(first: Mask, second: Mask, level: float = 0.95) -> Figure:
    """Return the difference of two shares of the same trials with its interval.

    Wilson's intervals of both shares are squared and added, less what their correlation takes away
    (Newcombe 1998, Improved confidence intervals for the difference between binomial proportions
    based on paired data, method 10). The interval keeps its width where no trial tells the two apart.

    Parameters
    ----------
    first, second
        Shape (trials,): the successes of each.

    Examples
    --------
    >>> first, second = np.repeat([[1, 1, 0], [1, 0, 1]], [36, 12, 2], axis=1).astype(bool)
    >>> [round(x, 4) for x in paired_difference(first, second)[:3]]
    [0.2, 0.0569, 0.3404]
    """
    trials = len(first)
    shares = np.array([first.mean(), second.mean()])
    low, high = wilson(shares * trials, trials, level)
    below, above = shares - low, high - shares
    gap = float(shares[0] - shares[1])
    common = 2 * _correlation(first, second)
    under = below[0] ** 2 - common * below[0] * above[1] + above[1] ** 2
    over = below[1] ** 2 - common * below[1] * above[0] + above[0] ** 2
    return Figure(gap, gap - float(under) ** 0.5, gap + float(over) ** 0.5)


def _correlation(first: Mask, second: Mask) -> float:
    """Return the correlation of two rows of successes, a positive one corrected for continuity."""
    trials = len(first)
    one, two = int(first.sum()), int(second.sum())
    both = int((first & second).sum())
    spread = one * (trials - one) * two * (trials - two)
    excess = float(both * trials - one * two)
    if excess > 0:
        excess = max(excess - trials / 2, 0.0)
    return excess / float(spread) ** 0.5 if spread else 0.0
