"""Judgments and runs as the cells of a study read them: by name, once a process."""

from pathlib import Path

from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.formats import read_qrels, read_run
from ndcgstudy.inputs import loader


@loader
def loaded_qrels(path: Path) -> Judgments:
    """Read judgments."""
    return read_qrels(path)


@loader
def loaded_runs(folder: Path) -> list[Rankings]:
    """Read all runs of a folder in the order of their files, each named by its file."""
    return [read_run(path, name=path.name.split(".run")[0]) for path in sorted(folder.iterdir())]
