"""Verdicts: those of named discounts are the theory's, and beside the critical rate they are honest."""

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.separability.laboratory import DECADES, checked, compare, verdict
from ndcgstudy.separability.rates import rate
from ndcgstudy.separability.verdict import Finding, Growth, decide, decide_all, exponent_of
from ndcgstudy.synthetic import (
    AgainstRandom,
    Drift,
    Growing,
    Latent,
    Reference,
    SharedTop,
    TwoStage,
)

NAMED = {
    "constant": Finding.TIES,
    "loglog": Finding.SEPARATES,
    "log2": Finding.SEPARATES,
    "power(beta=0.25)": Finding.SEPARATES,
    "power(beta=0.5)": Finding.SEPARATES,
    "power(beta=0.8)": Finding.SEPARATES,
    "power(beta=0.9)": Finding.SEPARATES,
    "zipf": Finding.CRITICAL,
    "power(beta=1.1)": Finding.STOPS,
    "power(beta=1.5)": Finding.STOPS,
    "power(beta=2)": Finding.STOPS,
    "geometric(p=0.5)": Finding.STOPS,
}


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def verdicts():
    parts = [DISCOUNTS.parse(name) for name in NAMED]
    return decide_all(parts, compare(Reference(), parts, DECADES, replicates=300, rng=rng()))


@pytest.mark.parametrize("name", NAMED)
def test_named_discounts_get_the_verdict_of_the_theory(verdicts, name):
    assert verdicts[name].finding == NAMED[name]
    assert f"{name}: {NAMED[name].value}" in str(verdicts[name])


@pytest.mark.parametrize("name", [name for name in NAMED if name != "constant"])
def test_the_measured_exponent_is_near_the_predicted_one(verdicts, name):
    found = verdicts[name]
    error = (found.high - found.low) / 3.92
    law, logs = found.predicted.law, 1 / np.log(10.0**10.5)
    # what finite n adds: logarithms, and for r^-1.1 the n^-.1 still missing from the sum
    extra = {"log n": logs, "sqrt(n/log n)": -logs / 2}.get(law, 0)
    extra += 0.006 if name == "power(beta=1.1)" else 0
    assert found.exponent == pytest.approx(found.predicted.exponent + extra, abs=4 * error + 0.005)


def test_what_is_far_from_the_border_is_told_by_the_data_alone(verdicts):
    for name in ("loglog", "log2", "power(beta=0.25)", "power(beta=0.5)", "power(beta=0.8)"):
        assert verdicts[name].growth == Growth.FASTER
        assert verdicts[name].confirmed


def test_where_the_data_do_not_tell_the_verdict_says_so(verdicts):
    for found in verdicts.values():
        told = "the data alone do not tell below n = 1e+12" not in str(found)
        assert told == found.confirmed


def of(function):
    return lambda ranks: function(np.asarray(ranks, dtype=float))


def test_a_discount_on_the_border_is_not_resolved():
    found = verdict(
        of(lambda r: 1 / ((r + 1) * np.log(r + 1))), Reference(), rng=rng(), replicates=200
    )
    assert found.finding == Finding.UNRESOLVED
    assert found.predicted.decay.diverges is None
    assert "not resolved below n = 1e+12" in str(found)


def test_just_beyond_the_border_the_sum_decides():
    found = verdict(
        of(lambda r: 1 / ((r + 1) * np.log(r + 1) ** 2)), Reference(), rng=rng(), replicates=200
    )
    assert found.finding == Finding.STOPS
    assert found.growth != Growth.FASTER


def test_rankers_alike_at_the_top_are_separated_whatever_the_theorem_says():
    found = verdict(DISCOUNTS.parse("power(beta=2)"), SharedTop(), rng=rng(), replicates=200)
    assert found.finding == Finding.SEPARATES
    assert found.predicted.separates is False
    assert "as measured (theory: constant)" in str(found)
    assert found.low < 0.5 < found.high


def test_a_fixed_cutoff_stops_every_discount():
    found = verdict(DISCOUNTS.parse("log2"), Reference(), rng=rng(), replicates=150, cutoff=10)
    assert found.finding == Finding.STOPS
    assert "the sum of D has no bound, but ranks count down to a fixed one only," in str(found)
    assert 0.6 < found.p_right < 0.95


def test_the_reverse_pair_is_found_wrong_at_the_largest_list():
    found = verdict(DISCOUNTS.parse("log2"), Reference(a=0.1, b=0.4), rng=rng(), replicates=60)
    assert found.p_right == 0
    assert found.last_wrong == 10**12
    assert found.finding == Finding.SEPARATES
    assert "log2: separates with B ahead, z like sqrt(n);" in str(found)


@pytest.mark.parametrize("pair", [AgainstRandom(slope=0), Latent(a=0.7, b=0.7)], ids=str)
@pytest.mark.parametrize("name", ["log2", "zipf", "power(beta=2)"])
def test_equal_rankers_are_not_said_to_be_separated(pair, name):
    ns = (1000, 10**6, 10**12)
    found = verdict(DISCOUNTS.parse(name), pair, rng=rng(), ns=ns, replicates=50)
    assert found.finding == Finding.ALIKE
    assert "nothing to separate, no gap expected" in str(found)
    assert found.confirmed


def test_a_pair_whose_difference_does_not_grow_opposes_the_theory():
    # 100 items are reranked whatever the length, so that z falls.
    found = verdict(
        DISCOUNTS.parse("log2"), TwoStage(), rng=rng(), ns=(1000, 10_000, 100_000), replicates=60
    )
    assert found.finding == Finding.UNRESOLVED
    assert "not resolved below n = 1e+05 (theory: z like sqrt(n))" in str(found)


def test_many_replicates_of_short_lists_do_not_turn_the_critical_rate():
    # There z of 1/r is like log n - 1.4: its exponent, .115, is told from that of log n, .100.
    zipf = DISCOUNTS.parse("zipf")
    table = compare(Reference(), [zipf], (1000, 10**6), replicates=3000, rng=rng())
    found = decide(zipf, table)
    assert found.low > np.log(2) / np.log(1000)
    assert (found.finding, found.growth) == (Finding.CRITICAL, Growth.LIKE)
    n_to_the_fifth = decide(DISCOUNTS.parse("power(beta=0.8)"), figures(0.2, 0.01))
    assert n_to_the_fifth.growth == Growth.FASTER


@pytest.mark.parametrize(
    ("pair", "words"),
    [(Reference(), "last wrong n (drawn apart)"), (Growing(), "last wrong prefix")],
    ids=["drawn apart", "nested"],
)
def test_a_verdict_tells_lists_drawn_apart_from_nested_prefixes(pair, words):
    found = verdict(DISCOUNTS.parse("log2"), pair, rng=rng(), ns=(100, 1000), replicates=20)
    assert words in str(found)


@pytest.mark.parametrize(
    ("z", "error", "words"),
    [
        (10.0, 1.0, "gaps too rare"),
        (2.0, 0.1, "theory and draws disagree"),
        (5.5, 0.1, ""),
        (10.0, 3.0, ""),
    ],
)
def test_a_z_off_its_expectation_is_surprising(z, error, words):
    rows = figures(0.3, 0.02).assign(expected_z=5.0)
    rows.loc[rows.index[-1], ["z", "z_se"]] = z, error
    found = decide(DISCOUNTS.parse("log2"), rows)
    assert found.surprising == bool(words)
    assert words in str(found)


# the rules, on figures made up


def figures(exponent, error, ns=(10**9, 10**10, 10**11, 10**12), tied=0.0, start=3.0):
    z = start * (np.array(ns, dtype=float) / ns[0]) ** exponent
    return pd.DataFrame(
        {
            "discount": "d",
            "n": ns,
            "z": z,
            "z_se": z * error,
            "p_right": 0.9,
            "p_right_low": 0.8,
            "p_right_high": 0.95,
            "p_tied": tied,
            "last_wrong_95": ns[-1],
        }
    )


def test_the_exponent_is_the_slope_and_its_interval_has_the_width_of_its_error():
    slope, low, high = exponent_of(figures(0.3, 0.02))
    assert slope == pytest.approx(0.3)
    x = np.log(10.0 ** np.arange(4))
    assert (high - low) / 2 == pytest.approx(1.96 * 0.02 / np.sqrt(((x - x.mean()) ** 2).sum()))


def test_only_the_last_decades_count():
    early = figures(5.0, 0.01, ns=(10**3, 10**6), start=1e-3)
    assert exponent_of(pd.concat([early, figures(0.3, 0.02)]))[0] == pytest.approx(0.3)


@pytest.mark.parametrize("z", [0.0, float("nan")])
def test_a_z_that_is_not_above_its_error_has_no_exponent(z):
    rows = figures(0.3, 0.02)
    rows.loc[1, "z"] = z
    assert np.isnan(exponent_of(rows)).all()
    assert np.isnan(exponent_of(rows[:1])).all()


CRITICAL = 1 / np.log(10**10.5)
FAST, SLOW, LIKE = (0.3, 0.01), (0.0, 0.01), (CRITICAL, 0.01)


@pytest.mark.parametrize(
    ("name", "grown", "finding", "growth"),
    [
        ("log2", (0.5, 0.01), Finding.SEPARATES, Growth.FASTER),
        ("log2", SLOW, Finding.UNRESOLVED, Growth.SLOWER),
        ("power(beta=0.9)", (0.06, 0.2), Finding.SEPARATES, Growth.UNTOLD),
        ("zipf", LIKE, Finding.CRITICAL, Growth.LIKE),
        ("zipf", FAST, Finding.SEPARATES, Growth.FASTER),
        ("zipf", SLOW, Finding.CRITICAL, Growth.SLOWER),
        ("zipf", (-0.1, 0.01), Finding.UNRESOLVED, Growth.SLOWER),
        ("power(beta=2)", SLOW, Finding.STOPS, Growth.SLOWER),
        ("power(beta=2)", LIKE, Finding.STOPS, Growth.LIKE),
        ("power(beta=2)", (0.5, 0.01), Finding.SEPARATES, Growth.FASTER),
    ],
)
def test_theory_decides_unless_the_data_oppose_it(name, grown, finding, growth):
    found = decide(DISCOUNTS.parse(name), figures(*grown))
    assert (found.finding, found.growth) == (finding, growth)


@pytest.mark.parametrize(
    ("grown", "finding"), [(FAST, Finding.SEPARATES), (SLOW, Finding.UNRESOLVED)]
)
def test_where_theory_is_silent_only_fast_growth_decides(grown, finding):
    silent = of(lambda r: 1 / ((r + 1) * np.log(r + 1)))
    assert rate(silent).separates is None
    assert decide(silent, figures(*grown)).finding == finding


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("log2", Finding.UNRESOLVED),
        ("zipf", Finding.UNRESOLVED),
        ("power(beta=2)", Finding.STOPS),
    ],
)
def test_where_z_is_not_told_from_0_no_discount_is_said_to_separate(name, finding):
    rows = figures(0.3, 0.02)
    assert decide(DISCOUNTS.parse("log2"), rows).finding == Finding.SEPARATES
    rows.loc[rows.index[-1], ["z", "z_se"]] = 0.1, 0.06
    assert decide(DISCOUNTS.parse(name), rows).finding == finding


def test_a_step_down_to_a_constant_says_why_z_stops():
    step = of(lambda r: np.where(r <= 10, 1, 0.25))
    assert "has no bound, that of D above its limit 0.25 is bounded" in str(
        decide(step, figures(*SLOW))
    )


def test_ties_are_ties():
    found = decide(DISCOUNTS.parse("constant"), figures(0.0, float("nan"), tied=1.0))
    assert found.finding == Finding.TIES
    assert found.confirmed


def test_ties_are_shown_beside_the_share_of_right_orders():
    zipf = DISCOUNTS.parse("zipf")
    shown = str(decide(zipf, figures(*LIKE, tied=0.25)))
    assert "P(right) 0.900 [0.800, 0.950], tied 0.250 at n" in shown
    assert "tied" not in str(decide(zipf, figures(*LIKE)))


def test_without_figures_there_is_no_verdict():
    with pytest.raises(ValueError, match="no figures of discount log2"):
        decide(DISCOUNTS.parse("log2"), figures(0.1, 0.1)[:0])


# the comparison


def test_theory_and_simulation_lie_side_by_side():
    parts = [DISCOUNTS.parse(name) for name in ("log2", "zipf", "power(beta=2)")]
    table = compare(Reference(), parts, (1000, 10**6, 10**12), replicates=500, rng=rng(1))
    off = (table["z"] - table["expected_z"]).abs() / table["z_se"]
    assert off.max() < 4
    bias = 1e-3 * table["gap"]  # of the bins of the sampler: 0.06% of the gap
    error = table["gap"] / table["z"] / table["replicates"] ** 0.5
    assert ((table["gap"] - table["expected_gap"]).abs() < 4 * error + bias).all()


def test_a_pair_without_a_closed_form_is_drawn_item_by_item():
    table = compare(Drift(), [DISCOUNTS.parse("log2")], (100, 1000), replicates=5, rng=rng())
    assert table["expected_z"].isna().all()
    assert table["z"].notna().all()


@pytest.mark.parametrize(
    ("pair", "ns", "message"),
    [
        (Drift(), (100, 10**9), "at most 1,000,000 for generator drift"),
        (Reference(), (100, 2**51), r"at most 2\^50"),
        (Reference(), (1, 10), "`ns` must be a whole number at least 2"),
        (Reference(), (), "one or more rising"),
    ],
)
def test_lists_that_cannot_be_drawn_are_refused(pair, ns, message):
    with pytest.raises(ValueError, match=message):
        checked(pair, ns)


def test_a_callable_that_is_no_discount_is_refused_by_the_library_too():
    with pytest.raises(ValueError, match="must never rise, but from rank 1 to 2"):
        verdict(of(lambda r: r), Reference(), rng=rng())
    parts = [of(lambda r: np.where(r < 4321, 1.0, np.nan))]
    with pytest.raises(ValueError, match="must be finite, got nan at rank 4321"):
        compare(Reference(), parts, (10, 100), replicates=2, rng=rng())


def test_two_discounts_of_one_text_are_refused():
    parts = [DISCOUNTS.parse("log2")] * 2
    with pytest.raises(ValueError, match="must each have another text, got"):
        compare(Reference(), parts, (10, 100), replicates=2, rng=rng())


def test_one_replicate_is_too_few():
    with pytest.raises(ValueError, match="`replicates` must be a whole number at least 2"):
        compare(Reference(), [DISCOUNTS.parse("log2")], (10, 100), replicates=1, rng=rng())
