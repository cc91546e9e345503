"""Cells under way on an executor, those of a worker that died among them."""

import queue
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass

from ndcgstudy.runner.cells import Answer, answer, told
from ndcgstudy.runner.pool import Processes, staffed
from ndcgstudy.study import Parameters, Row, Study

IN_FLIGHT = 1000
"""How many cells are handed to the executor at once: enough for hundreds of workers."""

DEATHS = 3
"""How many workers a cell may take with it before it counts as failed."""


LOOK, LOOKS = 2.0, 3
"""Seconds between looks for workers, and how many in a row must find none: a nanny restarts hers."""


class LostError(RuntimeError):
    """The executor gave up cells that nobody cancelled: it is gone."""


@dataclass(frozen=True)
class Ended:
    """A cell that ended: its place in the sequence, its rows and seconds, or why it has none."""

    place: int
    rows: list[Row]
    seconds: float
    error: str = ""


def completed(
    study: Study,
    cells: Sequence[Parameters],
    *,
    seed: int,
    executor: Executor,
    codes: Sequence[str] = (),
    limit: float | None = None,
) -> Generator[Ended, None, None]:
    """Yield each cell as soon as it ends, failed or not.

    Where a worker dies and the executor with it, the cells that it may have died of are tried again
    one by one, the others as before; a cell that ends three workers has failed.

    Parameters
    ----------
    codes
        The fingerprint of each cell, which workers compare with their own.
    limit
        The seconds that a cell may take.

    Raises
    ------
    LostError
        If the executor goes away, or loses all its workers.
    """
    flight = _Flight(study, cells, seed, executor, codes, limit)
    try:
        while flight.fill():
            yield from flight.land()
    finally:
        flight.cancel()


class _Flight:
    """The cells that wait, those that run, and those that may have ended a worker."""

    def __init__(
        self,
        study: Study,
        cells: Sequence[Parameters],
        seed: int,
        executor: Executor,
        codes: Sequence[str],
        limit: float | None,
    ) -> None:
        self.study, self.cells, self.seed = study, cells, seed
        self.executor, self.codes, self.limit = executor, codes, limit
        self.waiting = deque(range(len(cells)))
        self.running: dict[Future[Answer], int] = {}
        self.deaths: dict[int, int] = {}
        self.breaks = 0  # since a cell ended
        self.ended: queue.SimpleQueue[Future[Answer]] = queue.SimpleQueue()

    def fill(self) -> bool:
        """Hand in cells while there is room; tell whether any is under way."""
        room = 1 if self.deaths else IN_FLIGHT
        while self.waiting and len(self.running) < room:
            self._submit(self.waiting.popleft())
        return bool(self.running)

    def _submit(self, place: int) -> None:
        code = self.codes[place] if self.codes else ""
        cell = self.cells[place]
        try:
            future = self.executor.submit(answer, self.study, self.seed, cell, code, self.limit)
        except RuntimeError as error:  # it is shut down or broken
            raise LostError(f"no more cells can be handed in: {error}") from error
        self.running[future] = place
        future.add_done_callback(self.ended.put)

    def land(self) -> Iterator[Ended]:
        """Wait for the next cell that ends."""
        future = self._next()
        if future not in self.running:  # it was lost with its worker and is dealt with
            return
        try:
            found = future.result()
        except BrokenExecutor as error:
            yield from self._lost(error)
            return
        except CancelledError:
            text = "the scheduler is gone; finished cells are kept; the same command goes on"
            raise LostError(text) from None
        except Exception as error:  # noqa: BLE001 - an executor may fail in its own way
            if self._again(future):
                return
            found = Answer([], 0.0, told(error))
        place = self.running.pop(future)
        self.deaths.pop(place, None)
        self.breaks = 0
        yield Ended(place, found.rows, found.seconds, found.error)

    def _next(self) -> Future[Answer]:
        """Wait for a future, and look now and then whether there are workers at all."""
        without = 0
        while True:
            with suppress(queue.Empty):
                return self.ended.get(timeout=LOOK)
            without = 0 if staffed(self.executor) else without + 1
            if without == LOOKS:
                text = "all workers are gone; finished cells are kept; start workers and run again"
                raise LostError(text)

    def _again(self, future: Future[Answer]) -> bool:
        """Try a cell once more and alone: dask blames all that was on a worker when it died."""
        place = self.running[future]
        if place in self.deaths:
            return False
        del self.running[future]
        self.deaths[place] = 1
        self.waiting.appendleft(place)
        return True

    def _lost(self, error: BrokenExecutor) -> Iterator[Ended]:
        """Take back the cells of a broken executor, suspects first; they ran as the oldest ones."""
        if not isinstance(self.executor, Processes):
            raise error
        self.breaks += 1
        if self.breaks > DEATHS * self.executor.workers:
            raise LostError("worker after worker ends and no cell gets done") from error
        wait(self.running)
        lost = [place for future, place in self.running.items() if _is_lost(future)]
        for future in [future for future in self.running if _is_lost(future)]:
            del self.running[future]
        for place in lost[: self.executor.workers]:
            self.deaths[place] = self.deaths.get(place, 0) + 1
        dead = [place for place in lost if self.deaths.get(place, 0) >= DEATHS]
        for place in dead:
            del self.deaths[place]
            yield Ended(place, [], 0.0, f"it ended the process that computed it {DEATHS} times")
        self.waiting.extendleft(reversed([place for place in lost if place not in dead]))

    def cancel(self) -> None:
        """Give up what is under way."""
        if self.running and isinstance(self.executor, Processes):
            self.executor.kill()
        for future in self.running:
            future.cancel()


def _is_lost(future: Future[Answer]) -> bool:
    return isinstance(future.exception(), BrokenExecutor)
