"""What pytest does in a child process: note the lines that tests reach, or run tests in order."""

import functools
import gc
import importlib
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import coverage
import pytest


class Noting:
    """Note which lines each test reaches and how long it takes."""

    def __init__(self, tree: Path, mutated: Sequence[str]):
        self.tree = tree
        self.mutated = mutated
        self.seconds: dict[str, float] = {}
        self.caches: list[Any] = []
        self.coverage = coverage.Coverage(
            data_file=None, config_file=False, include=[str(tree / file) for file in mutated]
        )
        self.coverage.start()

    def pytest_collection_finish(self) -> None:
        """Import what is mutated, so that no test seems to be the one that reaches its head."""
        for file in self.mutated:
            importlib.import_module(
                file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
            )
        self.caches = _caches()

    def _part(self, item: pytest.Item, part: str) -> Generator[None]:
        self.coverage.switch_context(f"{part}|{item.nodeid}")
        for cache in self.caches:  # each test reaches what it needs
            cache.cache_clear()
        start = time.process_time()
        yield
        spent = time.process_time() - start
        self.seconds[item.nodeid] = self.seconds.get(item.nodeid, 0.0) + spent

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None]:
        yield from self._part(item, "setup")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None]:
        yield from self._part(item, "call")

    def reached(self) -> dict[str, dict[int, list[str]]]:
        """Return the contexts of each line of each file."""
        self.coverage.stop()
        data = self.coverage.get_data()
        return {
            file: {
                line: [context for context in contexts if context]
                for line, contexts in data.contexts_by_lineno(str(self.tree / file)).items()
            }
            for file in self.mutated
        }


def _caches() -> list[Any]:
    """Return the caches of the package's functions."""
    kind = functools._lru_cache_wrapper
    found = [thing for thing in gc.get_objects() if isinstance(thing, kind)]
    return [cache for cache in found if str(cache.__module__).startswith("ndcgstudy.")]


class Ordering:
    """Run the given tests alone, in the given order, up to the first that fails."""

    def __init__(self, order: Sequence[str]):
        self.place = {name: place for place, name in enumerate(order)}
        self.killer = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.killer:
            self.killer = report.nodeid
