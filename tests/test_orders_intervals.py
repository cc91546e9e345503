"""Agreement of two leaderboards: the coefficients of many resamples, and their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ndcgstudy.data import Scores
from ndcgstudy.formats import read_scores
from ndcgstudy.inference.agreement_of_orders import agreement_of_orders, coefficients
from ndcgstudy.orders import kendall_tau, tau_ap
from ndcgstudy.seeding import rng_for


@st.composite
def orders(draw):
    """Means of two leaderboards, systems x resamples, with many ties."""
    shape = draw(st.integers(2, 7)), draw(st.integers(1, 4))
    size = shape[0] * shape[1]
    numbers = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    return [np.reshape(draw(numbers), shape) / 7 for _ in range(2)]


def scores_of(values, measure="AP", datasets=None, order=None):
    values = np.array(values, dtype=float)
    names = [f"s{i}" for i in range(len(values))], [f"q{j}" for j in range(values.shape[1])]
    return Scores(values, tuple(names[0]), tuple(names[1]), measure, datasets)


def two_measures(rng, systems=6, topics=20, noise=0.3):
    """Scores by two measures that see the same topics, each with its own noise."""
    seen = np.linspace(0, 0.5, systems)[:, None] + rng.normal(0, 0.5, (systems, topics))
    return [seen + rng.normal(0, noise, seen.shape) for _ in range(2)]


@given(orders())
def test_coefficients_of_many_orders_are_those_of_each(pair):
    taus, aps = coefficients(*pair)
    for b in range(len(taus)):
        x, y = (means[:, b] for means in pair)
        tau = kendall_tau(x, y)
        assert taus[b] == pytest.approx(0 if np.isnan(tau) else tau, abs=1e-12)
        assert aps[b] == pytest.approx(tau_ap(x, y), abs=1e-12)


def test_the_noise_of_floats_is_a_tie():
    taus, aps = coefficients(np.array([[0.1 + 0.2], [0.3]]), np.array([[0.1], [0.2]]))
    assert (taus.tolist(), aps.tolist()) == ([0], [0])


def test_an_interval_is_of_topics_drawn_for_both_at_once():
    one, other = (scores_of(v, m) for v, m in zip(two_measures(rng_for(1)), "ab", strict=True))
    found = agreement_of_orders(one, other, level=0.9, resamples=199, rng=rng_for(2))
    again = []
    chunk = rng_for(2).bit_generator.seed_seq.spawn(1)[0]
    picks = np.random.default_rng(chunk).integers(0, 20, size=(199, 20))
    for pick in picks:
        x, y = (s.values[:, pick].mean(axis=1) for s in (one, other))
        again.append((kendall_tau(x, y), tau_ap(x, y)))
    for interval, values in zip((found.tau, found.tau_ap), np.transpose(again), strict=True):
        half = stats.t.ppf(0.95, 19) * values.std() * (20 / 19) ** 0.5
        ends = np.clip([interval.value - half, interval.value + half], -1, 1)
        assert interval[1:] == pytest.approx(ends)
    assert found.tau.value == pytest.approx(kendall_tau(one.mean(), other.mean()))
    assert found.tau_ap.value == pytest.approx(tau_ap(one.mean(), other.mean()))


def test_the_same_order_and_the_opposite_one():
    values = rng_for(3).normal(np.arange(4.0)[:, None], 0.01, (4, 9))
    same = agreement_of_orders(scores_of(values), scores_of(values**3), resamples=39)
    half_pair = 2 / (4 * 3)
    assert (*same.tau, *same.tau_ap) == pytest.approx([1, 1 - half_pair, 1] * 2)
    opposite = agreement_of_orders(scores_of(values), scores_of(-values), resamples=39)
    assert (*opposite.tau, *opposite.tau_ap) == pytest.approx([-1, -1, -1 + half_pair] * 2)


def test_an_interval_holds_its_coefficient():
    """Orders that agree by luck: means are the same twice, topic by topic nothing is."""
    rng = rng_for(4)
    base = np.linspace(0, 0.05, 12)[:, None] + np.zeros(15)
    one, other = (
        base + noise - noise.mean(axis=1, keepdims=True)
        for noise in (rng.normal(0, 0.5, base.shape) for _ in range(2))
    )
    found = agreement_of_orders(scores_of(one), scores_of(other), resamples=199)
    assert found.tau.value == pytest.approx(1)
    assert found.tau.high == pytest.approx(1)
    assert found.tau.low < 0.7


def test_tau_has_no_direction_and_tau_ap_has():
    one, other = map(scores_of, two_measures(rng_for(5)))
    how = {"resamples": 99}
    there = agreement_of_orders(one, other, **how, rng=rng_for(6))
    back = agreement_of_orders(other, one, **how, rng=rng_for(6))
    assert there.tau == pytest.approx(back.tau)
    assert there.tau_ap.value != pytest.approx(back.tau_ap.value)


@pytest.mark.parametrize("datasets", [None, tuple("aabbabbabababbabbaab")])
def test_systems_and_topics_may_stand_in_any_order(datasets):
    one, other = (scores_of(v, datasets=datasets) for v in two_measures(rng_for(7)))
    rows, columns = rng_for(8).permutation(6), rng_for(9).permutation(20)
    shuffled = Scores(
        other.values[np.ix_(rows, columns)],
        tuple(other.systems[i] for i in rows),
        tuple(other.topics[j] for j in columns),
        "AP",
        datasets and tuple(datasets[j] for j in columns),
    )
    first, second = (agreement_of_orders(one, x, resamples=99) for x in (other, shuffled))
    assert first == second
    assert first.design == ("fixed" if datasets else "topics")


def test_all_ties_have_no_tau():
    found = agreement_of_orders(
        scores_of(np.ones((3, 5))), scores_of(rng_for(1).random((3, 5))), resamples=39
    )
    assert np.isnan(found.tau.value)
    assert np.isnan(found.tau[1:]).all()


def test_table_and_words():
    one, other = map(scores_of, two_measures(rng_for(10)), ("nDCG@10", "P@5"))
    found = agreement_of_orders(one, other, resamples=39)
    assert found.measures == ("nDCG@10", "P@5")
    assert found.table().coefficient.tolist() == ["tau", "tau_ap"]
    assert found.convention.startswith("nDCG@10 and P@5, 6 systems, 20 columns")


@pytest.mark.slow
@pytest.mark.parametrize("names", [("ndcg20", "ap"), ("ndcg20", "err20"), ("ndcg20", "rr")])
@pytest.mark.parametrize("systems", [8, 20, 60])
def test_intervals_cover_what_leaderboards_of_so_many_topics_agree(data_folder, names, systems):
    """Topics drawn from real ones; 95% of 400 intervals are covered but for 3 errors of .011 each."""
    folder = data_folder / "topic_scores" / "urbano"
    both = [read_scores(folder / f"web2013_{name}.csv").scores for name in names]
    rng, topics = rng_for(11, names[1], str(systems)), 25
    held = []
    for _ in range(20):
        rows = rng.permutation(len(both[0].systems))[:systems]
        values = [scores.values[rows] for scores in both]
        shares = rng.multinomial(topics, np.full(50, 1 / 50), 4_000).T / topics
        expected = coefficients(*(v @ shares for v in values)).mean(axis=1)
        for _ in range(20):
            pick = rng.integers(0, 50, topics)
            found = agreement_of_orders(
                *(scores_of(v[:, pick]) for v in values), resamples=199, rng=rng
            )
            intervals = zip((found.tau, found.tau_ap), expected, strict=True)
            held.append([i.low <= x <= i.high for i, x in intervals])
    assert (np.mean(held, axis=0) >= 0.93 - 3 * (0.95 * 0.05 / 400) ** 0.5).all(), np.mean(
        held, axis=0
    )


@pytest.mark.parametrize(
    ("other", "how", "message"),
    [
        (np.ones((2, 5)), {}, "both must score the same systems, but only one scores 's2'"),
        (np.ones((3, 4)), {}, "both must score the same topics, but only one scores 'q4'"),
        (np.ones((3, 5)), {"level": 2}, "`level` must be"),
        (np.ones((3, 5)), {"resamples": 3}, "needs `resamples` of at least 39, got 3"),
        (np.full((3, 5), np.nan), {}, "every score must be a finite number"),
    ],
)
def test_mistakes_are_named(other, how, message):
    with pytest.raises(ValueError, match=r".") as error:
        agreement_of_orders(scores_of(np.ones((3, 5))), scores_of(other), **how)
    assert message in str(error.value)
