"""What theory says of a pair, against direct simulation, and the tops it is computed from."""

import numpy as np
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.gains import Linear, Table
from ndcgstudy.separability import simulate
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.sums import last_rank
from ndcgstudy.separability.theory import foresee
from ndcgstudy.separability.tops import DEPTHS, falling, tops
from ndcgstudy.synthetic import GENERATORS, Curves, Latent, Reference, Sample


def top(text, gain=None):
    return tops(GENERATORS.parse(text), gain or Linear())


@pytest.mark.parametrize(
    ("pair", "certain", "above"),
    [
        ("reference", False, ""),
        ("curves", False, ""),
        ("curves(a=(0.1,0.0,0.5),levels=(0.7,0.2,0.1))", False, ""),
        ("shared_top", False, ""),
        ("latent", True, ""),
        ("latent(a=0.95,b=0.9)", True, ""),
        ("latent(a=0.999,b=0.99)", True, ""),
        ("latent(a=-0.5,b=-0.8)", True, ""),
        ("latent(shares=(0.3,0.1))", True, ""),
        ("random(base=0.5,slope=1.0)", False, "A"),
        ("random(base=0.5,slope=-1.0)", False, "B"),
    ],
)
def test_whether_labels_stay_uncertain_is_computed_from_the_curves(pair, certain, above):
    found = top(pair)
    assert found.known
    assert (found.certain, found.above) == (certain, above)


def test_a_correlation_so_weak_that_numbers_do_not_tell():
    assert not top("latent(a=0.2,b=0.1)").known


def test_grades_of_one_gain_are_one():
    pair = "curves(a=(0.0,1.0),levels=(0.5,0.5))"
    assert not top(pair).a.certain
    assert top(pair, Table((0, 1, 1))).a.certain


@pytest.mark.parametrize(
    ("kappa", "rounded"),
    [
        *((kappa, False) for kappa in (0.1, 0.5, 1.0, 3.0, 10.0)),
        (0.1, True),
        (1.0, True),
        (3.0, True),
    ],
)
def test_the_exponent_of_misses_is_found_in_spite_of_rounding(kappa, rounded):
    misses = 0.3 * DEPTHS**kappa
    found = falling(1 - (1 - misses) if rounded else misses)
    assert found == pytest.approx(kappa, rel=2e-3)


def test_no_misses_at_all_vanish_faster_than_any_power():
    assert falling(0 * DEPTHS) == np.inf


class Close:
    """Misses of both vanish like u; those of B are .367/.1 times as many."""

    grades = 2

    def __str__(self):
        return "close"

    def sample(self, n, *, rng):
        a, b, coin = rng.random((3, n))
        return Sample(np.stack([1 - a, 1 - b]), (coin >= a * b * (0.2 + 0.8 * a)).astype(np.int64))

    def curves(self, s):
        u = 1 - np.asarray(s, dtype=float)
        misses = np.stack([u * (0.2 + 0.8 * u) / 2, u * (0.1 + 0.8 / 3)])
        return np.stack([misses, 1 - misses], axis=1)

    def joint(self, edges_a, edges_b):
        raise NotImplementedError


CERTAIN_A, EQUAL_TOPS = Curves(a=(0.0, 1.0), b=(0.5,)), Curves(a=(0.2, 0.2), b=(0.3, -0.2, 0.3))
FORESEEN = [
    (Reference(), "zipf", True),
    (Reference(), "power(beta=1.5)", False),
    (EQUAL_TOPS, "log2", True),
    (EQUAL_TOPS, "zipf", False),
    (CERTAIN_A, "power(beta=2)", True),
    (CERTAIN_A, "geometric(p=0.5)", True),
    (Latent(), "power(beta=1.5)", True),
    (Latent(), "power(beta=2)", True),
    (Latent(), "geometric(p=0.5)", True),
    (Close(), "power(beta=1.5)", True),
    (Close(), "power(beta=3)", False),
    (Close(), "geometric(p=0.5)", False),
]


@pytest.mark.parametrize(("pair", "name", "separates"), FORESEEN, ids=str)
def test_theory_says_which_pairs_separate(pair, name, separates):
    found = foresee(pair, DISCOUNTS.parse(name))
    assert found.separates is separates
    assert found.settles == (separates is False)
    assert found.ahead == ("A" if separates else "")


@pytest.mark.slow
@pytest.mark.parametrize(("pair", "name", "separates"), FORESEEN, ids=str)
def test_direct_simulation_does_what_theory_says(pair, name, separates):
    # wrong orders: fewer by half from 1e3 to 1e5 where they vanish, else as many within 4 errors
    draws, ns = 600, (1000, 100_000)
    found = simulate(
        pair, [DISCOUNTS.parse(name)], ns, replicates=draws, rng=np.random.default_rng(7)
    )
    first, last = (found.ahead[:, 0] < 1).mean(axis=0)
    error = max((first * (1 - first) + last * (1 - last)) / draws, 1 / draws**2) ** 0.5
    if separates:
        assert last <= first / 2 + error
    else:
        assert last > 0.02
        assert abs(first - last) < 4 * error + 0.06  # 2^-r and r^-3 still settle at 1e3


def test_first_misses_decide_as_their_shares_do():
    # under 2^-r the first miss decides; it is A's in .1 of .1 + .367 of lists
    draws = 800
    found = simulate(
        Close(),
        [DISCOUNTS.parse("geometric(p=0.5)")],
        (20_000,),
        replicates=draws,
        rng=np.random.default_rng(3),
    )
    stated = 1 - 0.1 / (0.2 + 0.8 / 3)
    error = (stated * (1 - stated) / draws) ** 0.5
    assert (found.ahead == 1).mean() == pytest.approx(stated, abs=4 * error + 0.01)


@pytest.mark.parametrize("name", ["power(beta=0.8)", "zipf", "power(beta=1.1)", "power(beta=1.2)"])
def test_z_of_certain_labels_grows_as_stated(name):
    stated = float(foresee(Latent(), DISCOUNTS.parse(name)).law.partition("^")[2].partition(" ")[0])
    z = [expect(Latent(), DISCOUNTS.parse(name), n).z for n in (10**12, 10**15)]
    assert np.log10(z[1] / z[0]) / 3 == pytest.approx(stated, abs=0.03)


@pytest.mark.parametrize(
    ("pair", "cutoff", "separates"),
    [
        ("reference", "10", False),
        ("reference", "n^0.5", True),
        ("latent", "10", False),
        ("latent", "n^0.5", True),
        ("latent", "n^0.2", False),
        ("latent", "0.1n", True),
        ("shared_top", "0.4n", False),
        ("shared_top", "0.8n", True),
        ("random(base=0.5,slope=1.0)", "10", False),
    ],
)
def test_cutoffs(pair, cutoff, separates):
    assert (
        foresee(GENERATORS.parse(pair), DISCOUNTS.parse("log2"), cutoff=cutoff).separates
        is separates
    )


def test_limits_that_tie_leave_theory_silent():
    # q = 1 - 6s + 6s^2 has no integral, alone or against -log u + c: both rankers tie at the cut
    bend = np.array([1.0, -6.0, 6.0])
    pair = Curves(a=tuple(0.3 + 0.1 * bend * [1, 1, 1] - [0, 0.3, 0.3]), b=(0.3,))
    found = foresee(pair, DISCOUNTS.parse("constant"), cutoff="0.5n")
    assert (found.separates, found.ahead) == (None, "")
    assert "both rankers tend to the same" in found.why


def test_a_last_rank_is_a_fixed_cutoff_and_underflow_is_none():
    assert last_rank(lambda r: np.where(np.asarray(r) <= 10**9, 1.0, 0.0)) == 10**9
    assert last_rank(lambda r: 0.5 ** np.asarray(r, dtype=float)) == np.inf
    assert last_rank(DISCOUNTS.parse("table(1,0.5)")) == 2
