"""`ndcgstudy convert`: a table in another format."""

from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app, say

_READER = "The format of IN, not as recognised (`list formats`)"
_WRITER = "The format of OUT, not as its name ends (`list formats`)"


@app.command("convert")
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A table; - for standard input")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="e.g. board.parquet, board.csv.zst")],
    reader: Annotated[str, typer.Option(help=_READER)] = "",
    writer: Annotated[str, typer.Option(help=_WRITER)] = "",
) -> None:
    """Write a table in another format: its names as they are, its numbers to their last digit."""
    from ndcgstudy.formats.registry import format_for, read_table, write_table
    from ndcgstudy.formats.typed import typed
    from ndcgstudy.words import many

    problems = Problems("convert")
    form = problems.attempt(format_for, target, writer)
    table = problems.attempt(lambda: typed(read_table(source, reader)))
    problems.stop_if_any()
    if table and form:
        problems.attempt(write_table, table, target, form.name)
        problems.stop_if_any()
        rows = f"{many(len(table.rows), 'row')}, {many(len(table.header or ()), 'column')}"
        say(f"{table.form} to {form.name}: {rows}")
