"""The mutants of a file, and a random sample of those of many."""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from benchmarks.mutants.operators import operators
from benchmarks.mutants.scope import PARTS, ROOT, Part


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the n-th place where an operator can change it."""

    part: str
    file: str
    operator: str
    occurrence: int
    line: int

    @property
    def name(self) -> str:
        return f"{self.file}:{self.operator}:{self.occurrence}"

    def source(self, original: str) -> str:
        return str(mutate_code(original, operators()[self.operator], self.occurrence))

    def change(self, original: str) -> tuple[str, str]:
        """Return the lines that differ, before and after."""
        old, new = original.splitlines(), self.source(original).splitlines()
        same = len(old) == len(new)
        start = next(i for i in range(len(old)) if i >= len(new) or old[i] != new[i])
        before = old[start].strip()
        after = new[start].strip() if same and start < len(new) else f"line {start + 1} changed"
        return before, after


def of_file(part: Part, path: Path, root: Path = ROOT) -> Iterator[Mutant]:
    """Yield the mutants of a file, without those of types, decorators and ``strict=True``."""
    source = path.read_text(encoding="utf-8")
    left_out = set(_left_out(ast.parse(source)))
    seen: Counter[str] = Counter()
    named = operators()
    file = path.relative_to(root).as_posix()
    for node in ast_nodes(get_ast(source)):
        for name, operator in named.items():
            for start, _ in operator.mutation_positions(node):
                if not any(low <= start < high for low, high in left_out):
                    yield Mutant(part.name, file, name, seen[name], start[0])
                seen[name] += 1


Place = tuple[int, int]


def _left_out(tree: ast.AST) -> Iterator[tuple[Place, Place]]:
    for node in ast.walk(tree):
        for part in _declared(node):
            if part is not None:
                yield (part.lineno, part.col_offset), (part.end_lineno, part.end_col_offset)


def _declared(node: Any) -> Iterable[Any]:
    """Return what says only what things are: types, decorators, the check of equal lengths."""
    match node:
        case ast.FunctionDef():
            return [node.returns, *node.decorator_list]
        case ast.ClassDef():
            return node.decorator_list
        case ast.arg() | ast.AnnAssign():
            return [node.annotation]
        case ast.keyword(arg="strict"):
            return [node]
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return [node]
    return []


def population(root: Path = ROOT) -> list[Mutant]:
    """Return all mutants of all parts."""
    return [m for part in PARTS for path in part.files(root) for m in of_file(part, path, root)]


def sample(mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return a simple random sample: the mutants whose names have the smallest hashes.

    A mutant stays in the sample when other files change.
    """

    def hashed(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed}:{mutant.name}".encode()).digest()

    return sorted(mutants, key=hashed)[:count]
