"""The cells of a study, computed where they are not stored, and their rows in the grid's order."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

from ndcgstudy.fingerprint import cell_key, fingerprint, outside
from ndcgstudy.runner.flight import completed
from ndcgstudy.store import Store
from ndcgstudy.study import Parameters, Row, Study

_SHOWN = 20


class CellError(RuntimeError):
    """Cells failed: a line each, with the study, the cell's parameters and the error's last line."""


@dataclass(frozen=True)
class Job:
    """The cells of a study with all that their rows depend on."""

    study: Study
    cells: Sequence[Parameters]
    seed: int
    scale: str

    @cached_property
    def codes(self) -> list[str]:
        """The fingerprint of each cell."""
        parts = [outside(cell) for cell in self.cells]
        found = {part: fingerprint(self.study, part).hash for part in set(parts)}
        return [found[part] for part in parts]

    @cached_property
    def keys(self) -> list[str]:
        """The key of each cell in a store."""
        return [
            cell_key(self.study, cell, seed=self.seed, scale=self.scale, code=code)
            for cell, code in zip(self.cells, self.codes, strict=True)
        ]

    def missing(self, store: Store) -> list[int]:
        """Return the places of the cells that are not stored."""
        stored = store.keys()
        return [place for place, key in enumerate(self.keys) if key not in stored]


def run(
    study: Study,
    cells: Sequence[Parameters],
    *,
    seed: int,
    executor: Executor,
    fail_fast: bool = False,
    progress: Callable[[], object] = lambda: None,
) -> list[Row]:
    """Compute cells and return their rows in the order of `cells`.

    Parameters
    ----------
    seed
        The root seed, an integer at or above 0.
    executor
        Any `concurrent.futures.Executor`; `pool` makes one of local processes.
    fail_fast
        Whether the first cell that fails stops the others.
    progress
        Called once a finished cell.

    Raises
    ------
    CellError
        If a cell fails, after the others.

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
    keys = list(map(str, range(len(cells))))
    with closing(Store()) as store:
        call = _Call(study, cells, seed, keys, store, fail_fast, progress)
        call.compute(range(len(cells)), executor)
        return call.rows()


def run_job(
    job: Job,
    places: Sequence[int],
    store: Store,
    *,
    executor: Executor,
    fail_fast: bool = False,
    progress: Callable[[], object] = lambda: None,
    limit: float | None = None,
) -> list[Row]:
    """Compute the cells at some places of a job into a store, and return the rows of all cells.

    Raises
    ------
    CellError
        If a cell fails; the others are stored.
    StoreError
        If the store cannot be read or written.
    """
    call = _Call(
        job.study,
        job.cells,
        job.seed,
        job.keys,
        store,
        fail_fast,
        progress,
        tuple(job.codes),
        limit,
    )
    call.compute(places, executor)
    return call.rows()


@dataclass(frozen=True)
class _Call:
    study: Study
    cells: Sequence[Parameters]
    seed: int
    keys: Sequence[str]
    store: Store
    fail_fast: bool
    progress: Callable[[], object]
    codes: Sequence[str] = ()
    limit: float | None = None

    def compute(self, places: Sequence[int], executor: Executor) -> None:
        """Compute cells, store each as it ends, and raise at the end where some failed."""
        failed: dict[int, str] = {}
        cells = [self.cells[place] for place in places]
        codes = [self.codes[place] for place in places] if self.codes else ()
        ending = completed(
            self.study, cells, seed=self.seed, executor=executor, codes=codes, limit=self.limit
        )
        with closing(ending):
            for ended in ending:
                place = places[ended.place]
                if ended.error:
                    failed[place] = ended.error
                else:
                    self.store.put(self.keys[place], ended.rows, seconds=ended.seconds)
                self.progress()
                if failed and self.fail_fast:
                    break
        if failed:
            raise CellError(self._told(failed))

    def rows(self) -> list[Row]:
        return [row for rows in self.store.rows(self.keys) for row in rows]

    def _told(self, failed: dict[int, str]) -> str:
        lines = [
            f"study {self.study.name}, cell {_shown(self.cells[place])}: {failed[place]}"
            for place in sorted(failed)[:_SHOWN]
        ]
        more = len(failed) - len(lines)
        return "\n".join([*lines, *([f"and {more} more cells failed"] if more else [])])


def _shown(cell: Parameters) -> str:
    return ", ".join(f"{name}={value}" for name, value in cell.items())
