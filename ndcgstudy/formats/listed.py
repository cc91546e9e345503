"""Qrels and runs in tables: CSV, JSON, JSON lines, parquet and the like become lines in TREC's form.

Columns are found by their names, in any order; every reader and check then works on the lines, which
keep the numbers of the rows they were.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from ndcgstudy.formats.cells import Row, Table, checked_width
from ndcgstudy.formats.fieldnames import header_roles, plain_names, role_of
from ndcgstudy.formats.kinds.jsontables import cell_of, loaded
from ndcgstudy.formats.registry import read_table, recognised
from ndcgstudy.formats.rewritten import (
    Columns,
    Rewritten,
    numbered,
    qrels_lines,
    run_lines,
    tag_of,
)
from ndcgstudy.formats.textfile import TextFile, text_of

_WIDTH = {"qrels": 4, "run": 6}
_VALUE = {"qrels": 3, "run": 4}
_BY_PLACE = {("qrels", 4): (0, 2, 3), ("run", 3): (0, 1, 2), ("run", 6): (0, 2, 4)}


def trec_lines(text: TextFile, kind: str) -> TextFile:
    """Return qrels or a run as lines in TREC's form; a text that has this form as it is.

    Parameters
    ----------
    kind
        "qrels" or "run".

    Raises
    ------
    ValueError
        If it is a table whose columns are not known, naming them.
    """
    first = text.first()
    if not _is_table(text, first, kind):
        return text
    table = _table(text, first)
    columns, table = _columns(table, kind)
    lines = qrels_lines(table, columns) if kind == "qrels" else run_lines(table, columns)
    where = text.name if table.unit == "line" else f"{text.name} (a {table.unit} a line)"
    base = text_of(numbered(lines), where)
    told = ", ".join(f"{role} {name}" for role, name in columns.named.items())
    return Rewritten(
        **{**vars(base), "bom": text.bom},
        original=text,
        unit=table.unit,
        tag=tag_of(table, columns) if kind == "run" else "",
        told=f"read as {table.form}" + (f": {told}" if told else ""),
    )


def _is_table(text: TextFile, first: str, kind: str) -> bool:
    """Tell a table from lines in TREC's, BEIR's or MS MARCO's form, by the first line."""
    fields = first.split()
    if _is_binary(text):
        return True
    if len(fields) == _WIDTH[kind] and re.fullmatch(r"[+-]?[\d.].*", fields[_VALUE[kind]]):
        return False
    if first.lstrip()[:1] in (
        "{",
        "[",
        "|",
    ):
        return True
    names = plain_names(re.split(r"[,;\t]|\s+", first.strip()))
    if header_roles(names, kind) is not None:
        return [role_of(name, kind) for name in names] != ["topic", "doc", "grade"] or bool(
            re.search("[,;]", first)
        )
    return len(fields) < 3 and len(re.split("[,;]", first)) >= 3


def _is_binary(text: TextFile) -> bool:
    """Tell formats that are no text."""
    magic = text.buffer[:4].tobytes() in (b"PAR1", b"PK\x03\x04")
    return magic and recognised(text).name in ("parquet", "xlsx")


def _table(text: TextFile, first: str) -> Table:
    """Read a table; an object of objects is never taken for columns unless its names are such."""
    if first.lstrip()[:1] == "{":
        empty = Table(text.name, "json", None, (), unit="record", nested=True)
        try:
            content = loaded(empty, text.decoded())
        except ValueError:
            return read_table(text)  # lines of JSON, or an error that names the line
        if isinstance(content, dict) and _is_nested(content):
            return replace(empty, rows=list(_nested(empty, content)))
    elif not re.search(r"[,;\t\[|]", first) and not _is_binary(text):
        lines = enumerate(text.decoded().split("\n"), 1)
        rows = [Row(number, line.split()) for number, line in lines if line.strip()]
        return checked_width(Table(text.name, "a table with blanks", None, rows))
    return read_table(text)


def _is_nested(content: dict[str, object]) -> bool:
    """Tell objects by topic from columns by name: those are called as columns are."""
    kinds = {type(value) for value in content.values()}
    names = plain_names([*content])
    known = any(header_roles(names, kind) for kind in ("qrels", "run"))
    known |= {"columns", "data"} <= content.keys()
    return len(kinds) == 1 and kinds <= {dict, list} and not known


def _nested(table: Table, content: dict[str, object]) -> Iterator[Row]:
    """Yield (topic, document, value) of ``{topic: {document: value}}`` or ``{topic: [document]}``."""
    number = 0
    for topic, inner in content.items():
        if isinstance(inner, list):
            pairs: list[tuple[object, object]] = [(d, -i) for i, d in enumerate(inner, 1)]
        elif isinstance(inner, dict):
            pairs = list(inner.items())
        else:
            raise table.wrong(f"topic {topic!r} must hold {{document: value}}, got {inner!r}")
        for doc, value in pairs:
            number += 1
            if isinstance(doc, dict | list) or doc is None:
                raise table.wrong(f"topic {topic!r}: expected a document, got {doc!r}")
            yield Row(number, (topic, str(doc), cell_of(value)))


def _columns(table: Table, kind: str) -> tuple[Columns, Table]:
    """Find the columns by their names, or by place where there is no header."""
    if table.nested:
        value = "grade" if kind == "qrels" else "score"
        return Columns({"topic": 0, "doc": 1, value: 2}, {}), table
    if not table.rows:
        return Columns({}, {}), table
    headed = table.headed()
    header = headed.header or ()
    roles = header_roles(plain_names(header), kind)
    if roles is not None:
        return Columns(roles, {role: header[i] for role, i in roles.items()}), headed
    places = _BY_PLACE.get((kind, len(header)))
    if table.header is None and places and re.match(r"[+-]?[\d.]", header[places[2]]):
        value = {4: "grade", 3: "rank", 6: "score"}[len(header)]
        return Columns(dict(zip(("topic", "doc", value), places, strict=True)), {}), table
    wanted = "a grade (relevance, label, score)" if kind == "qrels" else "a score or a rank"
    shown = ", ".join(map(repr, header))
    raise table.wrong(
        f"the columns {shown} must name a topic (qid, query-id, topic), a document (docno, "
        f"corpus-id, pid) and {wanted}"
    )
