"""How far a discount agrees with people's preferences between two lists, beside log2."""

import numpy as np

from ndcgstudy.agreement.counts import RATES, Floats, rates
from ndcgstudy.agreement.families import Answers
from ndcgstudy.agreement.fitting import lead_over
from ndcgstudy.agreement.heldout import Lead
from ndcgstudy.agreement.mcnemar import McNemar, mcnemar
from ndcgstudy.agreement.resampling import difference_interval
from ndcgstudy.agreement.result import Agreement, agreement
from ndcgstudy.agreement.weights import rank_gaps
from ndcgstudy.card.line import NAN, Figure, Line, Section, against
from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain
from ndcgstudy.preferences import Preferences

NAMES = {"rate": "agreement, ties dropped", "strict": "agreement, ties missed"}
LEAD = "lead on 1,000 unseen answers"
FOLDS = 10
_NOISE = 1e-9  # of a log-likelihood, below which lies the noise of floats


def people_section(
    preferences: Preferences,
    discount: Discount,
    log2: Discount,
    source: str,
    *,
    gain: Gain,
    cutoff: int,
    resamples: int,
    rng: np.random.Generator,
) -> Section:
    """Count agreement and compare likelihoods, both of DCG, whose ideal must not weigh the pairs.

    Raises
    ------
    ValueError
        If nobody prefers a list.
    """
    answers = Answers(
        rank_gaps(preferences, gain, cutoff), preferences.preference, preferences.topic
    )
    weights = [np.asarray(part(answers.ranks), dtype=float) for part in (discount, log2)]
    gaps = np.array([answers.gaps @ (weight / weight[0]) for weight in weights])
    columns, names = (gaps, preferences.preference, preferences.topic), ("discount", "log2")
    counted = agreement(*columns, names, rng=rng, resamples=resamples)
    (test,) = mcnemar(*columns, names, ties="missed").tests
    ahead, why = _lead(answers, discount, log2)
    mine, other = (weight / weight[0] for weight in weights)
    same = bool(np.allclose(mine, other, rtol=1e-12, atol=0))
    lines = [*_agreed(counted, same), _only(test), *_likelihood(answers, weights), _ahead(ahead)]
    said = [f"agreement, ties dropped: {against(lines[0].verdict)}"]
    said += [why or f"likelihood on unseen queries: {against(lines[-1].verdict)}"]
    decided = int((preferences.preference != 0).sum())
    how = (
        f"{source}; DCG@{cutoff}; {len(preferences):,} answers on {counted.clusters[0]} queries, "
        f"{decided:,} prefer a list; intervals by queries; likelihood by Davidson's model of ties"
    )
    return Section("people", how, tuple(lines), tuple(said))


def _agreed(counted: Agreement, same: bool) -> list[Line]:
    """Compare the shares of people's preferences that both share; exactly, where both are `same`."""
    values, bounds = counted.rates()[0], counted.intervals()
    drawn = rates(counted.drawn)[:, 0]  # (resamples, measures, rates)
    lines = []
    for name, text in NAMES.items():
        at = RATES.index(name)
        mine, log2 = (
            Figure.of([values[m, at], *(bound[0, m, at] for bound in bounds)]) for m in (0, 1)
        )
        gaps = drawn[:, 0, at] - drawn[:, 1, at]
        gap = mine.value - log2.value
        ends = difference_interval(gap, gaps, counted.clusters[0], counted.level)
        apart = Figure(gap) if same else Figure.of([gap, *map(float, ends)])
        lines.append(Line(text, mine, log2, apart))
    return lines


def _only(test: McNemar) -> Line:
    """Count the answers that one of the two alone shares."""
    p = test.p_clustered if test.clusters > 1 else test.p
    mine, log2 = Figure(test.only_first), Figure(test.only_second)
    apart = Figure(test.only_first - test.only_second, word=f"p = {p:.2g}, exact, by queries")
    return Line("answers that one alone shares", mine, log2, apart, signed=False)


def _likelihood(answers: Answers, weights: list[Floats]) -> list[Line]:
    """Compare the log-likelihoods of all answers, one slope fitted to each discount."""
    mine, log2 = (Figure(answers.fit(weight).loglik) for weight in weights)
    apart = Figure(mine.value - log2.value).settled(_NOISE * len(answers.preference))
    return [Line("log-likelihood, slope fitted", mine, log2, apart, signed=False)]


def _lead(answers: Answers, discount: Discount, log2: Discount) -> tuple[Lead, str]:
    """Return the lead on queries left out in turn, or why there is none."""
    queries = np.unique(answers.cluster).size
    try:
        return lead_over(answers, discount, log2, folds=min(FOLDS, queries)), ""
    except ValueError as error:
        nothing = Lead(NAN, NAN, NAN, NAN, len(answers.preference), queries)
        return nothing, f"likelihood on unseen queries not told: {error}"


def _ahead(ahead: Lead) -> Line:
    figure = Figure(ahead.mean, ahead.low, ahead.high).settled(_NOISE)
    return Line(LEAD, None, None, Figure.of(1000 * x for x in figure[:3]))
