"""Intervals, p-values and verdicts of gaps never disagree, and no interval is its own gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ndcgstudy.data import Scores
from ndcgstudy.inference.critical import SCALES
from ndcgstudy.inference.families import FAMILIES
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.power import discriminative_power
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.inference.registered import METHODS

PAIRED = [
    (method, family)
    for method, how in METHODS.items()
    for family in FAMILIES
    if how.together == (family != "each")
]


@st.composite
def boards(draw):
    """Few topics; scores of few values tie, rows may be constant or copies, one topic may decide."""
    systems, topics = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    few = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.5, 1.0])
    values = draw(arrays(float, (systems, topics), elements=few | st.floats(0, 1, width=16)))
    kind = draw(st.sampled_from(["as drawn", "copies", "constant", "shifted", "one topic"]))
    if kind == "copies":
        values[1] = values[0]
    elif kind == "constant":
        values[:] = values[:, :1]
    elif kind == "shifted":
        values[1:] = values[0] + np.arange(1, systems)[:, None] * 0.05
    elif kind == "one topic":
        values[:, 1:] = values[0, 1:]
    names = tuple(f"s{i}" for i in range(systems)), tuple(f"q{i}" for i in range(topics))
    return Scores(values, *names, "score")


LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95])
SOME = settings(max_examples=30, deadline=None)


def check(found, level):
    assert np.array_equal(found.separated, found.p <= 1 - level)
    outside = (found.low > 0) | (found.high < 0)
    if found.method == "step-down":  # its intervals may end at 0
        assert np.all(found.separated | ~outside)
        assert np.all(~found.separated | (found.low >= 0) | (found.high <= 0))
    else:
        assert np.array_equal(found.separated, outside)
    assert np.all(found.high > found.low)
    assert np.all((found.p > 0) & (found.p <= 1))
    assert np.all(found.p[np.isinf(found.high) & np.isinf(found.low)] > 1 - level)


@pytest.mark.parametrize(("method", "family"), PAIRED)
@SOME
@given(scores=boards(), level=LEVELS)
def test_interval_p_and_verdict_agree(method, family, scores, level):
    check(gaps(scores, family=family, method=method, level=level, resamples=99), level)


@pytest.mark.parametrize("family", ["simultaneous", "marginal"])
@pytest.mark.parametrize("method", [name for name, how in METHODS.items() if how.together])
@SOME
@given(scores=boards(), level=LEVELS)
def test_ranks_agree_with_their_gaps(method, family, scores, level):
    if family == "marginal" and method not in SCALES:
        return
    found = ranks(scores, method=method, family=family, level=level, resamples=99)
    check(found.gaps, level)
    assert np.all(found.rank_low[found.tied_for_first] == 1)
    assert found.tied_for_first[0]
    assert np.all((found.rank_low <= found.rank) & (found.rank <= found.rank_high))
    below = np.zeros((2, len(found.systems)), dtype=int)
    np.add.at(below[0], found.gaps.second[found.gaps.separated], 1)
    np.add.at(below[1], found.gaps.first[found.gaps.separated], 1)
    narrower = family == "marginal"
    lost = np.array([found.rank_low - 1, len(found.systems) - found.rank_high]) - below
    assert np.all(lost >= 0) if narrower else np.all(lost == 0)


@SOME
@given(scores=boards(), level=st.sampled_from([0.8, 0.9, 0.95]))  # at .5 two topics may tie with t
def test_the_share_that_power_separates_is_that_of_small_p_values(scores, level):
    found = discriminative_power([scores], level=level, resamples=99)
    assert found.share[0] == pytest.approx(np.mean(found.p[0] <= (1 - level) * (1 + 1e-9)))
    each = gaps(scores, family="each", method="t", level=level, resamples=99)
    assert found.share[0] == pytest.approx(each.share)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("level", [0.6, 0.9, 0.99])
def test_p_is_the_least_error_that_leaves_out_0(method, level):
    """At another level the same resamples separate just the pairs whose p was small enough."""
    family = "all" if METHODS[method].together else "each"
    for seed in range(3):
        rng = np.random.default_rng(seed)
        values = rng.normal(np.arange(6)[:, None] * 0.15, 0.5, (6, 12))
        scores = Scores(values, tuple("abcdef"), tuple(map(str, range(12))), "score")
        one, other = (
            gaps(
                scores,
                family=family,
                method=method,
                level=at,
                resamples=399,
                rng=np.random.default_rng(seed),
            )
            for at in (0.95, level)
        )
        clear = np.abs(one.p - (1 - level)) > 1e-9
        clear &= np.abs(one.p - 0.05) > 1e-9  # p may have moved to that level's side there
        assert np.array_equal((one.p <= 1 - level)[clear], other.separated[clear])


@pytest.mark.parametrize(("method", "family"), PAIRED)
@pytest.mark.parametrize("topics", [2, 4, 10, 50])
def test_a_constant_difference_has_an_interval_beyond_itself_and_is_flagged(method, family, topics):
    values = np.array([np.full(topics, 0.55), np.full(topics, 0.5)])
    found = gaps(
        Scores(values, ("a", "b"), tuple(map(str, range(topics))), "P@1"),
        family=family,
        method=method,
        resamples=199,
    )
    assert found.degenerate.all()
    check(found, 0.95)
    if method != "tukey":  # which permutes: it has the two systems' scores to work with
        assert (found.low[0], found.high[0], found.p[0]) == (-np.inf, np.inf, 1)
