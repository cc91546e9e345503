"""Discriminative power: shares of separated pairs, and intervals for their differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.data import Scores
from ndcgstudy.inference import separated
from ndcgstudy.inference.corrections import adjust
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.power import discriminative_power
from ndcgstudy.inference.separated import Rule, separate, shrinkage


def matrix(values, measure="A", datasets=None):
    systems = tuple(f"s{i}" for i in range(len(values)))
    topics = tuple(f"q{j}" for j in range(len(values[0])))
    return Scores(np.array(values, dtype=float), systems, topics, measure, datasets)


def drawn(seed=0, systems=8, topics=20, noise=0.3):
    rng = np.random.default_rng(seed)
    return np.linspace(0, 0.5, systems)[:, None] + rng.normal(0, noise, (systems, topics))


def task_of(scores, design=None, resamples=99, seed=1):
    sample = sample_of(scores, design)
    pairs = Family("each", len(sample.systems))
    return Task(sample, pairs, 0.95, resamples, np.random.default_rng(seed))


THREE_SETS = ("x",) * 4 + ("y",) * 9 + ("z",) * 7


@pytest.mark.parametrize("design", ["topics", "fixed", "random"])
def test_the_share_is_that_of_the_t_intervals_in_every_design(design):
    scores = matrix(drawn(), datasets=THREE_SETS)
    found = discriminative_power([scores], design=design, resamples=39)
    single = gaps(scores, family="each", method="t", design=design)
    assert found.share[0] == single.share
    assert found.p[0] == pytest.approx(np.sort(single.p), rel=1e-9)
    assert found.smallest[0] == pytest.approx(single.gap[single.separated].min())


@pytest.mark.parametrize("method", ["holm", "bh", "bonferroni"])
@given(seed=st.integers(0, 10_000), spread=st.sampled_from([0.05, 0.5, 5.0]))
def test_corrections_reject_what_corrected_p_values_do(method, seed, spread):
    rng = np.random.default_rng(seed)
    t = rng.normal(0, 1, (25, 3)) / spread
    for freedom in (np.full(25, 9.0), rng.uniform(3, 30, 25)):
        found, cut = Rule(method, 0.05).reject(t**2, freedom)
        p = 2 * stats.t.sf(np.abs(t), freedom[:, None])
        for column in range(3):
            wanted = adjust(p[:, column], method).p <= 0.05
            assert found[:, column].tolist() == wanted.tolist()
            assert ((p[:, column] <= cut[column]) == wanted).all()


def test_without_correction_each_pair_stands_for_itself():
    t = np.array([[1.9], [2.3], [-2.5]])
    found, cut = Rule("none", 0.05).reject(t**2, np.full(3, 9.0))
    assert found[:, 0].tolist() == [False, True, True]
    assert cut.tolist() == [0.05]


@pytest.mark.parametrize("method", ["none", "holm", "bh"])
def test_the_gap_needed_is_where_each_pair_turns(method):
    found = separate(task_of(matrix(drawn())), Rule(method, 0.05))
    assert (np.abs(found.gaps) >= found.needed).tolist() == found.separated.tolist()
    if method == "none":
        quantile = stats.t.ppf(0.975, 19)
        assert found.needed == pytest.approx(quantile * np.sqrt(found.variances))


def test_resampled_shares_are_those_of_topics_drawn_by_hand():
    values = drawn(3, systems=5, topics=9)
    task = task_of(matrix(values))
    found = separate(task, Rule("none", 0.05))
    counts = np.concatenate(list(task.counts()), axis=1)
    first, second = task.family.pairs
    differences = task.sample.values[first] - task.sample.values[second]
    mean = differences.mean(axis=1)
    variances = differences.var(axis=1, ddof=1) / 9
    factor = np.sqrt(1 - variances.mean() / (mean**2).mean())
    shrunk = differences - (1 - factor) * mean[:, None]
    wanted = []
    for column in counts.T.astype(int):
        again = np.repeat(shrunk, column, axis=1)
        wanted.append((stats.ttest_1samp(again, 0, axis=1).pvalue <= 0.05).mean())
    assert found.shares(task.counts()) == pytest.approx(wanted)


def test_gaps_shrink_to_the_spread_of_the_true_ones():
    assert shrinkage(np.array([1.0, 1.0]), np.array([0.19, 0.19])) == pytest.approx(0.9)
    assert shrinkage(np.array([0.1, 0.1]), np.array([1.0, 1.0])) == 0
    assert shrinkage(np.zeros(2), np.zeros(2)) == 0


def biases(replicates=60):
    """Return how far resampled shares lie above the expected share, a mean a replicate."""
    rng = np.random.default_rng(5)
    true = rng.normal(0, 0.12, 20)[:, None]
    seen, again = [], []
    for _ in range(replicates):
        scores = matrix(true + rng.normal(0, 0.3, (20, 30)))
        found = separate(task_of(scores), Rule("none", 0.05))
        seen.append(found.share)
        again.append(found.shares(found.task.counts()).mean())
    return np.array(again) - np.mean(seen)


def test_resamples_of_shrunk_gaps_do_not_overstate_the_share_and_of_raw_ones_do(monkeypatch):
    shrunk = biases()
    monkeypatch.setattr(separated, "shrinkage", lambda gaps, variances: 1.0)
    raw = biases()
    error = shrunk.std(ddof=1) / np.sqrt(len(shrunk))
    assert raw.mean() > 4 * error
    assert abs(shrunk.mean()) < raw.mean() / 3


def test_a_measure_separates_as_much_as_itself_on_another_scale():
    values = drawn()
    found = discriminative_power([matrix(values), matrix(5 - 3 * values, "B")])
    assert found.share[0] == found.share[1]
    assert found.verdicts == ("-", "cannot be told")
    pair = 1 / found.p.shape[1]
    ends = (found.difference_low[1], found.difference_high[1])
    assert ends == pytest.approx((-pair / 2, pair / 2))
    assert found.needed[1] == pytest.approx(3 * found.needed[0])


def test_a_measure_under_noise_separates_fewer_and_the_other_way_more():
    rng = np.random.default_rng(2)
    fine = drawn(topics=50)
    coarse = fine + rng.normal(0, 1, fine.shape)
    one, two = matrix(fine), matrix(coarse, "B")
    assert discriminative_power([one, two]).verdicts == ("-", "separates fewer")
    assert discriminative_power([two, one]).verdicts == ("-", "separates more")


def test_the_order_of_systems_is_of_no_account_and_the_seed_decides():
    a, b = drawn(), drawn(1)
    order = np.random.default_rng(0).permutation(len(a))
    first = discriminative_power([matrix(a), matrix(b, "B")])
    second = discriminative_power([matrix(a[order]), matrix(b[order], "B")])
    assert first.table().equals(discriminative_power([matrix(a), matrix(b, "B")]).table())
    for name in ("p", "share", "low", "high", "difference_low", "difference_high", "needed95"):
        assert getattr(second, name) == pytest.approx(getattr(first, name), abs=1e-9)


def test_several_differences_hold_at_once_and_so_are_wider():
    matrices = [matrix(drawn(i), f"m{i}") for i in range(6)]
    two, all_ = discriminative_power(matrices[:2]), discriminative_power(matrices)
    assert all_.share[:2].tolist() == two.share.tolist()
    assert all_.low[:2] == pytest.approx(two.low)
    assert all_.difference_high[1] > two.difference_high[1]


def test_the_curve_passes_through_the_share():
    found = discriminative_power([matrix(drawn()), matrix(drawn(1), "B")], level=0.93)
    curve = found.curve()
    at = curve[np.isclose(curve["level"], 0.07)]
    assert at["measure"].tolist() == ["A", "B"]
    assert at["share"].tolist() == found.share.tolist()
    assert (curve.groupby("measure")["share"].diff().dropna() >= 0).all()


@pytest.mark.parametrize("count", [2, 10])
def test_the_curve_is_drawn_a_line_a_measure(count):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    found = discriminative_power([matrix(drawn(i), f"m{i}") for i in range(count)], resamples=39)
    assert found.plot(ax) is ax
    curves = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert len(curves) == count
    assert {text.get_text() for text in ax.texts} == {f"m{i}" for i in range(count)}


def test_a_share_that_no_resample_moves_is_told():
    far = np.arange(4)[:, None] + np.random.default_rng(0).normal(0, 0.01, (4, 10))
    found = discriminative_power([matrix(far)])
    assert (found.share[0], found.high[0]) == (1, 1)
    assert found.low[0] == pytest.approx(1 - 0.5 / 6)  # half of one of six pairs
    assert found.notes == ("A: the share is the same in every resample",)


def test_a_p_value_is_never_0_however_clear_the_gap():
    far = np.arange(3)[:, None] + 1e-7 * np.random.default_rng(0).random((3, 300))
    found = discriminative_power([matrix(far)], resamples=39)
    assert (found.p > 0).all()
    assert found.share[0] == 1


@pytest.mark.parametrize("method", ["none", "holm", "bh", "bonferroni"])
def test_where_nothing_is_separated_there_is_no_smallest_gap(method):
    found = discriminative_power([matrix(np.tile(drawn(systems=1), (3, 1)))], method=method)
    assert found.share[0] == 0
    assert np.isnan(found.smallest[0])
    assert found.p[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scores": []}, "must hold a matrix or more"),
        ({"method": "hoim"}, "did you mean 'holm'"),
        ({"level": 1.0}, "`level` must be"),
        ({"resamples": 10}, "needs `resamples` of at least 39"),
        ({"design": "fixd"}, "did you mean 'fixed'"),
        ({"scores": [matrix(drawn()), matrix(drawn())]}, "measure 'A' stands twice"),
        ({"scores": [matrix(drawn()), matrix(drawn(systems=4), "B")]}, "A and B are not there"),
    ],
)
def test_what_it_refuses(change, told):
    with pytest.raises(ValueError, match=told) as error:
        discriminative_power(**({"scores": [matrix(drawn())]} | change))
    assert "\n" not in str(error.value)
