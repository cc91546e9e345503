"""`ndcgstudy claims`: the ledger of what was put to the test."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ndcgstudy.cli.app import Problems, app, say
from ndcgstudy.cli.options import FormatOption

if TYPE_CHECKING:
    from ndcgstudy.claims import Entry

ResultsOption = Annotated[
    Path | None,
    typer.Option(
        "--results", help="folder of the results; results, or build/study without it, by default"
    ),
]
ExperimentsOption = Annotated[
    Path | None,
    typer.Option(
        "--experiments",
        help="folder of the studies and their claims.csv; experiments, or the installed ones, by default",
    ),
]
SHOWN = ("id", "claim", "verdict", "figure", "why", "study")


@app.command("claims")
def claims(
    *,
    results: ResultsOption = None,
    experiments: ExperimentsOption = None,
    out: Annotated[
        Path | None, typer.Option(help="folder to write the ledger to, as claims.csv")
    ] = None,
    form: FormatOption = "table",
) -> None:
    """Print every claim with its verdict, the figure behind it, why, and the study that decides it."""
    from ndcgstudy import places
    from ndcgstudy.claims import write_ledger
    from ndcgstudy.cli.tables import check_format

    results, experiments = results or places.results(), experiments or places.experiments()
    problems = Problems()
    problems.attempt(check_format, form)
    entries = problems.attempt(read_entries, results, experiments)
    if out is not None and out.exists() and not out.is_dir():
        problems.messages.append(f"--out {out}: is a file; name a folder")
    problems.stop_if_any()
    if out is not None:
        problems.attempt(write_ledger, out, entries)
    problems.stop_if_any()
    _print(entries or [], form)


def read_entries(results: Path, experiments: Path) -> "list[Entry]":
    """Gather the ledger, saying so where a folder has no claims.csv.

    Raises
    ------
    OSError, ValueError
        From `ledger` and `known_claims`.
    """
    from ndcgstudy.claims import FILE, known_claims, ledger

    known, cited = known_claims(experiments)
    if not known:
        say(f"no claims in {experiments / FILE}: the ledger holds only those that studies decide")
    return ledger(results, known, cited)


def _print(entries: "Sequence[Entry]", form: str) -> None:
    from ndcgstudy.claims import counted
    from ndcgstudy.cli.tables import as_data, as_table

    told = counted(entry.verdict for entry in entries)
    rows = [[getattr(entry, name) for name in SHOWN] for entry in entries]
    if form in ("csv", "json"):
        typer.echo(as_data([asdict(entry) for entry in entries], form), nl=False)
        say(told)
    elif form == "table":
        _print_wrapped(rows)
        typer.echo(told)
    else:
        typer.echo(as_table(SHOWN, rows, form, told, prose=True), nl=False)


def _print_wrapped(rows: Sequence[Sequence[str]]) -> None:
    """Print a table whose long texts are wrapped to the terminal, or to 120 columns."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from ndcgstudy.claims import OPEN

    table = Table(box=box.SIMPLE_HEAD)
    for name in SHOWN:  # a long word is broken, never cut off
        table.add_column(name, overflow="fold", max_width=len(OPEN) if name == "verdict" else None)
    for row in rows:
        table.add_row(*row)
    wide = None if sys.stdout.isatty() else 120
    Console(width=wide, markup=False, highlight=False, emoji=False).print(table)
