"""`ndcgstudy power`: which of several measures separates more pairs of systems."""

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
    from ndcgstudy.inference.power import Power


@app.command("power")
def power(
    files: matrix.Files = None,
    measures: matrix.MeasureOption = None,
    values: matrix.ValueOption = None,
    missing: matrix.MissingOption = "error",
    topics: matrix.TopicsOption = "",
    dataset: matrix.DatasetOption = "",
    split: matrix.SplitOption = "",
    subset: matrix.SubsetOption = "",
    collections: matrix.CollectionsOption = "",
    method: Annotated[
        str, typer.Option(help="Correction over pairs: none, holm, bh, bonferroni")
    ] = "none",
    design: DesignOption = "",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 2_000,
    seed: SeedOption = 0,
    output: FormatOption = "table",
    figure: FigureOption = "",
) -> None:
    """Compare measures by the share of pairs they separate; the first is the one to compare with."""
    from ndcgstudy.inference.power import discriminative_power
    from ndcgstudy.seeding import rng_for

    problems = Problems()
    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    rng = problems.attempt(rng_for, seed, "power")
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
    how: dict[str, Any] = {"level": level, "method": method, "resamples": resamples, "rng": rng}
    how["design"] = design or None
    found = problems.attempt(discriminative_power, loaded.scores, **how) if loaded else None
    problems.stop_if_any()
    if loaded and found:
        for note in (*loaded.notes, *found.notes):
            say(note)
        _print(found, output, loaded.convention)
    if figure and found:
        write_figure(figure, (5.0, 3.2), found.plot)


def _print(found: "Power", output: str, convention: str) -> None:
    """Write the records on stdout, and how they were computed with them or on stderr."""
    table = found.table()
    records: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    lines = f"{found.convention}; {convention}"
    if output in ("csv", "json"):
        say(lines)
        typer.echo(as_data(records, output), nl=False)
        return
    rows = [list(record.values()) for record in records]
    typer.echo(as_table(list(table.columns), rows, output, lines), nl=False)
