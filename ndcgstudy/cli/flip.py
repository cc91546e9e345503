"""`ndcgstudy flip`: how many unjudged documents it takes to turn the order of two runs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, emit, say
from ndcgstudy.cli.holes import (
    DepthOption,
    Files,
    GradeOption,
    OrderOption,
    SumOption,
    below,
    measure_at,
    whole,
)
from ndcgstudy.cli.options import DuplicatesOption, FormatOption, GradesOption
from ndcgstudy.cli.reading import say_readings
from ndcgstudy.cli.tables import as_data, as_table, check_format

if TYPE_CHECKING:
    from ndcgstudy.holes import Flip, Share, Tops

DOCUMENTS = ("topic", "doc", "grade", "rank_a", "rank_b")


@app.command("flip")
def flip_command(
    qrels: Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: TREC or BEIR form")],
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="A TREC run")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="Another")],
    k: DepthOption = "",
    measure: SumOption = "nDCG",
    max_grade: GradeOption = "",
    documents: Annotated[
        bool, typer.Option("--documents", help="Print the documents instead.")
    ] = False,
    draws: Annotated[str, typer.Option(help="how many assignments of grades to draw")] = "10000",
    seed: Annotated[str, typer.Option(help="root of the random stream, from 0")] = "0",
    output: FormatOption = "table",
    ties: OrderOption = "trec",
    duplicates: DuplicatesOption = "error",
    grades: GradesOption = "int",
) -> None:
    """Find the fewest unjudged documents whose judgments turn the order of two runs.

    The documents at stake are the unjudged ones in the top of either run. Also printed: the lowest
    and highest gap they allow, and the share of all their judgments that turn the order, every
    grade being as likely as any other, or as frequent as among the judged documents at the rank.
    """
    from ndcgstudy.holes import lay_out
    from ndcgstudy.policies import Policy

    problems = Problems()
    problems.attempt(check_format, output)
    part = problems.attempt(measure_at, measure, k)
    most = problems.attempt(whole, "max-grade", max_grade, 1) if max_grade else None
    from ndcgstudy.checks import MANY

    count = problems.attempt(whole, "draws", draws, 1, MANY)
    root = problems.attempt(whole, "seed", seed, 0)
    if documents and (draws, seed) != ("10000", "0"):
        problems.messages.append("--draws and --seed do not go with --documents: no share is drawn")
    files = Files(problems, duplicates, grades)
    judgments, runs = files.qrels(qrels), files.runs([run_a, run_b])
    policy = problems.attempt(Policy, ties)
    problems.stop_if_any()
    tops = problems.attempt(lay_out, judgments, runs, part, policy, max_grade=most)
    problems.stop_if_any()
    if tops and count:
        say_readings(measure)
        _print(tops, count, root or 0, documents, output)


def _print(tops: "Tops", draws: int, seed: int, documents: bool, output: str) -> None:
    """Write the record on stdout; the verdict and the documents below a table, else on stderr."""
    from ndcgstudy.holes import flip_budget

    for note in tops.evaluation.notes:
        say(note)
    found = flip_budget(tops, *tops.systems)
    lines = [f"verdict: {found}", *(f"judge {line}" for line in _told(found))]
    convention = tops.evaluation.convention
    if documents:
        listed = _documents(tops, found)
        lines, header, rows = lines[:1], list(DOCUMENTS), [list(row.values()) for row in listed]
    else:
        listed = [_record(tops, found, draws, seed)]
        header, rows = ["figure", "value"], [[n, v] for n, v in listed[0].items()]
    if output in ("csv", "json"):
        nothing = {"csv": f"{','.join(DOCUMENTS)}\n", "json": "[]\n"}[output]
        emit(as_data(listed, output) if listed else nothing, nl=False)
        for line in (f"convention: {convention}", *lines):
            say(line)
        return
    shown = [[float("nan") if value is None else value for value in row] for row in rows]
    emit(as_table(header, shown, output, convention), nl=False)
    emit(below(lines, output))


def _record(tops: "Tops", found: "Flip", draws: int, seed: int) -> dict[str, Any]:
    """Return what is known of the pair, A being the run named first."""
    from ndcgstudy.holes import gap_bounds

    means, bounds = tops.scores.mean(axis=1).tolist(), gap_bounds(tops)
    record: dict[str, Any] = {
        "run_a": tops.systems[0],
        "run_b": tops.systems[1],
        "k": tops.form.cutoff,
    }
    record |= {"score_a": means[0], "score_b": means[1]}
    record |= {name: float(getattr(bounds, b)[0, 1]) for name, b in _GAPS.items()}
    record |= {"stake": found.stake, "verdict": found.verdict, "fewest": found.fewest}
    for model in ("uniform", "rates"):
        share = _share(tops, model, draws, seed)
        record[f"share_{model}"] = share.value if share else None
        record[f"share_{model}_se"] = share.error if share else None
    return record


_GAPS = {"gap": "value", "low": "low", "high": "high"}


def _share(tops: "Tops", model: str, draws: int, seed: int) -> "Share | None":
    """Estimate a share; None where no judged document tells the rates."""
    from ndcgstudy.holes import flip_share
    from ndcgstudy.seeding import rng_for

    problems, rng = Problems(), rng_for(seed, "flip", model)
    share = problems.attempt(flip_share, tops, *tops.systems, model, draws=draws, rng=rng)
    for message in problems.messages:
        say(message)
    return share


def _documents(tops: "Tops", found: "Flip") -> list[dict[str, Any]]:
    """Return the documents to judge, with their ranks in A and B."""
    swap = found.leader != tops.systems[0]
    ranks = [(d.leader_rank, d.other_rank)[:: -1 if swap else 1] for d in found.documents]
    return [
        dict(zip(DOCUMENTS, (d.topic, d.doc, d.grade, a or None, b or None), strict=True))
        for d, (a, b) in zip(found.documents, ranks, strict=True)
    ]


def _told(found: "Flip") -> list[str]:
    """Say which documents to judge, and how."""
    names = found.leader, found.other
    lines = []
    for doc in found.documents:
        ranks = zip(names, (doc.leader_rank, doc.other_rank), strict=True)
        where = ", ".join(f"rank {rank} of {name}" for name, rank in ranks if rank)
        lines.append(f"{doc.doc} of topic {doc.topic}: grade {doc.grade:g}, {where}")
    return lines
