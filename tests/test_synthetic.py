"""Every generator gives nested samples of the right shape; the reference pair has its distribution."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.enumeration import every, joined
from ndcgstudy.synthetic import GENERATORS, Reference, Sample

ALL = [GENERATORS.parse(name) for name in GENERATORS.names()]
every_generator = pytest.mark.parametrize("generator", ALL, ids=str)


def rng(seed=0):
    return np.random.default_rng(seed)


# the contract of all generators


@every_generator
def test_a_sample_has_scores_by_system_and_grades_by_item(generator):
    sample = generator.sample(50, rng=rng())
    assert sample.scores.ndim == 2
    assert sample.scores.shape[0] >= 2
    assert sample.scores.shape[1] == sample.grades.shape[0] == 50
    assert sample.grades.dtype == np.int64
    assert sample.grades.min() >= 0
    assert np.isfinite(sample.scores).all()


def nested(generator, short, long):
    """Say whether the first items of a long sample are those of a short one."""
    first, whole = (generator.sample(n, rng=rng(5)) for n in (short, long))
    same_grades = np.array_equal(first.grades, whole.grades[:short])
    return same_grades and np.array_equal(first.scores, whole.scores[:, :short])


@every_generator
@given(st.integers(1, 60), st.integers(0, 60))
def test_samples_are_nested(generator, short, more):
    assert nested(generator, short, short + more)


class ByColumn:
    """A wrong generator: it draws system after system, so that a longer list is another list."""

    def sample(self, n, *, rng):
        return Sample(rng.random((2, n)), (rng.random(n) < 0.3).astype(np.int64))


def test_the_check_of_nesting_finds_a_generator_that_draws_by_column():
    assert not nested(ByColumn(), 10, 20)


@every_generator
def test_another_stream_gives_another_sample(generator):
    one, other = (generator.sample(20, rng=rng(seed)) for seed in (0, 1))
    assert not np.array_equal(one.scores, other.scores)


@every_generator
def test_a_generator_reads_back_from_its_text_and_pickles(generator):
    assert GENERATORS.parse(str(generator)) == generator
    assert pickle.loads(pickle.dumps(generator)) == generator


@every_generator
@pytest.mark.parametrize("n", [0, -1, 1.5, "3"])
def test_a_size_that_is_none_is_refused(generator, n):
    with pytest.raises(ValueError, match="`n` must be a whole number at least 1"):
        generator.sample(n, rng=rng())


# the reference pair

N = 40_000


def deviations(generator, claimed):
    """Return in standard errors how far a generator is from the distribution that is claimed.

    Five figures: share of relevant items, the slope of relevance over either score, the mean of
    the first score, and the correlation of the scores.
    """
    sample = generator.sample(N, rng=rng(11))
    u, v = sample.scores - 0.5
    chance = claimed.base + claimed.a * u + claimed.b * v
    residual = sample.grades - chance
    spread = np.sqrt((chance * (1 - chance)).mean() / N)
    slopes = [np.mean(residual * s) / (spread * np.sqrt(np.mean(s**2))) for s in (u, v)]
    moments = [u.mean() * np.sqrt(12 * N), np.mean(u * v) * 12 * np.sqrt(N)]
    return np.array([residual.mean() / spread, *slopes, *moments])


@pytest.mark.parametrize("generator", [Reference(), Reference(base=0.5, a=-0.2, b=0.6)], ids=str)
def test_the_reference_pair_has_the_distribution_that_it_states(generator):
    assert np.abs(deviations(generator, generator)).max() < 4


@pytest.mark.parametrize("wrong", [{"a": 0.1, "b": 0.4}, {"base": 0.33}, {"b": 0.2}])
def test_the_check_of_the_distribution_finds_a_wrong_pair(wrong):
    assert np.abs(deviations(replace(Reference(), **wrong), Reference())).max() > 4


def test_scores_are_uniform():
    scores = np.sort(Reference().sample(N, rng=rng(2)).scores, axis=1)
    steps = np.arange(1, N + 1) / N
    # Kolmogorov's statistic stays below 2.2 sqrt(1/N) with probability 1 - 1.2e-4.
    assert np.abs(scores - steps).max() < 2.2 / np.sqrt(N)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"base": 0.2}, r"keep P\(relevant\) in \[0, 1\], got -0.05 to 0.45"),
        ({"base": 0.9}, r"got 0.65 to 1.15"),
        ({"base": 0}, "`base` must be a number above 0 and below 1"),
        ({"a": float("nan")}, "`a` must be a number"),
        ({"b": "x"}, "`b` must be a number"),
    ],
)
def test_a_pair_that_cannot_be_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        replace(Reference(), **parameters)


# enumeration


@given(st.integers(1, 3), st.integers(1, 4))
def test_every_list_occurs_once(grades, ranks):
    lists = every(grades, ranks)
    assert lists.shape == (grades**ranks, ranks)
    assert len({tuple(row) for row in lists.tolist()}) == grades**ranks
    assert (lists.min(), lists.max()) == (0, grades - 1)


def test_every_head_meets_every_tail():
    lists = joined(every(2, 2), every(3, 1))
    assert lists.shape == (4, 3, 3)
    assert len({tuple(row) for row in lists.reshape(-1, 3).tolist()}) == 12
