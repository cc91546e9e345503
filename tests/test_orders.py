"""Kendall's tau-b and tau_AP against scipy and against all ways of breaking ties."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from ndcgstudy.orders import kendall_tau, tau_ap

PAIRS = st.integers(2, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)
SMALL = st.integers(2, 5).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n)] * 2)
)


def as_defined(order, reference):
    """tau_AP of an order (best first) by its definition; the reference has no ties."""
    n = len(order)
    shares = (
        sum(reference[order[j]] > reference[order[i]] for j in range(i)) / i for i in range(1, n)
    )
    return 2 / (n - 1) * sum(shares) - 1


def orders(values):
    """All orders, best first, that keep better values before worse ones."""
    indices = range(len(values))
    return [
        p
        for p in permutations(indices)
        if all(values[p[i]] >= values[p[i + 1]] for i in range(len(values) - 1))
    ]


def as_ranks(order):
    """Scores without ties that give an order."""
    scores = np.empty(len(order))
    scores[list(order)] = -np.arange(len(order))
    return scores


@given(PAIRS)
def test_tau_is_the_count_of_pairs(pair):
    x, y = map(np.array, pair)
    sx, sy = (np.sign(v[:, None] - v) for v in (x, y))
    untied = (sx**2).sum() * (sy**2).sum()
    wanted = (sx * sy).sum() / untied**0.5 if untied else np.nan
    assert kendall_tau(x, y) == pytest.approx(wanted, nan_ok=True)
    assert kendall_tau(x, y) == pytest.approx(kendalltau(x, y).statistic, nan_ok=True)


@given(st.permutations(range(9)))
def test_without_ties_tau_ap_is_its_definition(reference):
    x = np.arange(9)[::-1]
    assert tau_ap(x, reference) == pytest.approx(as_defined(range(9), reference), abs=1e-12)


@given(SMALL)
def test_ties_are_broken_in_all_ways(pair):
    x, reference = pair
    broken = product(orders(x), map(as_ranks, orders(reference)))
    wanted = np.mean([as_defined(order, ranks) for order, ranks in broken])
    assert tau_ap(x, reference) == pytest.approx(wanted, abs=1e-12)


def test_its_range_and_what_it_weighs():
    up = np.arange(10.0)
    assert tau_ap(up, up) == pytest.approx(1)
    assert tau_ap(up, -up) == pytest.approx(-1)
    assert tau_ap(np.ones(10), up) == pytest.approx(0)
    top, bottom = up.copy(), up.copy()
    top[[8, 9]], bottom[[0, 1]] = up[[9, 8]], up[[1, 0]]
    assert tau_ap(top, up) < tau_ap(bottom, up) < 1
    assert kendall_tau(top, up) == kendall_tau(bottom, up)  # tau cannot tell where the swap is


def test_it_is_not_symmetric():
    assert tau_ap([4, 3, 2, 1], [3, 2, 1, 4]) != pytest.approx(tau_ap([3, 2, 1, 4], [4, 3, 2, 1]))


@pytest.mark.parametrize("function", [kendall_tau, tau_ap])
@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0], [1.0], "`x` must be a list of 2 or more scores"),
        ([[1.0, 2.0]], [1.0, 2.0], "`x` must be a list"),
        ([1.0, np.nan], [1.0, 2.0], "`x` must hold no NaN, got one at 1"),
        ([1.0, 2.0], [1.0, 2.0, 3.0], "must score the same systems, got 2 and 3"),
    ],
)
def test_bad_lists_are_refused(function, x, y, message):
    with pytest.raises(ValueError, match=message):
        function(x, y)
