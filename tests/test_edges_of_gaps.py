"""Intervals at the edges: two or three topics or data sets, and gaps beyond doubt.

Of n units one resample in n^(n - 1) draws a single one: no pair has a variance in it.
"""

import numpy as np
import pytest
from test_intervals_of_gaps import found, noisy

from ndcgstudy.data import Scores
from ndcgstudy.inference.registered import METHODS


@pytest.mark.parametrize(("units", "sets"), [(3, None), (2, tuple("aaaabbbb"))])
def test_a_studentized_interval_of_two_or_three_units_covers(
    units: int, sets: tuple | None
) -> None:
    rng, draws, covered = np.random.default_rng(3), 200, []
    for _ in range(draws):
        values = np.repeat(rng.normal(0, 1, (2, units)), 4 if sets else 1, axis=1)
        values += rng.normal(0, 0.3, values.shape)
        topics = tuple(str(t) for t in range(values.shape[1]))
        scores = Scores(values, ("a", "b"), topics, "x", sets)
        result = found(scores, "studentized", design="random" if sets else "topics", resamples=199)
        covered.append(result.low[0] <= 0 <= result.high[0])
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / draws)


def test_two_topics_leave_a_studentized_interval_no_end() -> None:
    result = found(noisy(2, topics=2), "studentized")
    assert (result.low[0], result.high[0]) == (-np.inf, np.inf)
    assert result.p[0] > 0.3


@pytest.mark.parametrize("method", METHODS)
def test_p_is_never_0_however_clear_the_gap(method: str) -> None:
    values = np.array([[0.9], [0.3], [0.1]]) + 1e-7 * np.random.default_rng(0).random((3, 300))
    scores = Scores(values, tuple("abc"), tuple(map(str, range(300))), "P@1")
    result = found(scores, method, resamples=99)
    assert result.separated.all()
    assert (result.p > 0).all()
