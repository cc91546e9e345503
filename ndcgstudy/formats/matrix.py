"""Score matrices in CSV: wide (topics x systems) or long (system, [dataset,] topic, value)."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ndcgstudy.data import Scores
from ndcgstudy.formats.table import Line, cell_score, column, named_column, records, wrong
from ndcgstudy.formats.textfile import TextFile, read_text
from ndcgstudy.missing import Matrix, complete, select_topics

SYSTEM = ("system", "run", "model", "run_id")
TOPIC = ("topic", "qid", "query", "query_id", "query-id", "topic_id")
DATASET = ("dataset", "collection", "task")
VALUE = ("value", "score")


def read_scores(
    path: str | Path | TextFile,
    *,
    value: str | None = None,
    dataset: str | None = None,
    topics: Sequence[str] | None = None,
    missing: str = "error",
) -> Matrix:
    """Read a score matrix from CSV (commas or tabs; plain, gzip, xz, bzip2; ``-`` for stdin).

    A header with a column for the system (system, run, model) and one for the topic (topic, qid,
    query) makes it long: one score a line. Where it has none for the topic but one for the
    collection (dataset, collection, task), the scores are means and the collections are the topics.
    Any other header names the systems: one topic a line, its id in the first column if that is headed
    as a topic or a collection or holds what is no number; else topics are numbered from 1.

    A score is missing where its cell is empty or, in the long form, its line is not there.

    Parameters
    ----------
    path
        The file, or its text where that was read before.
    value
        Long form: the column of the score; by default value or score, or the only one left.
    dataset
        Long form: the column of the collection; by default dataset, collection or task, if there.
    topics
        Which topics to keep; by default all.
    missing
        What missing scores mean: "error", "zero", "drop-topics", "drop-systems"; see `complete`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        Naming file, line, value and rule.
    """
    text = path if isinstance(path, TextFile) else read_text(path)
    lines = records(text)
    if len(lines) < 2:
        raise wrong(
            text, f"the score matrix {'has a header and no scores' if lines else 'is empty'}"
        )
    header = lines[0].cells
    where = _long_columns(text, header, dataset)
    scores = _long(text, lines, value, where) if where else _wide(text, lines, value, dataset)
    try:
        return complete(scores if topics is None else select_topics(scores, topics), missing)
    except ValueError as error:
        raise wrong(text, str(error)) from None


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


def _long_columns(
    text: TextFile, header: list[str], dataset: str | None
) -> tuple[int, int | None, int] | None:
    """Return the columns of system, collection and topic; None where the header is a wide one."""
    system, topic = column(header, SYSTEM), column(header, TOPIC)
    group = named_column(text, header, dataset) if dataset else column(header, DATASET)
    if system is None or (topic is None and group is None):
        return None
    return (system, group, topic) if topic is not None else (system, None, group or 0)


def _long(
    text: TextFile, lines: list[Line], value: str | None, where: tuple[int, int | None, int]
) -> Scores:
    header, (system, group, topic) = lines[0].cells, where
    at = _value_column(text, header, value, set(where))
    cells: dict[tuple[str, str, str], tuple[float, int]] = {}
    for line in lines[1:]:
        key = (
            line.cells[system],
            line.cells[group] if group is not None else "",
            line.cells[topic],
        )
        if not key[0] or not key[2]:
            raise wrong(text, f"the {'topic' if key[0] else 'system'} has no name", line.number)
        if key in cells:
            message = (
                f"system {key[0]!r} has a second score for topic {key[2]!r}; "
                f"the first is on line {cells[key][1]}"
            )
            raise wrong(text, message, line.number)
        cells[key] = (cell_score(text, line, at), line.number)
    return _filled({key: number for key, (number, _) in cells.items()}, header[at], group)


def _value_column(
    text: TextFile, header: list[str], value: str | None, taken: set[int | None]
) -> int:
    if value:
        return named_column(text, header, value)
    usual = column(header, VALUE)
    left = [i for i in range(len(header)) if i not in taken]
    if usual is None and len(left) != 1:
        names = ", ".join(header[i] for i in left) or "none"
        raise wrong(text, f"which column is the score? say one of: {names}")
    return left[0] if usual is None else usual


def _filled(cells: dict[tuple[str, str, str], float], measure: str, group: int | None) -> Scores:
    """Lay scores out as a matrix, NaN where there is none."""
    systems = {system: i for i, system in enumerate(dict.fromkeys(s for s, _, _ in cells))}
    topics = {key: j for j, key in enumerate(dict.fromkeys((d, t) for _, d, t in cells))}
    values = np.full((len(systems), len(topics)), np.nan)
    for (system, data, topic), number in cells.items():
        values[systems[system], topics[data, topic]] = number
    datasets = tuple(d for d, _ in topics) if group is not None else None
    return Scores(values, tuple(systems), tuple(t for _, t in topics), measure, datasets)


def _wide(text: TextFile, lines: list[Line], value: str | None, dataset: str | None) -> Scores:
    header, body = lines[0].cells, lines[1:]
    if value or dataset:
        message = "a wide matrix has no column of values or data sets; its header names the systems"
        raise wrong(text, message, lines[0].number)
    headed = header[0].lower() in (*TOPIC, *DATASET, "")
    named = headed or not all(_is_number(line.cells[0]) for line in body)
    systems = tuple(header[named:])
    topics = tuple(line.cells[0] if named else str(i) for i, line in enumerate(body, start=1))
    if not systems:
        raise wrong(text, "the score matrix names no system")
    _check_names(text, lines, named)
    values = [[cell_score(text, line, i) for i in range(named, len(header))] for line in body]
    try:
        sets = topics if header[0].lower() in DATASET else None  # each column a data set's mean
        return Scores(np.array(values).T, systems, topics, "score", sets)
    except ValueError as error:
        raise wrong(text, str(error)) from None


def _check_names(text: TextFile, lines: list[Line], named: bool) -> None:
    if "" in lines[0].cells[named:]:
        at = lines[0].cells.index("", named) + 1
        raise wrong(text, f"the system in column {at} has no name", lines[0].number)
    for line in lines[1:]:
        if named and not line.cells[0]:
            raise wrong(text, "the topic has no name", line.number)


def _is_number(cell: str) -> bool:
    """Tell whether a cell may be a score: a number, NaN (refused later, as one), or nothing."""
    try:
        float(cell or 0)
    except ValueError:
        return False
    return True
