"""The mean of a system that was chosen by its rank: its estimate, its interval, and how often it holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.data import Scores
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.ranked_means import LEAST_SD, PSEUDO, ranked_means
from ndcgstudy.inference.ranks import ranks


def board(values, datasets=None):
    values = np.asarray(values, dtype=float)
    names = tuple(f"s{i}" for i in range(len(values)))
    topics = tuple(map(str, range(values.shape[1])))
    return Scores(values, names, topics, "nDCG@10", datasets)


def by_hand(values, draws, level):
    """The same by loops over resamples, for topics drawn from one collection; the best system first."""
    k, n = values.shape
    m, v = values.mean(axis=1), values.var(axis=1, ddof=1) / n
    s = np.sqrt((n * v + PSEUDO * v.mean()) / (n + PSEUDO))
    off = values - values.mean(axis=0)
    chance, seen = (off.var(axis=1, ddof=1) / n).sum(), ((m - m.mean()) ** 2).sum()
    shrunk = m.mean() + np.sqrt(max(0, 1 - chance / seen)) * (m - m.mean())
    moved = np.array([values[:, d].mean(axis=1) - m for d in draws]).T
    moved -= moved.mean(axis=1, keepdims=True)
    spread = np.array([values[:, d].var(axis=1) / (n - 1) for d in draws]).T
    ratio = moved / np.maximum(np.sqrt(spread), LEAST_SD * s[:, None])
    scale = np.sqrt(v.sum() / (moved**2).mean(axis=1).sum())
    bias, low, high = np.zeros(k), m.copy(), m.copy()
    for c in (shrunk, m):
        rows = [sorted(range(k), key=lambda i: -(c[i] + d[i])) for d in moved.T]
        for r in range(k):
            at = [ratio[row[r], b] for b, row in enumerate(rows)]
            up, down = np.quantile(at, [(1 + level) / 2, (1 - level) / 2])
            low[r], high[r] = min(low[r], m[r] - up * s[r]), max(high[r], m[r] - down * s[r])
            if c is shrunk:
                bias[r] = np.mean([moved[row[r], b] for b, row in enumerate(rows)]) * scale
    half = stats.t.ppf((1 + level) / 2, n - 1) * s
    return m - bias, np.minimum(low, m - bias - half), np.maximum(high, m - bias + half)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_it_is_what_loops_over_resamples_give(level):
    rng = np.random.default_rng(3)
    values = rng.random((5, 12)) + np.linspace(0.2, 0, 5)[:, None]
    sample = sample_of(board(values))
    task = Task(sample, Family("all", 5), level, 99, np.random.default_rng(1))
    counts = np.concatenate(task.drawn, axis=1)
    draws = [np.repeat(np.arange(12), column) for column in counts.T]
    found = ranked_means(task)
    for one, other in zip(found, by_hand(sample.values, draws, level), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_the_first_of_equal_systems_is_covered_where_the_t_interval_of_its_mean_is_not():
    """2,000 boards of 10 equal systems: an error of .005 of the share covered, .0097 of the t interval's."""
    rng, held, by_t, off, plain = np.random.default_rng(0), 0, 0, [], []
    boards = 2000
    for _ in range(boards):
        found = ranks(board(rng.normal(size=(10, 20))), resamples=199, rng=rng)
        held += found.low[0] <= 0 <= found.high[0]
        off.append(found.estimate[0])
        plain.append(found.means[0])
        # the standard error of a mean is known here: 1/sqrt(20), and a t quantile is over 1.96
        by_t += abs(found.means[0]) <= 1.96 / np.sqrt(20)
    assert held / boards >= 0.93 - 3 * 0.005
    assert by_t / boards <= 0.82
    error = np.std(off) / np.sqrt(boards)
    assert np.mean(plain) > 0.3  # 1.54 standard errors: the mean of the largest of ten normals
    assert abs(np.mean(off)) < 0.1 * np.mean(plain) + 4 * error


def test_a_clear_winner_keeps_about_the_t_interval_of_its_mean():
    values = np.random.default_rng(1).normal(size=(4, 50)) + np.array([[9.0], [0], [0], [0]])
    found = ranks(board(values), resamples=999)
    low, high = stats.t.interval(0.95, 49, values[0].mean(), stats.sem(values[0]))
    assert found.estimate[0] == pytest.approx(values[0].mean(), abs=1e-12)
    assert found.high[0] - found.low[0] == pytest.approx(high - low, rel=0.2)


def test_drawing_data_sets_says_less_of_means_that_differ_between_them():
    """Three data sets of five topics whose levels differ: intervals are wide where these are drawn."""
    names = tuple(np.repeat(["a", "b", "c"], 5))
    values = np.random.default_rng(2).random((4, 15)) + np.repeat([0.0, 3.0, 6.0], 5)
    fixed, drawn = (
        ranks(board(values, names), design=d, resamples=199) for d in ("fixed", "random")
    )
    assert (drawn.high - drawn.low > 5 * (fixed.high - fixed.low)).all()


def test_equal_scores_on_every_topic_do_not_make_a_mean_certain():
    values = np.random.default_rng(4).integers(0, 2, (6, 8)).astype(float)
    values[0] = 1
    found = ranks(board(values), resamples=199)
    assert found.systems[0] == "s0"
    assert found.low[0] < 0.95
    nothing = ranks(board([[0.5] * 6, [0.4] * 6, [0.4] * 6]), resamples=39)
    assert np.isinf(nothing.low).all()
    assert np.isinf(nothing.high).all()
    assert nothing.estimate.tolist() == nothing.means.tolist()


@given(
    st.integers(2, 5).flatmap(
        lambda k: st.lists(
            st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=k, max_size=k),
            min_size=2,
            max_size=9,
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_mean_and_estimate_lie_inside_the_interval(topics):
    found = ranks(board(np.array(topics).T), resamples=39)
    for value in (found.estimate, found.means):
        assert (found.low <= value).all()
        assert (value <= found.high).all()
