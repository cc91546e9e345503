"""The studies of discriminative power and of planning, on part of their data."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.figures import render
from ndcgstudy.study import load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
POWER, PLANNING = (
    load_study(EXPERIMENTS / f"{n}.py") for n in ("discriminative_power", "planning")
)


@pytest.mark.parametrize("study", [POWER, PLANNING])
def test_the_quick_cells_are_among_the_full_ones(study):
    quick, full = study.cells("quick"), study.cells("full")
    assert [cell for cell in full if cell in quick] == quick


def test_an_added_discount_meets_the_logarithm_at_both_cutoffs():
    cells = POWER.cells("quick", discount=("power(0.7)",))
    added = [cell["measures"] for cell in cells if cell["set"].startswith("added")]
    assert added == [(f"nDCG@{k}", f"nDCG(discount=power(beta=0.7))@{k}") for k in (10, 100)]


@pytest.fixture(scope="module")
def power(data_folder):
    """The tables of two cells."""
    sets = ("discounts at 100", "others")
    cells = [cell for cell in POWER.cells("quick") if cell["set"] in sets]
    rows = [row for cell in cells for row in POWER.cell(cell, np.random.default_rng(0))]
    return POWER.analysis(pd.DataFrame(rows))


def test_shares_of_the_deep_learning_track(power):
    table = power["table"].set_index(["set", "measure"])
    assert table["pairs"].unique().tolist() == [63 * 62 / 2]
    assert table.loc[("others", "nDCG@10"), "separated"] == pytest.approx(0.745, abs=5e-4)
    verdicts = table["verdict"]
    assert verdicts["others", "RR@10"] == "separates fewer"
    assert verdicts["others", "nDCG(gain=exponential)@10"] == "cannot be told"
    assert verdicts["others", "nDCG@10"] == "-"


@pytest.mark.parametrize("name", [*POWER.figures])
def test_figures_of_power_are_drawn(power, name):
    drawing = POWER.figures[name]
    assert b"<svg" in render(drawing, power[drawing.table])["svg"]


@pytest.fixture(scope="module")
def planning(data_folder):
    cells = [cell for cell in PLANNING.cells("quick") if cell["family"] == "each"][:2]
    rows = [row for cell in cells for row in PLANNING.cell(cell, np.random.default_rng(0))]
    return PLANNING.analysis(pd.DataFrame(rows))


def test_plans_come_near_what_other_topics_give(planning):
    table = planning["table"]
    assert table["pilot"].tolist() == [25, 50]
    assert table["planned"].tolist() == [74, 49]
    assert (table["off"].abs() < 0.05 + 4 * table["off_se"]).all()
    few = table.iloc[0]  # from 25 topics to 74: the share of the plan's own topics would not do
    assert few["actual"] - few["pilot_share"] > 0.05 + 4 * few["pilot_share_se"]


def test_figures_of_planning_are_drawn(planning):
    (drawing,) = PLANNING.figures.values()
    assert b"<svg" in render(drawing, planning[drawing.table])["svg"]


@pytest.mark.slow
@pytest.mark.parametrize("family", ["each", "all"])
def test_plans_of_robust_2004_come_true(data_folder, family):
    cells = [c for c in PLANNING.cells("full") if c["family"] == family and c["block"] < 4]
    rows = [
        row for i, cell in enumerate(cells) for row in PLANNING.cell(cell, np.random.default_rng(i))
    ]
    table = PLANNING.analysis(pd.DataFrame(rows))["table"]
    assert (table["off"].abs() < 0.04 + 4 * table["off_se"]).all()
    assert ((table["found"] - 0.8).abs() < 0.05 + 4 * table["found_se"]).all()
