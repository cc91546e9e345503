"""Pools built from runs, what is lost without a team, and how orders change."""

import numpy as np
import pandas as pd
import pytest
from hole_cases import ranking
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from shared_data import as_dicts

from ndcgstudy import Judgments, Policy, score
from ndcgstudy.holes import Change, leave_out, pool, ranks, sampled, separated

LETTERS = "abcdefgh"
ORDERS = st.lists(st.permutations(LETTERS), min_size=1, max_size=4)


def judged(data):
    return {(t, doc) for t, docs in as_dicts(data).items() for doc in docs}


def qrels(docs=LETTERS):
    return Judgments.from_dict({"q": {doc: i % 2 for i, doc in enumerate(docs)}})


@given(ORDERS, st.integers(1, 9), st.sets(st.sampled_from(LETTERS), min_size=1))
def test_a_pool_is_the_union_of_the_tops_as_far_as_they_are_judged(orders, depth, known):
    runs = [ranking({"q": order}, f"s{i}") for i, order in enumerate(orders)]
    made = pool(qrels(sorted(known)), runs, depth)
    for chosen in ([0], range(len(orders))):
        wanted = {("q", doc) for s in chosen for doc in orders[s][:depth]}
        names = [f"s{i}" for i in chosen]
        assert judged(made.only(names)) == {pair for pair in wanted if pair[1] in known}


@given(ORDERS, st.integers(1, 9))
def test_without_a_system_only_what_it_alone_brought_is_lost(orders, depth):
    runs = [ranking({"q": order}, f"s{i}") for i, order in enumerate(orders)]
    made = pool(qrels(), runs, depth)
    others = {doc for order in orders[1:] for doc in order[:depth]}
    lost = set(orders[0][:depth]) - others
    assert judged(made.without(["s0"])) == {("q", doc) for doc in set(LETTERS) - lost}
    assert made.alone(["s0"]).sum() == len(lost)
    everything = [run.name for run in runs]
    united = {doc for order in orders for doc in order[:depth]}
    assert judged(made.without(everything)) == {("q", doc) for doc in set(LETTERS) - united}


def test_leaving_out_a_run_is_not_leaving_out_its_team():
    """Two runs of one team cover for each other."""
    runs = [ranking({"q": order}, f"s{i}") for i, order in enumerate(("ab", "ac", "de"))]
    made = pool(qrels(), runs, depth=1)
    assert not made.alone(["s0"]).any()
    assert not made.alone(["s1"]).any()
    assert made.judgments.docs.take(made.alone(["s0", "s1"])).strings() == ["a"]


def test_ties_in_the_runs_are_broken_as_the_policy_says():
    from ndcgstudy import Rankings

    runs = [Rankings.from_dict({"q": {"a": 1.0, "b": 1.0}}, "s")]
    for ties, doc in (("trec", "b"), ("input", "a")):
        made = pool(qrels(), runs, 1, Policy(ties=ties))
        assert made.only(["s"]).docs.strings() == [doc]


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_a_sample_keeps_a_share_of_each_topic(covid, share):
    found = sampled(covid.judgments, share, rng=np.random.default_rng(2))
    topics = len(covid.judgments.topics)
    all_, kept = (np.bincount(j.topic, minlength=topics) for j in (covid.judgments, found))
    assert np.array_equal(kept, np.rint(share * all_))
    assert judged(found) <= judged(covid.judgments)


def test_a_sample_is_fair():
    """Every document is kept as often as any other, to 4 standard errors."""
    rng, draws = np.random.default_rng(8), 2000
    kept = sum(
        np.isin([*LETTERS], sampled(qrels(), 0.25, rng=rng).docs.strings()).astype(int)
        for _ in range(draws)
    )
    assert (np.abs(kept / draws - 0.25) < 4 * (0.25 * 0.75 / draws) ** 0.5).all()
    assert (np.abs(kept / draws - 0.35) > 4 * (0.25 * 0.75 / draws) ** 0.5).all()


def test_leave_out_scores_without_what_the_group_alone_brought(covid):
    runs = covid.some(8)
    made = pool(covid.judgments, runs, 7)
    groups = {"first": [runs[0].name, runs[1].name], "last": [runs[-1].name]}
    table = leave_out(made, runs, groups, "nDCG@10")
    assert table["group"].tolist() == ["first", "first", "last"]
    full = score(covid.judgments, runs).scores["nDCG@10"].mean()
    without = score(made.without(groups["first"]), runs).scores["nDCG@10"].mean()
    assert table["score"].tolist() == [full[0], full[1], full[-1]]
    assert table["without"].tolist()[:2] == list(without[:2])
    assert np.array_equal(table["change"], table["without"] - table["score"])
    change = Change(without, full)
    assert table["tau"].iloc[0] == change.tau
    assert table["tau_ap"].iloc[0] == change.tau_ap
    assert table["rank_without"].tolist()[:2] == ranks(without)[:2].tolist()
    assert table["judged"].tolist() == [made.alone(g).sum() for g in groups.values() for _ in g]
    assert isinstance(table, pd.DataFrame)


def test_ranks_of_ties_and_of_what_is_as_good_as_tied():
    assert ranks([0.1, 0.3, 0.3 + 1e-15, 0.2]).tolist() == [4, 1, 1, 3]
    assert ranks([0.1, 0.3, 0.3 + 1e-9, 0.2]).tolist() == [4, 2, 1, 3]


def test_a_change_tells_places_and_swaps():
    change = Change(np.array([0.4, 0.3, 0.2]), np.array([0.4, 0.3, 0.5]))
    assert change.climbed.tolist() == [-1, -1, 2]
    assert change.swapped == 2
    assert change.tau == pytest.approx(-1 / 3)
    assert change.tau_ap == pytest.approx(0)  # (1 + 0/2)/2 of the systems above are rightly there
    none = Change(np.array([0.4, 0.3]), np.array([0.9, 0.8]))
    assert (none.swapped, none.tau, none.tau_ap) == (0, 1, 1)


def test_separated_pairs_are_those_of_a_paired_t_test(covid):
    scores = score(covid.judgments, covid.some(9)).scores["nDCG@10"].values
    apart = separated(scores, 0.9)
    for a, b in np.ndindex(9, 9):
        wanted = a != b and ttest_rel(scores[a], scores[b]).pvalue < 0.1
        assert apart[a, b] == wanted
    assert separated(np.array([[0.5, 0.7], [0.4, 0.6]])).tolist() == [[False, True], [True, False]]
    assert (separated(scores, 0.999) <= apart).all()
    assert (separated(scores, 0.999) != apart).any()


def test_of_a_group_those_that_contributed_are_left_out_and_all_are_scored():
    runs = [ranking({"q": order}, f"s{i}") for i, order in enumerate(("bd", "db", "ac"))]
    made = pool(qrels(), runs[:2], depth=1)
    table = leave_out(made, runs, {"team": ["s0", "s2"]}, "P@1")
    assert table["run"].tolist() == ["s0", "s2"]
    assert table["judged"].tolist() == [1, 1]
    assert table["change"].tolist() == [-1, 0]


RUNS = [ranking({"q": "ab"}, "s0"), ranking({"q": "bc"}, "s1")]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pool(qrels(), RUNS, 0), "`depth` must be a whole number at least 1"),
        (lambda: separated(np.ones((2, 1))), "`topics` must be a whole number at least 2, got 1"),
        (lambda: separated(np.ones((2, 3)), 95), "`level` must be a number above 0 and below 1"),
        (lambda: pool(qrels(), RUNS[:1] * 2, 1), "two runs are named 's0'"),
        (lambda: pool(qrels(), RUNS, 1).only(["s9"]), "unknown system 's9' in the pool"),
        (lambda: pool(qrels(), RUNS, 1).without(["s9"]), "unknown system 's9' in the pool"),
        (
            lambda: leave_out(pool(qrels(), RUNS, 1), RUNS[:1], {"g": ["s1"]}),
            "system 's1' of group 'g' has no run",
        ),
        (
            lambda: sampled(qrels(), 0, rng=np.random.default_rng()),
            "`share` must be a number above",
        ),
        (lambda: sampled(qrels(), 1.5, rng=np.random.default_rng()), "`share` must be at most 1"),
    ],
)
def test_bad_parameters_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()
