"""`ndcgstudy reproduce`: run studies and write their results."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import Problems, app, fail

if TYPE_CHECKING:
    from ndcgstudy.reproduction import Outcome
    from ndcgstudy.study import Parameters, Study


@app.command("reproduce")
def reproduce(
    studies: Annotated[
        list[str] | None,
        typer.Argument(help="names of studies; all by default", show_default=False),
    ] = None,
    *,
    scale: Annotated[str, typer.Option(help="quick or full")] = "quick",
    workers: Annotated[str, typer.Option(help="processes; all cores by default")] = "",
    seed: Annotated[str, typer.Option(help="root of all random streams, from 0")] = "0",
    out: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    experiments: Annotated[Path, typer.Option(help="folder of the studies")] = Path("experiments"),
    discount: Annotated[
        list[str] | None,
        typer.Option(help="one more discount, as power(beta=0.7) or path/file.py:name; repeatable"),
    ] = None,
) -> None:
    """Run studies, decide their claims, and write tables and figures."""
    problems = Problems()
    request = _request(problems, workers, seed, out)
    chosen = _chosen(problems, experiments, studies or [])
    plan = _plan(problems, chosen, scale, tuple(discount or ()))
    problems.stop_if_any()
    outcomes = _run(plan, request, {"scale": scale, "options": {"discount": discount or []}})
    _report(outcomes)


@dataclass(frozen=True)
class _Request:
    workers: int
    seed: int
    out: Path


def _request(problems: Problems, workers: str, seed: str, out: Path) -> _Request:
    """Read the numbers of the call, and look whether results can go where they should."""
    from ndcgstudy.runner import cores

    if out.exists() and not out.is_dir():
        problems.messages.append(f"{out}: not a folder")
    count = problems.attempt(_whole, "workers", workers or str(cores()), 1)
    return _Request(count or 1, problems.attempt(_whole, "seed", seed, 0) or 0, out)


def _whole(name: str, text: str, at_least: int) -> int:
    from ndcgstudy.registry import number

    value: Any = int(text) if text.strip().lstrip("+-").isdecimal() else text
    number(name, value, at_least=at_least, whole=True)
    return int(value)


def _chosen(problems: Problems, folder: Path, names: list[str]) -> "list[Study]":
    """Load the named studies, or all, in the order of their names."""
    from ndcgstudy.registry import nearest
    from ndcgstudy.study import find_studies, load_study

    found = problems.attempt(find_studies, folder) or {}
    if found:
        unknown = [name for name in dict.fromkeys(names) if name not in found]
        problems.messages += [
            f"unknown study {name!r}{nearest(name, [*found])}" for name in unknown
        ]
    wanted = [path for name, path in found.items() if name in names or not names]
    loaded = [problems.attempt(load_study, path) for path in wanted]
    return [study for study in loaded if study]


def _plan(
    problems: Problems, studies: "list[Study]", scale: str, discounts: tuple[str, ...]
) -> "list[tuple[Study, list[Parameters]]]":
    """Lay out the cells of all studies."""
    from ndcgstudy.discounts import DISCOUNTS
    from ndcgstudy.registry import nearest
    from ndcgstudy.study import SCALES

    if scale not in SCALES:
        problems.messages.append(f"unknown scale {scale!r}{nearest(scale, [*SCALES])}")
    for text in discounts:
        problems.attempt(DISCOUNTS.parse, text)
    if discounts and studies and not any("discount" in study.options for study in studies):
        names = ", ".join(study.name for study in studies)
        problems.messages.append(f"--discount is of no use to the chosen studies: {names}")
    if problems.messages:
        return []
    laid = [(study, problems.attempt(study.cells, scale, discount=discounts)) for study in studies]
    return [(study, cells) for study, cells in laid if cells is not None]


def _run(
    plan: "list[tuple[Study, list[Parameters]]]", request: _Request, facts: dict[str, Any]
) -> "list[Outcome]":
    """Run study after study on one pool; a failure keeps the results of those before it."""
    from ndcgstudy.cli.progress import meter
    from ndcgstudy.provenance import commit
    from ndcgstudy.reproduction import reproduce as reproduce_study
    from ndcgstudy.runner import CellError, pool

    facts = facts | commit(_folder(plan), ignore=request.out)
    outcomes = []
    try:
        with pool(request.workers) as executor, meter(sum(len(c) for _, c in plan)) as shown:
            for study, cells in plan:
                shown.begin(study.name)
                outcomes.append(
                    reproduce_study(
                        study,
                        cells,
                        seed=request.seed,
                        executor=executor,
                        out=request.out,
                        facts=facts,
                        progress=shown.step,
                    )
                )
    except CellError as error:
        fail(str(error), code=1)
    except OSError as error:
        fail(f"{error.filename or request.out}: {error.strerror or error}", code=1)
    except KeyboardInterrupt:
        fail("stopped; the results of finished studies are kept", code=130)
    return outcomes


def _folder(plan: "list[tuple[Study, list[Parameters]]]") -> Path:
    """Return the folder that the studies' files are in."""
    files = [study.file for study, _ in plan if study.file]
    return files[0].parent if files else Path()


def _report(outcomes: "list[Outcome]") -> None:
    """Print the claims with their verdicts, and where the results are."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    wide = None if sys.stdout.isatty() else 120
    console = Console(width=wide, markup=False, highlight=False, emoji=False)
    table = Table("id", "claim", "verdict", "measured", box=box.SIMPLE_HEAD)
    for outcome in outcomes:
        for claim, verdict in zip(outcome.study.claims, outcome.verdicts, strict=True):
            table.add_row(claim.id, claim.text, verdict.ruling.value, verdict.measured)
    if table.row_count:
        console.print(table)
    for outcome in outcomes:
        typer.echo(f"{outcome.study.name}: {outcome.folder}")
        for path in outcome.figures:
            typer.echo(f"  {path}")
