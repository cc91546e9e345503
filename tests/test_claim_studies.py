"""The studies that decide single statements: their verdicts, and their figures by other ways."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from ndcgstudy.figures import render
from ndcgstudy.runner import run
from ndcgstudy.study import load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
RULINGS = {
    "agreement_level": {"A24": "holds with a condition"},
    "across_collections": {"B19": "contradicted"},
    "best_measure": {"A32": "holds with a condition"},
    "convention_moves": {"A11": "holds with a condition"},
    "cutoff_recall": {"B20": "holds with a condition"},
    "every_list": {
        **dict.fromkeys(("A7", "A9", "B5", "B14"), "holds with a condition"),
        **dict.fromkeys(("A31", "B11", "B12", "B13"), "holds"),
    },
    "examination": {"B23": "holds with a condition"},
    "ideal_share": {"A30": "holds with a condition"},
    "recommenders": {"A20": "holds with a condition"},
    "reranked_runs": {"B16": "contradicted", "B22": "holds with a condition"},
    "round1_pairs": {"A17": "holds with a condition", "B10": "holds with a condition"},
    "several_relevant": {"B21": "holds with a condition"},
}
FEW_BOARDS = ("beir", "mteb", "web2013_ndcg20")


def study_of(name):
    return load_study(EXPERIMENTS / f"{name}.py")


def part_of(name, what):
    return study_of(name).cell.__globals__[what]


@pytest.fixture(scope="module")
def found(data_folder):
    """The tables of a study at quick scale, computed when first asked for."""
    kept = {}

    def tables(name):
        if name not in kept:
            study = study_of(name)
            cells = [c for c in study.cells("quick") if c.get("board", "beir") in FEW_BOARDS]
            cells = [{**c, "resamples": 100} if "resamples" in c else c for c in cells]
            with ThreadPoolExecutor(1) as executor:
                rows = run(study, cells, seed=0, executor=executor)
            kept[name] = study.analysis(pd.DataFrame(rows))
        return kept[name]

    return tables


@pytest.mark.parametrize("name", RULINGS)
def test_verdicts_and_figures_at_quick_scale(found, name):
    study, tables = study_of(name), found(name)
    assert {v.id: str(v.ruling) for v in study.verdicts(tables)} == RULINGS[name]
    for drawing in study.figures.values():
        assert b"<svg" in render(drawing, tables[drawing.table])["svg"]
    answer = study.cell.__globals__["answer"](tables)
    assert answer.endswith(".")
    assert "nan" not in answer


@pytest.mark.parametrize("name", RULINGS)
def test_the_full_scale_has_the_quick_cells(name):
    quick, full = (
        [{**c, "resamples": 0} for c in study_of(name).cells(scale)] for scale in ("quick", "full")
    )
    assert all(cell in full for cell in quick)


def test_the_best_baseline_is_ahead_in_185_of_215_cells(found, data_folder):
    row = found("recommenders")["table"].set_index("rival").loc["best of all baselines"]
    assert (row["ahead"], row["cells"], row["methods"]) == (185, 215, 11)
    table = pd.read_csv(data_folder / "dacrema_tois_tables" / "results.csv")
    neural = table["algorithm"].str.match(
        "|".join(part_of("recommenders", "NEURAL")) + "|INeu|UNeu"
    )
    best = table.assign(neural=neural).pivot_table(
        index=["table", "dataset", "measure"], columns="neural", values="value", aggfunc="max"
    )
    assert (best[False] > best[True]).sum() == 185


def test_holes_turn_the_known_pairs_and_topics_drawn_again_more(found):
    tables = found("round1_pairs")
    row, kinds = tables["changes"].iloc[0], tables["table"].set_index("kind")
    assert (row["turned"], row["pairs"]) == (245, 10_153)
    assert (row["separated"], row["separated_turned"]) == (7275, 0)
    assert row["share"] == 0 <= row["share_high"] < 0.01
    assert kinds["count"].to_dict() == {"all": 10_153, "inside": 1540, "outside": 8613}
    error = 0.01 / 100**0.5  # the share drawn again has a standard deviation of .01, over 100 draws
    assert kinds.loc["all", "redrawn"] == pytest.approx(0.054, abs=4 * error)


def test_a_mean_is_larger_than_its_interval_as_by_scipy():
    rng = np.random.default_rng(0)
    x = rng.normal(0.2, 1, (200, 12))
    half = student.ppf(0.975, 11) * x.std(axis=1, ddof=1) / 12**0.5
    found = part_of("round1_pairs", "_larger")(x.mean(axis=1), (x**2).sum(axis=1), 12)
    assert found.tolist() == (np.abs(x.mean(axis=1)) > half).tolist()
    assert 0 < found.sum() < 200


def test_changes_of_random_sign_turn_about_as_many_pairs_as_chance_allows():
    rng = np.random.default_rng(1)
    before = rng.normal(0, 0.3, (500, 30))
    change = rng.normal(0, 0.1, (500, 30))
    changes = part_of("round1_pairs", "_changes")
    null = changes(before, before + change, 200, rng)
    real = changes(before, before + np.abs(change), 200, rng)
    assert null["moved_turned"] <= null["chance_high"]
    assert real["moved_turned"] > real["chance_high"]


def test_reversals_are_those_of_a_brute_force():
    values = np.random.default_rng(2).random((5, 4))
    found = part_of("across_collections", "reversals")(values)
    order = np.argsort(-values.mean(axis=1))
    pairs = [(order[i], order[j]) for i, j in combinations(range(5), 2)]
    for c in range(4):
        for d in range(4):
            assert found[c, d] == np.mean([values[a, c] < values[b, d] for a, b in pairs])


def test_where_collections_are_alike_nothing_is_the_collections():
    rng = np.random.default_rng(3)
    values = np.arange(10)[:, None] + 0.01 * rng.random((10, 8))
    shares = part_of("across_collections", "shares")
    lower = part_of("across_collections", "reversals")(values)
    found = shares(values, lower, np.arange(8))
    assert found["system"] > 0.99
    assert (found["same"], found["crossed"]) == (0, 0)


def test_reranking_to_the_full_depth_by_the_own_order_changes_nothing(data_folder):
    ten, *_, last = part_of("reranked_runs", "_reranked")()
    alone = last.diagonal().T
    assert (alone == ten.diagonal().T).all()
    known = part_of("reranked_runs", "published")(
        data_folder / part_of("reranked_runs", "PUBLISHED")
    )
    names = [*part_of("reranked_runs", "lists")(part_of("reranked_runs", "RUNS"))]
    assert alone.mean(axis=1) == pytest.approx(known.loc[names].mean(axis=1).to_numpy(), abs=1e-5)


def test_a_topic_is_the_share_of_its_ideal_and_a_mean_is_not(found):
    summary = found("ideal_share")["summary"]
    assert (summary["topic_off"] < 1e-12).all()
    assert (summary["mean_off"] > 0.005).all()


def test_agreement_counts_ties_as_it_says():
    own, other = np.array([0.2, 0.0, -0.1, 0.3]), np.array([0.0, 0.0, 0.4, -0.2])
    found = part_of("best_measure", "compared")(own, other, np.array([1, 1, -1, 0]))
    assert np.nan_to_num(found["both decide"], nan=9).tolist() == [9, 9, 1, 9]
    assert np.nan_to_num(found["missed"], nan=9).tolist() == [1, 0, 1, 9]
    assert np.nan_to_num(found["half"], nan=9).tolist() == [0.5, 0, 1, 9]


def test_users_who_need_one_document_are_those_of_reciprocal_rank(found):
    table = found("several_relevant")["table"].set_index(["needed", "measure"])["share"]
    assert table[1, "RR"] == 1
    assert table[2, "RR"] < table[2, "nDCG@10"]


def test_weights_are_shares_and_have_the_known_mean_ranks(found):
    table = found("examination")["table"].set_index("measure")
    assert (table["page"] + table["deep"]).to_numpy() == pytest.approx(1)
    discount = 1 / np.log2(np.arange(2, 12))
    assert table.loc["nDCG@10", "mean_rank"] == pytest.approx(
        (discount * np.arange(1, 11)).sum() / discount.sum()
    )
    assert table.loc["RBP(p=0.8)", "mean_rank"] == pytest.approx(5)
    assert table.loc["P@10", "mean_rank"] == pytest.approx(5.5)


def test_each_cutoff_goes_best_with_the_recall_of_its_depth(found):
    table = found("cutoff_recall")["table"]
    topic = table[table["way"] == "topic"].pivot(
        index="cutoff", columns="target", values="relation"
    )
    for depth in (20, 100, 1000):
        assert topic[f"R@{depth}"].drop("nDCG@20 less nDCG@5").idxmax() == f"nDCG@{depth}"


def test_agreement_is_the_known_one_and_grows_with_the_difference(found):
    table = found("agreement_level")["table"].set_index(["set", "mix"])["rate"]
    assert table["urbano2012", "as drawn"] == pytest.approx(1148 / 1304)
    assert table["urbano2015", "as drawn"] == pytest.approx(1863 / 2068)
    for name in ("urbano2012", "urbano2015"):
        assert table[name, "closest tenth"] < 2 / 3 < table[name, "even over tenths"]
        tenths = table[name].drop(["as drawn", "even over tenths"])
        assert len(tenths) == 10
        assert table[name, "even over tenths"] == pytest.approx(tenths.mean(), abs=0.01)
