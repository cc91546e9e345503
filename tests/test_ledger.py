"""A verdict follows from checks, and its reason holds the figures that decide."""

import pandas as pd
import pytest

from ndcgstudy.ledger import Claim, Ruling, Tests, Verdict, check, judge, read_claims, spoken


@pytest.mark.parametrize(
    ("main", "limit", "ruling"),
    [
        (1, 1, Ruling.HOLDS),
        (1, 2, Ruling.CONDITION),
        (2, 1, Ruling.CONTRADICTED),
        (2, 2, Ruling.CONTRADICTED),
    ],
)
def test_a_ruling_follows_from_the_checks(main, limit, ruling):
    rows = [check("first", main, 1), check("beyond", limit, 1, limit=True)]
    assert judge("X", pd.DataFrame(rows)).ruling == ruling


def test_the_reason_holds_the_figures_that_decide():
    rows = [check("loss", 0.613, 0.39, within=0.005), check("other", 1, 1)]
    assert judge("X", pd.DataFrame(rows)).why == "loss is 0.613, not 0.39."


def test_yes_and_no_are_read_as_words_and_other_numbers_stay():
    rows = [
        check("ahead (1: yes)", 1, 1),
        check("gain (loose; 1: yes)", 1, 1),
        check("ratio (1: yes, of 2)", 1, 1),
        check("far (see x) (1: yes)", 0, 1, limit=True),
        check("near (1: yes)", 1, 1, limit=True),
    ]
    found = judge("X", pd.DataFrame(rows))
    assert spoken(found.measured) == "ahead: yes; gain (loose): yes; ratio (1: yes, of 2): 1"
    assert spoken(found.why) == "3 of 3 figures are as stated; but far (see x): no."
    wrong = judge("X", pd.DataFrame([check("ahead (1: yes)", 0, 1), check("loss", 1, 0)]))
    assert spoken(wrong.measured) == "ahead: no; loss: 1"
    assert spoken(wrong.why) == "ahead: no; loss is 1, not 0."


@pytest.mark.parametrize(("value", "met"), [(0.6305, True), (0.6304, False), (float("nan"), False)])
def test_a_check_is_met_within_its_tolerance_only(value, met):
    assert check("weight", value, 0.631, within=0.00050001)["met"] is met


def test_a_test_of_an_unknown_claim_or_a_second_one_is_refused():
    tests = Tests({"A1": Claim("A1", "One.")})
    tests.of("A1")(lambda: [])
    with pytest.raises(ValueError, match="claim A1 has two tests"):
        tests.of("A1")(lambda: [])
    with pytest.raises(ValueError, match="unknown claim 'A2'"):
        tests.of("A2")(lambda: [])


def test_claims_are_read_as_they_stand(tmp_path):
    (tmp_path / "claims.csv").write_text('id,claim\nA1,"One, two."\n', encoding="utf-8")
    assert read_claims(tmp_path / "claims.csv") == {"A1": Claim("A1", "One, two.")}


def test_a_condition_names_what_is_beyond_it():
    rows = [check("inside", 1, 1), check("outside", 64, 0, limit=True)]
    assert judge("X", pd.DataFrame(rows)) == Verdict(
        "X",
        Ruling.CONDITION,
        "inside: 1",
        "1 of 1 figures are as stated; but outside is 64, not 0.",
    )


def test_every_claim_is_judged_by_its_own_rows():
    tests = Tests({key: Claim(key, "Text.") for key in ("A1", "A2", "A3")})
    tests.of("A2")(lambda: [check("two", 2, 2)])
    tests.of("A1")(lambda: [check("one", 2, 1)])
    rows = pd.DataFrame([row for claim in tests.claims for row in tests.rows(claim.id)])
    assert [(v.id, v.ruling) for v in tests.verdicts(rows)] == [
        ("A2", Ruling.HOLDS),
        ("A1", Ruling.CONTRADICTED),
    ]
