"""The interval of a share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.intervals import wilson


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (160, 252), (1, 3)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_of_a_share_is_that_of_scipy(k, n, level):
    expected = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    assert wilson(k, n, level) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(st.integers(1, 10**6))
def test_the_interval_of_a_share_holds_the_share(n):
    k = np.arange(0, n + 1, max(1, n // 3))
    low, high = wilson(np.append(k, n), n)
    assert (low <= np.append(k, n) / n).all()
    assert (high >= np.append(k, n) / n).all()


def test_published_intervals_come_out():
    # 160 of 252, 127 of 241 and 106 of 214 pairs (Sanderson et al. 2010), in percent to one digit.
    low, high = wilson(np.array([160, 127, 106]), np.array([252, 241, 214]))
    assert np.round(100 * low, 1).tolist() == [57.4, 46.4, 42.9]
    assert np.round(100 * high, 1).tolist() == [69.2, 58.9, 56.2]


def coverage(interval, n=30, share=0.1, draws=4000):
    """Return how often the interval of a sample holds the true share."""
    k = np.random.default_rng(6).binomial(n, share, size=draws)
    low, high = interval(k, n)
    return float(((low <= share) & (share <= high)).mean())


def exact_coverage(n=30, share=0.1):
    low, high = wilson(np.arange(n + 1), n)
    held = (low <= share) & (share <= high)
    return float(stats.binom.pmf(np.arange(n + 1), n, share)[held].sum())


def test_the_interval_covers_as_often_as_its_exact_coverage():
    expected = exact_coverage()
    error = (expected * (1 - expected) / 4000) ** 0.5
    assert coverage(wilson) == pytest.approx(expected, abs=4 * error)
    assert expected > 0.93


def test_an_interval_without_the_correction_covers_less():
    def wald(k, n):
        p = k / n
        half = 1.96 * np.sqrt(p * (1 - p) / n)
        return p - half, p + half

    assert coverage(wald) < 0.85
