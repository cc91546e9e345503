"""Modules import from lower ones alone: no two need each other, whether at start or when used."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "ndcgstudy"
UPWARD = {
    ("ndcgstudy.external", "ndcgstudy.parts"): "a pickled part is read again by its family",
    ("ndcgstudy.cli.app", "ndcgstudy.cli.commands"): "commands hang themselves on the application",
}


def modules(package: Path) -> dict[str, Path]:
    found = {}
    for path in package.rglob("*.py"):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield node
            yield from statements(node)


def imported(tree: ast.AST, known: dict[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in known else str(node.module) for name in whole}
    return found & known.keys()


def graph(package: Path) -> dict[str, set[str]]:
    """Each module and those it imports, at its head or in a function, but for the known few."""
    known = modules(package)
    return {
        name: {
            other
            for other in imported(ast.parse(path.read_text(encoding="utf-8")), known)
            if other != name and (name, other) not in UPWARD
        }
        for name, path in known.items()
    }


def part(module: str) -> str:
    return ".".join(module.split(".")[:2])


def by_part(modules: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same for the package's own parts: a file or a folder."""
    found: dict[str, set[str]] = {}
    for name, others in modules.items():
        found.setdefault(part(name), set()).update(
            part(other) for other in others if part(other) != part(name)
        )
    return found


def order(graph: dict[str, set[str]]) -> list[str]:
    return list(TopologicalSorter(graph).static_order())


def test_no_module_needs_itself_by_way_of_others():
    assert len(order(graph(PACKAGE))) == len(modules(PACKAGE))


def test_no_part_of_the_package_needs_itself_by_way_of_others():
    found = by_part(graph(PACKAGE))
    assert set(order(found)) == set(found)


def test_only_the_command_line_knows_the_command_line():
    for name, others in graph(PACKAGE).items():
        if part(name) not in ("ndcgstudy.cli", "ndcgstudy.__main__"):
            assert "ndcgstudy.cli" not in map(part, others), name


def test_every_exception_is_still_needed():
    known = modules(PACKAGE)
    for name, other in UPWARD:
        tree = ast.parse(known[name].read_text(encoding="utf-8"))
        assert other in imported(tree, known), (name, other)


@pytest.mark.parametrize("upward", ["import p.b.top", "from p.b import top", "from p.b.top import x",
                                    "def f():\n    from p.b import top"])  # fmt: skip
def test_an_import_from_above_is_found(tmp_path, upward):
    files = {"a.py": upward, "b/top.py": "from p.a import y\nx = 1", "b/__init__.py": ""}
    (tmp_path / "p" / "b").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / "p" / name).write_text(text)
    with pytest.raises(CycleError):
        order(graph(tmp_path / "p"))
    with pytest.raises(CycleError):
        order(by_part(graph(tmp_path / "p")))
    (tmp_path / "p" / "a.py").write_text(
        f"if TYPE_CHECKING:\n    {upward.splitlines()[-1].strip()}"
    )
    assert order(graph(tmp_path / "p"))
