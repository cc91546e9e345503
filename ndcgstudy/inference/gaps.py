"""Gaps between systems, each with its interval, and whether it is separated from 0."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats, Scores
from ndcgstudy.inference.cautions import cautions, with_ends
from ndcgstudy.inference.designs import QUESTIONS, sample_of
from ndcgstudy.inference.families import FAMILIES, Family
from ndcgstudy.inference.methods import Bounds, Task, coherent, means_and_variances
from ndcgstudy.inference.registered import METHODS, method_for
from ndcgstudy.words import many

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

RESAMPLES = 10_000
SEED = 0


@dataclass(frozen=True, eq=False)
class Gaps:
    """Gaps with their intervals; pairs are positions in `systems`, which are ranked, best first.

    Parameters
    ----------
    systems, means
        Names and mean scores, (systems,).
    first, second
        The systems of each pair, (pairs,); the first is ranked above the second.
    gap, low, high, p
        Difference of means, its interval and its p-value, (pairs,). Where a method has no variance to
        work with nothing bounds the gap: the interval has no ends and p is 1.
    separated
        Which gaps are significant: p is at most 1 - level, and the interval leaves out 0 (that of
        "step-down" may end there).
    degenerate
        Pairs whose difference is the same on every topic.
    measure, design, family, method, level, resamples, topics
        How they were computed; `topics` is the number of columns.
    cautions
        Where the calibration study found that the method does not hold on boards like this one.
    instead
        Which method has ends where intervals of this one have none.
    """

    systems: tuple[str, ...]
    means: Floats
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    gap: Floats
    low: Floats
    high: Floats
    p: Floats
    separated: npt.NDArray[np.bool_]
    degenerate: npt.NDArray[np.bool_]
    measure: str
    design: str
    family: str
    method: str
    level: float
    resamples: int
    topics: int
    cautions: tuple[str, ...] = ()
    instead: str = ""

    @property
    def share(self) -> float:
        """The share of the pairs that are separated."""
        return float(self.separated.mean())

    @property
    def unit(self) -> str:
        """What was drawn, in the plural."""
        return "data sets" if self.design in ("means", "random") else "topics"

    @property
    def convention(self) -> str:
        """How the intervals were computed and what they answer, in one line."""
        unit = "data sets" if self.design == "means" else "topics"
        return (
            f"{self.measure} on {self.topics} {unit}; asked (design {self.design}): "
            f"{QUESTIONS[self.design]} {many(len(self.gap), 'pair')}, {FAMILIES[self.family]}; method "
            f"{self.method}: {METHODS[self.method].about}; level {self.level:g}, "
            f"{self.resamples} resamples"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the method was measured not to hold, intervals without end, and pairs that do not vary."""
        notes = list(self.cautions)
        endless = np.isinf(self.high - self.low)
        if count := int(self.degenerate.sum()):
            pairs = many(len(self.gap), "pair")
            idle = endless[self.degenerate].all()
            why = ": without a variance their intervals have no ends" if idle else ""
            notes.append(f"{count} of {pairs} differ by the same on every topic{why}")
        if count := int((endless & ~self.degenerate).sum()):
            notes.append(
                f"{many(count, 'interval')} without end: of so few {self.unit} a resample often holds "
                f"one alone{self.instead}"
            )
        return tuple(notes)

    def table(self) -> "pd.DataFrame":
        """Return a frame: system_a, system_b, mean_a, mean_b, gap, low, high, p, separated."""
        import pandas as pd

        names = np.array(self.systems, dtype=object)
        return pd.DataFrame(
            {
                "system_a": names[self.first],
                "system_b": names[self.second],
                "mean_a": self.means[self.first],
                "mean_b": self.means[self.second],
                "gap": self.gap,
                "low": self.low,
                "high": self.high,
                "p": self.p,
                "separated": self.separated,
            }
        )

    def plot(self, ax: "Axes") -> "Axes":
        """Draw the gaps to the best system, or neighbours' where these were asked for; else a map."""
        from ndcgstudy.inference.drawing import draw_gaps

        return draw_gaps(self, ax)


def gaps(
    scores: "Scores | pd.DataFrame",
    *,
    level: float = 0.95,
    family: str = "all",
    method: str | None = None,
    design: str | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Gaps:
    """Return the gaps between systems with intervals.

    Parameters
    ----------
    scores
        A `Scores`, or a frame topics x systems, whose index may be of (data set, topic).
    level
        Of confidence, of each interval (family "each") or of all of a family at once.
    family
        "all", "best", "neighbours", or "each": which pairs, and what the level is of.
    method
        A key of `METHODS`; by default "smoothed-t" for "each" and "shrunken" else, as the calibration
        study chose.
    design
        A key of `QUESTIONS`, see `sample_of`.
    resamples
        How many there are, at least 2/(1 - level) - 1; the more, the less the intervals depend on the
        seed.
    rng
        By default a generator with seed 0.

    Raises
    ------
    ValueError
        As `sample_of`, or if a name is unknown, the method does not fit the family, the level lies
        outside (0, 1), or there are fewer resamples than the level can resolve.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.9, 0.6], [0.4, 0.7, 0.7, 0.5]])
    >>> found = gaps(Scores(values, ("a", "b"), ("q1", "q2", "q3", "q4"), "nDCG@10"), family="each")
    >>> found.gap.round(3), found.low.round(3), found.separated
    (array([0.1]), array([-0.03]), array([False]))
    """
    Family(family, 2)
    name, how = method_for(method, family)
    matrix = as_scores(scores)
    sample = sample_of(matrix, design)
    pairs = Family(family, len(sample.systems))
    task = Task(
        sample, pairs, level, resamples, np.random.default_rng(SEED) if rng is None else rng
    )
    return gathered(task, how.find(task), name, matrix.measure)


def gathered(task: Task, bounds: Bounds, method: str, measure: str) -> Gaps:
    """Put together what a method found of a task's pairs and how."""
    sample, (first, second) = task.sample, task.family.pairs
    gap, variances = means_and_variances(task)
    agreed = coherent(bounds, task.level)
    return Gaps(
        systems=sample.systems,
        means=sample.means,
        first=first,
        second=second,
        gap=gap,
        low=agreed.low,
        high=agreed.high,
        p=agreed.p,
        separated=np.asarray(agreed.separated, dtype=bool),
        degenerate=variances == 0,
        measure=measure,
        design=sample.design,
        family=task.family.name,
        method=method,
        level=task.level,
        resamples=task.resamples,
        topics=sample.values.shape[1],
        cautions=cautions(task, method),
        instead=with_ends(task, METHODS[method].together),
    )


def as_scores(scores: "Scores | pd.DataFrame", measure: str = "score") -> Scores:
    """Turn a frame into `Scores`, as `frame_scores` reads it; leave `Scores` as they are.

    Raises
    ------
    ValueError
        If it is neither, or the frame cannot be read.
    """
    if isinstance(scores, Scores):
        return scores
    import pandas as pd

    if not isinstance(scores, pd.DataFrame) or scores.index.nlevels > 2:
        found = type(scores).__name__
        raise ValueError(
            "`scores` must be a `Scores`, or a frame of topics x systems with topics or (data set, "
            f"topic) as its index, got {found}"
        )
    from ndcgstudy.formats.scoreframes import frame_scores

    return frame_scores(scores, measure)
