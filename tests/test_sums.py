"""Sums of weights: against brute force, closed forms and zeta; the tail; and what breaks them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from part_examples import all_examples
from scipy.special import zeta

from ndcgstudy.discounts import DISCOUNTS, Constant, Geometric, Linear, Log2, Power
from ndcgstudy.separability import Sums, pieces, sums_for, tail
from ndcgstudy.separability.pieces import LAST, quadrature

N = 200_000
SMOOTH = ["log2", "loglog", "jk2002(base=10)", "zipf"] + [
    f"power(beta={b})" for b in (0, 0.25, 0.5, 0.99, 1.5, 2, 3)
]
RANGES = [(0, 1), (0, N), (7, 8), (1000, 1100), (1023, 1025), (5000, 5001), (123_456, N)]


def relative(found, exact):
    return abs(found / exact - 1) if exact else abs(found)


@pytest.mark.parametrize("part", all_examples(DISCOUNTS), ids=str)
def test_sums_are_those_of_adding_one_by_one(part):
    weights = np.asarray(part(np.arange(1, N + 1)), dtype=float)
    sums = sums_for(part)
    for low, high in RANGES:
        for power in (1, 2):
            exact = math.fsum((weights[low:high] ** power).tolist())
            assert relative(sums.total(low, high, power), exact) < 1e-12
    assert sums.error < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("name", SMOOTH)
def test_sums_to_ten_million_ranks(name):
    part = DISCOUNTS.parse(name)
    exact = math.fsum(part(np.arange(1, 10**7 + 1)).tolist())
    assert relative(sums_for(part).total(0, 10**7), exact) < 1e-12


@pytest.mark.parametrize("beta", [1.1, 1.5, 2.0, 3.0, 7.0])
def test_sums_of_powers_are_differences_of_zeta(beta):
    found = Sums.of(Power(beta=beta))
    for low, high in ((0, 10**15), (10**3, 10**9), (10**9, 10**15)):
        exact = zeta(beta, low + 1) - zeta(beta, high + 1)
        assert relative(found.total(low, high), exact) < 1e-12


@pytest.mark.parametrize("high", [10**6, 10**12, 10**15])
def test_the_harmonic_numbers_are_those_of_their_expansion(high):
    tail_ = 1 / (2 * high) - 1 / (12 * high**2)
    exact = math.log(high) + 0.5772156649015329 + tail_
    assert relative(Sums.of(Power(beta=1)).total(0, high), exact) < 1e-13


@given(st.integers(0, 10**15), st.integers(0, 10**6))
def test_a_linear_discount_sums_as_fractions_do(low, length):
    part = Linear(depth=10**6)
    low = low % (2 * 10**6)
    a, b = (max(10**6 - x, 0) for x in (low, low + length))
    exact = [Fraction(a * (a + 1) - b * (b + 1), 2 * 10**6)]
    exact.append(Fraction(a * (a + 1) * (2 * a + 1) - b * (b + 1) * (2 * b + 1), 6 * 10**12))
    for power in (1, 2):
        assert (
            relative(sums_for(part).total(low, low + length, power), float(exact[power - 1]))
            < 1e-12
        )


@given(
    st.sampled_from(SMOOTH),
    st.lists(st.integers(0, 10**15), min_size=3, max_size=3, unique=True).map(sorted),
)
def test_a_range_is_the_sum_of_its_parts(name, ranks):
    low, middle, high = ranks
    sums = sums_for(DISCOUNTS.parse(name))
    one, two = sums.between([low, middle], [middle, high])
    assert one.sum() == pytest.approx(sums.total(low, high), rel=1e-12)
    assert two.sum() == pytest.approx(sums.total(low, high, 2), rel=1e-12)


def test_a_range_far_out_keeps_its_digits():
    found = sums_for(Power(beta=3)).total(10**12, 10**12 + 1)
    assert found == pytest.approx((10**12 + 1.0) ** -3, rel=1e-13)


# discounts of users


def test_a_step_is_found_and_added_exactly():
    found = Sums.of(lambda r: np.where(np.asarray(r) <= 10**9, 1.0, 0.25))
    assert found.total(0, 10**12) == pytest.approx(10**9 + 0.25 * (10**12 - 10**9), rel=1e-12)


@pytest.mark.parametrize(
    "discount",
    [lambda r: 1 / np.ceil(np.asarray(r) / 10), lambda r: 1 / (np.asarray(r, dtype=np.int64) + 1)],
    ids=["pages", "whole ranks"],
)
def test_sums_by_blocks_say_how_far_they_may_be_off(discount):
    found = Sums.of(discount)
    weights = np.asarray(discount(np.arange(1, 10**6 + 1)), dtype=float)
    assert found.method == "blocks"
    assert 1e-12 < found.error < 1e-4
    assert found.caution == (
        f"its sums are added up by blocks, each within about {found.error:.1g} of itself"
    )
    for low, high in ((0, 10**6), (300_000, 700_000)):
        exact = math.fsum(weights[low:high].tolist())
        assert relative(found.total(low, high), exact) < found.error


STEPS = {
    "1/ceil(log2(r + 1))": lambda r: 1 / np.ceil(np.log2(np.asarray(r) + 1.0)),
    "1/ceil(log10(r + 1))": lambda r: 1 / np.ceil(np.log10(np.asarray(r) + 1.0)),
    **{
        f"step behind {k}": lambda r, k=k: np.where(np.asarray(r) <= k, 1.0, 0.5)
        for k in (1024, 1025, 4096, 65_540, 100_000, 131_072, 131_073, 131_080, 2**20)
    },
}


def off_by(function, last=2**21):
    """Return how far sums over octaves and over ranges drawn are off at worst, and what they say."""
    sums, weights = Sums.of(function), function(np.arange(1, last + 1))
    drawn = np.random.default_rng(0).integers(1, last, 200)
    ends = np.unique(np.concatenate([2 ** np.arange(22), drawn]))
    exact = np.add.reduceat(weights, ends[:-1])
    return np.abs(sums.between(ends[:-1], ends[1:])[0] / exact - 1).max(), sums.error


@pytest.mark.parametrize("name", STEPS)
def test_a_step_that_no_node_of_the_rule_sees_is_found(name):
    worst, said = off_by(STEPS[name])
    assert worst < 1e-12
    assert worst <= said


@pytest.mark.parametrize("name", ["step behind 65540", "step behind 131073"])
def test_without_a_look_at_the_ends_of_pieces_steps_are_missed(name, monkeypatch):
    monkeypatch.setattr(pieces, "_unforeseen", lambda weigh, low, high: np.zeros(len(low)))
    worst, said = off_by(STEPS[name])
    assert worst > 1e-5 > 1e-12 > said


def test_a_smooth_discount_has_no_surprise_at_the_ends_of_octaves():
    octaves = 2 ** np.arange(10, 51)
    for part in map(DISCOUNTS.parse, SMOOTH):
        assert (pieces._unforeseen(part, octaves[:-1], octaves[1:]) == 0).all()


def test_a_function_that_takes_ranks_one_by_one_sums_alike():
    listed = Sums.of(lambda ranks: [1 / rank for rank in ranks])
    plain = sums_for(Power(beta=1))
    for low, high in ((0, 10), (5000, 10**6), (10**9, 10**12)):
        assert listed.total(low, high) == pytest.approx(plain.total(low, high), rel=1e-12)


def test_the_error_bound_holds_and_is_needed():
    # Without the end correction a sum over ranks from 30 on is off by about 1/(24 30^2).
    low, high = np.array([30]), np.array([60])
    weights = 1.0 / np.arange(31, 61)
    with_ends = quadrature(lambda r: 1.0 / r, low, high)[0][0]
    without = math.log(60.5 / 30.5)
    bound = 17 / 5760 * (6 / 30.5**4 - 6 / 60.5**4)
    assert abs(with_ends - weights.sum()) < 1.01 * bound
    assert abs(without - weights.sum()) > 100 * bound


@pytest.mark.parametrize(("low", "high"), [(-1, 3), (5, 4), (0, LAST + 1)])
def test_ranges_that_are_none_are_refused(low, high):
    with pytest.raises(ValueError, match="ranges of ranks must rise within 0 to 2"):
        sums_for(Log2()).between([low], [high])


# the tail


def critical(log_power):
    return lambda r: 1 / ((r + 1.0) * np.log(r + 1.0) ** log_power)


@pytest.mark.parametrize(
    ("discount", "diverges"),
    [
        *((DISCOUNTS.parse(name), True) for name in ("log2", "loglog", "zipf", "constant")),
        *((Power(beta=b), True) for b in (0.0, 0.5, 0.9, 0.99, 1.0)),
        *((Power(beta=b), False) for b in (1.01, 1.1, 2, 25)),
        *((part, False) for part in (Geometric(p=0.9), Linear(depth=9))),
        (critical(0), True),
        (critical(1), None),
        (critical(1.2), None),
        (critical(2), None),
        (lambda r: 0.5 ** np.sqrt(r), False),
        (lambda r: 1 / np.ceil(np.asarray(r) / 10), True),
    ],
)
def test_the_tail_is_judged_where_numbers_can_tell(discount, diverges):
    assert tail(discount).diverges is diverges


def test_the_tail_gives_its_exponents():
    found = tail(critical(2))
    assert found.power == pytest.approx(1, abs=0.001)
    assert found.log_power == pytest.approx(2, abs=0.02)
    assert "the sum is not resolved" in found.evidence
    assert tail(Constant()).power == pytest.approx(0, abs=1e-9)
