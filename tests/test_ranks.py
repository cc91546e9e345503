"""Ranks: their sets, their order, and what they are held against."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ranked import by_name, drawn, scores_of
from scipy import stats

from ndcgstudy.data import Scores
from ndcgstudy.formats import read_scores
from ndcgstudy.inference.critical import SCALES, statistics
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.largest import draws, largest
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.inference.registered import METHODS
from ndcgstudy.inference.scales import pooled_variance, ratio, shrunken
from ndcgstudy.seeding import rng_for

TOGETHER = [name for name, method in METHODS.items() if method.together]
RESAMPLES = 199


@pytest.fixture(scope="module")
def web(data_folder):
    return read_scores(data_folder / "topic_scores" / "urbano" / "web2013_ap.csv").scores


@pytest.mark.parametrize("method", TOGETHER)
def test_sets_count_the_systems_that_gaps_separates(method):
    scores = drawn(np.linspace(0, 2, 7), 25, rng_for(1))
    how = {"method": method, "resamples": RESAMPLES}
    table = gaps(scores, **how, rng=rng_for(2)).table().query("separated")
    found = ranks(scores, **how, rng=rng_for(2))
    assert 0 < len(table) < 21
    assert found.gaps.table().query("separated").equals(table)
    below = {name: (table.system_a == name).sum() for name in found.systems}
    above = {name: (table.system_b == name).sum() for name in found.systems}
    assert by_name(found, "rank_low") == {name: 1 + above[name] for name in found.systems}
    assert by_name(found, "rank_high") == {name: 7 - below[name] for name in found.systems}


def test_on_real_scores_too(web):
    table = gaps(web, resamples=RESAMPLES, rng=rng_for(3)).table().query("separated")
    found = ranks(web, resamples=RESAMPLES, rng=rng_for(3))
    above = [1 + (table.system_b == name).sum() for name in found.systems]
    assert found.rank_low.tolist() == above
    assert (found.rank_low <= found.rank).all()
    assert (found.rank <= found.rank_high).all()
    apart = {frozenset(pair) for pair in zip(table.system_a, table.system_b, strict=True)}
    letters = by_name(found, "group")
    for a in found.systems:
        for b in found.systems:
            share = not set(letters[a]).isdisjoint(letters[b])
            assert share == (frozenset((a, b)) not in apart)


def by_moments(task, scale, counts, signs=None):
    """Statistics of all pairs, (systems, systems, resamples), each by its mean and variance."""
    sample = task.sample
    pooled = pooled_variance(sample, counts, signs)
    rows = []
    for i in range(len(sample.values)):
        d = sample.values[i] - sample.values
        observed = sample.moments(sample.centred(d))[1]
        off, spread = sample.moments(d if signs is not None else sample.centred(d), counts, signs)
        v = observed if scale.own else spread
        t = ratio(off, np.broadcast_to(scale(v, pooled), off.shape))
        if signs is None and not scale.own:
            t[sample.single(counts) & (np.abs(off) > 1e-12)] = np.inf
        rows.append(np.copysign(t, off))
    return np.array(rows)


@pytest.mark.parametrize(
    ("name", "flip"), [("shrunken", False), ("max-t", False), ("max", False), ("max-t", True)]
)
@pytest.mark.parametrize("design", ["topics", "fixed", "random"])
def test_the_largest_is_that_of_means_and_variances(name, design, flip):
    datasets = tuple(f"d{j % 4}" for j in range(24))
    values = drawn(np.zeros(6), 24, rng_for(4)).values.copy()
    values[4, 2:] = values[1, 2:]  # nearly identical: its variance collapses in some resamples
    values[5] = values[0] + 0.5  # a gap that never varies
    scores = scores_of(values, datasets)
    task = Task(sample_of(scores, design), Family("all", 6), 0.9, 1200, rng_for(5))
    found, places = largest(task, SCALES[name], flip=flip), iter(range(1200))
    either = largest(task, SCALES[name], flip=flip, either=True)
    wrong = largest(task, shrunken(0.3), flip=flip)
    for draw in draws(task, flip):
        t = by_moments(task, SCALES[name], *draw())
        at = [next(places) for _ in range(t.shape[2])]
        size = np.abs(t).max(axis=1)
        assert found[:, at] == pytest.approx(-t.min(axis=1, initial=0), rel=1e-9, abs=1e-9)
        assert either[:, at] == pytest.approx(size, rel=1e-9, abs=1e-9)
        assert found[:, at].max(axis=0) == pytest.approx(size.max(axis=0), rel=1e-9, abs=1e-9)
        assert wrong[:, at] != pytest.approx(-t.min(axis=1, initial=0), rel=1e-3, abs=1e-3)


def test_resamples_of_one_data_set_alone_bound_nothing():
    """Of 3 data sets one in 9 resamples holds a single one: too many for 95%, not for 80%."""
    scores = scores_of(
        np.arange(5)[:, None] + drawn(np.zeros(5), 24, rng_for(4)).values / 10, tuple("abc" * 8)
    )
    how = {"design": "random", "family": "marginal", "resamples": 499}
    wide, narrow = (ranks(scores, **how, level=at, rng=rng_for(6)) for at in (0.95, 0.8))
    assert (wide.rank_high - wide.rank_low == 4).all()
    assert (narrow.rank_high - narrow.rank_low < 4).all()


def test_scores_that_differ_in_their_last_digits_do_not_blow_up_the_largest(monkeypatch):
    """Two systems apart on one topic: a resample without it has the variance of last digits alone."""
    values = drawn(np.zeros(4), 12, rng_for(4)).values.copy()
    values[3] = values[0] + 1e-8 * rng_for(5).integers(0, 2, 12)
    values[3, 0] += 1.0
    task = Task(sample_of(scores_of(values)), Family("all", 4), 0.9, 499, rng_for(6))
    assert largest(task, SCALES["max-t"]).max() < 1e3
    monkeypatch.setattr("ndcgstudy.inference.largest.ROUNDING", 1e-15)
    assert largest(task, SCALES["max-t"]).max() > 1e5


def test_the_largest_by_the_definition():
    """max-t, resample by resample: how far another moves up against a system, over its error."""
    scores = drawn(np.zeros(4), 12, rng_for(6))
    task = Task(sample_of(scores), Family("all", 4), 0.9, 19, rng_for(7))
    found, values = largest(task, SCALES["max-t"]), task.sample.values
    counts = np.concatenate(list(task.counts()), axis=1).astype(int)
    for b in range(19):
        again = np.repeat(values, counts[:, b], axis=1)
        for j in range(4):
            d, d_star = values - values[j], again - again[j]
            others = np.arange(4) != j
            off = (d_star.mean(axis=1) - d.mean(axis=1))[others]
            t = off / (d_star.std(axis=1, ddof=1)[others] / np.sqrt(12))
            assert found[j, b] == pytest.approx(max(t.max(), 0))


def test_the_statistics_are_those_of_the_t_test():
    task = Task(sample_of(drawn(np.arange(3.0), 15, rng_for(8))), Family("all", 3), 0.9, 19,
                rng_for(0))  # fmt: skip
    seen, values = statistics(task, SCALES["max-t"]), task.sample.values
    assert seen[0, 2] == pytest.approx(stats.ttest_rel(values[0], values[2]).statistic)
    assert (seen == -seen.T).all()


def test_equal_means_share_the_better_rank_whatever_their_order():
    values = [[0.1 + 0.2, 0.5], [0.3, 0.5], [0.9, 0.7], [0.1, 0.1]]
    for order in ([0, 1, 2, 3], [3, 1, 0, 2], [1, 0, 3, 2]):
        found = ranks(scores_of(np.array(values)[order]), resamples=39)
        assert found.rank.tolist() == [1, 2, 2, 4]


def test_the_order_of_the_systems_does_not_matter():
    scores = drawn(np.linspace(0, 1, 6), 20, rng_for(10))
    order = [4, 2, 5, 0, 3, 1]
    other = Scores(
        scores.values[order], tuple(scores.systems[i] for i in order), scores.topics, "nDCG@10"
    )
    one, two = (ranks(s, resamples=RESAMPLES, rng=rng_for(11)) for s in (scores, other))
    assert one.table().to_dict() == two.table().to_dict()


def test_the_same_system_twice_is_never_told_apart():
    values = rng_for(12).random((3, 10))
    found = ranks(scores_of(np.concatenate([values, values + 5])[[0, 1, 2, 2, 5]]), resamples=39)
    assert found.systems[0] == "s4"
    assert found.rank_high[0] == 1
    assert by_name(found, "group")["s2"] == by_name(found, "group")["s3"]


def test_without_any_variance_nothing_is_known_of_ranks():
    found = ranks(scores_of([[0.5] * 6, [0.4] * 6, [0.4] * 6]), resamples=39)
    assert found.rank_low.tolist() == [1, 1, 1]
    assert found.rank_high.tolist() == [3, 3, 3]
    assert found.tied_for_first.all()
    assert not found.gaps.separated.any()


def test_marginal_sets_and_the_set_for_first_are_narrower(web):
    how = {"resamples": 999}
    together = ranks(web, **how, rng=rng_for(13))
    alone = ranks(web, family="marginal", **how, rng=rng_for(13))
    assert (alone.rank_low >= together.rank_low).all()
    assert (alone.rank_high <= together.rank_high).all()
    assert (alone.rank_low > together.rank_low).any()
    assert alone.tied_for_first.tolist() == together.tied_for_first.tolist()
    assert alone.tied_for_first[0]
    may = alone.rank_low == 1
    assert (may >= alone.tied_for_first).all()
    assert may.sum() > alone.tied_for_first.sum()  # two-sided sets are wider than need be


def test_a_method_without_a_test_for_first_takes_its_sets(web):
    found = ranks(web, method="bonferroni", resamples=39)
    assert found.tied_for_first.tolist() == (found.rank_low == 1).tolist()


def test_table_and_words(web):
    found = ranks(web, resamples=39)
    table = found.table()
    assert list(table.columns) == [
        *("system", "mean", "estimate", "low", "high", "rank", "rank_low", "rank_high"),
        *("tied_for_first", "group"),
    ]
    assert len(table) == 34
    assert "34" in found.notes[-1]
    assert "simultaneous" in found.convention
    assert "design topics" in found.convention


def test_a_frame_will_do(web):
    frame = web.frame()
    assert ranks(frame, resamples=39).systems == ranks(web, resamples=39).systems


@pytest.mark.parametrize("systems", [2, 5, 200])
def test_a_picture_has_a_line_a_system(systems):
    from matplotlib.figure import Figure

    found = ranks(drawn(np.linspace(0, 3, systems), 20, rng_for(17)), resamples=39)
    ax = found.plot(Figure().subplots())
    lines = [segment for drawn_lines in ax.collections for segment in drawn_lines.get_segments()]
    assert len(lines) == systems
    widths = sorted(segment[1, 0] - segment[0, 0] for segment in lines)
    assert widths == pytest.approx(sorted(found.rank_high - found.rank_low + 0.6))
    named = [text.get_text() for text in ax.get_yticklabels()]
    assert named[0] == found.systems[0]
    assert len(named) == systems


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"family": "all"}, "unknown family 'all'; known: marginal, simultaneous"),
        ({"method": "shrunk"}, "did you mean 'shrunken'"),
        ({"method": "t"}, "method 't' is not for family 'all'"),
        ({"method": "tukey", "family": "marginal"}, "method 'tukey' has no marginal ranks"),
        ({"level": 1}, "`level` must be"),
        ({"level": 0.999, "resamples": 99}, "level 0.999 needs `resamples` of at least 1999"),
        ({"design": "random"}, "design 'random' needs scores with data sets"),
    ],
)
def test_mistakes_are_named(how, message):
    with pytest.raises(ValueError, match=r".") as error:
        ranks(drawn([0, 1], 5, rng_for(18)), **how)
    assert message in str(error.value)


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_no_system_may_rank_above_one_that_beats_it_on_every_topic(seed, systems, topics):
    """As a board on which the second was below the first on all data sets, and it alone tied for first."""
    rng = np.random.default_rng(seed)
    steps = rng.choice([0.0, 0.01, 0.1], (systems, topics)).cumsum(axis=0)
    values = 0.5 - steps + (0.02 * rng.normal(size=topics))
    for family in ("simultaneous", "marginal"):
        found = ranks(scores_of(values), family=family, resamples=39)
        order = [int(name.removeprefix("s")) for name in found.systems]
        for i, one in enumerate(order):
            for j, other in enumerate(order):
                if (values[one] >= values[other]).all():
                    assert found.rank_low[i] <= found.rank_low[j]
                    assert found.rank_high[i] <= found.rank_high[j]
                    assert found.tied_for_first[i] >= found.tied_for_first[j]
