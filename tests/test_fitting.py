"""Fitted discounts: brute force, simulated readers whose discount is known, and real answers."""

import numpy as np
import pytest
from readers import asked
from scipy.optimize import minimize

from ndcgstudy.agreement.asked import by_rank, fit_all, records
from ndcgstudy.agreement.drawing_weights import draw_weights
from ndcgstudy.agreement.families import (
    FAMILIES,
    Answers,
    best_table,
    best_value,
    check_family,
    family,
)
from ndcgstudy.agreement.fitting import (
    best_weights,
    fit_discount,
    held_out_discount,
    lead_over,
    verdict,
)
from ndcgstudy.agreement.heldout import Lead, held_out, lead
from ndcgstudy.agreement.weights import rank_gaps
from ndcgstudy.discounts import DISCOUNTS, JK2002, Log2, Table
from ndcgstudy.figures import render
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.gains import GAINS
from ndcgstudy.study import Drawing


@pytest.fixture
def rng():
    return np.random.default_rng(8)


@pytest.fixture(scope="module")
def music(data_folder):
    found = read_preferences(data_folder / "preferences" / "music_pairs.jsonl.gz")
    return Answers(rank_gaps(found, GAINS.parse("linear")), found.preference, found.topic)


def test_all_families_hold_a_constant_and_nearly_the_first_rank_alone():
    ranks = np.arange(1, 8)
    for name in ("power", "geometric", "log-base"):
        of = family(name, 7)
        ends = [of.weights(end, ranks) / of.weights(end, ranks)[0] for end in of.ends]
        low, high = sorted(ends, key=lambda weights: weights[1])
        assert low == pytest.approx([1] + [0] * 6, abs=0.005)
        assert high == pytest.approx(1, abs=0.001)
    assert family("log-base", 7).make(2.0) == JK2002(2)


@pytest.mark.parametrize("ties", ["davidson", "dropped"])
@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("name", ["power", "geometric", "log-base"])
def test_the_best_of_a_family_is_found(rng, name, ties, position):
    answers = asked(rng, ties=ties, position=position)
    of = family(name, 5)
    value = best_value(answers, of)
    losses = [-answers.fit(of.weights(x, answers.ranks)).loglik for x in np.linspace(*of.ends, 60)]
    best = -answers.fit(of.weights(value, answers.ranks)).loglik
    assert best <= min(losses) + 1e-6
    near = [value - 1e-3, value + 1e-3]
    assert all(-answers.fit(of.weights(x, answers.ranks)).loglik > best for x in near)


def test_the_best_table_is_free_where_free_weights_fall(rng):
    answers = asked(rng, clusters=300)
    free = answers.fit_ranks().slopes
    assert (np.diff(free) < 0).all()
    assert best_table(answers) == pytest.approx(free / free[0], rel=1e-9)


@pytest.mark.parametrize("ties", ["davidson", "dropped"])
def test_the_best_table_never_rises_and_no_other_such_table_is_likelier(rng, ties):
    answers = asked(rng, "constant", clusters=40, ties=ties)
    assert (np.diff(answers.fit_ranks().slopes) > 0).any()
    found = best_table(answers)
    assert found[0] == 1
    assert (np.diff(found) <= 0).all()
    best = answers.fit(found).loglik

    def loss(steps):  # squares, so that no bound is needed
        weights = np.cumsum(steps[::-1] ** 2)[::-1] + 1e-12
        return -answers.fit(weights).loglik

    start = np.sqrt([0.1, 0.1, 0.1, 0.1, 1.0])
    rival = minimize(loss, start, method="Nelder-Mead", options={"maxfev": 400}).fun
    assert -best == pytest.approx(rival, abs=0.01)
    assert -best <= rival + 1e-6


def test_people_are_found_to_go_by_what_they_go_by(rng):
    """The error of the weights is about a 15th here; a wrong discount is far from them."""
    truth = DISCOUNTS.parse("power(beta=0.7)")(np.arange(1, 6))
    answers = asked(rng, clusters=600)
    for name in ("power", "table"):
        found = fit_discount(answers, name)
        assert ((found.low <= truth) & (truth <= found.high)).all()
        assert lead_over(answers, name, "power(beta=2)").low > 0
    value = fit_discount(answers, "power").parameters[0]
    assert value.low < 0.7 < value.high
    assert not value.at_low
    assert not value.at_high
    constant = DISCOUNTS.parse("constant")(np.arange(1, 6))
    assert not ((found.low <= constant) & (constant <= found.high)).all()


def test_the_criterion_counts_the_parameters_of_the_discount(rng):
    answers = asked(rng)
    one, table = (fit_discount(answers, name) for name in ("power", "table"))
    assert one.aic == pytest.approx(-2 * one.fit.loglik + 2 * 3)
    assert table.aic == pytest.approx(-2 * table.fit.loglik + 2 * 6)
    assert isinstance(table.discount, Table)


def test_a_discount_held_out_is_its_measure_held_out(rng):
    answers = asked(rng)
    difference = answers.gaps @ Log2()(answers.ranks)
    expected = held_out(difference, answers.preference, answers.cluster, folds=4)
    assert held_out_discount(answers, "log2", folds=4) == pytest.approx(expected)
    assert held_out_discount(answers, Log2(), folds=4) == pytest.approx(expected)
    assert lead_over(answers, "log2", folds=4).mean == 0


def test_a_fitted_discount_is_fitted_anew_for_each_fold(rng):
    """Its lead on answers left out is below its lead on the answers it was fitted to."""
    answers = asked(rng, clusters=40)
    inside = fit_discount(answers, "table").fit.loglik - answers.fit(Log2()(answers.ranks)).loglik
    assert lead_over(answers, "table").mean < inside / len(answers.preference)
    assert best_weights(answers, "table") == pytest.approx(best_table(answers))


def test_a_wrong_discount_is_told_from_the_right_one_and_none_is_better_than_it(rng):
    answers = asked(rng, "log2", clusters=400)
    assert lead_over(answers, "geometric(p=0.2)").high < 0
    assert not lead_over(answers, "power").low > 0


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.1, 0.2, "power predicts better than zipf"),
        (-0.2, -0.1, "power predicts worse than zipf"),
        (-0.1, 0.2, "power and zipf cannot be told apart"),
        (np.nan, np.nan, "power and zipf cannot be told apart"),
    ],
)
def test_verdicts_are_honest(low, high, words):
    assert verdict(Lead(0.0, 0.1, low, high, 10, 5), "power", "zipf") == words


def test_the_music_pairs_cannot_tell_log2_from_the_best_discounts(music):
    for name, value in (("power", 0.575), ("geometric", 0.776)):
        assert best_value(music, family(name, 5)) == pytest.approx(value, abs=0.001)
    base = held_out_discount(music, "log2")
    for name in ("power", "table"):
        assert not lead(held_out_discount(music, name) - base, music.cluster).told_apart
    for name in ("constant", "zipf"):
        assert lead(held_out_discount(music, name) - base, music.cluster).high < 0


def test_answers_against_the_grades_are_refused(rng):
    answers = asked(rng, slope=-8.0)
    for name in FAMILIES:
        with pytest.raises(ValueError, match=r"against the grades|slope above 0"):
            fit_discount(answers, name)
    with pytest.raises(ValueError, match="no rank earns a weight"):
        best_table(answers)


def test_lists_that_never_differ_in_gain_are_told_as_such(rng):
    """At rank 1, the unit of a table, or at any rank."""
    one = asked(rng, clusters=40)
    first = Answers(one.gaps * (np.arange(5) > 0), one.preference, one.cluster)
    with pytest.raises(ValueError, match="never differ in gain at rank 1"):
        fit_discount(first, "table")
    assert fit_discount(first, "power").fit.slope > 0
    with pytest.raises(ValueError, match="never differ in gain, so"):
        fit_discount(Answers(0 * one.gaps, one.preference, one.cluster), "power")


def test_ranks_on_which_no_pair_differs_have_no_weight_of_their_own(rng):
    answers = asked(rng)
    gaps = np.column_stack([answers.gaps, np.zeros(len(answers.gaps))])
    more = Answers(gaps, answers.preference, answers.cluster)
    assert fit_discount(more, "power").fit.loglik == pytest.approx(
        fit_discount(answers, "power").fit.loglik
    )
    found = fit_discount(more, "table")
    assert np.isnan(found.weights[5])
    assert found.fit.loglik == pytest.approx(fit_discount(answers, "table").fit.loglik, abs=1e-5)
    first = Answers(gaps[:, [0, 5]], answers.preference, answers.cluster)
    flat = fit_discount(first, "power").parameters[0]
    assert (flat.at_low, flat.at_high) == (True, True)


def test_lists_that_only_swap_ranks_say_nothing_under_a_constant(rng):
    """At beta = 0 all differences are 0, and no slope is likelier than another."""
    answers = rng.choice([1, 1, 1, 0, -1], size=200)
    swapped = Answers(np.tile([1.0, -1.0], (200, 1)), answers, np.arange(200))
    found = fit_discount(swapped, "power")
    assert found.parameters[0].value > 0
    assert swapped.fit(np.ones(2)).loglik < found.fit.loglik - 10
    assert found.fit.loglik == pytest.approx(swapped.fit(np.array([1, 0])).loglik)


def test_one_query_gives_a_value_without_an_interval(rng):
    answers = asked(rng, clusters=1, size=500)
    found = fit_discount(answers, "power").parameters[0]
    assert np.isnan([found.low, found.high]).all()
    assert np.isfinite(found.value)


def test_unknown_families_are_refused():
    with pytest.raises(ValueError, match="did you mean 'geometric'"):
        check_family("geometrc")
    with pytest.raises(ValueError, match="level"):
        fit_discount(Answers(np.ones((2, 1)), [1, -1], [1, 2]), "power", level=1)


# Records and figure


def test_records_and_ranks_hold_what_was_fitted(rng):
    answers = asked(rng)
    found = fit_all(answers, ["power", "table"])
    rows = records(answers, found, named=["zipf"], against="zipf", folds=4)
    assert [row["family"] for row in rows] == ["power", *["table"] * 4, ""]
    power, last = rows[0], rows[-1]
    one = found["power"].parameters[0]
    assert (power["parameter"], power["value"]) == ("beta", one.value)
    assert (power["low"], power["high"]) == (one.low, one.high)
    assert DISCOUNTS.parse(power["discount"]) == found["power"].discount
    expected = lead_over(answers, "power", "zipf", folds=4)
    assert (power["lead"], power["lead_low"]) == (expected.mean, expected.low)
    assert power["verdict"] == verdict(expected, "power", "zipf")
    assert (last["lead"], last["verdict"]) == (0, "")
    table = by_rank(answers, found, ["zipf"]).set_index(["name", "rank"])
    assert table.loc[("zipf", 4), "weight"] == 0.25
    assert np.isnan(table.loc[("zipf", 4), "low"])
    assert table.loc[("table", 3), "weight"] == found["table"].weights[2]
    assert table.loc[("power", 2), "low"] == pytest.approx(2**-one.high)


def test_weights_are_drawn(rng):
    answers = asked(rng, ranks=12)
    table = by_rank(answers, fit_all(answers, ["geometric", "table"]), ["log2", "zipf"])
    svg = render(Drawing(draw_weights), table)["svg"]
    assert b"<svg" in svg


def test_no_interval_of_a_weight_is_cut_off(rng):
    from matplotlib.figure import Figure

    few = asked(rng, "zipf", clusters=15, ranks=12)
    table = by_rank(few, fit_all(few, ["table"]))
    assert table["low"].min() < 0  # free weights may be below 0
    low, high = draw_weights(table, Figure().subplots()).get_ylim()
    assert low < table["low"].min()
    assert table["high"].max() < high
    above = table[table["name"] == "log2"]
    assert draw_weights(above, Figure().subplots()).get_ylim()[0] == 0
