"""Read and score the files that a call names, gathering every mistake on the way."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy.cli.app import Problems

if TYPE_CHECKING:
    from ndcgstudy.data import Judgments, Rankings
    from ndcgstudy.policies import Policy
    from ndcgstudy.scoring import Evaluation


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
    ) -> None:
        self.problems, self.measures, self.policy = problems, measures, policy
        self.duplicates, self.grades, self.average = duplicates, grades, average

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
        chosen = self.problems.attempt(_topics, topics) if topics else None
        judgments = self._qrels(qrels) if qrels else None
        if self.problems.messages or judgments is None:
            list(self._each(runs))
            return None
        return self.problems.attempt(
            score, judgments, self._each(runs), self.measures, self.policy, topics=chosen
        )

    def collections(self, table: str, qrels: str) -> "Evaluation | None":
        """Score runs on the collections that a table names."""
        from ndcgstudy.collections import score_collections

        if qrels:
            self.problems.messages.append("give either QRELS and RUNs or --collections, not both")
        rows = self.problems.attempt(_collection_rows, table) or []
        folder, found = Path(table).parent, {}
        for name, key in dict.fromkeys((row["collection"], row["qrels"]) for row in rows):
            own = [row for row in rows if row["collection"] == name]
            runs = [self._run(str(folder / r["run"]), r.get("system") or None) for r in own]
            found[name] = (self._qrels(str(folder / key)), [run for run in runs if run])
        if self.problems.messages:
            return None
        return self.problems.attempt(score_collections, found, self.measures, self.policy)

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
    """Split "nDCG@10 AP" at blanks outside parentheses."""
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char.isspace() and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part for part in parts if part] or [text]


def _is_measure(text: str) -> bool:
    from ndcgstudy.measures import MEASURES

    try:
        MEASURES.parse(text)
    except ValueError:
        return False
    return True


def _topics(text: str) -> list[str]:
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
