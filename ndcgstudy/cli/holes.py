"""`ndcgstudy holes`: what unjudged documents hide, and what later judgments showed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import DuplicatesOption, FormatOption, GradesOption
from ndcgstudy.cli.reading import say_readings
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.data import Judgments, Rankings
    from ndcgstudy.holes import Survey
    from ndcgstudy.measures import Measure

_STAKE = "Documents that may be judged: own top, or the tops of all runs"

DepthOption = Annotated[str, typer.Option("--k", help="where the tops end; 10 by default")]
SumOption = Annotated[str, typer.Option("--measure", "-m", help="nDCG, DCG, P, R or RBP")]
GradeOption = Annotated[
    str, typer.Option(help="the highest grade that may be given; that of QRELS by default")
]
OrderOption = Annotated[
    str, typer.Option(help="Equal scores: trec (larger id first), input, error")
]


@app.command("holes")
def holes_command(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: TREC or BEIR form")],
    runs: Annotated[list[str], typer.Argument(metavar="RUN...", help="TREC runs")],
    k: DepthOption = "",
    measure: SumOption = "nDCG",
    after: Annotated[str, typer.Option(help="later judgments of the same topics")] = "",
    stake: Annotated[str, typer.Option(help=_STAKE)] = "own",
    max_grade: GradeOption = "",
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Show every topic.")] = False,
    output: FormatOption = "table",
    figure: FigureOption = "",
    ties: OrderOption = "trec",
    duplicates: DuplicatesOption = "error",
    grades: GradesOption = "int",
) -> None:
    """Show holes, scores and the bounds that unjudged documents leave open.

    Low and high are attained: the grades 0 to --max-grade, given to the unjudged documents at stake
    in any way, lead no further. Documents elsewhere are taken to be not relevant.
    """
    from ndcgstudy.formats.read import check_choice
    from ndcgstudy.holes import STAKES, survey
    from ndcgstudy.policies import Policy

    problems = Problems()
    problems.attempt(check_format, output)
    problems.attempt(check_choice, "stake", stake, STAKES)
    problems.attempt(_check_figure, figure, after)
    part = problems.attempt(measure_at, measure, k)
    most = problems.attempt(whole, "max-grade", max_grade, 1) if max_grade else None
    files = Files(problems, duplicates, grades)
    found = files.qrels(qrels), files.runs(runs), files.qrels(after) if after else None
    policy = problems.attempt(Policy, ties)
    problems.stop_if_any()
    how: Any = {"after": found[2], "max_grade": most, "stake": stake}
    result = problems.attempt(survey, *found[:2], part, policy, **how)
    problems.stop_if_any()
    if result:
        say_readings(measure)
        _print(result, stake, per_topic, output)
    if result and figure:
        _draw(result.table(), figure)


@dataclass
class Files:
    """Reads judgments and runs, gathering every mistake on the way."""

    problems: Problems
    duplicates: str
    grades: str

    def __post_init__(self) -> None:
        from ndcgstudy.formats.read import DUPLICATES, GRADES, check_choice

        before = len(self.problems.messages)
        self.problems.attempt(check_choice, "duplicates", self.duplicates, DUPLICATES)
        self.problems.attempt(check_choice, "grades", self.grades, GRADES)
        if len(self.problems.messages) > before:
            self.duplicates, self.grades = "error", "int"

    def qrels(self, path: str) -> "Judgments | None":
        """Read judgments."""
        from ndcgstudy.formats import read_qrels

        how = {"duplicates": self.duplicates, "grades": self.grades}
        return self.problems.attempt(read_qrels, path, **how)

    def runs(self, paths: list[str]) -> "list[Rankings]":
        """Read runs."""
        from ndcgstudy.formats import read_run

        found = [
            self.problems.attempt(read_run, path, duplicates=self.duplicates) for path in paths
        ]
        return [run for run in found if run]


def measure_at(text: str, k: str) -> "Measure":
    """Read a measure; k is its cutoff where it has none of its own.

    Raises
    ------
    ValueError
        If it cannot be read, has another cutoff, or bounds on it are not known.

    Examples
    --------
    >>> str(measure_at("nDCG", "")), str(measure_at("nDCG@5", ""))
    ('nDCG@10', 'nDCG@5')
    """
    from ndcgstudy.holes.form import form_of
    from ndcgstudy.measures import MEASURES

    part = MEASURES.parse(text)
    if part.cutoff is None:
        return form_of(f"{part}@{whole('k', k or '10', 1)}").measure
    if k and whole("k", k, 1) != part.cutoff:
        raise ValueError(f"k is {k}, but {part} has a cutoff of its own")
    return form_of(part).measure


def whole(name: str, text: str, at_least: int, at_most: float = float("inf")) -> int:
    """Read a whole number.

    Raises
    ------
    ValueError
        If it is none, too small or too large.
    """
    from ndcgstudy.checks import number

    try:
        value: Any = int(text)
    except ValueError:
        value = text
    number(name, value, at_least=at_least, at_most=at_most, whole=True)
    return int(value)


def _check_figure(path: str, after: str) -> None:
    check_figure(path)
    if path and not after:
        raise ValueError("--figure shows ranks before and after: give --after QRELS too")


def _print(result: "Survey", stake: str, per_topic: bool, output: str) -> None:
    """Write the records on stdout; what they mean below a table, else on stderr."""
    for note in result.notes:
        say(note)
    table = result.topics() if per_topic else result.table()
    records: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    scope, convention = _meaning(result, stake), result.tops.evaluation.convention
    if output in ("csv", "json"):
        emit(as_data(records, output), nl=False)
        for line in (f"convention: {convention}", *scope):
            say(line)
        return
    shown = [
        name for name in map(str, table) if result.after is not None or not table[name].isna().all()
    ]
    rows = [[record[name] for name in shown] for record in records]
    emit(as_table(shown, rows, output, convention), nl=False)
    emit(below(scope, output))


def below(lines: list[str], output: str) -> str:
    """Lay out lines below a table: as they are, as a list of Markdown, or as comments of LaTeX."""
    lead = {"table": "", "markdown": "- ", "latex": "% "}[output]
    return "\n".join(["", *(f"{lead}{line}" for line in lines)])


def _meaning(result: "Survey", stake: str) -> list[str]:
    """Say what the bounds rest on, and how far the orders before and after agree."""
    k = result.tops.form.cutoff
    where = {"own": f"the run's own top {k}", "all": f"the top {k} of any of the runs"}[stake]
    most = result.tops.most
    lines = [
        f"low, high: grades 0 to {most} for the unjudged documents in {where}; "
        "all other unjudged documents are taken to be not relevant"
    ]
    change = result.change
    if change is None or change.fewer.size < 2:
        return lines
    size = change.fewer.size
    return [
        *lines,
        f"before and after: tau {change.tau:.3f}, tau_AP {change.tau_ap:.3f}; "
        f"{change.swapped} of {size * (size - 1) // 2} pairs change their order",
    ]


def _draw(table: "pd.DataFrame", path: str) -> None:
    from ndcgstudy.holes.slopes import height, slopes

    write_figure(path, (4.4, height(len(table))), lambda ax: slopes(table, ax))
