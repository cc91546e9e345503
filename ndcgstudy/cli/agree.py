"""`ndcgstudy agree`: whether a measure prefers the list that people prefer."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, say
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.reading import split_measures
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.agreement.report import Report
    from ndcgstudy.policies import Policy
    from ndcgstudy.preferences import Preferences

PAIRS = "JSON lines of list pairs, or CSV: topic,run_a,run_b,preference / topic,doc_a,doc_b,winner"


@app.command("agree")
def agree(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help=PAIRS)],
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[QRELS RUN...]", help="Judgments, then TREC runs")
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option("--measure", "-m", help="e.g. nDCG@5, 'nDCG(gain=exp)@5'; may be repeated"),
    ] = None,
    by: Annotated[str, typer.Option(help="Column that tells sets of answers apart")] = "",
    stratum: Annotated[
        str, typer.Option(help="Divide by: relevant, difference (of the first measure), a column")
    ] = "",
    mix: Annotated[
        str, typer.Option(help="Reweight to shares of strata: 'tie=0,0.0-0.1=3,0.1-0.2=1'")
    ] = "",
    answers: Annotated[
        str, typer.Option(help="Several answers on a pair: each, majority")
    ] = "each",
    unjudged: Annotated[
        str, typer.Option(help="Documents not judged: nonrelevant, condensed, optimistic")
    ] = "nonrelevant",
    ties: Annotated[
        str, typer.Option(help="Equal scores in a run: trec (larger id first), input, error")
    ] = "trec",
    figure: FigureOption = "",
    level: Annotated[str, typer.Option(help="of the intervals, in (0, 1)")] = "0.95",
    resamples: Annotated[str, typer.Option(help="how often queries are resampled")] = "2000",
    seed: Annotated[str, typer.Option(help="root of the random stream, from 0")] = "0",
    output: Annotated[
        str, typer.Option("--format", help="table, csv, json, markdown, latex")
    ] = "table",
) -> None:
    """Compare measures with people's preferences between ranked lists."""
    from ndcgstudy.measures import MEASURES
    from ndcgstudy.policies import Policy

    problems = Problems()
    wanted = [text for given in measures or ["nDCG@10"] for text in split_measures(given)]
    parts = [problems.attempt(MEASURES.parse, text) for text in wanted]
    policy = problems.attempt(Policy, ties, unjudged)
    options = {
        "by": by or None,
        "stratum": stratum or None,
        "mix": problems.attempt(_mix, mix) if mix else None,
        "level": problems.attempt(share, level),
        "resamples": problems.attempt(_number, "resamples", resamples, at_least=1, whole=True),
    }
    root = problems.attempt(_number, "seed", seed, at_least=0, whole=True)
    problems.attempt(check_format, output)
    problems.attempt(check_figure, figure)
    found = _read(problems, pairs, files or [], parts, policy)
    counted = problems.attempt(found.answers, answers) if found else None
    problems.stop_if_any()
    if counted:
        result = problems.attempt(_compared, counted, parts, root or 0, options)
        problems.stop_if_any()
        if result:
            _print(result, output, bool(by), bool(stratum))
            _draw(result, figure, stratum)


def _read(
    problems: Problems, pairs: str, files: list[str], parts: list[Any], policy: "Policy | None"
) -> "Preferences | None":
    """Read judgments, runs and preferences; runs down to the rank at which the last measure ends."""
    from ndcgstudy.formats import read_qrels, read_run
    from ndcgstudy.formats.preferences import read_preferences

    judgments = problems.attempt(read_qrels, files[0]) if files else None
    runs = [run for path in files[1:] if (run := problems.attempt(read_run, path))]
    cutoffs = [part.cutoff for part in parts if part]
    depth = None if None in cutoffs else max(cutoffs, default=None)
    if problems.messages:
        return None
    return problems.attempt(read_preferences, pairs, judgments, runs, policy, depth=depth)


def _compared(
    preferences: "Preferences", parts: list[Any], root: int, options: dict[str, Any]
) -> "Report":
    from ndcgstudy.agreement.report import report
    from ndcgstudy.seeding import rng_for

    return report(preferences, parts, rng=rng_for(root, "agree"), **options)


def _mix(text: str) -> Mapping[str, float]:
    """Read ``name=share,name=share``."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.rpartition("=")
        try:
            shares[name.strip()] = float(share)
        except ValueError:
            raise ValueError(f"cannot read {part!r} of `mix`: expected STRATUM=SHARE") from None
    return shares


def share(text: str) -> float:
    """Read the level of an interval."""
    return float(_number("level", text, above=0, below=1))


def _number(name: str, text: str, **rules: Any) -> Any:
    """Read a number, whole where the rules say so."""
    from ndcgstudy.checks import number

    value: Any = int(text) if text.strip().lstrip("+-").isdecimal() else text
    try:
        value = value if isinstance(value, int) else float(value)
    except ValueError:
        value = text
    number(name, value, **rules)
    return value


def _print(result: "Report", output: str, several: bool, divided: bool) -> None:
    """Write the records on stdout; tests below a table, else on stderr."""
    for note in result.notes:
        say(note)
    table, tests = result.table(), _tests(result, several)
    if output in ("csv", "json"):
        records: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
        typer.echo(as_data(records, output), nl=False)
        say(f"convention: {result.convention}")
        for line in tests:
            say(f"test: {line}")
        return
    shown = _shown(table, several, divided)
    header, rows = list(shown.columns), shown.astype(object).to_numpy().tolist()
    typer.echo(as_table(header, rows, output, result.convention), nl=False)
    lead = {"table": "test: ", "markdown": "- ", "latex": "% test: "}[output]
    if tests:
        typer.echo("\n".join(["", *(f"{lead}{line}" for line in tests)]))


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
    size, draw = (5.0, 1.2 + 0.3 * rows), draw_agreement
    if stratum == "difference":
        size, draw = (4.4, 3.2), draw_by_size
    if path:
        write_figure(path, size, lambda ax: draw(table, ax))
