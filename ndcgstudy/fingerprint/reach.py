"""All code that a function reaches through names, module by module."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

from ndcgstudy.fingerprint.source import Source, module_path, read_source

_IMPORTS = (ast.Import, ast.ImportFrom)


class Reach:
    """Collects the statements that names lead to, and the installed packages behind them.

    A statement leads to every global name in it, wherever it is bound: in its file, or in a module
    of this package or of the user's. What a file does when it is imported counts too, for that is
    how a registry gets its parts: statements that run for their effect and definitions under a
    decorator. Of a file that is reached, all such count; of one that is only imported, those that
    mention a reached name.
    """

    def __init__(self) -> None:
        self.statements: dict[tuple[str, ast.stmt], None] = {}
        self.packages: set[str] = set()
        self._names: set[tuple[Source, str]] = set()
        self._touched: dict[Source, None] = {}
        self._whole: dict[Source, None] = {}
        self._loaded: dict[Source, None] = {}
        self._waiting: list[tuple[Source, ast.stmt]] = []

    def add(self, source: Source, name: str | None = None) -> None:
        """Follow one name of a file, or all of them."""
        for bound in source.bound if name is None else [name]:
            self._follow(source, bound, None)
        self._touch(source)
        while self._waiting or self._effects():
            while self._waiting:
                self._visit(*self._waiting.pop())

    def newest(self) -> int:
        """Return when the last of the imported modules changed; files loaded by path are no modules."""
        return max((s.changed for s in self._loaded if file_source(s.name) is s), default=0)

    def _touch(self, source: Source) -> None:
        if source not in self._touched:
            self._touched[source] = None
            self._load(source)

    def _load(self, source: Source) -> None:
        """Note that a file is imported, and with it all that it imports."""
        if source in self._loaded:
            return
        self._loaded[source] = None
        for stmt in source.imports():
            for module, _ in _modules(source, stmt):
                if found := file_source(module):
                    self._load(found)

    def _effects(self) -> bool:
        """Queue what runs at import and concerns a reached name; tell whether there is more."""
        for source in list(self._loaded):
            for stmt in source.effects:
                if source in self._touched or self._concerned(source, stmt):
                    self._queue(source, stmt)
            for stmt in source.registered():
                decorators: list[ast.expr] = stmt.decorator_list  # type: ignore[attr-defined]
                homes = {_home(source, n) for node in decorators for n, _ in _uses(node)}
                if homes & self._names or (source in self._touched and any(map(_ours, homes))):
                    self._queue(source, stmt)
        return bool(self._waiting)

    def _concerned(self, source: Source, node: ast.AST) -> bool:
        return any(_home(source, name) in self._names for name, _ in _uses(node))

    def _queue(self, source: Source, stmt: ast.stmt) -> None:
        if (source.name, stmt) not in self.statements:
            self.statements[source.name, stmt] = None
            self._waiting.append((source, stmt))

    def _visit(self, source: Source, stmt: ast.stmt) -> None:
        """Follow the names in a statement, and the imports inside it."""
        self._touch(source)
        for name, attribute in _uses(stmt):
            self._follow(source, name, attribute)
        for node in ast.walk(stmt):
            if isinstance(node, _IMPORTS):
                for module, imported in _modules(source, node):
                    self._import(module, imported)

    def _follow(self, source: Source, name: str, attribute: str | None) -> None:
        """Follow a global name, and of a module that it stands for one attribute."""
        for stmt in source.bound.get(name) or source.bound.get("*", []):
            if isinstance(stmt, ast.ImportFrom):
                for module, imported in _modules(source, stmt, name):
                    self._import(module, imported, attribute)
            elif isinstance(stmt, ast.Import):
                for module, _ in _modules(source, stmt, name):
                    self._import(module, attribute)
            else:
                self._names.add((source, name))
                self._queue(source, stmt)

    def _import(self, module: str, name: str | None, attribute: str | None = None) -> None:
        """Follow a name of a module; without one, all of the module."""
        source = file_source(module)
        if source is None:
            self.packages.add(module.partition(".")[0])
        elif name is None or name == "*":
            self._all(source)
        elif name in source.bound:
            self._touch(source)
            self._follow(source, name, attribute)
        elif file_source(f"{module}.{name}"):
            self._import(f"{module}.{name}", attribute)
        else:
            self._lazy(source, module, name)

    def _lazy(self, source: Source, module: str, name: str) -> None:
        """Follow a name that a module makes up when asked for it."""
        home = getattr(getattr(importlib.import_module(module), name, None), "__module__", module)
        found = file_source(home)
        if found and found is not source and name in found.bound:
            self._follow(found, name, None)
        else:
            self._all(source)

    def _all(self, source: Source) -> None:
        if source in self._whole:
            return
        self._whole[source] = None
        self._touch(source)
        for name in source.bound:
            self._follow(source, name, None)


def file_source(module: str) -> Source | None:
    """Return the source of a module, None for an installed package."""
    path = module_path(module)
    return path_source(path, module) if path else None


def path_source(path: Path, name: str) -> Source:
    """Return the source of a file under a name."""
    return read_source(path, name, path.stat().st_mtime_ns)


def _uses(node: ast.AST) -> set[tuple[str, str | None]]:
    """Return the names that a statement reads, each with the attribute that is asked of it."""
    found: dict[tuple[str, str | None], None] = {}
    plain = {id(n): n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    for outer in ast.walk(node):
        if isinstance(outer, ast.Attribute) and isinstance(outer.value, ast.Name):
            plain.pop(id(outer.value), None)
            found[outer.value.id, outer.attr] = None
    return {*found, *((name, None) for name in plain.values())}


def _modules(
    source: Source, stmt: ast.stmt, bound: str | None = None
) -> Iterator[tuple[str, str | None]]:
    """Yield each module that an import names, and what it takes from it, for one name or all."""
    if isinstance(stmt, ast.Import):
        for alias in stmt.names:
            if bound in (None, alias.asname or alias.name.partition(".")[0]):
                yield alias.name, None
    elif isinstance(stmt, ast.ImportFrom):
        up = source.package.split(".")[: len(source.package.split(".")) - max(stmt.level - 1, 0)]
        base = ".".join([*up, *filter(None, [stmt.module])]) if stmt.level else stmt.module or ""
        for alias in stmt.names:
            if bound in (None, alias.asname or alias.name, "*"):
                yield base, alias.name


def _ours(home: tuple[Source, str]) -> bool:
    """Tell whether a name is bound in read source, not imported from an installed package."""
    source, name = home
    return any(not isinstance(stmt, _IMPORTS) for stmt in source.bound.get(name, ()))


def _home(source: Source, name: str) -> tuple[Source, str]:
    """Return where a name is bound first, through imports of imports."""
    for stmt in source.bound.get(name, ()):
        if isinstance(stmt, ast.ImportFrom):
            for module, imported in _modules(source, stmt, name):
                found = file_source(module)
                if found and imported in found.bound:
                    return _home(found, imported)
    return source, name
