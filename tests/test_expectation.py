"""What theory expects of finite lists, against closed sums, direct simulation and known figures."""

from itertools import pairwise

import numpy as np
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import Exponential, Linear
from ndcgstudy.moments import Moments
from ndcgstudy.separability import simulate
from ndcgstudy.separability.expectation import expect, expected_curve
from ndcgstudy.separability.ranklaw import Depths, RankLaw
from ndcgstudy.synthetic import GENERATORS, Reference, Sample

NAMES = ("loglog", "log2", "power(beta=0.25)", "power(beta=0.5)", "zipf", "power(beta=2)")
SQUARE = "curves(a=(0.1,0.0,0.5))"  # P(relevant | s) = .1 + .5 s^2, against a random ranker
GRADED = "curves(a=(0.1,0.0,0.5),levels=(0.7,0.2,0.1))"


def discount(name):
    return DISCOUNTS.parse(name)


def pair(name):
    return GENERATORS.parse(name)


# the law of a rank


@pytest.mark.parametrize("n", [2, 10, 1000, 10**6, 10**12])
def test_the_mean_and_spread_of_a_rank_are_those_of_a_binomial(n):
    depths = np.array([0.0, 1e-13, 1 / n, 0.01, 0.3, 0.999, 1.0])
    found = RankLaw.of(n, depths).weigh(lambda ranks: 1.0 * ranks, n)
    mean, variance = 1 + (n - 1) * depths, (n - 1) * depths * (1 - depths)
    assert found.mean == pytest.approx(mean, rel=1e-9)
    assert found.slope == pytest.approx(variance, rel=1e-6, abs=1e-6)
    assert found.spread**2 == pytest.approx(variance)


@pytest.mark.parametrize("cutoff", [1, 30, 777, 1000])
@pytest.mark.parametrize("name", ["log2", "power(beta=2)", "linear(depth=50)"])
def test_weights_integrate_to_the_sum_of_the_discount(name, cutoff):
    # Whatever the relevance, every rank is taken once: n * integral of W = D(1) + ... + D(k).
    n = 1000
    depths = Depths.of(n, cutoff=cutoff)
    weighed = RankLaw.of(n, depths.nodes).weigh(discount(name), cutoff)
    total = discount(name)(np.arange(1, cutoff + 1)).sum()
    assert n * depths.integral(weighed.mean) == pytest.approx(total, rel=2e-5)


def test_integrals_run_to_every_node():
    depths = Depths.of(10**6, breaks=[0.3])
    assert depths.running(depths.nodes**3) == pytest.approx(depths.nodes**4 / 4, rel=1e-12)


# closed sums


def test_the_mean_of_the_level_is_the_sum_over_ranks_of_linear_curves():
    # E[DCG] = sum D(r) ybar(1 - r/(n+1)), as Beta(r, n - r + 1) has the mean r/(n+1); the ideal is
    # taken out by a collection in which every item is relevant for grade 1 or 2.
    n, names = 500, ("log2", "zipf")
    for name in names:
        weights = discount(name)(np.arange(1, n + 1))
        s = 1 - np.arange(1, n + 1) / (n + 1)
        exact = [weights @ (0.3 + slope * (s - 0.5)) for slope in (0.4, 0.1)]
        found = expect(Reference(), discount(name), n)
        assert found.mean_a / found.mean_b == pytest.approx(exact[0] / exact[1], rel=2e-3)


def test_the_level_of_the_logarithm_at_400_000_items_is_the_one_found_before():
    # .9311 stands in the notes of this project, from an independent program.
    assert expect(pair(SQUARE), discount("log2"), 400_000).mean_a == pytest.approx(0.9311, abs=5e-5)


@pytest.mark.parametrize("n", [1000, 10**8, 10**12])
def test_a_random_ranker_comes_up_to_one_as_the_notes_say(n):
    # 1 - log(1/p)/log n to first order, so up to (log(1/p)/log n)^2 and a constant over log^2 n.
    p = 0.1 + 0.5 / 3
    found = expect(pair(SQUARE), discount("log2"), n).mean_b
    rough = np.log(1 / p) / np.log(n)
    assert 1 - found == pytest.approx(rough, abs=3 * rough**2)


# simulation


def compared(generator, name, n, replicates, *, cutoff=None, gain=None, seed=0):
    """Return deviations in standard errors of three means, and of three standard deviations less 1%."""
    part = discount(name)
    k = n if cutoff is None else cutoff

    def cut(ranks):
        return part(ranks) * (np.asarray(ranks) <= k)

    gain = gain or Linear()
    rng = np.random.default_rng(seed)
    found = simulate(generator, [cut], [n], replicates=replicates, rng=rng, gain=gain)
    theory = expect(generator, part, n, cutoff=cutoff, gain=gain)
    b, gap = found.second[:, 0, 0], found.gap[:, 0, 0]
    stated = {
        "a": (b + gap, theory.mean_a, theory.sd_a),
        "b": (b, theory.mean_b, theory.sd_b),
        "gap": (gap, theory.gap, theory.sd),
    }
    return {name: deviation(*values) for name, values in stated.items()}


def deviation(values, mean, sd):
    """Return by how many standard errors mean and standard deviation of a sample are off."""
    found = Moments.of(values)
    spread = np.sqrt(found.m2 / found.count)
    kurtosis = found.m4 * found.count / found.m2**2
    error = spread * np.sqrt((kurtosis - 1) / 4 / found.count)
    off = max(abs(spread - sd) - 0.01 * spread, 0) / error  # 1%: the stated accuracy of the spread
    return abs(found.mean - mean) / (spread / np.sqrt(found.count)), off


def worst(found, what):
    return max(value[what] for value in found.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["reference", SQUARE, GRADED, "shared_top"])
def test_mean_and_spread_are_those_of_direct_simulation(text, name):
    found = compared(pair(text), name, 200, 1500)
    assert worst(found, 0) < 4
    assert worst(found, 1) < 4


@pytest.mark.parametrize("text", ["reference", GRADED])
@pytest.mark.parametrize("name", ["log2", "power(beta=2)"])
def test_the_mean_holds_from_ten_items_on(text, name):
    assert worst(compared(pair(text), name, 10, 6000), 0) < 4


@pytest.mark.parametrize("cutoff", [1, 10, 60])
@pytest.mark.parametrize("name", ["constant", "log2", "zipf"])
def test_cutoffs_are_those_of_direct_simulation(name, cutoff):
    found = compared(pair(SQUARE), name, 300, 1500, cutoff=cutoff)
    assert worst(found, 0) < 4
    assert worst(found, 1) < 4


def test_gains_count():
    found = compared(pair(GRADED), "log2", 300, 1500, gain=Exponential())
    assert worst(found, 0) < 4
    assert worst(found, 1) < 4


class Swapped:
    """The reference pair with its rankers in the other order: a wrong pair for the comparison."""

    def __init__(self):
        self.grades = 2

    def sample(self, n, *, rng):
        sample = Reference().sample(n, rng=rng)
        return Sample(sample.scores[::-1], sample.grades)

    def curves(self, s):
        return Reference().curves(s)

    def joint(self, edges_a, edges_b):
        return Reference().joint(edges_a, edges_b)


def test_the_comparison_finds_wrong_curves():
    assert worst(compared(Swapped(), "log2", 200, 1500), 0) > 10


class Loose(Swapped):
    """The shared top with the joint law of rankers that have nothing to do with each other."""

    def sample(self, n, *, rng):
        return pair("shared_top").sample(n, rng=rng)

    def curves(self, s):
        return pair("shared_top").curves(s)

    def joint(self, edges_a, edges_b):
        own = pair("shared_top").joint(edges_a, edges_a).sum(axis=1)
        return own[:, None] * np.diff(edges_b)[:, None]


def test_the_comparison_finds_a_wrong_joint_law():
    assert compared(Loose(), "zipf", 200, 1500)["gap"][1] > 10


# what must not change


def test_a_shift_of_all_weights_changes_neither_z_nor_chance():
    part = discount("zipf")
    plain, shifted = (
        expect(Reference(), f, 10**6) for f in (part, lambda ranks: 3 * part(ranks) + 2)
    )
    assert shifted.z == pytest.approx(plain.z, rel=1e-4)


@pytest.mark.parametrize("n", [1000, 10**12])
def test_a_constant_discount_ties(n):
    found = expect(Reference(), discount("constant"), n)
    assert (found.gap, found.sd) == (0, 0)
    assert np.isnan(found.z)
    assert found.mean_a == pytest.approx(1, abs=1e-9)


def test_z_of_rankers_alike_at_the_top_grows_like_the_root_of_n_under_a_bounded_sum():
    curve = expected_curve(pair("shared_top"), discount("power(beta=2)"), (10**4, 10**8, 10**12))
    ratios = [later.z / earlier.z for earlier, later in pairwise(curve)]
    assert ratios == pytest.approx([100, 100], rel=0.01)


# bad input


@pytest.mark.parametrize("n", [1, 0, 10.5, float("nan")])
def test_a_list_that_is_none_is_refused(n):
    with pytest.raises(ValueError, match="`n` must be a whole number at least 2"):
        expect(Reference(), discount("log2"), n)


def test_a_cutoff_beyond_the_list_is_refused():
    with pytest.raises(ValueError, match="`cutoff` must be at most n = 5"):
        expect(Reference(), discount("log2"), 5, cutoff=10)


def test_a_generator_without_a_law_is_refused():
    class Bare:
        def sample(self, n, *, rng):
            return Reference().sample(n, rng=rng)

    with pytest.raises(ValueError, match="has no closed form"):
        expect(Bare(), discount("log2"), 5)
