"""The difference of two shares of the same trials: symmetry, a special case by hand, and its level."""

import math

import numpy as np
import pytest

from ndcgstudy.card.separation import paired_difference
from ndcgstudy.intervals import wilson


def trials(both, first, second, neither):
    rows = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [both, first, second, neither], axis=0)
    return rows[:, 0].astype(bool), rows[:, 1].astype(bool)


def test_paired_difference_changes_its_sign_with_the_sides():
    one, other = trials(36, 12, 2, 10)
    found, turned = paired_difference(one, other), paired_difference(other, one)
    assert found[:3] == pytest.approx((-turned.value, -turned.high, -turned.low), abs=1e-15)


def test_without_correlation_wilsons_intervals_are_squared_and_added():
    one, other = trials(24, 36, 16, 24)  # 60% and 40%, independent
    found = paired_difference(one, other)
    (l1, l2), (h1, h2) = wilson([60, 40], 100)
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.2 - math.hypot(0.6 - l1, h2 - 0.4))
    assert found.high == pytest.approx(0.2 + math.hypot(h1 - 0.6, 0.4 - l2))


def test_it_keeps_its_width_where_no_trial_tells_the_two_apart():
    found = paired_difference(*trials(200, 0, 0, 0))
    assert -0.03 < found.low < 0 < found.high < 0.03


def coverage(chances, samples=4000, trials_each=300, shrink=1.0):
    """Return how often the interval holds the true difference of two shares."""
    rng, held = np.random.default_rng(8), 0
    truth = chances[1] - chances[2]
    for counts in rng.multinomial(trials_each, chances, size=samples):
        found = paired_difference(*trials(*counts))
        low = found.value - shrink * (found.value - found.low)
        high = found.value + shrink * (found.high - found.value)
        held += low <= truth <= high
    return held / samples, (0.05 * 0.95 / samples) ** 0.5


@pytest.mark.parametrize("chances", [(0.8, 0.1, 0.06, 0.04), (0.55, 0.3, 0.05, 0.1)])
def test_intervals_hold_their_level_and_shorter_ones_do_not(chances):
    share, error = coverage(chances)
    assert 0.95 - 4 * error < share < 0.985  # the method errs to the wide side
    assert coverage(chances, shrink=0.7)[0] < 0.95 - 4 * error
