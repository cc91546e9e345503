"""Planning: topics that a gap needs to be separated, and the gap that a number of topics can separate.

The paired t-test on T topics finds a true gap with a power that follows from the noncentral t law and
the standard deviation over topics of the difference of two systems. That differs from pair to pair: a
plan takes the median pair, the pair at the 90th percentile, and neighbours on the leaderboard.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.checks import nearest, number
from ndcgstudy.data import Floats, Scores
from ndcgstudy.inference.components import Components, components
from ndcgstudy.inference.designs import QUESTIONS, sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task, means_and_variances
from ndcgstudy.inference.noncentral import gap_for, t_power, topics_for
from ndcgstudy.inference.planned_test import PlannedTest, at_once, single
from ndcgstudy.inference.samples import Sample
from ndcgstudy.inference.separated import shrinkage

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

RESAMPLES = 1_000
SEED = 0
FAMILIES = ("each", "all")
PAIRS = ("median pair", "90th percentile", "median neighbours")


@dataclass(frozen=True, eq=False)
class Plan:
    """What a matrix of scores says of an evaluation to come; arrays have an entry a kind of pair.

    Parameters
    ----------
    sd, sd_low, sd_high
        Standard deviation over topics of the difference, for each of `PAIRS`, and its interval.
    topics, topics_low, topics_high
        The topics that find the gap with the power, from those; NaN where no gap was asked about.
    gap, gap_low, gap_high
        The smallest gap that the planned topics find with the power.
    share
        The share of all pairs that the planned topics are expected to separate.
    components
        The variance components of the matrix.
    asked, planned
        The gap that was asked about, NaN if none, and the topics planned.
    test
        The test that the plan is for.
    critical
        What |t| must reach at the planned topics; for "all" pairs on the scale of shrunken variances.
    measure, design, unit, family, power, level, resamples, sampled
        How they were computed; `sampled` are the topics of the matrix. With design "means" data sets
        (the `unit`) stand for topics throughout.
    """

    sd: Floats
    sd_low: Floats
    sd_high: Floats
    topics: Floats
    topics_low: Floats
    topics_high: Floats
    gap: Floats
    gap_low: Floats
    gap_high: Floats
    share: float
    components: Components
    asked: float
    planned: int
    test: PlannedTest
    critical: float
    measure: str
    design: str
    unit: str
    family: str
    power: float
    level: float
    resamples: int
    sampled: int

    @property
    def convention(self) -> str:
        """How the plan was made, in one line."""
        test = "paired t" if self.family == "each" else "shrunken max-t over all pairs"
        return (
            f"{self.measure}, planned from {self.sampled} {self.unit}, design {self.design} "
            f"({QUESTIONS[self.design]}); {test} at level {self.level:g} with power {self.power:g}; "
            f"intervals from {self.resamples} resamples of {self.unit}"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The expected share of pairs separated, and the variance components."""
        return (
            f"{self.planned} {self.unit} are expected to separate {self.share:.1%} of all pairs; "
            f"reliability of their means {self.components.reliability(self.planned):.3f}",
            f"variance of a score: {self.components}",
        )

    def plot(self, ax: "Axes") -> "Axes":
        """Draw the smallest gap that is found against the number of topics."""
        from ndcgstudy.inference.drawing_plan import draw_plan

        return draw_plan(self, ax)

    def table(self) -> "pd.DataFrame":
        """Return a frame with a row a kind of pair."""
        import pandas as pd

        return pd.DataFrame(
            {
                "pair": PAIRS,
                "sd": self.sd,
                "sd_low": self.sd_low,
                "sd_high": self.sd_high,
                "gap": self.asked,
                "topics_needed": self.topics,
                "topics_low": self.topics_low,
                "topics_high": self.topics_high,
                "topics_planned": self.planned,
                "smallest_gap": self.gap,
                "gap_low": self.gap_low,
                "gap_high": self.gap_high,
            }
        )


def plan(
    scores: Scores,
    *,
    gap: float | None = None,
    topics: int | None = None,
    power: float = 0.8,
    level: float = 0.95,
    family: str = "each",
    design: str | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Plan:
    """Plan an evaluation from the scores of an earlier one.

    The interval of a standard deviation is exp(log sd ± t sd*), sd* that of the resampled log sd. The
    share of pairs expected to be separated takes the gaps of the matrix, shrunk by `shrinkage` to be
    spread as true gaps are, each with its own variance.

    Parameters
    ----------
    scores
        Systems like those to come, on topics like those to come.
    gap
        The gap to find, above 0.
    topics
        How many topics are planned, 2 at least; by default as many as the matrix has.
    power
        The probability to find it, above 1 - level.
    family
        "each" pair by itself, or "all" pairs at once.
    design
        "topics" or "means" (then data sets stand for topics), see `sample_of`.

    Raises
    ------
    ValueError
        As `sample_of`, or if a parameter lies outside its range or the design is another.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = np.linspace(0.3, 0.6, 5)[:, None] + rng.normal(0, 0.1, (5, 50))
    >>> matrix = Scores(values, tuple("abcde"), tuple(map(str, range(50))), "nDCG@10")
    >>> plan(matrix, gap=0.05).topics
    array([63., 86., 62.])
    """
    sample = _simple(sample_of(scores, design))
    sampled = sample.values.shape[1]
    planned = sampled if topics is None else topics
    _check(gap, planned, power, level, family)
    rng = np.random.default_rng(SEED) if rng is None else rng
    task = Task(sample, Family("all", len(sample.systems)), level, resamples, rng)
    gaps, variances = means_and_variances(task)
    every = np.sqrt(variances * sampled)
    test = single(level) if family == "each" else at_once(task, float((every**2).mean()))
    at = test.critical(planned)
    shrunk = gaps * shrinkage(gaps, variances)
    sds = _deviations(task, every)
    ratios = test.ratio(sds[0])
    return Plan(
        **_ends("sd", sds),
        **_ends(
            "topics",
            _outward(_of_each(sds, ratios, lambda sd, r: _needed(gap, sd, r, test, power))),
        ),
        **_ends("gap", _of_each(sds, ratios, lambda sd, r: gap_for(planned, sd, at * r, power))),
        share=float(t_power(shrunk, every, planned, at * test.ratio(every)).mean()),
        components=components(sample.values),
        asked=np.nan if gap is None else gap,
        planned=planned,
        test=test,
        critical=at,
        measure=scores.measure,
        design=sample.design,
        unit=sample.unit,
        family=family,
        power=power,
        level=level,
        resamples=resamples,
        sampled=sampled,
    )


def _of_each(
    sds: Sequence[Floats], ratios: Floats, solved: Callable[[float, float], float]
) -> list[list[float]]:
    """Solve for each deviation, an estimate or an end of it, and its pair's ratio."""
    return [[solved(sd, r) for sd, r in zip(row, ratios, strict=True)] for row in sds]


def _outward(rows: Sequence[Sequence[float]]) -> list[Floats]:
    """Put the ends of whole numbers, all rounded up, at least 1 from the estimate; 2 is the least."""
    topics, low, high = map(np.asarray, rows)
    return [topics, np.maximum(np.minimum(low, topics - 1), 2), np.maximum(high, topics + 1)]


def _ends(name: str, rows: Sequence[Any]) -> dict[str, Any]:
    """Name the rows of an estimate and its interval."""
    names = (name, f"{name}_low", f"{name}_high")
    return {key: np.array(row) for key, row in zip(names, rows, strict=True)}


def _check(gap: float | None, topics: int, power: float, level: float, family: str) -> None:
    number("gap", 1.0 if gap is None else gap, above=0)
    number("topics", topics, at_least=2, whole=True)
    number("level", level, above=0, below=1)
    number("power", power, above=1 - level, below=1)
    if family not in FAMILIES:
        raise ValueError(f"unknown family {family!r}{nearest(family, [*FAMILIES])}")


def _simple(sample: Sample) -> Sample:
    if sample.design not in ("topics", "means"):
        raise ValueError(
            f"a plan is for topics of one collection or for means of data sets, not for design "
            f"{sample.design!r}: plan each data set by itself, or name design topics"
        )
    return sample


def _needed(gap: float | None, sd: float, ratio: float, test: PlannedTest, power: float) -> float:
    if gap is None:
        return np.nan
    return topics_for(gap, sd, lambda topics: test.critical(topics) * ratio, power)


def _deviations(task: Task, every: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the standard deviations of the kinds of pairs and their intervals' ends."""
    from scipy.special import stdtrit

    drawn = np.sqrt(np.concatenate([_kinds(v, task) for v in _resampled(task)], axis=1))
    sd = _kinds(every[:, None], task)[:, 0]
    moved = np.log(np.where(drawn > 0, drawn, 1.0)).std(axis=1)
    wide = np.exp(stdtrit(task.sample.values.shape[1] - 1.0, (1 + task.level) / 2) * moved)
    return sd, sd / wide, sd * wide


def _resampled(task: Task) -> Iterator[Floats]:
    """Yield the variances of all pairs in chunks of resamples, (pairs, resamples)."""
    for counts in task.counts():
        yield np.concatenate([task.sample.moments(d, counts)[1] for d in task.blocks()])


def _kinds(spread: Floats, task: Task) -> Floats:
    """Return the middle, the 90th percentile, and the middle of neighbours, (kinds, resamples)."""
    first, second = task.family.pairs
    near = np.median(spread[second == first + 1], axis=0)
    middle, upper = np.quantile(spread, [0.5, 0.9], axis=0)
    return np.asarray([middle, upper, near])
