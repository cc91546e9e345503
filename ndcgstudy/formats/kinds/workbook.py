"""Workbooks of spreadsheets, read and written by openpyxl."""

import io
import zipfile
from typing import Any

from ndcgstudy.checks import nearest
from ndcgstudy.formats.budget import Budget
from ndcgstudy.formats.cells import Cell, Row, Table
from ndcgstudy.formats.extras import needed
from ndcgstudy.formats.registry import Format
from ndcgstudy.formats.textfile import TextFile

MEMBERS = 10_000
"""The most files in a workbook."""


def sniff(text: TextFile) -> bool:
    """Return whether the file is a zip, as a workbook is one."""
    return text.data[:4] == b"PK\x03\x04"


def read(text: TextFile, sheet: str) -> Table:
    """Read a sheet: the one that is named, or the only one that holds something.

    Raises
    ------
    ValueError
        If openpyxl is not installed, the file is no workbook, several sheets hold something, or a
        formula was never computed.
    """
    empty = Table(text.name, "xlsx", None, (), unit="row")
    values, formulas = (_book(empty, text.data, computed) for computed in (True, False))
    filled = {name: rows for name, rows in values.items() if rows}
    if sheet and sheet not in values:
        raise empty.wrong(f"no sheet {sheet!r}{nearest(sheet, [*values])}")
    if not sheet and len(filled) > 1:
        names = ", ".join(map(repr, filled))
        raise empty.wrong(f"sheets {names} hold something: choose with --reader xlsx:NAME")
    name = sheet or next(iter(filled), "")
    _check_computed(empty, values.get(name, []), formulas.get(name, []))
    return Table(text.name, "xlsx", None, _even(values.get(name, [])), unit="row")


def _book(table: Table, data: bytes, computed: bool) -> dict[str, list[Row]]:
    """Return the rows of each sheet that are not empty, formulas as their values or as their text."""
    library: Any = needed("openpyxl", table.name, "xlsx")
    try:
        _check_members(table, data)
        book = library.load_workbook(io.BytesIO(data), read_only=True, data_only=computed)
        sheets = {sheet.title: _rows(sheet) for sheet in book.worksheets}
        book.close()
    except Exception as error:
        if str(error).startswith(f"{table.name}: "):  # said by us
            raise
        why = f"{type(error).__name__}: {error}"  # openpyxl lets through whatever damage leads to
        raise table.wrong(f"not a workbook, or damaged: {why}") from None
    return sheets


def _check_members(table: Table, data: bytes) -> None:
    """Refuse a zip that expands without measure, and XML that declares entities.

    Members are unpacked, since what a zip says of their sizes may be wrong.
    """
    budget = Budget(table.name, len(data))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if len(archive.infolist()) > MEMBERS:
            raise table.wrong(f"more than {MEMBERS:,} files in the workbook")
        for member in archive.infolist():
            with archive.open(member) as file:
                head = b""
                while piece := file.read(1 << 20):
                    budget.spend(len(piece))
                    if b"<!DOCTYPE" in head + piece or b"<!ENTITY" in head + piece:
                        raise table.wrong(f"{member.filename} declares XML entities")
                    head = piece[-16:]


def _rows(sheet: Any) -> list[Row]:
    rows = (
        Row(number, [_cell(value) for value in cells])
        for number, cells in enumerate(sheet.iter_rows(values_only=True), 1)
    )
    return [row for row in rows if any(cell not in (None, "") for cell in row.cells)]


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return str(value).lower()
    return value if value is None or isinstance(value, int | float) else str(value).strip()


def _even(rows: list[Row]) -> list[Row]:
    """Give all rows one width: up to the last column that holds something, from the first one."""
    filled = [i for row in rows for i, cell in enumerate(row.cells) if cell not in (None, "")]
    first, last = (min(filled), max(filled) + 1) if filled else (0, 0)
    return [
        Row(row.number, [*row.cells[first:last], *[None] * (last - len(row.cells))]) for row in rows
    ]


def _check_computed(table: Table, values: list[Row], formulas: list[Row]) -> None:
    """Refuse a formula whose value the file does not hold."""
    known = {row.number: row.cells for row in values}
    for row in formulas:
        for i, cell in enumerate(row.cells):
            own = known.get(row.number, [])
            if isinstance(cell, str) and cell.startswith("=") and (i >= len(own) or own[i] is None):
                raise table.wrong(
                    f"the formula {cell!r} has no value; open and save the file", row.number
                )


def write(table: Table) -> bytes:
    """Write one sheet; text stays text, also where it looks like a formula."""
    library: Any = needed("openpyxl", table.name, "xlsx")
    named = table.headed()
    book = library.Workbook()
    sheet = book.active
    lines: list[list[Cell]] = [[*(named.header or ())], *([*row.cells] for row in named.rows)]
    for i, cells in enumerate(lines, 1):
        for j, value in enumerate(cells, 1):
            if value is not None:
                cell = sheet.cell(i, j, value if isinstance(value, str) else repr(value))
                cell.data_type = "s" if isinstance(value, str) else "n"  # all digits, not 16
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


FORMATS = (Format("xlsx", "a sheet of a workbook (openpyxl)", (".xlsx",), sniff, read, write, 11),)
