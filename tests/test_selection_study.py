"""The study of gains that come of choosing: equal systems gain by luck, and corrections call it so."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from ndcgstudy.figures import render
from ndcgstudy.seeding import rng_for
from ndcgstudy.study import load_study
from ndcgstudy.synthetic.matrices import Copula, Margin

STUDY = load_study(Path(__file__).parents[1] / "experiments" / "selection.py")
PARTS = STUDY.cell.__globals__
chosen, equals = PARTS["chosen"], PARTS["equals"]
TOPICS, MS = PARTS["TOPICS"], PARTS["MS"]
MARGIN = Margin(0.1, 0.05, np.linspace(0.1, 0.9, 20))


@pytest.fixture(scope="module")
def tables(data_folder):
    cells = STUDY.cells("quick")
    rows = [r for i, c in enumerate(cells) for r in STUDY.cell(c, rng_for(0, "selection", i))]
    return STUDY.analysis(pd.DataFrame(rows))


def gains(model, m, draws, rng):
    """Return the lead of the best of m over the last system, a value a draw."""
    means = np.stack([model.draw(TOPICS, rng).mean(axis=1) for _ in range(draws)])
    return means[:, :m].max(axis=1) - means[:, -1]


def test_the_best_of_m_equal_systems_gains_what_normal_theory_says():
    rng, m = np.random.default_rng(0), 10
    model = equals(MARGIN, 0.6, m + 1)
    large = model.draw(20_000, rng)
    sd = (large[0] - large[1]).std() / 2**0.5  # of one system's own part of its score
    order = stats.norm.expect(lambda x: x * m * stats.norm.cdf(x) ** (m - 1))
    found = gains(model, m, 500, rng)
    wanted, error = order * sd / TOPICS**0.5, found.std() / len(found) ** 0.5
    assert abs(found.mean() - wanted) < 4 * error
    unequal = Copula(model.margins, model.root, np.append(np.zeros(m), 0.1))
    assert abs(gains(unequal, m, 500, rng).mean() - wanted) > 4 * error


def test_one_system_gains_nothing_over_its_equal_and_more_like_systems_gain_less():
    rng = np.random.default_rng(1)
    one = gains(equals(MARGIN, 0.6, 2), 1, 500, rng)
    assert abs(one.mean()) < 4 * one.std() / len(one) ** 0.5
    unlike, alike = (gains(equals(MARGIN, rho, 11), 10, 400, rng) for rho in (0.3, 0.9))
    error = np.hypot(unlike.std(), alike.std()) / 20
    assert unlike.mean() - alike.mean() > 4 * error


def test_equals_correlate_as_asked_and_have_one_mean():
    model = equals(MARGIN, 0.7, 4)
    correlations = model.root @ model.root.T
    assert correlations == pytest.approx(0.7 + 0.3 * np.eye(4))
    assert set(model.means) == {MARGIN.mean()}


def test_the_t_test_calls_luck_a_gain_and_corrected_intervals_do_not():
    rng, m, draws = np.random.default_rng(2), 20, 100
    model = equals(MARGIN, 0.6, m + 1)
    rows = pd.DataFrame([chosen(model.draw(TOPICS, rng), m, rng) for _ in range(draws)])
    error = (0.05 * 0.95 / draws) ** 0.5
    assert rows["t"].mean() > 0.05 + 4 * error
    assert rows["at_once"].mean() < 0.05 + 4 * error
    assert rows["first"].mean() < 0.05 + 4 * error


def test_a_gain_that_is_real_is_called_one_by_all():
    rng = np.random.default_rng(3)
    better = Copula((MARGIN,) * 6, equals(MARGIN, 0.9, 6).root, np.array([0.5, 0, 0, 0, 0, 0]))
    rows = pd.DataFrame([chosen(better.draw(TOPICS, rng), 5, rng) for _ in range(20)])
    assert rows[["t", "at_once", "first"]].all(axis=None)
    assert (rows["gain"] > 0).all()


def test_gains_of_real_margins_rise_with_the_systems_tried(tables):
    for _, part in tables["table"].groupby(["board", "kind"]):
        assert part["m"].tolist() == list(MS)
        assert part["gain"].iloc[1:].is_monotonic_increasing
        assert abs(part["gain"].iloc[0]) < 4 * part["gain_se"].iloc[0]


def test_what_equal_systems_lead_by_is_lost_on_fresh_topics_and_what_is_real_is_kept():
    rng, m = np.random.default_rng(4), 10
    model = equals(MARGIN, 0.6, 60)
    real = Copula(model.margins, model.root, np.linspace(0, 0.3, 60))
    for law, nothing in ((model, True), (real, False)):
        drawn = [pd.DataFrame(PARTS["_tuned"](law.draw(TOPICS, rng), rng)) for _ in range(12)]
        kept, lost = (
            np.array([part.loc[part["m"] == m, name].mean() for part in drawn])
            for name in ("kept", "lost")
        )
        assert (abs(kept.mean()) < 4 * kept.std() / 12**0.5) == nothing
        assert lost.mean() > 4 * lost.std() / 12**0.5


def test_leads_of_real_runs_are_what_is_kept_and_what_is_lost(tables):
    table = tables["tuning"]
    assert table["lost"].to_numpy() == pytest.approx((table["lead"] - table["kept"]).to_numpy())
    assert table["kept"].is_monotonic_increasing  # real runs differ


def test_the_boards_gaps_are_to_their_best_run(tables):
    boards = tables["boards"]
    assert boards["place"].tolist() == [*range(1, len(boards) + 1)]
    assert (boards["gap"] == boards["mean"].max() - boards["mean"]).all()
    weak = tables["weak"].set_index("baseline")
    assert weak.loc["middle", "gap"] > weak.loc["upper quarter", "gap"] > weak.loc["second", "gap"]
    assert weak.loc["middle", "separated"]


def test_figures_are_drawn_and_quick_cells_are_among_the_full_ones(tables):
    for drawing in STUDY.figures.values():
        assert b"<svg" in render(drawing, tables[drawing.table])["svg"]
    full = STUDY.cells("full")
    assert all(cell in full for cell in STUDY.cells("quick"))
