"""The sections of a card, each against the part it is made of or counted by hand."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from ndcgstudy.agreement.families import Answers
from ndcgstudy.agreement.fitting import lead_over
from ndcgstudy.agreement.report import report
from ndcgstudy.agreement.weights import rank_gaps
from ndcgstudy.card import Board
from ndcgstudy.card.board import board_section, turned_pairs
from ndcgstudy.card.inputs import find_inputs
from ndcgstudy.card.line import LESS
from ndcgstudy.card.made import made_board, made_pairs
from ndcgstudy.card.people import LEAD, NAMES, people_section
from ndcgstudy.card.separation import RIGHT, pair_for, separation_section
from ndcgstudy.data import Scores
from ndcgstudy.discounts import DISCOUNTS, Constant, Log2, Power, Zipf
from ndcgstudy.gains import GAINS, Linear
from ndcgstudy.inference.power import discriminative_power
from ndcgstudy.preferences import Preferences
from ndcgstudy.scoring import score
from ndcgstudy.separability.laboratory import DECADES, compare
from ndcgstudy.synthetic import Reference

GAIN = Linear()


def stream(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- separation -----------------------------------------------------------------------------------


def test_the_draws_are_those_of_the_laboratory():
    part = Power(beta=0.8)
    how = {"gain": GAIN, "replicates": 20}
    section = separation_section(part, Log2(), rng=stream(3), **how)
    table = compare(Reference(), [part, Log2()], DECADES, rng=stream(3), **how)
    for name, side in ((str(part), "mine"), ("log2", "log2")):
        rows = table[table["discount"] == name].set_index("n")
        for n in DECADES:
            figure = getattr(section.line(RIGHT, float(n)), side)
            assert figure[:3] == tuple(rows.loc[n, ["p_right", "p_right_low", "p_right_high"]])
        assert getattr(section.line("z, drawn"), side).value == rows.loc[10**12, "z"]
        expected = getattr(section.line("z, expected"), side).value
        assert expected == pytest.approx(rows.loc[10**12, "expected_z"], rel=1e-12)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("constant", "constant: stops separating; only ties"),
        ("zipf", "zipf: separates, z like log n; the sum of D has no bound, at the critical rate"),
        ("geometric(p=0.5)", "geometric(p=0.5): stops separating"),
    ],
)
def test_findings_are_those_of_the_verdicts(spec, said):
    how = {"gain": GAIN, "replicates": 12, "rng": stream()}
    section = separation_section(DISCOUNTS.parse(spec), Log2(), **how)
    assert section.said[0].startswith(said)


@pytest.mark.parametrize("gain", ["linear", "binary(threshold=2)", "table(0,0,0,1)"])
def test_some_grade_of_the_pair_is_worth_something(gain):
    worth = GAINS.parse(gain)
    section = separation_section(Zipf(), Log2(), gain=worth, replicates=2, rng=stream())
    assert section.line(RIGHT, 1e12).log2.value == 1
    levels = worth(np.arange(pair_for(worth).grades))
    assert levels.max() > 0


# --- board ----------------------------------------------------------------------------------------


def matrices(seed=0, systems=7, topics=15):
    rng = stream(seed)
    base = np.linspace(0, 0.3, systems)[:, None] + rng.normal(0.5, 0.2, (systems, topics))
    names = tuple(f"s{i}" for i in range(systems)), tuple(f"q{j}" for j in range(topics))
    other = base + rng.normal(0, 0.15, base.shape)
    return Scores(base, *names, "discount"), Scores(other, *names, "log2")


def by_hand(one, other):
    """Count pairs in opposite orders, those separated by both and those by one, pair by pair."""
    counts = [0, 0, 0]
    for i in range(len(one)):
        for j in range(i):
            gaps = one[i] - one[j], other[i] - other[j]
            if gaps[0].mean() * gaps[1].mean() < 0:
                tests = [stats.ttest_1samp(gap, 0).pvalue <= 0.05 for gap in gaps]
                counts[0] += 1
                counts[1] += sum(tests) == 2
                counts[2] += sum(tests) == 1
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_turned_pairs_as_counted_by_hand(seed):
    one, other = matrices(seed)
    found = turned_pairs(one, other, resamples=99, rng=stream())
    expected = by_hand(one.values, other.values)
    assert [found.count.value, found.by_both, found.by_one] == expected
    assert found.count.low <= found.count.value <= found.count.high
    assert found.pairs == 21
    best = [names.systems[int(np.argmax(names.mean()))] for names in (one, other)]
    assert found.best == tuple(best)


def test_a_board_upside_down_is_turned_round_throughout_and_by_both():
    one, _ = matrices()
    low = dataclasses.replace(one, values=-5 * one.values, measure="log2")
    found = turned_pairs(one, low, resamples=99, rng=stream())
    assert found.count[:3] == (21, 20.5, 21)
    separated = discriminative_power([one], resamples=99, rng=stream()).share[0] * 21
    assert (found.by_both, found.by_one) == (round(separated), 0)


def test_the_interval_of_turned_pairs_is_that_of_resampled_topics():
    one, other = matrices(2)
    found = turned_pairs(one, other, resamples=999, rng=stream(5))
    rng, drawn = stream(6), []
    for _ in range(999):
        at = rng.integers(0, 15, 15)
        means = [part.values[:, at].mean(axis=1) for part in (one, other)]
        signs = [np.sign(np.subtract.outer(m, m))[np.tril_indices(7, -1)] for m in means]
        drawn.append(int((signs[0] * signs[1] < 0).sum()))
    # The error of a standard deviation of 999 draws, of either sample; 4 of them.
    half, slack = stats.t.ppf(0.975, 14) * np.std(drawn) * (15 / 14) ** 0.5, 4 / 999**0.5
    assert found.count.high - found.count.value == pytest.approx(half, rel=slack)
    assert found.count.low == pytest.approx(max(0, found.count.value - half), abs=slack * half)


def test_the_share_separated_is_discriminative_power():
    one, other = matrices(1)
    section, power = board_section([one, other], "here", resamples=199, rng=stream(2))
    alone = discriminative_power([other, one], resamples=199, rng=stream(2).spawn(3)[0])
    line = section.line("share of pairs separated")
    assert line.log2[:3] == (alone.share[0], alone.low[0], alone.high[0])
    assert line.mine[:3] == (alone.share[1], alone.low[1], alone.high[1])
    assert line.difference[:3] == (
        *(alone.difference[1], alone.difference_low[1], alone.difference_high[1]),
    )
    assert power.measures == ("log2", "discount")


def test_real_runs_score_as_they_do_elsewhere(covid):
    some = covid.some(5)
    matrices, _ = Board(covid.judgments, some, "r1").scores(Zipf(), Log2(), gain=GAIN, cutoff=10)
    texts = ["nDCG(discount=zipf)@10", "nDCG@10"]
    expected = score(covid.judgments, some, texts).scores
    for found, text in zip(matrices, texts, strict=True):
        assert (found.values == expected[text].values).all()


# --- people ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers() -> Preferences:
    return made_pairs(rng=stream(4))


def asked(preferences, part, resamples=199):
    how = {"gain": GAIN, "cutoff": 10, "resamples": resamples, "rng": stream(1)}
    return people_section(preferences, part, Log2(), "made", **how)


def test_agreement_is_that_of_the_report(answers):
    section = asked(answers, Zipf())
    texts = ["DCG(discount=zipf)@10", "DCG@10"]
    table = report(answers, texts, rng=stream(1), resamples=199).table().set_index("measure")
    for name, text in NAMES.items():
        line = section.line(text)
        assert line.mine.value == table.loc[texts[0], name]
        assert line.log2.value == table.loc[texts[1], name]
        assert line.difference.value == line.mine.value - line.log2.value
        assert line.difference.low < line.difference.value < line.difference.high


def test_answers_of_one_alone_and_the_lead_are_those_of_their_tests(answers):
    section = asked(answers, Zipf())
    both = ["DCG(discount=zipf)@10", "DCG@10"]
    tests = report(answers, both, rng=stream(), resamples=39).tests
    (test,) = tests["all", "missed"].tests
    line = section.line("answers that one alone shares")
    assert (line.mine.value, line.log2.value) == (test.only_first, test.only_second)
    assert f"p = {test.p_clustered:.2g}" in line.difference.word
    gaps = Answers(rank_gaps(answers, GAIN, 10), answers.preference, answers.topic)
    ahead = lead_over(gaps, "zipf", "log2")
    found = section.line(LEAD).difference
    assert found[:3] == pytest.approx([1000 * x for x in (ahead.mean, ahead.low, ahead.high)])


def test_the_interval_of_a_difference_is_paired():
    """Two discounts that go together differ by less than intervals side by side suggest."""
    line = asked(made_pairs(rng=stream(4)), Power(beta=0.6), 999).line(NAMES["rate"])
    paired = line.difference.high - line.difference.low
    apart = math.hypot(line.mine.high - line.mine.low, line.log2.high - line.log2.low)
    assert paired < apart / 2


def test_answers_of_one_query_have_no_intervals_and_no_lead(answers):
    one = answers.select(answers.topic == 0)
    section = asked(one, Zipf())
    assert not section.line(NAMES["rate"]).difference.sampled
    assert "not told" in section.said[-1]
    assert math.isnan(section.line(LEAD).difference.value)


def test_answers_that_prefer_no_list_are_refused(answers):
    neither = dataclasses.replace(answers, preference=0 * answers.preference)
    with pytest.raises(ValueError, match="no answer prefers a list"):
        asked(neither, Zipf())


def test_real_answers_tell_a_steep_discount_from_log2(data_folder):
    pairs = find_inputs(pairs=str(data_folder / "preferences" / "music_pairs.jsonl.gz"))
    section = asked(pairs.preferences(10), Power(beta=2), 99)
    assert section.said[-1] == "likelihood on unseen queries: less than log2"
    assert section.line(NAMES["strict"]).verdict == LESS


# --- made-up data ---------------------------------------------------------------------------------


def test_the_made_up_board_has_grades_hard_topics_and_better_systems():
    board = made_board(rng=stream())
    assert set(np.unique(board.judgments.grade)) == {0, 1, 2}
    found = score(board.judgments, board.runs, "nDCG@10").scores["nDCG@10"]
    means = found.mean()
    assert stats.spearmanr(means, np.arange(len(means))).pvalue < 0.01
    assert 0.1 < means.min() < means.max() < 0.9
    assert found.values.mean(axis=0).std() > 0.05


def test_made_up_data_depend_on_the_stream_alone():
    boards_ = [made_board(rng=stream(seed)) for seed in (1, 1, 2)]
    scores = [board.runs[0].score for board in boards_]
    assert (scores[0] == scores[1]).all()
    assert not (scores[0] == scores[2]).all()
    pairs = [made_pairs(rng=stream(seed)).preference for seed in (1, 1, 2)]
    assert (pairs[0] == pairs[1]).all()
    assert not (pairs[0] == pairs[2]).all()


def test_simulated_users_follow_their_utility(answers):
    """Their utility foretells them better than an order turned upside down."""
    rates = asked(answers, Constant()).line(NAMES["strict"])
    assert rates.log2.low > 0.5
