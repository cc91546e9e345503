"""The 10,153 gaps of TREC-COVID round 1 in nDCG@10, against figures computed before and elsewhere."""

import numpy as np
import pytest

from ndcgstudy import gaps, score
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.gaps import Gaps
from ndcgstudy.inference.largest import largest
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.scales import observed_scale, own, ratio, resampled, shrunken

RESAMPLES = 2000
ROUNDING = 0.005  # the known figures are whole percents


@pytest.fixture(scope="module")
def scores(covid):
    return score(covid.judgments, covid.runs, "nDCG@10").scores["nDCG@10"]


def found(scores, method, family, seed=0, resamples=RESAMPLES) -> Gaps:
    rng = np.random.default_rng(seed)
    return gaps(scores, method=method, family=family, resamples=resamples, rng=rng)


@pytest.mark.parametrize(
    ("method", "family", "known"), [("t", "each", 0.72), ("bonferroni", "all", 0.33)]
)
def test_what_is_not_drawn_is_met(scores, method, family, known):
    assert found(scores, method, family).share == pytest.approx(known, abs=ROUNDING)


@pytest.mark.parametrize(
    ("method", "family", "known"),
    [("percentile", "each", 0.73), ("range", "all", 0.38), ("tukey", "all", 0.28)],
)
def test_what_is_drawn_is_met_within_monte_carlo_error(scores, method, family, known):
    shares = [found(scores, method, family, seed).share for seed in range(4)]
    error = np.std(shares, ddof=1) * np.sqrt(1 + 1 / 4)
    assert np.mean(shares) == pytest.approx(known, abs=ROUNDING + 4 * error)


@pytest.mark.parametrize(
    ("scale", "flip", "known"),
    [
        (own, False, 0.46),
        (resampled, True, 0.37),
        (resampled, False, 0.14),
        (shrunken(0.5), False, 0.40),
    ],
    ids=["max", "sign-flip", "max-t", "shrunken"],
)
def test_simultaneous_shares_are_met_within_monte_carlo_error(scores, scale, flip, known):
    """The critical value is an order statistic; both sides drew it, ours less often."""
    sample = sample_of(scores)
    rng = np.random.default_rng(1)
    task = Task(sample, Family("all", len(sample.systems)), 0.95, RESAMPLES, rng)
    tops = np.sort(largest(task, scale, flip=flip).max(axis=0))
    gap, square = observed_scale(task, scale)
    error = 4 * np.sqrt(0.95 * 0.05 * (1 / RESAMPLES + 1 / 1000))
    most, least = (
        float(np.mean(ratio(gap, square) > np.quantile(tops, level)))
        for level in (0.95 - error, 0.95 + error)
    )
    assert least - ROUNDING <= known <= most + ROUNDING


def test_no_two_neighbours_are_told_apart(scores):
    result = found(scores, "t", "each")
    assert not result.separated[result.second == result.first + 1].any()
    assert not found(scores, "shrunken", "neighbours").separated.any()


def test_the_default_separates_two_pairs_in_five(scores):
    assert found(scores, None, "all", resamples=10_000).share >= 0.40
