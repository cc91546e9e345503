"""`ndcgstudy discount`: the card of a discount beside log2."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.figure import FigureOption, check_figure, write_figure
from ndcgstudy.cli.options import ResamplesOption, SeedOption, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ndcgstudy.card import Card
    from ndcgstudy.card.inputs import Inputs

FORMATS = ("text", "json", "csv")


Spec = Annotated[
    str, typer.Argument(metavar="SPEC", help="as power(beta=0.7) or path/file.py:name")
]
Data = Annotated[
    str,
    typer.Option(help="FOLDER with *qrels* and runs/, or preferences (*.jsonl), or all of it"),
]
Qrels = Annotated[str, typer.Option(help="Judgments, instead of those in --data")]
Runs = Annotated[str, typer.Option(help="FOLDER of TREC runs, instead of runs/ in --data")]
Pairs = Annotated[str, typer.Option(help="Preferences: JSON lines of list pairs, or CSV")]
Gain = Annotated[str, typer.Option(help="linear, exponential, ...")]
Cutoff = Annotated[
    int,
    typer.Option(parser=whole, metavar="K", help="Last rank of board and pairs that counts"),
]
Replicates = Annotated[
    int, typer.Option(parser=whole, metavar="N", help="How often to draw lists of each length")
]
Output = Annotated[str, typer.Option("--format", help="text, json, csv")]


@app.command("discount")
def discount(
    spec: Spec,
    data: Data = "",
    qrels: Qrels = "",
    runs: Runs = "",
    pairs: Pairs = "",
    gain: Gain = "linear",
    cutoff: Cutoff = 10,
    replicates: Replicates = 300,
    resamples: ResamplesOption = 2_000,
    seed: SeedOption = 0,
    output: Output = "text",
    figure: FigureOption = "",
) -> None:
    """Lay all that can be said of a discount beside log2; without data, on synthetic ones."""
    from ndcgstudy.card.inputs import find_inputs
    from ndcgstudy.discounts import DISCOUNTS
    from ndcgstudy.gains import GAINS
    from ndcgstudy.seeding import rng_for

    problems = Problems()
    part = problems.attempt(DISCOUNTS.parse, spec)
    worth = problems.attempt(GAINS.parse, gain)
    for name, value, least in (("cutoff", cutoff, 1), ("replicates", replicates, 2)):
        problems.attempt(_check_number, name, value, least)
    problems.attempt(_check_number, "resamples", resamples, 39)
    problems.attempt(_check_format, output)
    problems.attempt(check_figure, figure)
    found = problems.attempt(find_inputs, data, qrels, runs, pairs)
    rng = problems.attempt(rng_for, seed, "discount")
    problems.stop_if_any()
    how: dict[str, Any] = {"gain": worth, "cutoff": cutoff, "rng": rng}
    how |= {"replicates": replicates, "resamples": resamples}
    made = _made(problems, part, found, how) if found else None
    problems.stop_if_any()
    if made:
        _print(made, output)
        _draw(made, figure)


def _made(problems: Problems, part: Any, found: "Inputs", how: dict[str, Any]) -> "Card | None":
    """Read the data and compute the card."""
    from ndcgstudy.card import card

    board = problems.attempt(found.board)
    pairs = problems.attempt(found.preferences, how["cutoff"])
    problems.stop_if_any()
    return problems.attempt(card, part, board=board, pairs=pairs, **how)


def _check_number(name: str, value: int, least: int) -> None:
    from ndcgstudy.checks import number

    number(name, value, at_least=least, whole=True)


def _check_format(name: str) -> None:
    from ndcgstudy.checks import nearest

    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}{nearest(name, [*FORMATS])}")


def _print(made: "Card", output: str) -> None:
    """Write the card on stdout and what deserves a word on stderr."""
    from ndcgstudy.cli.tables import as_data

    for note in made.notes:
        say(note)
    text = made.text() if output == "text" else as_data(made.records(), output)
    emit(text, nl=False)


def _draw(made: "Card", path: str) -> None:
    """Draw on the whole figure, not on the one axes it comes with."""
    from ndcgstudy.card.drawing import SIZE

    def draw(ax: "Axes") -> "Axes":
        page: Any = ax.get_figure()
        ax.remove()
        made.plot(page)
        return ax

    if path:
        write_figure(path, SIZE, draw)
