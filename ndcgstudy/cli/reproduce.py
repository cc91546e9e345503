"""`ndcgstudy reproduce`: run studies and write their results."""

from pathlib import Path
from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app
from ndcgstudy.cli.cache import DEFAULT, Folder


@app.command("reproduce")
def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(help="names of studies; all by default", show_default=False),
    ] = None,
    *,
    scale: Annotated[str, typer.Option(help="quick or full; quick by default")] = "",
    workers: Annotated[str, typer.Option(help="processes; all cores by default")] = "",
    cluster: Annotated[
        str, typer.Option(help="dask scheduler to compute on instead, as tcp://host:8786")
    ] = "",
    seed: Annotated[str, typer.Option(help="root of all random streams; 0 by default")] = "",
    out: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    experiments: Annotated[Path, typer.Option(help="folder of the studies")] = Path("experiments"),
    cache: Folder = DEFAULT,
    discount: Annotated[
        list[str] | None,
        typer.Option(help="one more discount, as power(beta=0.7) or path/file.py:name; repeatable"),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="compute stored cells too")] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="stop at the first cell that fails")
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="compare a rerun with the results, at their scale and seed by default; write none",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="say what would be computed, and how long it takes")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="show no progress")] = False,
) -> None:
    """Run studies, decide their claims, and write tables and figures."""
    from ndcgstudy.cli import planning, running

    problems = Problems()
    request = planning.request(problems, workers, cluster, out, cache)
    asked = planning.asked(problems, scale, seed, discount)
    chosen = planning.chosen(problems, experiments, studies or [])
    plans = planning.plans(problems, chosen, asked, out if check else None)
    problems.stop_if_any()
    how = running.How(request, fresh=fresh, fail_fast=fail_fast, quiet=quiet)
    if dry_run:
        running.foretell(plans, how)
    elif check:
        running.check(plans, how)
    else:
        running.run(plans, how)
