"""A table with its numbers as numbers, for formats that know them."""

from collections.abc import Sequence
from dataclasses import replace

from ndcgstudy.formats.cells import Cell, Row, Table
from ndcgstudy.formats.roles import is_id, role_of
from ndcgstudy.formats.scorecells import NONE, is_missing, score_of

NAMES = ("outer", "inner", "value")
"""The columns of objects in objects."""


def typed(table: Table) -> Table:
    """Return a table with a header, and numbers in the columns that hold no other text.

    A column that names systems, topics or ids stays text, so that 007 and 1.10 remain what they are. So
    does one in which a percent sign or anything else stands that is no number. A word for a missing
    score in a column of numbers becomes an empty cell.

    Examples
    --------
    >>> table = Table("t", "semicolon", ("qid", "a"), [Row(2, ["007", "0,5"])], decimal=",")
    >>> [row.cells for row in typed(table).rows]
    [['007', 0.5]]
    """
    if table.nested:
        table = replace(table, header=NAMES, nested=False)
    table = table.headed()
    columns = [[row.cells[i] for row in table.rows] for i in range(len(table.header or ()))]
    numbers = [
        cells if _names(name) else _numbers(cells, table.decimal)
        for name, cells in zip(table.header or (), columns, strict=True)
    ]
    rows = [Row(row.number, [*cells]) for row, *cells in zip(table.rows, *numbers, strict=True)]
    return replace(table, rows=rows, decimal=".")


def _names(name: str) -> bool:
    return role_of(name) in ("system", "topic", "dataset", "measure") or is_id(name)


def _numbers(cells: Sequence[Cell], decimal: str) -> Sequence[Cell]:
    """Return the numbers of a column; the cells as they are where one is no number."""
    found = [score_of(cell, decimal) for cell in cells]
    if any(score is None or score.percent for score in found) or all(s is NONE for s in found):
        return cells
    return [None if is_missing(cell) else _number(cell, decimal) for cell in cells]


def _number(cell: Cell, decimal: str) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = cell.strip().replace("\u2212", "-").replace(decimal, ".")
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
