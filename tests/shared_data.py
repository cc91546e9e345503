"""Where the data of others stand that tests read, and the collections among them."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ndcgstudy import Judgments, Rankings, read_qrels, read_run

ROOT = Path(__file__).resolve().parents[1]


def data_path() -> Path:
    """Return where the data should be, whether or not they are there."""
    return Path(os.environ.get("NDCGSTUDY_DATA") or ROOT / ".." / "shared" / "data").resolve()


def conformance_path() -> Path:
    """Return where the conformance cases should be: beside the data."""
    return data_path().parent / "conformance"


@dataclass(frozen=True)
class Collection:
    """A collection of real runs with their judgments, each file read once."""

    qrels_path: Path

    @cached_property
    def run_paths(self) -> list[Path]:
        return sorted((self.qrels_path.parent / "runs").iterdir())

    @cached_property
    def judgments(self) -> Judgments:
        return read_qrels(self.qrels_path)

    @cached_property
    def runs(self) -> list[Rankings]:
        """The runs, each named by its file."""
        return [read_run(path, name=path.name.removesuffix(".run.gz")) for path in self.run_paths]

    def some(self, count: int) -> list[Rankings]:
        """Return `count` runs spread evenly over all of them."""
        return [self.runs[i * len(self.runs) // count] for i in range(count)]


def as_dicts(source: Judgments | Rankings) -> dict[str, dict[str, float]]:
    """Return judgments or a run as ``{topic: {document: value}}``."""
    values = source.grade if isinstance(source, Judgments) else source.score
    nested: dict[str, dict[str, float]] = {topic: {} for topic in source.topics}
    rows = zip(source.topic.tolist(), source.docs.strings(), values.tolist(), strict=True)
    for topic, doc, value in rows:
        nested[source.topics[topic]][doc] = value
    return nested
