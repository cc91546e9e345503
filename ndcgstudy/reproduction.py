"""One study from its cells to its files."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcgstudy import figures, results, runner
from ndcgstudy.ledger import Verdict
from ndcgstudy.study import Parameters, Study, Tables


@dataclass(frozen=True)
class Outcome:
    """What a study came to, and where its files are."""

    study: Study
    verdicts: list[Verdict]
    folder: Path
    figures: list[Path]


def reproduce(
    study: Study,
    cells: Sequence[Parameters],
    *,
    seed: int,
    executor: Executor,
    out: Path,
    facts: Mapping[str, Any],
    progress: Callable[[], object] = lambda: None,
) -> Outcome:
    """Run the cells of a study, decide its claims, and write everything to ``out/<study>/``.

    Parameters
    ----------
    facts
        What the manifest is to say beside the seed and the time: scale, options, commit.
    progress
        Called once a finished cell.

    Raises
    ------
    CellError
        If a cell fails.
    OSError
        If the files cannot be written; earlier results stay as they were.
    """
    import pandas as pd

    begun = time.perf_counter()
    rows = runner.run(study, cells, seed=seed, executor=executor, progress=progress)
    tables = study.analysis(pd.DataFrame(rows))
    verdicts = study.verdicts(tables)
    drawn = _drawn(study, tables)
    files = {
        **results.tables_bytes(tables),
        "claims.csv": results.claims_bytes(study.claims, verdicts),
        **drawn,
    }
    seconds = round(time.perf_counter() - begun, 3)
    files["manifest.json"] = results.manifest_bytes(
        study, cells, verdicts, tables, files, seed=seed, **facts, seconds=seconds
    )
    folder = out / study.name
    results.write(folder, files)
    return Outcome(study, verdicts, folder, [folder / name for name in drawn])


def _drawn(study: Study, tables: Tables) -> dict[str, bytes]:
    return {
        f"{name}.{kind}": data
        for name, drawing in study.figures.items()
        for kind, data in figures.render(drawing, tables[drawing.table]).items()
    }
