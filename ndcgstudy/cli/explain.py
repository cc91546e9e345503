"""`ndcgstudy explain`: why two conventions give one run two scores."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.conventions import laid, records
from ndcgstudy.cli.options import DuplicatesOption, FormatOption, GradesOption, TopicsOption
from ndcgstudy.cli.reading import Reading, say_readings
from ndcgstudy.cli.tables import as_data, as_table, check_format, columns

if TYPE_CHECKING:
    import pandas as pd

    from ndcgstudy.conventions import Convention
    from ndcgstudy.conventions.explaining import Explanation

SHOWN = ("all", "settings", "topics", "documents", "ties")
TOPICS, DOCUMENTS = 5, 10
_AS = "two conventions: --as trec_eval-9 --as 'gdeval(missing=zero)'"


@app.command("explain")
def explain_command(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: TREC or BEIR form")],
    run: Annotated[str, typer.Argument(metavar="RUN", help="A TREC run")],
    named: Annotated[list[str] | None, typer.Option("--as", help=_AS)] = None,
    measure: Annotated[str, typer.Option("--measure", "-m", help="nDCG or DCG")] = "nDCG@10",
    show: Annotated[str, typer.Option(help=", ".join(SHOWN))] = "all",
    topics: TopicsOption = "",
    duplicates: DuplicatesOption = "error",
    grades: GradesOption = "int",
    output: FormatOption = "table",
) -> None:
    """Take the difference between two conventions apart: by setting, topic and document."""
    from ndcgstudy.conventions import parse
    from ndcgstudy.conventions.convention import plain
    from ndcgstudy.conventions.explaining import explain
    from ndcgstudy.formats.read import check_choice

    problems = Problems()
    part = problems.attempt(plain, measure)
    both = [problems.attempt(parse, text) for text in named or []]
    if len(both) != 2:
        problems.messages.append(f"give --as twice, the conventions to compare; got {len(both)}")
    problems.attempt(check_choice, "show", show, SHOWN)
    problems.attempt(check_format, output)
    how = Reading(problems, [part], None, duplicates, grades, "macro")
    how.check()
    files = how.read(qrels, [run], topics)
    problems.stop_if_any()
    pair = [convention for convention in both if convention]
    if files and part:
        found = problems.attempt(
            explain, files.judgments, files.runs[0], part, *pair, judged=files.judged
        )
        problems.stop_if_any()
        if found:
            say_readings(measure)
            ties = _ties(files.judgments, files.runs[0], part, pair[0])
            note = f"{part} of {files.runs[0].name}; A is {pair[0]}, B is {pair[1]}"
            _print(found, ties, note, show, output)


def _ties(judgments: Any, run: Any, measure: Any, convention: "Convention") -> "pd.DataFrame":
    import pandas as pd

    from ndcgstudy.conventions.ties import tie_intervals

    rows = tie_intervals(judgments, run, measure, convention)
    return pd.DataFrame([vars(row) for row in rows])


def _print(found: "Explanation", ties: "pd.DataFrame", note: str, show: str, output: str) -> None:
    """Write one table as asked, or the heads of all."""
    told = f"{note}; A {found.a:.6f}, B {found.b:.6f}, B - A {found.b - found.a:+.6f}"
    if show == "all" and output == "table":
        emit(_summary(found, ties, told), nl=False)
        return
    tables = {
        "topics": found.topics,
        "documents": found.documents,
        "ties": ties,
    }
    table = tables.get(show, found.settings)
    if output in ("csv", "json"):
        say(told)
        emit(as_data(records(table), output), nl=False)
        return
    emit(as_table(*laid(table), output, told), nl=False)


def _summary(found: "Explanation", ties: "pd.DataFrame", told: str) -> str:
    """Lay out the settings, the topics that matter most with their documents, and the ties."""
    lines = [told, ""]
    if not len(found.settings):
        lines += ["no setting differs: the two conventions are one", ""]
    else:
        lines += [*columns(*laid(found.settings)), ""]
        lines += ["part: the Shapley value, so that parts sum to B - A; alone: changed alone", ""]
    changed = found.topics[found.topics["part"] != 0]
    if len(changed):
        lines += _head(changed.head(TOPICS), len(changed), "topics")
    if len(found.documents):
        place = {topic: i for i, topic in enumerate(found.topics["topic"])}
        docs = found.documents.sort_values("topic", key=lambda t: t.map(place), kind="stable")
        lines += _head(docs.head(DOCUMENTS), len(docs), "documents")
    lines += ["ties, were A's documents of equal score put in any order:"]
    lines += columns(*laid(ties))
    return "\n".join([*lines, ""])


def _head(table: "pd.DataFrame", of: int, what: str) -> list[str]:
    lines = columns(*laid(table))
    if of > len(table):
        lines.append(f"{len(table)} of {of} {what}; all with --show {what}")
    return [*lines, ""]
