"""Records with a delimiter: commas, tabs, or semicolons, where a comma may be the decimal mark."""

import csv
import io
import re
from collections.abc import Callable

from ndcgstudy.formats.cells import Cell, Row, Table, name_of
from ndcgstudy.formats.registry import Format
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.visible import guarded, unguarded

_HINT = re.compile(r"sep=([,;\t])\s*\Z", re.IGNORECASE)  # a first line that spreadsheets write
_COMMA = re.compile(r"[+-]?\d*,\d+%?\Z")
_POINT = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?%?\Z", re.IGNORECASE)
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+\Z")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?|[+-]?inf|-", re.IGNORECASE)
_LINES = 50


def delimiter_of(text: TextFile) -> str:
    """Return the delimiter: a tab where the first line has one, else what splits all lines alike.

    Semicolons are asked first, since with them a comma may be the decimal mark.
    """
    lines = _first_lines(text)
    if not lines:
        return ","
    if hint := _HINT.match(lines[0]):
        return hint[1]
    if "\t" in lines[0].strip():
        return "\t"
    try:
        widths = {len(cells) for cells in csv.reader(lines, delimiter=";") if cells}
    except csv.Error:
        return ","
    return ";" if len(widths) == 1 and widths != {1} else ","


def _first_lines(text: TextFile) -> list[str]:
    """Return the first lines that are not blank."""
    count = min(len(text.ends), 4 * _LINES)
    lines = (text.line(number) for number in range(1, count + 1))
    return [line for line in lines if line.strip()][:_LINES]


def _reader(form: str, delimiter: str) -> Callable[[TextFile, str], Table]:
    def read(text: TextFile, _: str) -> Table:
        table = Table(text.name, form, None, _rows(text, form, delimiter))
        return Table(**{**vars(table), "decimal": _decimal(table, delimiter)})

    return read


def _rows(text: TextFile, form: str, delimiter: str) -> list[Row]:
    """Split a text into records, without blank lines."""
    empty = Table(text.name, form, None, ())
    content = text.decoded()
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=delimiter)
    try:
        every = [
            Row(reader.line_num, [unguarded(cell.strip()) for cell in cells]) for cells in reader
        ]
    except csv.Error as error:
        raise empty.wrong(str(error), reader.line_num) from None
    rows = [row for row in every if any(row.cells)]
    if rows and _HINT.match(text.line(rows[0].number)):
        del rows[0]
    return rows


def _decimal(table: Table, delimiter: str) -> str:
    """Return the decimal mark: a comma where it is no delimiter and numbers are written with one.

    With tabs, numbers such as 1,234 alone may as well be thousands: they are then left as they are.

    Raises
    ------
    ValueError
        If some numbers have a comma and others a point.
    """
    if delimiter == ",":
        return "."
    commas, points = _numbers_with(table, _COMMA), _numbers_with(table, _POINT)
    if commas and points:
        (comma, at), (point, other) = commas[0], points[0]
        raise table.wrong(
            f"{comma!r} has a decimal comma, {point!r} on line {other} a decimal point", at
        )
    sure = delimiter == ";" or any(not _GROUPS.match(cell) for cell, _ in commas)
    return "," if commas and sure else "."


def _numbers_with(table: Table, pattern: re.Pattern[str]) -> list[tuple[str, int]]:
    found = ((str(cell), row.number) for row in table.rows for cell in row.cells)
    return [(cell, number) for cell, number in found if pattern.match(cell)]


def _writer(delimiter: str) -> Callable[[Table], bytes]:
    def write(table: Table) -> bytes:
        file = io.StringIO(newline="")
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        if table.header is not None:
            writer.writerow(map(guarded, table.header))
        writer.writerows([_field(cell) for cell in row.cells] for row in table.rows)
        return file.getvalue().encode()

    return write


def _field(cell: Cell) -> str:
    text = written(cell)
    return guarded(text) if isinstance(cell, str) and not NUMBER.fullmatch(text) else text


def written(cell: Cell) -> str:
    """Write a cell as text that reads back: numbers to their last digit."""
    return repr(cell) if isinstance(cell, float) else name_of(cell)


def _delimited(name: str, delimiter: str, suffix: str, about: str, rank: int) -> Format:
    return Format(
        name,
        about,
        (suffix,),
        lambda text: delimiter_of(text) == delimiter,
        _reader(name, delimiter),
        _writer(delimiter),
        rank,
    )


FORMATS = (
    _delimited("tsv", "\t", ".tsv", "fields with tabs between them", 60),
    _delimited("semicolon", ";", ".ssv", "fields with semicolons, decimal commas or points", 61),
    _delimited("csv", ",", ".csv", "fields with commas between them", 62),
)
