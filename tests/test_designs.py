"""What is resampled: weights, counts and variances of every design, against plain loops."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.data import Scores
from ndcgstudy.inference.designs import QUESTIONS, sample_of
from ndcgstudy.inference.families import FAMILIES, Family
from ndcgstudy.inference.scales import pooled_variance

DESIGNS = list(QUESTIONS)


def board(design: str, systems: int = 4, seed: int = 0) -> Scores:
    """Scores that a design fits: three data sets of 3, 2 and 4 topics, or one."""
    rng = np.random.default_rng(seed)
    sets = None if design in ("topics", "means") else tuple("xxxyyzzzz")
    values = rng.random((systems, 9))
    names = tuple(f"s{i}" for i in range(systems))
    return Scores(values, names, tuple("123456789"), "nDCG@10", sets)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_mean_is_that_of_the_topics_or_of_the_data_sets(design: str) -> None:
    scores = board(design)
    sample = sample_of(scores, design)
    parts = np.split(scores.values, [3, 5], axis=1) if scores.datasets else [scores.values]
    means = np.mean([part.mean(axis=1) for part in parts], axis=0)
    assert sample.means == pytest.approx(np.sort(means)[::-1], abs=1e-15)
    assert sample.systems == tuple(np.array(scores.systems)[np.argsort(-means)])
    assert sample.weights.sum() == pytest.approx(1)


def test_topics_of_a_data_set_need_not_stand_together() -> None:
    values = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5]])
    scores = Scores(values, ("a", "b"), ("1", "2", "3"), "P@1", ("x", "y", "x"))
    assert sample_of(scores, "random").means.tolist() == [0.625, 0.25]


@pytest.mark.parametrize("design", DESIGNS)
def test_every_topic_counts_once_on_average_and_data_sets_keep_their_size(design: str) -> None:
    sample = sample_of(board(design), design)
    n = 4000
    counts = sample.count(n, np.random.default_rng(1))
    error = counts.std(axis=1, ddof=1) / np.sqrt(n)
    assert np.all(np.abs(counts.mean(axis=1) - 1) < 4 * error)  # 4 standard errors, 9 topics
    by_set = np.stack([counts[at].sum(axis=0) for at in sample.slices])
    copies = by_set / sample.sizes[:, None]
    assert np.array_equal(copies, np.round(copies))
    assert np.all(copies.sum(axis=0) == len(sample.sizes))
    assert np.all(copies == 1) == (design != "random")


def plain_moments(design: str, d: np.ndarray, sizes: list[int], counts: np.ndarray) -> tuple:
    """Mean and variance of the mean of one pair in one resample, written out topic by topic."""
    ends = np.cumsum(sizes)
    parts = [(d[e - n : e], counts[e - n : e]) for e, n in zip(ends, sizes, strict=True)]
    if design == "random":
        means = [
            v @ c / len(v) / k for v, c in parts for k in [c.sum() / len(v)] for _ in range(int(k))
        ]
        return np.mean(means), np.var(means, ddof=1) / len(means)
    drawn = [np.repeat(v, c) for v, c in parts]
    variance = sum(v.var(ddof=1) / len(v) for v in drawn) / len(drawn) ** 2
    return np.mean([v.mean() for v in drawn]), variance


@pytest.mark.parametrize("design", DESIGNS)
def test_moments_are_those_of_the_drawn_topics(design: str) -> None:
    sample = sample_of(board(design), design)
    d = sample.values[:1] - sample.values[1:]
    counts = sample.count(50, np.random.default_rng(2))
    mean, variance = sample.moments(d, counts.astype(float))
    for pair, resample in itertools.product(range(3), range(50)):
        plain = plain_moments(design, d[pair], sample.sizes.tolist(), counts[:, resample])
        assert (mean[pair, resample], variance[pair, resample]) == pytest.approx(plain, abs=1e-14)
    once, spread = sample.moments(d)
    plain = plain_moments(design, d[0], sample.sizes.tolist(), np.ones(9, dtype=int))
    assert (once[0, 0], spread[0, 0]) == pytest.approx(plain, abs=1e-15)


@pytest.mark.parametrize("design", DESIGNS)
def test_flipped_moments_are_those_of_flipped_differences(design: str) -> None:
    sample = sample_of(board(design), design)
    d = sample.values[:1] - sample.values[1:]
    signs = sample.flips(20, np.random.default_rng(3))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    mean, variance = sample.moments(d, np.ones((9, 1)), signs)
    for j in range(20):
        one, spread = sample.moments(d * signs[:, j])
        assert mean[:, j] == pytest.approx(one[:, 0], abs=1e-15)
        assert variance[:, j] == pytest.approx(spread[:, 0], abs=1e-15)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("resampled", [False, True])
def test_the_pooled_variance_is_the_mean_over_pairs(design: str, resampled: bool) -> None:
    sample = sample_of(board(design, systems=5), design)
    counts = sample.count(30, np.random.default_rng(4)).astype(float) if resampled else None
    first, second = Family("all", 5).pairs
    centred = sample.centred(sample.values[first] - sample.values[second])
    plain = sample.moments(centred, counts)[1].mean(axis=0)
    assert pooled_variance(sample, counts) == pytest.approx(plain, rel=1e-12)


def test_the_bootstrap_standard_error_is_short_by_the_known_ratio() -> None:
    """The case `bootstrap-se-of-mean-exact`: all 256 resamples of (0, 0, 1, 1)."""
    scores = Scores(np.array([[0.0, 0, 1, 1], [0, 0, 0, 0]]), ("a", "b"), tuple("1234"), "P@1")
    sample = sample_of(scores)
    every = np.array(list(itertools.product(range(4), repeat=4)))
    counts = np.stack([(every == i).sum(axis=1) for i in range(4)]).astype(float)
    d = sample.values[:1] - sample.values[1:]
    mean, _ = sample.moments(d, counts)
    assert mean.std() == pytest.approx(0.25)
    estimated = float(np.sqrt(sample.moments(d)[1][0, 0]))
    assert estimated == pytest.approx(0.28867513459481287)
    assert mean.std() / estimated == pytest.approx(np.sqrt(3 / 4))


def test_satterthwaite_has_the_topics_less_one_for_equal_sets() -> None:
    values = np.array([[0.0, 1, 0, 1], [0, 0, 0, 0]])
    scores = Scores(values, ("a", "b"), tuple("1234"), "P@1", tuple("xxyy"))
    sample = sample_of(scores, "fixed")
    assert sample.freedom(sample.values[:1] - sample.values[1:]).tolist() == [2.0]


@given(st.integers(2, 9))
def test_families_are_the_pairs_they_name(systems: int) -> None:
    every = list(itertools.combinations(range(systems), 2))
    wanted = {
        "all": every,
        "each": every,
        "best": every[: systems - 1],
        "neighbours": [(i, i + 1) for i in range(systems - 1)],
    }
    for name in FAMILIES:
        first, second = Family(name, systems).pairs
        assert list(zip(first, second, strict=True)) == wanted[name]


def test_means_of_topics_inside_data_sets_are_those_of_the_data_sets() -> None:
    scores = board("random")
    sample = sample_of(scores, "means")
    assert sample.values.shape == (4, 3)
    assert sample.means == pytest.approx(sample_of(scores, "random").means)


def test_the_design_follows_from_the_data_sets() -> None:
    values = np.ones((2, 4))
    for sets, design in ((None, "topics"), (tuple("abcd"), "means"), (tuple("aabb"), "fixed")):
        scores = Scores(values.copy(), ("a", "b"), tuple("1234"), "P@1", sets)
        assert sample_of(scores).design == design


@pytest.mark.parametrize(
    ("systems", "topics", "sets", "design", "rule"),
    [
        (1, 3, None, None, "gaps need at least 2 systems, got 1"),
        (2, 1, None, None, "gaps need at least 2 topics, got 1"),
        (2, 1, "a", "means", "gaps need at least 2 data sets, got 1"),
        (2, 3, "abb", "fixed", "design 'fixed' needs at least 2 topics a data set, 'a' has 1"),
        (2, 3, "aaa", "random", "design 'random' needs at least 2 data sets, got 1"),
        (2, 3, None, "fixed", "design 'fixed' needs scores with data sets"),
        (2, 3, None, "topic", "unknown design 'topic'; did you mean 'topics'?"),
    ],
)
def test_samples_that_are_too_small_are_refused(systems, topics, sets, design, rule) -> None:
    names = tuple(f"s{i}" for i in range(systems))
    labels = tuple(str(t) for t in range(topics))
    scores = Scores(np.ones((systems, topics)), names, labels, "P@1", sets and tuple(sets))
    with pytest.raises(ValueError, match=re.escape(rule)):
        sample_of(scores, design)


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (np.nan, "every score must be a finite number, got nan for system 'b' on topic 'q2'"),
        (np.inf, "a score must lie within 1e+100 of 0, got inf (system 'b', topic 'q2')"),
    ],
)
def test_a_score_that_is_no_number_is_named(bad: float, rule: str) -> None:
    values = np.array([[0.5, 0.5], [0.5, bad]])
    with pytest.raises(ValueError, match=re.escape(rule)):
        sample_of(Scores(values, ("a", "b"), ("q1", "q2"), "P@1"))
