"""Results of a study: tables, claims and a manifest, written whole or not at all, and read back."""

import csv
import hashlib
import io
import json
import math
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy import inputs
from ndcgstudy.checks import plain
from ndcgstudy.decision import Tables
from ndcgstudy.disk import put
from ndcgstudy.ledger import Claim, Verdict
from ndcgstudy.manifest import read_manifest
from ndcgstudy.provenance import machine, versions
from ndcgstudy.study import Parameters, Study

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 10
"""Significant digits of a float in a table: far more than any sampling error, yet short of the last
bits, in which processors differ, so that one seed gives the same bytes on most machines."""


_STAGING = ".writing-"


def table_bytes(table: "pd.DataFrame") -> bytes:
    r"""Write a table as CSV: floats to ten significant digits, a missing number as ``nan``.

    Examples
    --------
    >>> import pandas as pd
    >>> table_bytes(pd.DataFrame({"n": [10], "share": [1 / 3]}))
    b'n,share\n10,0.3333333333\n'
    """
    return _csv(table.columns, table.itertuples(index=False))


def claims_bytes(claims: Iterable[Claim], verdicts: Iterable[Verdict]) -> bytes:
    """Write the ledger of a study as CSV: id, claim, verdict, measured, why."""
    rows = (
        (claim.id, claim.text, verdict.ruling, verdict.measured, verdict.why)
        for claim, verdict in zip(claims, verdicts, strict=True)
    )
    return _csv(("id", "claim", "verdict", "measured", "why"), rows)


def manifest_bytes(
    study: Study,
    cells: Sequence[Parameters],
    verdicts: Sequence[Verdict],
    tables: Tables,
    files: Mapping[str, bytes],
    **facts: Any,
) -> bytes:
    """Write what was asked, with what, and how it came out, as JSON.

    Parameters
    ----------
    tables
        Their columns of text are listed, so that ``007`` is read back as text.
    files
        The other files of the results, listed with their SHA-256.
    facts
        What only the run knows: seed, scale, options, seconds, and where the code stood.
    """
    found = {
        "study": study.name,
        "question": study.question,
        **facts,
        "cells": len(cells),
        "parameters": spans(cells),
        "inputs": inputs.hashes(study.inputs),
        "versions": versions(),
        "platform": machine(),
        "text": {name: text_columns(table) for name, table in tables.items()},
        **_came_out(verdicts, files),
    }
    return _json(found)


def redecided_bytes(
    before: Mapping[str, Any],
    verdicts: Sequence[Verdict],
    files: Mapping[str, bytes],
    stand: Mapping[str, Any],
) -> bytes:
    """Write the manifest of results whose tables stay: `stand` is where the code stands that decided."""
    return _json({**before, "redecided": dict(stand), **_came_out(verdicts, files)})


def _came_out(verdicts: Sequence[Verdict], files: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "claims": {verdict.id: verdict.ruling for verdict in verdicts},
        "files": {name: _hash(data) for name, data in sorted(files.items())},
    }


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _json(found: Mapping[str, Any]) -> bytes:
    return (json.dumps(found, indent=2, ensure_ascii=False) + "\n").encode()


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put files into a results folder: all are written elsewhere before the first is renamed.

    So a run that ends early, for want of space or otherwise, leaves the earlier results as they
    were. Files that an earlier manifest lists, unchanged since, and that no longer belong are removed.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stale = [name for name in _unchanged(folder) if name not in files]
    for left in folder.glob(f"{_STAGING}*"):  # by a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder))
    try:
        for name, data in files.items():
            put(staging / name, data)
        for name in files:
            (staging / name).replace(folder / name)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    for name in stale:
        (folder / name).unlink(missing_ok=True)


def text_columns(table: "pd.DataFrame") -> list[str]:
    """Return the columns of a table that hold text."""
    return [str(name) for name in table if table[name].dtype.kind not in "biuf"]


def tables_bytes(tables: Tables) -> dict[str, bytes]:
    """Write each table as the bytes of a file ``<name>.csv``."""
    return {f"{name}.csv": table_bytes(table) for name, table in tables.items()}


def _csv(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_shown(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _shown(value: Any) -> str:
    value = plain(value)
    if isinstance(value, float):
        return "nan" if math.isnan(value) else f"{value + 0.0:.{DIGITS}g}"  # + 0.0 turns -0 to 0
    return str(value)


def spans(cells: Sequence[Parameters]) -> dict[str, list[Any]]:
    """Return the values that each parameter takes; of many the first, second and last."""
    names = dict.fromkeys(name for cell in cells for name in cell)
    values = {
        name: list(dict.fromkeys(cell[name] for cell in cells if name in cell)) for name in names
    }
    return {name: v if len(v) <= 50 else [*v[:2], "...", v[-1]] for name, v in values.items()}


def _unchanged(folder: Path) -> list[str]:
    """Return the files of a folder that are as its manifest says; none where it has none."""
    try:
        files = read_manifest(folder)["files"]
    except (OSError, ValueError):
        return []
    return [name for name, digest in files.items() if _same(folder / name, digest)]


def _same(path: Path, digest: str) -> bool:
    return path.is_file() and not path.is_symlink() and _hash(path.read_bytes()) == digest
