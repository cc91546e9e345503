"""Which conventions give a number: to its digits, named tools first, and what else to suspect."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from collections_drawn import drawn
from shared_data import Collection

from ndcgstudy import Judgments, Rankings, score
from ndcgstudy.conventions import TOOLS, Convention
from ndcgstudy.conventions.convention import KNOWN, OWN
from ndcgstudy.conventions.matching import TRIED, Found, match
from ndcgstudy.conventions.reporting import reported
from ndcgstudy.scoring import on_topics

GRADES = {"t1": {"alpha": 3, "bravo": 1, "charlie": 2, "delta": 0}}
ORDER = {"t1": {"bravo": 9.0, "charlie": 8.0, "delta": 7.0, "alpha": 6.0}}


def found(text: str, qrels: Any = GRADES, run: Any = ORDER, measure: str = "nDCG@10") -> Found:
    files = Judgments.from_dict(qrels), Rankings.from_dict(run)
    return match(*files, reported(text, measure))


def mean(how: Convention, qrels: Any, run: Any, measure: str = "nDCG@10") -> float:
    part = how.rewrite(reported("0.5", measure)[0].measure)
    (scores,) = score(
        Judgments.from_dict(qrels), Rankings.from_dict(run), part, how.policy
    ).scores.values()
    return float(scores.mean()[0])


@pytest.mark.parametrize(
    ("value", "tools"),
    [
        (
            "0.7463",
            {"trec_eval-9", "pytrec_eval", "beir", "mteb", "ir_measures", "sklearn", "ranx"},
        ),
        ("0.6289", {"gdeval", "lightgbm", "xgboost"}),
        ("0.7992", {"jk2002"}),
    ],
)
def test_the_measured_example(value: str, tools: set[str]) -> None:
    # Run through the tools: linear 0.746324, exponential 0.628943, original 2002 0.799158.
    first = found(value).matches[0]
    assert tools <= set(first.tools)
    assert first.how == ("rounded",)


def test_truncated_digits_are_a_match_too() -> None:
    first = found("0.7991").matches[0]
    assert (first.tools, first.how) == (("jk2002",), ("cut",))


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_found_by_its_own_number(name: str) -> None:
    qrels, run = drawn(np.random.default_rng(4))
    value = mean(TOOLS[name].convention, qrels, run)
    result = found(f"{value:.9f}", qrels, run)
    assert any(name in m.tools for m in result.matches)
    assert result.chance < 1e-3


def test_every_convention_tried_is_found_by_its_own_number() -> None:
    qrels, run = drawn(np.random.default_rng(5))
    rng = np.random.default_rng(6)
    for _ in range(6):
        changes = {name: values[rng.integers(len(values))] for name, values in TRIED.items()}
        how = Convention().but(**changes)
        value = mean(how, qrels, run)
        first = found(f"{value:.10f}", qrels, run).matches[0]
        assert first.scores[0] == pytest.approx(value, abs=1e-12)
        if first.convention:
            assert mean(first.convention, qrels, run) == pytest.approx(value, abs=1e-12)
            assert len(first.convention.changes_from(Convention())) <= len(changes)


def test_named_tools_come_first_and_then_the_fewest_changes() -> None:
    qrels, run = drawn(np.random.default_rng(4))
    result = found(f"{mean(Convention(), qrels, run):.1f}", qrels, run)
    named = [bool(m.tools) for m in result.matches]
    assert named == sorted(named, reverse=True)
    others = [m for m in result.matches if not m.tools and "cut" not in m.how]
    changes = [len(m.convention.changes_from(KNOWN[OWN].convention)) for m in others]
    assert changes == sorted(changes)
    assert len(changes) > 2


def test_misses_come_nearest_first() -> None:
    qrels, run = drawn(np.random.default_rng(4))
    off = [abs(m.off) for m in found("0.999", qrels, run).misses]
    assert off == sorted(off)
    assert len(off) > 10


def test_several_numbers_narrow_it_down() -> None:
    qrels, run = drawn(np.random.default_rng(4))
    both = [mean(TOOLS["sklearn"].convention, qrels, run, f"nDCG@{k}") for k in (2, 10)]
    one = found(f"nDCG@10={both[1]:.2f}", qrels, run)
    two = found(f"nDCG@2={both[0]:.2f},nDCG@10={both[1]:.2f}", qrels, run)
    assert len(two.matches) < len(one.matches)
    assert two.chance < one.chance
    assert any("sklearn" in m.tools for m in two.matches)
    assert all(len(m.scores) == len(m.how) == 2 for m in two.matches)


def test_real_runs_are_matched_to_their_tool(covid: Collection) -> None:
    # BERT's scores differ by less than 32 bits tell: trec_eval 9 and 10 print two numbers.
    (run,) = [run for run in covid.runs if run.name == "BERT"]
    for value, tool, other in (
        ("0.1731", "trec_eval-9", "trec_eval-10"),
        ("0.1736", "trec_eval-10", "trec_eval-9"),
    ):
        first = match(covid.judgments, run, reported(value)).matches[0]
        assert tool in first.tools
        assert other not in first.tools


# where nothing matches


def test_nothing_matches_and_the_suspects_are_named() -> None:
    qrels = GRADES | {"t2": {"a": 1}}
    run = {"t1": ORDER["t1"] | {"hole": 10.0}, "t9": {"a": 1.0}}
    result = found("0.345678", qrels, run)
    assert not result.matches
    told = "\n".join(result.suspects)
    assert "missing topics: the run answers 1 of 2 judged ones" in told
    assert "another qrels: 1 topic of the run not judged in this one" in told
    assert (
        "a truncated run: 1 of 1 list shorter than the cutoff 10 (5 to 5 documents a topic)" in told
    )
    assert "another qrels: 20.0% of the top 10 are not judged" in told
    assert "all conventions tried give" not in told
    assert (
        found("0.001234", qrels, run).suspects[-1].startswith("nDCG@10: all conventions tried give")
    )


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("0.1000", "another measure: P@10 is 0.100000"),
        ("0.111", "another measure: AP is 0.11111"),
    ],
)
def test_another_measure_is_suspected(value: str, told: str) -> None:
    qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"x": 3.0, "y": 2.5, "a": 2.0}}
    result = found(value, qrels, run, "nDCG@5")
    assert told in result.suspects


def test_another_measure_is_shown_as_it_met_the_number() -> None:
    # It gives the number over the topics that the run answers, half of all.
    qrels = {"q": {"a": 1, "b": 1, "c": 0}, "p": {"a": 1}}
    run = {"q": {"c": 3.0, "a": 2.5, "b": 2.0, "x": 1.0}}
    told = found("0.58", qrels, run, "nDCG@1").suspects
    assert "another measure: AP is 0.5833" in told
    assert "another measure: AP is 0.2917" not in told


def chosen(value: str, run: Any, *topics: str) -> Found:
    """Match on some topics of two judged ones."""
    judgments = Judgments.from_dict({"t1": {"a": 1, "b": 0}, "t2": {"c": 1}})
    some, judged = on_topics(judgments, topics), frozenset(judgments.topics)
    return match(some, Rankings.from_dict(run), reported(value), judged=judged)


def test_topics_left_out_are_suspected_and_not_taken_for_unjudged_ones() -> None:
    run = {"t1": {"x": 2.0, "a": 1.0}, "t2": {"c": 1.0}, "t3": {"c": 1.0}}
    told = chosen("0.777", run, "t1").suspects
    assert "other topics: 1 judged one left out here" in told
    assert "another qrels: 1 topic of the run not judged in this one" in told
    assert not any("topic" in line for line in chosen("0.999", run, "t1").suspects)
    whole = chosen("0.777", run, "t1", "t2").suspects
    assert not any(line.startswith("other topics") for line in whole)


def test_a_run_that_answers_none_of_the_topics_chosen_is_told_so() -> None:
    told = chosen("0.9", {"t2": {"c": 1.0}}, "t1").suspects
    assert "missing topics: the run answers 0 of 1 judged ones" in told
    assert not any("% of the top" in line for line in told)


def test_a_judged_document_with_the_id_of_its_topic_may_be_left_out_though_not_retrieved() -> None:
    qrels, run = {"q": {"q": 2, "a": 1}}, {"q": {"a": 1.0, "b": 0.5}}
    both = found("nDCG@5=1.0000,R@5=1.0000", qrels, run).matches
    assert [str(m.convention) for m in both] == ["ndcgstudy(exclude_self=True)"]


def test_a_run_of_which_nothing_counts_is_refused_or_scored() -> None:
    # Left out by conventions that skip topics without a relevant document, 0 or 1 by others.
    result = found("0.5", {"q": {"a": 0}}, {"q": {"a": 1.0}})
    assert not result.matches
    assert {m.scores for m in result.misses} == {(0.0,), (1.0,)}


def test_where_something_matches_nothing_is_suspected() -> None:
    assert found("0.7463").suspects == ()


def test_choices_that_cannot_matter_are_not_tried() -> None:
    few = found("0.7463").tried  # no ties, no holes in 32 bits, no topic missing, no self match
    qrels, run = drawn(np.random.default_rng(4))
    assert few == 3 * 4 * 3 * 2 * 3 + len(KNOWN)  # and one topic, whose list is short of the cutoff
    common = 216 * 3 * 2 * 2 * 3
    assert found("0.7463", qrels, run).tried > common + len(KNOWN)
    alone = {"t1": ORDER["t1"]}
    assert found("0.7463", GRADES, alone, "nDCG@2").tried == few + 3 * 3  # ideal=top
    assert (
        found("0.7463", {"t1": {**GRADES["t1"], "echo": 1, "golf": 1}}).tried == few + 3 * 3
    )  # hits


def test_other_measures_heed_no_gain() -> None:
    result = found("0.5833", measure="AP")
    assert result.tried == 2 * 3 + len(KNOWN)


# the reported number


@pytest.mark.parametrize(
    ("text", "score", "how"),
    [
        ("0.42", 0.415, "rounded"),
        ("0.42", 0.425 - 1e-9, "rounded"),
        ("0.42", 0.425 + 1e-9, "cut"),
        ("0.42", 0.4299999, "cut"),
        ("0.42", 0.4300001, ""),
        ("0.42", 0.4149999, ""),
        ("0.42", float("nan"), ""),
        ("0.420", 0.42049, "rounded"),
        ("0.420", 0.419, ""),
        ("1.0000", 1.0, "rounded"),
        ("0.0000", 0.0, "rounded"),
    ],
)
def test_digits(text: str, score: float, how: str) -> None:
    assert reported(text)[0].how(score) == how


def test_rounding_of_floats_is_no_obstacle() -> None:
    # 0.1 + 0.2 is above 0.3 by 4e-17, 0.7 - 0.4 below by 5e-17; both may be printed cut as 0.3.
    for value in (0.1 + 0.2, 0.7 - 0.4):
        assert reported("0.3")[0].how(value) == "rounded"
        assert ("cut", Decimal("0.3")) in reported("0.3")[0].printed(value)


def test_several_numbers_are_read() -> None:
    numbers = reported("nDCG@10=0.4213, AP=.25,0.50", "RR")
    assert [str(n.measure) for n in numbers] == ["nDCG@10", "AP", "RR"]
    assert [n.value for n in numbers] == [Decimal(x) for x in ("0.4213", "0.25", "0.50")]
    assert numbers[2].unit == Decimal("0.01")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("420.5", "`reported` must be in [0, 1], or a percentage, got '420.5'"),
        ("420%", "`reported` must be in [0, 1], or a percentage, got '420%'"),
        ("-0.42", "`reported` must be in [0, 1], or a percentage, got '-0.42'"),
        ("0,4213", "`reported` '0,4213': a decimal comma? write 0.4213"),
        ("nDCG@10=42,13", "a decimal comma? write 42.13"),
        ("1", "must be a number with its decimals, as 0.4213, got '1'"),
        ("0", "must be a number with its decimals"),
        ("0.", "must be a number with its decimals"),
        ("nan", "must be a number with its decimals"),
        ("high", "must be a number with its decimals, as 0.4213, got 'high'"),
        ("", "`reported` needs a number"),
        ("nDCG@10=", "must be a number with its decimals, as 0.4213, got ''"),
        ("nDGC@10=0.4", "did you mean 'nDCG'?"),
        ("nDCG(gain=exponential)@10=0.4", "the convention sets gain and discount"),
    ],
)
def test_what_is_no_number_says_what_it_needs(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        reported(text)
    assert message in str(error.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ValueError, match=r".") as error:
        reported("420.13,nDGC=0.5,1")
    assert len(str(error.value).splitlines()) == 3


def test_dcg_may_be_above_one() -> None:
    first = found("3.554", measure="DCG@10").matches[0]
    assert "trec_eval-9" in first.tools
    assert first.scores[0] == pytest.approx(1 + 2 / np.log2(3) + 3 / np.log2(5))
