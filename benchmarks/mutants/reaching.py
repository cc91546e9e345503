"""Which tests reach which lines: noted once, so that a mutant meets only the tests that can kill it."""

import ast
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants.forking import Job, run
from benchmarks.mutants.ordering import Noting
from benchmarks.mutants.sampling import Mutant
from benchmarks.mutants.scope import ROOT, Part

BUDGET = 15.0  # processor seconds of tests that a mutant meets: more would kill more
OPTIONS = [
    *("-q", "--no-header", "--tb=line", "-p", "no:cacheprovider"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
]


@dataclass(frozen=True)
class Reached:
    """The seconds of each test of a part, and the tests that reach each line of each file."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]
    failed: list[str]

    def tests(self, mutant: Mutant, root: Path = ROOT) -> list[str]:
        """Return the tests that reach a mutant, file by file, quick ones first."""
        lines = self.lines.get(mutant.file, {})
        low, high = _statement((root / mutant.file).read_text(encoding="utf-8"), mutant.line)
        contexts = {name for line in range(low, high + 1) for name in lines.get(line, [])}
        if not contexts:  # the head of a module or class: whatever uses the module
            contexts = {name for names in lines.values() for name in names}
        return self._within(self._ordered(self._names(contexts)))

    def _within(self, names: list[str]) -> list[str]:
        """Return the tests that fit into the budget, the first ones first."""
        kept, spent = [], 0.0
        for name in names:
            if spent + self.seconds[name] <= BUDGET or not kept:
                kept.append(name)
                spent += self.seconds[name]
        return kept

    def _names(self, contexts: Iterable[str]) -> set[str]:
        """A line that a fixture reaches concerns all tests of the fixture's file."""
        split = [context.split("|", 1) for context in contexts]
        files = {name.split("::")[0] for part, name in split if part == "setup"}
        names = {name for part, name in split if part == "call"}
        names |= {name for name in self.seconds if name.split("::")[0] in files}
        return names - set(self.failed)

    def _ordered(self, names: set[str]) -> list[str]:
        total: dict[str, float] = {}
        for name in names:
            file = name.split("::")[0]
            total[file] = total.get(file, 0.0) + self.seconds[name]
        return sorted(
            names, key=lambda n: (total[n.split("::")[0]], n.split("::")[0], self.seconds[n], n)
        )


def _statement(source: str, line: int) -> tuple[int, int]:
    """Return the lines of the smallest statement around a line; of a compound one, its head."""
    best = (1, len(source.splitlines()))
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            continue
        low = getattr(node, "lineno", 0) or node.body[0].lineno  # type: ignore[union-attr]
        body = getattr(node, "body", None)
        high = max(low, body[0].lineno - 1) if body else node.end_lineno  # type: ignore[union-attr]
        if low <= line <= high and high - low <= best[1] - best[0]:
            best = low, high
    return best


def digest(paths: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(paths):
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def reached(part: Part, folder: Path, workers: int) -> Reached:
    """Note which tests of a part reach what, a file of tests at a time, or read what was noted.

    What was noted holds while the tests of the file and what is mutated are the same.
    """
    version = digest(part.files())
    paths = {
        f"{part.name} {unit}": folder / f"reached-{digest(files)}-{version}.json"
        for unit, files in part.units().items()
    }
    units = {f"{part.name} {unit}": unit for unit in part.units()}
    jobs = [
        Job(name, partial(_note, part, units[name], path), 3600, 3600)
        for name, path in paths.items()
        if not path.exists()
    ]
    for ended in run(jobs, folder, workers):
        print(f"{ended.seconds:6.1f} s  {ended.name}", flush=True)
        if ended.code not in {0, 1, 5}:
            raise RuntimeError(f"tests of {ended.name} ended with code {ended.code}")
    return _merged([json.loads(path.read_text(encoding="utf-8")) for path in paths.values()])


def _merged(notes: list[dict[str, Any]]) -> Reached:
    lines: dict[str, dict[int, list[str]]] = {}
    for note in notes:
        for file, found in note["lines"].items():
            for line, names in found.items():
                lines.setdefault(file, {}).setdefault(int(line), []).extend(names)
    seconds = {name: time for note in notes for name, time in note["seconds"].items()}
    return Reached(seconds, lines, [name for note in notes for name in note["failed"]])


class _Failed:
    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.names.append(report.nodeid)


def _note(part: Part, unit: str, path: Path, tree: Path) -> int:
    mutated = [file.relative_to(tree).as_posix() for file in part.files(tree)]
    noting, failed = Noting(tree, mutated), _Failed()
    tests = [file.relative_to(tree).as_posix() for file in part.units(tree)[unit]]
    code = pytest.main([*OPTIONS, *tests], plugins=[noting, failed])
    found = {"seconds": noting.seconds, "lines": noting.reached(), "failed": failed.names}
    path.write_text(json.dumps(found), encoding="utf-8")
    return int(code)
