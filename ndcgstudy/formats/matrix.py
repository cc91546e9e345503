"""Score tables of any format: wide (topics x systems, or the other way) or long (a score a line)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ndcgstudy.data import Scores
from ndcgstudy.formats.asked import Asked
from ndcgstudy.formats.cells import Row, Table, name_of
from ndcgstudy.formats.columns import Column, by_role, columns_of
from ndcgstudy.formats.long import Roles, check_system, is_long, long_grid, of_one_measure
from ndcgstudy.formats.registry import read_table, write_table
from ndcgstudy.formats.roles import ROLES, listed, role_of
from ndcgstudy.formats.scales import scale_notes
from ndcgstudy.formats.summaries import without_summaries
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.formats.wide import wide_grid
from ndcgstudy.missing import Matrix, complete, select_topics

TOPIC = ROLES["topic"]
LONGEST = 900
"""How long a message on missing scores may be."""
_GAPS = 5
_NO_FIELDS = (
    "one column: fields need commas, tabs or semicolons between them, or another format "
    "(`ndcgstudy list formats`)"
)


@dataclass(frozen=True, eq=False)
class Raw:
    """Scores as a file has them, NaN where one is missing.

    Parameters
    ----------
    scores
        The scores.
    form
        What was recognised, in a few words.
    notes
        What was left out and how names were read, a line each.
    gaps
        Why scores are missing, where the file says it, a line each.
    """

    scores: Scores
    form: str
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def read_scores(
    path: str | Path | TextFile,
    *,
    value: str | None = None,
    dataset: str | None = None,
    topics: Sequence[str] | None = None,
    missing: str = "error",
    measure: str | None = None,
    systems: str | None = None,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    reader: str = "",
) -> Matrix:
    """Read a score table of any format that `ndcgstudy list formats` shows, packed or not.

    The names of columns say what they hold; docs/formats.md lists them. With a column for the system
    (system, model, run, method, ...) and one for the topic (topic, qid, query, ...) or the data set
    (dataset, task, ...) the table is long: one score a line. Without a topic the scores are means and
    the data sets are the topics. With one of them alone it is wide: a line is a system, or a topic, and
    the columns of numbers are the others. Where all columns are numbers and none has such a name, they
    are systems, and topics are numbered from 1. Any other table is refused unless `systems` is given.

    A score is missing where its cell is empty, NA, N/A, nan, null, None or -, or its line is not there.

    Parameters
    ----------
    path
        The file, or its content where that was read before; ``-`` for standard input.
    value
        Long form: the column of the score; by default value or score, or the only one left.
    dataset
        The column of the data set; by default dataset, collection or task, if there.
    topics
        Which topics to keep; by default all.
    missing
        What missing scores mean: "error", "zero", "drop-topics", "drop-systems"; see `complete`.
    measure
        Long form: the measure to take where there are several.
    systems
        Wide form: "rows" or "columns", where the names do not say which are the systems.
    columns
        The names of columns by role: system, topic, dataset, measure, value.
    keep, drop
        Names of rows or columns: scores after all, though named as an id or a summary; left out.
    reader
        The name of the format; by default it is recognised.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        Naming file, line, value and rule.
    """
    given = {"value": value, "dataset": dataset, **(columns or {})}
    named = {role: name for role, name in given.items() if name}
    asked = Asked(systems, named, measure, tuple(keep), tuple(drop))
    table = read_table(path, reader)
    raw = raw_scores(table, asked)
    try:
        return completed(raw, topics, missing)
    except ValueError as error:
        raise table.wrong(str(error), size=LONGEST) from None


def raw_scores(table: Table, asked: Asked) -> Raw:
    """Make scores of a table, with what is missing still missing.

    Raises
    ------
    ValueError
        Naming file, line, value and rule.
    """
    if table.nested:
        table, asked = _with_names(table, asked), replace(asked, systems=None)
    table = table.headed()
    if not table.rows:
        raise table.wrong("the score matrix has a header and no scores")
    if len(table.header or ()) < 2 and not role_of((table.header or ("",))[0]):
        raise table.wrong(_NO_FIELDS, table.start)
    labels = {role: name for role, name in asked.columns.items() if role != "value"}
    naming = replace(asked, columns=labels)
    table, measure = of_one_measure(table, by_role(table, columns_of(table), naming), asked)
    columns = columns_of(table)
    roles = by_role(table, columns, naming)
    notes: tuple[str, ...] = ()
    if is_long(roles) and asked.systems is None:
        grid, how = long_grid(table, columns, roles, asked), f"a score a {table.unit}"
    else:
        _check_wide(table, columns, roles, asked)
        grid, how, notes = wide_grid(table, columns, roles, asked)
    grid = replace(grid, measure=measure or grid.measure)
    asked.check_used(table, grid.names)
    found, more = without_summaries(table, grid, asked)
    try:
        scores = found.scores()
    except ValueError as error:
        raise table.wrong(str(error)) from None
    return Raw(scores, f"{table.form}, {how}", (*notes, *more))


def completed(raw: Raw, topics: Sequence[str] | None, missing: str) -> Matrix:
    """Take some topics, and do with missing scores what is asked.

    Raises
    ------
    ValueError
        As `complete` and `select_topics`, with what the file says on why scores are missing.
    """
    scores = raw.scores if topics is None else select_topics(raw.scores, topics)
    why = f"; {'; '.join(raw.gaps[:_GAPS])}" if raw.gaps else ""
    try:
        done = complete(scores, missing)
    except ValueError as error:
        raise ValueError(f"{error}{why}") from None
    gaps = raw.gaps[:_GAPS] if done.notes else ()
    return Matrix(done.scores, (*raw.notes, *scale_notes(scores), *gaps, *done.notes))


def _with_names(table: Table, asked: Asked) -> Table:
    """Name the columns of objects in objects as the call says."""
    outer, inner = ([*dict.fromkeys(name_of(r.cells[i]) for r in table.rows)] for i in (0, 1))
    if asked.systems is None:
        raise table.wrong(
            f"which are the systems? --systems rows takes the outer names ({listed(outer)}) as systems "
            f"and the inner ones ({listed(inner)}) as topics; --systems columns the other way"
        )
    names = ("system", "topic") if asked.systems == "rows" else ("topic", "system")
    return replace(table, header=(*names, "value"), nested=False, start=0)


def _check_wide(table: Table, columns: Sequence[Column], roles: Roles, asked: Asked) -> None:
    """Refuse what only a long table takes."""
    if asked.systems is None:
        check_system(table, columns, roles)
    measured = asked.measure and "measure" not in roles
    for what, given in (("values", "value" in asked.columns), ("measures", measured)):
        if given:
            raise table.wrong(
                f"a wide matrix has no column of {what}; its header names the systems or the topics",
                table.start,
            )


def write_scores(scores: Scores, path: str | Path) -> None:
    """Write scores in the long form, every value to its last digit.

    The format is the one of the name's end, as in `ndcgstudy list formats`: CSV, parquet, xlsx, ...,
    also packed (.gz, .bz2, .xz, .zst); CSV where the name says none. The file is written under a
    temporary name and renamed, so that it is whole or not there.

    Raises
    ------
    OSError
        If the file cannot be written.
    ValueError
        If the format's package is not installed.
    """
    rows: list[Row] = []
    for i, system in enumerate(scores.systems):
        for j, topic in enumerate(scores.topics):
            where = [scores.datasets[j]] if scores.datasets else []
            number = float(scores.values[i, j])
            score = None if np.isnan(number) else number
            rows.append(Row(len(rows) + 1, [system, *where, topic, score]))
    header = ("system", *(["dataset"] * bool(scores.datasets)), "topic", "value")
    write_table(Table(str(path), "csv", header, rows), path, default="csv")
