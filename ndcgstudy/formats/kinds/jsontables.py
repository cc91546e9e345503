"""JSON: records, columns, pandas' split form, objects in objects; and JSON lines."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ndcgstudy.expressions import shown
from ndcgstudy.formats.cells import Cell, Row, Table
from ndcgstudy.formats.registry import Format
from ndcgstudy.formats.textfile import TextFile


def _sniff_json(text: TextFile) -> bool:
    return _head(text) in ("{", "[") and not _sniff_lines(text)


def _sniff_lines(text: TextFile) -> bool:
    """Return whether the first line that is not blank is an object, and not all there is."""
    if _head(text) != "{":
        return False
    lines = (text.line(number) for number in range(1, min(len(text.ends), 100) + 1))
    filled = [line for line in lines if line.strip()]
    try:
        return isinstance(json.loads(filled[0]), dict) and len(filled) > 1
    except (ValueError, RecursionError):
        return False


def _head(text: TextFile) -> str:
    return text.buffer[: min(text.size, 1 << 12)].tobytes().decode(errors="replace").lstrip()[:1]


def _read_json(text: TextFile, _: str) -> Table:
    empty = Table(text.name, "json", (), ())
    content = loaded(empty, text.decoded())
    if isinstance(content, list):
        return _of_records(empty, [*enumerate(content, 1)])
    if isinstance(content, dict) and {"columns", "data"} <= content.keys():
        return _split(empty, content)
    if isinstance(content, dict) and isinstance(content.get("data"), list) and "schema" in content:
        return _of_records(empty, [*enumerate(content["data"], 1)])
    if isinstance(content, dict) and content:
        values = [*content.values()]
        if all(isinstance(value, list) for value in values):
            return _columns(empty, content)
        if all(isinstance(value, dict) for value in values):
            return _objects(empty, content)
    raise empty.wrong(f"expected records, columns or objects in an object, got {shown(content)}")


def _read_lines(text: TextFile, _: str) -> Table:
    empty = Table(text.name, "jsonl", (), (), unit="line")
    lines = enumerate(text.decoded().split("\n"), 1)
    records = [(number, loaded(empty, line, number)) for number, line in lines if line.strip()]
    return _of_records(empty, records)


def loaded(table: Table, content: str, number: int = 0) -> Any:
    """Read JSON, in which no key of an object may stand twice.

    Raises
    ------
    ValueError
        If it is no JSON, naming the line.
    """
    try:
        return json.loads(content, object_pairs_hook=_distinct)
    except json.JSONDecodeError as error:
        at = (number or 1) + error.lineno - 1
        raise Table(table.name, table.form, (), ()).wrong(f"not JSON: {error.msg}", at) from None
    except (ValueError, RecursionError) as error:
        raise table.wrong(f"not JSON: {error}", number) from None


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {shown(twice)} is twice in one object")
    return found


def cell_of(value: Any) -> Cell:
    """Return a value of JSON as a cell: NaN as missing, lists and objects as their text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return json.dumps(value, ensure_ascii=False)
    return value


def _of_records(table: Table, records: Sequence[tuple[int, Any]]) -> Table:
    """Make a table of objects; a name that one lacks is a missing cell."""
    for number, record in records:
        if not isinstance(record, dict):
            raise table.wrong(f"record {number} is no object, got {shown(record)}", 0)
    names = tuple(dict.fromkeys(name for _, record in records for name in record))
    rows = [Row(number, [cell_of(r.get(name)) for name in names]) for number, r in records]
    return _made(table, names, rows)


def _split(table: Table, content: Mapping[str, Any]) -> Table:
    columns, data = content["columns"], content["data"]
    index = content.get("index")
    if not (isinstance(columns, list) and isinstance(data, list)):
        raise table.wrong("columns and data must be lists")
    for number, cells in enumerate(data, 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise table.wrong(f"row {number} of data is not as long as columns")
    named = isinstance(index, list) and len(index) == len(data) and index != [*range(len(data))]
    head = [index[i : i + 1] if named and index else [] for i in range(len(data))]
    rows = [
        Row(i, [cell_of(value) for value in [*first, *cells]])
        for i, (first, cells) in enumerate(zip(head, data, strict=True), 1)
    ]
    return _made(table, ("",) * named + tuple(_name(column) for column in columns), rows)


def _columns(table: Table, content: Mapping[str, list[Any]]) -> Table:
    lengths = {len(values) for values in content.values()}
    if len(lengths) > 1:
        raise table.wrong(f"columns differ in length: {', '.join(map(str, sorted(lengths)))}")
    records = enumerate(zip(*content.values(), strict=True), 1)
    rows = [Row(i, [cell_of(value) for value in cells]) for i, cells in records]
    return _made(table, tuple(content), rows)


def _objects(table: Table, content: Mapping[str, Mapping[str, Any]]) -> Table:
    """Read pandas' columns where the inner names count from 0, else (outer, inner, value)."""
    inner = dict.fromkeys(name for values in content.values() for name in values)
    if [*inner] == [str(i) for i in range(len(inner))] and len(inner) > 1:
        columns = [[values.get(i) for i in inner] for values in content.values()]
        return _columns(table, dict(zip(content, columns, strict=True)))
    values = [(outer, name, value) for outer, own in content.items() for name, value in own.items()]
    rows = [Row(i, [outer, name, cell_of(v)]) for i, (outer, name, v) in enumerate(values, 1)]
    return Table(table.name, table.form, None, rows, unit="record", nested=True)


def _made(table: Table, header: tuple[str, ...], rows: list[Row]) -> Table:
    unit = "line" if table.form == "jsonl" else "record"
    return Table(table.name, table.form, header, rows, unit=unit, start=0)


def _name(column: Any) -> str:
    return column if isinstance(column, str) else json.dumps(column, ensure_ascii=False)


def _objects_of(table: Table) -> Iterable[dict[str, Cell]]:
    named = table.headed()
    names = named.header or ()
    return (dict(zip(names, row.cells, strict=True)) for row in named.rows)


def _write_json(table: Table) -> bytes:
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in _objects_of(table))
    return f"[\n{lines}\n]\n".encode()


def _write_lines(table: Table) -> bytes:
    return "".join(
        f"{json.dumps(record, ensure_ascii=False)}\n" for record in _objects_of(table)
    ).encode()


FORMATS = (
    Format(
        "json",
        "records, columns, pandas' split form, or {outer: {inner: value}}",
        (".json",),
        _sniff_json,
        _read_json,
        _write_json,
        30,
    ),
    Format(
        "jsonl",
        "JSON lines, an object a record",
        (".jsonl", ".ndjson"),
        _sniff_lines,
        _read_lines,
        _write_lines,
        20,
    ),
)
