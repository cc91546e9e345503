"""The two samplers agree: all generators with a closed form, all convergent discounts, any depth."""

import numpy as np
import pytest
from test_separability import discounts, rng

from ndcgstudy.separability import aggregate, simulate
from ndcgstudy.separability.direct import underflow
from ndcgstudy.synthetic import AgainstRandom, Curves, Latent, Reference, SharedTop

PAIRS = (
    Reference(),
    Curves(a=(0.1, 0.0, 0.5)),
    Curves(levels=(0.5, 0.3, 0.2)),
    AgainstRandom(),
    SharedTop(),
    Latent(),
    Latent(a=0.95, b=0.9),
    Latent(a=0.9, b=0.95),
    Latent(shares=(0.3, 0.1)),
)


def stretched(ranks):
    """A discount of a user: exp(1 - sqrt r), whose sum is bounded."""
    return np.exp(1 - np.sqrt(np.asarray(ranks, dtype=float)))


def steep(ranks):
    """A discount of a user that falls faster than any power and slower than a geometric one."""
    return np.exp(-(np.log1p(np.asarray(ranks, dtype=float)) ** 2))


NAMES = ("power(beta=1.5)", "power(beta=2)", "power(beta=3)", "power(beta=10)", "power(beta=100)")
CONVERGENT = (
    *discounts(*NAMES, *(f"geometric(p={p})" for p in (0.5, 0.9, 0.99))),
    stretched,
    steep,
)
ERRORS = 4.5  # standard errors of a difference: some 1,000 figures go beyond once in 150 runs


def off(pair, n, replicates):
    """Return by how many standard errors the samplers differ in P(right), P(tied) and mean gap.

    A share is compared on Wilson's scale: the two are pooled, one success and one failure added, so
    that 0 and 1 keep an error. A mean is compared where 30 lists or more make it: over 95% of the
    sum of squares in fewer lists than that, its error is not known.
    """
    one, other = (
        sampler(pair, CONVERGENT, [n], replicates=replicates, rng=rng(seed))
        for seed, sampler in enumerate((simulate, aggregate), start=1)
    )
    found = []
    for sign in (1, 0):
        shares = [(part.ahead[..., 0] == sign).mean(axis=0) for part in (one, other)]
        pooled = (replicates * sum(shares) + 1) / (2 * replicates + 2)
        found.append((shares[0] - shares[1]) / np.sqrt(pooled * (1 - pooled) * 2 / replicates))
    gaps = np.stack([one.gap[..., 0], other.gap[..., 0]])
    scale = np.abs(gaps).max(axis=(0, 1)) + 1e-300
    gaps = gaps / scale
    error = np.sqrt((gaps.var(axis=1) / replicates).sum(axis=0))
    squares = np.sort(gaps**2, axis=1)[:, ::-1]
    few = (squares[:, :30].sum(axis=1) > 0.95 * squares.sum(axis=1)).any(axis=0)
    means = (gaps[0].mean(axis=0) - gaps[1].mean(axis=0)) / np.where(error > 0, error, np.inf)
    return np.concatenate([*found, np.where(few, 0.0, means)])


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_both_samplers_agree_under_convergent_discounts(pair):
    assert np.abs(off(pair, 1000, 400)).max() < ERRORS


@pytest.mark.slow
@pytest.mark.parametrize(("n", "replicates"), [(10**3, 4000), (10**4, 2000), (10**5, 300)])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_both_samplers_agree_under_convergent_discounts_at_every_length(pair, n, replicates):
    assert np.abs(off(pair, n, replicates)).max() < ERRORS


@pytest.mark.parametrize("n", [10**5, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("name", ["geometric(p=0.5)", "geometric(p=0.9)", "power(beta=3)"])
def test_a_first_difference_far_down_is_no_tie(name, n):
    # By direct simulation A is ahead in .98 of the lists at 1e5 items and in all at 1e6.
    found = aggregate(Latent(0.95, 0.9), discounts(name), [n], replicates=50, rng=rng()).ahead
    assert (found != 0).all()
    assert (found == 1).mean() > 0.98 - 4 * (0.98 * 0.02 / 50) ** 0.5


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("geometric(p=0.5)", 1023),
        ("geometric(p=0.9)", 6724),
        ("power(beta=100)", 1192),
        ("linear(depth=1000000)", np.inf),
        ("log2", np.inf),
    ],
)
def test_the_last_rank_whose_weight_a_double_holds_is_found(name, last):
    (discount,) = discounts(name)
    assert underflow(discount) == last
    if np.isfinite(last):
        tiny = np.finfo(float).tiny
        assert discount(np.array([last]))[0] >= tiny > discount(np.array([last + 1]))[0]
