"""`ndcgstudy conventions`: runs under every combination of choices."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import DuplicatesOption, FormatOption, GradesOption, TopicsOption
from ndcgstudy.cli.reading import Reading, say_readings
from ndcgstudy.cli.tables import as_data, as_table, check_format, columns

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.cli.reading import Files
    from ndcgstudy.conventions.multiverse import Multiverse

SHOWN = ("all", "runs", "choices", "pairs", "conventions", "tools", "ties")
MOST = 20
_VARY = "a choice and its values, the default first: 'gain=linear exponential'; repeatable"


@app.command("conventions")
def conventions_command(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: TREC or BEIR form")],
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="TREC runs")],
    measure: Annotated[str, typer.Option("--measure", "-m", help="e.g. nDCG@10, AP")] = "nDCG@10",
    vary: Annotated[list[str] | None, typer.Option(help=_VARY)] = None,
    show: Annotated[str, typer.Option(help=", ".join(SHOWN))] = "all",
    level: Annotated[str, typer.Option(help="of the paired t test over topics")] = "0.05",
    figure: FigureOption = "",
    topics: TopicsOption = "",
    duplicates: DuplicatesOption = "error",
    grades: GradesOption = "int",
    output: FormatOption = "table",
) -> None:
    """Score runs under every combination of choices: ranges, flips, and which choice moves most."""
    from ndcgstudy.conventions.convention import plain
    from ndcgstudy.conventions.multiverse import multiverse
    from ndcgstudy.conventions.multiverse import vary as read_choices
    from ndcgstudy.formats.read import check_choice

    problems = Problems()
    part = problems.attempt(plain, measure)
    choices = problems.attempt(read_choices, vary or [])
    problems.attempt(check_choice, "show", show, SHOWN)
    problems.attempt(check_format, output)
    bound = problems.attempt(_level, level)
    problems.attempt(check_figure, figure)
    _refuse_idle(problems, show, runs, level, vary or [])
    how = Reading(problems, [part], None, duplicates, grades, "macro")
    how.check()
    files = how.read(qrels, runs, topics)
    if files and part and choices:
        found = problems.attempt(
            multiverse, files.judgments, files.runs, part, choices, judged=files.judged
        )
        problems.stop_if_any()
        if found and bound:
            say_readings(measure)
            if figure:
                _draw(found, figure)
            _print(found, files, show, output, bound, problems)
    problems.stop_if_any()


def _refuse_idle(
    problems: Problems, show: str, runs: list[str], level: str, vary: list[str]
) -> None:
    """Note the options that would change nothing of what is shown."""
    if level != "0.05" and (show not in ("all", "pairs") or len(runs) < 2):
        problems.messages.append("--level is for the tests of pairs: --show pairs of several runs")
    names = {text.partition("=")[0].strip() for text in vary}
    if vary and show == "tools":
        problems.messages.append("--vary does not go with --show tools: these are as they are")
    if names and names <= {"ties", "precision"} and show == "ties":
        problems.messages.append("--show ties varies ties and precision itself; leave out --vary")


def _level(text: str) -> float:
    from ndcgstudy.checks import number

    try:
        value: Any = float(text)
    except ValueError:
        value = text
    number("level", value, above=0, below=1)
    return float(value)


def _draw(found: "Multiverse", path: str) -> None:
    from ndcgstudy.conventions.figure import drawing_for

    table = found.runs()
    drawing = drawing_for(len(table))
    write_figure(path, drawing.size, lambda ax: drawing.draw(table, ax))


def _print(
    found: "Multiverse",
    files: "Files",
    show: str,
    output: str,
    level: float,
    problems: Problems,
) -> None:
    """Write one table as asked, or the summary of all."""
    note = _note(found, show)
    if show == "all" and output == "table":
        emit(_summary(found, level, note), nl=False)
        return
    table = problems.attempt(_table, found, files, "runs" if show == "all" else show, level)
    if table is None:
        return
    if output in ("csv", "json"):
        say(f"conventions: {note}")
        emit(as_data(records(table), output), nl=False)
        return
    emit(as_table(*laid(table), output, note), nl=False)


def _table(found: "Multiverse", files: "Files", show: str, level: float) -> "pd.DataFrame":
    from ndcgstudy.conventions.comparing import tools_beside

    if show == "choices":
        return found.shares()
    if show == "pairs":
        return found.agreement(level).frame()
    if show == "conventions":
        return found.conventions()
    if show == "tools":
        part = found.many.measures[0]
        return tools_beside(files.judgments, files.runs, part, judged=files.judged)
    return found.runs() if show == "runs" else _ties(found, files)


def _ties(found: "Multiverse", files: "Files") -> "pd.DataFrame":
    """Return three rows a run: what its ties leave open at each precision."""
    import pandas as pd

    from ndcgstudy.conventions.ties import tie_intervals

    part, default = found.many.measures[0], found.many.conventions[0]
    named = zip(found.many.systems, files.runs, strict=True)
    rows = [
        {**vars(row), "run": name}
        for name, run in named
        for row in tie_intervals(files.judgments, run, part, default)
    ]
    return pd.DataFrame(rows)


def _note(found: "Multiverse", show: str) -> str:
    """Say how many conventions there are, and what varies."""
    if show == "tools":
        return f"{found.many.measures[0]} as each tool computes it, beside the defaults"
    if show == "ties":
        first = found.many.conventions[0]
        return f"{found.many.measures[0]} under {first} but for ties and precision"
    how = "; ".join(f"{k} {', '.join(map(str, v))}" for k, v in found.choices.items())
    count = len(found.many.conventions)
    return f"{found.many.measures[0]}; {count} conventions, the first by default: {how}"


def _summary(found: "Multiverse", level: float, note: str) -> str:
    """Lay out the runs, the choices, and how many conventions share what the default says."""
    runs, shares, pairs = found.runs(), found.shares(), found.agreement(level)
    short = runs.drop(columns=["lowest_by", "highest_by"])
    lines = [*columns(*laid(short)), "", *columns(*laid(shares))]
    lines += [""] * (len(runs) > 1)
    lines += [pairs.statement(i) for i in _neighbours(list(runs["run"]), pairs.systems, pairs)]
    if len(runs) > 1:
        flips, count = int(pairs.flipped.sum()), len(pairs.first)
        lines.append(f"{flips} of {count} pairs change order with the convention")
        told = found.conventions()
        worst = found.names()[int(told["tau"].fillna(2.0).argmin())]
        lines.append(
            f"tau to the default: lowest {told['tau'].min():.3f} ({worst}), "
            f"median {told['tau'].median():.3f}"
        )
    return "\n".join([*lines, "", f"convention: {note}", ""])


def _neighbours(order: list[str], systems: Sequence[str], pairs: Any) -> list[int]:
    """Return the pairs that stand one after the other by default, the first of them."""
    both = zip(pairs.first, pairs.second, strict=True)
    place = {(systems[a], systems[b]): i for i, (a, b) in enumerate(both)}
    near = list(itertools.pairwise(order))[:MOST]
    return [place[pair] if pair in place else place[pair[::-1]] for pair in near]


def laid(table: "pd.DataFrame") -> tuple[list[str], list[list[Any]]]:
    """Return a table's header and rows as Python values."""
    return [str(name) for name in table], [list(record.values()) for record in records(table)]


def records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return a table's rows as tidy records of Python values."""
    return table.to_dict("records")  # type: ignore[return-value]
