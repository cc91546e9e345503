"""The test that a plan is for: what |t| must reach at any number of topics."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.largest import Statistics, largest_of
from ndcgstudy.inference.methods import Task, order_statistic
from ndcgstudy.inference.scales import SHARE, shrunken

FEW, MANY = 8, 16  # critical values are found at 8 topics, at those sampled and at 16 times as many


@dataclass(frozen=True, eq=False)
class PlannedTest:
    """A test of pairs at some number of topics.

    Parameters
    ----------
    critical
        What |gap|/s must reach at a number of topics.
    share, pooled
        s² is (1 - share) v + share mean(v) for the variance v of a pair over topics, and `pooled` is
        that mean over pairs.
    """

    critical: Callable[[int], float]
    share: float = 0.0
    pooled: float = 0.0

    def ratio(self, sd: Floats) -> Floats:
        """Return s over the pair's own standard deviation: |t| must reach critical times that."""
        square = np.where(sd > 0, sd, 1.0) ** 2
        return np.asarray(np.sqrt(1 - self.share + self.share * self.pooled / square))


def single(level: float) -> PlannedTest:
    """Return the t-test of one pair."""
    from scipy.special import stdtrit

    return PlannedTest(lambda topics: float(stdtrit(topics - 1.0, (1 + level) / 2)))


def at_once(task: Task, pooled: float) -> PlannedTest:
    """Return the test of all pairs by the largest statistic with shrunken variances.

    Its critical value at m topics is that of resamples of m topics, which may be fewer or more than
    there are. It changes little, by and large as 1/m does: between few places it is taken so. Where so
    few topics are drawn that too many resamples hold a single one, it is infinite.
    """
    topics = task.sample.values.shape[1]
    found = {m: _critical(task, m) for m in (MANY * topics, topics, FEW)}
    places = sorted((m for m, value in found.items() if np.isfinite(value)), reverse=True)
    values = [found[m] for m in places]

    def critical(m: int) -> float:
        if len(places) < len(found) and m < places[-1]:
            return float("inf")
        return float(np.interp(1 / m, [1 / place for place in places], values))

    return PlannedTest(critical, SHARE, pooled)


def _critical(task: Task, draws: int) -> float:
    """Return the order statistic of the largest |gap* - gap|/s* over resamples of so many topics.

    Counts are scaled to sum to the topics there are, and their variances to the draws.
    """
    topics, tops = task.sample.values.shape[1], []
    for chunk in task.chunks:
        counts = chunk.rng().multinomial(draws, np.full(topics, 1 / topics), size=chunk.size).T
        drawn = Statistics(task.sample, shrunken(), counts * (topics / draws))
        tops.append(largest_of(task.family, drawn).max(axis=0))
    scale = ((draws - 1) / (topics - 1)) ** 0.5
    return float(order_statistic(np.concatenate(tops), task.level) * scale)
