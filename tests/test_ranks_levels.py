"""How often the sets of ranks hold the truth, and the model confidence set beside them."""

import numpy as np
import pytest
from arch.bootstrap import MCS
from ranked import by_name, drawn
from scipy import stats

from ndcgstudy.formats import read_scores
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.seeding import rng_for


def sets(scores, *, rng, **how):
    found = ranks(scores, resamples=199, rng=rng, **how)
    order = np.argsort([int(name[1:]) for name in found.systems])
    return found.rank_low[order], found.rank_high[order], found.tied_for_first[order]


def falls_short(covered, level):
    """Whether a share of draws lies 3 standard errors and more below the level."""
    covered = np.asarray(covered)
    return covered.mean() < level - 3 * np.sqrt(level * (1 - level) / covered.size)


def true_ranks(means):
    return 1 + (np.asarray(means)[:, None] < means).sum(axis=1)


def pairwise(scores, level):
    """Wrong sets: pairs told apart by t-tests, each at the level of all."""
    d = scores.values[:, None] - scores.values
    error = np.maximum(d.std(axis=2, ddof=1) / np.sqrt(d.shape[2]), 1e-9)
    told = np.abs(d.mean(axis=2)) / error > stats.t.ppf((1 + level) / 2, d.shape[2] - 1)
    difference = scores.mean()[:, None] - scores.mean()
    low = 1 + (told & (difference < 0)).sum(axis=1)
    return low, len(told) - (told & (difference > 0)).sum(axis=1)


@pytest.mark.parametrize("means", [np.zeros(5), np.array([0.4, 0.4, 0.4, 0.0, 0.0])])
def test_all_true_ranks_lie_in_simultaneous_sets(means):
    level, right, wrong, rng = 0.9, [], [], rng_for(14)
    truth = true_ranks(means)
    for _ in range(400):
        scores = drawn(means, 40, rng)
        low, high, _ = sets(scores, level=level, rng=rng)
        right.append(((low <= truth) & (truth <= high)).all())
        low, high = pairwise(scores, level)
        wrong.append(((low <= truth) & (truth <= high)).all())
    assert not falls_short(right, level)
    assert falls_short(wrong, level)


def test_each_true_rank_lies_in_its_marginal_set_and_the_best_may_be_first():
    level, means, rng = 0.9, np.zeros(6), rng_for(15)
    right, first, wrong = [], [], []
    for _ in range(400):
        scores = drawn(means, 40, rng)
        low, high, may = sets(scores, level=level, family="marginal", rng=rng)
        right.append((low[0] <= 1) & (high[0] >= 1))
        first.append(may[0])
        rivals = np.broadcast_to(scores.values[0], (5, 40)), scores.values[1:]
        p = stats.ttest_rel(*rivals, axis=1, alternative="less").pvalue
        wrong.append(min(p) > 1 - level)  # one-sided tests, not corrected for five rivals
    assert not falls_short(right, level)
    assert not falls_short(first, level)
    assert falls_short(wrong, level)
    assert np.mean(first) < np.mean(right)  # one-sided: nearer to the level


def confidence_set(scores, method, sign=1):
    """The model confidence set of independent topics (Hansen, Lunde and Nason 2011)."""
    losses = 1 - sign * scores.values.T
    mcs = MCS(losses, 0.05, reps=499, block_size=1, method=method, bootstrap="mbb", seed=1)
    mcs.compute()
    return {scores.systems[i] for i in mcs.included}


@pytest.mark.parametrize("method", ["R", "max"])
def test_clear_leaders_are_those_of_the_model_confidence_set(method):
    """Three leaders far ahead: either set holds leaders alone, and loses one in some draws.

    The model confidence set drops any of them in 5% of the draws, the set tied for first each of
    them in up to 5%; so 9 of 10 draws agree, or more.
    """
    rng, same = rng_for(16), []
    leaders = {"s0", "s1", "s2"}
    for _ in range(40):
        scores = drawn([2, 2, 2, 0, 0, 0, 0], 40, rng)
        found = ranks(scores, resamples=499, rng=rng)
        first = {name for name, may in by_name(found, "tied_for_first").items() if may}
        theirs = confidence_set(scores, method)
        assert first <= leaders
        assert theirs <= leaders
        same.append(first == theirs)
        assert not first & confidence_set(scores, method, sign=-1)  # losses of the wrong sign
    assert not falls_short(same, 0.9)


@pytest.mark.parametrize("name", ["web2013_ap.csv", "web2013_ndcg20.csv", "web2013_err20.csv"])
def test_the_model_confidence_set_is_wider_on_real_scores(name, data_folder):
    """It must hold all best systems at once, and starts from a test that all systems are alike."""
    scores = read_scores(data_folder / "topic_scores" / "urbano" / name).scores
    found = ranks(scores, resamples=499)
    first = {name for name, may in by_name(found, "tied_for_first").items() if may}
    assert 1 < len(first) < len(scores.systems)
    for method in ("R", "max"):
        theirs = confidence_set(scores, method)
        assert found.systems[0] in first & theirs
        assert first <= theirs
