"""The study of conventions: its tables, its verdicts, and what would change them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.conventions.figure import draw_ranges, drawing_for
from ndcgstudy.figures import render
from ndcgstudy.ledger import Ruling
from ndcgstudy.runner import run
from ndcgstudy.study import Study, load_study

EXPERIMENTS = Path(__file__).parents[1] / "experiments"


@pytest.fixture(scope="module")
def study() -> Study:
    return load_study(EXPERIMENTS / "conventions.py")


@pytest.fixture(scope="module")
def tables(study: Study, data_folder: Path) -> dict[str, pd.DataFrame]:
    """The tables over some twenty runs of each collection, which is quick."""
    module = study.cell.__globals__
    whole = module["collection"]

    def few(name: str) -> Any:
        judgments, runs = whole(name)
        return judgments, runs[:: len(runs) // 20]

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as executor:
        patch.setitem(module, "collection", few)
        rows = run(study, study.cells("quick"), seed=0, executor=executor)
    return study.analysis(pd.DataFrame(rows))


def verdicts(study: Study, tables: dict[str, pd.DataFrame]) -> dict[str, Any]:
    return {verdict.id: verdict for verdict in study.verdicts(tables)}


def test_both_scales_are_alike(study: Study) -> None:
    assert study.cells("quick") == study.cells("full")


def test_there_is_a_table_a_question(tables: dict[str, pd.DataFrame]) -> None:
    assert set(tables) == {
        *("table", "runs", "choices", "conventions", "pairs", "tools", "parity", "judgments"),
        "defaults",
    }
    table = tables["table"].query("measure == 'nDCG@10'").set_index(["collection", "set"])
    assert table["conventions"].to_dict() == {
        ("round 1", "all"): 432,
        ("round 1", "same ideal"): 144,
        ("DL 2021", "all"): 432,
        ("DL 2021", "same ideal"): 144,
    }
    assert len(tables["tools"]) == 2 * 13
    assert len(tables["runs"]) == 2 * 2 * (21 + 21)


def test_ranges_shrink_with_fewer_choices(tables: dict[str, pd.DataFrame]) -> None:
    runs = tables["runs"].set_index(["collection", "measure", "run", "set"])["range"].unstack()
    assert (runs["same ideal"] <= runs["all"]).all()
    assert (runs["same ideal"] > 0).all()


def test_tenths_count_every_pair_that_is_told_apart(tables: dict[str, pd.DataFrame]) -> None:
    where = ["collection", "measure", "set"]
    pairs = tables["pairs"].groupby(where)[["pairs", "pairs_flipped"]].sum()
    assert (pairs["pairs"] <= 210).all()
    assert (pairs["pairs_flipped"] <= pairs["pairs"]).all()
    assert (pairs["pairs"] >= 200).all()


def test_tools_of_one_convention_agree(tables: dict[str, pd.DataFrame]) -> None:
    tools = tables["tools"].set_index(["collection", "tool"])
    for name in ("round 1", "DL 2021"):
        same = [tools.loc[(name, t), "mean"] for t in ("trec_eval-9", "beir", "mteb")]
        assert len({*same}) == 1
        assert tools.loc[(name, "gdeval"), "mean"] != same[0]
        assert tools.loc[(name, "trec_eval-9"), "runs_changed"] == 0


def test_the_official_scores_are_met(tables: dict[str, pd.DataFrame]) -> None:
    parity = tables["parity"].set_index(["collection", "way"])
    for name, count in (("round 1", 21), ("DL 2021", 21 * 53)):
        for tool in ("mteb", "beir"):
            row = parity.loc[(name, f"as {tool}")]
            assert row["met"] == row["scores"] == count
        assert parity.loc[(name, "with gain 2^g - 1"), "met"] < count / 2  # so they can tell


def test_claims_are_decided_by_the_figures(study: Study, tables: dict[str, pd.DataFrame]) -> None:
    found = verdicts(study, tables)
    assert found["A10"].ruling == Ruling.CONDITION
    assert "self-reported" in found["A10"].why


def test_other_figures_change_the_verdicts(study: Study, tables: dict[str, pd.DataFrame]) -> None:
    parity = tables["parity"].copy()
    parity.loc[parity["way"] == "as beir", "met"] = 1
    assert verdicts(study, tables | {"parity": parity})["A10"].ruling == Ruling.CONTRADICTED
    parity = tables["parity"].copy()
    parity.loc[parity["way"] == "self-reported", "met"] = 0
    assert verdicts(study, tables | {"parity": parity})["A10"].ruling == Ruling.HOLDS


def test_every_figure_is_drawn(study: Study, tables: dict[str, pd.DataFrame]) -> None:
    for drawing in study.figures.values():
        assert b"<svg" in render(drawing, tables[drawing.table])["svg"]


@pytest.mark.parametrize("count", [1, 5, 40, 143])
def test_ranges_are_drawn_for_few_and_many_runs(count: int) -> None:
    at = np.linspace(0.9, 0.1, count)
    table = pd.DataFrame(
        {
            "run": [f"run{i}" for i in range(count)],
            "score": at,
            "lowest": at * 0.8,
            "highest": np.minimum(at * 1.1, 1),
        }
    )
    drawing = drawing_for(count)
    text = render(drawing, table)["svg"].decode()
    assert drawing.draw is draw_ranges
    assert ("run0" in text) == (count <= 40)
