"""A verdict follows from checks, and its reason holds the figures that decide."""

import pandas as pd
import pytest

from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import (
    Claim,
    Ruling,
    Verdict,
    check,
    interval,
    judge,
    missed,
    read_claims,
    told,
    true,
)
from ndcgstudy.read_results import read_table
from ndcgstudy.results import table_bytes, text_columns


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
    assert judge("X", pd.DataFrame(rows)).why == "loss: 0.613, not 0.39."


def test_what_is_so_or_not_is_told_as_yes_or_no():
    rows = [true("ahead", True), true("far", False, limit=True), true("near", True, limit=True)]
    found = judge("X", pd.DataFrame([*rows, check("ratio", 1, 1)]))
    assert found.ruling == Ruling.CONDITION
    assert found.measured == "ahead: yes; ratio: 1"
    assert found.why == "Both checks are met; but far: no."
    wrong = judge("X", pd.DataFrame([true("ahead", False), check("loss", 1, 0)]))
    assert wrong.ruling == Ruling.CONTRADICTED
    assert wrong.measured == "ahead: no; loss: 1"
    assert wrong.why == "ahead: no; loss: 1, not 0."


def test_a_figure_stands_with_its_interval_where_it_has_one():
    low, high = wilson(160, 252)
    row = check("share", 160 / 252, 0.7, low=low, high=high)
    assert told(row) == "share: 0.6349 [0.574, 0.692]"
    assert missed(row) == "share: 0.6349 [0.574, 0.692], not 0.7"
    assert told(check("share", 0, 0, low=0, high=0.5)) == "share: 0 [0, 0.5]"
    assert told(check("share", 0.5, 0.5)) == "share: 0.5"
    assert missed(check("share", float("nan"), 0.5)) == "share: nan, not 0.5"
    so = {met: true("most", met, value=0.9, low=0.8, high=0.95) for met in (True, False)}
    assert told(so[True]) == "most: yes, 0.9 [0.8, 0.95]"
    assert told(so[False]) == missed(so[False]) == "most: no, 0.9 [0.8, 0.95]"
    assert told(true("most", True, value=0.9)) == "most: yes, 0.9"


def test_an_interval_is_the_one_beside_the_column_or_else_made_from_its_error():
    row = {"x": 0.5, "x_se": 0.1, "y": 0.5, "y_se": 0.1, "y_low": 0.2, "y_high": 0.9}
    for kind in (dict, pd.Series):
        assert list(interval(kind(row), "x").values()) == pytest.approx([0.304, 0.696])
        assert interval(kind(row), "y") == {"low": 0.2, "high": 0.9}
    with pytest.raises(KeyError, match="z_se"):
        interval(row, "z")


def test_an_interval_decides_nothing():
    for stated in (0.5, 0.9):
        rows = [check("x", 0.5, stated, low=low, high=high) for low, high in ((0.4, 0.6), (0.1, 1))]
        assert len({row["met"] for row in rows}) == 1


def test_checks_read_back_from_a_table_are_judged_alike():
    rows = [
        true("ahead", True, value=0.25, low=0.125, high=0.5),
        check("ratio", 1, 1, low=0.5, high=2),
        check("loss", 3, 3),
        true("far", False, limit=True),
    ]
    table = pd.DataFrame(rows)
    again = read_table(table_bytes(table), text_columns(table))
    assert judge("X", again) == judge("X", table)


@pytest.mark.parametrize(
    ("count", "words"), [(1, "The check is"), (2, "Both checks are"), (3, "All 3 checks are")]
)
def test_a_claim_that_holds_says_how_many_checks_are_met(count, words):
    assert judge("X", pd.DataFrame([check("one", 1, 1)] * count)).why == f"{words} met."


@pytest.mark.parametrize(("value", "met"), [(0.6305, True), (0.6304, False), (float("nan"), False)])
def test_a_check_is_met_within_its_tolerance_only(value, met):
    assert check("weight", value, 0.631, within=0.00050001)["met"] is met


def test_claims_are_read_as_they_stand(tmp_path):
    (tmp_path / "claims.csv").write_text('id,claim\nA1,"One, two."\n', encoding="utf-8")
    assert read_claims(tmp_path / "claims.csv") == {"A1": Claim("A1", "One, two.")}


def test_a_condition_names_what_is_beyond_it():
    rows = [check("inside", 1, 1), check("outside", 64, 0, limit=True)]
    assert judge("X", pd.DataFrame(rows)) == Verdict(
        "X",
        Ruling.CONDITION,
        "inside: 1",
        "The check is met; but outside: 64, not 0.",
    )
