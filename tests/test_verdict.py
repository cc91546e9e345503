"""Verdicts: right where theory and draws show it, one for all seeds, never against their own figures."""

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.intervals import wilson
from ndcgstudy.separability.growth import Growth, exponent_of, growth_of
from ndcgstudy.separability.laboratory import DECADES, checked, compare, verdict
from ndcgstudy.separability.rates import rate
from ndcgstudy.separability.verdict import Finding, decide, decide_all
from ndcgstudy.synthetic import (
    GENERATORS,
    AgainstRandom,
    Curves,
    Drift,
    Growing,
    Latent,
    NearMisses,
    Reference,
    SharedTop,
    TwoStage,
)

SEPARATES, STOPS, UNRESOLVED = Finding.SEPARATES, Finding.STOPS, Finding.UNRESOLVED
NAMED = {
    "constant": STOPS,
    "loglog": SEPARATES,
    "log2": SEPARATES,
    "power(beta=0.25)": SEPARATES,
    "power(beta=0.5)": SEPARATES,
    "power(beta=0.8)": SEPARATES,
    "power(beta=0.9)": SEPARATES,
    "zipf": SEPARATES,
    "power(beta=1.1)": STOPS,
    "power(beta=1.5)": STOPS,
    "power(beta=2)": STOPS,
    "geometric(p=0.5)": STOPS,
}
EQUAL_TOPS = Curves(a=(0.2, 0.2), b=(0.3, -0.2, 0.3))


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def verdicts():
    return of_pair(Reference(), NAMED, seed=0, replicates=300)


def of_pair(pair, names, seed, replicates=200, ns=DECADES, cutoff=None):
    parts = [DISCOUNTS.parse(name) for name in names]
    table = compare(pair, parts, ns, replicates=replicates, rng=rng(seed), cutoff=cutoff)
    return decide_all(parts, table, pair, cutoff=cutoff)


@pytest.mark.parametrize("name", NAMED)
def test_named_discounts_get_the_verdict_of_the_theory(verdicts, name):
    assert verdicts[name].finding == NAMED[name]
    assert str(verdicts[name]).startswith(f"{name}: {NAMED[name].value}")


def test_a_verdict_is_one_of_three():
    assert [str(one) for one in Finding] == ["separates", "stops separating", "not resolved"]


@pytest.mark.parametrize("name", [name for name in NAMED if name != "constant"])
def test_the_measured_exponent_is_near_the_predicted_one(verdicts, name):
    found = verdicts[name]
    error = (found.high - found.low) / 3.92
    law, logs = found.foreseen.rate.law, 1 / np.log(10.0**10.5)
    # what finite n adds: logarithms, and for r^-1.1 the n^-.1 still missing from the sum
    extra = {"log n": logs, "sqrt(n/log n)": -logs / 2}.get(law, 0)
    extra += 0.006 if name == "power(beta=1.1)" else 0
    assert found.exponent == pytest.approx(
        found.foreseen.rate.exponent + extra, abs=4 * error + 0.005
    )


def of(function):
    return lambda ranks: function(np.asarray(ranks, dtype=float))


def consistent(found):
    """Say whether a verdict agrees with its own figures."""
    if found.finding == SEPARATES:
        share = found.p_right if found.ahead == "A" else 1 - found.p_right - found.p_tied
        return share >= 0.95 and (found.ahead == "B" or found.last_wrong < found.n)
    if found.finding == STOPS:
        return found.p_right_high < 0.995 and found.p_right < 1
    return "not resolved below n = " in str(found)


# one verdict for all seeds, at the settings of the command

SHORT = ("log2", "zipf", "power(beta=1.5)")
PAIRS = ("reference", "latent", "curves", "random", "shared_top", "latent(a=0.95,b=0.9)")
COMMAND = (10**3, 10**6, 10**9, 10**12)


def agree(pair, names, ns, seeds, most, cutoff=None):
    """Check that all seeds but `most` give one verdict, and that each agrees with its figures."""
    runs = [of_pair(GENERATORS.parse(pair), names, seed, ns=ns, cutoff=cutoff) for seed in seeds]
    for name in names:
        found = [run[name] for run in runs]
        assert all(consistent(one) for one in found), [str(one) for one in found]
        findings = [one.finding for one in found]
        common = max(set(findings), key=findings.count)
        assert findings.count(common) >= len(seeds) - most, (name, findings)


@pytest.mark.parametrize("pair", ["reference", "latent"])
def test_seeds_agree(pair):
    agree(pair, SHORT, COMMAND[1:4:2], range(3), 0)


@pytest.mark.slow
@pytest.mark.parametrize("cutoff", [None, "10", "0.2n", "n^0.5"])
@pytest.mark.parametrize("pair", PAIRS)
def test_19_of_20_seeds_agree_for_every_named_discount(pair, cutoff):
    names = [name for name in NAMED if cutoff is None or name in ("constant", *SHORT)]
    agree(pair, names, COMMAND, range(20), 1, cutoff)


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["drift", "near_misses", "two_stage", "growing"])
def test_19_of_20_seeds_agree_for_pairs_without_curves(pair):
    agree(pair, (*SHORT, "constant", "geometric(p=0.5)"), (100, 1000, 10_000), range(20), 1)


# what lies beside the border, or beyond the evidence


BEYOND = {
    "1/(r log^2 r) + 1e-8/r": (of(lambda r: 1 / (r * np.log(r + 1) ** 2) + 1e-8 / r), 1e300),
    "1/(r log^2 r)": (of(lambda r: 1 / (r * np.log(r + 1) ** 2)), 1e300),
    "1/(r log r)": (of(lambda r: 1 / ((r + 1) * np.log(r + 1))), 1e300),
    "r^-1.005": (of(lambda r: r**-1.005), 2.0e40),
    "r^-1.005 by name": (DISCOUNTS.parse("power(beta=1.005)"), 2.0e40),
    "linear to 1e6": (DISCOUNTS.parse("linear(depth=1000000)"), None),
    "log2 to 1e9": (of(lambda r: np.where(r <= 1e9, 1 / np.log2(r + 1), 0)), None),
    "log2, then r^-1.5": (
        of(
            lambda r: (
                np.where(r <= 1000, 1, (np.maximum(r, 1) / 1000) ** -1.5)
                / np.log2(np.minimum(r, 1000) + 1)
            )
        ),
        None,
    ),
}


@pytest.mark.parametrize("ns", [(1000, 10_000), (1000, 10**6, 10**12)], ids=["short", "long"])
@pytest.mark.parametrize("name", BEYOND)
def test_what_no_list_shows_is_not_resolved_whatever_the_lengths(name, ns):
    discount, at = BEYOND[name]
    found = verdict(discount, Reference(), rng=rng(), ns=ns, replicates=60)
    assert found.finding == UNRESOLVED
    assert found.resolves_at == pytest.approx(at or np.nan, rel=0.02, nan_ok=True)
    assert f"not resolved below n = {at or ns[-1]:.3g}" in str(found).replace("2.01e+40", "2e+40")


@pytest.mark.parametrize("name", ["r^-1.005", "linear to 1e6", "log2 to 1e9", "log2, then r^-1.5"])
def test_where_z_stops_at_a_right_order_almost_surely_the_reason_says_both(name):
    ns = (10**6, 10**12)
    found = verdict(BEYOND[name][0], Reference(), rng=rng(), ns=ns, replicates=60)
    assert found.p_right == 1
    assert found.why.startswith("z stops growing")
    assert "too near to 1 to be seen" in found.why


def test_an_exponent_just_below_1_is_not_rounded_to_the_critical_rate():
    found = verdict(of(lambda r: r**-0.9951), Reference(), rng=rng(), replicates=60)
    assert (found.finding, found.foreseen.law) == (SEPARATES, "n^0.0049")
    assert "within a fifth of that of 1/r to n = 1e+41" in found.why


@pytest.mark.parametrize(("ns", "at"), [((100, 1000), 1e7), ((1000, 10**6), 1e7)])
def test_too_short_lists_name_the_length_that_would_do(ns, at):
    zipf = DISCOUNTS.parse("zipf")
    found = verdict(zipf, Reference(), rng=rng(), ns=ns, replicates=200)
    assert (found.finding, found.resolves_at) == (UNRESOLVED, at)
    long = verdict(zipf, Reference(), rng=rng(), ns=(1000, int(at)), replicates=200)
    assert long.finding == SEPARATES


def test_far_lengths_follow_from_the_law_of_z():
    close = Reference(a=0.21, b=0.2)
    found = verdict(
        DISCOUNTS.parse("power(beta=0.9)"), close, rng=rng(), ns=(100, 1000), replicates=50
    )
    assert found.finding == UNRESOLVED
    assert 1e15 < found.resolves_at < np.inf


def test_rankers_of_equal_quality_at_the_top_stop_under_one_over_r():
    ns = (1000, 10**12)
    found = verdict(DISCOUNTS.parse("zipf"), EQUAL_TOPS, rng=rng(), ns=ns, replicates=80)
    assert (found.finding, found.foreseen.law) == (STOPS, "constant")
    assert "both rankers are the same at the top, so that z stops growing" in found.why
    assert "log n" not in str(found)
    log2 = verdict(DISCOUNTS.parse("log2"), EQUAL_TOPS, rng=rng(), ns=ns, replicates=20)
    assert log2.finding == SEPARATES


# conditions of the pair


@pytest.mark.parametrize("name", ["power(beta=1.5)", "power(beta=2)", "geometric(p=0.5)"])
@pytest.mark.parametrize("pair", [Latent(), AgainstRandom(base=0.5, slope=1.0)], ids=str)
def test_where_labels_become_certain_a_bounded_sum_separates(pair, name):
    found = verdict(DISCOUNTS.parse(name), pair, rng=rng(), ns=(1000, 10**6, 10**9), replicates=100)
    assert found.finding == SEPARATES
    assert found.p_right > 0.98
    assert "stops" not in str(found)


def test_rankers_alike_at_the_top_are_separated_by_any_smooth_discount():
    names = ("power(beta=2)", "geometric(p=0.5)")
    found, lexical = of_pair(SharedTop(), names, 0, 60, (10**9, 10**10, 10**11, 10**12)).values()
    assert (found.finding, found.foreseen.law) == (SEPARATES, "sqrt(n)")
    assert found.low < 0.5 < found.high
    assert lexical.finding == STOPS


def test_a_fixed_cutoff_stops_every_discount():
    found = verdict(DISCOUNTS.parse("log2"), Reference(), rng=rng(), replicates=150, cutoff=10)
    assert found.finding == STOPS
    assert "a fixed number of items counts" in str(found)
    assert 0.6 < found.p_right < 0.95


def test_under_a_fixed_cutoff_lists_of_certain_labels_only_tie():
    found = verdict(DISCOUNTS.parse("log2"), Latent(), rng=rng(), replicates=50, cutoff=10)
    assert (found.finding, found.p_tied) == (STOPS, 1)
    assert "only ties" in found.why


def test_the_reverse_pair_is_found_with_b_ahead():
    found = verdict(DISCOUNTS.parse("log2"), Reference(a=0.1, b=0.4), rng=rng(), replicates=60)
    assert found.p_right == 0
    assert found.last_wrong == 10**12
    assert (found.finding, found.ahead) == (SEPARATES, "B")
    assert "log2: separates with B ahead, z like sqrt(n);" in str(found)


@pytest.mark.parametrize("pair", [AgainstRandom(slope=0), Latent(a=0.7, b=0.7)], ids=str)
@pytest.mark.parametrize("name", ["log2", "zipf", "power(beta=2)"])
def test_equal_rankers_are_not_said_to_be_separated(pair, name):
    ns = (1000, 10**6, 10**12)
    found = verdict(DISCOUNTS.parse(name), pair, rng=rng(), ns=ns, replicates=50)
    assert found.finding == STOPS
    assert "nothing to separate" in found.why


# pairs without curves, which are drawn as nested prefixes


NESTED = (1000, 10_000, 100_000)


def test_a_pair_whose_difference_does_not_grow_is_not_resolved():
    # 100 items are reranked whatever the length, so that z falls.
    found = verdict(DISCOUNTS.parse("log2"), TwoStage(), rng=rng(), ns=NESTED, replicates=60)
    assert found.finding == UNRESOLVED


@pytest.mark.parametrize(
    ("pair", "finding", "why"),
    [
        (Drift(), STOPS, "labels stay uncertain at the top"),
        (
            NearMisses(),
            UNRESOLVED,
            "whether labels stay uncertain at the top of this pair is not known",
        ),
    ],
    ids=str,
)
def test_a_bounded_sum_asks_what_the_items_of_a_pair_tend_to(pair, finding, why):
    found = verdict(DISCOUNTS.parse("power(beta=2)"), pair, rng=rng(), ns=NESTED[:2], replicates=60)
    assert found.finding == finding
    assert why in found.why


def test_nested_prefixes_that_stay_right_separate_and_others_do_not():
    table = figures(0.3, 0.02, right=(0.5, 0.9, 1.0, 1.0))
    log2 = DISCOUNTS.parse("log2")
    assert decide(log2, table, NearMisses()).finding == SEPARATES
    late = table.assign(last_wrong_95=table["n"].max())
    assert decide(log2, late, NearMisses()).finding == UNRESOLVED


@pytest.mark.parametrize(
    ("pair", "words"),
    [(Reference(), "last wrong n (drawn apart)"), (Growing(), "last wrong prefix")],
    ids=["drawn apart", "nested"],
)
def test_a_verdict_names_lists_drawn_apart_and_nested_prefixes(pair, words):
    found = verdict(DISCOUNTS.parse("log2"), pair, rng=rng(), ns=(100, 1000), replicates=20)
    assert words in str(found)


# the rules, on figures made up


def figures(exponent, error, ns=(10**9, 10**10, 10**11, 10**12), tied=0.0, start=3.0, right=1.0):
    z = start * (np.array(ns, dtype=float) / ns[0]) ** exponent
    share = np.broadcast_to(right, len(ns))
    low, high = wilson(share * 400, 400)
    wrong = np.array([0, *ns])[1 + np.max(np.flatnonzero(share < 0.95), initial=-1)]
    return pd.DataFrame(
        {
            "discount": "d",
            "n": ns,
            "replicates": 400,
            "z": z,
            "z_se": z * error,
            "p_right": share,
            "p_right_low": low,
            "p_right_high": high,
            "p_tied": tied,
            "last_wrong_95": wrong,
        }
    )


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
    found = decide(DISCOUNTS.parse("log2"), rows, Reference())
    assert found.surprising == bool(words)
    assert words in str(found)


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


@pytest.mark.parametrize(
    ("grown", "growth"),
    [
        ((0.5, 0.01), Growth.FASTER),
        ((CRITICAL, 0.01), Growth.LIKE),
        ((0.0, 0.01), Growth.SLOWER),
        ((-0.1, 0.01), Growth.SLOWER),
        ((0.06, 0.2), Growth.UNKNOWN),
    ],
)
def test_growth_is_compared_with_the_critical_rate(grown, growth):
    assert growth_of(figures(*grown))[0] == growth


def test_many_replicates_of_short_lists_do_not_turn_the_critical_rate():
    # There z of 1/r is like log n - 1.4: its exponent, .115, is told from that of log n, .100.
    zipf = DISCOUNTS.parse("zipf")
    growth, (_, low, _) = growth_of(
        compare(Reference(), [zipf], (1000, 10**6), replicates=3000, rng=rng())
    )
    assert low > np.log(2) / np.log(1000)
    assert growth == Growth.LIKE
    assert growth_of(figures(0.2, 0.01))[0] == Growth.FASTER


@pytest.mark.parametrize("exponent", [-0.1, 0.0, CRITICAL, 0.5])
@pytest.mark.parametrize(
    ("name", "right", "finding"),
    [
        ("log2", 1.0, SEPARATES),
        ("log2", 0.9, UNRESOLVED),
        ("zipf", 1.0, SEPARATES),
        ("zipf", 0.8, UNRESOLVED),
        ("power(beta=2)", 0.7, STOPS),
        ("power(beta=2)", 1.0, UNRESOLVED),
        ("power(beta=1.03)", 0.7, UNRESOLVED),
    ],
)
def test_p_right_decides_and_z_does_not(name, right, finding, exponent):
    rows = figures(exponent, 0.01, right=right)
    assert decide(DISCOUNTS.parse(name), rows, Reference()).finding == finding


def test_where_the_sum_is_open_no_figures_decide():
    silent = of(lambda r: 1 / ((r + 1) * np.log(r + 1)))
    assert rate(silent).separates is None
    assert decide(silent, figures(0.3, 0.01), Reference()).finding == UNRESOLVED


def test_a_step_down_to_a_constant_says_why_z_stops():
    step = of(lambda r: np.where(r <= 10, 1, 0.25))
    assert "has no bound, that of D above its limit 0.25 is bounded" in str(
        decide(step, figures(0.0, 0.01, right=0.7), Reference())
    )


def test_ties_are_ties():
    rows = figures(0.0, float("nan"), tied=1.0, right=0.0)
    found = decide(DISCOUNTS.parse("constant"), rows, Reference())
    assert found.finding == STOPS
    assert "only ties" in found.why


def test_ties_are_shown_beside_the_share_of_right_orders():
    zipf = DISCOUNTS.parse("zipf")
    shown = str(decide(zipf, figures(0.03, 0.01, tied=0.25, right=0.7), Reference()))
    assert "P(right) 0.700 [0.653, 0.743], tied 0.250 at n" in shown
    assert "tied" not in str(decide(zipf, figures(0.03, 0.01), Reference()))


def test_without_figures_there_is_no_verdict():
    with pytest.raises(ValueError, match="no figures of discount log2"):
        decide(DISCOUNTS.parse("log2"), figures(0.1, 0.1)[:0], Reference())


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
