"""The studies beside `separability`: any pair, the slow side, and the figures of Wang et al."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling
from ndcgstudy.runner import run
from ndcgstudy.study import load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
NAMES = ("any_pair", "slow_side", "wang2013")


def study_of(name):
    return load_study(EXPERIMENTS / f"{name}.py")


@pytest.fixture(scope="module")
def found():
    """The tables of each study from its first cells."""
    tables = {}
    with ThreadPoolExecutor(1) as executor:
        for name, cells in zip(NAMES, (7, 4, 6), strict=True):
            study = study_of(name)
            rows = run(study, study.cells("quick")[:cells], seed=0, executor=executor)
            tables[name] = study.analysis(pd.DataFrame(rows))
    return tables


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_drawn(found, name):
    for drawing in study_of(name).figures.values():
        assert b"<svg" in render(drawing, found[name][drawing.table])["svg"]


@pytest.mark.parametrize("name", NAMES)
def test_the_quick_cells_are_among_the_full_ones(name):
    quick, full = study_of(name).cells("quick"), study_of(name).cells("full")
    assert [cell for cell in full if cell in quick] == quick


def test_any_different_pair_is_told_apart_on_long_lists_and_the_claim_has_its_conditions(found):
    (verdict,) = study_of("any_pair").verdicts(found["any_pair"])
    assert (verdict.id, verdict.ruling) == ("A25", Ruling.CONDITION)
    assert "least P(right) of these pairs at n = 100: 0." in verdict.why


def test_were_a_pair_confused_on_long_lists_the_claim_would_fall(found):
    table = found["any_pair"]["table"].copy()
    table.loc[(table["pair"] == "shared_top") & (table["n"] == 10**12), "p_right"] = 0.7
    (verdict,) = study_of("any_pair").verdicts({"table": table})
    assert verdict.ruling == Ruling.CONTRADICTED


def test_a_slower_mix_orders_every_list_alike_until_it_is_a_constant(found):
    table = found["slow_side"]["table"]
    mixed, constant = table[table["a"] > 0], table[table["a"] == 0]
    assert mixed["same"].tolist() == [1.0] * len(mixed)
    assert constant["tied"].tolist() == [1.0] * len(constant)
    assert (mixed.groupby("base")["mean_a"].diff().dropna() > 0).all()  # the level goes to 1


def test_cut_at_a_fifth_of_the_list_a_constant_separates_as_well_as_a_logarithm(found):
    z = found["slow_side"]["cutoffs"].set_index(["discount", "cutoff", "n"])["z"]
    assert z["constant", "0.2n", 10_000] > 5
    assert z["constant", "10", 10_000] < 2
    assert pd.isna(z["constant", "none", 10_000])


def test_the_order_of_rankers_is_that_of_the_paper_but_for_the_fast_discount(found):
    orders = found["wang2013"]["orders"].set_index(["measure", "n"])["in_order"]
    assert min(orders[name, 5000] for name in ("log", "root", "cut")) > 0.8
    assert orders["fast", 5000] < 0.95  # by the rates z is about 1 for 40 queries, whatever n
    levels = found["wang2013"]["table"].set_index(["measure", "name", "n"])["mean"]
    assert levels["log", "random", 5000] > levels["log", "random", 500]
    assert levels["root", "random", 5000] == pytest.approx(0.2**0.5, abs=0.02)  # p^b, Theorem 7
