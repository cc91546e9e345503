"""`ndcgstudy report`: one page of all results."""

from pathlib import Path
from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app, say
from ndcgstudy.cli.claims import ExperimentsOption, ResultsOption, read_entries
from ndcgstudy.words import many


@app.command("report")
def report(
    *,
    results: ResultsOption = None,
    experiments: ExperimentsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="file to write; report.html in the results' folder by default"),
    ] = None,
) -> None:
    """Write one HTML page of all results, the ledger first, and the ledger as claims.csv."""
    from ndcgstudy import places
    from ndcgstudy.claims import write_ledger
    from ndcgstudy.disk import put_whole
    from ndcgstudy.report import gather, page

    results, experiments = results or places.results(), experiments or places.experiments()
    problems = Problems()
    path = out or results / "report.html"
    if path.is_dir():
        problems.messages.append(f"--out {path}: is a folder; name a file")
    entries = problems.attempt(read_entries, results, experiments) or []
    problems.stop_if_any()  # `gather` reads the same files, and would say the same again
    studies = problems.attempt(gather, results, experiments) or []
    problems.stop_if_any()
    for study in studies:
        for note in study.notes:
            say(f"{study.name}: {note}")
    html = problems.attempt(page, entries, studies, folder=results, at=path.parent) or b""
    problems.stop_if_any()
    problems.attempt(write_ledger, results, entries)
    problems.attempt(put_whole, path, html)
    problems.stop_if_any()
    typer.echo(f"open {path} ({many(len(studies), 'study', 'studies')}, {len(html) / 1e6:.1f} MB)")
