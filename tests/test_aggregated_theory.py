"""The aggregated sampler against theory, at sizes where its means are known to a millionth."""

import dataclasses

import numpy as np
import pytest
from scipy import stats
from test_aggregated import PAIRS, draws
from test_separability import discounts

from ndcgstudy.moments import Moments
from ndcgstudy.separability import aggregate
from ndcgstudy.separability.bins import Cells
from ndcgstudy.separability.expectation import expect
from ndcgstudy.synthetic import Curves, Latent, Reference


def off_expectation(generator, names, cutoffs=("none",), n=10**12, replicates=100):
    """Return how far mean gap and level of A are off theory by more than 5e-6, in standard errors."""
    found = draws(aggregate, generator, names, n, replicates, 3, cutoffs)
    gaps, levels = found.gap[..., 0], (found.gap + found.second)[..., 0]
    arms = [(cut, part) for cut in cutoffs for part in discounts(*names)]
    theory = [expect(generator, part, n, cutoff=cut) for cut, part in arms]
    stated = [(gaps, [e.gap for e in theory]), (levels, [e.mean_a for e in theory])]
    return np.max(
        [(abs(x.mean(axis=0) - e) - 5e-6 * np.abs(e)) / stats.sem(x, axis=0) for x, e in stated]
    )


# At 10^12 items the mean of 100 replicates is known to about 1e-6 of the gap. 5e-6 is the stated
# accuracy: a pair whose relevance falls from 1 to 0 within a twentieth of the list needs it.
@pytest.mark.parametrize("generator", [*PAIRS, Latent()], ids=str)
def test_means_of_a_trillion_items_are_those_of_theory(generator):
    names = ("loglog", "log2", "power(beta=0.25)", "power(beta=0.5)")
    assert off_expectation(generator, names) < 4.5


@pytest.mark.parametrize("generator", [Reference(), Curves()], ids=str)
def test_means_under_cutoffs_within_a_part_are_those_of_theory(generator):
    assert off_expectation(generator, ("constant", "log2"), ("0.2n", "0.777n", "n^0.5")) < 4.5


def test_the_comparison_finds_parts_whose_order_is_taken_as_random(monkeypatch):
    def flat(generator, n):
        cells = Cells.of(generator, n)
        return dataclasses.replace(cells, leans=0 * cells.leans)

    monkeypatch.setattr("ndcgstudy.separability.aggregated.cells_for", flat)
    assert off_expectation(Reference(), ("log2",)) > 20


def test_rare_gaps_make_the_spread_where_both_rankers_find_only_relevant_items_at_the_top():
    # Of 1,000,000 items few lists have a miss at the top, and these make the spread of 1/r: so its
    # kurtosis is large, and the error of a standard deviation is that of its fourth moment.
    found = draws(aggregate, Latent(), ["zipf", "log2"], 10**6, 1000, 0).gap[..., 0]
    moments = Moments.of(found)
    spread = np.sqrt(moments.m2 / moments.count)
    kurtosis = moments.m4 * moments.count / moments.m2**2
    error = spread * np.sqrt((kurtosis - 1) / 4 / moments.count)
    theory = np.array([expect(Latent(), part, 10**6).sd for part in discounts("zipf", "log2")])
    assert kurtosis[0] > 15 > 4 > kurtosis[1]
    assert (abs(spread - theory) < 4 * error + 0.015 * spread).all()
