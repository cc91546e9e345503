"""The card of a discount: every figure against the part it is made of, and log2 beside itself."""

import dataclasses
import math
import re

import numpy as np
import pytest

from ndcgstudy.card import Board, card
from ndcgstudy.card.line import LESS, MORE, SAME
from ndcgstudy.card.made import made_board, made_pairs
from ndcgstudy.card.separation import RIGHT
from ndcgstudy.card.weights import relative, share_past
from ndcgstudy.discounts import Constant, Geometric, Linear, Log2, Power, Table, Zipf
from ndcgstudy.gains import Linear as LinearGain

GAIN = LinearGain()
FEW = {"replicates": 8, "resamples": 99}
SECTIONS = ("weights", "separation", "board", "people")


def stream(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def made(spec, **how):
    return card(spec, **{**FEW, "rng": stream(), **how})


@pytest.fixture(scope="module")
def answers():
    return made_pairs(rng=stream(4))


@pytest.fixture(scope="module")
def same():
    return made("log2")


@pytest.fixture(scope="module")
def steep():
    return made("power(beta=2)", replicates=40)


@pytest.fixture(scope="module")
def root():
    return made("power(beta=0.5)", replicates=40)


def differences(found):
    """Return all lines with a difference that has a sign, by section and label."""
    return {
        (section.name, line.label or line.name): line
        for section in found.sections
        for line in section.lines
        if line.difference and line.signed
    }


# --- log2 beside itself ---------------------------------------------------------------------------


def test_log2_beside_itself_differs_by_exactly_nothing(same):
    lines = differences(same)
    assert {name for name, _ in lines} == set(SECTIONS)
    for line in lines.values():
        assert line.difference.value == 0
        assert not line.difference.sampled or line.difference[:3] == (0, 0, 0), line.name
        assert line.verdict == SAME
        assert line.mine == line.log2


def test_log2_turns_nothing_round_and_neither_has_an_answer_of_its_own(same):
    board, people = same.section("board"), same.section("people")
    assert board.line("pairs in opposite orders").difference.value == 0
    assert board.line("tau of the two orders").difference.value == pytest.approx(1)
    only = people.line("answers that one alone shares")
    assert (only.mine.value, only.log2.value, only.difference.value) == (0, 0, 0)
    assert people.said[-1] == "likelihood on unseen queries: the same as log2"


def test_a_multiple_of_log2_is_the_same_but_one_that_differs_at_a_rank_is_not():
    def triple(ranks):
        return 3 * Log2()(ranks)

    def bent(ranks):
        return np.where(np.asarray(ranks) == 1, 1.5, Log2()(ranks))

    assert {line.verdict for line in differences(made(triple)).values()} == {SAME}
    verdicts = [line.verdict for line in differences(made(bent)).values()]
    assert SAME not in verdicts[:5]


# --- weights --------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [Log2(), Zipf(), Geometric(p=0.5), Table((3.0, 2.0))], ids=str)
@pytest.mark.parametrize("rank", [1, 5, 10, 100])
def test_shares_past_a_rank_are_sums_of_weights(part, rank):
    weights = part(np.arange(1, 1001))
    assert share_past(part, rank, 1000) == pytest.approx(
        weights[rank:].sum() / weights.sum(), abs=1e-14
    )


def test_of_all_ranks_the_share_is_that_of_the_endless_sum():
    zeta = math.pi**2 / 6
    assert share_past(Power(beta=2), 1, None) == pytest.approx(1 - 1 / zeta, abs=1e-12)
    assert share_past(Geometric(p=0.5), 5, None) == pytest.approx(2.0**-5, abs=1e-15)
    assert [share_past(part, 100, None) for part in (Log2(), Zipf(), Constant())] == [1.0] * 3


def test_where_the_numbers_do_not_tell_the_share_of_all_is_unknown():
    assert math.isnan(share_past(lambda r: 1 / ((r + 1.0) * np.log(r + 1.0)), 5, None))


def test_weights_are_relative_to_rank_1():
    assert relative(Table((4.0, 2.0)), (1, 2, 3)).tolist() == [1, 0.5, 0]


def test_a_line_says_which_of_two_weights_is_larger(root):
    weights = root.section("weights")
    two, hundred = weights.line("weight", 2), weights.line("weight", 100)
    assert (two.mine.value, two.verdict) == (2**-0.5, MORE)
    assert (hundred.mine.value, hundred.verdict) == (0.1, LESS)
    assert hundred.log2.value == pytest.approx(1 / math.log2(101))


def test_a_sum_that_converges_stops_separating(steep):
    section = steep.section("separation")
    total = section.line("sum of weights")
    assert (total.mine.word, total.log2.word) == ("bounded", "no bound")
    assert total.mine.value == pytest.approx(math.pi**2 / 6, abs=1e-11)
    assert section.said[0].startswith("power(beta=2): stops separating")
    assert section.said[1].startswith("log2: separates, z like sqrt(n)")
    last = section.line(RIGHT, 1e12)
    assert last.log2.value == 1
    assert last.verdict == LESS


def test_predicted_rates_stand_beside_measured_ones(root):
    section = root.section("separation")
    predicted = section.line("exponent of z, predicted")
    assert (predicted.mine.word, predicted.log2.word) == ("sqrt(n/log n)", "sqrt(n)")
    measured = section.line("exponent of z, measured")
    assert measured.mine.low < 0.5 < measured.mine.high


def test_what_is_said_of_log2_does_not_depend_on_the_discount(root):
    steep = made("geometric(p=0.5)", replicates=40)
    for section in SECTIONS:
        for one, other in zip(
            root.section(section).lines, steep.section(section).lines, strict=True
        ):
            if one.signed and not (one.log2 is None or math.isnan(one.log2.value)):
                values = one.log2.value, other.log2.value
                assert values[0] == values[1], (section, one.label)


# --- the card as a whole --------------------------------------------------------------------------


def test_synthetic_data_are_called_so_and_real_ones_are_not(same, answers):
    text = " ".join(same.text().split())
    assert "SYNTHETIC board, no real systems" in text
    assert "simulated users whose utility is DCG@10, so no evidence for a measure" in text
    own = made_board(rng=stream(5))
    own, pairs = (dataclasses.replace(part, source="mine") for part in (own, answers))
    assert "SYNTHETIC" not in made("zipf", board=own, pairs=pairs).text()


def test_records_are_tidy(root):
    records = root.records()
    keys = ["discount", "section", "name", "at", "of", "value", "low", "high", "note"]
    assert all(list(record) == keys for record in records)
    assert {record["discount"] for record in records} == {"power(beta=0.5)"}
    assert {record["section"] for record in records} == set(SECTIONS)
    assert {record["of"] for record in records} == {"discount", "log2", "difference", ""}
    named = [(r["section"], r["name"], r["at"], r["of"]) for r in records if r["of"]]
    assert len(set(map(str, named))) == len(named)
    for record in records:
        if record["of"] == "":
            assert record["name"] in ("verdict", "source")
            assert record["note"]
        elif not math.isnan(record["low"]):
            assert record["low"] <= record["value"] <= record["high"]


def test_every_sampled_figure_has_its_interval(root):
    for section in ("board", "people"):
        for line in root.section(section).lines:
            counted = line.name.startswith(("of these", "answers that", "log-likelihood"))
            figures = [f for f in (line.mine, line.log2, line.difference) if f is not None]
            assert all(figure.sampled != counted for figure in figures), line.name


def test_the_text_says_all_and_no_line_is_long(root):
    text = root.text()
    for section in root.sections:
        assert section.name.upper() in text
        for line in section.lines:
            assert (line.label or line.name) in text
        for said in section.said:
            assert said.split()[0] in text
    assert max(map(len, text.splitlines())) <= 130


def test_the_stream_decides_and_real_data_move_nothing_else(root, answers):
    assert made("power(beta=0.5)", replicates=40).text() == root.text()
    assert made("power(beta=0.5)", replicates=40, rng=stream(1)).text() != root.text()
    own = made("power(beta=0.5)", replicates=40, pairs=answers)
    for name in SECTIONS[:3]:
        assert str(own.section(name)) == str(root.section(name))


def test_the_figure_has_four_panels_with_both_discounts(root):
    from matplotlib.figure import Figure as Page

    page = root.plot(Page(layout="constrained"))
    assert len(page.axes) == 4
    titles = [ax.get_title("left") for ax in page.axes]
    assert all(titles)
    assert "synthetic" in titles[2]
    assert "synthetic" in titles[3]
    weights = page.axes[0].lines
    assert weights[0].get_ydata()[0] == weights[1].get_ydata()[0] == 1
    (legend,) = page.legends
    assert [text.get_text().strip() for text in legend.get_texts()] == ["power(beta=0.5)", "log2"]


@pytest.mark.parametrize("part", [Table((1.0,)), Linear(depth=3), Geometric(p=0.01)], ids=str)
def test_weights_of_nothing_are_left_out_of_the_figure(part):
    from matplotlib.figure import Figure as Page

    page = made(part, replicates=2).plot(Page(layout="constrained"))
    page.draw_without_rendering()
    low, high = page.axes[0].get_ylim()
    assert 0 < low < 0.08 < 1 < high


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cutoff": 0}, "`cutoff` must be a whole number at least 1, got 0"),
        (
            {"replicates": 1},
            "`replicates` must be a whole number at least 2 and at most 10,000,000, got 1",
        ),
        (
            {"resamples": 38},
            "`resamples` must be a whole number at least 39 and at most 1,000,000, got 38",
        ),
        ({"gain": "lineer"}, "did you mean 'linear'"),
        ({"spec": "pover"}, "did you mean 'power'"),
        ({"spec": lambda ranks: ranks * 1.0}, "must never rise, but from rank 1 to 2"),
        ({"spec": lambda ranks: 3.0 - ranks}, "must be at least 0, got -1.0 at rank 4"),
        ({"spec": lambda ranks: 1e-300 / ranks}, "between 1e-50 and 1e+50 at rank 1, got 1e-300"),
        ({"spec": lambda ranks: 1e300 / ranks}, "between 1e-50 and 1e+50 at rank 1, got 1e+300"),
    ],
)
def test_bad_input_is_refused(change, message):
    change = {"spec": "zipf", **change}
    with pytest.raises(ValueError, match=re.escape(message)):
        made(change.pop("spec"), **change)


def test_a_board_of_one_system_is_refused():
    whole = made_board(rng=stream())
    with pytest.raises(ValueError, match="system"):
        made("zipf", board=Board(whole.judgments, whole.runs[:1], "one"))
