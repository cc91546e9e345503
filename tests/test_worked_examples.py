"""The study of worked examples decides its claims from numbers, and wrong numbers change verdicts."""

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling, read_claims
from ndcgstudy.runner import run
from ndcgstudy.study import load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
DECIDED = [
    *("A1", "A2", "A3", "A4", "A5", "A6", "A8", "A18", "A29"),
    *("B2", "B3", "B4", "B1"),
]


@pytest.fixture(scope="module")
def study():
    return load_study(EXPERIMENTS / "worked_examples.py")


def tables_of(study):
    with ThreadPoolExecutor(1) as executor:
        rows = run(study, study.cells("quick"), seed=0, executor=executor)
    return study.analysis(pd.DataFrame(rows))


@pytest.fixture(scope="module")
def tables(study):
    return tables_of(study)


@pytest.fixture(scope="module")
def verdicts(study, tables):
    return {verdict.id: verdict for verdict in study.verdicts(tables)}


def test_these_claims_are_decided(verdicts):
    assert list(verdicts) == DECIDED


@pytest.mark.parametrize(
    ("ruling", "ids"),
    [
        (Ruling.CONTRADICTED, {"B3", "B4"}),
        (Ruling.CONDITION, {"B1"}),
        (Ruling.CITED, set()),
    ],
)
def test_rulings_that_differ_from_holds(verdicts, ruling, ids):
    assert {key for key, verdict in verdicts.items() if verdict.ruling == ruling} == ids


def test_a_reduction_by_39_percent_is_what_remains(verdicts):
    why = verdicts["B3"].why
    assert f"{1 - 1 / np.log2(6):.4g}, not 0.39" in why
    assert f"{1 / np.log2(6):.4g}, not 0.61" in why


def test_the_table_holds_the_numbers_of_the_example(tables):
    rows = tables["table"].set_index("claim")
    values = [rows.loc[key, "value"] for key in ("A3", "A4", "A5", "A6")]
    assert np.round(values, 3).tolist() == [6.861, 7.141, 0.961, 0.949]


def test_the_drawn_example_sums_to_the_same_numbers(tables):
    sums = tables["example"].groupby("order", sort=False)["counted"].sum()
    assert sums.round(3).to_dict() == {"as ranked": 6.861, "ideal order": 7.141}


def test_every_figure_is_drawn(study, tables):
    for drawing in study.figures.values():
        assert set(render(drawing, tables[drawing.table])) == {"png", "svg"}


def test_figures_do_not_depend_on_the_seed_or_the_scale(study, tables):
    with ThreadPoolExecutor(1) as executor:
        rows = run(study, study.cells("full"), seed=5, executor=executor)
    pd.testing.assert_frame_equal(study.analysis(pd.DataFrame(rows))["table"], tables["table"])


# the files beside the study


def test_all_claims_are_known_by_their_ids():
    claims = read_claims(EXPERIMENTS / "claims.csv")
    assert list(claims) == [f"A{i}" for i in range(1, 33)] + [f"B{i}" for i in range(1, 24)]
    assert all(claim.text for claim in claims.values())


def test_every_tool_has_defaults_of_a_known_kind_and_a_source():
    with (EXPERIMENTS / "tools.csv").open(encoding="utf-8", newline="") as file:
        tools = list(csv.DictReader(file))
    assert {tool["kind"] for tool in tools} == {"evaluation", "learning to rank"}
    assert {tool["gain"] for tool in tools} == {"linear", "exponential", "table"}
    assert all(tool["source"] for tool in tools)
    assert len({tool["tool"] for tool in tools}) == len(tools)
