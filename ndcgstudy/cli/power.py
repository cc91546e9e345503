"""`ndcgstudy power`: which of several measures separates more pairs of systems."""

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


@app.command("power")
@matrix.reads_scores
def power(
    problems: Problems,
    loaded: matrix.Loaded | None,
    *,
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

    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    stream = Stream(problems, seed, "power")
    how: dict[str, Any] = {
        "level": level,
        "method": method,
        "resamples": resamples,
        "rng": stream.rng,
    }
    how["design"] = design or None
    found = problems.attempt(discriminative_power, loaded.scores, **how) if loaded else None
    problems.stop_if_any()
    if loaded and found:
        for note in (*loaded.notes, *found.notes):
            say(note)
        stream.say_if_idle(resamples, 2_000)
        lines = f"{found.convention}; {loaded.convention}"
        matrix.write_table(found.table(), output, lines)
    if figure and found:
        write_figure(figure, (5.0, 3.2), found.plot)
