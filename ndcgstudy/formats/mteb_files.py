"""The records of MTEB's results: a folder of JSON files, one a model and task, or their flattened CSV."""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ndcgstudy.checks import nearest
from ndcgstudy.expressions import shown
from ndcgstudy.formats.cells import Row, Table, name_of
from ndcgstudy.formats.problem import Problem
from ndcgstudy.formats.roles import normal
from ndcgstudy.formats.scorecells import score_of
from ndcgstudy.formats.textfile import TextFile, read_text

MAIN = "main_score"
COLUMNS = ("model", "revision", "task", "split")
_OTHERS = ("subset", "mteb_version")
_ALSO = {
    **{"model_name": "model", "model_revision": "revision", "task_name": "task"},
    "hf_subset": "subset",
}
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


def is_results(table: Table) -> bool:
    """Tell whether a table holds flattened results, by its header."""
    return table.header is not None and set(COLUMNS) <= _places(table.header).keys()


def _places(header: Iterable[str]) -> dict[str, int]:
    names = [normal(name) for name in header]
    return {_ALSO.get(name, name): at for at, name in reversed([*enumerate(names)])}


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


def table_results(table: Table, value: str | None) -> tuple[str, list[Result]]:
    """Read flattened results: model, revision, task, split, [hf_subset, mteb_version,] metrics.

    Parameters
    ----------
    value
        The metric; by default main_score, score or ndcg_at_10, the first that is there.

    Returns
    -------
    metric, results
        In the order of the lines.

    Raises
    ------
    ValueError
        Naming file, line, value and rule.
    """
    if not is_results(table):
        raise table.wrong(f"no MTEB results: expected the columns {', '.join(COLUMNS)}")
    header = table.header or ()
    metric = value or next((name for name in (MAIN, "score") if name in header), "ndcg_at_10")
    if metric not in header:
        raise table.wrong(f"no column {metric!r}{nearest(metric, [*header])}", table.start)
    at, seen = header.index(metric), dict[tuple[str, ...], int]()
    found = _places(header)
    places = [found.get(name) for name in (*COLUMNS, *_OTHERS)]
    results = []
    for row in table.rows:
        names = [name_of(row.cells[place]) if place is not None else "" for place in places]
        if "" in names[: len(COLUMNS)]:
            raise table.wrong(f"the {COLUMNS[names.index('')]} has no name", row.number)
        model, revision, task, split, subset, version = names
        if first := seen.get(key := (model, revision, task, split, subset)):
            told = ", ".join(filter(None, key))
            raise table.wrong(
                f"a second score of {told}; the first is on {table.unit} {first}", row.number
            )
        seen[key] = row.number
        number = _cell(table, row, at, metric)
        results.append(Result(model, revision, task, split, subset, number, version))
    return metric, results


def _cell(table: Table, row: Row, at: int, metric: str) -> float:
    score = score_of(row.cells[at], table.decimal)
    if score is None:
        cell = name_of(row.cells[at])
        raise table.wrong(f"score {cell!r} in column {at + 1} is not a finite number", row.number)
    if not (math.isnan(score.value) or 0 <= score.value <= 1):
        raise table.wrong(f"{metric} must be in 0..1, got {name_of(row.cells[at])}", row.number)
    return score.value


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
    """Return a score; NaN where it was not computed: it is null, NaN, or a metric that is not there."""
    value = row.get(metric)
    if isinstance(value, float) and math.isnan(value):
        return math.nan
    if value is None and (metric != MAIN or MAIN in row):
        return math.nan
    if value is None:
        raise _refused(path, f"split {split} has no {MAIN}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _refused(path, f"{metric} must be a number in 0..1, got {shown(value)}")
    return float(value)


def _refused(path: Path | str, message: str, line: int = 0) -> ValueError:
    return ValueError(str(Problem(str(path), "result", message, line)))
