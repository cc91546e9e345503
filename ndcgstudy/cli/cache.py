"""`ndcgstudy cache`: the finished cells that are kept, and how to be rid of them."""

from pathlib import Path
from typing import Annotated

import typer

from ndcgstudy.cli.app import app, emit, fail

commands = typer.Typer(help="List the stored cells, or clear them.", invoke_without_command=True)
app.add_typer(commands, name="cache")

Folder = Annotated[Path, typer.Option("--cache", help="folder of the stored cells")]
DEFAULT = Path(".cache", "ndcgstudy")  # in the working directory


@commands.callback()
def listed(context: typer.Context, *, cache: Folder = DEFAULT) -> None:
    """List the stored cells, study by study; `clear` deletes them."""
    if context.invoked_subcommand:
        context.obj = cache
        return
    from ndcgstudy.store import listing

    found = listing(cache)
    if not found:
        emit(f"no stored cells in {cache}")
    for item in found:
        size = f"{item.size / 1e6:.1f} MB"
        told = item.problem or f"{item.cells} cells, {size}, {_when(item.last)}"
        emit(f"{item.study}: {told}")


def _when(last: float | None) -> str:
    from datetime import datetime

    return f"last at {datetime.fromtimestamp(last):%Y-%m-%d %H:%M}" if last else "never written"


@commands.command()
def clear(
    context: typer.Context,
    studies: Annotated[
        list[str] | None,
        typer.Argument(help="names of studies; all by default", show_default=False),
    ] = None,
) -> None:
    """Delete the stored cells of studies, or of all; results stay."""
    from ndcgstudy.checks import nearest
    from ndcgstudy.store import clear as delete
    from ndcgstudy.store import names

    known = names(context.obj)
    wanted = studies or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        fail(*(f"no stored cells of {name!r}{nearest(name, known)}" for name in unknown))
    try:
        delete(context.obj, wanted)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}", code=1)
    emit(f"cleared: {', '.join(wanted) or 'nothing'}")
