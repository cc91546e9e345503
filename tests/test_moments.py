"""Moments merge over blocks, and the standard error of z is that of repeated samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.moments import Moments


def rng(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("centre", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("kind", ["normal", "exponential"])
def test_the_standard_error_of_z_is_that_of_repeated_samples(centre, kind):
    # 2,000 samples of 400: the spread of z is known to 1/sqrt(4000), 1.6%; the delta method is off
    # by terms of order 1/400, and the mean of the estimates by less than the 1.6%.
    draws = getattr(rng(4), f"standard_{kind}")((400, 2000)) + centre
    found = Moments.of(draws)
    assert np.mean(found.z_se) == pytest.approx(np.std(found.z), rel=4 * 0.016 + 1 / 40)


def test_a_standard_error_without_skewness_would_fail_this_test():
    draws = rng(4).standard_exponential((400, 2000)) + 3.0
    found = Moments.of(draws)
    normal = np.mean(np.sqrt((1 + found.z**2 / 2) / 400))
    assert normal != pytest.approx(np.std(found.z), rel=4 * 0.016 + 1 / 40)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30), st.data())
def test_moments_of_blocks_merge(values, data):
    cut = data.draw(st.integers(1, len(values) - 1))
    x = np.array(values)
    parts = [Moments.of(x[:cut]), Moments.of(x[cut:])]
    found = Moments.pool(*np.transpose([(m.count, m.mean, m.m2, m.m3, m.m4) for m in parts]))
    whole = [x.mean(), *(np.sum((x - x.mean()) ** k) for k in (2, 3, 4))]
    scale = max(1.0, float(np.ptp(x)))
    for k, (one, other) in enumerate(
        zip([found.mean, found.m2, found.m3, found.m4], whole, strict=True), start=1
    ):
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9 * scale**k)


def test_moments_give_the_skewness_and_kurtosis_of_scipy():
    x = rng(1).gamma(2.0, size=(500, 3))
    found = Moments.of(x)
    variance = found.m2 / found.count
    assert found.m3 / found.count / variance**1.5 == pytest.approx(stats.skew(x))
    assert found.m4 / found.count / variance**2 == pytest.approx(stats.kurtosis(x, fisher=False))


def test_moments_keep_their_digits_far_from_0():
    # Sums of powers would lose all digits here: (10^8)^4 is 10^32, and a double has 16 digits.
    x = rng(2).standard_normal(1000)
    near, far = Moments.of(x), Moments.of(x + 1e8)
    assert far.m4 == pytest.approx(near.m4, rel=1e-6)
    assert np.sum((x + 1e8) ** 4) - 1000 * 1e32 != pytest.approx(near.m4, rel=1e-6)


@pytest.mark.parametrize("value", [0.0, 0.1, -3.0])
def test_a_sample_that_does_not_vary_has_no_z(value):
    found = Moments.of(np.full(8, value))
    assert np.isnan(found.z) or found.m2 > 0  # the mean of equal numbers may be off in its last bit
    assert np.isnan(found.z_se)


def test_a_spread_too_small_for_its_fourth_power_has_no_standard_error():
    found = Moments.of(rng(3).standard_normal(50) * 1e-120)
    assert np.isfinite(found.z)
    assert np.isnan(found.z_se)


def test_a_sample_whose_spread_few_values_make_up_has_no_error_of_z():
    """99 small gaps and a large one: how many such there are, 100 values do not tell."""
    rng = np.random.default_rng(0)
    even = rng.normal(0.1, 1, 100)
    assert np.isfinite(Moments.of(even).z_se)
    assert np.isnan(Moments.of(np.append(even[:99], 40.0)).z_se)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 0.1, 0.01, 0.001])
def test_errors_of_z_cover_mixtures_or_are_not_given(share):
    """Of 2,000 samples of 100 with an error at least .90 hold z, 4 errors of .007 below that at most.

    Where one value in a thousand is large most samples have none: these look like any other, so that
    an interval of z may not be printed.
    """
    rng = np.random.default_rng(1)
    mean, square = 0.01 * (1 - share) + share, 2e-4 * (1 - share) + 1.01 * share
    true = mean / (square - mean**2) ** 0.5
    large = rng.random((100, 2000)) < share
    found = Moments.of(
        np.where(large, rng.normal(1, 0.1, large.shape), rng.normal(0.01, 0.01, large.shape))
    )
    given = np.isfinite(found.z_se)
    held = np.abs(found.z - true)[given] <= 1.96 * found.z_se[given]
    if share >= 0.1:
        assert held.mean() > 0.90 - 4 * 0.007
    else:
        assert given.mean() < 1
