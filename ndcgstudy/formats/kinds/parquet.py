"""Parquet, read and written by pyarrow."""

import io
from typing import Any

from ndcgstudy.formats.budget import Budget
from ndcgstudy.formats.cells import Cell, Row, Table
from ndcgstudy.formats.extras import needed
from ndcgstudy.formats.kinds.jsontables import cell_of
from ndcgstudy.formats.registry import Format
from ndcgstudy.formats.textfile import TextFile

_INDEX = "__index_level_"  # what pandas calls an index without a name


def sniff(text: TextFile) -> bool:
    """Return whether the file begins and ends as parquet."""
    return text.data[:4] == b"PAR1" == text.data[-4:]


def read(text: TextFile, _: str) -> Table:
    """Read all columns; an index that pandas kept comes first.

    Raises
    ------
    ValueError
        If pyarrow is not installed, or the file is damaged.
    """
    library: Any = needed("pyarrow.parquet", text.name, "parquet")
    empty = Table(text.name, "parquet", (), (), unit="row")
    try:
        file = library.ParquetFile(io.BytesIO(text.data))
        _check_size(file.metadata, text)
        found = file.read()
    except (OSError, ValueError, TypeError, KeyError, NotImplementedError) as error:
        raise empty.wrong(f"not parquet: {error}") from None
    names = [*found.column_names]
    first = sorted(range(len(names)), key=lambda i: not names[i].startswith(_INDEX))
    columns = [[_cell(value) for value in found.column(i).to_pylist()] for i in first]
    header = tuple("" if names[i].startswith(_INDEX) else names[i] for i in first)
    rows = [Row(i, cells) for i, cells in enumerate(zip(*columns, strict=True), 1)]
    return Table(text.name, "parquet", header, rows, unit="row", start=0)


def _check_size(metadata: Any, text: TextFile) -> None:
    """Refuse more cells than the file's size allows: a value that repeats takes no room in it."""
    Budget(text.name, text.size).spend(metadata.num_rows * max(metadata.num_columns, 1) * 8)


def _cell(value: Any) -> Cell:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if value is None or isinstance(value, str | int | float | list | dict):
        return cell_of(value)
    try:
        return float(value) if hasattr(value, "as_tuple") else str(value)  # a Decimal
    except (ValueError, OverflowError):
        return str(value)


def write(table: Table) -> bytes:
    """Write columns of numbers where all cells are numbers or missing, else of text."""
    arrow: Any = needed("pyarrow", table.name, "parquet")
    library: Any = needed("pyarrow.parquet", table.name, "parquet")
    named = table.headed()
    columns = [[row.cells[i] for row in named.rows] for i in range(len(named.header or ()))]
    arrays = [arrow.array(values, _kind(arrow, values)) for values in map(_alike, columns)]
    file = io.BytesIO()
    library.write_table(arrow.Table.from_arrays(arrays, names=[*(named.header or ())]), file)
    return file.getvalue()


def _alike(values: list[Cell]) -> list[Cell]:
    """Make text of a column that holds some, and of whole numbers that 64 bits do not hold."""
    numbers = [value for value in values if not (value is None or isinstance(value, str))]
    whole = [value for value in numbers if isinstance(value, int)]
    text = any(isinstance(value, str) for value in values)
    if text or (len(whole) == len(numbers) and any(abs(value) >> 63 for value in whole)):
        return [None if value is None else str(value) for value in values]
    return [float(v) if v is not None and len(whole) < len(numbers) else v for v in values]


def _kind(arrow: Any, values: list[Cell]) -> Any:
    found = {type(value) for value in values if value is not None}
    return (
        arrow.string() if found == {str} else arrow.int64() if found == {int} else arrow.float64()
    )


FORMATS = (
    Format("parquet", "columns in parquet (pyarrow)", (".parquet",), sniff, read, write, 10),
)
