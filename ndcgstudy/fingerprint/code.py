"""The fingerprint of a cell: a hash of the code and the files that its rows depend on."""

import ast
import functools
import hashlib
import inspect
import platform
import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ndcgstudy import inputs
from ndcgstudy.checks import plain
from ndcgstudy.fingerprint.reach import Reach, file_source, path_source
from ndcgstudy.study import Parameters, Study

Parts = tuple[tuple[str, str], ...]

_OUTSIDE = re.compile(r"(?<![\w./~+-])([\w./~+-]+):([A-Za-z_]\w*)")
_MACHINERY = ("ndcgstudy.runner.cells", "run_cell")


@dataclass(frozen=True)
class Code:
    """The hash of what computes a cell, and when the last module of it changed, in nanoseconds."""

    hash: str
    changed: int


def fingerprint(study: Study, parts: Parts = ()) -> Code:
    """Return a hash of all that computes a cell of a study, its parameters and seed apart.

    It changes with the cell function, with every function, class and constant that this reaches in
    the study's file, in this package and in `parts`, with the version of every installed package
    among them, Python's and the machine's kind, and with the content of the study's input files. It
    does not change with comments, docstrings, annotations of functions, and code that the cell does
    not reach: analysis, figures, other studies.

    Parameters
    ----------
    parts
        The parts from outside the package that the cell's parameters name, from `outside`.
    """
    reach = Reach()
    _add_cell(reach, study)
    for where, name in (_MACHINERY, *_offered(), *parts):
        _add_part(reach, where, name)
    code = sorted((name, ast.dump(stmt)) for name, stmt in reach.statements)
    files = inputs.hashes(study.inputs)
    text = repr((code, _versions(reach.packages), files))
    return Code(hashlib.sha256(text.encode()).hexdigest(), reach.newest())


def cell_key(study: Study, parameters: Parameters, *, seed: int, scale: str, code: str) -> str:
    """Return the key of a cell's rows, in whatever order its parameters are written.

    Examples
    --------
    >>> study = Study("?", lambda scale: [], print, print)
    >>> one, two = ({"n": 1, "name": "a"}, {"name": "a", "n": 1})
    >>> keys = {cell_key(study, cell, seed=0, scale="full", code="") for cell in (one, two)}
    >>> len(keys)
    1
    """
    items = sorted((name, _plain(value)) for name, value in parameters.items())
    text = repr((study.name, study.stream, items, seed, scale, code))
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    return tuple(map(plain, value)) if isinstance(value, tuple) else plain(value)


def outside(parameters: Parameters) -> Parts:
    """Return the parts from outside the package that parameters name, as (file or module, name).

    Examples
    --------
    >>> outside({"n": 10, "discount": ("log2", "mine.py:half")})
    (('mine.py', 'half'),)
    """
    values = (p for v in parameters.values() for p in (v if isinstance(v, tuple) else (v,)))
    texts = (value for value in values if isinstance(value, str) and ":" in value)
    return tuple(sorted({found for text in texts for found in _OUTSIDE.findall(text)}))


def _add_cell(reach: Reach, study: Study) -> None:
    """Follow the cell function by its name, or all of its file where it has no name of its own."""
    function = inspect.unwrap(study.cell)
    code = getattr(function, "__code__", None)
    file = Path(code.co_filename) if code else study.file
    if file is None or not file.is_file():
        return
    name = getattr(function, "__qualname__", "")
    mine = study.file is not None and file.resolve() == study.file
    module = file.stem if mine or not code else getattr(function, "__module__", file.stem)
    source = path_source(file, module)
    reach.add(source, name if name in source.bound else None)


def _add_part(reach: Reach, where: str, name: str) -> None:
    path = Path(where).expanduser()
    source = path_source(path.resolve(), path.stem) if path.suffix == ".py" else file_source(where)
    if source:
        reach.add(source, name)
    else:
        reach.packages.add(where.partition(".")[0])


@functools.cache
def _offered() -> Parts:
    """Return the parts that other packages offer by name, as (module, name)."""
    points = metadata.entry_points()
    groups = [group for group in points.groups if group.startswith("ndcgstudy.")]
    found = [point for group in groups for point in points.select(group=group)]
    return tuple(sorted((point.module, point.attr.partition(".")[0]) for point in found))


def _versions(packages: set[str]) -> list[str]:
    """Return the versions of Python, the kind of machine, numpy and the packages reached."""
    python = f"{sys.version_info.major}.{sys.version_info.minor} {platform.machine()}"
    tops = {*packages, "numpy"} - sys.stdlib_module_names
    return [python, *(f"{top} {_version(top)}" for top in sorted(tops))]


@functools.cache
def _version(top: str) -> str:
    try:
        return metadata.version(top)
    except metadata.PackageNotFoundError:
        names = metadata.packages_distributions().get(top, [])
        return ", ".join(f"{name} {metadata.version(name)}" for name in sorted(set(names)))
