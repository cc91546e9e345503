"""The exact mean and spread of short lists, against enumeration, integration and simulation."""

import numpy as np
import pytest
from scipy import stats

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.moments import Moments
from ndcgstudy.separability.exact import coefficients, exact, is_short
from ndcgstudy.separability.expectation import expect
from ndcgstudy.synthetic import GENERATORS, Reference

PAIRS = (
    "reference",
    "shared_top",
    "latent(a=0.8,b=0.6)",
    "latent(a=0.8,b=0.6,shares=(0.3,0.1))",
)
NAMES = ("log2", "power(beta=0.5)", "zipf", "power(beta=2)")
OFF = 0.005  # the stated accuracy of a standard deviation


def discount(name):
    return DISCOUNTS.parse(name)


def pair(name):
    return GENERATORS.parse(name)


# the expansion


def test_powers_of_the_correlation_give_the_bivariate_binomial_law():
    m, (both, first, second) = 7, (0.2, 0.15, 0.1)  # chances to be ahead in both lists, in one
    f, h = 1 / np.arange(1.0, m + 2), np.arange(m + 1.0) ** 2
    u, v = both + first, both + second
    a, b = (coefficients(m, np.array([at]), part)[:, 0] for at, part in ((u, f), (v, h)))
    rho = (both - u * v) / np.sqrt(u * (1 - u) * v * (1 - v))
    law = stats.multinomial(m, [both, first, second, 1 - both - first - second])
    cells = [
        (i, j, k) for i in range(m + 1) for j in range(m + 1 - i) for k in range(m + 1 - i - j)
    ]
    direct = sum(law.pmf([i, j, k, m - i - j - k]) * f[i + j] * h[i + k] for i, j, k in cells)
    assert a @ (b * rho ** np.arange(len(a))) == pytest.approx(direct, rel=1e-9)


@pytest.mark.parametrize("m", [1, 10, 300])
def test_squares_of_the_coefficients_add_up_to_the_mean_square(m):
    depths, weights = np.array([1e-4, 0.01, 0.3, 0.99]), 1 / np.arange(1.0, m + 2)
    square = stats.binom.pmf(np.arange(m + 1), m, depths[:, None]) @ weights**2
    assert (coefficients(m, depths, weights) ** 2).sum(axis=0) == pytest.approx(square, rel=1e-9)


# two items: an integral


def two_items(weight):
    """Integrate over two items of the reference pair, one relevant: mean and variance of the gap."""
    nodes, shares = np.polynomial.legendre.leggauss(8)
    x, w = (nodes + 1) / 2, shares / 2
    u, v = x[:, None], x
    chance = 0.3 + 0.4 * (u - 0.5) + 0.1 * (v - 0.5)
    below_a = 0.7 * u - 0.2 * u**2 + 0.2 * u  # an irrelevant item below u in A's list
    below_b = 0.7 * v - 0.05 * v**2 + 0.05 * v
    below = 0.7 * u * v - 0.2 * (u**2 - u) * v - 0.05 * u * (v**2 - v)  # and in both
    right_a, right_b, both = (float(w @ (chance * part) @ w) for part in (below_a, below_b, below))
    mean = 2 * (1 - weight) * (right_a - right_b)
    return mean, 2 * (1 - weight) ** 2 * (right_a + right_b - 2 * both) - mean**2


@pytest.mark.parametrize("name", NAMES)
def test_two_items_are_as_integrated(name):
    mean, variance = two_items(float(discount(name)(np.array([2]))[0]))
    found = expect(Reference(), discount(name), 2)
    assert found.gap == pytest.approx(mean, rel=1e-4)
    assert found.sd == pytest.approx(variance**0.5, rel=OFF)


# simulation


def many(generator, part, n, lists, seed=0):
    """Draw many lists at once; return nDCG of A and B, and the gap, (3, lists)."""
    sample = generator.sample(n * lists, rng=np.random.default_rng(seed))
    weights, grades = part(np.arange(1, n + 1)), sample.grades.reshape(lists, n)
    ideal = -np.sort(-grades, axis=1) @ weights
    orders = (np.argsort(-scores.reshape(lists, n), axis=1) for scores in sample.scores[:2])
    a, b = (np.take_along_axis(grades, order, axis=1) @ weights for order in orders)
    return np.stack([a, b, a - b]) / np.where(ideal > 0, ideal, 1)


def worst(generator, name, n, lists):
    """Return the largest deviation in standard errors, of means and of standard deviations."""
    values = many(generator, discount(name), n, lists)
    theory = expect(generator, discount(name), n)
    found = Moments.of(values.T)
    spread = np.sqrt(found.m2 / found.count)
    kurtosis = found.m4 * found.count / found.m2**2
    means = np.array([theory.mean_a, theory.mean_b, theory.gap])
    off = abs(spread - [theory.sd_a, theory.sd_b, theory.sd]) - OFF * spread
    error = spread * np.sqrt((kurtosis - 1) / 4 / found.count)
    return np.max(np.append(abs(found.mean - means) / spread * np.sqrt(lists), off / error))


@pytest.mark.parametrize("n", [2, 3, 4, 10, 30])
@pytest.mark.parametrize("text", PAIRS)
def test_mean_and_spread_of_short_lists_are_those_of_simulation(text, n):
    for name in ("log2", "power(beta=2)"):
        assert worst(pair(text), name, n, min(200_000, 1_000_000 // n)) < 4.5


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 4, 10, 30, 100])
@pytest.mark.parametrize("text", PAIRS)
def test_mean_and_spread_of_short_lists_are_those_of_a_long_simulation(text, n):
    for name in NAMES:
        assert worst(pair(text), name, n, 200_000) < 4.5


class Loose:
    """The pair with the same top, its rankers said to have nothing to do with each other."""

    grades = 2

    def sample(self, n, *, rng):
        return pair("shared_top").sample(n, rng=rng)

    def curves(self, s):
        return pair("shared_top").curves(s)

    def joint(self, edges_a, edges_b):
        own = pair("shared_top").joint(edges_a, edges_a).sum(axis=1)
        return own[:, None] * np.diff(edges_b)[:, None]


def test_the_comparison_finds_a_wrong_joint_law():
    assert worst(Loose(), "log2", 10, 50_000) > 20


# where it ends


@pytest.mark.parametrize(("text", "n"), [(PAIRS[0], 300), (PAIRS[2], 300)])
@pytest.mark.parametrize("name", ["log2", "zipf"])
def test_where_the_projection_takes_over_both_agree(monkeypatch, text, n, name):
    assert is_short(n, 2)
    assert not is_short(n + 1, 2)
    assert not is_short(10, 4)  # so many grades would take too many terms
    short = expect(pair(text), discount(name), n)
    monkeypatch.setattr("ndcgstudy.separability.expectation.is_short", lambda n, grades: False)
    projected = expect(pair(text), discount(name), n)
    assert projected.sd == pytest.approx(short.sd, rel=0.01)
    assert projected.gap == pytest.approx(short.gap, rel=0.002)


def test_weights_that_end_abruptly_are_left_to_the_projection():
    weights, ones = np.where(np.arange(50) < 3, 1.0, 0.0), np.ones(3)
    assert exact(Reference(), 50, np.arange(2.0), weights, ones) is None
    assert exact(Reference(), 50, np.arange(2.0), 1 / np.arange(1.0, 51), ones) is not None


def test_a_constant_discount_only_ties_in_short_lists():
    found = expect(Reference(), discount("constant"), 20)
    assert (found.gap, found.sd) == (0, 0)
    assert found.mean_a == pytest.approx(1 - 0.7**20, abs=1e-6)
