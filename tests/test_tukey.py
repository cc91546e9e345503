"""The randomised Tukey HSD: against all permutations, and its family-wise level."""

import itertools

import numpy as np
import pytest
from scipy import stats

from ndcgstudy.inference import tukey
from ndcgstudy.inference.paired import pair_differences, paired_test
from ndcgstudy.inference.tukey import Tukey, randomised_tukey
from ndcgstudy.seeding import rng_for


def some(systems, topics, *label):
    return rng_for(1, *label).normal(0, 0.2, (systems, topics))


def all_ranges(values):
    """Return the range of the means in all (S!)^T permutations."""
    columns = [list(itertools.permutations(topic)) for topic in values.T]
    return np.array([np.ptp(np.sum(x, axis=0)) / len(x) for x in itertools.product(*columns)])


def agrees_with_all_permutations(values):
    """A law: the sampled p of every pair is the exact one, within 4 standard errors."""
    gaps = np.abs(pair_differences(values).mean(axis=1))
    exact = (all_ranges(values)[:, None] >= gaps - 1e-9).mean(axis=0)
    p = randomised_tukey(values, rng=rng_for(2)).p(gaps)
    assert (np.abs(p - exact) <= 4 * np.sqrt(exact * (1 - exact) / 10_000) + 1e-4).all()


@pytest.mark.parametrize(("systems", "topics"), [(2, 6), (3, 3), (4, 2), (3, 1)])
def test_all_permutations(systems, topics):
    agrees_with_all_permutations(some(systems, topics))


def test_all_permutations_with_ties():
    agrees_with_all_permutations(np.round(some(3, 4), 1) * 1.1)


def test_systems_permuted_as_a_whole_break_that_law(monkeypatch):
    def whole(scores, chunk):
        rng = chunk.rng()
        moved = [rng.permutation(scores).mean(axis=1) for _ in range(chunk.size)]
        return np.ptp(moved, axis=1)

    monkeypatch.setattr(tukey, "_ranges", whole)
    with pytest.raises(AssertionError):
        agrees_with_all_permutations(some(3, 3))


def test_two_systems_are_the_sign_flip_test():
    values = some(2, 12)
    (difference,) = pair_differences(values)
    exact = float(paired_test("randomisation", difference).p)
    found = float(randomised_tukey(values, rng=rng_for(3)).p(difference.mean()))
    assert abs(found - exact) <= 4 * np.sqrt(exact * (1 - exact) / 10_000) + 1e-4


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("permutations", [1, 9, 19, 99, 250])
def test_a_gap_above_the_critical_range_is_one_of_small_p(level, permutations):
    found = randomised_tukey(np.round(some(4, 5), 1), rng=rng_for(4), permutations=permutations)
    gaps = np.concatenate([found.ranges + shift for shift in (-1e-6, 0.0, 1e-6)])
    significant = found.p(gaps) <= 1 - level + 1e-12
    assert significant.tolist() == (gaps > found.critical(level) + 1e-9).tolist()


def test_too_few_permutations_separate_nothing():
    found = Tukey(np.linspace(0, 1, 18))
    assert found.critical(0.95) == np.inf
    assert found.p(9.0) == 1 / 19


def test_no_gap_gives_one():
    found = randomised_tukey(np.ones((3, 4)), rng=rng_for(5), permutations=99)
    assert found.p([0.0, -0.0]).tolist() == [1.0, 1.0]


def test_the_seed_alone_decides():
    values = some(5, 8)
    first = randomised_tukey(values, rng=rng_for(6), permutations=1500).ranges
    again = randomised_tukey(values, rng=rng_for(6), permutations=1500).ranges
    other = randomised_tukey(values, rng=rng_for(7), permutations=1500).ranges
    assert first.tolist() == again.tolist() != other.tolist()


REPLICATES, SYSTEMS, TOPICS = 400, 8, 15


def holds_the_family_level(smallest_p):
    """A law: without any difference the smallest p of a family is <= 0.05 in 5% of families."""
    families = some(REPLICATES * SYSTEMS, TOPICS, "null").reshape(REPLICATES, SYSTEMS, TOPICS)
    rejected = sum(smallest_p(values) <= 0.05 for values in families)
    assert stats.binomtest(rejected, REPLICATES, 0.05).pvalue > 1e-4, rejected


def test_family_level():
    rng = rng_for(8)

    def smallest(values):
        gaps = pair_differences(values).mean(axis=1)
        return randomised_tukey(values, rng=rng, permutations=199).p(gaps).min()

    holds_the_family_level(smallest)


def test_tests_pair_by_pair_do_not_hold_the_family_level():
    with pytest.raises(AssertionError):
        holds_the_family_level(lambda values: paired_test("t", pair_differences(values)).p.min())


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.1, 0.2], "`values` must have shape"),
        ([[0.1, 0.2]], "with two systems or more"),
        ([[0.1, np.nan], [0.2, 0.3]], "`values` must be finite on every topic, got 1"),
    ],
)
def test_mistakes_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        randomised_tukey(values, rng=rng_for(0))
    with pytest.raises(ValueError, match="`permutations` must be"):
        randomised_tukey([[0.1], [0.2]], rng=rng_for(0), permutations=0)
    with pytest.raises(ValueError, match="`level` must be"):
        Tukey(np.array([0.1])).critical(95)
