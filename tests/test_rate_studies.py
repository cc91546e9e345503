"""The studies of the critical rate, of cutoffs and of the paper's traps: what their tables say."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.figures import render
from ndcgstudy.runner import run
from ndcgstudy.study import load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


def loaded(name):
    return load_study(EXPERIMENTS / f"{name}.py")


def tables(study, **changes):
    """Run the cells of the quick scale with fewer replicates or betas, and analyse them."""
    cells = [cell | changes for cell in study.cells("quick")]
    with ThreadPoolExecutor(1) as executor:
        return study.analysis(pd.DataFrame(run(study, cells, seed=0, executor=executor)))


def drawn(study, found):
    return [render(drawing, found[drawing.table])["svg"] for drawing in study.figures.values()]


def test_the_exponent_falls_at_the_critical_rate():
    study = loaded("critical_rate")
    found = tables(study, beta=(0.0, 0.25, 0.75, 1.5), replicates=30)
    table = found["table"].set_index("beta")
    assert np.isnan(table.loc[0.0, "exponent"])
    # An exponent over 4 decades is off by about sqrt(1/60)/9 = .015; at 1.5 z is about .6 +- .14.
    assert table.loc[0.25, "exponent"] == pytest.approx(0.5, abs=0.08)
    assert table.loc[0.75, "exponent"] == pytest.approx(0.25, abs=0.08)
    assert table.loc[1.5, "exponent"] < 0.2
    assert table["expected"].drop(0.0).tolist() == pytest.approx([0.5, 0.25, 0.0], abs=0.02)
    inside = table["exponent"].between(table["exponent_low"], table["exponent_high"])
    assert inside.drop(0.0).all()
    assert all(b"<svg" in figure for figure in drawn(study, found))


def test_a_constant_cutoff_stops_separation_and_a_growing_one_does_not():
    study = loaded("cutoffs")
    found = tables(study, replicates=20)
    z = found["log2"].set_index(["cutoff", "n"])["z"]
    assert z["10", 10**12] < 3
    assert z["n^0.5", 10**12] > 50
    assert z["0.1n", 10**12] > 10_000
    assert all(b"<svg" in figure for figure in drawn(study, found))


def test_the_traps_are_traps():
    study = loaded("paper_traps")
    found = tables(study, replicates=30)
    top = found["top"].set_index(["pair", "discount", "n"])
    assert top.loc[("shared_top", "power(beta=2)", 10**9), "p_right"] == 1
    assert top.loc[("shared_top", "power(beta=2)", 10**9), "z"] > 1000
    assert top.loc[("reference", "power(beta=2)", 10**9), "z"] < 2
    assert found["tied"]["p_right"].mean() < 0.6  # 270 lists: 5 standard errors below .75
    deep = found["underflow"].set_index("n")
    assert deep.loc[10**6, "same"] == 1
    assert deep.loc[10**6, "p_tied"] == 0
    assert all(b"<svg" in figure for figure in drawn(study, found))
