"""Wide tables: systems in the columns and topics in the rows, or the other way, as the names say."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ndcgstudy.data import first_repeated
from ndcgstudy.formats.asked import Asked
from ndcgstudy.formats.cells import Cell, Table, name_of
from ndcgstudy.formats.columns import Column
from ndcgstudy.formats.grid import Grid, Topic, laid_out
from ndcgstudy.formats.problem import shortened
from ndcgstudy.formats.roles import is_measure, listed
from ndcgstudy.formats.scorecells import NONE, Score, score_of

_TOPICS = re.compile(r"(q|t|topic|query|question|user)?[-_ ]?\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """How a wide table is read.

    Parameters
    ----------
    systems
        "rows" or "columns".
    labels
        The columns that name the rows: none where rows are numbered, two for a data set and a topic.
    scores
        The columns of scores.
    means
        Whether each topic is a data set.
    notes
        What was left out, a line each.
    """

    systems: str
    labels: tuple[Column, ...]
    scores: tuple[Column, ...]
    means: bool
    notes: tuple[str, ...]


def wide_grid(
    table: Table, columns: Sequence[Column], roles: dict[str, Column], asked: Asked
) -> tuple[Grid, str, tuple[str, ...]]:
    """Read a wide table; return its scores, where the systems are, and notes.

    Raises
    ------
    ValueError
        If its names do not say where the systems are, a name stands twice, or a cell holds no score.
    """
    layout = _layout(table, columns, roles, asked)
    _check_headers(table, layout)
    _check_measures(table, layout, asked)
    rows, by_rows = _row_names(table, layout), layout.systems == "rows"
    across: list[Topic] = [(None, column.name) for column in layout.scores]
    systems = [row for _, row in rows] if by_rows else [name for _, name in across]
    topics = across if by_rows else rows
    cells: dict[tuple[str, Topic], Score] = {}
    _check_twice(table, "system", systems, by_rows)
    _check_twice(table, "topic", topics, not by_rows)
    for i, line in enumerate(table.rows):
        for j, column in enumerate(layout.scores):
            score = cell_score(table, line.cells[column.at], column, line.number)
            cells[systems[i if by_rows else j], topics[j if by_rows else i]] = score
    check_percent(table, cells)
    where = f"systems in the {layout.systems}"
    return laid_out(cells, "score", layout.means), where, layout.notes


def cell_score(table: Table, cell: Cell, column: Column, number: int) -> Score:
    """Read a score, or raise `ValueError` naming the line, the column and the value."""
    score = score_of(cell, table.decimal)
    if score is None:
        never = not any(score_of(c, table.decimal) not in (None, NONE) for c in column.cells)
        more = f"; --drop {shlex.quote(column.name)} leaves the column out" if never else ""
        what = f"score {shortened(repr(name_of(cell)))} in column {column.at + 1}"
        raise table.wrong(f"{what} is not a finite number{more}", number)
    return score


def check_percent(table: Table, cells: Mapping[tuple[str, Topic], Score]) -> None:
    """Refuse scores of which some have a percent sign and others none."""
    signs = [
        [key for key, s in cells.items() if s is not NONE and s.percent is p] for p in (False, True)
    ]
    if all(signs):
        (system, (_, topic)), (other, (_, on)) = signs[1][0], signs[0][0]
        raise table.wrong(
            f"the score of system {system!r}, topic {topic!r} has a percent sign, that of {other!r}, "
            f"{on!r} has none"
        )


def _layout(
    table: Table, columns: Sequence[Column], roles: dict[str, Column], asked: Asked
) -> Layout:
    side = asked.systems or _side_of_names(roles)
    labels = _labels(columns, roles, side)
    taken = {column.at for column in labels}
    left = [c for c in columns if c.at not in taken and c.name not in asked.drop]
    kept = [c for c in left if c.name in asked.keep or not (c.identifies or c.is_text)]
    if side is None and not labels and all(_is_decimal(column.name) for column in columns):
        raise table.wrong(
            "the first line holds scores, no names of systems: add a line of names", table.start
        )
    if side is None and not labels and _unnamed(left, asked):
        raise table.wrong(_both_readings(table, columns), table.start)
    numbered = not labels
    notes = [*_left_out([c for c in left if c not in kept])]
    if not kept:
        what = "topic" if side == "rows" else "system"
        raise table.wrong(f"the score matrix names no {what} with scores", table.start)
    if numbered and asked.systems == "rows":
        raise table.wrong("no column names the systems", table.start)
    if side is None:
        notes.append("no column names the topics: one a line, numbered from 1; systems in columns")
    means = _are_means(side, labels, roles, kept)
    return Layout(side or "columns", labels, tuple(kept), means, tuple(notes))


def _is_decimal(name: str) -> bool:
    """Say whether a name is a number that is not whole.

    Examples
    --------
    >>> _is_decimal("0.41"), _is_decimal("7"), _is_decimal("v1.0"), _is_decimal("1e-3")
    (True, False, False, True)
    """
    try:
        return not float(name).is_integer() or "." in name
    except (ValueError, OverflowError):
        return False


def _side_of_names(roles: dict[str, Column]) -> str | None:
    """Return where the systems are by what the columns are called."""
    if "system" in roles:
        return "rows"
    return "columns" if {"topic", "dataset"} & roles.keys() else None


def _labels(
    columns: Sequence[Column], roles: dict[str, Column], side: str | None
) -> tuple[Column, ...]:
    """Return the columns that name the rows: those with a role, else the first one without scores."""
    order = ("dataset", "topic") if side == "columns" else ("system",)
    if found := tuple(roles[role] for role in order if role in roles):
        return found
    if side is None:
        return ()
    others = [*roles.values(), *(c for c in columns if c.is_text or not c.name)]
    return (others[0],) if others else ()


def _unnamed(columns: Sequence[Column], asked: Asked) -> bool:
    """Return whether a column without a role may name the rows."""
    return any(c.is_text and c.name not in asked.keep for c in columns)


def _both_readings(table: Table, columns: Sequence[Column]) -> str:
    """Show both ways to read a table whose names do not say what they are."""
    label = next(c for c in columns if c.is_text)
    rows = listed([name_of(cell) for cell in label.cells])
    across = listed([c.name for c in columns if c is not label])
    return (
        f"are the systems in the rows or the columns? --systems rows takes {rows} as systems and "
        f"{across} as topics; --systems columns takes {across} as systems and {rows} as topics"
    )


def _left_out(columns: Sequence[Column]) -> Iterator[str]:
    ids = [c.shown for c in columns if c.identifies]
    texts = [c.shown for c in columns if not c.identifies]
    if ids:
        yield f"{listed(ids, 9)}: ids or counts, no scores, left out (--keep)"
    if texts:
        yield f"{listed(texts, 9)}: text, no scores, left out"


def _are_means(
    side: str | None, labels: Sequence[Column], roles: dict[str, Column], scores: Sequence[Column]
) -> bool:
    """Return whether each topic is a data set, of which the mean alone is known."""
    if side == "columns":
        return len(labels) == 1 and labels[0] is roles.get("dataset")
    return side == "rows" and not all(_TOPICS.fullmatch(c.name) for c in scores)


def _check_headers(table: Table, layout: Layout) -> None:
    what = "system" if layout.systems == "columns" else "topic"
    for column in layout.scores:
        if not column.name:
            raise table.wrong(f"the {what} in column {column.at + 1} has no name", table.start)


def _check_measures(table: Table, layout: Layout, asked: Asked) -> None:
    """Refuse columns that are all called as measures: they are neither systems nor topics."""
    if asked.systems is None and all(is_measure(c.name) for c in layout.scores):
        names = listed([c.name for c in layout.scores])
        way = f"--systems {layout.systems} takes them as {'topics' if layout.labels else 'systems'}"
        raise table.wrong(
            f"the columns ({names}) are called as measures, not as systems or topics: a comparison "
            f"takes one measure, by system and topic ({way})",
            table.start,
        )


def _row_names(table: Table, layout: Layout) -> list[Topic]:
    """Return the name of each row, and its data set where another column names this."""
    if not layout.labels:
        return [(None, str(i)) for i, _ in enumerate(table.rows, 1)]
    what = "topic" if layout.systems == "columns" else "system"
    names: list[Topic] = []
    for row in table.rows:
        found = [name_of(row.cells[column.at]) for column in layout.labels]
        if "" in found:
            raise table.wrong(f"the {what} has no name", row.number)
        names.append((found[0] if len(found) > 1 else None, found[-1]))
    return names


def _check_twice(table: Table, axis: str, names: Sequence[Any], rows: bool) -> None:
    """Refuse a name of two rows or columns."""
    if twice := first_repeated(names):
        again = [i for i, name in enumerate(names) if name == twice][1]
        line = table.rows[again].number if rows else table.start
        shown = repr(twice) if isinstance(twice, str) else repr(twice[1])
        more = f" of {twice[0]!r}" if not isinstance(twice, str) and twice[0] else ""
        raise table.wrong(f"{axis} {shown}{more} stands twice", line)
