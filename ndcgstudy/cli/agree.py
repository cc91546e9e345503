"""`ndcgstudy agree`: whether a measure prefers the list that people prefer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.asked import Asked, reads_answers
from ndcgstudy.cli.drawn import Stream
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import FormatOption, LevelOption, ResamplesOption, SeedOption
from ndcgstudy.cli.reading import say_readings, split_measures
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.agreement.report import Report

_MEASURES = "e.g. nDCG@5, 'nDCG(gain=exp)@5'; may be repeated"
_STRATUM = "Divide by: relevant, difference (of the first measure), a column"
_MIX = "Reweight to shares of strata: 'tie=0,0.0-0.1=3,0.1-0.2=1'"

MeasureOption = Annotated[list[str] | None, typer.Option("--measure", "-m", help=_MEASURES)]
ByOption = Annotated[str, typer.Option(help="Column that tells sets of answers apart")]


@app.command("agree")
@reads_answers
def agree(
    problems: Problems,
    asked: Asked,
    *,
    measures: MeasureOption = None,
    by: ByOption = "",
    stratum: Annotated[str, typer.Option(help=_STRATUM)] = "",
    mix: Annotated[str, typer.Option(help=_MIX)] = "",
    figure: FigureOption = "",
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 2000,
    seed: SeedOption = 0,
    output: FormatOption = "table",
) -> None:
    """Compare measures with people's preferences between ranked lists."""
    from ndcgstudy.agreement.report import report
    from ndcgstudy.measures import MEASURES

    wanted = [text for given in measures or ["nDCG@10"] for text in split_measures(given)]
    parts = [problems.attempt(MEASURES.parse, text) for text in wanted]
    stream = Stream(problems, seed, "agree")
    how: dict[str, Any] = {"by": by or None, "stratum": stratum or None}
    how |= {"level": level, "resamples": resamples, "rng": stream.rng}
    how["mix"] = problems.attempt(_mix, mix) if mix else None
    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    found = asked.read(_depth(parts))
    result = None if problems.messages else problems.attempt(report, found, parts, **how)
    problems.stop_if_any()
    if result:
        say_readings(*wanted)
        stream.say_if_idle(resamples, 2000)
        _print(result, output, bool(by), bool(stratum))
        _draw(result, figure, stratum)


def _depth(parts: list[Any]) -> int | None:
    """Return the rank at which the last measure ends; None where one has no end."""
    cutoffs = [part.cutoff for part in parts if part]
    return None if None in cutoffs else max(cutoffs, default=None)


def _mix(text: str) -> Mapping[str, float]:
    """Read ``name=share,name=share``."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = (word.strip() for word in part.rpartition("="))
        if name in shares:
            raise ValueError(f"`mix` names stratum {name!r} twice")
        try:
            shares[name] = float(share)
        except ValueError:
            raise ValueError(f"cannot read {part!r} of `mix`: expected STRATUM=SHARE") from None
    return shares


def _print(result: "Report", output: str, several: bool, divided: bool) -> None:
    """Write the records on stdout; tests below a table, else on stderr."""
    for note in result.notes:
        say(note)
    table, tests = result.table(), _tests(result, several)
    if output in ("csv", "json"):
        records: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
        emit(as_data(records, output), nl=False)
        say(f"convention: {result.convention}")
        for line in tests:
            say(f"test: {line}")
        return
    shown = _shown(table, several, divided)
    header, rows = list(shown.columns), shown.astype(object).to_numpy().tolist()
    emit(as_table(header, rows, output, result.convention), nl=False)
    lead = {"table": "test: ", "markdown": "- ", "latex": "% test: "}[output]
    if tests:
        emit("\n".join(["", *(f"{lead}{line}" for line in tests)]))


def _shown(table: "pd.DataFrame", several: bool, divided: bool) -> "pd.DataFrame":
    """Keep the columns that a reader's table has room for."""
    from ndcgstudy.agreement.report import FIRST

    left_out = [*(["set"] * (not several)), *(["stratum"] * (not divided))]
    return table[[name for name in FIRST if name not in left_out]]


def _tests(result: "Report", several: bool) -> list[str]:
    """Return a line for the first measure against each other one, both ways to count ties."""
    return [
        f"{f'{name}: ' if several else ''}{test}"
        for (name, _), found in result.tests.items()
        for test in found.tests
        if test.first == result.sets[0].measures[0]
    ]


def _draw(result: "Report", path: str, stratum: str) -> None:
    """Draw what was asked for into a file."""
    from ndcgstudy.agreement.drawing import draw_agreement, draw_by_size

    table = result.table()
    rows = table["measure"].nunique() * table["set"].nunique()
    longest = int((table["measure"].str.len() + table["set"].str.len()).max())
    size, draw = (max(5.0, 3.3 + 0.065 * longest), 1.2 + 0.3 * rows), draw_agreement
    if stratum == "difference":
        size, draw = (4.4, max(3.2, 0.9 + 0.13 * rows)), draw_by_size
    if path:
        write_figure(path, size, lambda ax: draw(table, ax))
