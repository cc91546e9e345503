"""Planning: power by the noncentral t law, topics and gaps solved from it, and plans from matrices."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.power import TTestPower

from ndcgstudy.data import Scores
from ndcgstudy.inference.components import Components, components
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.largest import largest
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.noncentral import gap_for, t_power, topics_for
from ndcgstudy.inference.planned_test import at_once, single
from ndcgstudy.inference.planning import PAIRS, plan
from ndcgstudy.inference.scales import shrunken


def matrix(values, datasets=None):
    systems = tuple(f"s{i}" for i in range(len(values)))
    topics = tuple(f"q{j}" for j in range(len(values[0])))
    return Scores(np.array(values, dtype=float), systems, topics, "A", datasets)


def drawn(seed=0, systems=8, topics=40, noise=0.2):
    rng = np.random.default_rng(seed)
    true = np.linspace(0, 0.3, systems)[:, None]
    return true + rng.normal(0, 0.3, topics) + rng.normal(0, noise, (systems, topics))


def by_integral(effect, topics, critical):
    """Return the power as the mean over the law of s of normal tails."""
    centre, freedom = effect * topics**0.5, topics - 1

    def at(u):
        reach = critical * (stats.chi2.ppf(u, freedom) / freedom) ** 0.5
        return stats.norm.sf(reach - centre) + stats.norm.cdf(-reach - centre)

    return quad(at, 0, 1, limit=400)[0]


@pytest.mark.parametrize("topics", [2, 5, 30, 400])
@pytest.mark.parametrize("effect", [0.0, 0.02, 0.3, 1.5])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.999])
def test_power_is_that_of_statsmodels_and_of_an_integral(topics, effect, level):
    critical = single(level).critical(topics)
    found = t_power(effect * 0.2, 0.2, topics, critical)
    assert found == pytest.approx(by_integral(effect, topics, critical), abs=1e-6)
    wanted = TTestPower().power(effect, topics, 1 - level)
    if not np.isnan(wanted):  # which it is far out
        assert found == pytest.approx(wanted, abs=1e-9)


def test_power_is_1_far_out_and_0_with_no_variance():
    assert t_power(np.array([0.1, 0.0, 5.0]), np.array([0, 0, 1e-6]), 9, 2.3).tolist() == [0, 0, 1]


@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
@pytest.mark.parametrize("effect", [0.05, 0.2, 1.0])
def test_topics_are_the_whole_number_above_the_solution_of_statsmodels(effect, power):
    wanted = TTestPower().solve_power(effect, power=power, alpha=0.05)
    critical = single(0.95).critical
    found = topics_for(effect * 3, 3.0, critical, power)
    assert found == np.ceil(wanted)
    assert t_power(effect, 1.0, int(found) - 1, critical(int(found) - 1)) < power


@pytest.mark.parametrize("topics", [4, 30, 200])
def test_the_smallest_gap_is_found_with_the_power_by_an_integral(topics):
    critical = single(0.99).critical(topics)
    found = gap_for(topics, 0.3, critical, 0.9)
    assert by_integral(found / 0.3, topics, critical) == pytest.approx(0.9, abs=1e-6)
    if topics > 4:  # there statsmodels' solution has a power of 0.85
        wanted = TTestPower().solve_power(None, nobs=topics, alpha=0.01, power=0.9)
        assert found == pytest.approx(0.3 * wanted, rel=1e-5)


def test_a_gap_too_small_for_any_number_of_topics_needs_infinitely_many():
    assert topics_for(1e-9, 1.0, single(0.95).critical, 0.8) == np.inf
    assert topics_for(0.1, 0.0, single(0.95).critical, 0.8) == np.inf
    assert gap_for(30, 0.0, 2.0, 0.8) == np.inf


def test_components_are_those_of_an_analysis_of_variance():
    import pandas as pd

    values = drawn()
    rows, columns = np.indices(values.shape)
    table = pd.DataFrame({"y": values.ravel(), "s": rows.ravel(), "t": columns.ravel()})
    squares = anova_lm(ols("y ~ C(s) + C(t)", table).fit())["mean_sq"]
    found = components(values)
    assert found.rest == pytest.approx(squares["Residual"])
    assert found.system == pytest.approx((squares["C(s)"] - squares["Residual"]) / 40)
    assert found.topic == pytest.approx((squares["C(t)"] - squares["Residual"]) / 8)


def test_twice_what_remains_is_the_mean_variance_of_a_difference():
    values = drawn()
    first, second = np.triu_indices(8, 1)
    pairs = (values[first] - values[second]).var(axis=1, ddof=1)
    assert 2 * components(values).rest == pytest.approx(pairs.mean())


def test_reliability_and_the_topics_for_it():
    found = Components(system=0.01, topic=0.05, rest=0.04)
    assert found.reliability(36) == pytest.approx(0.9)
    assert found.topics_for(0.9) == 36
    assert str(found) == "systems 10%, topics 50%, systems x topics 40%"
    none = Components(0.0, 0.1, 0.0)
    assert (none.reliability(5), none.topics_for(0.9)) == (0, np.inf)
    with pytest.raises(ValueError, match="`reliability` must be"):
        found.topics_for(1.0)


def test_a_plan_takes_the_pairs_it_says():
    values = drawn()
    made = plan(matrix(values), gap=0.1, topics=60)
    order = np.argsort(-values.mean(axis=1))
    first, second = np.triu_indices(8, 1)
    ranked = values[order]
    sd = (ranked[first] - ranked[second]).std(axis=1, ddof=1)
    near = (ranked[:-1] - ranked[1:]).std(axis=1, ddof=1)
    assert made.sd == pytest.approx([np.median(sd), np.quantile(sd, 0.9), np.median(near)])
    wanted = [TTestPower().solve_power(0.1 / s, power=0.8, alpha=0.05) for s in made.sd]
    assert made.topics.tolist() == np.ceil(wanted).tolist()
    wanted = [s * TTestPower().solve_power(None, 60, 0.05, 0.8) for s in made.sd]
    assert made.gap == pytest.approx(wanted, rel=1e-5)
    assert made.table()["pair"].tolist() == list(PAIRS)


def test_intervals_go_with_the_deviation():
    made = plan(matrix(drawn()), gap=0.1)
    assert (made.sd_low < made.sd).all()
    assert (made.gap_low < made.gap).all()
    assert (made.topics_low < made.topics).all()
    assert (made.topics_high > made.topics).all()
    assert made.sd**2 == pytest.approx(made.sd_low * made.sd_high)


def test_a_plan_without_a_gap_is_for_the_topics_there_are():
    made = plan(matrix(drawn()))
    assert made.planned == 40
    assert np.isnan(made.topics).all()


def test_a_plan_does_not_depend_on_the_scale():
    one = plan(matrix(drawn()), gap=0.1, family="all", resamples=99)
    two = plan(matrix(4 * drawn()), gap=0.4, family="all", resamples=99)
    assert two.topics.tolist() == one.topics.tolist()
    assert two.gap == pytest.approx(4 * one.gap)
    assert two.share == pytest.approx(one.share)


def test_more_is_needed_for_more_power_level_and_pairs():
    def needed(**how):
        return plan(matrix(drawn()), gap=0.1, resamples=199, **how).topics

    base = needed()
    assert (needed(power=0.9) > base).all()
    assert (needed(level=0.99) > base).all()
    assert (needed(family="all") > base).all()


def test_the_critical_value_of_all_pairs_is_that_of_the_shrunken_method_where_topics_are_as_many():
    sample = sample_of(matrix(drawn(topics=30)))
    task = Task(sample, Family("all", 8), 0.95, 2000, np.random.default_rng(1))
    test = at_once(task, 0.08)
    below = (largest(task, shrunken()).max(axis=0) <= test.critical(30)).mean()
    assert abs(below - 0.95) < 4 * np.sqrt(2 * 0.95 * 0.05 / 2000)
    few, many = test.critical(10), test.critical(1000)
    assert few > test.critical(30) > many > 2
    assert test.ratio(np.array([0.08**0.5])) == pytest.approx(1)


def test_the_critical_value_is_that_of_a_plain_loop_over_pairs_of_either_sign():
    values = drawn(topics=12)[:3]
    task = Task(sample_of(matrix(values)), Family("all", 3), 0.9, 50, np.random.default_rng(2))
    counts = np.concatenate([c.rng().multinomial(12, [1 / 12] * 12, c.size) for c in task.chunks])
    tops = []
    for count in counts:
        means, variances, gaps = [], [], []
        for a, b in ((0, 1), (0, 2), (1, 2)):
            drawn_gaps = np.repeat(values[a] - values[b], count)
            gaps.append(np.mean(values[a] - values[b]))
            means.append(drawn_gaps.mean())
            variances.append(drawn_gaps.var(ddof=1) / 12)
        s = np.sqrt(0.4 * np.array(variances) + 0.6 * np.mean(variances))
        tops.append(np.max(np.abs(np.array(means) - gaps) / s))
    expected = np.sort(tops)[int(np.ceil(0.9 * 51)) - 1]
    assert at_once(task, 0.08).critical(12) == pytest.approx(expected, rel=1e-9)


def test_three_topics_sampled_plan_no_fewer_than_tell_anything_of_all_pairs():
    """Of three topics one resample in nine holds a single one: no critical value at 95%."""
    known = plan(matrix(drawn(topics=3)), gap=0.5, family="all", resamples=99)
    assert np.isinf(known.gap).all()
    assert known.share == 0
    assert np.isfinite(known.topics).all()
    assert (known.topics >= 8).all()
    far = plan(matrix(drawn(topics=3)), gap=1e-9, family="all", resamples=99)
    assert np.isinf(far.topics).all()
    assert np.isinf(gap_for(5, 0.0, 2.0, 0.8))


def rate(topics, gap, sd, replicates=4000):
    """Simulate how often the t-test finds a gap."""
    rng = np.random.default_rng(topics)
    differences = rng.normal(gap, sd, (replicates, topics))
    return (stats.ttest_1samp(differences, 0, axis=1).pvalue <= 0.05).mean()


def test_the_topics_planned_find_the_gap_as_often_as_said_and_half_of_them_do_not():
    gap, sd = 0.1, 0.25
    topics = int(topics_for(gap, sd, single(0.95).critical, 0.8))
    error = np.sqrt(0.8 * 0.2 / 4000)
    assert abs(rate(topics, gap, sd) - 0.8) < 0.01 + 4 * error  # topics are whole numbers
    assert rate(topics // 2, gap, sd) < 0.8 - 10 * error


def test_the_expected_share_is_near_that_of_new_topics_and_not_that_of_raw_gaps():
    rng = np.random.default_rng(3)
    true = rng.normal(0, 0.06, 25)[:, None]
    off, naive = [], []
    for _ in range(40):
        seen, then = (matrix(true + rng.normal(0, 0.25, (25, n))) for n in (20, 60))
        made = plan(seen, topics=60, resamples=39)
        later = _share(then.values)
        off.append(made.share - later)
        naive.append(_expected_raw(seen.values, 60) - later)
    assert abs(np.mean(off)) < 0.02 + 4 * stats.sem(off)
    assert np.mean(naive) > 0.02 + 4 * stats.sem(naive)


def _differences(values):
    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


def _share(values):
    return (stats.ttest_1samp(_differences(values), 0, axis=1).pvalue <= 0.05).mean()


def _expected_raw(values, topics):
    d = _differences(values)
    critical = single(0.95).critical(topics)
    return t_power(d.mean(axis=1), d.std(axis=1, ddof=1), topics, critical).mean()


def test_means_of_data_sets_can_be_planned_with_and_topics_inside_them_not():
    names = tuple("abcd" * 10)
    assert plan(matrix(drawn(topics=4), tuple("abcd"))).planned == 4
    with pytest.raises(ValueError, match="not for design 'fixed'"):
        plan(matrix(drawn(), names))
    assert plan(matrix(drawn(), names), design="topics").planned == 40


@pytest.mark.parametrize(
    ("sets", "design", "unit", "others"),
    [(None, "topics", "topics", "other topics like these"), (tuple("abcd"), "means", "data sets",
     "other data sets like these, of which only means are known")],
)  # fmt: skip
def test_a_plan_says_which_question_it_answers(sets, design, unit, others):
    made = plan(matrix(drawn(topics=4), sets), resamples=39)
    assert f"planned from 4 {unit}, design {design} (would the gaps hold on {others}?)" in (
        made.convention
    )
    assert made.convention.endswith(f"39 resamples of {unit}")
    assert made.notes[0].startswith(f"4 {unit} are expected")


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"gap": 0}, "`gap` must be a number above 0"),
        ({"gap": -0.1}, "`gap` must be"),
        ({"gap": float("nan")}, "`gap` must be"),
        ({"topics": 1}, "`topics` must be a whole number at least 2"),
        ({"topics": 20.5}, "`topics` must be a whole number"),
        ({"power": 1.0}, "`power` must be"),
        ({"power": 0.01}, "`power` must be"),
        ({"level": 0.0}, "`level` must be"),
        ({"family": "al"}, "did you mean 'all'"),
        ({"resamples": 5}, "needs `resamples`"),
    ],
)
def test_what_it_refuses(how, told):
    with pytest.raises(ValueError, match=told) as error:
        plan(matrix(drawn()), **how)
    assert "\n" not in str(error.value)
