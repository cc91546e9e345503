"""Cells on an executor: the same rows whatever the executor, its workers and their order."""

import multiprocessing
import os
import queue
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice

import numpy as np

from ndcgstudy.registry import number, plain
from ndcgstudy.seeding import rng_for
from ndcgstudy.study import Parameters, Row, Scalar, Study

IN_FLIGHT = 1000
"""How many cells are handed to the executor at once: enough for hundreds of workers."""

_ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)


class CellError(RuntimeError):
    """A cell failed: names the study, the parameters of the cell and the last line of the error."""


def run(
    study: Study,
    cells: Sequence[Parameters],
    *,
    seed: int,
    executor: Executor,
    progress: Callable[[], object] = lambda: None,
) -> list[Row]:
    """Compute cells and return their rows in the order of `cells`.

    Parameters
    ----------
    seed
        The root seed, an integer at or above 0.
    executor
        Any `concurrent.futures.Executor`; `pool` makes one of local processes.
    progress
        Called once a finished cell.

    Raises
    ------
    CellError
        If a cell fails; cells that have not begun are cancelled.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> def cell(parameters, rng):
    ...     return [{"n": parameters["n"], "twice": 2 * parameters["n"]}]
    >>> study = Study("?", lambda scale: [{"n": 1}, {"n": 2}], cell, lambda rows: {})
    >>> with ThreadPoolExecutor() as threads:
    ...     run(study, study.cells("quick"), seed=0, executor=threads)
    [{'n': 1, 'twice': 2}, {'n': 2, 'twice': 4}]
    """
    found: dict[int, list[Row]] = {}
    for position, rows in completed(study, cells, seed=seed, executor=executor):
        found[position] = rows
        progress()
    return [row for position in range(len(cells)) for row in found[position]]


def completed(
    study: Study, cells: Sequence[Parameters], *, seed: int, executor: Executor
) -> Iterator[tuple[int, list[Row]]]:
    """Yield each cell's place in `cells` and its rows as soon as it ends."""
    waiting = iter(enumerate(cells))
    running: dict[Future[list[Row]], int] = {}
    ended: queue.SimpleQueue[Future[list[Row]]] = queue.SimpleQueue()
    try:
        while True:
            for position, cell in islice(waiting, IN_FLIGHT - len(running)):
                future = executor.submit(run_cell, study, seed, cell)
                running[future] = position
                future.add_done_callback(ended.put)
            if not running:
                return
            future = ended.get()
            position = running.pop(future)
            yield position, _result(study, cells[position], future)
    finally:
        for future in running:
            future.cancel()


def run_cell(study: Study, seed: int, parameters: Parameters) -> list[Row]:
    """Compute one cell on its own random stream, wherever this process is."""
    rng = stream(study, seed, parameters)
    return [_checked(study, row) for row in study.cell(parameters, rng)]


def stream(study: Study, seed: int, parameters: Parameters) -> np.random.Generator:
    """Return the random stream of a cell: keyed by seed, study and the study's stream labels."""
    return rng_for(seed, study.name, *(parameters[label] for label in study.stream))


def _checked(study: Study, row: Row) -> Row:
    """Turn numpy scalars into plain ones, and refuse what is none."""
    row = {name: plain(value) for name, value in row.items()}
    for name, value in row.items():
        if not isinstance(value, Scalar):
            raise ValueError(
                f"study {study.name}: `{name}` of a row must be a scalar, got {value!r}"
            )
    return row


def _result(study: Study, cell: Parameters, future: Future[list[Row]]) -> list[Row]:
    try:
        return future.result()
    except Exception as error:
        last = (str(error).strip().splitlines() or [""])[-1]
        shown = ", ".join(f"{name}={value}" for name, value in cell.items())
        why = f"{type(error).__name__}: {last}"
        raise CellError(f"study {study.name}, cell {shown}: {why}") from error


@contextmanager
def pool(workers: int) -> Iterator[Executor]:
    """Open a pool of local processes, each with one thread for linear algebra.

    One worker is a process too: what a cell adds up with several threads could differ in its last
    bits from what it adds up with one. Processes are spawned, not forked, for a fork would copy
    the threads of a progress bar in whatever state they are.

    Raises
    ------
    ValueError
        If `workers` is not a whole number from 1.
    """
    number("workers", workers, at_least=1, whole=True)
    executor = ProcessPoolExecutor(
        workers,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,  # Ctrl-C is for the process that holds the pool
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    with _environment(_ONE_THREAD):
        try:
            yield executor
        finally:
            executor.shutdown(cancel_futures=True)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Set environment variables, which processes started meanwhile inherit, and put them back."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
