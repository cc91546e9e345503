"""Tests of paired differences, against scipy and against enumeration."""

import inference_oracles as oracle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.inference import resampled, signedrank
from ndcgstudy.inference.outcome import ALTERNATIVES, Outcome
from ndcgstudy.inference.paired import TESTS, pair_differences, paired_test
from ndcgstudy.seeding import rng_for

SAMPLED = ("randomisation", "bootstrap", "bootstrap-mean")
both_ways = pytest.mark.parametrize("alternative", ALTERNATIVES)
every_test = pytest.mark.parametrize("name", TESTS)


def noise(*shape, label="noise", shift=0.0):
    return rng_for(1, label).normal(shift, 0.2, shape)


def lattice(pairs, topics, label="lattice"):
    """Differences of a measure with few values: many ties, many zeros, none of them exact in floats."""
    return rng_for(2, label).integers(-3, 5, (pairs, topics)) / 10 * 1.1


def p_of(name, differences, **options):
    options.setdefault("rng", rng_for(3, name))
    return paired_test(name, differences, **options).p


def spread(p, resamples):
    """The standard error of a share found in so many resamples."""
    return np.sqrt(p * (1 - p) / resamples) + 1 / resamples


@both_ways
@pytest.mark.parametrize("topics", [2, 5, 30])
def test_t_is_scipys(alternative, topics):
    d = noise(40, topics, shift=0.05)
    result = paired_test("t", d, alternative=alternative)
    other = stats.ttest_1samp(d, 0.0, axis=1, alternative=alternative)
    np.testing.assert_allclose(result.p, other.pvalue, rtol=1e-10)
    np.testing.assert_allclose(result.statistic, other.statistic, rtol=1e-10)
    assert not result.exact.any()


@both_ways
def test_sign_is_the_binomial(alternative):
    d = lattice(40, 21)
    result = paired_test("sign", d, alternative=alternative)
    for row, p, won in zip(d, result.p, result.statistic, strict=True):
        trials = int((row != 0).sum())
        other = stats.binomtest(int(won), trials, alternative=alternative).pvalue
        assert p == pytest.approx(other, rel=1e-10)


@both_ways
@pytest.mark.parametrize("topics", [1, 4, 17, 50])
def test_wilcoxon_without_ties_is_scipys_exact_one(alternative, topics):
    d = noise(20, topics, shift=0.05)
    result = paired_test("wilcoxon", d, alternative=alternative)
    for row, p in zip(d, result.p, strict=True):
        other = stats.wilcoxon(row, alternative=alternative, method="exact")
        assert p == pytest.approx(other.pvalue, rel=1e-9)
    assert result.exact.all()


@both_ways
@pytest.mark.parametrize(("name", "zeros"), [("wilcoxon", "wilcox"), ("wilcoxon-pratt", "pratt")])
def test_wilcoxon_on_many_topics_is_scipys_approximation(alternative, name, zeros):
    d = lattice(30, 90)
    result = paired_test(name, d, alternative=alternative)
    assert not result.exact.any()
    for row, p in zip(np.round(d, 12), result.p, strict=True):
        # "approx" became "asymptotic" in later versions, which still take it
        other = stats.wilcoxon(
            row, zero_method=zeros, correction=True, alternative=alternative, method="approx"
        )
        assert p == pytest.approx(other.pvalue, rel=1e-9)


@both_ways
@pytest.mark.parametrize("topics", [1, 6, 9])
def test_all_sign_patterns_are_counted(alternative, topics):
    d = np.vstack([lattice(12, topics), noise(12, topics)])
    for name, expected in {
        "randomisation": oracle.randomisation,
        "wilcoxon": lambda x, a: oracle.signed_rank(x, a, keep_zeros=False),
        "wilcoxon-pratt": lambda x, a: oracle.signed_rank(x, a, keep_zeros=True),
    }.items():
        result = paired_test(name, d, alternative=alternative)
        np.testing.assert_allclose(result.p, [expected(x, alternative) for x in d], rtol=1e-12)
        assert result.exact.all()


@both_ways
def test_randomisation_is_scipys_permutation_test(alternative):
    d = noise(1, 9, shift=0.1)
    other = stats.permutation_test(
        (d[0], np.zeros(9)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative=alternative,
        vectorized=True,
    )
    assert p_of("randomisation", d, alternative=alternative)[0] == pytest.approx(other.pvalue)


@both_ways
def test_sampled_sign_flips_estimate_the_exact_p(alternative, monkeypatch):
    d = np.vstack([lattice(20, 12), noise(20, 12)])
    exact = p_of("randomisation", d, alternative=alternative)
    monkeypatch.setattr(resampled, "MOST_EXACT", 0)
    result = paired_test("randomisation", d, alternative=alternative, rng=rng_for(4, alternative))
    assert not result.exact.any()
    assert (np.abs(result.p - exact) <= 4 * spread(exact, 10_000)).all()


@both_ways
@pytest.mark.parametrize(
    ("name", "statistic"), [("bootstrap", oracle.t_of), ("bootstrap-mean", oracle.mean_of)]
)
def test_bootstrap_estimates_the_share_of_all_resamples(alternative, name, statistic):
    flat = [[0.3, 0, 0, 0, 0], [0.1, -0.1, 0, 0, 0]]
    tied = [[0, 0, x] for x in (0.3, 0.7, 0.9)] + [[-x, 2 * x, 2 * x] for x in (0.1, 0.7)]
    still = [[0.1, 0.3, 0.5], [0.1, 0.2, 0.3], [0.7, 0.8, 0.9]]  # one topic at the mean
    for d in (lattice(5, 5), noise(4, 5, shift=0.2), np.array(flat), np.array(tied + still)):
        expected = np.array([oracle.bootstrap(x, alternative, statistic) for x in d])
        found = p_of(name, d, alternative=alternative)
        assert (np.abs(found - expected) <= 4 * spread(expected, 10_000)).all()


def test_the_two_bootstraps_differ():
    d = noise(4, 5, shift=0.2)
    expected = [oracle.bootstrap(x, "two-sided", oracle.t_of) for x in d]
    assert not (np.abs(p_of("bootstrap-mean", d) - expected) <= 4 * spread(0.5, 10_000)).all()


def test_exact_up_to_sixteen_topics_that_differ():
    d = np.abs(noise(2, 40)) + 0.1
    d[0, 16:], d[1, 17:] = 0.0, 0.0
    result = paired_test("randomisation", d, rng=rng_for(5))
    assert result.exact.tolist() == [True, False]
    assert result.p.tolist() == [2 / 2**16, 1 / 10_001]


def never_below_the_smallest(name):
    """A law: data on one side only give a p that the resamples, or 2^-T, can vouch for."""
    assert (p_of(name, noise(3, 40, shift=9.0), resamples=99) >= 1 / 100).all()


@pytest.mark.parametrize("name", SAMPLED)
def test_a_sampled_p_is_never_below_its_resolution(name):
    never_below_the_smallest(name)


def test_a_p_of_count_over_resamples_breaks_that_law(monkeypatch):
    def count_over_n(differences, alternative, draws):
        found = resampled.randomisation(differences, alternative, draws)
        return Outcome(found.p - (1 - found.p) / draws.resamples, *found[1:])

    monkeypatch.setitem(TESTS, "randomisation", count_over_n)
    with pytest.raises(AssertionError):
        never_below_the_smallest("randomisation")


@every_test
@both_ways
def test_p_is_never_zero(name, alternative):
    d = noise(2, 1500, shift=3.0)
    assert (p_of(name, d, alternative=alternative, resamples=9) > 0).all()


@every_test
@both_ways
def test_identical_systems_give_one(name, alternative):
    noisy = np.array([0.1 + 0.2 - 0.3] * 5)
    result = paired_test(
        name, [np.zeros(5), noisy], alternative=alternative, rng=rng_for(6), resamples=99
    )
    assert result.p.tolist() == [1.0, 1.0]
    assert result.degenerate.all()
    assert result.statistic.tolist() == [0.0, 0.0]


@every_test
def test_a_constant_difference_is_judged_by_its_topics(name):
    b = np.arange(8) / 10
    d = [[0.05] * 8, b - (b + 0.05)]  # the second but for the noise of floats
    for alternative, p in {
        "two-sided": [2**-7, 2**-7],
        "greater": [2**-8, 1.0],
        "less": [1.0, 2**-8],
    }.items():
        result = paired_test(name, d, alternative=alternative, rng=rng_for(7), resamples=99)
        assert result.p.tolist() == p
        assert result.degenerate.all()
    assert p_of(name, [0.3], resamples=99) == 1.0  # one topic tells nothing


@every_test
@given(st.lists(st.integers(-8, 8), min_size=1, max_size=12))
def test_the_sides_mirror_each_other(name, eighths):
    d = np.array(eighths) / 8
    less = p_of(name, d, alternative="less", resamples=20)
    assert less == p_of(name, -d, alternative="greater", resamples=20)
    assert 0 < less <= 1
    two = p_of(name, d, resamples=20)
    assert two == p_of(name, -d, resamples=20)


def ranks_tie_where_differences_do():
    a, b = np.array([0.5, 0.825, 0.375, 0.5]), np.array([0.525, 0.775, 0.325, 0.55])
    assert signedrank.doubled_ranks((a - b)[None]).tolist() == [[2, 6, 6, 6]]


def test_differences_are_rounded_before_they_are_ranked(monkeypatch):
    ranks_tie_where_differences_do()
    monkeypatch.setattr(signedrank, "DIGITS", 17)
    with pytest.raises(AssertionError):
        ranks_tie_where_differences_do()


@pytest.mark.parametrize("name", SAMPLED)
def test_the_seed_alone_decides(name):
    d = noise(300, 20)
    first = p_of(name, d, rng=rng_for(8), resamples=2500)
    for workers in (1, 2, 5):
        again = p_of(name, d, rng=rng_for(8), resamples=2500, workers=workers)
        assert again.tolist() == first.tolist()
    assert p_of(name, d[7], rng=rng_for(8), resamples=2500) == first[7]  # whatever else is tested
    assert p_of(name, d, rng=rng_for(9), resamples=2500).tolist() != first.tolist()


@every_test
def test_topics_that_do_not_count_are_left_out(name):
    d = noise(4, 20)
    d[1, 3], d[2, 5:], d[3] = np.nan, np.nan, np.nan
    result = paired_test(name, d, rng=rng_for(10), resamples=99)
    for row, kept in ((0, slice(None)), (1, np.arange(20) != 3), (2, slice(5))):
        alone = paired_test(name, d[row, kept], rng=rng_for(10), resamples=99)
        assert result.p[row] == alone.p
        assert result.statistic[row] == pytest.approx(float(alone.statistic))
    assert np.isnan(result.p[3])
    assert result.topics.tolist() == [20, 19, 5, 0]


@every_test
def test_shapes(name):
    one = paired_test(name, [0.1, 0.2, -0.1], rng=rng_for(11), resamples=9)
    assert one.p.shape == one.exact.shape == ()
    assert p_of(name, np.empty((0, 5)), resamples=9).shape == (0,)


def test_pairs_of_systems():
    values = noise(4, 3)
    assert pair_differences(values).shape == (6, 3)
    some = pair_differences(values, [3, 0], [1, 2])
    assert some.tolist() == [(values[3] - values[1]).tolist(), (values[0] - values[2]).tolist()]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("student", [0.1]), {}, "`name` must be a test, got 'student'; known: bootstrap, "),
        (("Sign", [0.1]), {}, "did you mean 'sign'"),
        (("t", [0.1]), {"alternative": "both"}, "`alternative` must be one of two-sided"),
        (("t", 0.1), {}, r"`differences` must have shape .* got \(\)"),
        (("t", [0.1, np.inf]), {}, "`differences` must be finite"),
        (("bootstrap", [0.1, 0.2]), {}, "`rng` must be a numpy Generator"),
        (("bootstrap", [0.1]), {"resamples": 0, "rng": rng_for(0)}, "`resamples` must be"),
        (("bootstrap", [0.1]), {"workers": 0, "rng": rng_for(0)}, "`workers` must be"),
    ],
)
def test_mistakes_are_named(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        paired_test(*arguments, **options)


def test_what_deserves_a_word_is_told():
    d = np.array([[0.1, 0.1, 0.1], [0.1, 0.2, 0.4]])
    notes = {name: paired_test(name, d, rng=rng_for(9)).notes for name in ("t", "bootstrap-mean")}
    assert notes["t"] == ("1 of 2 pairs differ by the same on every topic",)
    assert notes["bootstrap-mean"][0].startswith("test bootstrap-mean: rejected")
    assert "with 3 topics" in notes["bootstrap-mean"][0]
    assert paired_test("t", d[1]).notes == ()
