"""`ndcgstudy list`: the parts that are at hand."""

from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app


@app.command("list")
def list_parts(
    kind: Annotated[str, typer.Argument(help="discounts, gains, generators or measures")],
) -> None:
    """List the registered parts of a family, those of entry points included."""
    from ndcgstudy.checks import nearest
    from ndcgstudy.parts import FAMILIES

    plural = {f"{name}s": family for name, family in FAMILIES.items()}
    problems = Problems()
    if kind not in plural:
        problems.messages.append(f"unknown family {kind!r}{nearest(kind, [*plural])}")
    problems.stop_if_any()
    for name, line in problems.attempt(plural[kind].describe).items():  # type: ignore[union-attr]
        typer.echo(f"{name}{line}" if line.startswith("(") else f"{name}  {line}")
