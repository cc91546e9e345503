"""What is wrong with a file: where, which rule, and the lines concerned."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.ids import Ids, Index


@dataclass(frozen=True)
class Problem:
    """One thing wrong in a file.

    Parameters
    ----------
    file
        The file's name.
    rule
        What kind of problem, e.g. "duplicate".
    message
        What is wrong, in words, with the value.
    line, column
        Where, 1-based; 0 where the whole file is meant.
    text
        The line.
    other_line, other_text
        A second line that it contradicts, and 0 and "" where there is none.

    Examples
    --------
    >>> print(Problem("a.run", "fields", "expected 6 fields, found 5", 3, 1, "q1 Q0 d1 1 2.5"))
    a.run: line 3: expected 6 fields, found 5: 'q1 Q0 d1 1 2.5'
    """

    file: str
    rule: str
    message: str
    line: int = 0
    column: int = 0
    text: str = ""
    other_line: int = 0
    other_text: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        shown = f": {self.text!r}" if self.text else ""
        other = f"; line {self.other_line}: {self.other_text!r}" if self.other_line else ""
        return f"{self.file}: {where}{self.message}{shown}{other}"


@dataclass(frozen=True)
class Finding:
    """All breaches of one rule in one file: their lines, and how to tell of one of them.

    A file may break a rule on every line, so a `Problem` is made only when it is asked for.
    """

    text: TextFile
    rule: str
    lines: Sequence[int] | Index
    message: Callable[[int], str]
    fields: Ids | None = None
    others: Sequence[int] | Index | None = None

    def problem(self, i: int) -> Problem:
        """Return the i-th breach."""
        line, other = int(self.lines[i]), 0 if self.others is None else int(self.others[i])
        column = 1 + (int(self.fields.start[i]) - self.text.start(line) if self.fields else 0)
        text, other_text = self.text.line(line), self.text.line(other) if other else ""
        message = self.message(i)
        return Problem(self.text.name, self.rule, message, line, column, text, other, other_text)


def first_problem(findings: Iterable[Finding]) -> Problem | None:
    """Return the problem that stands first in the file, or None."""
    broken = [f for f in findings if len(f.lines)]
    if not broken:
        return None
    first = min(broken, key=lambda f: int(np.min(f.lines)))
    return first.problem(int(np.argmin(first.lines)))


def all_problems(findings: Iterable[Finding]) -> list[Problem]:
    """Return every problem, in the order of the lines."""
    problems = [f.problem(i) for f in findings for i in range(len(f.lines))]
    return sorted(problems, key=lambda p: (p.line, p.column, p.rule))
