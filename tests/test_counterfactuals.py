"""Every check of every claim can fail, and can be met: its study declares the tables on which it does."""

from pathlib import Path

import pandas as pd
import pytest

from ndcgstudy.claims import known_claims
from ndcgstudy.decision import Counterfactual, Decision, Tables, Tests, changed, together
from ndcgstudy.ledger import Checks, Claim, Ruling, check, true
from ndcgstudy.read_results import read
from ndcgstudy.study import find_studies, load_study

ROOT = Path(__file__).parents[1]
STUDIES = {name: load_study(path) for name, path in find_studies(ROOT / "experiments").items()}
DECIDING = [name for name, study in STUDIES.items() if study.decisions]


def one_sided(decision: Decision, tables: Tables) -> list[str]:
    """Name the checks that come out one way only, over the tables and all counterfactuals."""
    worlds = [tables, *(change(tables) for change in decision.counterfactuals)]
    found = [decision.checks(world) for world in worlds]
    assert len({len(rows) for rows in found}) == 1, f"{decision.claim.id}: not as many checks"
    assert found[0], f"{decision.claim.id}: no checks"
    return [
        f"{decision.claim.id}: {rows[0]['quantity']}: always {'met' if rows[0]['met'] else 'not met'}"
        for rows in zip(*found, strict=True)
        if len({bool(row["met"]) for row in rows}) == 1
    ]


@pytest.mark.parametrize("name", DECIDING)
def test_every_check_comes_out_both_ways(name: str) -> None:
    tables = read(ROOT / "results" / name).tables
    before = {key: table.copy() for key, table in tables.items()}
    assert [line for one in STUDIES[name].decisions for line in one_sided(one, tables)] == []
    for key, table in tables.items():  # what a check reads it leaves alone
        pd.testing.assert_frame_equal(table, before[key])


def test_every_known_claim_is_decided_by_a_study() -> None:
    known, _ = known_claims(ROOT / "experiments")
    decided = [claim.id for study in STUDIES.values() for claim in study.claims]
    assert sorted(decided) == sorted(known)


TABLES = {"table": pd.DataFrame({"x": [1.0, 3.0]})}


def mean(tables: Tables) -> Checks:
    return [check("mean", tables["table"]["x"].mean(), 2), true("so", True)]


@pytest.mark.parametrize(
    ("counterfactuals", "idle"),
    [
        ((), ["X: mean: always met", "X: so: always met"]),
        ((changed(x=0),), ["X: so: always met"]),
        ((changed(x=2),), ["X: mean: always met", "X: so: always met"]),
    ],
)
def test_a_check_that_nothing_changes_is_found(
    counterfactuals: tuple[Counterfactual, ...], idle: list[str]
) -> None:
    assert one_sided(Decision(Claim("X", "Text."), mean, counterfactuals), TABLES) == idle


def test_a_counterfactual_leaves_the_tables_at_hand_as_they_are() -> None:
    change = together(changed(where="x > 1", x=lambda t: -t["x"]), changed(y=1))
    assert change(TABLES)["table"].to_dict("list") == {"x": [1.0, -3.0], "y": [1, 1]}
    assert TABLES["table"].to_dict("list") == {"x": [1.0, 3.0]}


@pytest.mark.parametrize(
    ("value", "how", "ruling"),
    [
        (2, {"source": "Somebody (1999)"}, Ruling.CITED),
        (3, {"source": "Somebody (1999)"}, Ruling.CONTRADICTED),
        (2, {"premise": "it is so"}, Ruling.CONDITION),
        (3, {"premise": "it is so"}, Ruling.CONTRADICTED),
        (2, {}, Ruling.HOLDS),
    ],
)
def test_what_is_cited_or_assumed_shows_in_the_ruling(value, how, ruling) -> None:
    found = Decision(Claim("X", "Text."), lambda tables: [check("x", value, 2)], **how).verdict({})
    assert found.ruling == ruling
    if ruling != Ruling.CONTRADICTED:
        assert all(text in found.why for text in how.values())


def test_a_test_of_an_unknown_claim_or_a_second_one_is_refused() -> None:
    tests = Tests({"A1": Claim("A1", "One.")})
    tests.of("A1")(lambda score: [])
    with pytest.raises(ValueError, match="claim A1 has two tests"):
        tests.of("A1")(lambda score: [])
    with pytest.raises(ValueError, match="unknown claim 'A2'"):
        tests.of("A2")(lambda score: [])


def test_claims_on_lists_are_judged_by_their_own_rows_and_by_other_measures() -> None:
    tests = Tests({key: Claim(key, "Text.") for key in ("A1", "A2")})
    for key, stated in (("A2", 0.5), ("A1", 0.4)):
        tests.of(key, {"DCG": "DCG(discount=zipf)"})(
            lambda score, stated=stated: [check("x", score("DCG", [0, 0, 1]), stated)]
        )
    tables = {"table": pd.DataFrame([row for key in tests for row in tests.rows(key)])}
    assert [one.verdict(tables).ruling for one in tests.decisions] == [
        Ruling.HOLDS,
        Ruling.CONTRADICTED,
    ]
    assert one_sided(tests.decisions[0], tables) == []
    assert one_sided(tests.decisions[1], tables) == ["A1: x: always not met"]
