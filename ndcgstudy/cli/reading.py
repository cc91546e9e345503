"""Read and score the files that a call names, gathering every mistake on the way."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy.cli.app import Problems, say

if TYPE_CHECKING:
    from ndcgstudy.conventions import Convention
    from ndcgstudy.data import Judgments, Rankings
    from ndcgstudy.policies import Policy
    from ndcgstudy.scoring import Evaluation

Action = Callable[[list[Any], "Policy | None"], "Evaluation"]


@dataclass(frozen=True)
class Files:
    """Judgments of the topics that are scored, runs, and all topics that have judgments."""

    judgments: "Judgments"
    runs: "list[Rankings]"
    judged: frozenset[str]


class Reading:
    """Reads and scores what a call names, gathering every mistake on the way."""

    def __init__(
        self,
        problems: Problems,
        measures: list[Any],
        policy: "Policy | None",
        duplicates: str,
        grades: str,
        average: str,
        convention: "Convention | None" = None,
    ) -> None:
        self.problems, self.measures, self.policy = problems, measures, policy
        self.duplicates, self.grades, self.average = duplicates, grades, average
        self.convention = convention

    def check(self) -> None:
        """Check the words that say how files are read."""
        from ndcgstudy.collections import AVERAGES
        from ndcgstudy.formats.read import DUPLICATES, GRADES, check_choice

        self.problems.attempt(check_choice, "duplicates", self.duplicates, DUPLICATES)
        self.problems.attempt(check_choice, "grades", self.grades, GRADES)
        self.problems.attempt(check_choice, "average", self.average, AVERAGES)

    def runs(self, qrels: str, runs: list[str], topics: str) -> "Evaluation | None":
        """Score runs on one collection."""
        from ndcgstudy.scoring import score

        if not qrels or not runs:
            self.problems.messages.append("give QRELS and one or more RUNs, or --collections")
        chosen = self.problems.attempt(topics_of, topics) if topics else None
        judgments = self._qrels(qrels) if qrels else None
        if self.problems.messages or judgments is None:
            list(self._each(runs))
            return None
        found = self._each(runs)
        once: Iterable[Rankings] = found if self.convention is None else list(found)
        return self._scored(lambda m, p: score(judgments, once, m, p, topics=chosen))

    def _scored(self, action: "Action") -> "Evaluation | None":
        """Score as the convention says, or by the policy alone; a convention may score twice."""
        if self.convention is None:
            return self.problems.attempt(action, self.measures, self.policy)
        from ndcgstudy.conventions import score_as

        return self.problems.attempt(score_as, action, self.measures, self.convention, self.policy)

    def read(self, qrels: str, runs: list[str], topics: str) -> "Files | None":
        """Read the judgments, of some topics where these are named, and all runs."""
        from ndcgstudy.scoring import on_topics

        chosen = self.problems.attempt(topics_of, topics) if topics else None
        judgments, found = self._qrels(qrels), list(self._each(runs))
        if self.problems.messages or judgments is None:
            return None
        kept = self.problems.attempt(on_topics, judgments, chosen)
        return None if kept is None else Files(kept, found, frozenset(judgments.topics))

    def collections(self, table: str, qrels: str) -> "Evaluation | None":
        """Score runs on the collections that a table names."""
        from ndcgstudy.collections import score_collections

        if qrels:
            self.problems.messages.append("give either QRELS and RUNs or --collections, not both")
        rows = self.problems.attempt(_collection_rows, table) or []
        folder = Path(table).parent
        found: dict[str, Any] = {}
        for name, key in dict.fromkeys((row["collection"], row["qrels"]) for row in rows):
            own = [row for row in rows if row["collection"] == name]
            runs = [self._run(str(folder / r["run"]), r.get("system") or None) for r in own]
            found[name] = (self._qrels(str(folder / key)), [run for run in runs if run])
        if self.problems.messages:
            return None
        return self._scored(lambda m, p: score_collections(found, m, p))

    def _each(self, paths: list[str]) -> "Iterator[Rankings]":
        for path in paths:
            if run := self._run(path):
                yield run

    def _qrels(self, path: str) -> "Judgments | None":
        from ndcgstudy.formats import read_qrels

        return self.problems.attempt(
            read_qrels, path, duplicates=self._duplicates(), grades=self._grades()
        )

    def _run(self, path: str, name: str | None = None) -> "Rankings | None":
        from ndcgstudy.formats import read_run

        if not os.path.exists(path) and path != "-" and _is_measure(path):
            self.problems.messages.append(f"{path}: no such run; write -m before each measure")
            return None
        return self.problems.attempt(read_run, path, name=name, duplicates=self._duplicates())

    def _duplicates(self) -> str:
        return self.duplicates if self.duplicates in ("first", "max") else "error"

    def _grades(self) -> str:
        return "float" if self.grades == "float" else "int"


def split_measures(text: str) -> list[str]:
    """Split "nDCG@10 AP" at blanks outside parentheses, and trec_eval's "P.5,10" into its measures."""
    from ndcgstudy.expressions import split
    from ndcgstudy.measures.names import several

    return [one for part in split(text) or [text] for one in several(part)]


def say_readings(*measures: str) -> None:
    """Say how names of other tools were read."""
    from ndcgstudy.measures import readings

    for line in readings(measures):
        say(f"measure {line}")


def _is_measure(text: str) -> bool:
    from ndcgstudy.measures import MEASURES

    try:
        MEASURES.parse(text)
    except ValueError:
        return False
    return True


def topics_of(text: str) -> list[str]:
    """Read topics from a file, one a line, or from a list with commas."""
    from ndcgstudy.formats.textfile import read_text

    if os.path.isfile(text):  # False, no error, for a list that is too long to be a name
        content = read_text(text).decoded()
        return list(dict.fromkeys(line.strip() for line in content.splitlines() if line.strip()))
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _collection_rows(path: str) -> list[dict[str, str]]:
    """Read the table of collections."""
    import csv
    import io

    from ndcgstudy.formats.textfile import read_text

    reader = csv.DictReader(io.StringIO(read_text(path).decoded(), newline=""))
    try:
        missing = {"collection", "qrels", "run"} - set(reader.fieldnames or [])
        if missing:
            raise ValueError(f"{path}: line 1: missing columns {', '.join(sorted(missing))}")
        rows = list(reader)
    except csv.Error as error:
        raise ValueError(f"{path}: line {reader.line_num}: {error}") from None
    for line, row in enumerate(rows, start=2):
        if not all(row[name] for name in ("collection", "qrels", "run")):
            raise ValueError(f"{path}: line {line}: collection, qrels and run must not be empty")
    if not rows:
        raise ValueError(f"{path}: the table names no collection")
    return rows
