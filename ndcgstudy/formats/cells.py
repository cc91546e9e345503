"""Raw tables: the cells of a file of any format, with the numbers of their lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ndcgstudy.formats.budget import LONGEST
from ndcgstudy.formats.problem import shortened

Cell = str | int | float | None
"""Text as it was written, a number of a format that has numbers, or None where there is nothing."""


def name_of(cell: Cell) -> str:
    """Return a cell as a name: text without blanks around it, a whole number without a point.

    Examples
    --------
    >>> [name_of(cell) for cell in (" q1 ", 7, 7.0, 0.5, None)]
    ['q1', '7', '7', '0.5', '']
    """
    if cell is None:
        return ""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell).strip()


@dataclass(frozen=True)
class Row:
    """The cells of a record, and the number of the line it ends on, or its own number."""

    number: int
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Table:
    """What a file holds, before anyone asks what its columns mean.

    Parameters
    ----------
    name
        What to call the file in messages.
    form
        The format it was recognised as.
    header
        The names of the columns; None in formats whose first row may or may not name them.
    rows
        The records, all of one width, which is the header's.
    unit
        What `Row.number` counts: "line", "row" or "record".
    start
        The number of the header.
    decimal
        The decimal mark of numbers that are text.
    nested
        Whether the rows are (outer name, inner name, value), of an object in objects.
    """

    name: str
    form: str
    header: tuple[str, ...] | None
    rows: Sequence[Row]
    unit: str = "line"
    start: int = 1
    decimal: str = "."
    nested: bool = False

    def headed(self) -> "Table":
        """Return the table with its columns named: by the first row where the format has no header.

        Raises
        ------
        ValueError
            If there is no row.
        """
        if self.header is not None:
            return self
        if not self.rows:
            raise self.wrong("the table is empty")
        first, *rest = self.rows
        header = tuple(name_of(cell) for cell in first.cells)
        return replace(self, header=header, rows=rest, start=first.number)

    def wrong(self, message: str, number: int = 0, size: int = 400) -> ValueError:
        """Make the error that names the file, the line and the rule, no longer than `size`."""
        where = f"{self.unit} {number}: " if number else ""
        return ValueError(f"{self.name}: {where}{shortened(message, size)}")

    def records(self) -> Iterable[tuple[int, dict[str, Cell]]]:
        """Yield the number of each row and its cells by the names of their columns."""
        names = self.headed().header or ()
        for row in self.headed().rows:
            yield row.number, dict(zip(names, row.cells, strict=True))


def checked_width(table: Table) -> Table:
    """Return a table whose records have one width.

    Raises
    ------
    ValueError
        If one has more or fewer fields than the first.
    """
    width = len(table.header) if table.header is not None else None
    for row in table.rows:
        width = len(row.cells) if width is None else width
        if len(row.cells) != width:
            raise table.wrong(f"expected {width} fields, found {len(row.cells)}", row.number)
        if any(isinstance(cell, str) and len(cell) > LONGEST for cell in row.cells):
            raise table.wrong(f"a field of over {LONGEST:,} characters", row.number)
    return table
