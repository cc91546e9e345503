"""`ndcgstudy gaps`: the gaps between systems, each with its interval."""

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


@app.command("gaps")
@matrix.reads_scores
def gaps_command(
    problems: Problems,
    loaded: matrix.Loaded | None,
    *,
    family: Annotated[
        str, typer.Option(help="Pairs: all, best, neighbours at once; or each by itself")
    ] = "all",
    method: Annotated[
        str, typer.Option(help="shrunken (t for each), or another: docs/gaps.md")
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

    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    stream = Stream(problems, seed, "gaps")
    how: dict[str, Any] = {
        "level": level,
        "family": family,
        "resamples": resamples,
        "rng": stream.rng,
    }
    how |= {"method": method or None, "design": design or None}
    only = problems.attempt(matrix.one, loaded, "gaps") if loaded else None
    found = problems.attempt(gaps, only, **how) if only else None
    problems.stop_if_any()
    if loaded and found:
        for note in (*loaded.notes, *found.notes):
            say(note)
        stream.say_if_idle(resamples, 10_000)
        told = f"{int(found.separated.sum())} of {len(found.gap)} pairs separated"
        lines = f"{found.convention}; {loaded.convention}; {told}"
        matrix.write_table(found.table(), output, lines)
    if figure and found:
        from ndcgstudy.inference.drawing import size_of

        write_figure(figure, size_of(found), found.plot)
