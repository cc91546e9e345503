"""Two measures on the same pairs: McNemar's exact test, and its form for queries."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from music import sample
from scipy.stats import binom
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

from ndcgstudy.agreement.counts import signs
from ndcgstudy.agreement.mcnemar import binomial, mcnemar, sign_flip
from ndcgstudy.agreement.power import opposition, pairs_needed

RNG = np.random.default_rng


@pytest.mark.parametrize("ties", ["dropped", "missed"])
@pytest.mark.parametrize("seed", range(3))
def test_mcnemar_is_statsmodels_on_the_shared_pairs(seed, ties):
    difference, preference, cluster = sample(RNG(seed), measures=2, count=200)
    (test,) = mcnemar(difference, preference, cluster, ["a", "b"], ties=ties).tests
    product = signs(difference) * preference
    shared = preference != 0
    if ties == "dropped":
        shared &= (product != 0).all(axis=0)
    right = product[:, shared] > 0
    cells = [[(right[0] == a) & (right[1] == b) for b in (True, False)] for a in (True, False)]
    table = [[int(cell.sum()) for cell in row] for row in cells]
    assert table == [[test.both, test.only_first], [test.only_second, test.neither]]
    assert test.pairs == shared.sum()
    assert test.p == pytest.approx(their_mcnemar(table, exact=True).pvalue)


@pytest.mark.parametrize("seed", range(6))
def test_sign_flips_are_those_of_all_sign_patterns(seed):
    gains = RNG(seed).integers(-4, 5, 9)
    sums = np.array(list(product([1, -1], repeat=9))) @ gains
    assert sign_flip(gains) == pytest.approx(np.mean(np.abs(sums) >= abs(gains.sum())))


def test_one_pair_a_query_makes_the_clustered_test_mcnemars():
    for won, lost in ((8, 1), (160, 92), (5, 5), (0, 0), (30, 0)):
        assert sign_flip([1] * won + [-1] * lost) == pytest.approx(binomial(won, lost))
    assert binomial(8, 1) == pytest.approx(2 * binom.cdf(1, 9, 0.5))


def null(rng, clusters=25, size=6):
    """Two equally good measures, which differ on a few queries alone, and there in one direction."""
    better = rng.choice([1, -1], clusters)  # which measure a query favours
    apart = rng.random((clusters, size)) < 0.3
    first = np.where(apart, better[:, None], 1).ravel()
    second = np.where(apart, -better[:, None], 1).ravel()
    return np.stack([first, second]), np.ones(first.size, int), np.repeat(np.arange(clusters), size)


def test_the_clustered_test_holds_its_level_where_mcnemars_does_not():
    rng, runs = RNG(0), 1500
    found = [mcnemar(*null(rng), ["a", "b"]).tests[0] for _ in range(runs)]
    error = np.sqrt(0.05 * 0.95 / runs)
    assert np.mean([t.p_clustered <= 0.05 for t in found]) < 0.05 + 4 * error
    assert np.mean([t.p <= 0.05 for t in found]) > 0.05 + 8 * error


def test_the_pairs_needed_are_those_of_the_counts_seen_with_their_clusters():
    difference, preference, cluster = sample(RNG(4), measures=2, count=400)
    (test,) = mcnemar(difference, preference, cluster, ["a", "b"], ties="missed").tests
    right = signs(difference) * preference > 0
    decided = preference != 0
    found = opposition(*right[:, decided], cluster[decided])
    assert (found.opposed, found.first_right) == (
        test.only_first + test.only_second,
        test.only_first,
    )
    better = max(found.split, 1 - found.split)
    expected = pairs_needed(found.share, better, design=found.design)
    assert test.pairs_needed() == expected
    assert expected != pairs_needed(found.share, better)  # clusters count
    assert f"; power .8 from {expected:,} pairs" in str(test)
    assert test.pairs_needed(power=0.9) > test.pairs_needed() > test.pairs_needed(level=0.2)


def test_where_nothing_tells_how_many_pairs_it_takes_nothing_is_said():
    even = mcnemar([[1, -1, 1], [-1, 1, 1]], [1, 1, 1], [0, 1, 2], ["a", "b"]).tests[0]
    one = mcnemar([[1, 1, 1], [-1, 1, 1]], [1, 1, 1], [0, 0, 0], ["a", "b"]).tests[0]
    none = mcnemar([[0, 0], [1, 1]], [1, 1], [0, 1], ["a", "b"]).tests[0]
    for test in (even, one, none):
        assert np.isnan(test.pairs_needed())
        assert "power" not in str(test)
    close = replace(even, pairs=10**9, only_first=10**6, only_second=10**6 - 1)
    assert close.pairs_needed() == np.inf
    assert "more than 1e12 pairs" in str(close)
    with pytest.raises(ValueError, match="`power` must be a number above 0 and below 1"):
        close.pairs_needed(power=1)


def test_a_measure_that_is_better_everywhere_is_found():
    difference = np.stack([np.ones(20), np.tile([1, -1], 10)])
    cluster = np.arange(20) // 2
    table = mcnemar(difference, np.ones(20, int), cluster, ["a", "b"]).table()
    assert table.loc[0, "p"] == pytest.approx(2**-9)
    assert table.loc[0, "p_clustered"] == pytest.approx(2**-9)
    (one,) = mcnemar(difference, np.ones(20, int), np.zeros(20), ["a", "b"]).tests
    assert np.isnan(one.p_clustered)
    with pytest.raises(ValueError, match="unknown ties 'half'; known: dropped, missed"):
        mcnemar(difference, np.ones(20, int), cluster, ["a", "b"], ties="half")
    with pytest.raises(ValueError, match="`cluster` must have an entry a pair"):
        mcnemar(difference, np.ones(20, int), cluster[:3], ["a", "b"])
