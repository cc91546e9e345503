"""Intervals of fitted discounts: where they end, that clusters count, and that they cover."""

import numpy as np
import pytest
from readers import asked
from scipy import stats

from ndcgstudy.agreement.families import Answers, family
from ndcgstudy.agreement.fitting import fit_discount


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def sandwich(answers, at):
    """The covariances with clusters and without, by finite differences and Fisher's information.

    The parameters are the slope, beta of power(beta), and log nu where ties are modelled.
    """

    def logs(parameters):  # of the chances of B, neither and A, (3, pairs)
        slope, beta, *rest = parameters
        half = slope * (answers.gaps @ answers.ranks**-beta) / 2
        logits = np.array([-half, np.full(half.shape, rest[0] if rest else -np.inf), half])
        return logits - np.logaddexp.reduce(logits)

    step = 1e-5
    moves = step * np.eye(len(at))
    with np.errstate(invalid="ignore"):  # without ties, their chance is 0 and has no slope
        slopes = np.array([(logs(at + h) - logs(at - h)) / (2 * step) for h in moves])
    slopes = np.nan_to_num(slopes)
    bread = np.linalg.inv(np.einsum("iap,jap,ap->ij", slopes, slopes, np.exp(logs(at))))
    scores = slopes[:, answers.preference + 1, np.arange(len(answers.preference))]
    labels = np.unique(answers.cluster)
    sums = np.array([scores[:, answers.cluster == c].sum(axis=1) for c in labels])
    g, m, k = len(labels), len(answers.preference), len(at)
    meat = g / (g - 1) * (m - 1) / (m - k) * sums.T @ sums
    return np.array([bread @ meat @ bread, bread])


@pytest.mark.parametrize("ties", ["davidson", "dropped"])
def test_the_interval_is_where_the_profile_has_fallen_by_the_quantile(rng, ties):
    answers = asked(rng, ties=ties)
    found = fit_discount(answers, "power", level=0.9)
    one = found.parameters[0]
    of = family("power", 5)
    losses = [
        2 * (found.fit.loglik - answers.fit(of.weights(end, answers.ranks)).loglik)
        for end in (one.low, one.high)
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)
    quantile = stats.t.ppf(0.95, found.fit.clusters - 1) ** 2
    at = np.array([found.fit.slope, one.value, *found.fit.parameters[1:]])
    clustered, alone = sandwich(answers, at)[:, 1, 1]
    assert losses[0] / quantile == pytest.approx(clustered / alone, rel=1e-3)
    assert abs(clustered / alone - 1) > 0.01  # clusters count
    wide = fit_discount(answers, "power", level=0.99).parameters[0]
    assert wide.low < one.low < one.value < one.high < wide.high


def test_an_interval_says_when_it_reaches_the_end_of_the_family(rng):
    found = fit_discount(asked(rng, "constant", clusters=30), "power").parameters[0]
    assert (found.low, found.at_low, found.at_high) == (0, True, False)


def test_doubled_answers_leave_the_interval_alone_where_clusters_are_known(rng):
    """Each answer given twice tells nothing new; an interval of independent pairs would shrink."""
    once = asked(rng)
    parts = (once.gaps, once.preference, once.cluster)
    twice = Answers(*(np.concatenate([part, part]) for part in parts))
    one, two = (fit_discount(answers, "power").parameters[0] for answers in (once, twice))
    assert (two.low, two.high) == pytest.approx((one.low, one.high), abs=0.002)
    apart = Answers(*(np.concatenate([part, part]) for part in parts[:2]), np.arange(2000))
    naive = fit_discount(apart, "power").parameters[0]
    assert naive.high - naive.low < 0.8 * (two.high - two.low)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["power", "geometric"])
def test_intervals_of_families_cover(name):
    rng = np.random.default_rng(11)
    truth = {"power": 0.7, "geometric": 0.7}[name]
    text = {"power": "power(beta=0.7)", "geometric": "geometric(p=0.7)"}[name]
    draws = 400
    held = 0
    for _ in range(draws):
        one = fit_discount(asked(rng, text, clusters=60), name).parameters[0]
        held += one.low <= truth <= one.high
    assert held / draws == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / draws))
