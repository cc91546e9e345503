"""The code of the README and of docs/ runs as it stands there."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from full_results import at_full_scale
from gaps import two_models

from ndcgstudy.cli import main
from ndcgstudy.inference.registered import DEFAULTS
from ndcgstudy.populations import KINDS as POPULATION_KINDS
from ndcgstudy.read_results import find
from ndcgstudy.study import find_studies, load_study

ROOT = Path(__file__).parent.parent
PAGES = {path.name: path for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
TEXTS = {name: path.read_text() for name, path in PAGES.items()}


def blocks(name: str, language: str) -> list[str]:
    found = re.findall(r"```(\w*)\n(.*?)```", TEXTS[name], re.DOTALL)
    return [code for tongue, code in found if tongue == language]


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A folder with the files that the pages name: the README's own discount, runs, scores, answers."""
    mine = next(code for code in blocks("README.md", "python") if "def half" in code)
    (tmp_path / "mine.py").write_text(mine)
    rng = np.random.default_rng(0)
    topics, docs = [f"q{i}" for i in range(8)], [f"d{i}" for i in range(12)]
    judged = [f"{t} 0 {d} {rng.integers(3)}" for t in topics for d in docs[:9]]
    (tmp_path / "QRELS").write_text("\n".join(judged))
    for run in ("RUN", "RUN_B"):
        lines = [f"{t} Q0 {d} 1 {rng.random()} {run}" for t in topics for d in docs]
        (tmp_path / run).write_text("\n".join(lines))
    (tmp_path / "runs").mkdir()
    for run in ("RUN", "RUN_B"):
        (tmp_path / "runs" / run).write_text((tmp_path / run).read_text())
    values = rng.random((20, 3)) + np.array([0, 0.1, 0.5])
    rows = [f"q{i}," + ",".join(map(repr, row)) for i, row in enumerate(values.tolist())]
    (tmp_path / "scores.csv").write_text("\n".join(["topic,a,b,c", *rows]))
    two_models(tmp_path / "mteb")
    answers = [f"{t},RUN,RUN_B,{rng.choice(['A', 'B', 'tie'])}" for t in topics]
    (tmp_path / "answers.csv").write_text("\n".join(["topic,run_a,run_b,preference", *answers]))
    (tmp_path / "PAIRS").write_text("\n".join(json.dumps(pair) for pair in _pairs(rng)))
    (tmp_path / "experiments").symlink_to(ROOT / "experiments")
    shutil.copytree(ROOT / "results", tmp_path / "results")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _pairs(rng: np.random.Generator) -> list[dict]:
    """Answers to pairs of five documents; people like grades, and err now and then."""
    grades = rng.integers(3, size=(60, 2, 5))
    liking = grades.sum(axis=2) + rng.normal(size=(60, 2))
    return [
        {"query": f"q{i % 12}", "pref": "A" if first > second else "B"}
        | {f"{side}_docs": [f"{side}{rank}" for rank in range(5)] for side in "AB"}
        | {f"{side}_grades": grades[i, k].tolist() for k, side in enumerate("AB")}
        for i, (first, second) in enumerate(liking)
    ]


def commands() -> list[str]:
    lines = [line for name in PAGES for code in blocks(name, "sh") for line in code.splitlines()]
    found = [line.partition("bin/ndcgstudy ")[2] for line in lines if "bin/ndcgstudy " in line]
    assert found
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("line", commands())
def test_commands_run(place, line):
    words = shlex.split(
        line.replace("RUN...", "RUN RUN_B").replace("--scale full", "--scale quick")
    )
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0


def examples() -> list[str]:
    codes = [code for name in PAGES for code in blocks(name, "python")]
    return [code for code in codes if "import ndcgstudy" in code]


@pytest.mark.parametrize("code", examples())
def test_the_library_examples_run(place, code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout


def test_the_added_discount_is_a_part(place):
    code = next(code for code in blocks("discounts.md", "python") if "class Step" in code)
    head = (
        "from dataclasses import dataclass\nimport numpy as np\n"
        "from ndcgstudy.discounts import DISCOUNTS\n"
    )
    tail = "\nassert str(DISCOUNTS.parse('step(page=5)')) == 'step(page=5)'\n"
    subprocess.run([sys.executable, "-c", head + code + tail], check=True)


@pytest.mark.parametrize("name", ["README.md", "conventions.md"])
def test_the_number_to_match_is_that_of_a_tool(place, capsys, name):
    line = next(line for line in TEXTS[name].splitlines() if "ndcgstudy match" in line)
    with pytest.raises(SystemExit):
        main([*shlex.split(line)[1:], "--format", "json"])
    assert "gdeval" in json.loads(capsys.readouterr().out)[0]["tools"]


def test_the_counts_of_the_texts_are_those_of_the_results():
    results = at_full_scale(*(path.name for path in find(ROOT / "results")))
    verdicts = pd.read_csv(results / "claims.csv")["verdict"].value_counts()
    told = (
        f"Of their {verdicts.sum()} statements, {verdicts['holds']} hold, "
        f"{verdicts['holds with a condition']} hold with a condition, {verdicts['contradicted']} are "
        f"contradicted, each by a study's numbers, and {verdicts['cited only']} repeat figures of papers"
    )
    assert told in " ".join(TEXTS["README.md"].split())
    conventions = pd.read_csv(results / "conventions" / "table.csv")["conventions"].max()
    assert f"all {conventions} combinations" in TEXTS["conventions.md"]
    counts = pd.read_csv(results / "preferences" / "table.csv")
    whole = counts.query("measure == 'nDCG@5' and stratum == 'all'")
    answers = whole[["agree", "disagree", "tie", "human_tie", "both_tie"]].to_numpy().sum()
    assert f"({answers:,} answers on lists of songs)" in TEXTS["preferences.md"]


def test_every_option_of_score_is_in_its_table():
    from ndcgstudy.policies import CHOICES

    for name, values in CHOICES.items():
        row = next(
            line
            for line in TEXTS["scoring.md"].splitlines()
            if f"`--{name.replace('_', '-')}`" in line
        )
        assert all(f"`{value}`" in row for value in values), row


def test_the_table_of_conventions_is_the_one_that_is_printed(capsys):
    with pytest.raises(SystemExit):
        main(["list", "conventions"])
    assert capsys.readouterr().out.rstrip() in TEXTS["conventions.md"]


NS = [3, 5, 10, 25, 50, 100, 250]
KINDS = {"one": "**a gap on its own**", "all": "**all pairs at once**"}
PLACES = {
    **{f"{n} topics": ("nDCG", n) for n in (10, 25, 50, 100, 250)},
    "P@1, RR, 25": ("P@1, RR", 25),
    "near-duplicates, 25": ("near-duplicates", 25),
    "100": ("near-duplicates", 100),
    "sparse, 25": ("sparse", 25),
}


def calibrated() -> pd.DataFrame:
    """Coverage on real matrices, a row a kind of boards, method, number of systems and of topics."""
    summary = pd.read_csv(at_full_scale("calibration") / "calibration" / "summary.csv")
    real = summary[(summary["source"] == "resampled") & summary["kind"].isin(["one", "all"])]
    return real.assign(coverage=real["covered"].where(real["kind"] == "one", real["all_covered"]))


def mean(own: pd.DataFrame, boards: str, topics: int, name: str) -> str:
    """Average over the boards drawn, with 10 and with 30 systems."""
    rows = own[(own["boards"] == boards) & (own["topics"] == topics)]
    return f"{np.average(rows[name], weights=rows['lists']):.3f}".removeprefix("0")


def laid_out(
    table: pd.DataFrame, heads: list[str], cells: Callable[[pd.DataFrame], list[str]]
) -> str:
    """Write a line a method, below the kind of its promise."""
    lines = [f"| {' | '.join(['method', *heads])} |", "|---|" + "---:|" * len(heads)]
    for kind, rows in table.groupby("kind", sort=False):
        lines.append(f"| {KINDS[kind]} |" + " |" * len(heads))
        for method, own in rows.groupby("method", sort=False):
            lines.append(f"| `{method}` | " + " | ".join(cells(own)) + " |")
    return "\n".join(lines)


def table_of_the_readme() -> str:
    """Coverage by method and the half-width on boards of nDCG at 50 topics."""

    def cells(own: pd.DataFrame) -> list[str]:
        shares = [mean(own, *place, "coverage") for place in PLACES.values()]
        return [*shares, mean(own, "nDCG", 50, "half")]

    return laid_out(calibrated(), [*PLACES, "half-width, 50"], cells)


def tables_of_methods() -> list[str]:
    """Coverage by method and number of topics, a table a kind of boards."""
    return [
        f"{POPULATION_KINDS[boards]}:\n\n"
        + laid_out(
            table,
            [f"{n} topics" for n in NS],
            lambda own, boards=boards: [mean(own, boards, n, "coverage") for n in NS],
        )
        for boards, table in calibrated().groupby("boards", sort=False)
    ]


def test_the_tables_of_methods_are_those_of_the_results():
    for table in tables_of_methods():
        assert table in TEXTS["gaps.md"]


def test_the_table_of_the_readme_is_that_of_the_results():
    assert table_of_the_readme() in TEXTS["README.md"]


def test_the_readme_names_the_defaults_and_the_error_of_its_table():
    text = " ".join(TEXTS["README.md"].split())
    assert f"`{DEFAULTS['each']}` for a gap on its own" in text
    assert f"`{DEFAULTS['all']}` for all pairs" in text
    drawn = calibrated().query("boards == 'nDCG' and kind == 'all' and topics >= 25")
    lists = drawn.groupby(["method", "topics"])["lists"].sum()
    errors = [(0.95 * 0.05 / n) ** 0.5 for n in (lists[DEFAULTS["all"]].min(), lists.min())]
    said = " and ".join(f"{error:.3f}".removeprefix("0") for error in errors)
    assert f"Monte-Carlo errors of {said}" in text


def test_what_is_said_of_plans_is_what_the_study_found():
    table = pd.read_csv(ROOT / "results" / "planning" / "table.csv").set_index(["family", "pilot"])
    each, every = (
        [f"{table.loc[(family, n), 'found']:.2f}"[1:] for n in (25, 50)]
        for family in ("each", "all")
    )
    assert table["planned"].to_dict() == {
        (family, n): {25: 74, 50: 49}[n] for family in ("each", "all") for n in (25, 50)
    }
    said = f"found in {' and '.join(each)} of cases pair by pair, and in {' and '.join(every)} all"
    assert said in " ".join(TEXTS["gaps.md"].split())


def table_of_studies() -> str:
    """Every study with its question."""
    found = find_studies(ROOT / "experiments")
    rows = [f"| `{name}` | {load_study(path).question} |" for name, path in found.items()]
    return "\n".join(["| study | question |", "|---|---|", *rows])


def test_the_table_of_studies_is_whole():
    assert table_of_studies() in TEXTS["studies.md"]


def test_figures_and_pages_are_there():
    for name, path in PAGES.items():
        links = re.findall(r"\]\(([^)#:]*?)\)", TEXTS[name])
        missing = [link for link in links if not (path.parent / link).is_file()]
        assert not missing, (name, missing)
    assert re.search(r"!\[", TEXTS["README.md"])
