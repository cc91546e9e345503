"""Print records as a table for people, CSV, JSON, Markdown or LaTeX."""

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from ndcgstudy.visible import guarded, in_latex, in_markdown, visible

FORMATS = ("table", "csv", "json", "markdown", "latex")
Record = dict[str, Any]


def check_format(name: str) -> str:
    """Return a format's name, or raise `ValueError` with the known ones."""
    from ndcgstudy.checks import nearest

    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}{nearest(name, [*FORMATS])}")
    return name


def as_data(records: Sequence[Record], form: str) -> str:
    """Write tidy records as "csv" or "json", every number to its last digit, NaN as nothing.

    JSON has no infinity: an infinite number is null there, "inf" in CSV. In CSV a text that a
    spreadsheet would take for a formula begins with an apostrophe, which our readers take off.
    """
    if form == "json":
        clean = [{k: _finite(v) for k, v in r.items()} for r in records]
        return json.dumps(clean, indent=1, allow_nan=False) + "\n"
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(map(_field, records[0] if records else []))
    writer.writerows([map(_field, record.values()) for record in records])
    return buffer.getvalue()


def as_table(
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    form: str,
    note: str,
    *,
    prose: bool = False,
) -> str:
    """Lay out rows for reading: "table", "markdown" or "latex", with a line of explanation below.

    Columns of `prose` begin at the left, and LaTeX breaks their lines.

    Examples
    --------
    >>> print(as_table(["run", "P@5"], [["bm25", 0.4]], "table", "unjudged nonrelevant"), end="")
    run      P@5
    bm25  0.4000
    <BLANKLINE>
    convention: unjudged nonrelevant
    """
    header = [visible(name) for name in header]
    cells = [[_shown(value) for value in row] for row in rows]
    if form == "latex":
        return _latex(header, cells, note, prose=prose)
    if form == "markdown":
        rest = "---" if prose else "---:"
        lines = [header, ["---", *([rest] * (len(header) - 1))], *cells]
        body = ["| " + " | ".join(map(in_markdown, line)) + " |" for line in lines]
        return "\n".join(body) + f"\n\nConvention: {in_markdown(note)}\n"
    return "\n".join(columns(header, rows)) + f"\n\nconvention: {visible(note)}\n"


def columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lay out rows in columns, numbers to the right.

    Examples
    --------
    >>> columns(["run", "P@5"], [["bm25", 0.4], ["none", -1e-9]])
    ['run      P@5', 'bm25  0.4000', 'none  0.0000']
    """
    header = [visible(name) for name in header]
    cells = [[_shown(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    numeric = [any(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]
    laid = [
        "  ".join(
            c.rjust(w) if n else c.ljust(w) for c, w, n in zip(line, widths, numeric, strict=True)
        )
        for line in [header, *cells]
    ]
    return [line.rstrip() for line in laid]


def _latex(header: Sequence[str], cells: list[list[str]], note: str, *, prose: bool) -> str:
    lines = [" & ".join(map(in_latex, line)) + r" \\" for line in [header, *cells]]
    share = rf"p{{{0.75 / len(header):.2f}\linewidth}}"
    kinds = share * len(header) if prose else f"l{'r' * (len(header) - 1)}"
    return "\n".join(
        [
            f"% convention: {visible(note)}",
            rf"\begin{{tabular}}{{{kinds}}}",
            r"\hline",
            lines[0],
            r"\hline",
            *lines[1:],
            r"\hline",
            r"\end{tabular}",
            "",
        ]
    )


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _field(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return guarded(visible(value)) if isinstance(value, str) else value


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:z.4f}"
    return visible(str(value))
