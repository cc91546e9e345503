"""`ndcgstudy plan`: how many topics an evaluation needs, and what gap it can separate."""

from typing import Annotated, Any

import typer

from ndcgstudy.cli import matrix
from ndcgstudy.cli.app import Problems, app, say
from ndcgstudy.cli.drawn import Stream
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import (
    DesignOption,
    FormatOption,
    LevelOption,
    ResamplesOption,
    SeedOption,
)
from ndcgstudy.cli.tables import check_format


@app.command("plan")
@matrix.reads_scores
def plan_command(
    problems: Problems,
    loaded: matrix.Loaded | None,
    *,
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
    figure: FigureOption = "",
) -> None:
    """Plan an evaluation from earlier scores: topics that a gap needs, and the gap that topics find."""
    from ndcgstudy.inference.planning import plan

    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    stream = Stream(problems, seed, "plan")
    how: dict[str, Any] = {"gap": gap, "topics": planned, "power": power, "family": family}
    how |= {"level": level, "resamples": resamples, "rng": stream.rng, "design": design or None}
    only = problems.attempt(matrix.one, loaded, "plan") if loaded else None
    found = problems.attempt(plan, only, **how) if only else None
    problems.stop_if_any()
    if loaded and found:
        for note in (*loaded.notes, *found.notes):
            say(note)
        stream.say_if_idle(resamples, 1_000)
        lines = f"{found.convention}; {loaded.convention}"
        matrix.write_table(found.table(), output, lines)
        if figure:
            write_figure(figure, (4.6, 3.2), found.plot)
