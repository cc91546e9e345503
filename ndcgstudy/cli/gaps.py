"""`ndcgstudy gaps`: the gaps between systems, each with its interval."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli import matrix
from ndcgstudy.cli.app import Problems, app, say
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import (
    DesignOption,
    FormatOption,
    LevelOption,
    ResamplesOption,
    SeedOption,
)
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from ndcgstudy.inference.gaps import Gaps


@app.command("gaps")
def gaps_command(
    files: matrix.Files = None,
    measures: matrix.MeasureOption = None,
    values: matrix.ValueOption = None,
    missing: matrix.MissingOption = "error",
    topics: matrix.TopicsOption = "",
    dataset: matrix.DatasetOption = "",
    split: matrix.SplitOption = "",
    subset: matrix.SubsetOption = "",
    collections: matrix.CollectionsOption = "",
    family: Annotated[
        str, typer.Option(help="Pairs: all, best, neighbours at once; or each by itself")
    ] = "all",
    method: Annotated[
        str, typer.Option(help="shrunken (t for each), or another: README, Methods")
    ] = "",
    design: DesignOption = "",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 10_000,
    seed: SeedOption = 0,
    output: FormatOption = "table",
    figure: FigureOption = "",
) -> None:
    """Tell which gaps between systems are real: an interval for each."""
    from ndcgstudy.inference.gaps import gaps
    from ndcgstudy.seeding import rng_for

    problems = Problems()
    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    rng = problems.attempt(rng_for, seed, "gaps")
    loaded = matrix.scores_from(
        problems,
        files,
        measures=measures,
        values=values,
        missing=missing,
        topics=topics,
        dataset=dataset,
        split=split,
        subset=subset,
        collections=collections,
    )
    how: dict[str, Any] = {"level": level, "family": family, "resamples": resamples, "rng": rng}
    how |= {"method": method or None, "design": design or None}
    only = problems.attempt(matrix.one, loaded, "gaps") if loaded else None
    found = problems.attempt(gaps, only, **how) if only else None
    problems.stop_if_any()
    if loaded and found:
        for note in (*loaded.notes, *found.notes):
            say(note)
        _print(found, output, loaded.convention)
    if figure and found:
        from ndcgstudy.inference.drawing import size_of

        write_figure(figure, size_of(found), found.plot)


def _print(found: "Gaps", output: str, convention: str) -> None:
    """Write the records on stdout, and how they were computed with them or on stderr."""
    table = found.table()
    records: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    told = f"{int(found.separated.sum())} of {len(found.gap)} pairs separated"
    lines = f"{found.convention}; {convention}; {told}"
    if output in ("csv", "json"):
        say(lines)
        typer.echo(as_data(records, output), nl=False)
        return
    rows = [list(record.values()) for record in records]
    typer.echo(as_table(list(table.columns), rows, output, lines), nl=False)
