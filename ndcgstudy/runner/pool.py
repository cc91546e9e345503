"""Local processes that are replaced when one dies and that end with the run."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from ndcgstudy.checks import number

T = TypeVar("T")

_WORKERS = {"PYTHONSAFEPATH": "1"} | dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)
"""What a worker process starts with: nothing is imported from the working directory, and linear
algebra has one thread."""


class Processes(Executor):
    """A process pool that starts anew where a worker died.

    What was handed in before is lost and raises `BrokenExecutor`; what is handed in later runs.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        # Spawned, not forked: a fork would copy the threads of a progress bar in any state.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Hand in a call, to new processes where the old ones are gone."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self.kill()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes after their calls."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def kill(self) -> None:
        """End the processes now, whatever they are at (Python 3.14 has `kill_workers` for it).

        No call is cancelled before: the pool of Python 3.11 stumbles over a cancelled call when a
        process dies.
        """
        for process in list((self._pool._processes or {}).values()):
            process.kill()
        self._pool.shutdown()
        self._pool = self._start()


def staffed(executor: Executor) -> bool:
    """Whether an executor has workers; one that cannot say so has."""
    look = getattr(executor, "staffed", None)
    return look is None or bool(look())


def _begin() -> None:
    """Leave Ctrl-C to the process that holds the pool, and end when it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)


@contextmanager
def pool(workers: int) -> Iterator[Processes]:
    """Open a pool of local processes, each with one thread for linear algebra.

    One worker is a process too: what a cell adds up with several threads could differ in its last
    bits from what it adds up with one. An error in the block ends the processes at once.

    Raises
    ------
    ValueError
        If `workers` is not a whole number from 1.
    """
    number("workers", workers, at_least=1, whole=True)
    with _environment(_WORKERS):
        executor = Processes(workers)
        try:
            yield executor
        except BaseException:
            executor.kill()
            raise
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
