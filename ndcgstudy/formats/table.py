"""Tables in CSV: their records with the numbers of their lines, their columns by name, their scores."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ndcgstudy.checks import nearest
from ndcgstudy.formats.problem import Problem
from ndcgstudy.formats.textfile import TextFile


@dataclass(frozen=True)
class Line:
    """A record and the number of the line it ends on."""

    number: int
    cells: list[str]


def wrong(text: TextFile, message: str, line: int = 0) -> ValueError:
    """Make the error that names file, line and rule."""
    return ValueError(str(Problem(text.name, "table", message, line)))


def records(text: TextFile) -> list[Line]:
    """Split a text with commas, or tabs where its first line has one, into records of one width.

    Raises
    ------
    ValueError
        If it is no CSV, or a record has more or fewer fields than the first.
    """
    content = text.decoded()
    first = content.lstrip().split("\n", 1)[0]
    reader = csv.reader(io.StringIO(content, newline=""), delimiter="\t" if "\t" in first else ",")
    lines: list[Line] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append(Line(reader.line_num, [cell.strip() for cell in cells]))
                _check_width(text, lines)
    except csv.Error as error:
        raise wrong(text, str(error), reader.line_num) from None
    return lines


def column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return where the first of some names stands in a header, in any case of letters."""
    lower = [cell.lower() for cell in header]
    return next((lower.index(name) for name in names if name in lower), None)


def named_column(text: TextFile, header: list[str], name: str) -> int:
    """Return where a column stands, or raise `ValueError` with the known ones."""
    if name not in header:
        raise wrong(text, f"no column {name!r}{nearest(name, header)}")
    return header.index(name)


def cell_score(text: TextFile, line: Line, at: int) -> float:
    """Read a score; NaN where the cell is empty, which a score itself must not be.

    Raises
    ------
    ValueError
        If the cell holds what is no finite number.
    """
    cell = line.cells[at]
    if not cell:
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in cell:
        message = f"score {cell!r} in column {at + 1} is not a finite number"
        raise wrong(text, message, line.number)
    return number


def _check_width(text: TextFile, lines: list[Line]) -> None:
    width, last = len(lines[0].cells), lines[-1]
    if len(last.cells) != width:
        message = f"expected {width} fields, found {len(last.cells)}"
        raise wrong(text, message, last.number)
