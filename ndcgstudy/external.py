"""Parts from outside the package: ``module:name`` or ``path/file.py:name``."""

import functools
import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROWS = ("discount", "gain")
"""The kinds of part that are functions of one number, rank or grade."""


@dataclass(frozen=True)
class External:
    """A user's part, known by the text that found it: it compares, hashes and pickles as that text."""

    spec: str
    kind: str
    target: Callable[..., Any] = field(compare=False, repr=False)

    def __call__(self, *args: Any) -> Any:
        """Call the user's part; a discount or gain sees one row, whatever the shape of the array.

        So that a loop over ranks or grades does as well as arithmetic on arrays.
        """
        shape = getattr(args[0], "shape", None) if self.kind in ROWS and len(args) == 1 else None
        if shape is None or len(shape) == 1:
            return self.target(*args)
        return np.reshape(self.target(args[0].ravel()), shape)

    def __str__(self) -> str:
        return self.spec

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "target":
            raise AttributeError(name)
        return getattr(self.target, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.spec, self.kind)


def _again(spec: str, kind: str) -> Any:
    """Read a user's part again in another process."""
    from ndcgstudy.parts import FAMILIES

    return FAMILIES[kind].parse(spec)


def load(spec: str, kind: str) -> Any:
    """Import the object that ``module:name`` or ``path/file.py:name`` names.

    Raises
    ------
    ValueError
        If the file or module is missing or fails, or has no such name.
    """
    where, _, name = spec.rpartition(":")
    try:
        module = _file(where) if where.endswith(".py") else importlib.import_module(where)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's file may raise anything
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"{kind} {spec!r}: cannot import {where}: {why}") from None
    if not hasattr(module, name):
        raise ValueError(f"{kind} {spec!r}: {where} has no {name!r}")
    return getattr(module, name)


def _file(path: str) -> ModuleType:
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    return _module(file, file.stat().st_mtime_ns)


@functools.cache
def _module(file: Path, changed: int) -> ModuleType:
    """Run a file once, and again when it has changed."""
    spec = importlib.util.spec_from_file_location(f"_ndcgstudy_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"not a Python file: {file}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
