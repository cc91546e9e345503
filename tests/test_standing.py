"""Win rates, Borda counts and the critical difference of mean ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ndcgstudy.inference.standing import borda, nemenyi, win_rate, wins
from ndcgstudy.seeding import rng_for

TENTHS = arrays(float, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5),
                elements=st.integers(0, 4).map(lambda x: x / 10))  # fmt: skip


@given(TENTHS)
def test_every_comparison_is_counted_once(values):
    expected = [
        [sum((x > y) + (x == y) / 2 for y in topic) - 0.5 for x in topic] for topic in values.T
    ]
    assert wins(values).T.tolist() == expected
    systems, topics = values.shape
    assert win_rate(values).sum() == pytest.approx(systems / 2)
    assert borda(values) == pytest.approx(win_rate(values) * topics * (systems - 1))


@given(TENTHS, st.randoms(use_true_random=False))
def test_the_order_of_the_systems_does_not_matter(values, random):
    order = random.sample(range(len(values)), len(values))
    assert win_rate(values[order]).tolist() == win_rate(values)[order].tolist()


def test_the_noise_of_floats_is_a_tie():
    assert wins([[0.1 + 0.2], [0.3]]).tolist() == [[0.5], [0.5]]


def test_a_missing_score_has_no_rank():
    with pytest.raises(ValueError, match="`values` must be finite"):
        win_rate([[0.1, np.nan], [0.2, 0.3]])


@pytest.mark.parametrize(
    ("systems", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (7, 2.949), (10, 3.164)]
)
def test_demsars_table(systems, q):
    scale = np.sqrt(systems * (systems + 1) / (6 * 30))
    assert nemenyi(systems, 30) / scale == pytest.approx(q, abs=0.001)


def test_level_of_the_critical_difference():
    """Mean ranks of systems that do not differ lie further apart in 5% of the studies."""
    studies, systems, topics = 4_000, 5, 60
    ranks = rng_for(1).permuted(np.tile(np.arange(systems), (studies, topics, 1)), axis=2)
    apart = np.ptp(ranks.mean(axis=1), axis=1)
    error = np.sqrt(0.05 * 0.95 / studies)
    critical = nemenyi(systems, topics)
    assert abs((apart > critical).mean() - 0.05) <= 4 * error
    too_wide = (apart > critical * np.sqrt(2)).mean()  # the quantile not divided by sqrt 2
    assert abs(too_wide - 0.05) > 4 * error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((1, 5), "`systems`"), ((3, 0), "`topics`"), ((3, 5, 95), "`level`"), ((3, 2.5), "`topics`")],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        nemenyi(*arguments)
