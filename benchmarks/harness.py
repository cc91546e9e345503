"""Time contenders in processes of their own, in turn, and compare medians."""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 5


@dataclass(frozen=True)
class Target:
    """A figure, the most it may be, and what it is."""

    name: str
    value: float
    limit: float
    unit: str = "x"

    def line(self) -> str:
        met = self.value <= self.limit
        verdict = "met" if met else f"MISSED by {self.value / self.limit - 1:.0%}"
        return f"  {self.name:<66} {self.value:8.2f}{self.unit}  at most {self.limit:g}{self.unit}  {verdict}"


def in_child(
    module: str, contender: str, *arguments: str, threads: int | None = None
) -> dict[str, float]:
    """Run a contender in a new process; it reports its seconds and its peak memory as JSON.

    Compiled code of earlier runs is not found again, so that a first call pays for its compiler.
    Linear algebra has all cores, or so many threads.
    """
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    command = [sys.executable, "-m", module, contender, *arguments]
    with tempfile.TemporaryDirectory() as cache:
        alone = {**os.environ, "NUMBA_CACHE_DIR": cache, **(limits if threads else {})}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=alone)
    return json.loads(done.stdout.splitlines()[-1])


def child(contenders: dict[str, Callable[..., dict[str, float]]]) -> None:
    """Be the process of one contender."""
    import resource

    figures = contenders[sys.argv[1]](*sys.argv[2:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({**figures, "peak": peak}))


def timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def medians(
    names: Sequence[str], measure: Callable[[str], dict[str, float]]
) -> dict[str, dict[str, float]]:
    """Measure all contenders in turn, round after round, and take the median of each figure."""
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name in names:
            seen[name].append(measure(name))
    return {
        name: {key: statistics.median(f[key] for f in figures) for key in figures[0]}
        for name, figures in seen.items()
    }


def report(title: str, figures: dict[str, dict[str, float]], targets: Sequence[Target]) -> bool:
    """Print the figures and the targets; tell whether all are met."""
    print(f"\n{title} (medians of {ROUNDS})")
    for name, values in figures.items():
        shown = "  ".join(
            f"{k} {v / 1e6:8.0f} MB" if k == "peak" else f"{k} {v:8.3f} s"
            for k, v in values.items()
        )
        print(f"  {name:<28} {shown}")
    for target in targets:
        print(target.line())
    return all(t.value <= t.limit for t in targets)


def machine() -> str:
    return (
        f"Python {platform.python_version()} on {platform.machine()}, {os.cpu_count()} processors"
    )
