"""Figures of separability against plain computations: quantiles, limits, shares, noise, ties."""

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.separability import Paired, aggregate, bins, simulate, summarise, tally
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.rates import rate
from ndcgstudy.synthetic import GENERATORS, AgainstRandom, Reference, Sample


@pytest.mark.parametrize("replicates", [20, 40, 60, 150])
def test_last_wrong_prefixes_are_the_median_and_the_95_percent_point(replicates):
    ns = list(range(10, 310, 10))
    rng = np.random.default_rng(replicates)
    for _ in range(20):
        last = rng.integers(
            0, len(ns) + 1, replicates
        )  # how many prefixes up to the last wrong one
        ahead = np.where(np.arange(len(ns)) == last[:, None] - 1, -1, 1)[:, None]
        paired = Paired(0.5 + 0.0 * ahead, 0.1 * ahead, ahead)
        found = summarise(pd.DataFrame(tally(paired, [DISCOUNTS.parse("log2")], ns))).iloc[0]
        points = np.sort(np.append(0, ns)[last])
        assert found.last_wrong == points[-(-replicates // 2) - 1]
        assert found.last_wrong_95 == points[-(-19 * replicates // 20) - 1]


SLOW = {
    "log^-.01": lambda r: np.log(r + 2.0) ** -0.01,  # 1% from rank 1e6 to 1e15
    "log^-.005": lambda r: np.log(r + 2.0) ** -0.005,
    "r^-.0005": lambda r: r**-0.0005,
}


@pytest.mark.parametrize("name", SLOW)
def test_a_discount_that_falls_to_zero_ever_so_slowly_has_no_limit_above_it(name):
    found = rate(SLOW[name])
    assert found.decay.limit == 0
    assert (found.law, found.separates) == ("sqrt(n)", True)


@pytest.mark.parametrize("name", ["log2", "zipf"])
@pytest.mark.parametrize("text", ["reference", "latent(a=0.9,b=0.5,shares=(0.2,))"])
def test_the_mean_of_a_ratio_keeps_what_dcg_and_ideal_share(monkeypatch, text, name):
    # What is left out is of relative order 1/n^2; the covariance of the two is of order 1/n.
    n, generator, discount = 100, GENERATORS.parse(text), DISCOUNTS.parse(name)
    short = expect(generator, discount, n)
    monkeypatch.setattr("ndcgstudy.separability.expectation.is_short", lambda n, grades: False)
    found = expect(generator, discount, n)
    for side in ("mean_a", "mean_b", "gap"):
        assert getattr(found, side) == pytest.approx(getattr(short, side), rel=5 / n**2)


def test_items_within_a_part_are_in_random_order(monkeypatch):
    # One bin, four parts of 12 items on average, and a ranker whose order is random: what the noise
    # within parts adds is most of the spread. 4 standard errors of a standard deviation.
    n, count = 48, 3000
    generator, discount = AgainstRandom(), DISCOUNTS.parse("zipf")
    monkeypatch.setattr(bins, "edges", lambda n, alike=0.0: np.array([0.0, 1.0]))
    bins.cells_for.cache_clear()
    try:
        rng = np.random.default_rng(0)
        found = aggregate(generator, [discount], [n], replicates=count, rng=rng)
    finally:
        bins.cells_for.cache_clear()
    theory, scores = expect(generator, discount, n), found.second[:, 0, 0]
    assert scores.mean() == pytest.approx(theory.mean_b, abs=4 * theory.sd_b / count**0.5)
    assert scores.std() == pytest.approx(theory.sd_b, rel=4 * (0.5 / count) ** 0.5)


class FewScores(Reference):
    """The reference pair with scores of one digit: nearly all items are tied."""

    def sample(self, n, *, rng):
        sample = super().sample(n, rng=rng)
        return Sample(sample.scores.round(1), sample.grades)


def test_tied_items_stay_in_their_order_in_long_lists():
    n, weights = 3000, 1 / np.arange(1, 3001)
    found = simulate(
        FewScores(), [lambda r: 1 / r], [n], replicates=2, rng=np.random.default_rng(0)
    )
    for place, stream in enumerate(np.random.default_rng(0).spawn(2)):
        sample = FewScores().sample(n, rng=stream)
        both = [[i for _, i in sorted(zip(-s, range(n), strict=True))] for s in sample.scores]
        ideal = -np.sort(-sample.grades) @ weights
        a, b = (sample.grades[order] @ weights / ideal for order in both)
        assert found.gap[place, 0, 0] == pytest.approx(a - b, abs=1e-12)
