"""Speed of TREC files now over that of an earlier commit: `python -m benchmarks.against COMMIT [PAIRS]`.

Both read the same files and score them, in turns and in processes of their own; the interval is that of
the median ratio of pairs, by order statistics.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import binom

from benchmarks.harness import machine
from benchmarks.scoring import write_files

ROOT = Path(__file__).parents[1]
LIMIT = 1.03
CODE = """
import sys, time
import ndcgstudy as nd
begin = time.perf_counter()
nd.score(nd.read_qrels(sys.argv[1]), nd.read_run(sys.argv[2]), "nDCG@10")
print(time.perf_counter() - begin)
"""


def seconds(tree: Path, files: tuple[str, str]) -> float:
    """Read and score once with the package of a tree."""
    alone = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CODE, *files]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=alone)
    return float(json.loads(done.stdout))


def interval(values: list[float], level: float = 0.95) -> tuple[float, float]:
    """Return the order statistics that hold the median with at least the level's probability."""
    ordered, n = sorted(values), len(values)
    out = int(binom.ppf((1 - level) / 2, n, 0.5))
    return ordered[max(out - 1, 0)], ordered[min(n - out, n - 1)]


def main(commit: str, pairs: int = 20) -> bool:
    """Print the ratios and whether the interval reaches below the limit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
        )
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
            packed.extractall(folder / "old", filter="data")
        files = write_files(folder)
        ratios = []
        for turn in range(pairs):
            order = [("old", folder / "old"), ("new", ROOT)]
            took = {which: seconds(tree, files) for which, tree in order[:: 1 if turn % 2 else -1]}
            ratios.append(took["new"] / took["old"])
    low, high = interval(ratios)
    met = low < LIMIT
    print(f"{machine()}\nTREC files to nDCG@10, now over {commit}: {pairs} pairs, in turns")
    print(f"  ratio {np.median(ratios):.3f}, 95% interval {low:.3f} to {high:.3f}")
    print(f"  the interval reaches below {LIMIT}: {'met' if met else 'MISSED'}")
    return met


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1], *map(int, sys.argv[2:3])))
