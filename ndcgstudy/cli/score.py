"""`ndcgstudy score`: the scores of runs, by measure and topic."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.options import DuplicatesOption, FormatOption, GradesOption, TopicsOption
from ndcgstudy.cli.reading import Reading, split_measures
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from ndcgstudy.conventions import Convention
    from ndcgstudy.data import Scores
    from ndcgstudy.policies import Policy
    from ndcgstudy.scoring import Evaluation

_CSV = "CSV with the columns collection, qrels, run [, system]: score several collections"

_AS = "As a tool computes it, e.g. trec_eval-9 (`list conventions`); options given here go first"


Qrels = Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: TREC or BEIR form")]
Runs = Annotated[list[str] | None, typer.Argument(metavar="RUN...", help="TREC runs")]
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="e.g. nDCG@10, AP, 'RBP(p=0.5)'; may be repeated"),
]
PerTopic = Annotated[bool, typer.Option("--per-topic", help="Show every topic.")]
Ties = Annotated[
    str, typer.Option(help="Equal scores: trec (larger id first), average, input, error")
]
Unjudged = Annotated[
    str, typer.Option(help="Documents not judged: nonrelevant, condensed, optimistic")
]
Missing = Annotated[str, typer.Option(help="Judged topics that a run lacks: zero, skip")]
NoRelevant = Annotated[str, typer.Option(help="Topics where a measure is 0/0: zero, one, skip")]
Negative = Annotated[str, typer.Option(help="Grades below 0: zero, unjudged, judged")]
Ideal = Annotated[
    str, typer.Option(help="The ideal: cut at k, all judged; retrieved, or their top, alone; hits")
]
Precision = Annotated[str, typer.Option(help="Scores are compared as float32 or float64")]
ExcludeSelf = Annotated[
    bool, typer.Option("--exclude-self", help="Leave out documents whose id is the topic's.")
]
Collections = Annotated[str, typer.Option(help=_CSV)]
Average = Annotated[str, typer.Option(help="Over collections: macro, micro")]
As = Annotated[str, typer.Option("--as", help=_AS)]


@app.command("score")
def score_command(
    context: typer.Context,
    qrels: Qrels = "",
    runs: Runs = None,
    measures: Measures = None,
    per_topic: PerTopic = False,
    output: FormatOption = "table",
    ties: Ties = "trec",
    unjudged: Unjudged = "nonrelevant",
    missing: Missing = "zero",
    no_relevant: NoRelevant = "zero",
    negative: Negative = "zero",
    ideal: Ideal = "cut",
    precision: Precision = "float32",
    exclude_self: ExcludeSelf = False,
    topics: TopicsOption = "",
    duplicates: DuplicatesOption = "error",
    grades: GradesOption = "int",
    collections: Collections = "",
    average: Average = "macro",
    named: As = "",
) -> None:
    """Score runs against judgments, and say how the numbers were computed."""
    from ndcgstudy.conventions.convention import plain
    from ndcgstudy.measures import MEASURES
    from ndcgstudy.policies import Policy

    problems = Problems()
    wanted = [text for given in measures or ["nDCG@10"] for text in split_measures(given)]
    for text in wanted:
        problems.attempt(plain if named else MEASURES.parse, text)
    problems.attempt(check_format, output)
    policy = problems.attempt(
        Policy, ties, unjudged, missing, no_relevant, negative, ideal, precision, exclude_self
    )
    convention = _convention(problems, named, context, policy) if named else None
    how = Reading(problems, wanted, policy, duplicates, grades, average, convention)
    how.check()
    _refuse_idle(problems, wanted, collections, topics=topics, average=average, ideal=ideal)
    whole = how.collections(collections, qrels) if collections else None
    result = whole if collections else how.runs(qrels, runs or [], topics)
    problems.stop_if_any()
    if result:
        _print(result, per_topic, output, average)


def _refuse_idle(problems: Problems, wanted: list[str], collections: str, **given: str) -> None:
    """Note the options that would change nothing."""
    from ndcgstudy.measures import MEASURES, nDCG

    if given["average"] == "micro" and not collections:
        problems.messages.append("--average micro needs --collections: one collection has one mean")
    if given["topics"] and collections:
        problems.messages.append("--topics does not go with --collections")
    parts = [Problems().attempt(MEASURES.parse, text) for text in wanted]
    if given["ideal"] != "cut" and all(parts) and not any(isinstance(p, nDCG) for p in parts):
        problems.messages.append(f"--ideal {given['ideal']} concerns nDCG alone; no measure is one")


def _convention(
    problems: Problems, named: str, context: typer.Context, policy: "Policy | None"
) -> "Convention | None":
    """Read a convention; policies that the call names take the place of its own."""
    from ndcgstudy.conventions import parse
    from ndcgstudy.conventions.convention import POLICIES

    convention = problems.attempt(parse, named)
    if convention is None or policy is None:
        return None
    sources = {name: context.get_parameter_source(name) for name in POLICIES}
    given = [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]
    return convention.but(**{name: getattr(policy, name) for name in given})


def _print(result: "Evaluation", per_topic: bool, output: str, average: str) -> None:
    """Write the scores on stdout, and what deserves a word on stderr."""
    for note in result.notes:
        say(note)
    if output in ("csv", "json"):
        say(f"convention: {result.convention}")
        emit(as_data(list(_records(result, per_topic, average)), output), nl=False)
        return
    header, rows = _layout(result, per_topic, average)
    emit(as_table(header, rows, output, result.convention), nl=False)


def _means(scores: "Scores", average: str) -> dict[tuple[str, str], Any]:
    """Return the means of all systems, by (collection, topic) label."""
    from ndcgstudy.collections import average as mean
    from ndcgstudy.collections import dataset_means

    means = {(name, "all"): values for name, values in dataset_means(scores).items()}
    return means | {("all", "all"): mean(scores, average)}


def _lines(scores: "Scores", per_topic: bool, average: str) -> Iterator[tuple[str, str, Any]]:
    """Yield (collection, topic, values of the systems)."""
    if per_topic:
        groups = scores.datasets or [""] * len(scores.topics)
        for j, (group, topic) in enumerate(zip(groups, scores.topics, strict=True)):
            yield group, topic, scores.values[:, j]
    for (group, topic), values in _means(scores, average).items():
        yield group, topic, values


def _records(result: "Evaluation", per_topic: bool, average: str) -> Iterator[dict[str, Any]]:
    """Yield tidy records: run, measure, [collection,] topic, value."""
    for measure, scores in result.scores.items():
        for group, topic, values in _lines(scores, per_topic, average):
            where = {"collection": group} if scores.datasets else {}
            for run, value in zip(scores.systems, values.tolist(), strict=True):
                yield {"run": run, "measure": measure, **where, "topic": topic, "value": value}


def _layout(
    result: "Evaluation", per_topic: bool, average: str
) -> tuple[list[str], list[list[Any]]]:
    """Put the measures side by side, one line a run (and topic)."""
    table: dict[tuple[str, ...], list[Any]] = {}
    scores = next(iter(result.scores.values()))
    for record in _records(result, per_topic, average):
        where = (record["run"], record.get("collection", ""), record["topic"])
        table.setdefault(where, []).append(record["value"])
    shown = [True, bool(scores.datasets), per_topic]
    names = [n for n, s in zip(["run", "collection", "topic"], shown, strict=True) if s]
    order = sorted(table, key=lambda where: scores.systems.index(where[0]))
    rows = [
        [*(w for w, s in zip(where, shown, strict=True) if s), *table[where]] for where in order
    ]
    return [*names, *result.scores], rows
