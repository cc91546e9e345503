"""Runs of the command as processes that tests disturb, and a study that counts its cells."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from study_files import put

from ndcgstudy.store import Store, path_of

COUNTED = '''
"""Draws of a random walk; every computed cell leaves a line in a side file."""
import os
import time
from pathlib import Path
import numpy as np
from ndcgstudy.decision import Decision
from ndcgstudy.ledger import Claim, check
from ndcgstudy.study import Study

HERE = Path(__file__).parent
PAUSE = float(os.environ.get("PAUSE", "0.05"))
CELLS = int(os.environ.get("CELLS", "40"))

def grid(scale):
    return [{"block": b, "name": name} for b in range(CELLS // 2) for name in ("one", "two")]

def cell(parameters, rng):
    line = f"{os.getpid()} {parameters['block']} {parameters['name']}\\n"
    file = os.open(HERE / "count.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())
    os.close(file)
    BODY
    time.sleep(PAUSE)
    steps = rng.normal(size=500)
    return [{**parameters, "part": k, "mean": steps[k::2].mean(), "big": 2**60 + k,
             "ok": bool(steps[0] > 0), "bad": float("nan")} for k in (0, 1)]

def analysis(rows):
    means = rows.groupby("name", as_index=False)["mean"].mean()
    return {"table": rows, "means": means}

def mean(tables):
    value = tables["means"]["mean"][0]
    return [check(f"mean {value!r}", value, value)]

STUDY = Study("Do walks return?", grid, cell, analysis, stream=("block",),
    decisions=(Decision(Claim("W1", "They do."), mean),))
'''


def counted(folder: Path, name: str = "walk", body: str = "pass") -> Path:
    """Write the counted study into ``folder/experiments``; `body` runs in each cell."""
    put(folder / "experiments", **{name: COUNTED.replace("BODY", body)})
    return folder


def arguments(*more: object) -> list[str]:
    words = [str(word) for word in more]
    out = [] if "--out" in words else ["--out", "results"]
    return [sys.executable, "-m", "ndcgstudy", "reproduce", *out, *words]


def finish(folder: Path, *more: object, code: int | None = 0, **env: object) -> str:
    """Run the command to its end and return what it says on stderr; never a traceback."""
    done = subprocess.run(
        arguments(*more),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **{key: str(value) for key, value in env.items()}},
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert code is None or done.returncode == code, done.stderr
    return done.stderr


def start(folder: Path, *more: object, **env: object) -> subprocess.Popen[str]:
    """Start the command in a process group of its own."""
    return subprocess.Popen(
        arguments(*more),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, **{key: str(value) for key, value in env.items()}},
    )


def lines(folder: Path) -> list[str]:
    """Return a line a cell that began: process, block, name."""
    path = folder / "experiments" / "count.txt"
    return path.read_text().splitlines() if path.exists() else []


def until(ready, seconds: float = 30.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.005)


def stored(folder: Path, name: str = "walk") -> set[str]:
    """Return the keys of the stored cells of a study."""
    path = path_of(folder / ".cache" / "ndcgstudy", name)
    if not path.exists():
        return set()
    with closing(Store(path)) as store:
        return store.keys()


def files(folder: Path, name: str = "walk", out: str = "results") -> dict[str, bytes]:
    """Return the bytes of a study's tables and claims."""
    where = folder / out / name
    return {n: (where / n).read_bytes() for n in ("table.csv", "means.csv", "claims.csv")}


def alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_all(process: subprocess.Popen[str]) -> None:
    """SIGKILL a run with all its workers."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
