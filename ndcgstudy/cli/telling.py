"""What `ndcgstudy reproduce` prints: verdicts, differences, and what is to come."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from ndcgstudy import comparison
from ndcgstudy.cli.planning import Plan
from ndcgstudy.decision import Tables
from ndcgstudy.ledger import Verdict
from ndcgstudy.reproduction import Outcome
from ndcgstudy.results import spans
from ndcgstudy.store import Store

if TYPE_CHECKING:
    from rich.table import Table

Compared = tuple[str, str, list[comparison.Difference]]
_SHOWN = 20


def report(outcomes: Sequence[Outcome]) -> None:
    """Print the claims with their verdicts, and where the results are."""
    table = _table("id", "claim", "verdict", "measured")
    for outcome in outcomes:
        for claim, verdict in zip(outcome.study.claims, outcome.verdicts, strict=True):
            table.add_row(claim.id, claim.text, verdict.ruling.value, verdict.measured)
    _print(table)
    for outcome in outcomes:
        typer.echo(f"{outcome.study.name}: {outcome.folder}")
        for path in outcome.figures:
            typer.echo(f"  {path}")


def compared(plan: Plan, tables: Tables, verdicts: Sequence[Verdict]) -> Compared:
    """Return a study's name, how it was compared with earlier results, and what differs."""
    job, before = plan.job, plan.before
    if before is None:
        raise ValueError("a plan without results has nothing to be compared with")
    old = before.manifest
    grid = job.scale == old.get("scale") and list(plan.discounts) == old["options"]["discount"]
    exact = grid and job.seed == old.get("seed")
    found = comparison.differences(job.study, before, tables, verdicts, exact=exact, same_grid=grid)
    return job.study.name, "to the last digit" if exact else _within(plan, tables), found


def _within(plan: Plan, tables: Tables) -> str:
    errors = [comparison.sampled(plan.job.study, table) for table in tables.values()]
    left = sorted({name for found in errors for name, error in found.items() if error is None})
    but = f"; not compared: {', '.join(left)}" if left else ""
    return f"within {comparison.MOST:g} standard errors{but}"


def differences(found: Sequence[Compared]) -> bool:
    """Print what differs, a line a value; tell whether nothing does."""
    table = _table("study", "file", "row", "column", "was", "is", "standard errors")
    for study, _, rows in found:
        for row in rows[:_SHOWN]:
            table.add_row(study, row.file, row.row, row.column, row.before, row.now, row.apart)
    _print(table)
    for study, how, rows in found:
        more = f" ({_SHOWN} shown)" if len(rows) > _SHOWN else ""
        told = f"{len(rows)} differences{more}" if rows else "the same"
        typer.echo(f"{study}: {told}, {how}")
    return not any(rows for *_, rows in found)


def foretold(lines: Sequence[tuple[Plan, Store, Sequence[int]]], workers: int) -> None:
    """Print how many cells each study has, how many are stored, and how long the others take."""
    table = _table("study", "cells", "stored", "to compute", f"time on {workers} workers")
    for plan, store, missing in lines:
        cells = plan.job.cells
        row = (len(cells), len(cells) - len(missing), len(missing))
        table.add_row(
            plan.job.study.name, *map(str, row), _time(plan, store, len(missing), workers)
        )
    _print(table)
    for plan, *_ in lines:
        typer.echo(f"{plan.job.study.name}: {_cells(plan)}")


def _time(plan: Plan, store: Store, missing: int, workers: int) -> str:
    """Estimate from stored cells: those of this run, else any of the study."""
    took = store.seconds(plan.job.keys) or store.seconds()
    if not missing:
        return "0 s"
    if not took:
        return "unknown: no stored cells"
    seconds = sum(took) / len(took) * missing / min(workers, missing)
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _cells(plan: Plan) -> str:
    parts = (f"{name} {_values(values)}" for name, values in spans(plan.job.cells).items())
    return "; ".join(parts) or "no cells"


def _values(values: list[object]) -> str:
    text = ", ".join(map(str, values))
    return text if len(text) <= 60 else f"{text[:57]}..."


def _table(*columns: str) -> "Table":
    from rich import box
    from rich.table import Table

    return Table(*columns, box=box.SIMPLE_HEAD)


def _print(table: "Table") -> None:
    from rich.console import Console

    wide = None if sys.stdout.isatty() else 120
    if table.row_count:
        Console(width=wide, markup=False, highlight=False, emoji=False).print(table)
