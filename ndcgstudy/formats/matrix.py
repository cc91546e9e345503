"""Score matrices in CSV: wide (topics x systems) or long (system, [dataset,] topic, value)."""

import csv
import io
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Scores
from ndcgstudy.formats.problem import Problem
from ndcgstudy.formats.textfile import TextFile, read_text

SYSTEM = ("system", "run", "model", "run_id")
TOPIC = ("topic", "qid", "query", "query_id", "query-id", "topic_id")
DATASET = ("dataset", "collection", "task")
VALUE = ("value", "score")


def read_scores(
    path: str | Path, *, value: str | None = None, dataset: str | None = None
) -> Scores:
    """Read a score matrix from CSV (commas or tabs; plain, gzip, xz, bzip2; ``-`` for stdin).

    A header with a column for the system (system, run, model) and one for the topic (topic, qid,
    query) makes it long: one score a line. Any other header names the systems: one topic a line, its
    id in the first column if that is headed topic or holds what is no number; else topics are
    numbered from 1.

    Parameters
    ----------
    value
        Long form: the column of the score; by default value or score, or the only one left.
    dataset
        Long form: the column of the collection; by default dataset, collection or task, if there.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        Naming file, line, value and rule; a missing cell is one, and all are counted.
    """
    text = read_text(path)
    lines = _records(text)
    if not lines:
        raise _wrong(text, "the score matrix is empty")
    header = lines[0].cells
    if _column(header, SYSTEM) is not None and _column(header, TOPIC) is not None:
        return _long(text, lines, value, dataset)
    return _wide(text, lines)


def write_scores(scores: Scores, path: str | Path) -> None:
    """Write scores to CSV in the long form, every value to its last digit.

    The file is written under a temporary name and renamed, so that it is whole or not there.
    """
    rows: list[list[object]] = [
        ["system", *(["dataset"] * bool(scores.datasets)), "topic", "value"]
    ]
    for i, system in enumerate(scores.systems):
        for j, topic in enumerate(scores.topics):
            where = [scores.datasets[j]] if scores.datasets else []
            number = scores.values[i, j]
            rows.append([system, *where, topic, "" if np.isnan(number) else repr(float(number))])
    temporary = Path(f"{path}.{os.getpid()}.tmp")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    temporary.replace(path)


def _wrong(text: TextFile, message: str, line: int = 0) -> ValueError:
    return ValueError(str(Problem(text.name, "matrix", message, line)))


@dataclass(frozen=True)
class _Line:
    number: int
    cells: list[str]


def _records(text: TextFile) -> list[_Line]:
    """Split the text into records, each with the number of the line it ends on."""
    content = text.decoded()
    first = content.lstrip().split("\n", 1)[0]
    reader = csv.reader(io.StringIO(content, newline=""), delimiter="\t" if "\t" in first else ",")
    lines: list[_Line] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append(_Line(reader.line_num, [cell.strip() for cell in cells]))
                _check_width(text, lines)
    except csv.Error as error:
        raise _wrong(text, str(error), reader.line_num) from None
    return lines


def _check_width(text: TextFile, lines: list[_Line]) -> None:
    width, last = len(lines[0].cells), lines[-1]
    if len(last.cells) != width:
        message = f"expected {width} fields, found {len(last.cells)}"
        raise _wrong(text, message, last.number)


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    lower = [cell.lower() for cell in header]
    return next((lower.index(name) for name in names if name in lower), None)


def _named(text: TextFile, header: list[str], name: str) -> int:
    if name not in header:
        raise _wrong(text, f"no column {name!r}{nearest(name, header)}")
    return header.index(name)


def _number(text: TextFile, line: _Line, at: int) -> float:
    cell = line.cells[at]
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in cell:
        message = f"score {cell!r} in column {at + 1} is not a finite number"
        raise _wrong(text, message, line.number)
    return number


def _long(text: TextFile, lines: list[_Line], value: str | None, dataset: str | None) -> Scores:
    header = lines[0].cells
    system, topic = _column(header, SYSTEM) or 0, _column(header, TOPIC) or 0
    group = _named(text, header, dataset) if dataset else _column(header, DATASET)
    at = _value_column(text, header, value, {system, topic, group})
    cells: dict[tuple[str, str, str], tuple[float, int]] = {}
    for line in lines[1:]:
        key = (
            line.cells[system],
            line.cells[group] if group is not None else "",
            line.cells[topic],
        )
        if key in cells:
            message = (
                f"system {key[0]!r} has a second score for topic {key[2]!r}; "
                f"the first is on line {cells[key][1]}"
            )
            raise _wrong(text, message, line.number)
        cells[key] = (_number(text, line, at), line.number)
    return _filled(text, {key: number for key, (number, _) in cells.items()}, header[at], group)


def _value_column(
    text: TextFile, header: list[str], value: str | None, taken: set[int | None]
) -> int:
    if value:
        return _named(text, header, value)
    usual = _column(header, VALUE)
    left = [i for i in range(len(header)) if i not in taken]
    if usual is None and len(left) != 1:
        names = ", ".join(header[i] for i in left) or "none"
        raise _wrong(text, f"which column is the score? say one of: {names}")
    return left[0] if usual is None else usual


def _filled(
    text: TextFile, cells: dict[tuple[str, str, str], float], measure: str, group: int | None
) -> Scores:
    systems = tuple(dict.fromkeys(system for system, _, _ in cells))
    topics = list(dict.fromkeys((data, topic) for _, data, topic in cells))
    holes = [(s, d, t) for s in systems for d, t in topics if (s, d, t) not in cells]
    if holes or not cells:
        shown = "; ".join(f"system {s!r}, topic {t!r}" for s, _, t in holes[:5])
        raise _wrong(text, f"{len(holes)} scores are missing: {shown or 'all of them'}")
    values = np.array([[cells[s, d, t] for d, t in topics] for s in systems])
    datasets = tuple(d for d, _ in topics) if group is not None else None
    return Scores(values, systems, tuple(t for _, t in topics), measure, datasets)


def _wide(text: TextFile, lines: list[_Line]) -> Scores:
    header, body = lines[0].cells, lines[1:]
    if not body:
        raise _wrong(text, "the score matrix has a header and no scores")
    named = header[0].lower() in (*TOPIC, "") or not all(_is_number(line.cells[0]) for line in body)
    systems = tuple(header[named:])
    topics = tuple(line.cells[0] if named else str(i) for i, line in enumerate(body, start=1))
    if not systems:
        raise _wrong(text, "the score matrix names no system")
    empty = [(line.number, i + 1) for line in body for i, cell in enumerate(line.cells) if not cell]
    if empty:
        shown = "; ".join(f"line {line}, column {column}" for line, column in empty[:5])
        raise _wrong(text, f"{len(empty)} scores are missing: {shown}")
    values = [[_number(text, line, i) for i in range(named, len(header))] for line in body]
    try:
        return Scores(
            np.array(values).T.reshape(len(systems), len(topics)), systems, topics, "score"
        )
    except ValueError as error:
        raise _wrong(text, str(error)) from None


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
