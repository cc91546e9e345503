"""Ranks with confidence sets: where each system may truly stand, and which may be first.

The set of a system's rank runs from 1 + the number of systems separated above it to the number of
systems less those separated below it (Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for ranks
with applications to mobility across neighbourhoods and academic achievement across countries).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats, Scores
from ndcgstudy.inference.critical import SCALES, antisymmetric, statistics
from ndcgstudy.inference.designs import QUESTIONS, sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.gaps import RESAMPLES, SEED, Gaps, as_scores, gathered
from ndcgstudy.inference.largest import largest
from ndcgstudy.inference.letters import letters
from ndcgstudy.inference.methods import Bools, Task, order_statistic
from ndcgstudy.inference.ranked_means import ranked_means
from ndcgstudy.inference.registered import METHODS, method_for
from ndcgstudy.inference.samples import NOISE, Sample
from ndcgstudy.inference.simultaneous import beyond

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Ints = npt.NDArray[np.int64]

FAMILIES = {
    "simultaneous": "all systems' sets hold at once",
    "marginal": "each system's set by itself",
}


@dataclass(frozen=True, eq=False)
class Ranks:
    """Systems, ranked, with the confidence sets of their ranks; arrays are (systems,).

    Parameters
    ----------
    systems, means
        Names and mean scores, the best first; equal means stand in the order they were given.
    estimate
        The mean corrected for its rank: the mean of the system that comes first is too high, that of
        the last too low.
    low, high
        The interval of the true mean of the system that came to this rank, see `ranked_means`.
    rank
        1 + the number of systems with a higher mean: equal means (to 1e-12) share the better rank.
    rank_low, rank_high
        The set of the rank, from best to worst.
    tied_for_first
        Whether the system may be the best: no other is separated above it, one-sided, this system by
        itself. The best system is among these with the level's probability. Methods other than
        "shrunken", "max-t" and "max" have no such test, and it is whether `rank_low` is 1. Sets and
        this are widened where one system equals or beats another on every topic: what the other may be,
        it may be too.
    group
        Letters: two systems share one just where they are not separated (in marginal sets: where one
        of the two sets does not tell them apart).
    family
        A key of `FAMILIES`: what the level is of.
    gaps
        All gaps with simultaneous intervals, by the same method from the same resamples, and how they
        were computed.
    """

    systems: tuple[str, ...]
    means: Floats
    estimate: Floats
    low: Floats
    high: Floats
    rank: Ints
    rank_low: Ints
    rank_high: Ints
    tied_for_first: Bools
    group: tuple[str, ...]
    family: str
    gaps: Gaps

    @property
    def convention(self) -> str:
        """How the sets were computed and what they answer, in one line."""
        return f"{self.gaps.measure}, {self.how}"

    @property
    def how(self) -> str:
        """The same but for the measure."""
        found = self.gaps
        return (
            f"{found.topics} columns; question: {QUESTIONS[found.design]} design {found.design}; "
            f"ranks {self.family} ({FAMILIES[self.family]}); method {found.method} "
            f"({METHODS[found.method].about}), level {found.level:g}, {found.resamples} resamples; "
            "estimate, low, high: each mean corrected for its rank, and its interval; equal means "
            "share the better rank; tied for first: not beaten, one-sided; group: not separated "
            "where a letter is shared"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Where the method was measured not to hold, and how many may be first."""
        first = f"{int(self.tied_for_first.sum())} of {len(self.systems)} systems may be first"
        return (*self.gaps.cautions, first)

    def table(self) -> "pd.DataFrame":
        """Return a frame, a row a system."""
        import pandas as pd

        same = (
            "estimate",
            "low",
            "high",
            "rank",
            "rank_low",
            "rank_high",
            "tied_for_first",
            "group",
        )
        columns = {"system": self.systems, "mean": self.means}
        return pd.DataFrame({**columns, **{name: getattr(self, name) for name in same}})

    def plot(self, ax: "Axes") -> "Axes":
        """Draw the set of each rank, one line a system."""
        from ndcgstudy.inference.drawing_ranks import draw_ranks

        return draw_ranks(self, ax)


def ranks(
    scores: "Scores | pd.DataFrame",
    *,
    level: float = 0.95,
    family: str = "simultaneous",
    method: str | None = None,
    design: str | None = None,
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
) -> Ranks:
    """Rank systems by their means, with a confidence set for each rank.

    Parameters
    ----------
    scores
        A `Scores`, or a frame topics x systems.
    level
        Of confidence: of all sets at once, or of each.
    family
        "simultaneous": all true ranks lie in their sets with the level's probability. "marginal":
        each does by itself, in a narrower set.
    method
        Of `gaps` for all pairs, by default "shrunken"; marginal sets take those of `SCALES`.
    design
        A key of `QUESTIONS`, see `sample_of`.
    resamples
        How many there are, as in `gaps`.
    rng
        By default a generator with seed 0. The same resamples as `gaps` draws with the same one.

    Raises
    ------
    ValueError
        As `gaps`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal([[0.7], [0.6], [0.3]], 0.1, size=(3, 20))
    >>> found = ranks(Scores(values, ("a", "b", "c"), tuple(map(str, range(20))), "AP"), rng=rng)
    >>> found.rank_low, found.rank_high, found.group
    (array([1, 2, 3]), array([1, 2, 3]), ('a', 'b', 'c'))
    """
    if family not in FAMILIES:
        raise ValueError(f"unknown family {family!r}{nearest(family, list(FAMILIES))}")
    name, _ = method_for(method, "all")
    if family == "marginal" and name not in SCALES:
        raise ValueError(f"method {name!r} has no marginal ranks, for which there are {[*SCALES]}")
    matrix = as_scores(scores)
    sample = sample_of(matrix, design)
    pairs = Family("all", len(sample.systems))
    task = Task(
        sample, pairs, level, resamples, np.random.default_rng(SEED) if rng is None else rng
    )
    board, told = _told(task, name, family, matrix.measure)
    told = _as_dominated(told, sample.values)
    corrected = ranked_means(task)
    return Ranks(
        systems=sample.systems,
        means=sample.means,
        estimate=corrected.estimate,
        low=corrected.low,
        high=corrected.high,
        rank=1 + (_differences(sample) < -NOISE).sum(axis=1),
        rank_low=told.rank_low,
        rank_high=told.rank_high,
        tied_for_first=told.first,
        group=letters(told.apart & told.apart.T),
        family=family,
        gaps=board,
    )


class _Told(NamedTuple):
    """What each system's own set tells apart, (systems, systems), and which may be first."""

    apart: Bools
    rank_low: Ints
    rank_high: Ints
    first: Bools


def _told(task: Task, name: str, family: str, measure: str) -> tuple[Gaps, _Told]:
    """Return the gaps of all pairs at once, and what they tell of ranks."""
    if name not in SCALES:
        board = gathered(task, METHODS[name].find(task), name, measure)
        low, high = _ends(apart := _separated(board, task), _differences(task.sample))
        return board, _Told(apart, low, high, low == 1)
    beaten = largest(task, SCALES[name])
    board = gathered(task, beyond(task, SCALES[name], beaten), name, measure)
    seen, apart = statistics(task, SCALES[name]), _separated(board, task)
    if family == "marginal":  # each system's statistics against the largest of its own pairs
        either = largest(task, SCALES[name], either=True)
        apart |= np.abs(seen) > order_statistic(either, task.level)[:, None]
    low, high = _ends(apart, _differences(task.sample))
    first = -seen.min(axis=1) <= order_statistic(beaten, task.level)
    return board, _Told(apart, low, high, first & (low == 1))


def _as_dominated(told: _Told, values: Floats) -> _Told:
    """Widen what a system may be to what one may be that it equals or beats on every topic.

    No reading of the scores puts the other above it, so that its ranks reach as high, and the other's
    as low.
    """
    low, high, first = told.rank_low.copy(), told.rank_high.copy(), told.first.copy()
    for i in range(len(values)):
        below = (values <= values[i]).all(axis=1)  # itself among them
        low[i] = told.rank_low[below].min()
        first[i] = told.first[below].any()
        high[below] = np.maximum(high[below], told.rank_high[i])
    return _Told(told.apart, low, high, first)


def _separated(board: Gaps, task: Task) -> Bools:
    return np.asarray(antisymmetric(task.family, board.separated.astype(float)) != 0)


def _ends(apart: Bools, difference: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst rank left, given who is told apart and by how much."""
    above, below = apart & (difference < 0), apart & (difference > 0)
    return 1 + above.sum(axis=1), len(apart) - below.sum(axis=1)


def _differences(sample: Sample) -> Floats:
    return np.asarray(sample.means[:, None] - sample.means)
