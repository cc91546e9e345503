"""Where studies and results are, unless a command is given other folders."""

from pathlib import Path

import ndcgstudy

FULL = Path("results")
"""Results at full scale, which are kept."""

QUICK = Path("build", "study")
"""Results of runs that nobody asked to keep."""


def experiments() -> Path:
    """Return the folder of the studies: that of the working directory, else the installed one."""
    here, package = Path("experiments"), Path(ndcgstudy.__file__).parent
    installed = package / "_studies"
    if here.is_dir():
        return here
    return installed if installed.is_dir() else package.parent / "experiments"


def results() -> Path:
    """Return the folder of results to read: the kept ones where there are any."""
    return QUICK if QUICK.is_dir() and not FULL.is_dir() else FULL
