"""Bounds on scores and gaps against every assignment of grades, and what they are not."""

import numpy as np
import pytest
from hole_cases import Case, cases
from hypothesis import given

from ndcgstudy import Judgments, Policy, Rankings, score
from ndcgstudy.holes import gap_bounds, lay_out, score_bounds, survey
from ndcgstudy.holes.form import form_of

CLOSE = 1e-12


def extremes(values):
    return values.min(axis=-1), values.max(axis=-1)


@given(cases(systems=1))
def test_bounds_on_a_score_are_the_extremes_of_all_assignments(case):
    bounds = score_bounds(case.tops())
    for t, topic in enumerate(case.qrels):
        _, found = case.every(topic, case.stake(topic, [0]))
        low, high = extremes(found)
        assert bounds.low[:, t] == pytest.approx(low, abs=CLOSE)
        assert bounds.high[:, t] == pytest.approx(high, abs=CLOSE)
        assert bounds.value[:, t] == pytest.approx(found[:, 0], abs=CLOSE)


@given(cases(systems=3, topics=1))
def test_bounds_with_all_documents_at_stake(case):
    tops = case.tops()
    bounds, gaps = score_bounds(tops, "all"), gap_bounds(tops, "all")
    _, found = case.every("q0", case.stake("q0", range(3)))
    low, high = extremes(found)
    assert bounds.low[:, 0] == pytest.approx(low, abs=CLOSE)
    assert bounds.high[:, 0] == pytest.approx(high, abs=CLOSE)
    least, most = extremes(found[:, None] - found)
    assert gaps.low == pytest.approx(least, abs=CLOSE)
    assert gaps.high == pytest.approx(most, abs=CLOSE)


@given(cases(systems=3))
def test_bounds_on_gaps_are_the_extremes_of_all_assignments(case):
    tops = case.tops()
    bounds = gap_bounds(tops)
    low, high = np.zeros((2, 3, 3))
    for topic in case.qrels:
        for a, b in np.ndindex(3, 3):
            _, found = case.every(topic, case.stake(topic, [a, b]))
            least, most = extremes(found[a] - found[b])
            low[a, b] += least / len(case.qrels)
            high[a, b] += most / len(case.qrels)
    assert bounds.low == pytest.approx(low, abs=CLOSE)
    assert bounds.high == pytest.approx(high, abs=CLOSE)
    means = tops.scores.mean(axis=1)
    assert bounds.value == pytest.approx(means[:, None] - means, abs=CLOSE)


@given(cases(systems=2))
def test_the_score_as_it_stands_is_that_of_score_and_lies_within(case):
    tops = case.tops()
    result = score(case.judgments, case.rankings, case.measure, case.policy)
    (scores,) = result.scores.values()
    assert np.array_equal(tops.scores, scores.values)
    bounds = score_bounds(tops)
    assert (bounds.low <= scores.values).all()
    assert (scores.values <= bounds.high).all()


PERFECT = Case({"q": {"a": 1}}, ({"q": "axy"},))


def test_judging_a_document_relevant_can_lower_a_score():
    bounds = score_bounds(PERFECT.tops())
    assert bounds.value[0, 0] == bounds.high[0, 0] == 1
    assert bounds.low[0, 0] < 0.8


def test_the_score_as_it_stands_is_no_lower_bound():
    _, found = PERFECT.every("q", ["x", "y"])
    assert found[0].min() < found[0, 0] == 1


def test_all_holes_relevant_is_not_the_upper_bound():
    """What `unjudged=optimistic` gives can be below the score as it stands, let alone the bound."""
    case = Case({"q": {"a": 2, "b": 1}}, ({"q": "abxy"},), max_grade=2, measure="nDCG@4")
    optimistic = score(case.judgments, case.rankings, "nDCG@4", Policy(unjudged="optimistic"))
    assert optimistic.scores["nDCG@4"].values[0, 0] < 0.97
    assert score_bounds(case.tops()).high[0, 0] == 1


def test_the_difference_of_bounds_is_not_attained():
    """A document that both have moves both; the difference of bounds lets it be good and bad."""
    case = Case({"q": {"a": 1}}, ({"q": "xa"}, {"q": "xab"}), measure="nDCG@2")
    tops = case.tops()
    single, gap = score_bounds(tops), gap_bounds(tops)
    loose = single.high[0, 0] - single.low[1, 0]
    assert gap.high[0, 1] == 0 < loose
    _, found = case.every("q", ["x"])
    assert (found[0] - found[1]).max() == 0


def test_the_extreme_grades_alone_are_not_enough():
    """The best grade of a document may lie between 0 and the highest."""
    case = Case({"q": {"a": 2, "b": 1}}, ({"q": "axb"},), measure="nDCG@3", max_grade=3)
    given, found = case.every("q", ["x"])
    assert given[found[0].argmax(), 0] == 1
    assert score_bounds(case.tops()).high[0, 0] == pytest.approx(found.max(), abs=CLOSE)


def test_documents_elsewhere_are_out_of_scope_unless_all_are_at_stake():
    case = Case({"q": {"a": 1}}, ({"q": "a"}, {"q": "xya"}))
    tops = case.tops()
    own, every = score_bounds(tops), score_bounds(tops, "all")
    assert own.low[0, 0] == own.high[0, 0] == 1
    assert every.low[0, 0] < every.high[0, 0] == 1


def test_a_gap_of_a_system_with_itself_is_none():
    bounds = gap_bounds(Case({"q": {"a": 1}}, ({"q": "xa"},) * 2).tops())
    assert not bounds.low.any()
    assert not bounds.high.any()


@given(cases(systems=3))
def test_gaps_have_two_sides(case):
    bounds = gap_bounds(case.tops())
    assert bounds.low == pytest.approx(-bounds.high.T, abs=0)


def test_pairs_in_blocks_are_the_same(covid, monkeypatch):
    tops = lay_out(covid.judgments, covid.some(7))
    whole = gap_bounds(tops)
    monkeypatch.setattr("ndcgstudy.holes.bounds.BLOCK", 100)
    assert np.array_equal(gap_bounds(tops).high, whole.high)


def test_negative_grades_are_judged_or_holes_as_the_policy_says():
    qrels, run = {"q": {"a": 1, "x": -1}}, {"q": {"x": 2.0, "a": 1.0}}
    data = Judgments.from_dict(qrels), [Rankings.from_dict(run)]
    assert lay_out(*data, policy=Policy(negative="zero")).topics[0].docs == ()
    assert lay_out(*data, policy=Policy(negative="unjudged")).topics[0].docs == ("x",)


def test_ties_of_the_run_are_broken_as_the_policy_says():
    data = Judgments.from_dict({"q": {"a": 1}}), [Rankings.from_dict({"q": {"a": 1.0, "z": 1.0}})]
    for ties, rank in (("trec", 1), ("input", 2)):
        assert lay_out(*data, policy=Policy(ties=ties)).topics[0].rank.tolist() == [[rank]]


def test_real_grades_and_grades_above_those_given():
    """Levels between or above the grades that may be given belong to the ideal all the same."""
    qrels = Judgments.from_dict({"q": {"a": 0.5, "b": 2.5}})
    run = Rankings.from_dict({"q": {"x": 3.0, "b": 2.0, "a": 1.0}})
    bounds = score_bounds(lay_out(qrels, [run], "nDCG@3", max_grade=2))
    found = []
    for grade in range(3):
        judged = Judgments.from_dict({"q": {"a": 0.5, "b": 2.5, "x": grade}})
        found.append(score(judged, run, "nDCG@3").scores["nDCG@3"].values[0, 0])
    assert bounds.low[0, 0] == pytest.approx(min(found), abs=CLOSE)
    assert bounds.high[0, 0] == pytest.approx(max(found), abs=CLOSE)


@pytest.mark.parametrize("measure", ["AP", "RR@10", "ERR@10", "Bpref", "Judged@10"])
def test_other_measures_are_refused_by_name(measure):
    with pytest.raises(ValueError, match=r"bounds are known for DCG, .*; not for"):
        form_of(measure)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "P"}, "bounds on P need a cutoff"),
        ({"policy": Policy(unjudged="condensed")}, "bounds need unjudged nonrelevant, got condens"),
        ({"policy": Policy(ideal="retrieved")}, "bounds need ideal cut or all, got retrieved"),
        (
            {"policy": Policy(ties="average")},
            "bounds need ties trec or input or error, got average",
        ),
        ({"policy": Policy(missing="skip")}, "bounds need missing zero, got skip"),
        ({"policy": Policy(no_relevant="skip")}, "bounds need no-relevant zero or one, got skip"),
        ({"max_grade": 0}, "`max_grade` must be a whole number at least 1"),
        ({"max_grade": 101}, "below 101, got 101"),
        ({"measure": "nDCG(gain=table(0,1))@3", "max_grade": 2}, "has no entry for grade 2"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    data = Judgments.from_dict({"q": {"a": 1}}), [Rankings.from_dict({"q": {"a": 1.0}})]
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        lay_out(*data, **options)


def test_too_high_a_grade_asks_for_the_option():
    data = Judgments.from_dict({"q": {"a": 500}}), [Rankings.from_dict({"q": {"a": 1.0}})]
    with pytest.raises(ValueError, match="the highest grade is 500; give `max_grade`"):
        lay_out(*data)
    assert lay_out(*data, max_grade=3).gains.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("function", [score_bounds, gap_bounds])
def test_an_unknown_stake_is_refused(function):
    with pytest.raises(ValueError, match="unknown stake 'al'; did you mean 'all'"):
        function(PERFECT.tops(), "al")


def test_nothing_relevant_is_given_at_most_grade_1():
    data = Judgments.from_dict({"q": {"a": 0}}), [Rankings.from_dict({"q": {"x": 1.0}})]
    tops = lay_out(*data)
    assert tops.gains.tolist() == [0, 1]
    assert score_bounds(tops).high[0, 0] == 1


def test_one_run_or_any_number_but_none():
    qrels, run = Judgments.from_dict({"q": {"a": 1}}), Rankings.from_dict({"q": {"x": 1.0}})
    for runs in (run, [run], iter([run])):
        assert lay_out(qrels, runs).topics[0].docs == ("x",)
    assert len(survey(qrels, iter([run])).table()) == 1
    with pytest.raises(ValueError, match="there is no run"):
        lay_out(qrels, [])


def test_a_survey_of_real_runs(covid, data_folder):
    from ndcgstudy import read_qrels

    after = read_qrels(data_folder / "trec_covid_round1" / "round1_plus_later.qrels.gz")
    found = survey(covid.judgments, covid.some(12), after=after)
    table = found.table()
    assert (table["low"] <= table["score"]).all()
    assert (table["score"] <= table["high"]).all()
    topics = found.topics()
    means = topics.groupby("run", sort=False)[["hole", "score", "low", "high", "after"]].mean()
    assert means.to_numpy() == pytest.approx(table[[*means]].to_numpy(), abs=CLOSE)
    judged = score(covid.judgments, covid.some(12), "Judged@10").scores["Judged@10"]
    assert table["hole"].to_numpy() == pytest.approx(1 - judged.mean(), abs=CLOSE)
    assert found.change is not None
    assert (table["change"].abs() > 0).any()


def test_judgments_that_fill_all_holes_lead_into_the_bounds(covid):
    """With every document of all tops at stake, any judgments of them stay within the bounds."""
    rng = np.random.default_rng(3)
    runs = covid.some(6)
    tops = lay_out(covid.judgments, runs)
    qrels = {t: {} for t in covid.judgments.topics}
    rows = zip(
        covid.judgments.topic, covid.judgments.docs.strings(), covid.judgments.grade, strict=True
    )
    for topic, doc, grade in rows:
        qrels[covid.judgments.topics[topic]][doc] = grade
    for name, topic in zip(covid.judgments.topics, tops.topics, strict=True):
        qrels[name] |= {doc: float(rng.integers(0, 3)) for doc in topic.docs}
    after = score(Judgments.from_dict(qrels), runs).scores["nDCG@10"].values
    bounds, gaps = score_bounds(tops, "all"), gap_bounds(tops, "all")
    assert (bounds.low <= after + CLOSE).all()
    assert (after <= bounds.high + CLOSE).all()
    gap = after.mean(axis=1)[:, None] - after.mean(axis=1)
    assert (gaps.low <= gap + CLOSE).all()
    assert (gap <= gaps.high + CLOSE).all()
    own = score_bounds(tops)
    assert not ((own.low <= after + CLOSE) & (after <= own.high + CLOSE)).all()
