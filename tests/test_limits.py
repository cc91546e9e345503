"""Limits of nDCG: the printed theorems, figures found before, graded forms against long lists."""

import numpy as np
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import Exponential, Linear, Table
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.limits import limit
from ndcgstudy.synthetic import Curves, Latent, Reference

SQUARE = Curves(a=(0.1, 0.0, 0.5))  # P(relevant | s) = .1 + .5 s^2
GRADED = Curves(a=(0.1, 0.0, 0.5), levels=(0.7, 0.2, 0.1))


def limits(name, pair=SQUARE, **how):
    return limit(pair, DISCOUNTS.parse(name), **how)


# figures from an independent program, as the notes of this project have them


@pytest.mark.parametrize(
    ("name", "cutoff", "stated", "theorem"),
    [
        ("log2", None, 1.0, "Theorem 4"),
        ("power(beta=0.25)", None, 0.8294, "Theorem 7"),
        ("power(beta=0.5)", None, 0.7100, "Theorem 7"),
        ("power(beta=0.75)", None, 0.6339, "Theorem 7"),
        ("zipf", None, 0.600, "Theorem 9"),
        ("log2", "n^0.5", 0.600, "Theorem 11"),
        ("power(beta=0.5)", "n^0.5", 0.600, "Theorem 11"),
        ("log2", "0.1n", 0.5517, "Theorem 12"),
        ("log2", "0.2n", 0.5067, "Theorem 12"),
        ("log2", "0.5n", 0.7344, "Theorem 12"),
        ("power(beta=0.5)", "0.2n", 0.5373, "Theorem 13"),
        ("power(beta=0.5)", "0.5n", 0.6276, "Theorem 13"),
    ],
)
def test_the_limits_are_those_found_before(name, cutoff, stated, theorem):
    found = limits(name, cutoff=cutoff)
    assert found.values[0] == pytest.approx(stated, abs=6e-5)
    assert found.theorem == theorem


def test_a_wrong_curve_misses_the_figures():
    other = Curves(a=(0.1, 0.0, 0.45))
    assert abs(limits("power(beta=0.5)", other).values[0] - 0.71) > 0.005


# the printed formulas


@pytest.mark.parametrize("beta", [0.1, 0.4, 0.9, 0.99])
def test_a_random_ranker_tends_to_p_to_the_power_beta(beta):
    # (1-b) int p (1-s)^-b ds / p^(1-b) = p^b.
    p = 0.1 + 0.5 / 3
    assert limits(f"power(beta={beta})").values[1] == pytest.approx(p**beta, rel=1e-10)


@pytest.mark.parametrize("beta", [0.25, 0.5, 0.75])
def test_a_linear_curve_has_the_limit_in_closed_form(beta):
    # int_0^1 (t - a u) u^-b du = t/(1-b) - a/(2-b) with t the curve at the top.
    pair = Reference()
    values = limits(f"power(beta={beta})", pair).values
    for value, slope in zip(values, (0.4, 0.1), strict=True):
        top = 0.3 + slope / 2
        exact = (top - slope * (1 - beta) / (2 - beta)) / 0.3 ** (1 - beta)
        assert value == pytest.approx(exact, rel=1e-10)


def test_the_order_of_limits_may_reverse_with_the_discount():
    # Two curves of one mean that cross: the steeper wins at the top and loses at a wide cutoff.
    pair = Curves(a=(0.2, 0.0, 0.0, 0.0, 0.5), b=(0.15, 0.3))
    assert limits("zipf", pair).gap > 0 > limits("log2", pair, cutoff="0.7n").gap


@pytest.mark.parametrize("name", ["loglog", "jk2002", "log2", "constant"])
def test_slow_discounts_tend_to_one_for_every_ranker(name):
    assert limits(name).values == (1.0, 1.0)


@pytest.mark.parametrize(
    ("name", "cutoff"),
    [
        ("power(beta=1.5)", None),
        ("geometric(p=0.5)", "0.2n"),
        ("log2", 10),
        ("linear(depth=9)", None),
    ],
)
def test_few_ranks_settle_on_no_limit_but_on_a_law_with_this_mean(name, cutoff):
    found = limits(name, cutoff=cutoff)
    assert (found.kind, found.theorem) == ("random", "Theorem 10")
    assert found.values[0] == pytest.approx(0.6, abs=1e-9)
    far = expect(SQUARE, DISCOUNTS.parse(name), 10**9, cutoff=cutoff)
    assert far.mean_a == pytest.approx(0.6, abs=1e-4)
    assert far.sd_a > 0.1


def test_a_sum_that_is_not_resolved_has_no_limit_here():
    found = limit(SQUARE, lambda ranks: 1 / ((ranks + 1) * np.log(ranks + 1)))
    assert found.kind == "not resolved"
    assert np.isnan(found.values).all()


# graded labels: the limit against exact expectations of lists so long that they have nearly arrived


@pytest.mark.parametrize("gain", [Linear(), Exponential(), Table((0, 1, 1, 4))], ids=str)
@pytest.mark.parametrize(
    ("name", "cutoff", "within"),
    [
        ("power(beta=0.25)", None, 1e-5),
        ("power(beta=0.5)", None, 1e-4),
        ("power(beta=0.5)", "0.2n", 1e-4),
        ("power(beta=0.75)", "0.02n", 2e-3),  # ranks from 1 on make up n^-1/4 of the sum
        ("constant", "0.3n", 1e-5),
        ("power(beta=0.25)", "n^0.5", 1e-4),
    ],
)
def test_graded_limits_are_those_of_long_lists(name, cutoff, within, gain):
    stated = limits(name, GRADED, cutoff=cutoff, gain=gain)
    far = expect(GRADED, DISCOUNTS.parse(name), 10**12, cutoff=cutoff, gain=gain)
    assert stated.values == pytest.approx((far.mean_a, far.mean_b), abs=within)
    assert "graded" in stated.theorem


@pytest.mark.parametrize(("name", "cutoff"), [("log2", None), ("zipf", None), ("log2", "0.3n")])
def test_slowly_reached_limits_are_approached_by_one_over_log_n(name, cutoff):
    stated = limits(name, GRADED, cutoff=cutoff).values[0]
    off = [
        (expect(GRADED, DISCOUNTS.parse(name), n, cutoff=cutoff).mean_a - stated) * np.log(n)
        for n in (10**9, 10**12)
    ]
    assert off[1] == pytest.approx(off[0], rel=0.1)


def test_a_gain_that_ignores_the_grade_gives_the_binary_limit():
    flat = Table((0, 1, 1, 1))
    assert limits("power(beta=0.5)", GRADED, gain=flat).values == pytest.approx(
        limits("power(beta=0.5)").values
    )


def test_without_gain_there_is_no_limit():
    with pytest.raises(ValueError, match="no item has a gain above 0"):
        limits("power(beta=0.5)", gain=Table((0, 0)))
    with pytest.raises(ValueError, match="no item has a gain above 0"):
        limits("zipf", gain=Table((0, 0)))


# labels that become certain at the top


@pytest.mark.parametrize(
    ("name", "cutoff"), [("power(beta=2)", None), ("geometric(p=0.5)", None), ("log2", 10)]
)
def test_where_labels_become_certain_ndcg_settles_under_every_discount(name, cutoff):
    found = limits(name, Latent(), cutoff=cutoff)
    assert (found.values, found.kind, found.theorem) == ((1.0, 1.0), "top", "certain labels")
    far = expect(Latent(), DISCOUNTS.parse(name), 10**15, cutoff=cutoff)
    assert far.mean_b == pytest.approx(1, abs=1e-4)
    assert far.sd_b < 0.01


def test_where_numbers_do_not_tell_whether_labels_stay_uncertain_no_law_is_named():
    assert limits("power(beta=2)", Latent(a=0.2, b=0.1)).kind == "not resolved"


def test_one_ranker_of_uncertain_labels_is_enough_for_a_random_limit():
    pair = Curves(a=(0.0, 1.0), b=(0.5,))
    assert limits("power(beta=2)", pair).kind == "random"
