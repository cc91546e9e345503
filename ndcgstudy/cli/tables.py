"""Print records as a table for people, CSV, JSON, Markdown or LaTeX."""

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

FORMATS = ("table", "csv", "json", "markdown", "latex")
Record = dict[str, Any]
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def check_format(name: str) -> str:
    """Return a format's name, or raise `ValueError` with the known ones."""
    from ndcgstudy.checks import nearest

    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}{nearest(name, [*FORMATS])}")
    return name


def as_data(records: Sequence[Record], form: str) -> str:
    """Write tidy records as "csv" or "json", every number to its last digit, NaN as nothing.

    JSON has no infinity: an infinite number is null there, "inf" in CSV.
    """
    if form == "json":
        clean = [{k: _finite(v) for k, v in r.items()} for r in records]
        return json.dumps(clean, indent=1, allow_nan=False) + "\n"
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(records[0] if records else [])
    writer.writerows([["" if _or_none(v) is None else v for v in r.values()] for r in records])
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
    cells = [[_shown(value) for value in row] for row in rows]
    if form == "latex":
        return _latex(header, cells, note, prose=prose)
    if form == "markdown":
        rest = "---" if prose else "---:"
        lines = [header, ["---", *([rest] * (len(header) - 1))], *cells]
        body = [
            "| " + " | ".join(str(c).replace("|", "\\|") for c in line) + " |" for line in lines
        ]
        return "\n".join(body) + f"\n\nConvention: {note}\n"
    return "\n".join(columns(header, rows)) + f"\n\nconvention: {note}\n"


def columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Lay out rows in columns, numbers to the right.

    Examples
    --------
    >>> columns(["run", "P@5"], [["bm25", 0.4], ["none", -1e-9]])
    ['run      P@5', 'bm25  0.4000', 'none  0.0000']
    """
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
    lines = [" & ".join(c.translate(_LATEX) for c in line) + r" \\" for line in [header, *cells]]
    share = rf"p{{{0.75 / len(header):.2f}\linewidth}}"
    kinds = share * len(header) if prose else f"l{'r' * (len(header) - 1)}"
    return "\n".join(
        [
            f"% convention: {note}",
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


def _or_none(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:z.4f}"
    return str(value)
