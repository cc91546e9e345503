"""`ndcgstudy plan`: how many topics an evaluation needs, and what gap it can separate."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli import matrix
from ndcgstudy.cli.app import Problems, app, say
from ndcgstudy.cli.options import (
    DesignOption,
    FormatOption,
    LevelOption,
    ResamplesOption,
    SeedOption,
)
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from ndcgstudy.inference.planning import Plan


@app.command("plan")
def plan_command(
    files: matrix.Files = None,
    measures: matrix.MeasureOption = None,
    values: matrix.ValueOption = None,
    missing: matrix.MissingOption = "error",
    topics: matrix.TopicsOption = "",
    dataset: matrix.DatasetOption = "",
    split: matrix.SplitOption = "",
    subset: matrix.SubsetOption = "",
    gap: Annotated[float | None, typer.Option(help="The gap to find")] = None,
    planned: Annotated[
        int | None,
        typer.Option("--topics-planned", help="Topics to come; by default as many as are given"),
    ] = None,
    power: Annotated[float, typer.Option(help="Probability to find the gap")] = 0.8,
    family: Annotated[str, typer.Option(help="each pair by itself, or all pairs at once")] = "each",
    design: DesignOption = "",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 1_000,
    seed: SeedOption = 0,
    output: FormatOption = "table",
) -> None:
    """Plan an evaluation from earlier scores: topics that a gap needs, and the gap that topics find."""
    from ndcgstudy.inference.planning import plan
    from ndcgstudy.seeding import rng_for

    problems = Problems()
    problems.attempt(check_format, output)
    rng = problems.attempt(rng_for, seed, "plan")
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
    )
    how: dict[str, Any] = {"gap": gap, "topics": planned, "power": power, "family": family}
    how |= {"level": level, "resamples": resamples, "rng": rng, "design": design or None}
    only = problems.attempt(matrix.one, loaded, "plan") if loaded else None
    found = problems.attempt(plan, only, **how) if only else None
    problems.stop_if_any()
    if loaded and found:
        for note in (*loaded.notes, *found.notes):
            say(note)
        _print(found, output, loaded.convention)


def _print(found: "Plan", output: str, convention: str) -> None:
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
