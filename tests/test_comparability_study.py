"""The study of normalisation: what a ranker scores by R, and when DCG and nDCG order otherwise."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.comparable import expected, opposed, ordered
from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling
from ndcgstudy.measures import score_grades
from ndcgstudy.scoring import score
from ndcgstudy.seeding import rng_for
from ndcgstudy.study import load_study

STUDY = load_study(Path(__file__).parents[1] / "experiments" / "comparability.py")


@pytest.fixture(scope="module")
def tables(data_folder):
    rows = []
    for i, cell in enumerate(STUDY.cells("quick")):
        rows += STUDY.cell(cell, rng_for(0, "comparability", i))
    return STUDY.analysis(pd.DataFrame(rows))


def rulings(tables):
    return {verdict.id: verdict for verdict in STUDY.verdicts(tables)}


def test_random_orders_score_what_the_formula_says(tables):
    table = tables["table"].dropna(subset=["exact"])
    assert len(table) == 5 * 6
    some = table[table["mean_se"] > 0]
    off = (some["mean"] - some["exact"]).abs() / some["mean_se"]
    rare = (
        some["relevant"] <= 3
    )  # a relevant document in the top ten of few topics: no normal error
    assert (off[~rare] < 4).all()
    ten = table[table["measure"] == "nDCG@10"].set_index("relevant")
    assert abs(ten.loc[100, "mean"] - ten.loc[30, "exact"]) > 4 * ten.loc[100, "mean_se"]


def test_the_formula_is_the_mean_over_every_place_of_one_document():
    places = np.eye(1000)
    for measure in ("nDCG@10", "nDCG", "DCG@100"):
        assert expected(measure, 1, 1000) == pytest.approx(score_grades(measure, places).mean())


def test_from_the_cutoff_on_random_orders_score_the_share_of_relevant_documents():
    assert [expected("nDCG@10", r, 1000) for r in (10, 30, 300)] == pytest.approx([0.01, 0.03, 0.3])
    assert expected("nDCG", 300, 1000) > 0.7  # a full list is no such thing


def test_a_perfect_ranker_scores_1_whatever_the_number_of_relevant_documents():
    noise = np.random.default_rng(0).standard_normal((1, 4, 1000))
    relevant = np.array([1, 3, 30, 300])
    perfect = ordered(relevant, np.full((1, 4), 100.0), noise)
    assert score_grades("nDCG@10", perfect).tolist() == [[1.0] * 4]
    assert len(set(score_grades("DCG@10", perfect)[0].tolist())) == 3  # 30 and 300 fill the top
    good = score_grades("nDCG@10", ordered(relevant, np.full((1, 4), 1.0), noise))
    assert (good < 1).all()


def test_with_one_number_of_relevant_documents_the_two_means_never_disagree(tables):
    shares = tables["orders"].set_index(["spread", "cut"])
    assert (shares.loc[0.0, ["opposed_share", "half_share", "torn_share"]] == 0).all(axis=None)
    assert (shares.xs("all", level="cut").loc[1.0:, "opposed_share"] > 0).all()


def test_opposed_pairs_are_those_whose_means_are_in_opposite_order():
    one = np.array([[0.9, 0.8, 0.7], [0.5, 0.5, 0.4], [0.1, 0.2, 0.1]])
    assert opposed(one, one) == {"pairs": 3, "opposed": 0, "half": 0, "torn": 0}
    turned = opposed(one, one[[1, 0, 2]])
    assert (turned["pairs"], turned["opposed"], turned["torn"]) == (3, 1, 1)
    tied = np.array([one[0], one[0], one[2]])
    assert opposed(one, tied)["opposed"] == 0  # a tie opposes nothing


def test_opposed_real_pairs_are_those_of_a_plain_count(tables, deep_learning):
    found = tables["real"].set_index("cut")
    for cut, end in (("10", "@10"), ("all", "")):
        names = [f"{name}{end}" for name in ("nDCG", "DCG")]
        scores = score(deep_learning.judgments, deep_learning.runs, names).scores
        one, two = (scores[name].mean() for name in names)
        pairs = list(combinations(range(len(one)), 2))
        count = sum((one[i] - one[j]) * (two[i] - two[j]) < -1e-15 for i, j in pairs)
        assert found.loc[cut, ["pairs", "opposed"]].tolist() == [len(pairs), count]
    assert found.loc["all", "opposed"] > found.loc["10", "opposed"] > 0


def test_on_real_topics_the_correlation_with_r_hangs_on_the_cutoff(tables):
    real = tables["real"].set_index("cut")
    assert real.loc["10", "rho_ndcg_low"] > 0 > real.loc["all", "rho_ndcg_high"]
    assert (real["rho_dcg_low"] > 0).all()


def test_the_verdicts_and_what_would_change_them(tables):
    found = rulings(tables)
    assert {key: v.ruling for key, v in found.items()} == {
        "B6": Ruling.CONTRADICTED,
        "B7": Ruling.CONTRADICTED,
        "B15": Ruling.CONDITION,
    }
    level = tables["table"].assign(mean=0.5)
    even = rulings({**tables, "table": level})
    assert even["B7"].ruling == Ruling.HOLDS
    assert even["B6"].ruling == Ruling.CONTRADICTED  # for random orders are known exactly


def test_figures_are_drawn_and_quick_cells_are_among_the_full_ones(tables):
    for drawing in STUDY.figures.values():
        assert b"<svg" in render(drawing, tables[drawing.table])["svg"]
    full = STUDY.cells("full")
    assert all(cell in full for cell in STUDY.cells("quick"))
