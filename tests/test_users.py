"""Simulated people, the power of a comparison, and how far people agree with each other."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.agreement.ceiling import ceiling, same_grades
from ndcgstudy.agreement.counts import signs
from ndcgstudy.agreement.heldout import Lead
from ndcgstudy.agreement.likelihood import fit
from ndcgstudy.agreement.power import opposition, pairs_needed, pairs_needed_for, power
from ndcgstudy.agreement.users import Users, draw_pairs
from ndcgstudy.figures import render
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.intervals import clustered
from ndcgstudy.runner import run
from ndcgstudy.study import load_study

STUDY = Path(__file__).parents[1] / "experiments" / "user_power.py"


@pytest.fixture
def rng():
    return np.random.default_rng(12)


# Simulated people


@pytest.mark.parametrize("text", ["DCG", "DCG(gain=exponential)", "RBP(p=0.5)", "ERR(max_grade=2)"])
def test_the_best_list_has_utility_1_and_the_worst_0(text):
    utility = Users(text, slope=1.0).utility([[2] * 5, [0] * 5, [2, 0, 0, 0, 0]], 2)
    assert utility[:2] == pytest.approx([1, 0])
    assert 0 < utility[2] < 1


def test_chances_are_those_of_the_model():
    users = Users("DCG@1", slope=3.0, nu=0.5, position=0.2)
    a, b = users.chances([[2], [1], [0]], [[0], [1], [2]], 2)
    x = 3.0 * np.array([1, 0, -1]) + 0.2
    assert np.log(a / b) == pytest.approx(x)
    assert (1 - a - b) == pytest.approx(0.5 * np.sqrt(a * b))
    sure = Users("DCG@1", slope=3.0).chances([[2]], [[0]], 2)
    assert sum(sure) == pytest.approx(1)


def test_answers_come_as_often_as_their_chances(rng):
    users = Users("DCG@2", slope=2.0, nu=0.7, position=0.3)
    first, second = np.repeat([[[2, 0]], [[1, 1]]], 20_000, axis=1)
    a, b = (float(x[0]) for x in users.chances(first, second, 2))
    drawn = users.answers(first, second, 2, rng=rng)
    for answer, chance in ((1, a), (0, 1 - a - b), (-1, b)):
        error = np.sqrt(chance * (1 - chance) / 20_000)
        assert np.mean(drawn == answer) == pytest.approx(chance, abs=4 * error)
    assert abs(np.mean(drawn == 1) - b) > 4 * 0.004  # of which A is not B


def test_the_parameters_of_people_are_found_again(rng):
    first, second, query = draw_pairs(800, 10, rng=rng)
    users = Users("DCG", slope=4.64, nu=2.53, position=0.24)
    d = users.utility(first, 2) - users.utility(second, 2)
    found = fit(d, users.answers(first, second, 2, rng=rng), query, position=True)
    truth = np.array([4.64, 0.24, np.log(2.53)])
    assert (np.abs(found.parameters - truth) < 4 * found.clustered_se).all()
    assert abs(found.slope - 2 * 4.64) > 4 * found.clustered_se[0]


def test_drawn_lists_have_the_shares_of_their_queries(rng):
    first, second, query = draw_pairs(400, 20, ranks=6, best=3, rng=rng)
    assert first.shape == second.shape == (8000, 6)
    assert (np.bincount(query) == 20).all()
    means = np.array([[x[query == q].mean() for q in range(400)] for x in (first, second)])
    assert np.corrcoef(means)[0, 1] > 0.95  # both lists are of one query
    shares = np.bincount(first.ravel(), minlength=4) / first.size
    error = np.sqrt(1 / 4 * 3 / 4 / 5 / 400 + 1 / first.size)  # a Dirichlet share, and its draws
    assert shares == pytest.approx(0.25, abs=4 * error)


@pytest.mark.parametrize(
    ("words", "make"),
    [
        ("nu", lambda: Users("DCG", slope=1.0, nu=-1)),
        ("slope", lambda: Users("DCG", slope=np.nan)),
        ("unknown measure", lambda: Users("DCQ", slope=1.0)),
        ("above 0 for a list of grade 1", lambda: Users("P(rel=2)@5", 1.0).utility([[1, 1]], 1)),
        ("size", lambda: draw_pairs(3, 0, rng=np.random.default_rng())),
    ],
)
def test_wrong_people_are_refused(words, make):
    with pytest.raises(ValueError, match=words):
        make()


# Power


def brute_power(pairs, share, split, level):
    """Add up all ways in which pairs can oppose the measures."""
    total = 0.0
    for d in range(pairs + 1):
        k = np.arange(d + 1)
        wins = 2 * stats.binom.sf(k - 1, d, 0.5) <= level
        total += stats.binom.pmf(d, pairs, share) * stats.binom.pmf(k, d, split)[wins].sum()
    return total


@pytest.mark.parametrize("pairs", [1, 6, 40, 150])
@pytest.mark.parametrize(("share", "split"), [(0.1, 0.7), (0.5, 0.9), (1.0, 0.6), (0.3, 0.5)])
def test_power_is_the_sum_over_all_outcomes(pairs, share, split):
    assert power(pairs, share, split) == pytest.approx(brute_power(pairs, share, split, 0.05))
    assert power(pairs, share, split, level=0.2) == pytest.approx(
        brute_power(pairs, share, split, 0.2)
    )


def test_alike_measures_are_told_apart_no_more_often_than_half_the_level():
    for pairs in (10, 100, 10_000, 10**7):
        assert power(pairs, 0.04, 0.5) <= 0.025
    assert power(10**6, 0.04, 0.5) > 0.02
    assert power(10**7, 0.3, 0.5) == pytest.approx(0.025, abs=0.001)  # a part of the counts


def test_the_pairs_needed_give_the_power_and_one_less_does_not():
    for share, split in ((0.02, 0.7), (0.3, 0.55), (0.1, 0.95)):
        needed = pairs_needed(share, split, power=0.9)
        assert power(needed, share, split) >= 0.9
        assert power(needed - 1, share, split) < 0.9


def test_pairs_needed_agree_with_the_formula_of_normals_where_they_are_many():
    z, zp = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    split, share = 0.52, 0.03
    about = ((z + 2 * zp * np.sqrt(split * (1 - split))) / (2 * split - 1)) ** 2 / share
    # The exact test rounds to whole pairs: one to three more of those that oppose the measures.
    assert 0 < pairs_needed(share, split) - about < 3 / ((2 * split - 1) * share)


def test_clusters_multiply_the_pairs():
    once = pairs_needed(0.05, 0.7)
    assert pairs_needed(0.05, 0.7, design=2.5) == pytest.approx(2.5 * once, abs=1)
    assert power(1000, 0.05, 0.7, design=2.0) == power(500, 0.05, 0.7)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("split", lambda: pairs_needed(0.1, 0.5)),
        ("share", lambda: pairs_needed(0.0, 0.7)),
        ("at most 1", lambda: power(10, 1.5, 0.7)),
        ("power", lambda: pairs_needed(0.1, 0.7, power=1.0)),
        ("design", lambda: power(10, 0.1, 0.7, design=0.0)),
        ("more than 1e", lambda: pairs_needed(1e-9, 0.501)),
        ("mean other than 0", lambda: pairs_needed_for(Lead(0.0, 0.1, 0, 0, 10, 5))),
        ("more than 1e", lambda: pairs_needed_for(Lead(1e-9, 0.1, 0, 0, 10, 5))),
        ("one entry a pair", lambda: opposition([], [], [])),
    ],
)
def test_wrong_questions_of_power_are_refused(words, call):
    with pytest.raises(ValueError, match=words):
        call()


def test_the_pairs_needed_for_a_mean_give_the_power(rng):
    """By simulation: 600 samples of as many pairs as are said to be needed."""
    mean, deviation = 0.1, 1.0
    needed = pairs_needed_for(Lead(mean, deviation / np.sqrt(100), 0, 0, 100, 100))
    draws = rng.normal(mean, deviation, size=(600, needed))
    z = draws.mean(axis=1) / (draws.std(axis=1) / np.sqrt(needed))
    error = np.sqrt(0.8 * 0.2 / 600)
    assert np.mean(z > stats.norm.ppf(0.975)) == pytest.approx(0.8, abs=4 * error)
    half = draws[:, : needed // 2]
    z = half.mean(axis=1) / (half.std(axis=1) / np.sqrt(needed // 2))
    assert np.mean(z > stats.norm.ppf(0.975)) < 0.8 - 4 * error


def test_oppositions_are_counted(rng):
    first, second = rng.random((2, 300)) < 0.8
    found = opposition(first, second, np.arange(300))
    assert found.opposed == np.sum(first != second)
    assert found.first_right == np.sum(first & ~second)
    assert found.share == found.opposed / 300
    assert found.split == found.first_right / found.opposed
    assert found.design == pytest.approx(300 / 299)  # every pair a cluster
    fivefold = opposition(*(np.repeat(x, 5) for x in (first, second, np.arange(300))))
    assert fivefold.design == pytest.approx(5 * 300 / 299)
    same = opposition(first, first, np.arange(300))
    assert np.isnan([same.split, same.design]).all()


# People against each other


def pairwise(answers, items):
    """Agreement by the definition: over all ordered pairs of answers on an item, items by answers."""
    total, weight = 0.0, 0
    for item in set(items):
        own = [a for a, i in zip(answers, items, strict=True) if i == item and a != 0]
        if len(own) < 2:
            continue
        same = sum(own[j] == own[k] for j in range(len(own)) for k in range(len(own)) if j != k)
        total += same / (len(own) - 1)
        weight += len(own)
    return total / weight if weight else np.nan


@given(
    st.lists(
        st.tuples(st.sampled_from([-1, 0, 1]), st.integers(0, 4), st.integers(0, 3)), min_size=1
    )
)
def test_agreement_is_that_of_all_pairs_of_answers(rows):
    answers, items, clusters = (list(column) for column in zip(*rows, strict=True))
    if not any(answers):
        return
    found = ceiling(answers, items, clusters)
    assert found.agreement == pytest.approx(pairwise(answers, items), nan_ok=True)
    turned = ceiling([-a for a in answers], items, clusters)
    assert turned.agreement == pytest.approx(found.agreement, nan_ok=True)
    assert found.answers == sum(a != 0 for a in answers)


def test_the_bounds_hold_what_the_best_measure_reaches(rng):
    """Items on which people differ by different odds; the best measure sees the odds."""
    items = np.repeat(np.arange(3000), 2)
    p = rng.beta(2, 1, size=3000)
    answers = np.where(rng.random(6000) < p[items], 1, -1)
    found = ceiling(answers, items, items, level=0.9999)  # about 4 standard errors
    truth = np.mean(np.maximum(p, 1 - p))
    assert found.low < truth < found.best_high
    assert found.low < np.mean(p**2 + (1 - p) ** 2) < found.high
    assert found.best == pytest.approx((1 + np.sqrt(2 * found.agreement - 1)) / 2)
    assert found.seen > truth  # the answers at hand can be met better than others
    alike = ceiling(np.where(rng.random(6000) < 0.8, 1, -1), items, items)
    assert alike.best == pytest.approx(0.8, abs=0.03)  # all items alike: the bound is reached


def test_intervals_of_agreement_cover_with_clusters_and_not_without(rng):
    """Whole queries are easy or hard; items are within a query."""
    held = {"clustered": 0, "alone": 0}
    draws, g, size = 300, 40, 10
    items = np.repeat(np.arange(g * size), 2)
    query = items // size
    truth = 0.5 * (0.55**2 + 0.45**2) + 0.5 * (0.98**2 + 0.02**2)
    for _ in range(draws):
        p = rng.choice([0.55, 0.98], size=g)[query]
        answers = np.where(rng.random(len(items)) < p, 1, -1)
        for name, cluster in (("clustered", query), ("alone", items)):
            found = ceiling(answers, items, cluster)
            held[name] += found.low <= truth <= found.high
    error = np.sqrt(0.95 * 0.05 / draws)
    assert held["clustered"] / draws == pytest.approx(0.95, abs=4 * error)
    assert held["alone"] / draws < held["clustered"] / draws - 4 * error


def test_the_jackknife_leaves_out_one_cluster_at_a_time(rng):
    answers, items, clusters = (
        rng.choice([-1, 1], size=60),
        rng.integers(0, 20, size=60),
        rng.integers(0, 8, size=60),
    )
    found = ceiling(answers, items, clusters)
    left = [pairwise(answers[clusters != c], items[clusters != c]) for c in range(8)]
    se = np.sqrt(7 / 8 * np.sum((np.array(left) - np.mean(left)) ** 2))
    repeated = np.bincount(items)[items] > 1
    low, high = clustered(found.agreement, se, repeated.sum(), 8)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)))


def test_without_repeats_there_is_no_agreement_to_measure():
    found = ceiling([1, -1, 0], ["a", "b", "b"], [1, 2, 2])
    assert np.isnan([found.agreement, found.low, found.high, found.best]).all()
    assert (found.seen, found.repeated, found.items) == (1, 0, 2)
    assert np.isnan(ceiling([1, 1], ["a", "a"], [1, 1]).low)
    for wrong in ([0, 0], [2, 1]):
        with pytest.raises(ValueError, match="preference"):
            ceiling(wrong, ["a", "a"], [1, 2])
    with pytest.raises(ValueError, match="one entry an answer"):
        ceiling([1, 1], ["a"], [1, 2])


def test_on_the_music_pairs_measures_of_grades_are_near_what_people_allow(data_folder):
    music = read_preferences(data_folder / "preferences" / "music_pairs.jsonl.gz")
    item, side = same_grades(music)
    found = ceiling(music.preference * side, item, music.topic)
    assert found.agreement == pytest.approx(pairwise(music.preference * side, item), abs=1e-12)
    values = (found.agreement, found.low, found.high)
    assert values == pytest.approx((0.888, 0.859, 0.911), abs=5e-4)
    assert found.repeated > 300
    d = music.differences(["nDCG@5", "RBP(p=0.8,gain=linear)@5", "ERR(max_grade=2)@5"])
    for one in d:
        pointed = signs(one)
        assert (pointed[side == 0] == 0).all()  # lists of the same grades
        decided = (music.preference != 0) & (pointed != 0)
        reached = np.mean(pointed[decided] == music.preference[decided])
        assert reached < found.seen
        assert found.low < reached < found.best_high
    for number in range(item.max() + 1):  # one answer of a measure a number
        assert len(set((signs(d[0]) * side)[(item == number) & (side != 0)])) <= 1


# The study


@pytest.fixture(scope="module")
def tables():
    study = load_study(STUDY)
    cells = [
        cell | {"replicates": 4 if cell["n"] == 6300 else 2}
        for cell in study.cells("quick")
        if cell["people"] == "2012" and cell["n"] in (200, 2000, 6300)
    ]
    with ThreadPoolExecutor(1) as executor:
        return study, study.analysis(pd.DataFrame(run(study, cells, seed=0, executor=executor)))


def test_the_simulated_utility_wins_by_construction(tables):
    table = tables[1]["table"]
    largest = table[(table["n"] == 6300) & (table["utility"] == table["measure"])]
    assert (largest["wins_likelihood"] >= 0.5).all()
    assert largest["wins_likelihood"].mean() > 0.9
    wins = table.groupby(["people", "utility", "n"])[["wins_counts", "wins_likelihood"]].sum()
    assert wins.to_numpy() == pytest.approx(1)


def test_likelihood_takes_fewer_pairs_than_counts(tables):
    needed = tables[1]["needed"]
    rivals = needed[needed["utility"] != needed["measure"]]
    known = rivals.dropna(subset=["needed_counts"])
    assert (known["needed_likelihood"] < known["needed_counts"]).all()
    assert len(known) > 30
    own = needed[needed["utility"] == needed["measure"]]
    assert own[["needed_counts", "needed_likelihood"]].isna().all(axis=None)


def test_the_study_is_drawn(tables):
    study, found = tables
    for drawing in study.figures.values():
        assert b"<svg" in render(drawing, found[drawing.table])["svg"]


def test_the_study_says_that_it_is_no_evidence():
    text = " ".join(STUDY.read_text(encoding="utf-8").split())
    assert "wins by construction" in text
    assert "nothing here is evidence for a measure" in text
