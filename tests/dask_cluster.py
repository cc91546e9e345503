"""A dask cluster on this machine, each part a process, as on several machines."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

QUIET = {**os.environ, "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}


@dataclass
class Cluster:
    """The scheduler's address and the processes; a worker's nanny starts it again when it dies."""

    address: str
    processes: list[subprocess.Popen[str]]


@contextmanager
def dask_cluster(folder: Path, workers: int = 2, protocol: str = "tcp") -> Iterator[Cluster]:
    """Start a scheduler and workers in a folder, by the commands that the README names."""
    made = Cluster("", [])
    try:
        command = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        command += ["--protocol", protocol]
        scheduler = _start(folder, *command)
        made.processes.append(scheduler)
        made.address = _address(scheduler)
        options = [
            "--protocol",
            protocol,
            "--nthreads",
            "1",
            "--no-dashboard",
            "--host",
            "127.0.0.1",
        ]
        made.processes += [_start(folder, "worker", made.address, *options) for _ in range(workers)]
        yield made
    finally:
        for process in reversed(made.processes):
            os.killpg(process.pid, signal.SIGTERM)
        for process in made.processes:
            _end(process)


def _start(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        cwd=folder,
        env={**QUIET, **os.environ},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if words[0] == "scheduler" else subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def _address(scheduler: subprocess.Popen[str]) -> str:
    """Read the scheduler's log until it says where it listens."""
    assert scheduler.stderr is not None
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if found := re.search(r"Scheduler at:\s*(t(?:cp|ls)://\S+)", scheduler.stderr.readline()):
            return found.group(1)
    raise AssertionError("the scheduler did not start")


def _end(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stderr:
        process.stderr.close()
