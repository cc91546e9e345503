"""What running cells costs: two workers against one, overhead and memory a cell, dask, bytes sent."""

import contextlib
import multiprocessing
import os
import pickle
import statistics
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Target, child, in_child

BLOCKS = int(os.environ.get("BENCH_BLOCKS", "40"))  # of the 500 of the full scale
CELLS = 100_000
ROUNDS = 3
LONG = 0.05  # seconds
SOURCE = """
import time
from ndcgstudy.study import Study

def cell(parameters, rng):
    time.sleep(parameters["seconds"])
    return [{"n": parameters["n"], "x": rng.random()}]

STUDY = Study("How long?", lambda scale: [], cell, lambda rows: {"table": rows}, stream=("n",))
"""


def study(folder: str, text: str = SOURCE) -> Any:
    from ndcgstudy.study import load_study

    path = Path(folder) / "sample.py"
    if not path.exists():
        path.write_text(text)
    return load_study(path)


def computed(
    study: Any,
    cells: list[dict[str, Any]],
    executor: Any,
    store: Path | None,
    progress: Callable[[], object] = lambda: None,
) -> float:
    """Return the seconds that a job takes from its keys to its rows."""
    from ndcgstudy.runner import Job, run_job
    from ndcgstudy.store import Store

    begun = time.perf_counter()
    job = Job(study, cells, 0, "full")
    with contextlib.closing(Store(store)) as kept:
        rows = run_job(job, job.missing(kept), kept, executor=executor, progress=progress)
    assert len(rows) >= len(cells)
    return time.perf_counter() - begun


def warm(study: Any, executor: Any, workers: int) -> None:
    """Let every worker start and load the study before the clock does."""
    from ndcgstudy.runner import run

    for future in [executor.submit(time.sleep, 0.5) for _ in range(workers)]:
        future.result()
    cells = [{"n": -k - 1, "seconds": 0.1} for k in range(2 * workers)]
    if study.name == "sample":
        run(study, cells, seed=0, executor=executor)


def separability(workers: str) -> dict[str, float]:
    from ndcgstudy.runner import pool
    from ndcgstudy.study import load_study

    study = load_study(Path("experiments", "separability.py"))
    cells = study.cells("full")[:BLOCKS]
    with pool(int(workers)) as executor:
        warm(study, executor, int(workers))
        return {"seconds": computed(study, cells, executor, None)}


class Sizes:
    """The memory of this process after each cell."""

    def __init__(self) -> None:
        self.seen = array("Q")

    def __call__(self) -> None:
        with open("/proc/self/statm") as file:
            self.seen.append(int(file.read().split()[1]))


def trivial(count: str) -> dict[str, float]:
    """Run cells that do nothing on one worker, with a store on disk."""
    from ndcgstudy.runner import pool

    cells = [{"n": n, "seconds": 0.0} for n in range(int(count))]
    with tempfile.TemporaryDirectory() as folder, pool(1) as executor:
        sample = study(folder)
        warm(sample, executor, 1)
        path, sizes = Path(folder) / "sample.sqlite", Sizes()
        seconds = computed(sample, cells, executor, path, sizes)
        return {"seconds": seconds, "growth": sizes.seen[-1] / sizes.seen[len(cells) // 10]}


def long_cells(kind: str) -> dict[str, float]:
    """Run cells of 50 ms on two processes, of the pool's or of dask's."""
    cells = [{"n": n, "seconds": LONG} for n in range(200)]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        sample = study(folder)
        executor = stack.enter_context(_two(kind))
        warm(sample, executor, 2)
        return {"seconds": computed(sample, cells, executor, None)}


def _two(kind: str) -> Any:
    from ndcgstudy.runner import cluster, pool

    if kind == "pool":
        return pool(2)

    @contextlib.contextmanager
    def local() -> Any:
        from distributed import LocalCluster

        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with LocalCluster(**options) as made, cluster(made.scheduler_address) as executor:
            yield executor

    return local()


def sent() -> tuple[float, float]:
    """Return the bytes of a cell that reads a matrix by name, and of one that carries it."""
    from ndcgstudy.runner.cells import answer

    with tempfile.TemporaryDirectory() as folder:
        cell = {"n": 1, "seconds": 0.0, "scores": "trec_dl2021_passage/scores.npy"}
        by_name = len(pickle.dumps((answer, study(folder), 0, cell, "0" * 64)))
        carried = len(pickle.dumps((answer, study(folder), 0, cell, np.zeros((143, 53)))))
    return by_name, carried


def spinning(processes: int) -> float:
    """Return the seconds that a loop of pure Python takes on so many processes at once."""
    with multiprocessing.get_context("spawn").Pool(processes) as spinners:
        spinners.map(_spin, [1000] * processes)
        begun = time.perf_counter()
        spinners.map(_spin, [15_000_000] * processes, chunksize=1)
        return time.perf_counter() - begun


def _spin(count: int) -> int:
    total = 0
    for i in range(count):
        total += i
    return total


CONTENDERS: dict[str, Callable[..., dict[str, float]]] = {
    "separability": separability,
    "trivial": trivial,
    "long": long_cells,
}


def measured(name: str, argument: str, rounds: int = ROUNDS) -> dict[str, float]:
    """Return the medians of a few runs, each in a process of its own."""
    found = [in_child("benchmarks.runner", name, argument) for _ in range(rounds)]
    shown = {key: statistics.median(run[key] for run in found) for key in found[0]}
    print(f"  {name} {argument:<8} {shown['seconds']:8.2f} s  peak {shown['peak'] / 1e6:6.0f} MB")
    return shown


def run() -> bool:
    print(f"\nrunning cells (medians of {ROUNDS}; {BLOCKS} of the 500 blocks of separability)")
    one, two = (measured("separability", workers)["seconds"] for workers in ("1", "2"))
    alone, both = spinning(1), spinning(2)
    print(f"  the machine: two busy processes do {2 * alone / both:.2f} times the work of one")
    many = measured("trivial", str(CELLS), 1)
    pooled, dask = (measured("long", kind)["seconds"] for kind in ("pool", "dask"))
    by_name, carried = sent()
    print(f"  a cell that carried a matrix of 143 x 53 would send {carried:.0f} bytes")
    targets = [
        Target("two workers: 1.8 over how much faster than one", 1.8 * two / one, 1),
        Target("overhead a trivial cell, one worker", many["seconds"] / CELLS * 1000, 2, " ms"),
        Target(f"{CELLS} trivial cells", many["seconds"], 200, " s"),
        Target("memory after all of these over that after a tenth", many["growth"], 1.05),
        Target("dask over the pool, cells of 50 ms", dask / pooled, 1.15),
        Target("bytes sent a cell that reads a matrix by name", by_name, 1000, " B"),
    ]
    for target in targets:
        print(target.line())
    return all(target.value <= target.limit for target in targets)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        child(CONTENDERS)
    else:
        sys.exit(0 if run() else 1)
