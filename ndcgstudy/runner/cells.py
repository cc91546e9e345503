"""One cell, in whichever process: its random stream, its rows, and whether the code is the same."""

import functools
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.checks import plain
from ndcgstudy.fingerprint import Code, fingerprint, outside
from ndcgstudy.fingerprint.code import Parts
from ndcgstudy.runner.limit import time_limit
from ndcgstudy.seeding import rng_for
from ndcgstudy.study import Parameters, Row, Scalar, Study

_LOADED = time.time_ns()


@dataclass(frozen=True)
class Answer:
    """What a worker sends back: rows and the seconds they took, or why there are none."""

    rows: list[Row]
    seconds: float
    error: str = ""


def answer(
    study: Study, seed: int, parameters: Parameters, code: str = "", limit: float | None = None
) -> Answer:
    """Compute one cell and time it; an error comes back as its type and its last line.

    Parameters
    ----------
    code
        The fingerprint that the cell must have here too; none where it is empty.
    limit
        The seconds that the cell may take.
    """
    begun = time.perf_counter()
    try:
        if code:
            _same_code(study, parameters, code)
        with time_limit(limit):
            rows = run_cell(study, seed, parameters)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001 - a cell may raise anything
        return Answer([], time.perf_counter() - begun, told(error))
    return Answer(rows, time.perf_counter() - begun)


def told(error: BaseException) -> str:
    """Return the type of an error and the last line of its text."""
    last = (str(error).strip().splitlines() or [""])[-1]
    return f"{type(error).__name__}: {last}"


def run_cell(study: Study, seed: int, parameters: Parameters) -> list[Row]:
    """Compute one cell on its own random stream, wherever this process is."""
    rng = stream(study, seed, parameters)
    return [_checked(study, row) for row in study.cell(parameters, rng)]


def stream(study: Study, seed: int, parameters: Parameters) -> np.random.Generator:
    """Return the random stream of a cell: keyed by seed, study and the study's stream labels."""
    return rng_for(seed, study.name, *(parameters[label] for label in study.stream))


def _checked(study: Study, row: Row) -> Row:
    """Turn numpy scalars into plain ones, and refuse what is none."""
    row = {name: plain(value) for name, value in row.items()}
    for name, value in row.items():
        if not isinstance(value, Scalar):
            raise ValueError(
                f"study {study.name}: `{name}` of a row must be a scalar, got {value!r}"
            )
    return row


def _same_code(study: Study, parameters: Parameters, code: str) -> None:
    """Refuse to compute with other code than the process that asks: rows would be kept as its own."""
    here = _code_here(_Cell(study), outside(parameters))
    if here.hash != code:
        raise RuntimeError(
            "this worker has other code, data or packages than the run; restart it with the same"
        )
    if _LOADED < here.changed <= time.time_ns():  # a date in the future says nothing of when
        raise RuntimeError("the package changed since this worker started; restart it")


class _Cell:
    """A study that compares by its cell function and file."""

    def __init__(self, study: Study) -> None:
        self.study, self.key = study, (study.cell, study.file)

    def __eq__(self, other: Any) -> bool:
        return bool(self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)


@functools.cache
def _code_here(cell: _Cell, parts: Parts) -> Code:
    return fingerprint(cell.study, parts)
