"""The calibration study: its laws have the means they claim, its counts are right, and what follows."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from full_results import at_full_scale

from ndcgstudy.boards import board
from ndcgstudy.data import Scores
from ndcgstudy.inference.paired import CAUTIONS, TESTS
from ndcgstudy.inference.registered import DEFAULTS, METHODS
from ndcgstudy.study import load_study
from ndcgstudy.synthetic.matrices import Margin, apart, equal, fitted, margin_of

ROOT = Path(__file__).parent.parent
PROMISED = {"one": (0.94, 0.96), "all": (0.94, 1.0)}


@pytest.fixture(scope="module")
def study():
    return load_study(ROOT / "experiments" / "calibration.py")


def summary():
    return pd.read_csv(at_full_scale("calibration") / "calibration" / "summary.csv")


@pytest.fixture(scope="module")
def averaged():
    """Coverage and width on real matrices at 25 topics and more, a row a method and number of topics."""
    table = summary()
    some = table[
        (table["source"] == "resampled") & (table["topics"] >= 25) & (table["kind"] != "test")
    ]
    some = some.assign(
        coverage=np.where(some["kind"] == "one", some["covered"], some["all_covered"])
    )

    def over_sizes(rows: pd.DataFrame) -> pd.Series:
        weights = rows["lists"]
        means = {name: np.average(rows[name], weights=weights) for name in ("coverage", "half")}
        return pd.Series({**means, "lists": weights.sum()})

    keys = ["kind", "method", "topics"]
    return some.groupby(keys)[["coverage", "half", "lists"]].apply(over_sizes).reset_index()


def holds(rows: pd.DataFrame, kind: str) -> bool:
    """Whether coverage is as promised at every number of topics, but for 2 Monte-Carlo errors."""
    low, high = PROMISED[kind]
    slack = 2 * np.sqrt(low * (1 - low) / rows["lists"])
    return bool(((rows["coverage"] >= low - slack) & (rows["coverage"] <= high + slack)).all())


@pytest.mark.parametrize("kind", ["one", "all"])
def test_the_default_is_the_narrowest_of_those_that_hold(averaged, kind):
    of_kind = averaged[averaged["kind"] == kind]
    good = [name for name, rows in of_kind.groupby("method") if holds(rows, kind)]
    width = of_kind[of_kind["method"].isin(good)].groupby("method")["half"].mean()
    default = DEFAULTS["each" if kind == "one" else "all"]
    assert default in good
    assert (
        width[default] <= width.min() * 1.01
    )  # within a percent: step-down has the same intervals


@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_does_not_hold_says_so(averaged, name):
    kind = "all" if METHODS[name].together else "one"
    rows = averaged[averaged["method"] == name]
    assert holds(rows, kind) == (not METHODS[name].caution)


@pytest.mark.parametrize("source", ["resampled", "copula"])
@pytest.mark.parametrize("name", TESTS)
def test_a_test_that_rejects_too_often_says_so(source, name):
    """Of equal pairs 5% are told apart, but for 2 errors as if a list had a single pair."""
    table = summary().query("kind == 'test' and source == @source and method == @name")
    slack = 2 * np.sqrt(0.05 * 0.95 / table["lists"])
    assert (table["type_1"] > 0.05 + slack).any() == (name in CAUTIONS)


def test_the_copula_has_the_margins_it_was_fitted_to():
    values = board("web2013_rr").values[:6]
    model = fitted(values)
    rng = np.random.default_rng(0)
    drawn = model.draw(20_000, rng)
    error = drawn.std(axis=1, ddof=1) / np.sqrt(20_000)
    assert np.all(np.abs(drawn.mean(axis=1) - model.means) < 4.5 * error)
    for end in (0.0, 1.0):
        share = (values == end).mean(axis=1)
        spread = np.sqrt(np.maximum(share * (1 - share), 1e-4) / 20_000)
        assert np.all(np.abs((drawn == end).mean(axis=1) - share) < 4.5 * spread)


def test_the_copula_ties_systems_as_the_matrix_does():
    from scipy.stats import spearmanr

    values = board("dl2021").values[[0, 10, 20, 30]]  # few ties, for which ranks are defined
    drawn = fitted(values).draw(4000, np.random.default_rng(1))
    wanted, got = (spearmanr(m.T).statistic for m in (values, drawn))
    assert np.abs(wanted - got).max() < 4.5 / np.sqrt(4000) + 0.02  # .02: 2 sin(pi r/6) is normal's


def test_equal_systems_are_equal_and_steps_are_as_wide_as_asked():
    model = fitted(board("dl2021").values[:8])
    assert np.ptp(equal(model).means) == 0
    law = apart(model, 0.01)
    assert np.diff(law.means) == pytest.approx(0.01)
    drawn = law.draw(40_000, np.random.default_rng(2))
    error = drawn.std(axis=1, ddof=1) / np.sqrt(40_000)
    assert np.all(np.abs(drawn.mean(axis=1) - law.means) < 4.5 * error)
    with pytest.raises(ValueError, match="sets 8 systems apart by more than"):
        apart(model, 0.5)


def test_a_margin_of_atoms_alone():
    margin = margin_of(np.array([0.0, 0.0, 1.0, 0.0]))
    assert (margin.zeros, margin.ones, margin.mean()) == (0.75, 0.25, 0.25)
    assert margin.quantile(np.array([0.1, 0.74, 0.76, 1.0])).tolist() == [0, 0, 1, 1]
    assert Margin(0.0, 0.0, np.array([0.5])).quantile(np.array([0.3])).tolist() == [0.5]


def test_dealing_out_anew_makes_systems_equal(study):
    import sys

    module = sys.modules[study.cell.__module__]
    cell = {"source": "resampled", "population": "web2013_rr", "truth": "equal", "systems": 10}
    cell |= {"topics": 25, "draws": 1, "resamples": 99, "block": 0}
    means = [
        module.drawn(cell, np.random.default_rng(seed))[0].values.mean(axis=1)
        for seed in range(300)
    ]
    spread = np.std(means, axis=0, ddof=1) / np.sqrt(300)
    assert np.all(np.abs(np.mean(means, axis=0) - np.mean(means)) < 4.5 * spread)


def test_counts_of_one_draw(study):
    """A board with one clear gap, in the wrong order for the truth that it is judged against."""
    import sys

    module = sys.modules[study.cell.__module__]
    rng = np.random.default_rng(0)
    values = np.stack(
        [0.8 + rng.random(30) / 50, 0.2 + rng.random(30) / 50, 0.2 + rng.random(30) / 50]
    )
    scores = Scores(values, ("0", "1", "2"), tuple(str(t) for t in range(30)), "score")
    truth = np.array([0.1, 0.9, 0.9])
    found = module.judged(scores, truth, {"resamples": 99}, rng)
    one, every = found["one", "t"], found["all", "shrunken"]
    assert one["wrong_order"] == pytest.approx(2 / 3)
    assert every["any_wrong"] == 1
    assert every["all_covered"] == 0
    assert found["test", "t"]["wrong_order"] == pytest.approx(2 / 3)


def counted(study, **where):
    """The rows of one cell: what `judged` found in each draw, added up."""
    cell = {"source": "resampled", "population": "web2013_rr", "truth": "apart", "systems": 4}
    cell |= {"topics": 10, "draws": 3, "resamples": 39, "block": 0} | where
    return cell, study.cell(cell, np.random.default_rng(1))


def test_a_cell_adds_up_its_draws(study):
    import sys

    module = sys.modules[study.cell.__module__]
    cell, rows = counted(study)
    rng, sums = np.random.default_rng(1), {}
    for _ in range(3):
        for key, counts in module.judged(*module.drawn(cell, rng), cell, rng).items():
            sums.setdefault(key, []).append(counts)
    assert {(row["kind"], row["method"]) for row in rows} == set(sums)
    for row in rows:
        draws = sums[row["kind"], row["method"]]
        assert row["lists"] == 3
        for name in draws[0]:
            assert row[name] == pytest.approx(sum(counts[name] for counts in draws))


def test_the_summary_averages_laws_and_takes_type_1_from_equal_systems(study):
    cells = [
        {"population": p, "truth": t} for p in ("web2013_rr", "dl2021") for t in ("apart", "equal")
    ]
    rows = pd.DataFrame([row for where in cells for row in counted(study, **where)[1]])
    tables = study.analysis(rows)
    table = tables["table"].set_index(["population", "truth", "kind", "method"])
    summary = tables["summary"].set_index(["kind", "method"])
    laws = ["web2013_rr", "dl2021"]
    for (kind, method), line in summary.iterrows():
        apart_, equal_ = (
            [table.loc[(law, truth, kind, method)] for law in laws] for truth in ("apart", "equal")
        )
        assert line["type_1"] == pytest.approx(np.mean([r["separated"] for r in equal_]))
        assert line["type_2"] == pytest.approx(1 - np.mean([r["separated"] for r in apart_]))
        assert line["type_3"] == pytest.approx(np.mean([r["wrong_order"] for r in apart_]))
        assert line["lists"] == 6
        if kind != "test":
            assert line["covered"] == pytest.approx(np.mean([r["covered"] for r in apart_]))
            held = [r["all_covered"] for r in apart_]
            assert line["all_covered"] == pytest.approx(np.mean(held))
            assert line["least_all_covered"] == pytest.approx(min(held))


def test_the_study_covers_the_sizes_and_laws_it_claims():
    table = summary()
    assert sorted(table["topics"].unique()) == [10, 25, 50, 100, 250]
    assert sorted(table["source"].unique()) == ["copula", "resampled"]
    assert set(table["method"]) == {*METHODS, *TESTS}
    assert table[["type_1", "type_2", "type_3"]].notna().all().all()
