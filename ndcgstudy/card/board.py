"""What a discount does to a leaderboard: the pairs it separates, and the orders it turns round."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ndcgstudy.card.line import LESS, MORE, SAME, UNTOLD, Figure, Line, Section
from ndcgstudy.data import Floats, Judgments, Rankings, Scores
from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain
from ndcgstudy.inference.agreement_of_orders import agreement_of_orders
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.power import Power, discriminative_power
from ndcgstudy.inference.samples import NOISE, Sample
from ndcgstudy.inference.separated import Rule, separate
from ndcgstudy.inference.smoothed import units
from ndcgstudy.intervals import around
from ndcgstudy.measures.graded import nDCG
from ndcgstudy.scoring import score

SHARE = "share of pairs separated"
ERROR, LEVEL = 0.05, 0.95
_SAYS = {
    SAME: "separates as many pairs as log2",
    MORE: "separates more pairs than log2",
    LESS: "separates fewer pairs than log2",
    UNTOLD: "by the pairs it separates it cannot be told from log2",
}


@dataclass(frozen=True, eq=False)
class Board:
    """Judgments and the runs of two systems or more.

    Parameters
    ----------
    runs
        Read once, one at a time, so that they may be a generator.
    source
        Where they come from.
    """

    judgments: Judgments
    runs: Iterable[Rankings]
    source: str

    def scores(
        self, discount: Discount, log2: Discount, *, gain: Gain, cutoff: int
    ) -> tuple[list[Scores], tuple[str, ...]]:
        """Score all runs by nDCG with both discounts, called "discount" and "log2"; and say how."""
        measures = [nDCG(gain, part, cutoff) for part in (discount, log2)]
        found = score(self.judgments, self.runs, measures)
        matrices = [found.scores[str(measure)] for measure in measures]
        names = ("discount", "log2")
        copies = [
            replace(matrix, values=matrix.values.copy(), measure=name)
            for matrix, name in zip(matrices, names, strict=True)
        ]
        return copies, found.notes


def board_section(
    scores: list[Scores], source: str, *, resamples: int, rng: np.random.Generator
) -> tuple[Section, Power]:
    """Compare two matrices of one leaderboard, that of the discount first, topics resampled.

    Returns
    -------
    section, power
        The second holds the ASL curves, log2 first.
    """
    mine, log2 = scores
    streams = rng.spawn(3)
    power = discriminative_power([log2, mine], resamples=resamples, rng=streams[0])
    orders = agreement_of_orders(mine, log2, resamples=resamples, rng=streams[1])
    turned = turned_pairs(mine, log2, resamples=resamples, rng=streams[2])
    same = bool(np.allclose(mine.values, log2.values, rtol=0, atol=NOISE))
    count, tau, tau_ap = turned.count, Figure.of(orders.tau), Figure.of(orders.tau_ap)
    if same:  # nothing is left to chance
        count, tau, tau_ap = (Figure(figure.value) for figure in (count, tau, tau_ap))
    lines = [
        _share(power, same),
        Line("pairs in opposite orders", None, None, count, signed=False),
        Line("of these, separated by both", None, None, Figure(turned.by_both), signed=False),
        Line("of these, separated by one", None, None, Figure(turned.by_one), signed=False),
        Line("tau of the two orders", None, None, tau, signed=False),
        Line("tau_AP of the two orders", None, None, tau_ap, signed=False),
    ]
    how = (
        f"{source}; {orders.systems} systems, {turned.pairs:,} pairs, {orders.topics} topics; paired t "
        f"at {ERROR}, pair by pair; {LEVEL:.0%} intervals from {resamples:,} resamples of the topics, "
        "those of orders for leaderboards of as many topics"
    )
    said = (_SAYS[lines[0].verdict], turned.said())
    return Section("board", how, tuple(lines), said), power


def _share(power: Power, same: bool) -> Line:
    """Compare the shares of pairs separated; `power` has log2 first, and both may have the same scores."""
    log2, mine = (Figure.of(row) for row in zip(power.share, power.low, power.high, strict=True))
    apart = (power.difference, power.difference_low, power.difference_high)
    difference = Figure(0.0) if same else Figure.of(row[1] for row in apart)
    return Line(SHARE, mine, log2, difference)


@dataclass(frozen=True)
class Turned:
    """Pairs of systems that two measures order differently.

    Parameters
    ----------
    pairs
        How many pairs there are.
    count
        How many are in opposite orders, with its interval: leaderboards of so many topics.
    by_both, by_one
        How many of these a paired t-test separates under both measures, and under one alone.
    best
        The best systems under the first and under the second.
    """

    pairs: int
    count: Figure
    by_both: int
    by_one: int
    best: tuple[str, str]

    def said(self) -> str:
        """Say it in a sentence."""
        mine, other = self.best
        top = (
            f"the best system, {mine}, stays"
            if mine == other
            else f"best: {mine}, under log2 {other}"
        )
        if not self.count.value:
            return f"no pair changes its order; {top}"
        return (
            f"turns round {self.count.value:,.0f} of {self.pairs:,} pairs, {self.by_both} of them "
            f"separated by both discounts, {self.by_one} by one alone; {top}"
        )


def turned_pairs(one: Scores, other: Scores, *, resamples: int, rng: np.random.Generator) -> Turned:
    """Count the pairs of systems in opposite orders under two measures.

    The interval is the count -+ t times its standard deviation over resamples of the topics, the same
    for both, and at least half a pair each way. It is for the count to be expected of so many topics.

    Parameters
    ----------
    one, other
        The same systems and topics.
    """
    mine = sample_of(one)
    yours = _in_order(sample_of(other), mine)
    family = Family("each", len(mine.systems))
    tasks = [Task(part, family, LEVEL, resamples, rng) for part in (mine, yours)]
    found = [separate(task, Rule("none", ERROR)) for task in tasks]
    gaps = [np.where(np.abs(part.gaps) > NOISE, part.gaps, 0.0) for part in found]
    opposite = gaps[0] * gaps[1] < 0
    separated = found[0].separated.astype(int) + found[1].separated
    drawn = np.concatenate([_opposed(mine, yours, counts) for counts in tasks[0].counts()])
    count, n = float(opposite.sum()), units(mine)
    error = drawn.std() * (n / (n - 1)) ** 0.5
    low, high = around(count, error, n - 1, LEVEL, 0.5, (0, len(opposite)))
    return Turned(
        pairs=len(opposite),
        count=Figure(count, float(low), float(high)),
        by_both=int((separated[opposite] == 2).sum()),
        by_one=int((separated[opposite] == 1).sum()),
        best=(mine.systems[0], sample_of(other).systems[0]),
    )


def _in_order(sample: Sample, like: Sample) -> Sample:
    rows = [sample.systems.index(name) for name in like.systems]
    return replace(sample, values=sample.values[rows], systems=like.systems)


def _opposed(one: Sample, other: Sample, counts: Floats) -> Floats:
    """Count the pairs in opposite orders in each resample, (resamples,)."""
    shares = counts * one.weights[:, None]
    first, second = one.values @ shares, other.values @ shares
    total = np.zeros(counts.shape[1])
    for i in range(len(first) - 1):
        x, y = first[i] - first[i + 1 :], second[i] - second[i + 1 :]
        told = (np.abs(x) > NOISE) & (np.abs(y) > NOISE)
        total += (told & ((x > 0) != (y > 0))).sum(axis=0)
    return total
