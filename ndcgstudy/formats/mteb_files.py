"""The records of MTEB's results: a folder of JSON files, one a model and task, or their flattened CSV."""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcgstudy.checks import nearest
from ndcgstudy.expressions import shown
from ndcgstudy.formats.problem import Problem
from ndcgstudy.formats.table import Line, cell_score, column, named_column, records, wrong
from ndcgstudy.formats.textfile import TextFile, read_text

MAIN = "main_score"
COLUMNS = ("model", "revision", "task", "split")
NO_RESULT = "model_meta.json"


@dataclass(frozen=True)
class Result:
    """One score of one model, as it was published.

    Parameters
    ----------
    model, revision, task, split, subset
        What was scored on what; the model as its folder is called.
    value
        The score in 0..1, NaN where the metric was not computed.
    version
        The version of MTEB, "" where it is not known.
    """

    model: str
    revision: str
    task: str
    split: str
    subset: str
    value: float
    version: str


def is_results(text: TextFile) -> bool:
    """Tell whether a table is the flattened CSV of results, by its header."""
    header = re.split(r"[,\t]", text.line(1).lower().replace('"', "")) if text.size else []
    return set(COLUMNS) <= {cell.strip() for cell in header}


def folder_results(
    folder: Path, tasks: Collection[str] | None, value: str | None
) -> tuple[str, list[Result]]:
    """Read ``MODEL/REVISION/TASK.json`` below a folder, or below its subfolder ``results``.

    Parameters
    ----------
    tasks
        The tasks whose files are read; by default all.
    value
        The metric; by default main_score.

    Returns
    -------
    metric, results
        In the order of the files' names.

    Raises
    ------
    ValueError
        If there is no such file, or one is no result, naming it.
    """
    root = folder / "results" if (folder / "results").is_dir() else folder
    paths = sorted(path for path in root.glob("*/*/*.json") if path.name != NO_RESULT)
    if not paths:
        raise ValueError(f"{folder}: no MTEB results: expected MODEL/REVISION/TASK.json")
    known = {path.stem for path in paths}
    if unknown := [task for task in tasks or () if task not in known]:
        raise ValueError(
            f"{folder}: no results on task {unknown[0]!r}{nearest(unknown[0], [*known])}"
        )
    metric = value or MAIN
    chosen = [path for path in paths if tasks is None or path.stem in tasks]
    return metric, [result for path in chosen for result in _file_results(path, metric)]


def table_results(text: TextFile, value: str | None) -> tuple[str, list[Result]]:
    """Read the flattened CSV: model, revision, task, split, [hf_subset, mteb_version,] metrics.

    Parameters
    ----------
    value
        The metric; by default main_score, or ndcg_at_10 where there is no such column.

    Returns
    -------
    metric, results
        In the order of the lines.

    Raises
    ------
    ValueError
        Naming file, line, value and rule.
    """
    lines = records(text)
    if not is_results(text):
        found = f"expected the columns {', '.join(COLUMNS)}" if lines else "the table is empty"
        raise wrong(text, f"no MTEB results: {found}")
    header = lines[0].cells
    metric = value or (MAIN if MAIN in header else "ndcg_at_10")
    at, seen = named_column(text, header, metric), dict[tuple[str, ...], int]()
    places = [column(header, (name,)) for name in (*COLUMNS, "hf_subset", "mteb_version")]
    results = []
    for line in lines[1:]:
        names = [line.cells[place] if place is not None else "" for place in places]
        if "" in names[: len(COLUMNS)]:
            raise wrong(text, f"the {COLUMNS[names.index('')]} has no name", line.number)
        model, revision, task, split, subset, version = names
        if first := seen.get(key := (model, revision, task, split, subset)):
            told = ", ".join(filter(None, key))
            raise wrong(
                text, f"a second score of {told}; the first is on line {first}", line.number
            )
        seen[key] = line.number
        number = _cell(text, line, at, metric)
        results.append(Result(model, revision, task, split, subset, number, version))
    return metric, results


def _cell(text: TextFile, line: Line, at: int, metric: str) -> float:
    number = cell_score(text, line, at)
    if not (math.isnan(number) or 0 <= number <= 1):
        raise wrong(text, f"{metric} must be in 0..1, got {line.cells[at]}", line.number)
    return number


def _file_results(path: Path, metric: str) -> Iterator[Result]:
    """Yield a file's results: one a split and subset."""
    text = read_text(path)
    content = _fields(path, _json(text), {"task_name": str, "scores": dict}, "the file")
    task, version = content["task_name"], str(content.get("mteb_version") or "")
    if task != path.stem:
        raise _refused(path, f"task_name is {shown(task)}, which is not the file's name")
    model, revision = path.parts[-3:-1]
    seen: set[tuple[str, str]] = set()
    for split, rows in content["scores"].items():
        if not isinstance(rows, list) or not rows:
            raise _refused(
                path, f"split {shown(split)} must be a list of scores, got {shown(rows)}"
            )
        for row in rows:
            subset = _fields(path, row, {"hf_subset": str}, f"split {split}")["hf_subset"]
            if (split, subset) in seen:
                raise _refused(path, f"split {split} has subset {shown(subset)} twice")
            seen.add((split, subset))
            number = _score(path, row, split, metric)
            yield Result(model, revision, task, split, subset, number, version)


def _json(text: TextFile) -> Any:
    content = text.decoded()
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise _refused(text.name, f"not JSON: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise _refused(text.name, f"not JSON: {error}") from None


def _fields(path: Path, content: Any, fields: Mapping[str, type], where: str) -> dict[str, Any]:
    """Return an object of JSON, or refuse it as no result where it lacks a field."""
    if not isinstance(content, dict):
        raise _refused(path, f"not an MTEB result: {where} holds {shown(content, 60)}, no object")
    for name, kind in fields.items():
        if not isinstance(content.get(name), kind) or not content[name]:
            what = f"no {name}" if name not in content else f"{name} {shown(content[name], 60)}"
            raise _refused(path, f"not an MTEB result: {where} has {what}")
    return content


def _score(path: Path, row: Mapping[str, Any], split: str, metric: str) -> float:
    """Return a score; NaN where a metric other than the main one was not computed."""
    value = row.get(metric)
    if value is None and metric != MAIN:
        return math.nan
    if value is None:
        raise _refused(path, f"split {split} has no {MAIN}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _refused(path, f"{metric} must be a number in 0..1, got {shown(value)}")
    return float(value)


def _refused(path: Path | str, message: str, line: int = 0) -> ValueError:
    return ValueError(str(Problem(str(path), "result", message, line)))
