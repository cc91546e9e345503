"""Tables in Markdown: pipes between cells, a line of dashes below the header."""

import re

from ndcgstudy.formats.cells import Row, Table, checked_width
from ndcgstudy.formats.kinds.delimited import written
from ndcgstudy.formats.registry import Format
from ndcgstudy.formats.textfile import TextFile

_DASHES = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?\Z|\s*\|\s*:?-+:?\s*\|?\s*\Z")
_PIPE = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)")
_TAGS = re.compile(
    r"</?(?:b|i|u|em|strong|sub|sup|br|small|span|code|a|font)\b[^<>]*>", re.IGNORECASE
)
_MARKS = re.compile(r"(\*\*\*|\*\*|\*|~~|`|__)(.+?)\1\Z")
_LINES = 400


def _lines(text: TextFile, count: int) -> list[str]:
    return [text.line(number) for number in range(1, min(len(text.ends), count) + 1)]


def _starts(lines: list[str]) -> list[int]:
    """Return where the tables begin: a line with pipes before one of dashes."""
    return [i for i in range(len(lines) - 1) if "|" in lines[i] and _DASHES.match(lines[i + 1])]


def sniff(text: TextFile) -> bool:
    """Return whether there is a table among the first lines."""
    return bool(_starts(_lines(text, _LINES)))


def read(text: TextFile, _: str) -> Table:
    """Read the one table of a text; what stands before and after it is no part of it.

    Raises
    ------
    ValueError
        If there is no table, or more than one.
    """
    lines = text.decoded().split("\n")
    starts = _starts(lines)
    table = Table(text.name, "markdown", (), ())
    if not starts:
        raise table.wrong("no Markdown table: no line of dashes below a header")
    if len(starts) > 1:
        lines_of = ", ".join(str(at + 1) for at in starts[:5])
        raise table.wrong(f"{len(starts)} Markdown tables, on lines {lines_of}: keep one")
    (start,) = starts
    rows = []
    for number, line in enumerate(lines[start + 2 :], start + 3):
        if "|" not in line:
            break
        rows.append(Row(number, cells_of(line)))
    header = tuple(cells_of(lines[start]))
    return checked_width(Table(text.name, "markdown", header, rows, start=start + 1))


def cells_of(line: str) -> list[str]:
    r"""Split a line at its pipes; bold, italic, code, links and tags are taken off.

    Examples
    --------
    >>> cells_of("| [bm25](https://x.org) | **61.2** | a\\|b |")
    ['bm25', '61.2', 'a|b']
    """
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [_plain(cell.replace("\\|", "|").strip()) for cell in _PIPE.split(inner)]


def _plain(cell: str) -> str:
    cell = _TAGS.sub("", _LINK.sub(r"\1", cell)).replace("&nbsp;", " ").strip()
    while mark := _MARKS.match(cell):
        cell = mark[2].strip()
    return cell


def write(table: Table) -> bytes:
    """Write a table; pipes in cells are escaped, blanks take the place of their newlines."""
    named = table.headed()
    header = [*(named.header or ())]
    body = [[written(cell) for cell in row.cells] for row in named.rows]
    lines = [header, ["---"] * len(header), *body]
    return "".join(f"| {' | '.join(map(_escaped, cells))} |\n" for cells in lines).encode()


def _escaped(cell: str) -> str:
    return " ".join(cell.replace("|", "\\|").split("\n"))


FORMATS = (
    Format("markdown", "a table with pipes and a line of dashes", (".md",), sniff, read, write, 40),
)
