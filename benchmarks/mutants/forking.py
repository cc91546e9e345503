"""Run tests in forked processes, each in a copy of the project and with limits of its own."""

import contextlib
import importlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.scope import ROOT

MEMORY = 6 * 2**30
COPIED = ("ndcgstudy", "tests", "experiments", "docs", "pyproject.toml", "README.md", "Makefile")
LOADED = (
    *("numpy", "scipy.stats", "scipy.optimize", "scipy.special", "scipy.signal", "pandas"),
    *("statsmodels.api", "hypothesis.extra.numpy", "_hypothesis_pytestplugin", "pytest", "typer"),
    *("typer.testing", "rich.console", "jinja2", "ir_measures", "pytrec_eval", "threadpoolctl"),
    *("matplotlib.figure", "xdist.plugin", "sklearn.metrics", "arch.bootstrap"),
)


def load() -> None:
    """Import what tests import but the package itself, once for all children."""
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def copied(folder: Path) -> Path:
    """Copy the project: children change the copy, never the checkout."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy2(ROOT / name, folder)
    return folder


@dataclass(frozen=True)
class Job:
    """Something to do in a copy of the project, with its limits in seconds, and the file it changes."""

    name: str
    work: Callable[[Path], int]
    processor: float
    wall: float
    changes: str = ""


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code, or minus the signal; and the processor time."""

    name: str
    code: int
    seconds: float


def _child(job: Job, tree: Path) -> None:
    os.setsid()
    os.chdir(tree)
    output = os.open(tree.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ["PYTHONPATH"] = str(tree)
    sys.path[:0] = [str(tree), str(tree / "tests")]
    for name in [name for name in sys.modules if name.partition(".")[0] == "ndcgstudy"]:
        del sys.modules[name]  # that of the checkout: the copy's own is to be imported
    seconds = int(job.processor) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(int(job.wall) + 1)
    code = 99
    try:
        code = job.work(tree)
    except Exception:  # noqa: BLE001 - the log of the copy has it, the exit code says so
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run(jobs: list[Job], folder: Path, workers: int) -> Iterator[Ended]:
    """Run jobs, at most `workers` at a time, and yield how each ended."""
    trees = [copied(folder / f"tree-{i}") for i in range(workers)]
    whole = copied(folder / "whole")
    waiting = jobs[::-1]
    running: dict[int, tuple[Job, Path]] = {}
    while waiting or running:
        while waiting and trees:
            job, tree = waiting.pop(), trees.pop()
            pid = os.fork()
            if pid == 0:
                _child(job, tree)
            running[pid] = job, tree
        pid, status, used = os.wait4(-1, 0)
        if pid not in running:
            continue
        job, tree = running.pop(pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        if job.changes:
            shutil.copy2(whole / job.changes, tree / job.changes)
        trees.append(tree)
        yield Ended(job.name, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime)


def stamp() -> str:
    return time.strftime("%H:%M:%S", time.gmtime())
