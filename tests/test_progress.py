"""Progress: plain lines where there is no terminal, a bar where there is one."""

import os
import pty
import sys

import pytest
from study_files import TINY, put

from ndcgstudy.cli.progress import Lines, meter


class Clock:
    """A clock that goes on by one second a look."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.fixture
def lines(monkeypatch):
    monkeypatch.setattr("time.monotonic", Clock())
    return Lines(20)


def told(capsys):
    return [line.removeprefix("ndcgstudy: ") for line in capsys.readouterr().err.splitlines()]


def test_a_line_comes_every_few_seconds_and_at_the_end(lines, capsys):
    lines.begin("means")
    for _ in range(20):
        lines.step()
    assert told(capsys) == [
        "means begins, 0 of 20 cells done",
        "means: 5 of 20 cells, 1.0 cells/s, 15 s left",
        "means: 10 of 20 cells, 1.0 cells/s, 10 s left",
        "means: 15 of 20 cells, 1.0 cells/s, 5 s left",
        "means: 20 of 20 cells, 1.0 cells/s, 0 s left",
    ]


def test_the_second_study_goes_on_where_the_first_ended(lines, capsys):
    lines.begin("one")
    for _ in range(3):
        lines.step()
    lines.begin("two")
    assert told(capsys)[-1] == "two begins, 3 of 20 cells done"


def test_without_a_terminal_the_meter_writes_lines(capsys):
    with meter(1) as shown:
        shown.begin("means")
        shown.step()
    assert told(capsys)[0] == "means begins, 0 of 1 cells done"


def test_reused_cells_are_told_and_not_counted(capsys):
    with meter(1) as shown:
        shown.begin("means", 5)
        shown.step()
    first, last = told(capsys)
    assert first == "means begins, 0 of 1 cells done, 5 reused"
    assert last.startswith("means: 1 of 1 cells")


def test_a_quiet_meter_says_nothing(capsys):
    with meter(1, quiet=True) as shown:
        shown.begin("means")
        shown.step()
    assert told(capsys) == []


def run_on_a_terminal(arguments):
    """Run the command with a terminal for its streams and return what it writes."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="100")
        os.execv(sys.executable, [sys.executable, "-m", "ndcgstudy", *arguments])
    written = b""
    try:
        while chunk := os.read(terminal, 4096):
            written += chunk
    except OSError:
        pass  # the end of a terminal whose process has ended
    os.waitpid(child, 0)
    return written.decode()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_on_a_terminal_there_is_a_bar_with_cells_and_rate(tmp_path):
    folder = put(tmp_path / "studies", means=TINY)
    out = str(tmp_path / "out")
    where = ["--experiments", str(folder), "--out", out, "--cache", str(tmp_path / "cache")]
    written = run_on_a_terminal(["reproduce", *where])
    assert "6/6" in written
    assert "cells/s" in written
    assert "means" in written
    assert "begins" not in written
