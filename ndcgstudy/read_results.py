"""Results of studies read back; whatever a folder holds, a mistake in it ends in one line."""

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy.expressions import shown
from ndcgstudy.ledger import Claim, Ruling, Verdict
from ndcgstudy.manifest import bytes_of, read_manifest

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = 1_000
"""The most columns that a table may have."""


@dataclass(frozen=True, eq=False)
class Results:
    """What a results folder holds."""

    tables: "dict[str, pd.DataFrame]"
    claims: list[tuple[Claim, Verdict]]
    manifest: dict[str, Any]


def read(folder: Path) -> Results:
    """Read the tables, claims and manifest that `write` put into a folder.

    Raises
    ------
    OSError
        If a file is missing or cannot be read.
    ValueError
        If a file is not what `write` may have written: the file, the field and the rule.
    """
    found = read_manifest(folder)
    tables = {}
    for name, text in found["text"].items():
        try:
            tables[name] = read_table(bytes_of(folder, f"{name}.csv"), text)
        except ValueError as error:
            raise ValueError(f"{folder / name}.csv: {first_line(error)}") from None
    return Results(tables, read_verdicts(folder), found)


def kept_tables(folder: Path, found: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of the tables that a manifest lists.

    Raises
    ------
    ValueError
        If one is not the file that was written.
    OSError
        If one cannot be read.
    """
    kept = {f"{name}.csv": bytes_of(folder, f"{name}.csv") for name in found["text"]}
    for name, data in kept.items():
        if hashlib.sha256(data).hexdigest() != found["files"].get(name):
            raise ValueError(f"{folder / name}: not the file that the manifest lists")
    return kept


def read_verdicts(folder: Path) -> list[tuple[Claim, Verdict]]:
    """Read the claims of a folder with what its study says of them.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        Naming the file, the line and what is wrong there.
    """
    path = folder / "claims.csv"
    rows = csv.DictReader(io.StringIO(_decoded(path), newline=""))
    try:
        return [_verdict(row) for row in rows]
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{path}, line {rows.line_num}: {error}") from None


def _decoded(path: Path) -> str:
    try:
        return bytes_of(path.parent, path.name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None


def _verdict(row: Mapping[Any, Any]) -> tuple[Claim, Verdict]:
    for name in ("id", "claim", "verdict", "measured", "why"):
        if row.get(name) is None:
            raise ValueError(f"no value of `{name}`")
    if row["verdict"] not in [*Ruling]:
        raise ValueError(
            f"`verdict` must be one of {[str(r) for r in Ruling]}, got {shown(row['verdict'])}"
        )
    return (
        Claim(row["id"], row["claim"]),
        Verdict(row["id"], Ruling(row["verdict"]), row["measured"], row["why"]),
    )


def find(folder: Path) -> list[Path]:
    """Return the folders of a results folder that hold a study's results, by name.

    Raises
    ------
    ValueError
        If there are none.
    """
    found = sorted(path.parent for path in folder.glob("*/manifest.json"))
    if not found:
        raise ValueError(f"no results of studies in {folder}; `ndcgstudy reproduce` makes them")
    return found


def read_table(data: bytes, text: Sequence[str]) -> "pd.DataFrame":
    """Read the bytes of a table back, given its columns of text.

    Raises
    ------
    ValueError
        If it has more than `COLUMNS` columns, lacks a column of text, or holds a text in another.
    """
    import pandas as pd

    if data.partition(b"\n")[0].count(b",") >= COLUMNS:
        raise ValueError(f"more than {COLUMNS:,} columns")
    types = dict.fromkeys(text, "str")
    try:
        found = pd.read_csv(
            io.BytesIO(data),
            dtype=types,
            keep_default_na=False,
            na_values=["nan"],
            low_memory=False,
        )
    except (OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None
    for name in text:
        if name not in found:
            raise ValueError(f"no column {shown(name)}")
    for name in map(str, found):
        if name not in types and found[name].dtype.kind not in "biuf":
            wrong = next(value for value in found[name] if not _is_number(value))
            raise ValueError(f"column {shown(name)}: must hold numbers, got {shown(wrong)}")
    return found


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def first_line(error: Exception) -> str:
    """Return the first line of what an error says."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
