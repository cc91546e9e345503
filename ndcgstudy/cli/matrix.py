"""What a call compares: scores from runs, a matrix or MTEB's results, and the options that say how."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, say
from ndcgstudy.cli.shared import reads
from ndcgstudy.cli.tables import as_data, as_table

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.data import Scores
    from ndcgstudy.missing import Matrix
    from ndcgstudy.scoring import Evaluation

_FILES = (
    "QRELS RUN...; or one matrix of scores: a wide or long CSV, MTEB's results as a folder or as a "
    "flattened CSV"
)
_COLLECTIONS = "CSV with the columns collection, qrels, run [, system]: several collections of runs"
_SPLIT = "MTEB: TASK=SPLIT,...; by default dev of MSMARCO, test of the others"

Files = Annotated[list[str] | None, typer.Argument(metavar="FILE...", help=_FILES)]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="Runs: nDCG@10 (the default), AP, ...; repeatable"),
]
ValueOption = Annotated[
    list[str] | None,
    typer.Option("--value", help="Long CSV or MTEB: the column or metric; repeatable"),
]
MissingOption = Annotated[
    str, typer.Option("--missing", help="Missing scores: error, zero, drop-topics, drop-systems")
]
TopicsOption = Annotated[
    str, typer.Option("--topics", "--tasks", help="a,b,c or a file with one a line")
]
DatasetOption = Annotated[
    str, typer.Option("--dataset", help="Long CSV: the column of the data set")
]
SplitOption = Annotated[str, typer.Option("--split", help=_SPLIT)]
SubsetOption = Annotated[
    str, typer.Option("--subset", help="MTEB: the subset to take, not the mean of several")
]
CollectionsOption = Annotated[str, typer.Option("--collections", help=_COLLECTIONS)]


@dataclass(frozen=True, eq=False)
class Loaded:
    """The scores of one call.

    Parameters
    ----------
    scores
        A matrix a measure, without gaps, all of the same systems and topics, two or more of each.
    convention
        One line that says how the numbers came to be.
    notes
        What deserves a word, a line each.
    """

    scores: "tuple[Scores, ...]"
    convention: str
    notes: tuple[str, ...]


def write_table(table: "pd.DataFrame", output: str, lines: str) -> None:
    """Write a table on stdout, and how it was computed below it, or on stderr beside pure records."""
    records: list[dict[str, Any]] = table.to_dict("records")  # type: ignore[assignment]
    if output in ("csv", "json"):
        say(lines)
        typer.echo(as_data(records, output), nl=False)
        return
    rows = [list(record.values()) for record in records]
    typer.echo(as_table(list(table.columns), rows, output, lines), nl=False)


def one(loaded: Loaded, command: str) -> "Scores":
    """Return the scores of a call that takes one measure.

    Raises
    ------
    ValueError
        If there are several.
    """
    if len(loaded.scores) > 1:
        names = ", ".join(scores.measure for scores in loaded.scores)
        raise ValueError(f"`{command}` takes one measure at a time, got {names}")
    return loaded.scores[0]


def scores_from(
    problems: Problems,
    files: Files = None,
    measures: MeasureOption = None,
    values: ValueOption = None,
    missing: MissingOption = "error",
    topics: TopicsOption = "",
    dataset: DatasetOption = "",
    split: SplitOption = "",
    subset: SubsetOption = "",
    collections: CollectionsOption = "",
) -> Loaded | None:
    """Read what a call names, noting every mistake: None where there was one.

    A folder is MTEB's results; one file is a matrix, or MTEB's flattened results where its header has
    model, revision, task and split; two or more files are judgments and runs.
    """
    from ndcgstudy.missing import check_missing

    before = len(problems.messages)
    given = list(files or ())
    options = {
        "--measure": measures,
        "--value": values,
        "--topics": topics,
        "--dataset": dataset,
        "--split": split,
        "--subset": subset,
    }
    problems.attempt(check_missing, missing)
    loaded: Loaded | None = None
    if not given and not collections:
        problems.messages.append("give QRELS and RUNs, a matrix of scores, or MTEB's results")
    elif collections or len(given) > 1:
        unused = ("--value", "--dataset", "--split", "--subset", *["--topics"] * bool(collections))
        _refuse(problems, options, unused, "--collections" if collections else "runs")
        loaded = _runs(problems, given, measures, missing, topics, collections)
    else:
        names = problems.attempt(_names, topics) if topics else None
        reader = problems.attempt(_reader, problems, given[0], options)
        if reader and len(problems.messages) == before:
            loaded = _matrices(problems, reader, values, names, missing)
    if loaded:
        problems.attempt(_check_alike, loaded.scores)
    return loaded if len(problems.messages) == before else None


def _runs(
    problems: Problems,
    files: list[str],
    measures: Sequence[str] | None,
    missing: str,
    topics: str,
    collections: str,
) -> Loaded | None:
    """Score runs; the topics that one lacks stay gaps, unless they count as 0."""
    from ndcgstudy.cli.reading import Reading, split_measures
    from ndcgstudy.measures import MEASURES
    from ndcgstudy.missing import complete
    from ndcgstudy.policies import Policy

    wanted = [text for words in measures or ["nDCG@10"] for text in split_measures(words)]
    for text in wanted:
        problems.attempt(MEASURES.parse, text)
    policy = Policy(missing="zero" if missing == "zero" else "skip")
    reading = Reading(problems, wanted, policy, "error", "int", "macro")
    found: Evaluation | None
    if collections:
        found = reading.collections(collections, files[0] if files else "")
    else:
        found = reading.runs(files[0] if files else "", files[1:], topics)
    if found is None:
        return None
    matrices = found.scores.values()
    done = problems.attempt(lambda: [complete(scores, missing) for scores in matrices])
    return _loaded(done, found.convention, found.notes) if done else None


def _reader(
    problems: Problems, path: str, options: dict[str, Any]
) -> "Callable[..., Matrix] | None":
    """Return what reads a path, given value, topics and missing; note the options it cannot take."""
    from ndcgstudy.formats import read_mteb, read_scores
    from ndcgstudy.formats.mteb_files import is_results
    from ndcgstudy.formats.textfile import read_text

    text = path if os.path.isdir(path) else read_text(path)
    if not isinstance(text, str) and not is_results(text):
        _refuse(problems, options, ("--measure", "--split", "--subset"), "a matrix of scores")
        column = options["--dataset"] or None
        return lambda value, topics, missing: read_scores(
            text, value=value, dataset=column, topics=topics, missing=missing
        )
    _refuse(problems, options, ("--measure", "--dataset"), "MTEB's results")
    splits = problems.attempt(_splits, options["--split"]) or {}
    how: dict[str, Any] = {"splits": splits, "subset": options["--subset"] or None}
    return lambda value, topics, missing: read_mteb(
        text, value=value, tasks=topics, missing=missing, **how
    )


def _matrices(
    problems: Problems,
    read: "Callable[..., Matrix]",
    values: Sequence[str] | None,
    topics: list[str] | None,
    missing: str,
) -> Loaded | None:
    columns: list[str | None] = [*dict.fromkeys(values or [])]
    done = [problems.attempt(read, column, topics, missing) for column in columns or [None]]
    found = [matrix for matrix in done if matrix]
    whole = len(found) == len(done)
    return _loaded(found, f"scores as given; missing {missing}", ()) if whole else None


def _loaded(found: "Sequence[Matrix]", convention: str, notes: tuple[str, ...]) -> Loaded:
    """Put the matrices of a call together; a note that is not the same for all names its measure."""
    shared = [note for note in found[0].notes if all(note in matrix.notes for matrix in found)]
    own = [f"{m.scores.measure}: {note}" for m in found for note in m.notes if note not in shared]
    return Loaded(tuple(matrix.scores for matrix in found), convention, (*notes, *shared, *own))


def _refuse(problems: Problems, options: dict[str, Any], unused: Sequence[str], kind: str) -> None:
    """Note the options that were given and mean nothing here."""
    for name in unused:
        if options[name]:
            problems.messages.append(f"{name} does not go with {kind}")


def _check_alike(matrices: "Sequence[Scores]") -> None:
    """Check that all measures are there on the same systems and topics, two or more of each."""
    from ndcgstudy.missing import check_comparable

    first = matrices[0]
    check_comparable(first)
    for other in matrices[1:]:
        if (other.systems, other.topics) != (first.systems, first.topics):
            names = f"{first.measure} and {other.measure}"
            raise ValueError(f"{names} are not there for the same systems and topics")


def _names(topics: str) -> list[str]:
    from ndcgstudy.cli.reading import topics_of

    return topics_of(topics)


def _splits(text: str) -> dict[str, str]:
    """Read TASK=SPLIT,..."""
    pairs = [part.strip().partition("=") for part in text.split(",") if part.strip()]
    for task, sign, split in pairs:
        if not (task and sign and split):
            raise ValueError(f"`split` must be TASK=SPLIT,..., got {text!r}")
    return {task.strip(): split.strip() for task, _, split in pairs}


reads_scores = reads(scores_from)
"""Give a command the options that name its scores.

The command takes `problems` and `loaded` first, what `scores_from` made of these options and the
mistakes it noted, then its own options.
"""
