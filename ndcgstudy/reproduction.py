"""One study from its cells to its files."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy import figures, results
from ndcgstudy.decision import Tables
from ndcgstudy.ledger import Verdict
from ndcgstudy.runner import Job, run_job
from ndcgstudy.store import Store
from ndcgstudy.study import Study

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Outcome:
    """What a study came to, and where its files are."""

    study: Study
    verdicts: list[Verdict]
    folder: Path
    figures: list[Path]


@dataclass(frozen=True)
class Computing:
    """How cells are computed: where, into which store, and which are left to compute."""

    executor: Executor
    store: Store
    missing: Sequence[int]
    fail_fast: bool = False
    progress: Callable[[], object] = lambda: None


def analyse(job: Job, how: Computing) -> "tuple[dict[str, pd.DataFrame], list[Verdict]]":
    """Compute what is missing, and return the tables and verdicts of the study.

    Raises
    ------
    CellError
        If a cell fails; the others are stored.
    StoreError
        If the store cannot be read or written.
    """
    import pandas as pd

    rows = run_job(
        job,
        how.missing,
        how.store,
        executor=how.executor,
        fail_fast=how.fail_fast,
        progress=how.progress,
    )
    tables = job.study.analysis(pd.DataFrame(rows))
    return tables, job.study.verdicts(tables)


def reproduce(job: Job, how: Computing, *, out: Path, facts: Mapping[str, Any]) -> Outcome:
    """Run the cells of a study, decide its claims, and write everything to ``out/<study>/``.

    Parameters
    ----------
    facts
        What the manifest is to say beside seed, scale, cells and time: options, commit.

    Raises
    ------
    CellError, StoreError
        From `analyse`; then nothing is written.
    OSError
        If the files cannot be written; earlier results stay as they were.
    """
    begun = time.perf_counter()
    tables, verdicts = analyse(job, how)
    drawn = _drawn(job.study, tables)
    files = {
        **results.tables_bytes(tables),
        "claims.csv": results.claims_bytes(job.study.claims, verdicts),
        **drawn,
    }
    run = {
        "seed": job.seed,
        "scale": job.scale,
        **facts,
        "seconds": round(time.perf_counter() - begun, 3),
        "computed": len(how.missing),
        "reused": len(job.cells) - len(how.missing),
    }
    files["manifest.json"] = results.manifest_bytes(
        job.study, job.cells, verdicts, tables, files, **run
    )
    folder = out / job.study.name
    results.write(folder, files)
    return Outcome(job.study, verdicts, folder, [folder / name for name in drawn])


def redecide(
    study: Study, before: results.Results, *, out: Path, stand: Mapping[str, Any]
) -> Outcome:
    """Decide a study's claims and draw its figures anew from the tables of earlier results.

    Parameters
    ----------
    stand
        Where the code stands that decides; the manifest names it beside that of the tables.

    Raises
    ------
    ValueError
        If a table was changed, or is not what the study decides from.
    OSError
        If the files cannot be read or written; earlier results stay as they were.
    """
    folder = out / study.name
    kept = results.kept_tables(folder, before.manifest)
    try:
        verdicts = study.verdicts(before.tables)
        drawn = _drawn(study, before.tables)
    except (KeyError, AttributeError, TypeError) as error:
        why = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"study {study.name}: its tables in {folder} are not those it decides from now ({why}); "
            "run it without --redecide"
        ) from None
    files = {**kept, "claims.csv": results.claims_bytes(study.claims, verdicts), **drawn}
    files["manifest.json"] = results.redecided_bytes(before.manifest, verdicts, files, stand)
    results.write(folder, files)
    return Outcome(study, verdicts, folder, [folder / name for name in drawn])


def _drawn(study: Study, tables: Tables) -> dict[str, bytes]:
    return {
        f"{name}.{kind}": data
        for name, drawing in study.figures.items()
        for kind, data in figures.render(drawing, tables[drawing.table]).items()
    }
