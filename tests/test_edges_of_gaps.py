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


@pytest.mark.parametrize("method", ["shrunken", "max-t", "step-down"])
@pytest.mark.parametrize("topics", [2, 3])
def test_intervals_for_all_pairs_of_two_or_three_topics_cover(method: str, topics: int) -> None:
    rng, draws, covered = np.random.default_rng(4), 150, []
    for _ in range(draws):
        values, names = rng.normal(0, 1, (8, topics)), tuple("123")[:topics]
        result = found(Scores(values, tuple("abcdefgh"), names, "x"), method, resamples=199)
        covered.append(bool(np.all((result.low <= 0) & (result.high >= 0))))
    assert np.mean(covered) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / draws)


@pytest.mark.parametrize("method", [name for name, one in METHODS.items() if one.together])
def test_systems_equal_on_the_topics_drawn_keep_the_interval_of_the_method(method: str) -> None:
    """What has a width for all pairs has it for them; what has a variance a pair knows nothing."""
    values = np.random.default_rng(5).random((3, 40))
    scores = Scores(values[[0, 1, 2, 2]], tuple("abcd"), tuple(map(str, range(40))), "AP")
    result = found(scores, method)
    idle = result.degenerate
    same = {result.systems[i] + result.systems[j] for i, j in
            zip(result.first[idle], result.second[idle], strict=True)}  # fmt: skip
    assert same == {"cd"}
    assert (result.p[idle], result.separated[idle]) == (1, False)
    assert np.isinf(result.high[idle]) == (method in ("max-t", "max", "sign-flip", "bonferroni"))
    assert (result.low[idle] < 0) & (result.high[idle] > 0)
    assert (result.high - result.low)[~idle].min() > 0
    assert np.isfinite(result.high[~idle]).all()


def test_intervals_without_end_are_said_to_be_so() -> None:
    result = found(noisy(3, topics=3), "shrunken")
    assert "3 intervals without end" in " ".join(result.notes)
    assert not any("without end" in note for note in found(noisy(3, topics=9), "shrunken").notes)


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
