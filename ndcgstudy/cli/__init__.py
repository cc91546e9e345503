"""The command line: `main` runs it; each family of commands has a file of its own."""

import sys
from typing import NoReturn


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code: 0 done, 1 something is wrong, 2 bad input."""
    try:
        from ndcgstudy.cli.app import run
    except KeyboardInterrupt:  # Ctrl-C while the first packages are imported
        sys.stderr.write("ndcgstudy: stopped\n")
        sys.exit(130)
    run(arguments)


__all__ = ["main"]
