"""How often the intervals of a family hold all true gaps at once, where its pairs follow from the scores.

The calibration study looks at all pairs. The best system and the neighbours are found on the same
topics as their gaps, so that a level which holds for pairs named before need not hold for them.
"""

from dataclasses import replace

import numpy as np
import pytest
from ranked import scores_of

from ndcgstudy.boards import board, distinct
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.gaps import Gaps, gaps
from ndcgstudy.seeding import rng_for

LEVEL = 0.95
DERIVED = pytest.mark.parametrize("family", ["best", "neighbours"])


def holds_the_truth(found: Gaps, means: np.ndarray) -> bool:
    """Whether every interval holds the true gap; systems are named s0, s1, ... in the order of `means`."""
    order = np.array([int(name[1:]) for name in found.systems])
    true = means[order[found.first]] - means[order[found.second]]
    return bool(np.all((found.low <= true + 1e-9) & (true <= found.high + 1e-9)))


def covered(family: str, boards, rng: np.random.Generator) -> np.ndarray:
    """Say of boards, each with the true means, whether all gaps of the family are covered."""
    return np.array(
        [
            holds_the_truth(gaps(scores, family=family, resamples=199, rng=rng), means)
            for scores, means in boards
        ]
    )


def falls_short(held: np.ndarray) -> bool:
    """Whether a share of boards lies 3 standard errors and more below the level."""
    return held.mean() < LEVEL - 3 * np.sqrt(LEVEL * (1 - LEVEL) / held.size)


def equal(systems: int, topics: int, draws: int, rng: np.random.Generator):
    for _ in range(draws):
        yield scores_of(rng.normal(0, 0.2, (systems, topics))), np.zeros(systems)


def resampled(name: str, systems: int, topics: int, draws: int, rng: np.random.Generator):
    """Topics drawn from a real matrix, whose means are the true ones."""
    values = distinct(board(name)).values
    for _ in range(draws):
        some = values[rng.choice(len(values), systems, replace=False)]
        drawn = some[:, rng.integers(0, some.shape[1], topics)]
        yield scores_of(drawn), some.mean(axis=1)


@DERIVED
def test_equal_systems_are_covered(family):
    rng = rng_for(1, family)
    assert not falls_short(covered(family, equal(15, 30, 300, rng), rng))


def test_the_best_held_to_its_own_pairs_alone_would_fall_short(monkeypatch):
    """As if the best had been known before: of 15 equal ones it is ahead of all by luck."""
    monkeypatch.setattr(Family, "guard", property(lambda family: family))
    rng = rng_for(1, "best")
    assert falls_short(covered("best", equal(15, 30, 300, rng), rng))


def test_neighbours_each_by_itself_fall_short():
    rng, held = rng_for(2), []
    for scores, means in stepped(rng):
        found = gaps(scores, family="each", rng=rng)
        near = found.second == found.first + 1
        parts = {name: getattr(found, name)[near] for name in ("first", "second", "low", "high")}
        held.append(holds_the_truth(replace(found, **parts), means))
    assert falls_short(np.array(held))


def stepped(rng):
    """Systems a known step apart, so that the neighbours found are often no true ones."""
    for _ in range(200):
        means = 0.02 * np.arange(15)
        yield scores_of(means[:, None] + rng.normal(0, 0.2, (15, 30))), means


@DERIVED
def test_systems_a_step_apart_are_covered(family):
    rng = rng_for(3, family)
    assert not falls_short(covered(family, stepped(rng), rng))


@pytest.mark.slow
@DERIVED
@pytest.mark.parametrize("name", ["web2013_ap", "dl2021", "robust2004_ndcg"])
@pytest.mark.parametrize(("systems", "topics"), [(10, 25), (30, 25), (10, 50), (30, 50)])
def test_topics_of_real_matrices_are_covered(data_folder, family, name, systems, topics):
    rng = rng_for(4, family, name, systems, topics)
    assert not falls_short(covered(family, resampled(name, systems, topics, 400, rng), rng))
