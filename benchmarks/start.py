"""How soon the command line answers."""

import subprocess
import sys
from pathlib import Path

from benchmarks.harness import Target, medians, report, timed

COMMANDS = {
    "ndcgstudy --help": [str(Path(sys.executable).with_name("ndcgstudy")), "--help"],
    "import typer, rich": [sys.executable, "-c", "import typer, rich"],
}


def run() -> bool:
    def measure(name: str) -> dict[str, float]:
        call = lambda: subprocess.run(COMMANDS[name], check=True, capture_output=True)  # noqa: E731
        return {"seconds": min(timed(call) for _ in range(3))}

    figures = medians([*COMMANDS], measure)
    ratio = figures["ndcgstudy --help"]["seconds"] / figures["import typer, rich"]["seconds"]
    return report("start", figures, [Target("time of --help over the imports alone", ratio, 1.5)])
