"""The study of rerankers, hard negatives and query expansion, and of what finds their effects."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import TTestPower

from ndcgstudy.changes import needed, ranked, summary, sums
from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling
from ndcgstudy.measures import score_grades
from ndcgstudy.seeding import rng_for
from ndcgstudy.study import load_study
from ndcgstudy.synthetic import GENERATORS, TwoStage
from ndcgstudy.synthetic.sharing import Sharing

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
STUDY, RERANKERS = (load_study(EXPERIMENTS / f"{n}.py") for n in ("interventions", "rerankers"))
PARTS = STUDY.cell.__globals__
CHANGES = PARTS["CHANGES"]


def computed(study):
    rows = []
    for cell in study.cells("quick"):
        rows += study.cell(cell, rng_for(0, *(cell[name] for name in study.stream)))
    return study.analysis(pd.DataFrame(rows))


@pytest.fixture(scope="module")
def tables():
    return computed(STUDY)


@pytest.fixture(scope="module")
def stages():
    return computed(RERANKERS)


def ruling(study, tables, key):
    return {verdict.id: verdict.ruling for verdict in study.verdicts(tables)}[key]


def lists(change, topics, seed=0):
    text, alike, n = CHANGES[change]
    rng = np.random.default_rng(seed)
    generator = GENERATORS.parse(text)
    return ranked(Sharing(generator, alike) if alike else generator, n, topics, rng=rng)


@pytest.mark.parametrize("second", [0.4, 0.75])
def test_stages_that_share_errors_keep_their_quality_and_correlate_as_asked(second):
    n, alike, first = 200_000, 0.8, 0.6
    stages = TwoStage(first, second, 100, (0.3,))
    wanted = first * second + alike * ((1 - first**2) * (1 - second**2)) ** 0.5
    both = Sharing(stages, alike).sample(n, rng=np.random.default_rng(0))
    plain = stages.sample(n, rng=np.random.default_rng(0))
    found, apart = (np.corrcoef(x.scores)[0, 1] for x in (both, plain))
    error = (1 - wanted**2) / n**0.5
    assert abs(found - wanted) < 4 * error
    assert abs(apart - wanted) > 4 * error  # independent errors do not correlate so
    assert abs(both.scores[0].var() - 1) < 4 * (2 / n) ** 0.5
    lead = [x.scores[0][x.grades == 1].mean() for x in (both, plain)]
    assert abs(lead[0] - lead[1]) < 4 * (2 / (0.3 * n)) ** 0.5
    assert np.array_equal(both.scores[1], plain.scores[1])


def test_a_reranker_moves_nothing_below_its_depth():
    after, before, _ = lists("reranker", 10)
    assert np.array_equal(after[:, 100:], before[:, 100:])
    assert np.array_equal(np.sort(after[:, :100]), np.sort(before[:, :100]))
    other, _, alone = lists("hard negatives", 2)
    assert np.array_equal(other, alone)  # one stage: the ranker itself


def test_moments_of_a_change_are_those_of_its_topics():
    after, before = (score_grades("nDCG@10", x) for x in lists("reranker", 60)[:2])
    halves = [sums(after[at], before[at]) for at in (slice(0, 25), slice(25, 60))]
    row = summary(pd.DataFrame(halves).assign(arm="x"), ["arm"]).iloc[0]
    d = after - before
    assert row["topics"] == 60
    assert row["gain"] == pytest.approx(d.mean())
    assert row["gain_se"] == pytest.approx(d.std(ddof=1) / 60**0.5)
    assert row["z"] == pytest.approx(d.mean() / d.std(ddof=1))
    assert row["percent"] == pytest.approx(100 * d.sum() / before.sum())
    left = np.array([100 * np.delete(d, i).sum() / np.delete(before, i).sum() for i in range(60)])
    jackknife = (59 / 60 * ((left - left.mean()) ** 2).sum()) ** 0.5
    assert row["percent_se"] == pytest.approx(jackknife, rel=0.05)


@pytest.mark.parametrize("z", [0.2, -0.5, 1.0])
def test_topics_needed_are_those_of_statsmodels(z):
    plan = TTestPower()
    assert needed(z) == np.ceil(plan.solve_power(abs(z), power=0.8, alpha=0.05))
    assert plan.power(abs(z), needed(z) - 1, 0.05) < 0.8


def test_no_number_of_topics_finds_no_change():
    assert np.isnan([needed(0.0), needed(np.nan)]).all()


@pytest.mark.parametrize("change", [*CHANGES])
def test_bands_add_up_to_the_gain_of_ndcg_and_of_recall(change):
    grades = lists(change, 5)[:2]
    bands = pd.DataFrame(PARTS["banded"](grades))
    gain = {k: np.subtract(*score_grades(f"nDCG@{k}", grades).sum(axis=1)) for k in (100, 1000)}
    assert bands["gained"].sum() == pytest.approx(gain[1000], abs=1e-12)
    if change != "reranker":  # its first hundred are the same
        assert bands["gained"].sum() != pytest.approx(gain[100], abs=1e-6)
    found = (grades[..., :1000] >= 1).sum(axis=(1, 2))
    assert bands["added"].sum() == found[0] - found[1]


def test_a_measure_sees_what_happens_within_its_cutoff(tables):
    table = tables["table"].set_index(["change", "measure"])
    assert np.isnan(table.loc[("reranker", "R@100"), "needed"])
    assert table.loc[("reranker", "R@100"), "gain"] == 0
    for change in PARTS["EXPANSIONS"]:
        assert table.loc[(change, "R@1000"), "needed"] < table.loc[(change, "nDCG@10"), "needed"]
        assert table.loc[(change, "R@1000"), "needed_high"] < 10
    assert table.loc[("reranker", "nDCG@1000"), "gain"] == pytest.approx(
        table.loc[("reranker", "nDCG@100"), "gain"], rel=0.25
    )


def test_a_second_stage_as_good_as_the_first_helps_where_its_errors_are_its_own():
    stages, gains = TwoStage(0.6, 0.6, 100, (0.03, 0.01)), []
    for alike in (0.0, 0.8):
        grades = ranked(Sharing(stages, alike), 1000, 200, rng=np.random.default_rng(0))
        after, before, alone = score_grades("nDCG@10", grades)
        gains.append(after - before)
        level = alone - before  # as good as the first
        assert abs(level.mean()) < 4 * level.std() / 200**0.5
    for difference in (gains[0], gains[0] - gains[1]):
        assert difference.mean() > 4 * difference.std() / 200**0.5


def test_a_better_second_stage_gains_more(stages):
    for _, part in stages["table"].groupby(["alike", "first"]):
        assert part.sort_values("second")["percent"].is_monotonic_increasing
        assert part["before"].nunique() == 1  # one first stage on the same topics


def test_more_and_likelier_near_misses_cost_more(tables):
    near = tables["near"].set_index(["near", "pull_b"])["gain"].unstack()
    assert (near.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    assert near[2.0].is_monotonic_increasing


def test_the_range_is_where_the_gain_crosses_5_and_15_percent(stages):
    table = stages["table"].sort_values("second")
    for row in stages["range"].dropna().itertuples():
        part = table[(table["alike"] == row.alike) & (table["first"] == row.first)]
        assert np.interp(row.second_low, part["second"], part["percent"]) == pytest.approx(5)
        assert np.interp(row.ndcg_second_high, part["alone"], part["percent"]) == pytest.approx(15)
        assert row.second_low < row.second_high


def test_the_verdicts_on_interventions_and_what_would_change_them(tables):
    seen, unseen = ({**tables, "near": tables["near"].assign(needed=n)} for n in (10, 1000))
    assert ruling(STUDY, seen, "B17") == Ruling.CONDITION  # that training does so is assumed
    assert ruling(STUDY, unseen, "B17") == Ruling.CONTRADICTED
    bands = tables["bands"]
    top = bands.assign(added=bands["added"].where(bands["band"] != "1-10", 100.0))
    assert ruling(STUDY, {**tables, "bands": top}, "B18") == Ruling.CONTRADICTED


def test_a_larger_pool_raises_the_ideal_of_a_run_that_is_not_expanded(tables):
    ideal = tables["ideal"]
    assert (ideal["gain"] < 0).all()
    assert (ideal["after"] > 0).all()


@pytest.mark.parametrize("name", ["interventions", "rerankers"])
def test_figures_are_drawn_and_quick_cells_are_among_the_full_ones(name, tables, stages):
    study, found = (STUDY, tables) if name == "interventions" else (RERANKERS, stages)
    for drawing in study.figures.values():
        assert b"<svg" in render(drawing, found[drawing.table])["svg"]
    full = study.cells("full")
    assert all(cell in full for cell in study.cells("quick"))
