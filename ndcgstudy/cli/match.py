"""`ndcgstudy match`: which conventions give a reported number."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.options import DuplicatesOption, FormatOption, GradesOption, TopicsOption
from ndcgstudy.cli.reading import Reading, say_readings
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from ndcgstudy.conventions.matching import Found, Match
    from ndcgstudy.conventions.reporting import Reported

_REPORTED = "0.4213, 42.13%, or several: nDCG@10=0.4213,nDCG@20=0.43; may be repeated"
_LISTED = 5  # so many conventions are named for one of several numbers


@app.command("match")
def match_command(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: TREC or BEIR form")],
    run: Annotated[str, typer.Argument(metavar="RUN", help="A TREC run")],
    reported: Annotated[list[str], typer.Option(help=_REPORTED)],
    measure: Annotated[
        str, typer.Option("--measure", "-m", help="of numbers without a name; nDCG@10 by default")
    ] = "",
    misses: Annotated[str, typer.Option(help="how many of the nearest misses to show")] = "5",
    topics: TopicsOption = "",
    duplicates: DuplicatesOption = "error",
    grades: GradesOption = "int",
    output: FormatOption = "table",
) -> None:
    """Find the conventions that give a reported number to its digits, rounded or cut.

    Exit code 1 where none does.
    """
    from ndcgstudy.conventions.matching import match
    from ndcgstudy.conventions.reporting import reported as read_numbers

    problems = Problems()
    read = [problems.attempt(read_numbers, text, measure or "nDCG@10") for text in reported]
    numbers = [number for some in read for number in some or ()]
    if measure and numbers and all(number.name for number in numbers):
        problems.messages.append(f"--measure {measure}: every number has a measure of its own")
    problems.attempt(check_format, output)
    few = problems.attempt(_count, misses)
    how = Reading(problems, [], None, duplicates, grades, "macro")
    how.check()
    files = how.read(qrels, [run], topics)
    problems.stop_if_any()
    if files and numbers and few is not None:
        found = problems.attempt(
            match, files.judgments, files.runs[0], numbers, judged=files.judged
        )
        problems.stop_if_any()
        if found:
            say_readings(measure, *(number.name for number in numbers))
            _print(found, numbers, few, output)
            if not found.matches:
                raise typer.Exit(1)


def _count(text: str) -> int:
    from ndcgstudy.checks import number

    value: Any = int(text) if text.isdecimal() else text
    number("misses", value, at_least=0, whole=True)
    return int(value)


def _print(found: "Found", numbers: "list[Reported]", few: int, output: str) -> None:
    """Write what matches and the nearest misses on stdout, and what to make of it on stderr."""
    records = [_record(m, numbers) for m in (*found.matches, *found.misses[:few])]
    if output in ("csv", "json"):
        emit(as_data(records, output), nl=False)
    else:
        header = list(records[0]) if records else ["tools", "convention"]
        note = f"{found.tried} conventions tried; `off` is score less reported"
        emit(as_table(header, [list(r.values()) for r in records], output, note), nl=False)
    for number in numbers:
        if number.percent:
            say(f"{number.measure} {number.value} was given as a percentage")
    if len(numbers) > 1:
        _say_each(found, numbers)
    count, of = len(found.matches), len(found.matches) + len(found.misses)
    say(
        f"{count or 'none'} of {of} different scores match; "
        f"a number at random would match with probability {found.chance:.2g}"
    )
    for suspect in found.suspects:
        say(f"suspect {suspect}")


def _say_each(found: "Found", numbers: "list[Reported]") -> None:
    """Say for each of several numbers under which conventions it matches."""
    for place, number in enumerate(numbers):
        names = [name for match in found.alone(place) for name in match.names]
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        told = (
            f"matches under {', '.join(names[:_LISTED])}{more}" if names else "matches under none"
        )
        say(f"{number.measure}={number.value} {told}")


def _record(found: "Match", numbers: "list[Reported]") -> dict[str, Any]:
    """Return a match or miss as a record."""
    scores = {str(n.measure): score for n, score in zip(numbers, found.scores, strict=True)}
    return {
        "tools": ", ".join(found.tools) or "-",
        "convention": str(found.convention) if found.convention else "-",
        "alike": max(found.others - 1, 0),
        **scores,
        "match": _matched(found, numbers),
        "off": found.off,
    }


def _matched(found: "Match", numbers: "list[Reported]") -> str:
    """Say how all numbers are met, or which of them are."""
    if found.met:
        return "+".join(dict.fromkeys(found.how))
    met = [f"{n.measure} {how}" for n, how in zip(numbers, found.how, strict=True) if how]
    return f"only {', '.join(met)}" if met else "no"
