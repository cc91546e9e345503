"""`ndcgstudy fit-discount`: the discount that people's answers on pairs of lists ask for."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.asked import Asked, reads_answers
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import FormatOption, LevelOption
from ndcgstudy.cli.separability import whole
from ndcgstudy.cli.tables import as_data, as_table, check_format
from ndcgstudy.words import many

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.agreement.families import Answers
    from ndcgstudy.preferences import Preferences

Record = dict[str, Any]
_SHOWN = 10  # ranks of the table of weights
_FAMILY = "power, geometric, log-base, table; repeatable; all of them"
_UNDECIDED = "Answers for neither list: davidson (modelled), dropped"
_POSITION = "Fit a preference for the side A."

PositionOption = Annotated[bool, typer.Option("--position", help=_POSITION)]


@app.command("fit-discount")
@reads_answers
def fit_discount(
    problems: Problems,
    asked: Asked,
    *,
    family: Annotated[list[str] | None, typer.Option(help=_FAMILY)] = None,
    against: Annotated[str, typer.Option(help="the discount to compare with")] = "log2",
    gain: Annotated[str, typer.Option(help="linear, exponential, ...")] = "linear",
    cutoff: Annotated[str, typer.Option(help="the last rank that counts; all of them")] = "",
    undecided: Annotated[str, typer.Option(help=_UNDECIDED)] = "davidson",
    position: PositionOption = False,
    folds: Annotated[str, typer.Option(help="parts of the queries, each left out once")] = "10",
    level: LevelOption = 0.95,
    figure: FigureOption = "",
    output: FormatOption = "table",
) -> None:
    """Fit discounts to people's preferences, and compare them on queries left out."""
    from ndcgstudy.agreement.families import FAMILIES
    from ndcgstudy.discounts import DISCOUNTS
    from ndcgstudy.gains import GAINS

    families = family or [*FAMILIES]
    _check_words(problems, families, undecided, output, figure)
    base, worth = problems.attempt(DISCOUNTS.parse, against), problems.attempt(GAINS.parse, gain)
    last = problems.attempt(whole, "cutoff", cutoff, 1) if cutoff else None
    parts = problems.attempt(whole, "folds", folds, 2)
    how: Any = {"gain": worth, "cutoff": last, "ties": undecided, "position": position}
    options: Any = {"against": str(base), "folds": parts, "level": level}
    found = asked.read(last)
    kept = problems.attempt(_answers, found, **how) if not problems.messages else None
    shown = problems.attempt(_fitted, kept, families, **options) if kept else None
    problems.stop_if_any()
    if kept and shown:
        _print(*shown, _note(kept, str(base), str(worth)), output)
        _draw(figure, shown[1])


def _check_words(
    problems: Problems, families: list[str], undecided: str, output: str, figure: str
) -> None:
    """Note the words that are none of those known."""
    from ndcgstudy.agreement.families import check_family
    from ndcgstudy.agreement.likelihood import check_ties

    for name in families:
        problems.attempt(check_family, name)
    for action, text in ((check_ties, undecided), (check_format, output), (check_figure, figure)):
        problems.attempt(action, text)


def _answers(
    preferences: "Preferences", gain: Any, cutoff: int | None, ties: str, position: bool
) -> "Answers":
    from ndcgstudy.agreement.families import Answers
    from ndcgstudy.agreement.weights import rank_gaps

    for note in preferences.notes:
        say(note)
    gaps = rank_gaps(preferences, gain, cutoff)
    return Answers(gaps, preferences.preference, preferences.topic, ties, position)


def _fitted(
    answers: "Answers", families: list[str], *, against: str, folds: int, level: float
) -> "tuple[list[Record], pd.DataFrame]":
    """Fit the families, and lay out records and weights with the named discounts."""
    from ndcgstudy.agreement.asked import NAMED, by_rank, fit_all, records

    named = list(dict.fromkeys([against, *NAMED]))
    found = fit_all(answers, families, level=level)
    how: Any = {"named": named, "against": against, "folds": folds, "level": level}
    return records(answers, found, **how), by_rank(answers, found, named)


def _draw(path: str, weights: "pd.DataFrame") -> None:
    from ndcgstudy.agreement.drawing_weights import draw_weights

    if path:
        write_figure(path, (4.4, 3.2), lambda ax: draw_weights(weights, ax))


def _note(answers: "Answers", against: str, gain: str) -> str:
    tied = "ties dropped" if answers.ties == "dropped" else "ties by Davidson's model"
    queries = many(int(answers.cluster.max()) + 1, "query", "queries")
    return (
        f"DCG of gain {gain}, {tied}; {many(len(answers.preference), 'answer')} on {queries}; "
        f"lead: log-likelihood of 1000 answers over {against}, queries left out in turn"
    )


def _print(rows: list[Record], weights: "pd.DataFrame", note: str, output: str) -> None:
    """Write the records on stdout; for people the discounts, the weights, and verdicts."""
    verdicts = dict.fromkeys(row["verdict"] for row in rows if row["verdict"])
    if output in ("csv", "json"):
        emit(as_data(rows, output), nl=False)
        say(note)
        for verdict in verdicts:
            say(f"verdict: {verdict}")
        return
    header = (
        "discount",
        "parameter",
        "low",
        "high",
        "loglik",
        "aic",
        "lead",
        "lead low",
        "lead high",
    )
    emit(as_table(header, _discounts(rows), output, note))
    wide = weights[weights["rank"] <= _SHOWN].pivot(index="rank", columns="name", values="weight")
    names = list(dict.fromkeys(weights["name"]))
    lines = [
        [str(rank), *map(float, row)]
        for rank, row in zip(wide.index, wide[names].to_numpy(), strict=True)
    ]
    emit(as_table(("rank", *names), lines, output, "weights, that of rank 1 = 1"), nl=False)
    lead = {"table": "verdict: ", "markdown": "- ", "latex": "% verdict: "}[output]
    emit("\n".join(["", *(f"{lead}{verdict}" for verdict in verdicts)]))


def _discounts(rows: list[Record]) -> list[list[Any]]:
    """Lay out a line a discount; of a table, whose weights stand below, without parameters."""
    lines: dict[str, list[Any]] = {}
    for row in rows:
        several = row["family"] == "table"
        own = [math.nan] * 3 if several else [row[key] for key in ("value", "low", "high")]
        ahead = [1000 * row[key] for key in ("lead", "lead_low", "lead_high")]
        name = row["family"] or row["discount"]
        lines.setdefault(name, [name, *own, row["loglik"], row["aic"], *ahead])
    return list(lines.values())
