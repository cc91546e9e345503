"""`ndcgstudy list`: the parts that are at hand."""

from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app, emit


@app.command("list")
def list_parts(
    kind: Annotated[
        str, typer.Argument(help="conventions, discounts, formats, gains, generators or measures")
    ],
) -> None:
    """List the registered parts of a family, those of entry points included; conventions; formats."""
    from ndcgstudy.checks import nearest
    from ndcgstudy.parts import FAMILIES

    plural = {f"{name}s": family for name, family in FAMILIES.items()}
    problems = Problems()
    others = {"conventions": _conventions, "formats": _formats}
    if kind not in (*plural, *others):
        known = sorted([*plural, *others])
        problems.messages.append(f"unknown family {kind!r}{nearest(kind, known)}")
    problems.stop_if_any()
    if kind in others:
        others[kind]()
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


def _formats() -> None:
    """Show every format of tables, and below how files are packed."""
    from ndcgstudy.cli.tables import columns
    from ndcgstudy.formats.packing import PACKINGS
    from ndcgstudy.formats.registry import formats

    rows = [
        [form.name, " ".join(form.suffixes), "yes" if form.write else "no", form.about]
        for form in formats().values()
    ]
    emit("\n".join(columns(["format", "suffix", "written", "what it is"], rows)))
    emit()
    packed = ", ".join(f"{p.kind} ({p.suffix})" for p in PACKINGS)
    emit(f"each also packed: {packed}; parquet, xlsx and zstd: pip install 'ndcgstudy[files]'")
