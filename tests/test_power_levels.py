"""Whether the interval for a difference of shares holds its level, on real topics and at full size."""

import numpy as np
import pytest

from ndcgstudy.boards import board
from ndcgstudy.data import Scores
from ndcgstudy.inference import separated
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.power import discriminative_power
from ndcgstudy.inference.separated import Rule, separate

pytestmark = pytest.mark.slow
DRAWS, SYSTEMS = 400, slice(None, None, 2)


def alike(topics, rng, pair=("web2013_ndcg20", "web2013_ap")):
    """Draw topics, on each of which a coin says which of two real measures is the first.

    So both are the same in distribution, and yet differ on the topics drawn.
    """
    one, two = (board(name).values[SYSTEMS] for name in pair)
    drawn, coin = rng.integers(0, one.shape[1], topics), rng.random(topics) < 0.5
    first = np.where(coin, one[:, drawn], two[:, drawn])
    second = np.where(coin, two[:, drawn], one[:, drawn])
    names = tuple(map(str, range(len(one)))), tuple(map(str, range(topics)))
    return Scores(first, *names, "A"), Scores(second, *names, "B")


@pytest.mark.parametrize("topics", [15, 30, 50])
@pytest.mark.parametrize("other", ["web2013_ap", "web2013_rr"])
def test_of_two_measures_alike_one_is_seldom_said_to_separate_more(data_folder, topics, other):
    rng = np.random.default_rng(topics)
    verdicts = [
        discriminative_power(
            alike(topics, rng, ("web2013_ndcg20", other)), resamples=199, rng=rng
        ).verdicts[1]
        for _ in range(DRAWS)
    ]
    wrong = np.mean(np.array(verdicts) != "cannot be told")
    assert wrong < 0.05 + 4 * np.sqrt(0.05 * 0.95 / DRAWS)


def test_the_basic_interval_of_a_plain_bootstrap_would_be_wrong_far_too_often(
    data_folder, monkeypatch
):
    monkeypatch.setattr(separated, "shrinkage", lambda gaps, variances: 1.0)
    rng, wrong = np.random.default_rng(0), []
    for _ in range(DRAWS):
        one, two = (_tested(scores) for scores in alike(30, rng))
        draws = list(one.task.counts())
        low, high = np.quantile(two.shares(draws) - one.shares(draws), [0.025, 0.975])
        middle = 2 * (two.share - one.share)
        wrong.append(not middle - high <= 0 <= middle - low)
    assert np.mean(wrong) > 0.05 + 4 * np.sqrt(0.05 * 0.95 / DRAWS)


def _tested(scores):
    sample = sample_of(scores)
    pairs = Family("each", len(sample.systems))
    task = Task(sample, pairs, 0.95, 199, np.random.default_rng(3))
    return separate(task, Rule("none", 0.05))
