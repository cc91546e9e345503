"""What a call compares: scores from runs, a table or MTEB's results, and the options that say how."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, emit, say
from ndcgstudy.cli.shared import reads
from ndcgstudy.cli.tables import as_data, as_table

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.data import Scores
    from ndcgstudy.missing import Matrix
    from ndcgstudy.scoring import Evaluation

_FILES = (
    "QRELS RUN...; or one table of scores, wide or long, in any format (`list formats`); or MTEB's "
    "results as a folder or a flattened table"
)
_COLLECTIONS = "CSV with the columns collection, qrels, run [, system]: several collections of runs"
_SPLIT = "MTEB: TASK=SPLIT,...; by default dev of MSMARCO, test of the others"
_COLUMN = "Table: the column of the system, topic, dataset, measure or value; repeatable"
_KEEP = "Table: a row or column named as an id or a mean is scores after all; repeatable"

Files = Annotated[list[str] | None, typer.Argument(metavar="FILE...", help=_FILES)]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="nDCG@10 (of runs), or one of a long table; repeatable"),
]
ValueOption = Annotated[
    list[str] | None,
    typer.Option("--value", help="Long table or MTEB: the column or metric; repeatable"),
]
MissingOption = Annotated[
    str, typer.Option("--missing", help="Missing scores: error, zero, drop-topics, drop-systems")
]
TopicsOption = Annotated[
    str, typer.Option("--topics", "--tasks", help="a,b,c or a file with one a line")
]
DatasetOption = Annotated[str, typer.Option("--dataset", help="Table: the column of the data set")]
SplitOption = Annotated[str, typer.Option("--split", help=_SPLIT)]
SubsetOption = Annotated[
    str, typer.Option("--subset", help="MTEB: the subset to take, not the mean of several")
]
CollectionsOption = Annotated[str, typer.Option("--collections", help=_COLLECTIONS)]
SystemsOption = Annotated[
    str, typer.Option("--systems", help="Wide table: systems are in its rows, or its columns")
]
ColumnOption = Annotated[
    list[str] | None, typer.Option("--column", help=_COLUMN, metavar="ROLE=NAME")
]
KeepOption = Annotated[
    list[str] | None, typer.Option("--keep", help=_KEEP, metavar="NAME", show_default=False)
]
DropOption = Annotated[
    list[str] | None, typer.Option("--drop", help="Table: leave out a row or column; repeatable")
]
ReaderOption = Annotated[
    str, typer.Option("--reader", help="Table: its format, not as recognised (`list formats`)")
]


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
        emit(as_data(records, output), nl=False)
        return
    rows = [list(record.values()) for record in records]
    emit(as_table(list(table.columns), rows, output, lines), nl=False)


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
    systems: SystemsOption = "",
    columns: ColumnOption = None,
    keep: KeepOption = None,
    drop: DropOption = None,
    reader: ReaderOption = "",
) -> Loaded | None:
    """Read what a call names, noting every mistake: None where there was one.

    A folder is MTEB's results; one file is a table of scores, or MTEB's flattened results where its
    header has model, revision, task and split; two or more files are judgments and runs.
    """
    from ndcgstudy.missing import check_missing

    before = len(problems.messages)
    given = list(files or ())
    options = {
        **{"--measure": measures, "--value": values, "--topics": topics, "--dataset": dataset},
        **{"--split": split, "--subset": subset, "--systems": systems, "--column": columns},
        **{"--keep": keep, "--drop": drop, "--reader": reader},
    }
    problems.attempt(check_missing, missing)
    loaded: Loaded | None = None
    if not given and not collections:
        problems.messages.append("give QRELS and RUNs, a table of scores, or MTEB's results")
    elif collections or len(given) > 1:
        _refuse(problems, options, collections)
        loaded = _runs(problems, given, measures, missing, topics, collections)
    else:
        loaded = _one_file(problems, given[0], options, missing)
    if loaded:
        problems.attempt(_check_alike, loaded.scores)
    return loaded if len(problems.messages) == before else None


def _one_file(
    problems: Problems, path: str, options: dict[str, Any], missing: str
) -> Loaded | None:
    from ndcgstudy.cli.onetable import table_scores
    from ndcgstudy.missing import MISSING

    how = missing if missing in MISSING else "zero"  # noted already
    found = table_scores(problems, path, options, how)
    if not found:
        return None
    matrices, form = found
    return _loaded(matrices, f"scores as given ({form}); missing {missing}", ())


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
    from ndcgstudy.formats.scales import scale_notes
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
    if not done:
        return None
    scales = dict.fromkeys(note for matrix in done for note in scale_notes(matrix.scores))
    return _loaded(done, found.convention, (*found.notes, *scales))


def _loaded(found: "Sequence[Matrix]", convention: str, notes: tuple[str, ...]) -> Loaded:
    """Put the matrices of a call together; a note that is not the same for all names its measure."""
    shared = [note for note in found[0].notes if all(note in matrix.notes for matrix in found)]
    own = [f"{m.scores.measure}: {note}" for m in found for note in m.notes if note not in shared]
    return Loaded(tuple(matrix.scores for matrix in found), convention, (*notes, *shared, *own))


def _refuse(problems: Problems, options: dict[str, Any], collections: str) -> None:
    """Note the options that were given and mean nothing with runs."""
    taken = {"--measure"} if collections else {"--measure", "--topics"}
    kind = "--collections" if collections else "runs"
    unused = [name for name, value in options.items() if value and name not in taken]
    problems.messages += [f"{name} does not go with {kind}" for name in unused]


def _check_alike(matrices: "Sequence[Scores]") -> None:
    """Check that all measures are there on the same systems and topics, two or more of each."""
    from ndcgstudy.missing import check_comparable

    first = matrices[0]
    check_comparable(first)
    for other in matrices[1:]:
        if (other.systems, other.topics) != (first.systems, first.topics):
            names = f"{first.measure} and {other.measure}"
            raise ValueError(f"{names} are not there for the same systems and topics")


reads_scores = reads(scores_from)
"""Give a command the options that name its scores.

The command takes `problems` and `loaded` first, what `scores_from` made of these options and the
mistakes it noted, then its own options.
"""
