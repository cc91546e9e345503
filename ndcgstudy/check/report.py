"""Validate files one by one: the rules of one file, and those of a run against the qrels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ndcgstudy.check.pairs import document_findings, topic_findings
from ndcgstudy.check.qrels import qrels_findings
from ndcgstudy.check.runs import run_findings
from ndcgstudy.check.text import text_findings
from ndcgstudy.formats.listed import trec_lines
from ndcgstudy.formats.problem import Finding, Problem, problems
from ndcgstudy.formats.read import GRADES, check_choice
from ndcgstudy.formats.textfile import read_text
from ndcgstudy.formats.trec import duplicate_findings, scan_qrels, scan_run


@dataclass(frozen=True)
class Report:
    """What is wrong with one file; it holds the file's text for as long as it is kept."""

    file: str
    findings: Sequence[Finding]

    def problems(self, limit: int | None = None) -> Iterator[Problem]:
        """Yield the problems in the order of their lines, no more than `limit` a rule."""
        return problems(self.findings, limit)

    def count(self, severity: str) -> int:
        """Return how many problems are of one severity, "error" or "warning"."""
        return sum(len(f.lines) for f in self.findings if f.severity == severity)

    def beyond(self, limit: int) -> dict[str, int]:
        """Return how many problems each rule has beyond a limit, where it has any."""
        return {f.rule: len(f.lines) - limit for f in self.findings if len(f.lines) > limit}


class Validator:
    """Checks a file of judgments, and runs against it.

    Parameters
    ----------
    qrels
        The file of judgments.
    grades
        "int" or "float": what a grade may be, as for `read_qrels`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If `grades` is another word, or the file is no text.
    """

    def __init__(self, qrels: str | Path, grades: str = "int") -> None:
        check_choice("grades", grades, GRADES)
        self._scan = scan_qrels(trec_lines(read_text(qrels), "qrels"), grades, whole=True)

    def qrels(self) -> Report:
        """Check the judgments alone."""
        scan = self._scan
        own = [*scan.findings, *duplicate_findings(scan), *text_findings(scan)]
        return Report(scan.text.name, [*own, *qrels_findings(scan)])

    def run(self, path: str | Path) -> Report:
        """Check a run, alone and against the judgments.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If it is no text.
        """
        scan = scan_run(trec_lines(read_text(path), "run"), whole=True)
        findings = [*scan.findings, *duplicate_findings(scan), *text_findings(scan)]
        if len(scan.data.docs):
            findings += run_findings(scan)
            if len(self._scan.data.docs):
                findings += topic_findings(self._scan, scan) + document_findings(self._scan, scan)
        return Report(scan.text.name, findings)


def check(
    qrels: str | Path, runs: Sequence[str | Path] = (), *, grades: str = "int"
) -> list[Problem]:
    r"""Find everything that is wrong with a file of judgments and with runs.

    Parameters
    ----------
    qrels, runs
        Files as `read_qrels` and `read_run` take them.
    grades
        "int" or "float": what a grade may be, as for `read_qrels`.

    Returns
    -------
    problems
        File by file, in the order of their lines; `Problem.severity` tells errors from warnings.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If a file is no text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".qrels") as file:
    ...     _ = file.write("q1 0 d1 1\nq1 0 d1 2\nq1 0 d2 0\n")
    ...     file.flush()
    ...     [(p.rule, p.line, p.other_line) for p in check(file.name)]
    [('conflict', 2, 1)]
    """
    validator = Validator(qrels, grades)
    found = list(validator.qrels().problems())
    for run in runs:
        found += validator.run(run).problems()
    return found
