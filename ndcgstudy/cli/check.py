"""`ndcgstudy check`: a strict validator of qrels and runs."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ndcgstudy.cli.app import Problems, app, emit

if TYPE_CHECKING:
    from ndcgstudy.check import Problem, Report

FORMATS = ("table", "json")
_WHERE = ("line", "column", "text", "other_file", "other_line", "other_text")
KEYS = ("file", "severity", "rule", "message", *_WHERE)
SHOWN = 20


@app.command("check")
def check_files(
    qrels: Annotated[str, typer.Argument(help="A file of judgments (- for standard input).")],
    runs: Annotated[list[str] | None, typer.Argument(help="Runs to check against it.")] = None,
    form: Annotated[
        str, typer.Option("--format", help="table: one line a problem; json: all as records.")
    ] = "table",
    grades: Annotated[str, typer.Option(help="What a grade may be: int or float.")] = "int",
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
) -> None:
    """Check qrels and runs strictly. Exit code 0: no error; 1: errors; 2: a file cannot be read.

    Errors: fields (their number), grade or score (no number, NaN), infinite (score), duplicate,
    conflict (a document judged twice, of two grades), empty, no-common-topic, missing-topic (judged,
    not in the run), topic-id and document-id (an id matches none but for zeros, a trailing .0, odd
    blanks or case, or as it is cut off), reversed (the scores rise with the rank), exchanged (the rank
    and score columns).

    Warnings: tie, tie-32bit, rank (not as the scores), tags (more than one), unjudged-topic,
    all-unjudged, twin-topic and twin-document (two ids alike but for zeros, odd blanks or case),
    negative-grade, high-grade, no-relevant, one-grade, byte-order-mark, blank-line, odd-blank,
    hash-topic (begins with #).
    """
    from ndcgstudy.formats.read import GRADES, check_choice

    problems, paths = Problems(), [qrels, *(runs or [])]
    problems.attempt(check_choice, "format", form, FORMATS)
    problems.attempt(check_choice, "grades", grades, GRADES)
    if paths.count("-") > 1:
        problems.messages.append("standard input (-) can be read once only")
    problems.stop_if_any()
    lines, counts = _checked(paths, grades, form, problems)
    problems.stop_if_any()
    if form == "json":
        emit("[" + ",\n ".join(lines) + "]")
    else:
        emit("\n".join([*lines, _closing(len(paths), counts)]))
    if counts["error"] or (strict and counts["warning"]):
        raise typer.Exit(1)


def _checked(
    paths: list[str], grades: str, form: str, problems: Problems
) -> tuple[list[str], Counter[str]]:
    """Check file after file, keeping no more of each than the lines to print and the counts."""
    from ndcgstudy.check import Validator
    from ndcgstudy.formats.textfile import read_text

    lines, counts = list[str](), Counter[str]()
    validator = problems.attempt(Validator, paths[0], grades)
    for i, path in enumerate(paths):
        if validator is None:
            if i:
                problems.attempt(read_text, path)
            continue
        report = problems.attempt(validator.run, path) if i else validator.qrels()
        if report is not None:
            lines += _records(report) if form == "json" else _table(report)
            counts.update({s: report.count(s) for s in ("error", "warning")})
    return lines, counts


def _records(report: "Report") -> Iterator[str]:
    for problem in report.problems():
        record = asdict(problem)
        yield json.dumps({key: record[key] for key in KEYS})


def _table(report: "Report") -> Iterator[str]:
    """Write a line for each problem, the first of a rule that is broken very often."""
    for problem in report.problems(SHOWN):
        yield _line(problem)
    for rule, more in report.beyond(SHOWN).items():
        yield f"{report.file}: and {more} more [{rule}]"


def _line(problem: "Problem") -> str:
    where = f":{problem.line}:{problem.column}" if problem.line else ""
    told = f"{problem.severity}: {problem.described()} [{problem.rule}]"
    return f"{problem.file}{where}: {told}"


def _closing(files: int, counts: Counter[str]) -> str:
    from ndcgstudy.words import many

    told = [many(counts["error"], "error"), many(counts["warning"], "warning")]
    return f"{', '.join(told)} in {many(files, 'file')}"
