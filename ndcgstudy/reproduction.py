"""One study from its cells to its files."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy import figures, read_results, results
from ndcgstudy.decision import Tables
from ndcgstudy.ledger import Verdict
from ndcgstudy.runner import Job, run_job
from ndcgstudy.store import Store
from ndcgstudy.study import Study

if TYPE_CHECKING:
    import pandas as pd


class StudyError(RuntimeError):
    """What a study does with its rows fails; the message names the study and the error."""


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
    limit: float | None = None


def analyse(job: Job, how: Computing) -> "tuple[dict[str, pd.DataFrame], list[Verdict]]":
    """Compute what is missing, and return the tables and verdicts of the study.

    Raises
    ------
    CellError
        If a cell fails; the others are stored.
    StoreError
        If the store cannot be read or written.
    StudyError
        If the study's analysis or its decisions fail.
    """
    import pandas as pd

    rows = run_job(
        job,
        how.missing,
        how.store,
        executor=how.executor,
        fail_fast=how.fail_fast,
        progress=how.progress,
        limit=how.limit,
    )
    with _named(job.study, "its analysis fails"):
        tables = job.study.analysis(pd.DataFrame(rows))
        return tables, job.study.verdicts(tables)


@contextmanager
def _named(study: Study, what: str) -> Iterator[None]:
    """Turn whatever a study's own function raises into one line that names the study."""
    try:
        yield
    except (Exception, SystemExit) as error:
        last = (str(error).strip().splitlines() or [""])[-1]
        raise StudyError(f"study {study.name}: {what}: {type(error).__name__}: {last}") from error


def reproduce(job: Job, how: Computing, *, out: Path, facts: Mapping[str, Any]) -> Outcome:
    """Run the cells of a study, decide its claims, and write everything to ``out/<study>/``.

    Parameters
    ----------
    facts
        What the manifest is to say beside seed, scale, cells and time: options, commit.

    Raises
    ------
    CellError, StoreError, StudyError
        From `analyse` or a figure; then nothing is written.
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
    study: Study, before: read_results.Results, *, out: Path, stand: Mapping[str, Any]
) -> Outcome:
    """Decide a study's claims and draw its figures anew from the tables of earlier results.

    Parameters
    ----------
    stand
        Where the code stands that decides; the manifest names it beside that of the tables.

    Raises
    ------
    ValueError
        If a table was changed.
    StudyError
        If the tables are not what the study decides from.
    OSError
        If the files cannot be read or written; earlier results stay as they were.
    """
    folder = out / study.name
    kept = read_results.kept_tables(folder, before.manifest)
    with _named(study, f"the tables in {folder} are not those it decides from; run it again"):
        verdicts = study.verdicts(before.tables)
    drawn = _drawn(study, before.tables)
    files = {**kept, "claims.csv": results.claims_bytes(study.claims, verdicts), **drawn}
    files["manifest.json"] = results.redecided_bytes(before.manifest, verdicts, files, stand)
    results.write(folder, files)
    return Outcome(study, verdicts, folder, [folder / name for name in drawn])


def _drawn(study: Study, tables: Tables) -> dict[str, bytes]:
    drawn = {}
    for name, drawing in study.figures.items():
        with _named(study, f"its figure {name} fails"):
            for kind, data in figures.render(drawing, tables[drawing.table]).items():
                drawn[f"{name}.{kind}"] = data
    return drawn
