"""What `ndcgstudy reproduce` prints: verdicts, differences, and what is to come."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ndcgstudy import comparison, places
from ndcgstudy.claims import counted
from ndcgstudy.cli.app import emit
from ndcgstudy.cli.planning import Plan
from ndcgstudy.decision import Tables
from ndcgstudy.ledger import Verdict
from ndcgstudy.manifest import read_manifest
from ndcgstudy.reproduction import Outcome
from ndcgstudy.results import spans
from ndcgstudy.store import Store
from ndcgstudy.visible import visible
from ndcgstudy.words import many

if TYPE_CHECKING:
    from rich.table import Table

Compared = tuple[str, str, list[comparison.Difference]]
_SHOWN = 20


def report(outcomes: Sequence[Outcome]) -> None:
    """Print the claims with their verdicts, and where the results are."""
    table = _table("id", "claim", "verdict", "measured")
    for outcome in outcomes:
        for claim, verdict in zip(outcome.study.claims, outcome.verdicts, strict=True):
            table.add_row(
                *map(visible, (claim.id, claim.text, verdict.ruling.value, verdict.measured))
            )
    _print(table)
    for outcome in outcomes:
        emit(f"{outcome.study.name}: {outcome.folder}")
        for path in outcome.figures:
            emit(f"  {path}")


def tally(outcomes: Sequence[Outcome]) -> None:
    """Print how many claims hold, hold with a condition and are contradicted."""
    verdicts = [verdict.ruling for outcome in outcomes for verdict in outcome.verdicts]
    if verdicts:
        emit(counted(verdicts))


def agreement(found: Sequence[Compared], missing: Sequence[str], against: Path) -> bool:
    """Print what differs from the results in a folder, and how many studies agree with them."""
    for line in missing:
        emit(line)
    differing = [study for study in found if study[2]]
    if differing:
        differences(differing)
    same = len(found) - len(differing)
    hows = sorted({how.partition(";")[0] for *_, how, _ in found})
    emit(
        f"{same} of {many(len(found) + len(missing), 'study', 'studies')} "
        f"{'agrees' if same == 1 else 'agree'} with {against}, {' or '.join(hows) or 'none compared'}"
    )
    return not differing


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
            cells = (study, row.file, row.row, row.column, row.before, row.now, row.apart)
            table.add_row(*map(visible, cells))
    _print(table)
    for study, how, rows in found:
        more = f" ({_SHOWN} shown)" if len(rows) > _SHOWN else ""
        told = f"{len(rows)} differences{more}" if rows else "the same"
        emit(f"{study}: {told}, {how}")
    return not any(rows for *_, rows in found)


def foretold(lines: Sequence[tuple[Plan, Store, Sequence[int]]], workers: int) -> None:
    """Print how many cells each study has, how many are stored, and how long the others take."""
    table = _table("study", "cells", "stored", "to compute", f"time on {workers} workers")
    times = [_time(plan, store, len(missing), workers) for plan, store, missing in lines]
    for (plan, _, missing), time in zip(lines, times, strict=True):
        cells = plan.job.cells
        row = (len(cells), len(cells) - len(missing), len(missing))
        table.add_row(plan.job.study.name, *map(str, row), duration(time))
    _print(table)
    unknown = sum(map(math.isnan, times))
    more = f", and {many(unknown, 'study', 'studies')} of unknown time" if unknown else ""
    emit(f"in all about {duration(sum(t for t in times if not math.isnan(t)))}{more}")
    for plan, *_ in lines:
        emit(f"{plan.job.study.name}: {_cells(plan)}")


def _time(plan: Plan, store: Store, missing: int, workers: int) -> float:
    """Estimate the seconds that cells take, NaN where nothing is known.

    By the stored cells of this run, else by the results at its scale, which say what a cell took on
    their machine with all its workers, else by any stored cells of the study.
    """
    if not missing:
        return 0.0
    took = store.seconds(plan.job.keys)
    if not took and (earlier := _earlier(plan)):
        return earlier * missing
    took = took or store.seconds()
    return sum(took) / len(took) * missing / min(workers, missing) if took else math.nan


def _earlier(plan: Plan) -> float | None:
    """Return the seconds a cell that the kept results of a study took, if of the same scale."""
    try:
        facts = read_manifest(places.FULL / plan.job.study.name)
    except (OSError, ValueError):
        return None
    if facts["scale"] != plan.job.scale or not facts["computed"]:
        return None
    return float(facts["seconds"] / facts["computed"])


def duration(seconds: float) -> str:
    """Write a time for people, "unknown" for NaN.

    Examples
    --------
    >>> duration(3.21), duration(300), duration(float("nan"))
    ('3.2 s', '5 min', 'unknown')
    """
    if math.isnan(seconds):
        return "unknown"
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
