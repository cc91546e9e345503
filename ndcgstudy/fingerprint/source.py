"""A module as its top-level statements: what binds each name, and what runs for its effect."""

import ast
import functools
import importlib.util
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_INSTALLED = {"site-packages", "dist-packages"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DOCUMENTED = (ast.Module, ast.ClassDef, *_FUNCTIONS)
_DEFINITIONS = (ast.ClassDef, *_FUNCTIONS)
_IMPORTS = (ast.Import, ast.ImportFrom)
_COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With)


@dataclass(frozen=True, eq=False)
class Source:
    """A file of Python without docstrings, comments and annotations of functions.

    Parameters
    ----------
    name
        The module's dotted name; for a file that is no module of a package, its stem.
    bound
        The statements that bind each top-level name.
    effects
        Statements that run when the file is imported and may change what another one bound.
    changed
        The file's time, in nanoseconds.
    """

    name: str
    package: str
    bound: dict[str, list[ast.stmt]]
    effects: list[ast.stmt]
    changed: int

    def registered(self) -> list[ast.stmt]:
        """Return the definitions with a decorator, which may put them into a registry."""
        found = (stmt for stmts in self.bound.values() for stmt in stmts)
        return [stmt for stmt in found if getattr(stmt, "decorator_list", None)]

    def imports(self) -> list[ast.stmt]:
        """Return the top-level imports."""
        return [s for stmts in self.bound.values() for s in stmts if isinstance(s, _IMPORTS)]


def module_path(name: str) -> Path | None:
    """Return the file of a module that is read as source: one of this package or of the user's.

    None stands for an installed package, which is known by its version, and for Python's own.
    """
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names:
        return None
    if top != "ndcgstudy" and _INSTALLED & set(_origin(top).parts):
        return None  # before its parts are looked for: that would import it
    path = _origin(name)
    return path if path.suffix == ".py" else None


def _origin(name: str) -> Path:
    """Return the file of a module, an empty path where it has none."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return Path()
    return Path(spec.origin) if spec and spec.origin else Path()


@functools.cache
def read_source(path: Path, name: str, changed: int) -> Source:
    """Parse a file; `changed` is its time, so that it is parsed again when it has changed."""
    tree = _Bare().visit(ast.parse(path.read_bytes()))
    bound: dict[str, list[ast.stmt]] = defaultdict(list)
    effects = []
    for stmt in tree.body:
        names = _bound_by(stmt)
        for bind in names:
            bound[bind].append(stmt)
        text = isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant)
        if not text and (not names or isinstance(stmt, _COMPOUND)):
            effects.append(stmt)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return Source(name, package, dict(bound), effects, changed)


def _bound_by(stmt: ast.stmt) -> set[str]:
    """Return the top-level names that a statement binds."""
    if isinstance(stmt, _DEFINITIONS):
        return {stmt.name}
    if isinstance(stmt, _IMPORTS):
        return {alias.asname or alias.name.partition(".")[0] for alias in stmt.names}
    inner = [child for child in ast.iter_child_nodes(stmt) if isinstance(child, ast.stmt)]
    handlers = [stmt for h in getattr(stmt, "handlers", []) for stmt in h.body]
    loops = [node for node in ast.walk(stmt) if isinstance(node, ast.comprehension)]
    own = {
        id(name) for loop in loops for name in ast.walk(loop.target)
    }  # of the loop, not the file
    stored = {
        node.id
        for node in ast.walk(stmt)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in own
    }
    return stored.union(*map(_bound_by, [*inner, *handlers]))


class _Bare(ast.NodeTransformer):
    """Takes away what does not compute: docstrings, annotations of functions, how to pickle."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
        return node

    def _function(self, node: Any) -> ast.AST | None:
        node.returns = None
        return None if node.name == "__reduce__" else self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        checking = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if checking else self.generic_visit(node)
