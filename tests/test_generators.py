"""Each generator has the distribution that it states: curves, joint chances, and what was asked."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy.synthetic import (
    GENERATORS,
    AgainstRandom,
    Curves,
    Drift,
    Growing,
    Latent,
    NearMisses,
    Reference,
    SharedTop,
    TwoStage,
    described,
    is_described,
    is_relative,
)

DESCRIBED = [
    Reference(),
    Reference(levels=(0.6, 0.3, 0.1)),
    Curves(),
    Curves(a=(0.1, 0, 0.5), b=(0.2, 0.4 / 3), levels=(0.5, 0.3, 0.2)),
    AgainstRandom(levels=(0.7, 0.3)),
    Latent(),
    Latent(a=0.95, b=-0.5, shares=(0.4, 0.1, 0.02)),
    SharedTop(levels=(0.6, 0.4)),
    SharedTop(a=(0.1, 0, 0.5), alike=0.2),
]
every_described = pytest.mark.parametrize("generator", DESCRIBED, ids=str)
N = 40_000
EDGES = np.array([0.0, 0.01, 0.1, 0.35, 0.5, 0.8, 1.0])
# 4.5 standard errors: by chance in 1 of 150,000 figures, of which about 1,000 are looked at.
MOST = 4.5


def rng(seed=0):
    return np.random.default_rng(seed)


def depths(scores):
    """Return the share of items ahead of each item, (systems, n)."""
    n = scores.shape[1]
    order = np.argsort(np.argsort(-scores, axis=1), axis=1)
    return (order + 0.5) / n


def deviations(generator, claimed):
    """Return by how many standard errors the shares of the cells differ from those claimed."""
    sample = generator.sample(N, rng=rng(11))
    place = np.searchsorted(EDGES, depths(sample.scores[:2]), side="right") - 1
    shape = (len(EDGES) - 1, len(EDGES) - 1, claimed.grades)
    cells = np.ravel_multi_index((place[0], place[1], sample.grades), shape)
    seen = np.bincount(cells, minlength=np.prod(shape)) / N
    chance = claimed.joint(EDGES, EDGES).ravel()
    error = np.sqrt(np.maximum(chance * (1 - chance), 25 / N) / N)
    return (seen - chance) / error


@every_described
def test_the_joint_chances_are_those_of_the_items(generator):
    assert np.abs(deviations(generator, generator)).max() < MOST


@pytest.mark.parametrize(
    ("one", "claimed"),
    [
        (Curves(a=(0.1, 0.3, 0.2)), Curves(a=(0.1, 0, 0.5))),
        (Curves(levels=(0.4, 0.6)), Curves(levels=(0.5, 0.5))),
        (Latent(a=0.75), Latent(a=0.8)),
        (Latent(shares=(0.33,)), Latent(shares=(0.3,))),
        (SharedTop(alike=0.4), SharedTop(alike=0.5)),
    ],
)
def test_the_comparison_finds_another_distribution(one, claimed):
    assert np.abs(deviations(one, claimed)).max() > MOST


@every_described
def test_chances_sum_to_one_and_bins_have_their_widths(generator):
    one = np.concatenate([[0], np.geomspace(1e-13, 1, 60)])
    other = np.concatenate([[0], np.geomspace(1e-4, 1, 20)])
    joint = generator.joint(one, other)
    assert joint.shape == (60, 20, generator.grades)
    assert joint.min() >= 0
    assert joint.sum(axis=(1, 2)) == pytest.approx(np.diff(one), rel=1e-11)
    assert joint.sum(axis=(0, 2)) == pytest.approx(np.diff(other), rel=1e-11)


@every_described
def test_curves_are_the_joint_chances_of_narrow_bins(generator):
    s = np.array([1 - 1e-9, 0.99, 0.7, 0.33, 0.02])
    for system in (0, 1):
        for place, at in enumerate(1 - s):
            narrow = np.array([0.0, at * 0.999, min(at * 1.001, 1.0), 1.0])
            ends = (narrow, np.array([0.0, 1.0]))
            joint = generator.joint(*(ends if system == 0 else ends[::-1]))
            share = joint.sum(axis=1 - system)[1]
            expected = generator.curves(s)[system, :, place]
            assert share / share.sum() == pytest.approx(expected, abs=1e-3)


def test_the_rankers_of_a_curves_pair_score_alone():
    u, v = Curves().sample(N, rng=rng(3)).scores
    assert abs(np.corrcoef(u, v)[0, 1]) < MOST / np.sqrt(N)


@given(st.floats(-0.99, 0.99), st.floats(-0.99, 0.99))
def test_swapped_rankers_swap_the_chances(a, b):
    ends = np.array([0.0, 0.01, 0.2, 1.0])
    one, other = Latent(a=a, b=b).joint(ends, ends), Latent(a=b, b=a).joint(ends, ends)
    assert one == pytest.approx(np.swapaxes(other, 0, 1), abs=1e-12)


def test_the_shared_top_is_shared_and_the_rest_is_reversed():
    sample = SharedTop(alike=0.25).sample(1000, rng=rng())
    one, other = (np.argsort(-scores) for scores in sample.scores)
    top = int(np.count_nonzero(sample.scores[0] >= 0.75))
    assert np.array_equal(one[:top], other[:top])
    assert np.array_equal(one[top:], other[top:][::-1])


# generators without a closed form


def shares_at_the_top(generator, n, k, seeds=40):
    """Return how many of the first k items of either ranker are relevant, (seeds, 2)."""
    out = []
    for seed in range(seeds):
        sample = generator.sample(n, rng=rng(seed))
        sample = generator.at(sample, n) if is_relative(generator) else sample
        out.append([(sample.grades[np.argsort(-s)[:k]] > 0).mean() for s in sample.scores[:2]])
    return np.array(out)


def gap_in_errors(shares):
    gap = shares[:, 0] - shares[:, 1]
    return gap.mean() / (gap.std(ddof=1) / np.sqrt(len(gap)))


def test_drift_turns_the_order_of_the_rankers():
    assert gap_in_errors(shares_at_the_top(Drift(half=1000), 200, 50)) < -3
    assert gap_in_errors(shares_at_the_top(Drift(half=10), 2000, 500)) > 3


def test_drift_has_the_slopes_of_the_reference_pair_late_and_swapped_early():
    sample = Drift(half=1000).sample(N, rng=rng(4))
    u, v = sample.scores - 0.5
    early = 1000 / (1000 + np.arange(N))
    chance = 0.3 + (0.4 - 0.3 * early) * u + (0.1 + 0.3 * early) * v
    for part in (slice(0, 2000), slice(2000, N)):
        rest = (sample.grades - chance)[part]
        error = np.sqrt((chance * (1 - chance))[part].mean() / rest.size)
        for score in (u[part], v[part], np.full(rest.size, 0.3)):
            assert abs(np.mean(rest * score)) < MOST * error * np.sqrt(np.mean(score**2))


GRADED = [
    "reference(levels=(0.6,0.4))",
    "curves(levels=(0.6,0.4))",
    "random(levels=(0.6,0.4))",
    "shared_top(levels=(0.6,0.4))",
    "drift(levels=(0.6,0.4))",
    "latent(shares=(0.3,0.12))",
    "two_stage(shares=(0.3,0.12))",
    "near_misses(shares=(0.3,0.12))",
    "growing(shares=(0.3,0.12))",
]


def shares_off(generator, claimed=0.4):
    """Return by how many errors the share of grade 2 among the relevant differs from that claimed."""
    grades = generator.sample(N, rng=rng(6)).grades
    relevant = np.count_nonzero(grades)
    share = np.count_nonzero(grades == 2) / relevant
    return (share - claimed) / np.sqrt(claimed * (1 - claimed) / relevant)


def test_every_registered_generator_can_be_graded():
    assert {text.partition("(")[0] for text in GRADED} == set(GENERATORS.names())


@pytest.mark.parametrize("text", GRADED)
def test_graded_labels_have_the_shares_asked_for(text):
    assert abs(shares_off(GENERATORS.parse(text))) < MOST
    wrong = text.replace("0.6,0.4", "0.5,0.5").replace("0.12", "0.15")
    assert abs(shares_off(GENERATORS.parse(wrong))) > MOST


@pytest.mark.parametrize("kind", [Reference, Drift])
def test_levels_change_neither_scores_nor_which_items_are_relevant(kind):
    plain, graded = (kind(levels=x).sample(500, rng=rng(2)) for x in ((1.0,), (0.5, 0.5)))
    assert np.array_equal(plain.scores, graded.scores)
    assert np.array_equal(plain.grades, np.minimum(graded.grades, 1))
    assert plain.grades.max() == 1 < graded.grades.max()


def test_the_second_stage_reorders_the_first_items_alone():
    pair = TwoStage(depth=30)
    sample = pair.sample(500, rng=rng())
    both = pair.at(sample, 500).scores
    reranked, stage = (np.argsort(-scores) for scores in both)
    assert sorted(reranked[:30]) == sorted(stage[:30])
    assert not np.array_equal(reranked[:30], stage[:30])
    assert np.array_equal(reranked[30:], stage[30:])
    assert (np.diff(sample.scores[0][reranked[:30]]) < 0).all()


def test_a_short_list_is_reranked_whole():
    pair = TwoStage(depth=30)
    sample = pair.sample(20, rng=rng())
    assert np.array_equal(pair.at(sample, 20).scores, sample.scores)


def test_near_misses_are_not_relevant_and_spoil_the_top_of_b():
    shares = shares_at_the_top(NearMisses(), 2000, 20)
    assert gap_in_errors(shares) > 5
    assert abs(gap_in_errors(shares_at_the_top(NearMisses(near=0.0), 2000, 20))) < 4
    plain, pulled = (NearMisses(near=x).sample(N, rng=rng(1)) for x in (0.0, 0.05))
    moved = plain.scores[1] != pulled.scores[1]
    assert (plain.grades[moved] == 0).all()
    share, count = moved[plain.grades == 0].mean(), np.count_nonzero(plain.grades == 0)
    assert abs(share - 0.05) < MOST * np.sqrt(0.05 * 0.95 / count)


def test_what_a_growing_ranker_finds_grows_as_stated():
    pair = Growing(start=0.2, rate=0.25)
    sample = pair.sample(10_000, rng=rng())
    for n in (100, 1000, 10_000):
        both = pair.at(sample, n)
        mark = sample.scores[2, :n]
        for score, share in ((0, 0.2 * (n / 1000) ** 0.25), (1, 0.2)):
            found = both.scores[score] == sample.scores[score, :n]
            assert np.array_equal(found, mark < share)
            lowest = both.scores[score][found].min()
            assert both.scores[score][~found].max() < lowest


def test_a_generator_without_a_closed_form_says_so():
    for generator in (Drift(), TwoStage(), NearMisses(), Growing()):
        with pytest.raises(
            ValueError, match=r"has no closed form .* can be simulated directly only"
        ):
            described(generator)


def test_all_generators_are_known_by_name():
    assert set(GENERATORS.names()) >= {
        *("curves", "drift", "growing", "latent", "near_misses"),
        *("random", "reference", "shared_top", "two_stage"),
    }
    assert all(is_described(generator) for generator in DESCRIBED)


@pytest.mark.parametrize(
    ("generator", "parameters", "message"),
    [
        (Latent(), {"a": 1.0}, "`a` must be a number above -1 and below 1, got 1.0"),
        (Latent(), {"b": -1}, "`b` must be a number above -1 and below 1"),
        (Latent(), {"shares": (0.1, 0.2)}, "`shares` must be one or more and fall with the grade"),
        (Latent(), {"shares": (1.0,)}, r"`shares\[grade 1\]` must be a number above 0 and below 1"),
        (Curves(), {"a": (0.5, 1.0)}, r"P\(relevant\) in \[0, 1\], got 0.5 to 1.5"),
        (Curves(), {"b": (0.3,)}, "`a` and `b` must have the same mean"),
        (Curves(), {"levels": (0.5, 0.4)}, "`levels` must be shares of grades"),
        (Curves(), {"a": ()}, "`a` must be one or more coefficients"),
        (AgainstRandom(), {"slope": 0.8}, r"got -0.1 to 0.7"),
        (SharedTop(), {"alike": 1.0}, "`alike` must be a number above 0 and below 1"),
        (SharedTop(), {"a": (0.7, 0.4)}, r"`a` must keep P\(relevant\) in \[0, 1\]"),
        (Drift(), {"half": 0}, "`half` must be a number above 0"),
        (Drift(), {"levels": (0.5, 0.4)}, "`levels` must be shares of grades"),
        (Reference(), {"levels": (0.5, 0.4)}, "`levels` must be shares of grades"),
        (TwoStage(), {"depth": 0}, "`depth` must be a whole number at least 1"),
        (TwoStage(), {"first": 2}, "`first` must be a number above -1 and below 1"),
        (NearMisses(), {"near": 1.5}, r"`near` must be a share in \[0, 1\], got 1.5"),
        (Growing(), {"start": 1.5}, r"`start` must be a share in \(0, 1\], got 1.5"),
    ],
)
def test_parameters_that_cannot_be_are_refused(generator, parameters, message):
    with pytest.raises(ValueError, match=message):
        replace(generator, **parameters)
