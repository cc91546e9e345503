"""Progress on stderr: a bar on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from ndcgstudy.cli.app import say

if TYPE_CHECKING:
    from rich.progress import Progress, Task, TaskID
    from rich.text import Text


class Meter(Protocol):
    """Shows how far a run has come."""

    def begin(self, study: str, reused: int = 0) -> None:
        """Say which study runs now, and how many of its cells were stored before."""

    def step(self) -> None:
        """Count a finished cell."""


@contextmanager
def meter(total: int, *, quiet: bool = False) -> Iterator[Meter]:
    """Show the progress of `total` cells until the block ends."""
    if quiet:
        yield Silence()
        return
    if not sys.stderr.isatty():
        yield Lines(total)
        return
    with _bar() as progress:
        yield Bar(progress, progress.add_task("", total=total))


class Silence:
    """Shows nothing."""

    def begin(self, study: str, reused: int = 0) -> None:
        """Show nothing."""

    def step(self) -> None:
        """Show nothing."""


class Bar:
    """One bar over all studies: cells done, cells a second, time left."""

    def __init__(self, progress: "Progress", task: "TaskID") -> None:
        self.progress, self.task = progress, task

    def begin(self, study: str, reused: int = 0) -> None:
        """Write the study before the bar."""
        self.progress.update(self.task, description=study + _reused(reused))

    def step(self) -> None:
        """Move the bar on by one cell."""
        self.progress.advance(self.task)


def _reused(cells: int) -> str:
    return f", {cells} reused" if cells else ""


def _bar() -> "Progress":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: "Task") -> "Text":
            return Text(f"{task.speed or 0:.1f} cells/s")

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate())
    return Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))


class Lines:
    """A line when a study begins, at most one every few seconds, and one at the end."""

    def __init__(self, total: int, every: float = 5.0) -> None:
        self.total, self.every, self.done = total, every, 0
        self.study = ""
        self.start = self.last = time.monotonic()

    def begin(self, study: str, reused: int = 0) -> None:
        """Say that a study begins."""
        self.study = study
        say(f"{study} begins, {self.done} of {self.total} cells done{_reused(reused)}")

    def step(self) -> None:
        """Count a cell, and say so where it is time or all is done."""
        self.done += 1
        now = time.monotonic()
        if now - self.last >= self.every or self.done == self.total:
            self.last = now
            rate = self.done / max(now - self.start, 1e-9)
            left = (self.total - self.done) / rate
            say(
                f"{self.study}: {self.done} of {self.total} cells, "
                f"{rate:.1f} cells/s, {left:.0f} s left"
            )
