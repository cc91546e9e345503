"""Discriminative power: the share of pairs of systems that measures separate on the same topics.

Sakai (2006, Evaluating evaluation metrics based on the bootstrap) tests every pair, sorts the achieved
significance levels and counts those below a level. Whether one measure separates more than another
is a question of its own: it needs an interval for the difference of two such shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats, Scores, first_repeated
from ndcgstudy.inference.corrections import METHODS
from ndcgstudy.inference.designs import QUESTIONS, sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task, order_statistic
from ndcgstudy.inference.separated import Rule, separate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

RESAMPLES = 2_000
SEED = 0
AXES = ("systems", "topics", "datasets")
HALF_PAIR = 0.5  # the least half of an interval, in pairs


@dataclass(frozen=True, eq=False)
class Power:
    """How many pairs each measure separates; every array has a row a measure.

    Parameters
    ----------
    measures
        Their names; the first is the one that the others are compared with.
    p
        The p-value of each pair, uncorrected, sorted: the ASL curve, (measures, pairs).
    share, low, high
        The share of pairs separated and its interval.
    smallest
        The smallest gap of a separated pair, NaN where there is none.
    needed95, needed
        The gap from which 95% of pairs, or all of them, would be separated, each with its own
        variance: Sakai's difference required.
    difference, difference_low, difference_high
        The share less that of the first measure; these intervals hold all at once.
    design, method, level, resamples, topics
        How they were computed.
    """

    measures: tuple[str, ...]
    p: Floats
    share: Floats
    low: Floats
    high: Floats
    smallest: Floats
    needed95: Floats
    needed: Floats
    difference: Floats
    difference_low: Floats
    difference_high: Floats
    design: str
    method: str
    level: float
    resamples: int
    topics: int

    @property
    def verdicts(self) -> tuple[str, ...]:
        """What can be said of each measure against the first."""
        more, fewer = self.difference_low > 0, self.difference_high < 0
        words = np.select([more, fewer], ["separates more", "separates fewer"], "cannot be told")
        return ("-", *words[1:].tolist())

    @property
    def convention(self) -> str:
        """How the shares were computed, in one line."""
        return (
            f"{self.p.shape[1]} pairs, {self.topics} columns, design {self.design} "
            f"({QUESTIONS[self.design]}); paired t at {1 - self.level:.4g}, {METHODS[self.method]}; "
            f"differences to {self.measures[0]}, all at once at {self.level:g}; "
            f"{self.resamples} resamples"
        )

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return int(self.p.shape[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """What deserves a word: shares that no resample moves, gaps of different scales."""
        half = np.maximum(self.share - self.low, self.high - self.share)
        least = HALF_PAIR / self.pairs * (1 + 1e-9)
        still = [m for m, h in zip(self.measures, half.tolist(), strict=True) if h <= least]
        notes = [f"{name}: the share is the same in every resample" for name in still]
        if len(self.measures) > 1:
            notes.append("gaps are each on its measure's own scale: compare shares, not gaps")
        return tuple(notes)

    def table(self) -> "pd.DataFrame":
        """Return a frame with a row a measure."""
        import pandas as pd

        columns = {
            "measure": self.measures,
            "pairs": self.p.shape[1],
            "separated": self.share,
            "low": self.low,
            "high": self.high,
            "smallest_gap": self.smallest,
            "needed_gap_95": self.needed95,
            "needed_gap": self.needed,
            "difference": self.difference,
            "difference_low": self.difference_low,
            "difference_high": self.difference_high,
            "verdict": self.verdicts,
        }
        table = pd.DataFrame(columns)
        table.loc[0, ["difference", "difference_low", "difference_high"]] = np.nan
        return table

    def curve(self) -> "pd.DataFrame":
        """Return the ASL curve: measure, level, and the share of pairs whose p is at most that."""
        import pandas as pd

        levels = np.unique(np.append(np.geomspace(1e-4, 0.1, 61), 1 - self.level).round(12))
        rows = [np.searchsorted(p, levels, side="right") / len(p) for p in self.p]
        names = np.repeat(np.array(self.measures, dtype=object), len(levels))
        at = np.tile(levels, len(rows))
        return pd.DataFrame({"measure": names, "level": at, "share": np.concatenate(rows)})

    def plot(self, ax: "Axes") -> "Axes":
        """Draw the ASL curves."""
        return draw_curves(self.curve(), ax, at=1 - self.level)


def draw_curves(curve: "pd.DataFrame", ax: "Axes", at: float = 0.05) -> "Axes":
    """Draw the share of pairs at or below each p-value, a line a measure: the higher, the sharper."""
    from ndcgstudy.figures import GREY, lines, look

    ax.set_xscale("log")
    ax.set_xlim(curve["level"].min(), curve["level"].max())
    least, most = curve["share"].min(), curve["share"].max()
    room = 0.06 * (most - least) + 0.01
    ax.set_ylim(max(0.0, least - room), min(1.0, most + room))
    ax.axvline(at, color=GREY, lw=0.8, ls=":")
    ax.set_xlabel("p-value of the pair (paired t, uncorrected)")
    ax.set_ylabel("share of pairs at or below")
    names = dict.fromkeys(curve["measure"])
    looks = {name: {**look(i), "markevery": (3 * i % 10, 10)} for i, name in enumerate(names)}
    return lines(curve, ax, x="level", y="share", by="measure", looks=looks)


def discriminative_power(
    scores: Sequence[Scores],
    *,
    level: float = 0.95,
    method: str = "none",
    design: str | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Power:
    """Return the share of pairs that each measure separates, and its difference to the first's.

    Every pair gets a paired t-test. The same topics are drawn anew for all measures. A resample has
    gaps that the sample's noise widened once already, so that more pairs would be separated in it
    than in the sample. Before resampling all gaps are therefore shrunk by the factor
    sqrt(1 - mean variance of a gap / mean squared gap), which leaves them spread as the true ones
    are. The interval is the share ± c t/z sd*, with sd* over resamples, c the order statistic of
    |share* - mean share*| / sd* (its maximum over measures for differences), and t/z the ratio of the
    quantiles of t and normal for the degrees of freedom; it is at least half a pair wide each way.

    Parameters
    ----------
    scores
        One matrix a measure, all of the same systems and topics; the first is the one to compare with.
    level
        A pair is separated where p is at most 1 - level; and of the intervals.
    method
        "none" for each pair by itself, or the correction over pairs: "holm", "bh", "bonferroni".
    design
        A key of `QUESTIONS`, see `sample_of`.
    rng
        By default a generator with seed 0.

    Raises
    ------
    ValueError
        As `sample_of`, or if there is no matrix, two are not of the same systems and topics or have
        one name, the method is unknown, or the level is none or more than the resamples can resolve.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> fine = np.linspace(0.2, 0.8, 8)[:, None] + rng.normal(0, 0.2, (8, 40))
    >>> coarse = fine + rng.normal(0, 0.8, (8, 40))
    >>> names = tuple("abcdefgh"), tuple(map(str, range(40)))
    >>> found = discriminative_power([Scores(fine, *names, "A"), Scores(coarse, *names, "B")])
    >>> found.share.round(2), found.verdicts
    (array([0.86, 0.25]), ('-', 'separates fewer'))
    """
    _check(scores, method)
    samples = [sample_of(matrix, design) for matrix in scores]
    family = Family("each", len(samples[0].systems))
    rng = np.random.default_rng(SEED) if rng is None else rng
    tasks = [Task(sample, family, level, resamples, rng) for sample in samples]
    seen = [separate(task, Rule(method, 1 - level)) for task in tasks]
    draws = list(tasks[0].counts())  # the same topics for all measures
    drawn = np.array([found.shares(draws) for found in seen])
    wider = _wider(float(seen[0].freedom.mean()), level)
    alone = np.array([_half(row[None, :], level) for row in drawn])[:, 0] * wider
    apart = np.append([0.0], _half(drawn[1:] - drawn[:1], level) * wider)
    pair = HALF_PAIR / len(family.pairs[0])  # shares have steps
    alone, apart[1:] = np.maximum(alone, pair), np.maximum(apart[1:], pair)
    share = np.array([found.share for found in seen])
    difference = share - share[0]
    return Power(
        measures=tuple(matrix.measure for matrix in scores),
        p=np.array([np.sort(found.p) for found in seen]),
        share=share,
        low=np.maximum(share - alone, 0),
        high=np.minimum(share + alone, 1),
        smallest=np.array([found.smallest for found in seen]),
        needed95=np.array([np.quantile(found.needed, 0.95) for found in seen]),
        needed=np.array([found.needed.max() for found in seen]),
        difference=difference,
        difference_low=np.maximum(difference - apart, -1),
        difference_high=np.minimum(difference + apart, 1),
        design=samples[0].design,
        method=method,
        level=level,
        resamples=resamples,
        topics=samples[0].values.shape[1],
    )


def _check(scores: Sequence[Scores], method: str) -> None:
    if method not in METHODS:
        raise ValueError(f"unknown method {method!r}{nearest(method, [*METHODS])}")
    if not scores:
        raise ValueError("`scores` must hold a matrix or more, got none")
    names = [matrix.measure for matrix in scores]
    if twice := first_repeated(names):
        raise ValueError(f"measure {twice!r} stands twice")
    first = scores[0]
    for other in scores[1:]:
        if any(getattr(other, axis) != getattr(first, axis) for axis in AXES):
            raise ValueError(
                f"{first.measure} and {other.measure} are not there for the same systems and topics"
            )


def _wider(freedom: float, level: float) -> float:
    """Return how much wider an interval by t is than one by the normal law."""
    from scipy.special import stdtrit

    upper = (1 + level) / 2
    return float(stdtrit(freedom, upper) / NormalDist().inv_cdf(upper))


def _half(drawn: Floats, level: float) -> Floats:
    """Return c sd of each row, c such that all rows at once stay within it of their means."""
    off = drawn - drawn.mean(axis=1, keepdims=True)
    spread: Floats = off.std(axis=1)
    if spread.any():
        top = (np.abs(off[spread > 0]) / spread[spread > 0, None]).max(axis=0)
        spread = spread * order_statistic(top, level)
    return spread
