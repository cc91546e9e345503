"""`ndcgstudy list`: the parts that are at hand."""

from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app, emit


@app.command("list")
def list_parts(
    kind: Annotated[
        str, typer.Argument(help="conventions, discounts, gains, generators or measures")
    ],
) -> None:
    """List the registered parts of a family, those of entry points included, or the conventions."""
    from ndcgstudy.checks import nearest
    from ndcgstudy.parts import FAMILIES

    plural = {f"{name}s": family for name, family in FAMILIES.items()}
    problems = Problems()
    if kind not in (*plural, "conventions"):
        known = sorted([*plural, "conventions"])
        problems.messages.append(f"unknown family {kind!r}{nearest(kind, known)}")
    problems.stop_if_any()
    if kind == "conventions":
        _conventions()
        return
    for name, line in problems.attempt(plural[kind].describe).items():  # type: ignore[union-attr]
        emit(f"{name}{line}" if line.startswith("(") else f"{name}  {line}")


def _conventions() -> None:
    """Show every named convention on a line, and below what a table cannot say."""
    from ndcgstudy.cli.tables import columns
    from ndcgstudy.conventions.tools import HEADER, known, rows

    emit("\n".join(columns(HEADER, list(rows()))))
    emit()
    for name, tool in known().items():
        source = f" [checked by: {tool.source}]" if tool.source else ""
        emit(f"{name}: {tool.remark}{source}")
