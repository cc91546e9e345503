"""Under no difference, a test rejects as often as its level says; real runs as was found elsewhere."""

import inference_oracles as oracle
import numpy as np
import pytest
from scipy import stats

from ndcgstudy import score
from ndcgstudy.inference.corrections import adjust
from ndcgstudy.inference.paired import pair_differences, paired_test
from ndcgstudy.inference.tukey import randomised_tukey
from ndcgstudy.seeding import rng_for

LEVELS = np.array([0.01, 0.05, 0.2, 0.5])
DRAWN = 4_000


def attainable(p_values):
    """The levels nearest below `LEVELS` that a test can have whose p takes these values."""
    return np.array([max(p for p in p_values if p <= level) for level in LEVELS])


def holds_its_level(name, topics, expected=LEVELS, resamples=3_999):
    """A law: under the null, p <= level as often as the level says, within 4 standard errors.

    All pairs share the resamples, so that the error of these does not average out over pairs.
    """
    d = rng_for(1, "null", topics).normal(0, 0.2, (DRAWN, topics))
    result = paired_test(name, d, rng=rng_for(2, name), resamples=resamples)
    rejected = (result.p[:, None] <= LEVELS).mean(axis=0)
    shared = 0 if name == "t" or result.exact.all() else 1 / resamples
    error = np.sqrt(expected * (1 - expected) * (1 / DRAWN + shared))
    assert (np.abs(rejected - expected) <= 4 * error).all(), rejected


@pytest.mark.parametrize(
    ("name", "topics"),
    [("t", 3), ("t", 20), ("randomisation", 20), ("randomisation", 50), ("bootstrap", 50)],
)
def test_level(name, topics):
    holds_its_level(name, topics)


def test_level_of_tests_whose_p_takes_few_values():
    sign = [stats.binomtest(won, 15).pvalue for won in range(16)]
    holds_its_level("sign", 15, attainable(sign))
    null = oracle.all_flips(10) @ np.arange(1, 11)
    ranks = [oracle.share(null, x, "two-sided") for x in range(56)]
    holds_its_level("wilcoxon", 10, attainable(ranks))
    flips = np.arange(2, 2**10 + 1, 2) / 2**10
    holds_its_level("randomisation", 10, attainable(flips))


def test_the_bootstrap_of_the_mean_is_too_bold_on_few_topics():
    with pytest.raises(AssertionError):
        holds_its_level("bootstrap-mean", 10)


def test_the_pairs_of_the_covid_runs(covid):
    """Shares of the 10,153 pairs that are separated at 95%, found once by independent scripts."""
    (scores,) = score(covid.judgments, covid.runs, "nDCG@10").scores.values()
    differences = pair_differences(scores.values)
    p = paired_test("t", differences).p
    assert (p <= 0.05).mean() == pytest.approx(0.72, abs=0.005)
    assert (adjust(p, "bonferroni").p <= 0.05).mean() == pytest.approx(0.33, abs=0.005)
    # That range came from some 1,000 permutations: its place among these has the error of both.
    tukey, gaps = randomised_tukey(scores.values, rng=rng_for(3)), abs(differences.mean(axis=1))
    error = 4 * np.sqrt(0.05 * 0.95 * (1 / 1_000 + 1 / 10_000))
    low, high = tukey.critical(0.95 - error), tukey.critical(0.95 + error)
    assert low <= 0.289 <= high
    assert (gaps > high).mean() <= 0.28 <= (gaps > low).mean()
