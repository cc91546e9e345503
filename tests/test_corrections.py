"""Corrections: against statsmodels, against their definitions, and at their level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from ndcgstudy.inference.corrections import METHODS, adjust
from ndcgstudy.seeding import rng_for

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)
corrections = pytest.mark.parametrize("method", ["holm", "bh", "bonferroni"])


def holm(p):
    """The i-th smallest of n is multiplied by n - i, never below the one before (i from 0)."""
    order, adjusted, most = np.argsort(p), np.empty(len(p)), 0.0
    for i, at in enumerate(order):
        most = max(most, min(1.0, (len(p) - i) * p[at]))
        adjusted[at] = most
    return adjusted


def benjamini_hochberg(p):
    """The i-th smallest of n is multiplied by n / i, never above the one after (i from 1)."""
    order, adjusted, least = np.argsort(p), np.empty(len(p)), 1.0
    for i in range(len(p), 0, -1):
        least = min(least, len(p) / i * p[order[i - 1]])
        adjusted[order[i - 1]] = least
    return adjusted


@given(P_VALUES)
def test_definitions(p):
    np.testing.assert_allclose(adjust(p, "holm").p, holm(p), rtol=1e-12)
    np.testing.assert_allclose(adjust(p, "bh").p, benjamini_hochberg(p), rtol=1e-12)
    np.testing.assert_allclose(adjust(p, "bonferroni").p, np.minimum(1, np.multiply(p, len(p))))
    assert adjust(p, "none").p.tolist() == p


@corrections
def test_statsmodels(method):
    p = rng_for(1).random(500) ** 3
    expected = multipletests(p, method={"bh": "fdr_bh"}.get(method, method))[1]
    assert adjust(p, method).p.tolist() == expected.tolist()


@corrections
@given(P_VALUES, st.data())
def test_nan_is_no_test(method, p, data):
    at = data.draw(st.integers(0, len(p)))
    adjusted = adjust([*p[:at], np.nan, *p[at:]], method)
    assert np.isnan(adjusted.p[at])
    assert np.delete(adjusted.p, at).tolist() == adjust(p, method).p.tolist()
    assert dict(adjusted.tests) == {"all tests": len(p)}


def test_nan_counted_as_a_test_would_show():
    assert adjust([0.01, np.nan]).p[0] != adjust([0.01, 1.0]).p[0]


@corrections
def test_families_do_not_touch_each_other(method):
    p = rng_for(2).random((3, 20)) ** 2
    measures = np.array(["nDCG@10", "RR@10", "AP"])[:, None]
    adjusted = adjust(p, method, family=measures)
    assert adjusted.p.tolist() == [adjust(row, method).p.tolist() for row in p]
    assert dict(adjusted.tests) == {"nDCG@10": 20, "RR@10": 20, "AP": 20}
    assert adjusted.p.tolist() != adjust(p, method).p.tolist()


def test_families_may_be_mixed_and_numbered():
    adjusted = adjust([0.01, 0.02, 0.03, np.nan], "bonferroni", family=[1, 2, 1, 2])
    np.testing.assert_allclose(adjusted.p, [0.02, 0.02, 0.06, np.nan])
    assert str(adjusted) == "Bonferroni; 2 families: 1 (2 tests), 2 (1 test)"


@pytest.mark.parametrize("method", METHODS)
def test_nothing_in_nothing_out(method):
    assert adjust([], method).p.shape == (0,)
    assert adjust(np.empty((0, 3)), method).p.shape == (0, 3)
    assert str(adjust([], method)).endswith("; family: all tests (0 tests)")
    assert str(adjust([], method, family=[])).endswith("; 0 families: none")
    nothing = adjust([np.nan, np.nan], method)
    assert np.isnan(nothing.p).all()
    assert dict(nothing.tests) == {"all tests": 0}


def test_one_p_value_keeps_its_shape():
    assert adjust(0.04, "holm").p.shape == ()
    assert adjust(0.04, "holm").p == 0.04


FAMILIES, TESTS, TRUE = 2_000, 20, 10


def draws(true):
    """p-values of families of independent tests, the first `true` of them without any effect."""
    p = rng_for(3, true).random((FAMILIES, TESTS))
    p[:, true:] **= 6
    return p


def near(found, expected):
    """Within 4 standard errors of a mean over the families."""
    return abs(found.mean() - expected) <= 4 * found.std() / np.sqrt(FAMILIES)


def errs_in_one_family_of_twenty(method):
    """A law: with no effect anywhere a family has a false rejection 5% of the time.

    For independent tests Bonferroni and Holm do so with probability 1 - (1 - .05/n)^n.
    """
    p = adjust(draws(TESTS), method, family=np.arange(FAMILIES)[:, None]).p
    expected = 0.05 if method == "bh" else 1 - (1 - 0.05 / TESTS) ** TESTS
    assert near((p.min(axis=1) <= 0.05).astype(float), expected)


@corrections
def test_family_level(method):
    errs_in_one_family_of_twenty(method)


def test_without_a_correction_that_law_fails():
    with pytest.raises(AssertionError):
        errs_in_one_family_of_twenty("none")


def false_share(method):
    """The share of false rejections among all, by family."""
    rejected = adjust(draws(TRUE), method, family=np.arange(FAMILIES)[:, None]).p <= 0.05
    return rejected[:, :TRUE].sum(axis=1) / np.maximum(rejected.sum(axis=1), 1)


def test_benjamini_hochberg_bounds_the_share_of_false_rejections():
    assert near(false_share("bh"), 0.05 * TRUE / TESTS)  # exactly so for independent tests
    assert not near(false_share("none"), 0.05 * TRUE / TESTS)


@pytest.mark.parametrize(
    ("p", "options", "message"),
    [
        ([0.1], {"method": "hom"}, "`method` is 'hom'; did you mean 'holm'. known: bh, bonf"),
        ([0.1, 1.5], {}, r"`p` must be in \[0, 1\] or NaN, got 1.5"),
        ([-0.1], {}, r"`p` must be in \[0, 1\] or NaN, got -0.1"),
        ([0.1, 0.2], {"family": ["a", "b", "c"]}, r"`family` must have the shape of `p`, \(2,\)"),
    ],
)
def test_mistakes_are_named(p, options, message):
    with pytest.raises(ValueError, match=message):
        adjust(p, **options)
