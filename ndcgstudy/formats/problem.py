"""What is wrong with a file: where, which rule, and the lines concerned."""

from collections.abc import Callable, Iterable, Iterator, Sequence
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
        Where, 1-based; 0 where the whole file is meant. Columns count characters.
    text
        The line.
    other_line, other_text
        A second line that it contradicts, and 0 and "" where there is none.
    other_file
        The file of the second line, where it is another one.
    severity
        "error", or "warning" for what is allowed but deserves a look.

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
    other_file: str = ""
    severity: str = "error"

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{self.file}: {where}{self.described()}"

    def described(self) -> str:
        """Return the message with the lines concerned, cut short where they are very long."""
        shown = f": {shortened(repr(self.text))}" if self.text else ""
        place = f"{self.other_file} line" if self.other_file else "line"
        text = f": {shortened(repr(self.other_text))}" if self.other_text else ""
        other = f"; {place} {self.other_line}{text}" if self.other_line else ""
        return f"{shortened(self.message, 400)}{shown}{other}"


@dataclass(frozen=True)
class Finding:
    """All breaches of one rule in one file: their lines, and how to tell of one of them.

    A file may break a rule on every line, so a `Problem` is made only when it is asked for. Line 0
    stands for the whole file. `other_file` holds the second lines where they are another file's.
    """

    text: TextFile
    rule: str
    lines: Sequence[int] | Index
    message: Callable[[int], str]
    fields: Ids | None = None
    others: Sequence[int] | Index | None = None
    other_file: TextFile | None = None
    severity: str = "error"

    def problem(self, i: int) -> Problem:
        """Return the i-th breach."""
        line, other = int(self.lines[i]), 0 if self.others is None else int(self.others[i])
        return Problem(
            self.text.name,
            self.rule,
            self.message(i),
            line,
            self._column(line, i),
            self.text.line(line) if line else "",
            other,
            (self.other_file or self.text).line(other) if other else "",
            self.other_file.name if self.other_file and other else "",
            self.severity,
        )

    def _column(self, line: int, i: int) -> int:
        if not line or self.fields is None or not self.text.exact:
            return int(line > 0)
        before = self.text.buffer[self.text.start(line) : self.fields.start[i]]
        return 1 + len(before.tobytes().decode(errors="replace"))


def shortened(text: str, size: int = 200) -> str:
    """Cut the middle out of a text that is too long to show, and write out what does not print.

    Examples
    --------
    >>> shortened("abcdefghij", 7)
    'ab...ij'
    """
    if len(text) > size:
        half = (size - 3) // 2
        text = f"{text[:half]}...{text[len(text) - half :]}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def first_problem(findings: Iterable[Finding]) -> Problem | None:
    """Return the problem that stands first in the file, or None."""
    broken = [f for f in findings if len(f.lines)]
    if not broken:
        return None
    first = min(broken, key=lambda f: int(np.min(f.lines)))
    return first.problem(int(np.argmin(first.lines)))


def problems(findings: Sequence[Finding], limit: int | None = None) -> Iterator[Problem]:
    """Yield the problems in the order of their lines, no more than `limit` of each finding."""
    shown = [np.argsort(f.lines, kind="stable")[:limit] for f in findings]
    sizes = [at.size for at in shown]
    lines = [np.asarray(f.lines)[at] for f, at in zip(findings, shown, strict=True)]
    which = np.repeat(np.arange(len(findings)), sizes)
    index = np.concatenate([np.empty(0, np.int64), *shown])
    for k in np.argsort(np.concatenate([np.empty(0, np.int64), *lines]), kind="stable").tolist():
        yield findings[which[k]].problem(int(index[k]))
