"""How alike two leaderboards of the same systems are, with intervals: Kendall's tau and tau_AP."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ndcgstudy.data import Floats, Scores
from ndcgstudy.inference.designs import QUESTIONS, sample_of
from ndcgstudy.inference.families import Family, Ints
from ndcgstudy.inference.gaps import RESAMPLES, SEED
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.smoothed import units
from ndcgstudy.intervals import around
from ndcgstudy.orders import kendall_tau, tau_ap

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 12  # of a mean: below them lies the noise of floats


class Interval(NamedTuple):
    """A coefficient with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


@dataclass(frozen=True)
class OrderAgreement:
    """The agreement of two orders.

    Parameters
    ----------
    measures
        What the two leaderboards measure.
    tau
        Kendall's tau-b; NaN where all means of one leaderboard are equal.
    tau_ap
        The AP correlation of the first order with the second as its reference.
    systems, topics, design, level, resamples
        How they were computed; `topics` is the number of columns.
    """

    measures: tuple[str, str]
    tau: Interval
    tau_ap: Interval
    systems: int
    topics: int
    design: str
    level: float
    resamples: int

    @property
    def convention(self) -> str:
        """How the intervals were computed and what they hold, in one line."""
        one, other = self.measures
        return (
            f"{one} and {other}, {self.systems} systems, {self.topics} columns; question: "
            f"{QUESTIONS[self.design]} design {self.design}; t times the sd over resamples, the same for "
            f"both leaderboards, level {self.level:g}, {self.resamples} resamples; agreement of "
            "leaderboards of so many columns: more columns mean less noise and, as a rule, more of it"
        )

    def table(self) -> "pd.DataFrame":
        """Return a frame: coefficient, value, low, high."""
        import pandas as pd

        rows = [("tau", *self.tau), ("tau_ap", *self.tau_ap)]
        return pd.DataFrame(rows, columns=["coefficient", "value", "low", "high"])


def agreement_of_orders(
    one: Scores,
    other: Scores,
    *,
    level: float = 0.95,
    design: str | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> OrderAgreement:
    """Compare the orders of the same systems on the same topics, by two measures or judgments.

    Topics are resampled for both at once. An interval is the coefficient -+ t times its standard
    deviation over resamples, at least half a pair of systems wide each way, within [-1, 1]. It is for
    the coefficient to be expected of leaderboards of so many topics, not of unlimited ones: noise parts
    two orders, and how far near ties would agree without it no resampling tells. Resamples are not
    where the interval lies: the noise in them comes on top of the sample's own, and parts orders further.

    Parameters
    ----------
    one, other
        The same systems and topics, in any order; `other` is the reference of tau_AP.
    design
        A key of `QUESTIONS`, see `sample_of`.
    rng
        By default a generator with seed 0.

    Raises
    ------
    ValueError
        As `sample_of`, or if systems or topics differ.

    Examples
    --------
    >>> topics = tuple(map(str, range(8)))
    >>> values = np.random.default_rng(0).normal([[0.3], [0.5], [0.7]], 0.01, size=(3, 8))
    >>> one = Scores(values, ("a", "b", "c"), topics, "nDCG@10")
    >>> print(agreement_of_orders(one, Scores(values**2, one.systems, topics, "P@5")).tau)
    1.0000 [0.6667, 1.0000]
    """
    mine = sample_of(one, design)
    yours = sample_of(_aligned(other, one), design)
    rows = [yours.systems.index(name) for name in mine.systems]
    first, second = mine.values, yours.values[rows]
    rng = np.random.default_rng(SEED) if rng is None else rng
    task = Task(mine, Family("neighbours", len(first)), level, resamples, rng)
    found = []
    for counts in task.counts():
        shares = counts * mine.weights[:, None]
        found.append(coefficients(first @ shares, second @ shares))
    taus, aps = np.concatenate(found, axis=1)
    means = [np.round(values @ mine.weights, DIGITS) for values in (first, second)]
    return OrderAgreement(
        measures=(one.measure, other.measure),
        tau=_interval(kendall_tau(*means), taus, task),
        tau_ap=_interval(tau_ap(*means), aps, task),
        systems=len(first),
        topics=first.shape[1],
        design=mine.design,
        level=level,
        resamples=resamples,
    )


def _aligned(scores: Scores, like: Scores) -> Scores:
    """Put systems and topics in the order of other scores'."""
    keys = [
        list(zip(s.datasets, s.topics, strict=True)) if s.datasets else list(s.topics)
        for s in (scores, like)
    ]
    for what, ours, theirs in (("system", scores.systems, like.systems), ("topic", *keys)):
        if lone := sorted(set(map(str, ours)) ^ set(map(str, theirs))):
            raise ValueError(f"both must score the same {what}s, but only one scores {lone[0]!r}")
    rows = [scores.systems.index(name) for name in like.systems]
    place = {key: j for j, key in enumerate(keys[0])}
    columns = [place[key] for key in keys[1]]
    values = scores.values[np.ix_(rows, columns)]
    return replace(like, values=values, measure=scores.measure)


def coefficients(x: Floats, reference: Floats) -> Floats:
    """Return tau and tau_AP of many pairs of orders at once, (2, resamples).

    As `ndcgstudy.orders` has them, but tau is 0 where one order is all ties: the mean over all ways
    to break these.

    Parameters
    ----------
    x, reference
        Means, (systems, resamples); they tie where they agree to 12 digits.
    """
    x, y = np.round(x, DIGITS), np.round(reference, DIGITS)
    n = len(x)
    agreed, untied_x, untied_y = np.zeros((3, x.shape[1]))
    above, tied, right = np.zeros((3, *x.shape))
    for i in range(n - 1):
        rest = slice(i + 1, n)
        dx, dy = np.sign(x[i] - x[rest]), np.sign(y[i] - y[rest])
        product = dx * dy
        agreed += product.sum(axis=0)
        untied_x += (dx != 0).sum(axis=0)
        untied_y += (dy != 0).sum(axis=0)
        over, under, level = dx > 0, dx < 0, dx == 0
        above[rest] += over
        above[i] += under.sum(axis=0)
        tied[rest] += level
        tied[i] += level.sum(axis=0)
        # Of a pair in order in x, the reference agrees (1), does not (0), or ties (1/2).
        half = (1 + product) / 2
        right[rest] += over * half
        right[i] += (under * half).sum(axis=0)
    scale = np.sqrt(untied_x * untied_y)
    tau = np.divide(agreed, scale, out=np.zeros_like(scale), where=scale > 0)
    return np.stack([tau, _tau_ap(above.astype(int), tied.astype(int), right)])


def _tau_ap(above: Ints, tied: Ints, right: Floats) -> Floats:
    """Return tau_AP, ties of x broken in all ways.

    A system with `above` a others and `tied` g - 1 is at each of the places a..a + g - 1 once in g;
    m of those tied come before it at a + m, m/2 of them rightly on average. So its share of those
    before it that are rightly so is the mean over m of (right + m/2)/(a + m), places above 0 alone.
    """
    n = len(above)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n + 1))])
    inverse = harmonic[above + tied] - harmonic[np.maximum(above - 1, 0)]
    places = tied + (above > 0)
    share = ((right - above / 2) * inverse + places / 2) / (tied + 1)
    return np.asarray(2 * share.sum(axis=0) / (n - 1) - 1)


def _interval(value: float, drawn: Floats, task: Task) -> Interval:
    systems, n = len(task.sample.systems), units(task.sample)
    error = drawn.std() * (n / (n - 1)) ** 0.5
    half_pair = 2 / (systems * (systems - 1))
    low, high = around(value, error, n - 1, task.level, half_pair, (-1, 1))
    return Interval(value, float(low), float(high))
