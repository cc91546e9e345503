"""`ndcgstudy reproduce`: run studies and write their results."""

from pathlib import Path
from typing import Annotated

import typer

from ndcgstudy.cli.app import Problems, app
from ndcgstudy.cli.cache import DEFAULT, Folder

Studies = Annotated[
    list[str] | None,
    typer.Argument(help="names of studies; all by default", show_default=False),
]
Scale = Annotated[str, typer.Option(help="quick or full; quick by default")]
Workers = Annotated[str, typer.Option(help="processes; all cores by default")]
Cluster = Annotated[
    str, typer.Option(help="dask scheduler to compute on instead, as tcp://host:8786")
]
Seed = Annotated[str, typer.Option(help="root of all random streams; 0 by default")]
Out = Annotated[
    Path | None,
    typer.Option(
        help="folder of the results; build/study by default, results with --check and --redecide"
    ),
]
Against = Annotated[
    Path | None,
    typer.Option(
        help="compare the new results with those in this folder, within their standard errors"
    ),
]
Experiments = Annotated[
    Path | None,
    typer.Option(help="folder of the studies; experiments, or the installed ones, by default"),
]
Discounts = Annotated[
    list[str] | None,
    typer.Option(help="one more discount, as power(beta=0.7) or path/file.py:name; repeatable"),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="compute stored cells too")]
FailFast = Annotated[bool, typer.Option("--fail-fast", help="stop at the first cell that fails")]
Limit = Annotated[
    float | None,
    typer.Option(help="seconds that one cell may take before it fails; none by default"),
]
Check = Annotated[
    bool,
    typer.Option(
        "--check",
        help="compare a rerun with the results, at their scale and seed by default; write none",
    ),
]
Redecide = Annotated[
    bool,
    typer.Option(
        "--redecide",
        help="decide claims and draw figures anew from the tables of the results; compute nothing",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="say what would be computed, and how long it takes")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="show no progress")]


@app.command("reproduce")
def reproduce(
    studies: Studies = None,
    *,
    scale: Scale = "",
    workers: Workers = "",
    cluster: Cluster = "",
    seed: Seed = "",
    out: Out = None,
    against: Against = None,
    experiments: Experiments = None,
    cache: Folder = DEFAULT,
    discount: Discounts = None,
    fresh: Fresh = False,
    fail_fast: FailFast = False,
    cell_limit: Limit = None,
    check: Check = False,
    redecide: Redecide = False,
    dry_run: DryRun = False,
    quiet: Quiet = False,
) -> None:
    """Run studies, decide their claims, and write tables and figures."""
    from ndcgstudy import places
    from ndcgstudy.cli import planning, running

    problems = Problems()
    out = out or (places.FULL if check or redecide else places.QUICK)
    experiments = experiments or places.experiments()
    request = planning.request(problems, workers, cluster, out, cache, cell_limit)
    asked = planning.asked(problems, scale, seed, discount)
    if redecide and (scale or seed or discount or fresh or check or dry_run):
        problems.messages.append("--redecide takes the tables as they are, and no option of a run")
    if against and (check or redecide or dry_run):
        problems.messages.append("--against compares a run, not --check, --redecide or --dry-run")
    chosen = planning.chosen(problems, experiments, studies or [])
    plans = planning.plans(problems, chosen, asked, out if check or redecide else None)
    if not (check or redecide or dry_run):
        planning.spare(problems, plans, out)
    problems.stop_if_any()
    how = running.How(request, fresh=fresh, fail_fast=fail_fast, quiet=quiet, against=against)
    does = (dry_run, running.foretell), (check, running.check), (redecide, running.redecided)
    next((do for wanted, do in does if wanted), running.run)(plans, how)
