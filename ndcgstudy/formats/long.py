"""Long tables: a score a line, with its system, topic, and often its data set and measure."""

from collections.abc import Sequence
from dataclasses import replace

from ndcgstudy.checks import nearest
from ndcgstudy.formats.asked import Asked
from ndcgstudy.formats.cells import Row, Table, name_of
from ndcgstudy.formats.columns import Column, named
from ndcgstudy.formats.grid import Grid, Topic, laid_out
from ndcgstudy.formats.roles import listed
from ndcgstudy.formats.scorecells import Score
from ndcgstudy.formats.wide import cell_score, check_percent

Roles = dict[str, Column]
_WHO = ("system", "dataset", "topic")


def is_long(roles: Roles) -> bool:
    """Return whether columns name the system and the topic of each line, or its data set."""
    return "system" in roles and bool({"topic", "dataset"} & roles.keys())


def check_system(table: Table, columns: Sequence[Column], roles: Roles) -> None:
    """Refuse a table with a column of measures and one of scores, but none of systems."""
    if {"measure", "value"} <= roles.keys() and "system" not in roles:
        names = ", ".join(c.name for c in columns)
        raise table.wrong(
            f"a score a line, but no column names the systems: say --column system=NAME of {names}",
            table.start,
        )


def long_grid(table: Table, columns: Sequence[Column], roles: Roles, asked: Asked) -> Grid:
    """Read a long table of one measure.

    Raises
    ------
    ValueError
        If it has several columns of scores and the call names none, a line lacks a name, a system has two
        scores on a topic, or a cell holds no score.
    """
    value = _value_column(table, columns, roles, asked)
    where = [roles[role] for role in _WHO if role in roles]
    cells: dict[tuple[str, Topic], Score] = {}
    seen: dict[tuple[str, Topic], Row] = {}
    for row in table.rows:
        key = _key(table, row, where)
        if key in seen:
            raise table.wrong(_twice(columns, key, seen[key], row, table), row.number)
        cells[key], seen[key] = cell_score(table, row.cells[value.at], value, row.number), row
    check_percent(table, cells)
    return laid_out(cells, value.name, "topic" not in roles)


def _key(table: Table, row: Row, where: Sequence[Column]) -> tuple[str, Topic]:
    system, *topic = [name_of(row.cells[column.at]) for column in where]
    for what, name in zip(("topic", "data set"), reversed(topic), strict=False):
        if not name:
            raise table.wrong(f"the {what} has no name", row.number)
    if not system:
        raise table.wrong("the system has no name", row.number)
    return system, (None if len(topic) < 2 else topic[0], topic[-1])


def of_one_measure(table: Table, roles: Roles, asked: Asked) -> tuple[Table, str]:
    """Keep the rows of one measure, and return its name; "" where no column names measures.

    Raises
    ------
    ValueError
        If there are several and the call names none, or one that is not there.
    """
    if "measure" not in roles:
        return table, ""
    at = roles["measure"].at
    names = [*dict.fromkeys(name_of(row.cells[at]) for row in table.rows)]
    if asked.measure is None and len(names) > 1:
        raise table.wrong(
            f"the column {roles['measure'].name!r} holds {len(names)} measures: {listed(names, 9)}; "
            "choose one with -m",
            table.start,
        )
    chosen = names[0] if asked.measure is None else asked.measure
    if chosen not in names:
        raise table.wrong(f"no measure {chosen!r}{nearest(chosen, names)}")
    rows = [row for row in table.rows if name_of(row.cells[at]) == chosen]
    return replace(table, rows=rows), chosen


def _value_column(table: Table, columns: Sequence[Column], roles: Roles, asked: Asked) -> Column:
    """Return the column of the score: named by the call, called so, or the only one of numbers."""
    if "value" in asked.columns:
        if asked.measure and "measure" not in roles:
            raise table.wrong("-m names a measure, and no column holds measures", table.start)
        return named(table, columns, asked.columns["value"])
    if asked.measure and "measure" not in roles:
        return named(table, columns, asked.measure)
    if "value" in roles:
        return roles["value"]
    taken = {column.at for column in roles.values()}
    left = [c for c in columns if c.at not in taken and not (c.identifies or c.is_text)]
    if len(left) != 1:
        names = ", ".join(c.name for c in left) or "none"
        raise table.wrong(f"which column is the score? say one of: {names} (--value)", table.start)
    return left[0]


def _twice(
    columns: Sequence[Column], key: tuple[str, Topic], first: Row, again: Row, table: Table
) -> str:
    system, (data, topic) = key
    of = f" of {data!r}" if data else ""
    differ = [c.name for c in columns if first.cells[c.at] != again.cells[c.at]]
    more = f"; they differ in {listed(differ, 5)}" if differ else ""
    return (
        f"system {system!r} has a second score for topic {topic!r}{of}; "
        f"the first is on {table.unit} {first.number}{more}"
    )
