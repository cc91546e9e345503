"""The study of nDCG@5 = .89 with nDCG@20 = .72: every list is counted, and systems are mixtures."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling
from ndcgstudy.measures import score_grades
from ndcgstudy.profiles import HALF, lists_with, systems_with
from ndcgstudy.study import load_study

STUDY = load_study(Path(__file__).parents[1] / "experiments" / "profiles.py")


@pytest.fixture(scope="module")
def tables():
    rng = np.random.default_rng(0)
    return STUDY.analysis(
        pd.DataFrame([row for c in STUDY.cells("quick") for row in STUDY.cell(c, rng)])
    )


def verdict(tables):
    (found,) = STUDY.verdicts(tables)
    return found


def matching(grades, ideal, five, twenty):
    """Say which lists round to both figures, by the measure itself."""
    near = [
        abs(score_grades(f"nDCG@{k}", grades, ideal) - at) < HALF
        for k, at in ((5, five), (20, twenty))
    ]
    return near[0] & near[1]


@pytest.mark.parametrize("relevant", [12, 20])
def test_binary_lists_are_counted_as_by_looking_at_each(relevant):
    numbers = np.arange(2**20, dtype=np.uint32)
    held = np.unpackbits(numbers.view(np.uint8)).reshape(-1, 32).sum(axis=1)
    numbers = numbers[held <= relevant]
    lists = (numbers[:, None] >> np.arange(20, dtype=np.uint32)) & 1
    so = matching(lists, np.ones(relevant), 0.87, 0.75)
    found = lists_with(relevant, 0, 0.87, 0.75)
    kept = lists[so]
    keys, counts = np.unique(
        [kept.sum(axis=1), kept[:, :5].sum(axis=1)], axis=1, return_counts=True
    )
    assert found.counts == dict(zip(map(tuple, keys.T), counts, strict=True))
    assert len(kept) > 100
    assert found.ranks[0].tolist() == kept.sum(axis=0).tolist()


def test_graded_lists_are_as_many_as_a_sample_of_all_lists_says():
    rng, ideal, drawn = np.random.default_rng(0), np.repeat([2, 1], [10, 5]), 600_000
    found = lists_with(5, 10, 0.89, 0.72)
    assert (
        min(top for _, top in found.counts) == 5
    )  # all hold five documents in the head, a 2 on top
    assert found.ranks[1][0] == found.total
    lists = rng.integers(0, 3, (drawn, 20))
    lists[:, 0], lists[:, 1:5] = 2, rng.integers(1, 3, (drawn, 4))
    so = matching(lists, ideal, 0.89, 0.72)
    fits = ((lists == 1).sum(axis=1) <= 5) & ((lists == 2).sum(axis=1) <= 10)
    space = 2**4 * 3**15
    for hits, right in ((so & fits, True), (so, False)):  # without the limits there are more
        share = hits.mean()
        error = (share * (1 - share) / drawn) ** 0.5
        assert (abs(found.total / space - share) < 4 * error) == right


def test_shares_by_rank_add_up_to_the_mean_number_of_relevant_documents(tables):
    ranks = tables["ranks"].groupby(["ones", "twos"])[["grade_1", "grade_2"]].sum().sum(axis=1)
    table = tables["table"].set_index(["ones", "twos"]).loc[ranks.index]
    assert (table["recall_mean"] * table["relevant"]).to_numpy() == pytest.approx(ranks.to_numpy())


def test_no_topic_with_one_grade_has_such_a_list(tables):
    table = tables["table"]
    assert table.loc[table["twos"] == 0, "lists"].tolist() == [0] * 100
    assert (table.loc[table["twos"] > 0, "lists"] > 0).any()


def test_a_mixture_of_any_lists_has_a_recall_within_the_range_of_corners():
    relevant, rng = 10, np.random.default_rng(1)
    keys = rng.random((4000, 20)) - rng.uniform(0, 0.1, (4000, 1)) * np.arange(20, 0, -1)
    places = keys.argsort(axis=1).argsort(axis=1)
    lists = (places < rng.integers(1, relevant + 1, (4000, 1))).astype(float)
    five, twenty = (score_grades(f"nDCG@{k}", lists, np.ones(relevant)) for k in (5, 20))
    recall = lists.sum(axis=1) / relevant
    equal = np.stack([five, twenty, np.ones(4000)])
    ends = [linprog(s * recall, A_eq=equal, b_eq=[0.89, 0.72, 1]) for s in (1, -1)]
    least, most = ends[0].fun, -ends[1].fun
    found = systems_with(relevant, 0.89, 0.72)
    assert found["recall_least"] < least < most < found["recall_most"]
    assert most - least > 0.05
    assert systems_with(30, 0.89, 0.72)["recall_most"] < least  # of another size


def test_few_relevant_documents_leave_no_such_system_and_many_a_poor_recall(tables):
    systems = tables["systems"].set_index("relevant")
    assert systems.loc[[3, 4, 5, 6]].isna().all(axis=None)
    assert systems.loc[10, "recall_least"] > 0.5
    assert systems.loc[40, "recall_most"] < 0.5


def test_the_claim_has_its_conditions(tables):
    found = verdict(tables)
    assert (found.id, found.ruling) == ("B8", Ruling.CONDITION)
    assert "recall@20 below 0.5" in found.why


def test_other_lists_would_change_the_verdict(tables):
    table, systems = tables["table"], tables["systems"]
    flat = verdict({**tables, "table": table.assign(heavy=table["heavy"] / 2)})
    assert flat.ruling == Ruling.CONTRADICTED
    poor = {"table": table.assign(poor=1.0, lists=1), "systems": systems.assign(recall_most=0.3)}
    assert verdict({**tables, **poor}).ruling == Ruling.HOLDS


def test_figures_are_drawn_and_quick_cells_are_among_the_full_ones(tables):
    for drawing in STUDY.figures.values():
        assert b"<svg" in render(drawing, tables[drawing.table])["svg"]
    full = STUDY.cells("full")
    assert all(cell in full for cell in STUDY.cells("quick"))
