"""The aggregated sampler: one distribution with the direct one, at any size, with any cutoff."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from test_separability import NAMES, discounts, misses, rng

from ndcgstudy.discounts import Log2
from ndcgstudy.gains import Exponential
from ndcgstudy.separability import Cutoff, Paired, aggregate, simulate, summarise, tally
from ndcgstudy.separability.bins import Cells, edges
from ndcgstudy.synthetic import (
    AgainstRandom,
    Curves,
    Latent,
    Reference,
    SharedTop,
    TwoStage,
)

ALL = (*NAMES, "constant", "jk2002(base=10)", "linear(depth=300)")
CUTOFFS = ("none", "10", "0.2n", "n^0.5")
PAIRS = [
    Reference(),
    Curves(levels=(0.5, 0.3, 0.2)),
    Latent(shares=(0.3, 0.1)),
    Latent(a=0.95, b=0.9, shares=(0.05,)),
    SharedTop(),
    AgainstRandom(),
]
LEVEL = 0.001  # of a whole comparison, by Bonferroni over its tests, stated before any was run


def draws(sampler, generator, names, n, replicates, seed, cutoffs=("none",), **more):
    parts = discounts(*names)
    return sampler(
        generator, parts, [n], replicates=replicates, rng=rng(seed), cutoffs=cutoffs, **more
    )


def p_values(one, other):
    """Compare mean and gap by Kolmogorov and Smirnov's test, the signs by a chi-square, an arm each.

    Numbers are rounded to 11 digits: values that are equal but for rounding are ties.
    """
    found = []
    for arm in range(one.gap.shape[1]):
        both = [(part.second[:, arm, 0], part.gap[:, arm, 0]) for part in (one, other)]
        means, gaps = zip(*(((b + gap).round(11), gap.round(11)) for b, gap in both), strict=True)
        found += [stats.ks_2samp(*x, method="asymp").pvalue for x in (means, gaps)]
        counts = [
            [np.count_nonzero(part.ahead[:, arm, 0] == sign) for sign in (-1, 0, 1)]
            for part in (one, other)
        ]
        seen = np.array(counts)[:, np.sum(counts, axis=0) > 0]
        found.append(stats.chi2_contingency(seen).pvalue if seen.shape[1] > 1 else 1.0)
    return np.array(found)


def agree(generator, n, replicates, names=ALL, cutoffs=("none",)):
    one = draws(simulate, generator, names, n, replicates, 1, cutoffs)
    other = draws(aggregate, generator, names, n, replicates, 2, cutoffs)
    p = p_values(one, other)
    return p.min() > LEVEL / len(p)


@pytest.mark.parametrize("generator", PAIRS, ids=str)
def test_both_samplers_have_one_distribution_at_1000_items(generator):
    assert agree(generator, 1000, 600)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, 10_000])
@pytest.mark.parametrize("generator", PAIRS, ids=str)
def test_both_samplers_have_one_distribution(generator, n):
    assert agree(generator, n, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("generator", PAIRS, ids=str)
def test_both_samplers_have_one_distribution_at_100_000_items(generator):
    assert agree(generator, 100_000, 400)


def jittered(paired, widths, seed):
    """Add uniform noise of a width an arm to gap and mean, and take the signs from the sum."""
    noise = rng(seed).uniform(-0.5, 0.5, (2, *paired.gap.shape)) * np.array(widths)[:, None]
    gap = paired.gap + noise[0]
    ahead = np.where(np.array(widths)[:, None] > 0, np.sign(gap), paired.ahead)
    return Paired(paired.second - noise[0] + noise[1], gap, ahead)


# Cut at rank k, a constant discount takes values on a grid of 1/k and ties often, a linear one nearly
# so. In a part of three and more items that holds the cutoff the sampler's noise is normal and leaves
# the grid: no test of distributions passes that sees the single values. Both sides get the same noise
# of one step of the grid, which blurs the steps and leaves what is wider.
@pytest.mark.parametrize("generator", [Reference(), Latent(shares=(0.3, 0.1))], ids=str)
def test_both_samplers_agree_under_cutoffs(generator):
    cuts = [Cutoff.parse(cutoff) for cutoff in CUTOFFS]
    widths = [
        1 / cut.of(1000) if name.startswith(("linear", "constant")) and not cut.whole else 0.0
        for cut in cuts
        for name in ALL
    ]
    one, other = (
        jittered(draws(sampler, generator, ALL, 1000, 500, seed, CUTOFFS), widths, seed)
        for seed, sampler in enumerate((simulate, aggregate), start=1)
    )
    p = p_values(one, other)
    assert p.min() > LEVEL / len(p)


class OneWrongBin(Reference):
    """The reference pair with labels drawn as often as not in one bin of A's upper half."""

    def joint(self, edges_a, edges_b):
        joint = super().joint(edges_a, edges_b)
        wrong = np.searchsorted(edges_a, 0.3)
        joint[wrong] = joint[wrong].mean(axis=-1, keepdims=True)
        return joint


class CoarseTop(Reference):
    """The reference pair without relevant items in the first hundredth of A's list."""

    def joint(self, edges_a, edges_b):
        joint = super().joint(edges_a, edges_b)
        top = np.asarray(edges_a)[1:] <= 0.01
        joint[top, :, 0] += joint[top, :, 1]
        joint[top, :, 1] = 0
        return joint


@pytest.mark.parametrize("wrong", [OneWrongBin(), CoarseTop()], ids=["one bin", "the top"])
def test_a_sampler_with_a_wrong_bin_is_found(wrong):
    one = draws(simulate, Reference(), ALL, 10_000, 300, 1)
    other = draws(aggregate, wrong, ALL, 10_000, 300, 2)
    p = p_values(one, other)
    assert p.min() < LEVEL / len(p)


def summary(names, n, replicates):
    parts = discounts(*names)
    paired = aggregate(Reference(), parts, [n], replicates=replicates, rng=rng())
    return pd.DataFrame(tally(paired, parts, [n]))


def test_z_and_p_right_are_those_of_other_programs():
    ns = (1000, 10_000, 100_000)
    rows = pd.concat([summary(NAMES, n, 500) for n in ns])
    assert misses(summarise(rows).set_index(["discount", "n"]), ns) == []


def test_graded_gains_are_those_of_the_direct_sampler():
    pair, gain = Latent(shares=(0.4, 0.2, 0.05)), Exponential()
    one, other = (
        draws(sampler, pair, ["log2", "zipf"], 1000, 800, seed, gain=gain)
        for seed, sampler in enumerate((simulate, aggregate))
    )
    p = p_values(one, other)
    assert p.min() > LEVEL / len(p)


@pytest.mark.parametrize("n", [1000, 10**8, 10**12])
@pytest.mark.parametrize("name", ["constant", "power(beta=0)"])
def test_a_constant_discount_only_ties(name, n):
    found = draws(aggregate, Curves(levels=(0.5, 0.5)), [name], n, 20, 0)
    assert (found.ahead == 0).all()
    assert (found.gap == 0).all()


def test_rankers_alike_at_the_top_are_separated_where_they_differ():
    names, z = ["power(beta=2)", "geometric(p=0.5)"], {}
    for n in (10**5, 10**12):
        found = draws(aggregate, SharedTop(), names, n, 200, 0)
        z[n] = found.gap[:, 0, 0].mean() / found.gap[:, 0, 0].std(ddof=1)
        # 2^-r has vanished where the lists differ: the first difference decides.
        assert (found.ahead[:, 1, 0] != 0).all()
    # z grows like sqrt(n); each is off by z/sqrt(2 * 200), a twentieth.
    assert z[10**12] / z[10**5] == pytest.approx(10**3.5, rel=4 * 0.05 * 2**0.5)
    assert z[10**12] > 1e4


def test_at_ten_to_the_fifteen_items_the_limit_of_a_power_is_reached():
    # Theorem 7 of Wang et al. (2013) for ybar = .1 + .5 s^2: .8294, .7100 and .6339.
    names = [f"power(beta={b})" for b in (0.25, 0.5, 0.75)]
    found = draws(aggregate, Curves(a=(0.1, 0, 0.5)), names, 10**15, 5, 0)
    level = (found.second + found.gap)[:, :, 0].mean(axis=0)
    assert level == pytest.approx([0.8294, 0.7100, 0.6339], abs=2e-3)


# what a number may depend on


def test_other_discounts_lengths_and_cutoffs_change_nothing():
    few = aggregate(Reference(), discounts("zipf"), [10**6], replicates=25, rng=rng())
    many = aggregate(
        Reference(),
        discounts("log2", "zipf"),
        [100, 10**6, 10**9],
        replicates=30,
        rng=rng(),
        cutoffs=("10", None),
    )
    assert np.array_equal(few.gap[:, 0, 0], many.gap[:25, 3, 1])
    assert np.array_equal(few.second[:, 0, 0], many.second[:25, 3, 1])


def test_the_same_stream_gives_the_same_numbers():
    one, other = (draws(aggregate, Latent(), ["log2"], 10**9, 3, 7) for _ in range(2))
    assert np.array_equal(one.gap, other.gap)


@pytest.mark.parametrize("n", [2, 3, 10, 10**4, 10**12, 10**15])
def test_counts_are_those_of_n_items_and_edges_rise_from_0_to_1(n):
    ends = edges(n)
    assert (ends[0], ends[-1]) == (0, 1)
    assert (np.diff(ends) > 0).all()
    counts = Cells.of(Reference(), n).draw(n, rng())
    assert (counts.sum(axis=(1, 2)) == n).all()
    assert np.array_equal(*counts.sum(axis=1))


# cutoffs


@pytest.mark.parametrize("cutoff", ["5", "0.3n", "n^0.5", "none"])
def test_a_cutoff_of_the_direct_sampler_is_that_of_the_measure(cutoff):
    k = Cutoff.parse(cutoff).of(60)
    found = draws(simulate, Reference(), ["log2"], 60, 20, 3, (cutoff,))
    for place, stream in enumerate(rng(3).spawn(20)):
        sample = Reference().sample(60, rng=stream)
        weights = np.where(np.arange(60) < k, Log2()(np.arange(1, 61)), 0)
        ideal = weights @ -np.sort(-sample.grades)
        a, b = (weights @ sample.grades[np.argsort(-s)] / ideal for s in sample.scores)
        assert found.second[place, 0, 0] == pytest.approx(b)
        assert found.gap[place, 0, 0] == pytest.approx(a - b, abs=1e-12)


def test_rows_name_their_cutoff():
    parts, cutoffs = discounts("log2", "zipf"), (None, "0.2n")
    found = draws(aggregate, Reference(), ["log2", "zipf"], 1000, 10, 0, cutoffs)
    table = summarise(pd.DataFrame(tally(found, parts, [1000], cutoffs)))
    assert table["cutoff"].tolist() == ["none", "none", "0.2n", "0.2n"]
    assert table["discount"].tolist() == ["log2", "zipf"] * 2
    assert table["gap"].to_numpy() == pytest.approx(found.gap[:, :, 0].mean(axis=0))


def test_lists_that_depend_on_their_length_are_sorted_at_each():
    pair, ns = TwoStage(depth=20), (50, 200)
    both = simulate(pair, discounts("log2"), ns, replicates=3, rng=rng())
    short = simulate(pair, discounts("log2"), ns[:1], replicates=3, rng=rng())
    assert np.array_equal(both.gap[:, :, :1], short.gap)


# bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ns": [1]}, "`ns` must be a whole number at least 2, got 1"),
        ({"ns": [2**51]}, "`ns` must be at most 2"),
        (
            {"replicates": 0},
            "`replicates` must be a whole number at least 1 and at most 10,000,000, got 0",
        ),
        ({"cutoffs": ["200"]}, "`cutoff` must be at most n = 100, got 200"),
        ({"cutoffs": ["2n"]}, "`cutoff` must be at most n, got 2n"),
        ({"cutoffs": ["0"]}, "`cutoff` must be a whole rank at least 1, got 0"),
        ({"cutoffs": ["0n"]}, "`factor` must be a number above 0"),
        ({"cutoffs": ["ten"]}, r"`cutoff` must be none, a rank, 0.2n or n\^0.5, got 'ten'"),
        ({"generator": TwoStage()}, "has no closed form"),
    ],
)
def test_bad_input_is_refused(changes, message):
    good = {"generator": Reference(), "discounts": [Log2()], "ns": [100], "replicates": 2}
    with pytest.raises(ValueError, match=message):
        aggregate(**(good | changes), rng=rng())
