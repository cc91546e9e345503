"""How many conventions share a conclusion, by brute force, and the test behind "significantly"."""

import numpy as np
import scipy.stats
from collections_drawn import drawn_runs

from ndcgstudy import Judgments, Rankings
from ndcgstudy.conventions.multiverse import CHOICES, multiverse
from ndcgstudy.conventions.pairs import TIED, agreement, paired_t


def test_agreement_by_brute_force() -> None:
    few = {name: CHOICES[name] for name in ("gain", "ideal", "missing", "no_relevant")}
    qrels, runs = drawn_runs(np.random.default_rng(6), 6)
    each = [Rankings.from_dict(run, f"run{i}") for i, run in enumerate(runs)]
    found = multiverse(Judgments.from_dict(qrels), each, "nDCG@5", few)
    means, pairs = found.means(), found.agreement(0.1)
    for k, (i, j) in enumerate(zip(pairs.first, pairs.second, strict=True)):
        assert means[0, i] >= means[0, j]
        counts = np.zeros(4, dtype=int)
        for c, own in enumerate(means):
            values = found.many.values(c)
            both = np.isfinite(values[[i, j]]).all(axis=0)
            test = scipy.stats.ttest_rel(values[i, both], values[j, both])
            sure = test.pvalue < 0.1 and np.sign(test.statistic) == np.sign(own[i] - own[j])
            ahead, behind = own[i] > own[j] + TIED, own[i] < own[j] - TIED
            counts += [ahead, behind, ahead and sure, behind and sure]
        told = [pairs.ahead, pairs.behind, pairs.surely_ahead, pairs.surely_behind]
        assert [int(x[k]) for x in told] == counts.tolist()
    assert pairs.flipped.tolist() == [
        a > 0 and b > 0 for a, b in zip(pairs.ahead, pairs.behind, strict=True)
    ]


def test_a_conclusion_is_told_in_words() -> None:
    means = np.array([[0.9, 0.5], [0.4, 0.5], [0.9, 0.5]])
    values = [np.array([[m[0] - 0.01, m[0] + 0.01], [m[1], m[1]]]) for m in means]
    pairs = agreement(("a", "b"), means, values, 0.05)
    assert pairs.statement(0) == (
        "a is ahead of b in 2 of 3, significantly in 2; behind in 1, significantly in 0"
    )
    assert pairs.frame().iloc[0].to_dict() == {
        **{"first": "a", "second": "b", "ahead": 2, "behind": 1},
        **{"surely_ahead": 2, "surely_behind": 0, "conventions": 3, "flipped": True},
    }


def test_the_t_test_with_equal_and_missing_topics() -> None:
    nan = np.nan
    scores = np.array([[0.5, 0.5, nan], [0.5, 0.5, 0.1], [0.4, 0.4, 0.4], [nan, nan, nan]])
    first, second = np.array([0, 0, 0]), np.array([1, 2, 3])
    # Equal; apart by the same on every topic that both have; nothing in common.
    assert paired_t(scores, first, second, 0.05).tolist() == [0, 1, 0]


def test_the_t_test_holds_its_level() -> None:
    rng, draws, level = np.random.default_rng(11), 4000, 0.05
    scores = rng.normal(size=(2 * draws, 12))
    first = np.arange(draws)
    share = np.mean(paired_t(scores, first, first + draws, level) != 0)
    assert abs(share - level) < 4 * np.sqrt(level * (1 - level) / draws)
    shifted = np.mean(paired_t(scores + 0.2, first, first, level) != 0)
    assert shifted == 0  # a run is not told from itself


def test_tenths_sum_to_the_pairs() -> None:
    means = np.array([[0.9, 0.5, 0.5], [0.4, 0.5, 0.5], [0.9, 0.5, 0.5]])
    values = [np.array([[m - 0.01, m + 0.01] for m in own]) for own in means]
    table = agreement(("a", "b", "c"), means, values).tenths()
    assert table["tenth"].tolist() == [*range(10)]
    # Two thirds put a ahead, one behind, with the same gap on every topic; b and c never differ.
    assert table.loc[6].tolist() == [6, 2, 2, 2, 2]
    assert table["pairs"].sum() == 2
