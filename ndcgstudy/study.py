"""A study as a value: a question, a grid of cells, what is computed in one, and what it decides."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ndcgstudy.checks import nearest
from ndcgstudy.decision import Decision, Tables
from ndcgstudy.external import load
from ndcgstudy.ledger import Claim, Verdict

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

Scalar = str | int | float | bool
Parameters = Mapping[str, Any]
Row = dict[str, Any]
StandardError = Union[str, "Callable[[pd.DataFrame], pd.Series[Any]]", None]

SCALES = ("quick", "full")
MAIN = "table"


@dataclass(frozen=True)
class Drawing:
    """A figure: a function ``(table, ax) -> ax``, the table it draws, and its size in inches."""

    draw: "Callable[[pd.DataFrame, Axes], Axes]"
    table: str = MAIN
    size: tuple[float, float] = (3.5, 3.2)


@dataclass(frozen=True)
class Study:
    """A question and all that answers it; a module under experiments/ exposes one as `STUDY`.

    A function ``answer(tables) -> text`` in the same file gives the report its sentence: the answer to
    the question, made from the numbers. It is no field, so that no stored cell hangs on its wording.

    Parameters
    ----------
    question
        What the study asks, one sentence.
    grid
        ``(scale, **options) -> cells``: a parameter dict a cell, of scalars and tuples of scalars.
    cell
        ``(parameters, rng) -> rows``, pure: rows are dicts of scalars and depend on nothing else.
    analysis
        ``rows -> tables``: the main one is called "table".
    stream
        The parameters that key a cell's random stream. Cells that agree in them see the same data,
        so a discount, gain or measure is never among them: comparisons are paired.
    figures
        Each figure's name and `Drawing`.
    decisions
        The claims, each with its checks and the counterfactual tables that change them.
    options
        The keyword arguments that `grid` takes beside the scale.
    inputs
        The files and folders that cells read: a text is relative to the folder that NDCGSTUDY_DATA
        names, a `Path` stands as it is. Cells are computed anew when their content changes.
    errors
        How far off sampled columns may be, for `reproduce --check` at another seed or scale: the
        name of the column with the standard error, a function of the table that returns it, or None
        where it is unknown. Where ``x_se`` stands beside ``x``, ``x`` needs no mention.
    name, file
        Filled in by `load_study`: the stem of the study's file, and the file.
    """

    question: str
    grid: Callable[..., Sequence[Parameters]]
    cell: "Callable[[Parameters, np.random.Generator], list[Row]]"
    analysis: "Callable[[pd.DataFrame], dict[str, pd.DataFrame]]"
    stream: tuple[str, ...] = ()
    figures: Mapping[str, Drawing] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    options: tuple[str, ...] = ()
    inputs: tuple[str | Path, ...] = ()
    errors: "Mapping[str, StandardError]" = field(default_factory=dict)
    name: str = "study"
    file: Path | None = None

    def cells(self, scale: str, **options: Any) -> list[Parameters]:
        """Lay out the cells of a scale, passing on the options that the study takes.

        Raises
        ------
        ValueError
            If the scale is unknown, two cells are equal, a cell lacks a parameter of the stream, or
            a parameter is neither a scalar nor a tuple of scalars.
        """
        if scale not in SCALES:
            raise ValueError(f"unknown scale {scale!r}{nearest(scale, list(SCALES))}")
        taken = {name: value for name, value in options.items() if name in self.options}
        cells = list(self.grid(scale, **taken))
        for cell in cells:
            self._check(cell)
        if len({_key(cell) for cell in cells}) < len(cells):
            raise ValueError(f"study {self.name}: two cells of the grid are equal")
        return cells

    def _check(self, cell: Parameters) -> None:
        for name in self.stream:
            if name not in cell:
                raise ValueError(f"study {self.name}: cell {cell} lacks `{name}`, a stream label")
        for name, value in cell.items():
            parts = value if isinstance(value, tuple) else (value,)
            if not all(isinstance(part, Scalar) for part in parts):
                raise ValueError(
                    f"study {self.name}: `{name}` of a cell must be a scalar or a tuple of "
                    f"scalars, got {value!r}"
                )

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that the study decides."""
        return tuple(decision.claim for decision in self.decisions)

    def verdicts(self, tables: Tables) -> list[Verdict]:
        """Decide every claim of the study, in their order.

        Raises
        ------
        ValueError
            If a claim is decided twice.
        """
        names = [claim.id for claim in self.claims]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"study {self.name} decides {', '.join(twice)} twice")
        return [decision.verdict(tables) for decision in self.decisions]

    def __reduce__(self) -> tuple[Any, ...]:
        if self.file:
            return load_study, (self.file,)
        return Study, tuple(getattr(self, f.name) for f in dataclasses.fields(self))


def _key(cell: Parameters) -> str:
    """Return a text that equal cells share, in whatever order they are written."""
    return repr(sorted(cell.items()))


def find_studies(folder: Path) -> dict[str, Path]:
    """Return the file of every study in a folder by name, sorted; ``_*.py`` are none.

    Raises
    ------
    ValueError
        If there is no such folder or no study in it.
    """
    if not folder.is_dir():
        raise ValueError(f"no folder {folder} with studies; name one with --experiments DIR")
    found = {path.stem: path for path in sorted(folder.glob("[!_]*.py"))}
    if not found:
        raise ValueError(f"no studies in {folder}; name another folder with --experiments DIR")
    return found


def load_study(file: Path) -> Study:
    """Import the `STUDY` of a file; it pickles as the file's path, so every process can load it.

    A process loads a file once, and again when it has changed.

    Raises
    ------
    ValueError
        If the file fails, has no `STUDY`, or this is no `Study`.
    """
    return _loaded(file, file.stat().st_mtime_ns if file.is_file() else 0)


@functools.cache
def _loaded(file: Path, changed: int) -> Study:
    study = load(f"{file}:STUDY", "study")
    if not isinstance(study, Study):
        raise ValueError(f"study {file.stem!r}: STUDY is no Study but a {type(study).__name__}")
    return dataclasses.replace(study, name=file.stem, file=file.resolve())
