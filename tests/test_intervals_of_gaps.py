"""Intervals for gaps, each method against a plain loop over the same resamples, and against scipy."""

import re
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from test_designs import DESIGNS, board

from ndcgstudy.data import Scores
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.gaps import Gaps, gaps
from ndcgstudy.inference.largest import largest
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.registered import METHODS
from ndcgstudy.inference.samples import Sample
from ndcgstudy.inference.scales import SHARE, resampled

ONE = [name for name, method in METHODS.items() if not method.together]
ALL = [name for name, method in METHODS.items() if method.together]


def found(scores: Scores, method: str, seed: int = 5, **how) -> Gaps:
    family = how.pop("family", "all" if METHODS[method].together else "each")
    rng = np.random.default_rng(seed)
    return gaps(scores, method=method, family=family, rng=rng, **{"resamples": 999, **how})


def task_of(scores: Scores, design: str | None = None, seed: int = 5, family: str = "all") -> Task:
    sample = sample_of(scores, design)
    return Task(sample, Family(family, len(sample.systems)), 0.95, 999, np.random.default_rng(seed))


def noisy(systems: int = 5, topics: int = 12, seed: int = 1, step: float = 0.15) -> Scores:
    rng = np.random.default_rng(seed)
    values = rng.random((systems, topics)) + step * np.arange(systems)[:, None]
    names = tuple(f"s{i}" for i in range(systems))
    return Scores(values, names, tuple(str(t) for t in range(topics)), "nDCG@10")


def test_t_is_scipys() -> None:
    scores = noisy(2)
    result = found(scores, "t")
    plain = stats.ttest_rel(scores.values[1], scores.values[0])
    low, high = plain.confidence_interval(0.95)
    assert (result.low[0], result.high[0]) == pytest.approx((low, high), rel=1e-12)
    assert result.p[0] == pytest.approx(plain.pvalue, rel=1e-12)


def test_bonferroni_is_t_at_a_smaller_error() -> None:
    result = found(noisy(4), "bonferroni")
    alone = found(noisy(4), "t", level=1 - 0.05 / 6, family="each", resamples=9999)
    assert result.low == pytest.approx(alone.low)
    assert result.p == pytest.approx(np.minimum(alone.p * 6, 1))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_bootstrap_intervals_are_scipys_within_monte_carlo_error(method: str) -> None:
    scores = noisy(2, topics=40)
    n = 9999
    result = found(scores, method, resamples=n)
    d = scores.values[1] - scores.values[0]
    plain = stats.bootstrap(
        (d,), np.mean, n_resamples=n, method=method, rng=np.random.default_rng(8)
    ).confidence_interval
    density = stats.norm.pdf(stats.norm.ppf(0.025)) / (d.std() / np.sqrt(len(d)))
    error = np.sqrt(2 * 0.025 * 0.975 / n) / density  # of the difference of two quantiles
    assert (result.low[0], result.high[0]) == pytest.approx(tuple(plain), abs=4 * error)


@pytest.mark.parametrize("design", DESIGNS)
def test_percentile_and_studentized_by_a_plain_loop(design: str) -> None:
    task = task_of(board(design), design, family="each")
    counts = np.concatenate(list(task.counts()), axis=1)
    for method in ("percentile", "studentized"):
        bounds = METHODS[method].find(task)
        for pair, (i, j) in enumerate(zip(*task.family.pairs, strict=True)):
            low, high = plain_interval(method, task.sample, i, j, counts)
            assert (bounds.low[pair], bounds.high[pair]) == pytest.approx((low, high), abs=1e-12)


def plain_interval(method: str, sample: Sample, i: int, j: int, counts: np.ndarray) -> tuple:
    d = (sample.values[i] - sample.values[j])[None]
    mean, variance = sample.moments(d, counts)
    gap, spread = (part[0, 0] for part in sample.moments(d))
    if method == "percentile":
        ordered = np.sort(mean[0])  # 25th and 975th of 999
        return ordered[24], ordered[974]
    gone = variance[0] < 1e-9 * spread
    t = np.where(gone, 0, (mean[0] - gap) / np.sqrt(np.where(gone, 1, variance[0])))
    t = np.sort(np.where(one_unit(sample, counts), np.copysign(np.inf, mean[0] - gap), t))
    return gap - t[974] * np.sqrt(spread), gap - t[24] * np.sqrt(spread)


def one_unit(sample: Sample, counts: np.ndarray) -> np.ndarray:
    """Which resamples hold one data set ("random"), or one topic of each data set."""
    kinds = np.array([(counts[at] > 0).sum(axis=0) for at in sample.slices])
    one = (kinds > 0).sum(axis=0) == 1 if sample.design == "random" else (kinds == 1).all(axis=0)
    return np.asarray(one)


def plain_statistics(sample: Sample, method: str, counts: np.ndarray) -> tuple:
    """Statistics of all pairs in every resample, squared scales and gaps in the sample."""
    first, second = Family("all", len(sample.values)).pairs
    d = sample.values[first] - sample.values[second]
    mean, variance = sample.moments(d, counts)
    gap, own = (part[:, 0] for part in sample.moments(d))
    variance = np.where(variance < 1e-9 * own[:, None], 0, variance)
    rules: dict[str, Callable] = {
        "max": lambda v: np.broadcast_to(own.reshape(-1, *[1] * (v.ndim - 1)), v.shape),
        "max-t": lambda v: v,
        "shrunken": lambda v: (1 - SHARE) * v + SHARE * v.mean(axis=0),
    }
    scale = rules[method](variance)
    off = np.abs(mean - gap[:, None])
    lost = np.where(one_unit(sample, counts) & (method != "max"), np.inf, 0)
    return (
        np.where(scale > 0, off / np.sqrt(np.where(scale > 0, scale, 1)), lost),
        rules[method](own),
        gap,
    )


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("method", ["max", "max-t", "shrunken"])
def test_simultaneous_intervals_by_a_plain_loop(design: str, method: str) -> None:
    task = task_of(board(design), design)
    counts = np.concatenate(list(task.counts()), axis=1)
    t, scale, gap = plain_statistics(task.sample, method, counts)
    top = np.sort(t.max(axis=0))
    half = top[949] * np.sqrt(scale)  # ceil(1000 * .95) = 950th of 999
    bounds = METHODS[method].find(task)
    assert bounds.low == pytest.approx(gap - half, abs=1e-12)
    assert bounds.high == pytest.approx(gap + half, abs=1e-12)
    reached = (top[:, None] >= np.abs(gap) / np.sqrt(scale) - 1e-12).sum(axis=0)
    assert bounds.p == pytest.approx((1 + reached) / 1000)


def test_the_largest_statistic_is_that_of_the_systems() -> None:
    task = task_of(noisy(6))
    counts = np.concatenate(list(task.counts()), axis=1)
    t, _, _ = plain_statistics(task.sample, "max-t", counts)
    first, second = task.family.pairs
    by_system = [t[(first == i) | (second == i)].max(axis=0) for i in range(6)]
    assert largest(task, resampled, either=True) == pytest.approx(np.array(by_system))


def test_step_down_by_a_plain_loop() -> None:
    task = task_of(noisy(6, step=0.1))
    counts = np.concatenate(list(task.counts()), axis=1)
    t, scale, gap = plain_statistics(task.sample, "shrunken", counts)
    seen = np.abs(gap) / np.sqrt(scale)
    p, left, worst = np.zeros(len(gap)), list(np.argsort(-seen)), 0.0
    while left:
        top = t[left].max(axis=0)
        worst = max(worst, (1 + (top >= seen[left[0]] - 1e-12).sum()) / 1000)
        p[left.pop(0)] = worst
    bounds = METHODS["step-down"].find(task)
    assert bounds.p == pytest.approx(p)
    single = METHODS["shrunken"].find(task)
    assert np.all(bounds.p <= single.p + 1e-12)
    assert np.any(bounds.p < single.p)
    assert np.all(bounds.separated[(single.low > 0) | (single.high < 0)])


def test_sign_flips_by_a_plain_loop() -> None:
    task = task_of(noisy(4))
    first, second = task.family.pairs
    d = task.sample.values[first] - task.sample.values[second]
    signs = np.concatenate([task.sample.flips(c.size, c.rng()) for c in task.chunks], axis=1)
    n = d.shape[1]
    flipped = np.einsum("pt,tr->ptr", d, signs)
    t = np.abs(flipped.mean(axis=1)) / (flipped.std(axis=1, ddof=1) / np.sqrt(n))
    half = np.sort(t.max(axis=0))[949] * d.std(axis=1, ddof=1) / np.sqrt(n)
    bounds = METHODS["sign-flip"].find(task)
    assert bounds.high - bounds.low == pytest.approx(2 * half)


def test_one_width_for_all_pairs_where_the_range_gives_it() -> None:
    task = task_of(noisy(5))
    counts = np.concatenate(list(task.counts()), axis=1)
    values = task.sample.values
    moved = (values - values.mean(axis=1, keepdims=True)) @ counts / values.shape[1]
    ranges = np.sort(np.ptp(moved, axis=0))[949]
    bounds = METHODS["range"].find(task)
    half = (bounds.high - bounds.low) / 2
    assert half == pytest.approx(half[0])
    n = values.shape[1]
    assert half[0] / ranges == pytest.approx(np.sqrt(n / (n - 1)), rel=0.05)  # 999 resamples of it
    tukey = METHODS["tukey"].find(task)
    assert tukey.high - tukey.low == pytest.approx(tukey.high[0] - tukey.low[0])


@pytest.mark.parametrize("method", METHODS)
def test_p_and_interval_say_the_same(method: str) -> None:
    for seed in range(5):
        result = found(noisy(6, seed=seed, step=0.08), method, seed)
        assert np.array_equal(result.p <= 1 - 0.95, result.separated)
        assert np.all((result.low <= result.gap) & (result.gap <= result.high))
        assert np.all((result.p > 0) & (result.p <= 1))


@pytest.mark.parametrize("method", METHODS)
def test_equal_systems_are_not_separated_and_nothing_warns(method: str) -> None:
    values = np.array([[0.2, 0.5, 0.9]] * 3 + [[0.1, 0.6, 0.2]])
    scores = Scores(values, tuple("abcd"), tuple("123"), "P@1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = found(scores, method)
    same = [i for i, (a, b) in enumerate(zip(result.first, result.second, strict=True)) if b < 3]
    assert result.p[same].tolist() == [1, 1, 1]
    assert not result.separated[same].any()
    assert result.degenerate[same].all()
    if method in (*set(ONE) - {"smoothed-t"}, "max", "max-t", "sign-flip", "bonferroni"):
        assert np.all(result.low[same] == -np.inf)
        assert np.all(result.high[same] == np.inf)
    else:
        assert np.all(result.low[same] < 0)
        assert np.all(result.high[same] > 0)
    assert any("3 of 6 pairs differ by the same on every topic" in n for n in result.notes)


@pytest.mark.parametrize("method", ONE)
def test_a_constant_difference_is_flagged_and_its_interval_has_no_ends(method: str) -> None:
    scores = Scores(np.array([[0.55] * 10, [0.5] * 10]), ("a", "b"), tuple("0123456789"), "P@1")
    result = found(scores, method)
    assert (result.low[0], result.high[0], result.p[0]) == (-np.inf, np.inf, 1)
    assert result.degenerate.all()
    assert not result.separated.any()


def test_all_columns_alike_is_no_error() -> None:
    scores = Scores(np.full((3, 5), 0.5), tuple("abc"), tuple("12345"), "P@1")
    for method in METHODS:
        assert not found(scores, method).separated.any()


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    one, same, other = (found(noisy(), "shrunken", seed) for seed in (1, 1, 2))
    assert np.array_equal(one.low, same.low)
    assert not np.array_equal(one.low, other.low)


def test_a_frame_is_as_good_as_scores() -> None:
    scores = noisy()
    frame = pd.DataFrame(scores.values.T, columns=scores.systems, index=scores.topics)
    table = gaps(frame, resamples=99).table()
    assert list(table.columns) == (
        ["system_a", "system_b", "mean_a", "mean_b", "gap", "low", "high", "p", "separated"]
    )
    assert table.equals(gaps(scores, resamples=99).table())
    assert np.allclose(table["gap"], table["mean_a"] - table["mean_b"])
    assert (table["gap"] >= 0).all()


def test_the_best_is_held_to_the_maximum_over_all_pairs_and_neighbours_to_their_own() -> None:
    scores = noisy(6)
    every, best, next_ = (
        found(scores, "shrunken", family=f) for f in ("all", "best", "neighbours")
    )
    assert best.high - best.low == pytest.approx((every.high - every.low)[:5])
    chain = [every.first.tolist().index(i) for i in range(5)]
    assert np.all(next_.high - next_.low < (every.high - every.low)[chain])


@pytest.mark.parametrize(
    ("how", "rule"),
    [
        ({"level": 1.0}, "`level` must be a number above 0 and below 1, got 1.0"),
        ({"level": 0.0}, "`level` must be a number above 0 and below 1, got 0.0"),
        ({"resamples": 38}, "level 0.95 needs `resamples` of at least 39, got 38"),
        (
            {"level": 0.999, "resamples": 999},
            "level 0.999 needs `resamples` of at least 1999, got 999",
        ),
        ({"family": "pairs"}, "unknown family 'pairs'"),
        ({"method": "tuky"}, "unknown method 'tuky'; did you mean 'tukey'?"),
        ({"method": "t"}, "method 't' is not for family 'all'"),
        ({"method": "max", "family": "each"}, "method 'max' is not for family 'each'"),
    ],
)
def test_what_cannot_be_asked_is_refused(how: dict, rule: str) -> None:
    with pytest.raises(ValueError, match=re.escape(rule)):
        gaps(noisy(), **how)


def test_tukey_permutes_within_topics_only() -> None:
    with pytest.raises(ValueError, match="it needs design topics or means"):
        found(board("fixed"), "tukey")


@pytest.mark.parametrize("method", ["bca", "percentile", "studentized", "t", "smoothed-t"])
def test_ten_equal_differences_bound_nothing_and_are_flagged(method):
    """Case bootstrap-constant-difference: neither NaN nor [.05, .05], which would be certainty."""
    values = np.stack([np.full(10, 0.35), np.full(10, 0.30)])
    names = ("a", "b"), tuple(map(str, range(10)))
    found = gaps(Scores(values, *names, "score"), family="each", method=method, resamples=199)
    assert (found.low[0], found.high[0], found.separated[0]) == (-np.inf, np.inf, False)
    assert any("without a variance" in note for note in found.notes)
