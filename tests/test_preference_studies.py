"""The studies of preferences decide from their numbers, and other numbers decide otherwise."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import music
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from ndcgstudy.agreement.drawing import draw_agreement, draw_by_size
from ndcgstudy.agreement.mcnemar import binomial
from ndcgstudy.external import load
from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling
from ndcgstudy.runner import run
from ndcgstudy.study import load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
NAMES = ("preferences", "sanderson2010")


def study_of(name):
    return load_study(EXPERIMENTS / f"{name}.py")


def part_of(name, what):
    return load(f"{EXPERIMENTS / f'{name}.py'}:{what}", "function")


@pytest.fixture(scope="module")
def found(data_folder):
    """The tables of each study, from few resamples, fits of one set and some families left out."""
    tables = {}
    with ThreadPoolExecutor(1) as executor:
        for name in NAMES:
            study = study_of(name)
            cells = [
                {**cell, "resamples": 100} if cell.get("resamples") else cell
                for cell in study.cells("quick")
                if cell["part"] != "likelihood" or cell["set"] == "both"
                if cell.get("family", "power") in ("power", "table")
            ]
            rows = run(study, cells, seed=0, executor=executor)
            tables[name] = study.analysis(pd.DataFrame(rows))
    return tables


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_drawn(found, name):
    for drawing in study_of(name).figures.values():
        assert b"<svg" in render(drawing, found[name][drawing.table])["svg"]


@pytest.mark.parametrize("name", NAMES)
def test_the_full_scale_has_the_same_cells_with_more_resamples(name):
    quick, full = (study_of(name).cells(scale) for scale in ("quick", "full"))
    assert [{**c, "resamples": 0} for c in quick] == [{**c, "resamples": 0} for c in full]


def test_the_published_shares_have_the_known_intervals_and_tests(found):
    table = found["sanderson2010"]["table"].set_index("measure")
    assert (100 * table["low"]).round(1).tolist() == [57.4, 46.4, 42.9]
    assert (100 * table["high"]).round(1).tolist() == [69.2, 58.9, 56.2]
    assert table["p_half"].tolist() == pytest.approx([2e-5, 0.44, 0.95], rel=0.1)
    for row in table.itertuples():
        assert row.p_half == pytest.approx(binomtest(row.agree, row.pairs).pvalue)


def test_bounds_are_those_of_every_way_to_fill_the_table(monkeypatch):
    """A brute force over all tables of smaller counts finds the same least and largest p."""
    bounds = part_of("sanderson2010", "bounds")
    monkeypatch.setitem(bounds.__globals__["PUBLISHED"], "x", (9, 14))
    monkeypatch.setitem(bounds.__globals__["PUBLISHED"], "y", (5, 12))
    for shared in (12, 10, 6):
        ps = [
            binomial(b, c)
            for both in range(shared + 1)
            for b in range(shared + 1 - both)
            for c in range(shared + 1 - both - b)
            if max(0, 9 - (14 - shared)) <= both + b <= 9
            and max(0, 5 - (12 - shared)) <= both + c <= 5
        ]
        row = bounds("x", "y", shared)
        assert (row["least_p"], row["largest_p"]) == pytest.approx((min(ps), max(ps)))


def test_the_claims_on_sanderson_and_their_conditions(found):
    verdicts = {v.id: v for v in study_of("sanderson2010").verdicts(found["sanderson2010"])}
    assert {key: v.ruling for key, v in verdicts.items()} == {
        "A21": Ruling.CITED,
        "A22": Ruling.CONDITION,
        "A23": Ruling.CONDITION,
    }
    assert "p between 2e-10 and 0.14" in verdicts["A22"].why
    assert "urbano2012: more so than RR@5" in verdicts["A23"].why
    assert (
        "of 252 pairs on which nDCG agrees with people: 63.49 [57.4, 69.2]"
        in verdicts["A21"].measured
    )


def decided(tables, claim, **changed):
    """Decide a claim of the study of Sanderson anew from changed tables."""
    decisions = {one.claim.id: one for one in study_of("sanderson2010").decisions}
    return decisions[claim].verdict({**tables, **changed}).ruling


def test_other_numbers_decide_otherwise(found):
    tables = found["sanderson2010"]
    table, gaps = (tables[name].copy() for name in ("table", "gaps"))
    table.loc[0, "rate"] = 0.55
    assert decided(tables, "A21", table=table) == Ruling.CONTRADICTED
    assert decided(tables, "A23", gaps=gaps.assign(gap_low=0.01)) == Ruling.HOLDS
    assert decided(tables, "A23", gaps=gaps.assign(gap_low=-0.01)) == Ruling.CONTRADICTED
    overlap = tables["overlap"].assign(largest_p=0.01)
    assert decided(tables, "A22", overlap=overlap) == Ruling.HOLDS


def test_agreement_is_weaker_where_both_lists_hold_something_as_known(found):
    gaps = found["sanderson2010"]["gaps"].set_index(["set", "measure"])["gap"]
    for which, counts in (
        ("urbano2012", (429, 463, 719, 841)),
        ("urbano2015", (617, 655, 1246, 1413)),
    ):
        known = counts[0] / counts[1] - counts[2] / counts[3]
        assert gaps[which, "nDCG@5"] == pytest.approx(known)
        more = gaps[which, "nDCG@5"] - gaps[which, "RR@5"]
        assert gaps[which, "nDCG@5 less RR@5"] == pytest.approx(more)


def test_one_side_without_anything_relevant_leaves_measures_nothing_to_differ_in(found):
    strata = found["sanderson2010"]["strata"]
    alone = strata[strata["stratum"] == "one side nothing relevant"]
    assert alone.groupby("set")["agree"].nunique().tolist() == [1, 1]
    assert alone["tie"].tolist() == [0] * len(alone)


def test_the_study_of_preferences_has_the_known_counts(found):
    table = found["preferences"]["table"].query("stratum == 'all'")
    for which, name in enumerate(music.SETS):
        rows = table[table["set"] == name]
        for known, row in zip(music.MEASURES.values(), rows.itertuples(), strict=True):
            assert (row.agree, row.agree + row.disagree) == known[which][:2]


def test_counting_human_ties_as_misses_turns_the_order_of_discounts(found):
    """Urbano and Marrero (2015) found a constant discount best so: it decides fewer pairs."""
    rows = found["preferences"]["table"].query("stratum == 'all'").set_index(["set", "measure"])
    for name in music.SETS:
        constant, log2 = (rows.loc[(name, m)] for m in ("DCG(discount=constant)@5", "nDCG@5"))
        assert constant["users_satisfied"] > log2["users_satisfied"]
        assert constant["strict"] < log2["strict"]
        assert constant["agree"] + constant["disagree"] < log2["agree"] + log2["disagree"]


def test_likelihoods_are_the_known_ones_and_tell_gains_apart(found):
    table = found["preferences"]["likelihood"]
    both = table[table["set"] == "both"].set_index(["gain", "discount"])
    known = {"log2": -1055.6, "zipf": -1065.6, "geometric(p=0.8)": -1056.6, "constant": -1079.7}
    for discount, loglik in known.items():
        assert both.loc[("linear", discount), "loglik"] == pytest.approx(loglik, abs=0.05)
    assert both.loc[("exponential", "log2"), "loglik"] == pytest.approx(-1077.6, abs=0.05)
    reference = both.loc[("linear", "log2")]
    assert (reference["lead"], reference["verdict"]) == (0.0, "the reference")
    assert both.loc[("exponential", "log2"), "lead_high"] < 0
    assert both.loc[("linear", "geometric(p=0.8)"), "verdict"].endswith("cannot be told apart")


def test_free_rank_weights_are_near_those_of_log2(found):
    table = found["preferences"]["free"]
    rows = table[(table["set"] == "both") & (table["what"] == "weight of rank")]
    assert rows["value"].round(2).tolist() == [1.0, 0.58, 0.63, 0.42, 0.32]
    assert rows["error"].to_numpy()[1:] == pytest.approx(0.08, abs=0.005)
    inside = 1 / np.log2(np.arange(1, 6) + 1)
    assert ((rows["low"] <= inside) & (inside <= rows["high"])).all()


def test_conclusions_are_drawn_for_gain_discount_and_family(found):
    table = found["preferences"]["conclusions"]
    assert table["question"].value_counts().to_dict() == {
        "gain": 2,
        "discount": 3,
        "family of discounts": 2,
    }
    for row in table.itertuples():
        apart = row.lead_low > 0 or row.lead_high < 0
        assert ("cannot be told apart" in row.verdict) != apart


def test_the_mix_of_the_other_set_moves_the_level(found):
    sizes = found["preferences"]["sizes"].query("measure == 'nDCG@5'").set_index(["set", "stratum"])
    twelve, fifteen = music.SETS
    assert sizes.loc[(twelve, "reweighted"), "rate"] < sizes.loc[(twelve, "all"), "rate"]
    assert sizes.loc[(fifteen, "reweighted"), "rate"] > sizes.loc[(fifteen, "all"), "rate"]


def test_agreement_is_drawn_both_ways_for_each_set_with_its_intervals(found):
    from matplotlib.figure import Figure

    table = found["preferences"]["table"]
    ax = draw_agreement(table, Figure().subplots())
    series = {line.get_label(): line for line in ax.lines if len(line.get_xdata()) == 8}
    assert len(series) == 4
    whole = table[table["stratum"] == "all"].set_index("set")
    for way, column in (("dropped", "rate"), ("missed", "strict")):
        for name in music.SETS:
            drawn = series[f"measure's ties {way}, {name}"]
            assert drawn.get_xdata().tolist() == whole.loc[name, column].tolist()
    heights = np.sort(np.concatenate([line.get_ydata() for line in series.values()]))
    assert np.diff(heights).min() > 0.1  # no two on one height


def test_agreement_by_size_is_drawn_at_the_middle_of_each_bin(found):
    from matplotlib.figure import Figure

    ax = draw_by_size(found["preferences"]["first"], Figure().subplots())
    lines = [line for line in ax.lines if len(line.get_xdata()) == 10]
    assert len(lines) == 2
    assert lines[0].get_xdata().tolist() == pytest.approx(np.arange(0.05, 1, 0.1).tolist())
    assert lines[0].get_ydata()[0] == pytest.approx(43 / 71)
