"""The README's code runs as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ndcgstudy.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
FENCED = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


def blocks(language: str) -> list[str]:
    return [code for name, code in FENCED if name == language]


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """A folder with the README's own discount, a qrels file and a run."""
    mine = next(code for code in blocks("python") if "def half" in code)
    (tmp_path / "mine.py").write_text(mine)
    (tmp_path / "QRELS").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "RUN").write_text("q1 Q0 d2 1 2.0 bm25\nq1 Q0 d1 2 1.0 bm25\n")
    (tmp_path / "experiments").symlink_to(ROOT / "experiments")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[str]:
    lines = [line for code in blocks("sh") for line in code.splitlines()]
    found = [line.partition("bin/ndcgstudy ")[2] for line in lines if "bin/ndcgstudy " in line]
    assert found
    return found


@pytest.mark.parametrize("line", commands())
def test_commands_run(place, line):
    import shlex

    words = shlex.split(line.replace("RUN...", "RUN").replace("--scale full", "--scale quick"))
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0


def test_the_library_example_runs(place):
    code = next(code for code in blocks("python") if "import ndcgstudy" in code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "gain linear" in done.stdout


def test_the_added_discount_is_a_part(place):
    code = next(code for code in blocks("python") if "class Step" in code)
    head = (
        "from dataclasses import dataclass\nimport numpy as np\n"
        "from ndcgstudy.discounts import DISCOUNTS\n"
    )
    tail = "\nassert str(DISCOUNTS.parse('step(page=5)')) == 'step(page=5)'\n"
    subprocess.run([sys.executable, "-c", head + code + tail], check=True)


def test_every_option_of_score_is_in_its_table():
    from ndcgstudy.policies import CHOICES

    for name, values in CHOICES.items():
        row = next(line for line in README.splitlines() if f"`--{name.replace('_', '-')}`" in line)
        assert all(f"`{value}`" in row for value in values), row


def test_figures_are_there():
    figures = re.findall(r"!\[.*?\]\((.*?)\)", README)
    assert figures
    assert all((ROOT / figure).is_file() for figure in figures)
