"""What `ndcgstudy reproduce` does with its plans: run, check, or foretell."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ndcgstudy.cli import telling
from ndcgstudy.cli.app import fail
from ndcgstudy.cli.planning import Plan, Request
from ndcgstudy.cli.progress import meter
from ndcgstudy.lock import HeldError, held
from ndcgstudy.provenance import commit
from ndcgstudy.read_results import read
from ndcgstudy.reproduction import Computing, Outcome, StudyError, analyse, redecide, reproduce
from ndcgstudy.runner import CellError, ClusterError, LostError, cluster, pool
from ndcgstudy.store import Store, StoreError, clear, path_of
from ndcgstudy.words import many

STOPPED = (
    "stopped; finished cells and the results of finished studies are kept; "
    "the same command goes on from there"
)
AGAIN = "they got no new results; the same command computes only the cells that are missing"


@dataclass(frozen=True)
class How:
    """How to compute: where, whether stored cells count, and what to do when one fails."""

    request: Request
    fresh: bool = False
    fail_fast: bool = False
    quiet: bool = False
    against: Path | None = None


def run(plans: Sequence[Plan], how: How) -> None:
    """Run study after study; a failure keeps the results of the others and all finished cells."""
    out = how.request.out
    outcomes, failed = [], []
    with _told(), held(out), _computing(plans, how, how.request.cache) as each:
        stand = commit(_folder(plans), ignore=out)
        for plan, computing in each:
            facts = {"options": {"discount": list(plan.discounts)}, **stand}
            try:
                outcomes.append(reproduce(plan.job, computing, out=out, facts=facts))
            except (CellError, StudyError) as error:
                failed += _noted(error, how)
    telling.report(outcomes)
    telling.tally(outcomes)
    same = how.against is None or _agree(plans, outcomes, how.against)
    _end(failed, plans, outcomes)
    if not same:
        fail(f"results differ from those in {how.against}", code=1)


def _agree(plans: Sequence[Plan], outcomes: Sequence[Outcome], against: Path) -> bool:
    """Compare new results with those in a folder; print what differs and how many studies agree."""
    found, missing = [], []
    for plan in plans:
        outcome = next((o for o in outcomes if o.study.name == plan.job.study.name), None)
        if outcome is None:
            continue
        try:
            before, now = read(against / outcome.study.name), read(outcome.folder)
        except (OSError, ValueError) as error:
            missing.append(f"{outcome.study.name}: not compared: {error}")
            continue
        found.append(telling.compared(replace(plan, before=before), now.tables, outcome.verdicts))
    return telling.agreement(found, missing, against)


def redecided(plans: Sequence[Plan], how: How) -> None:
    """Decide and draw anew from the tables of earlier results; compute no cell."""
    out = how.request.out
    outcomes: list[Outcome] = []
    failed: list[str] = []
    with _told(), held(out):
        stand = commit(_folder(plans), ignore=out)
        for plan in plans:
            if plan.before is None:
                raise ValueError("a plan without results has nothing to be decided from")
            try:
                outcomes.append(redecide(plan.job.study, plan.before, out=out, stand=stand))
            except (ValueError, StudyError) as error:
                failed += str(error).splitlines()
    telling.report(outcomes)
    _end(failed, plans, outcomes)


def check(plans: Sequence[Plan], how: How) -> None:
    """Compute all cells anew, compare with earlier results, and tell what differs.

    Cells of a check have stores of their own, so that a check that was stopped goes on; they are
    deleted with its end.
    """
    compared, failed = [], []
    cache = how.request.cache / "check"
    with _told(), _computing(plans, how, cache) as each:
        for plan, computing in each:
            try:
                compared.append(telling.compared(plan, *analyse(plan.job, computing)))
            except (CellError, StudyError) as error:
                failed += _noted(error, how)
    clear(cache, [study for study, *_ in compared])
    same = telling.differences(compared)
    if failed:
        fail(*failed, code=1)
    if not same:
        fail("results differ from those in " + str(how.request.out), code=1)


def foretell(plans: Sequence[Plan], how: How) -> None:
    """Tell the cells of each study, how many are stored, and how long the others may take."""
    with _told(), ExitStack() as stack:
        lines = []
        for plan in plans:
            path = path_of(how.request.cache, plan.job.study.name)
            store = stack.enter_context(closing(Store(path if path.exists() else None)))
            lines.append((plan, store, _missing(plan, store, how)))
        telling.foretold(lines, how.request.workers)


def _end(failed: Sequence[str], plans: Sequence[Plan], outcomes: Sequence[Outcome]) -> None:
    """End with code 1, the failures and how many studies they leave without new results."""
    if failed:
        without = len(plans) - len(outcomes)
        fail(
            *failed, f"{without} of {many(len(plans), 'study', 'studies')} failed; {AGAIN}", code=1
        )


def _noted(error: CellError | StudyError, how: How) -> list[str]:
    """Return the lines of a failure, or stop at it."""
    if how.fail_fast:
        raise error
    return str(error).splitlines()


def _missing(plan: Plan, store: Store, how: How) -> Sequence[int]:
    return range(len(plan.job.cells)) if how.fresh else plan.job.missing(store)


@contextmanager
def _computing(
    plans: Sequence[Plan], how: How, cache: Path
) -> Iterator[Iterator[tuple[Plan, Computing]]]:
    """Open stores, an executor and a meter; yield each plan with how to compute it."""
    with ExitStack() as stack:
        stores = [
            stack.enter_context(closing(Store(path_of(cache, plan.job.study.name))))
            for plan in plans
        ]
        missing = [_missing(plan, store, how) for plan, store in zip(plans, stores, strict=True)]
        executor = stack.enter_context(_hands(how.request))
        shown = stack.enter_context(meter(sum(map(len, missing)), quiet=how.quiet))

        def each() -> Iterator[tuple[Plan, Computing]]:
            for plan, store, left in zip(plans, stores, missing, strict=True):
                shown.begin(plan.job.study.name, len(plan.job.cells) - len(left))
                yield (
                    plan,
                    Computing(executor, store, left, how.fail_fast, shown.step, how.request.limit),
                )

        yield each()


def _hands(request: Request) -> AbstractContextManager[Executor]:
    return cluster(request.cluster) if request.cluster else pool(request.workers)


@contextmanager
def _told() -> Iterator[None]:
    """End the command in one line a problem where the block cannot go on."""
    try:
        yield
    except ClusterError as error:
        fail(str(error))
    except (CellError, StudyError) as error:
        fail(
            *str(error).splitlines(),
            "stopped at the first failure; finished cells are kept",
            code=1,
        )
    except (StoreError, HeldError, LostError) as error:
        fail(str(error), code=1)
    except OSError as error:
        fail(f"{error.filename or 'results'}: {error.strerror or error}", code=1)
    except KeyboardInterrupt:
        fail(STOPPED, code=130)


def _folder(plans: Sequence[Plan]) -> Path:
    """Return the folder that the studies' files are in."""
    files = [plan.job.study.file for plan in plans if plan.job.study.file]
    return files[0].parent if files else Path()
