"""Rows of qrels and runs, written as lines in TREC's form that keep the numbers of the rows."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ndcgstudy.formats.cells import Row, Table, name_of
from ndcgstudy.formats.textfile import TextFile

_IDS = {"topic": "topic", "doc": "document"}


@dataclass(frozen=True)
class Rewritten(TextFile):
    """A table as lines in TREC's form, each on the line where its row was.

    Parameters
    ----------
    original
        The file; its lines are shown where rows are lines.
    unit
        What a row is: "line", "record" or "row".
    tag
        What the run is called.
    told
        What was recognised.
    """

    original: TextFile | None = None
    unit: str = "line"
    tag: str = ""
    told: str = ""

    @property
    def exact(self) -> bool:
        """Whether places within a line are those of the file."""
        return False

    def line(self, number: int) -> str:
        """Return a line of the file, or the row as a line."""
        if self.unit == "line" and self.original is not None:
            return self.original.line(number)
        return super().line(number)


@dataclass(frozen=True)
class Columns:
    """Where the columns are, and the names by which they were found."""

    at: dict[str, int]
    named: dict[str, str]


def _text(table: Table, row: Row, at: int, what: str) -> str:
    """Return a cell as a field of a line."""
    text = name_of(row.cells[at])
    if what in _IDS and len(text.split()) != 1:
        raise table.wrong(f"{_IDS[what]} {text!r} must be an id without blanks", row.number)
    return re.sub(r"\s", "_", text) or "(empty)"


def qrels_lines(table: Table, columns: Columns) -> Iterator[tuple[int, str]]:
    """Yield the lines of judgments, with their numbers."""
    for row in table.rows:
        topic, doc = (_text(table, row, columns.at[k], k) for k in ("topic", "doc"))
        yield row.number, f"{topic} 0 {doc} {_text(table, row, columns.at['grade'], 'grade')}"


def run_lines(table: Table, columns: Columns) -> Iterator[tuple[int, str]]:
    """Yield the lines of a run; without a score the rank makes one, without a rank the score does."""
    at = columns.at
    if not table.rows:
        raise table.wrong("no rows below the header", table.start)
    if not {"score", "rank"} & at.keys():
        raise table.wrong("a run needs a column of scores or of ranks", table.start)
    rows = [tuple(_text(table, row, at[k], k) for k in ("topic", "doc")) for row in table.rows]
    if "score" in at:
        scores = [_text(table, row, at["score"], "score") for row in table.rows]
        ranks = _ranks([topic for topic, _ in rows], scores)
    if "rank" in at:
        ranks = [_text(table, row, at["rank"], "rank") for row in table.rows]
    if "score" not in at:
        scores = [_falling(table, row, rank) for row, rank in zip(table.rows, ranks, strict=True)]
    for row, (topic, doc), rank, score in zip(table.rows, rows, ranks, scores, strict=True):
        yield row.number, f"{topic} Q0 {doc} {rank} {score} x"


def _falling(table: Table, row: Row, rank: str) -> str:
    if not re.fullmatch(r"\d+(\.0+)?", rank):
        raise table.wrong(f"rank {rank!r} is not a whole number", row.number)
    return f"-{rank}"


def _ranks(topics: Sequence[str], scores: Sequence[str]) -> list[str]:
    """Rank documents by their scores, topic by topic, where a table has no ranks."""
    place = {topic: i for i, topic in enumerate(dict.fromkeys(topics))}
    topic = np.array([place[name] for name in topics])
    try:
        score = np.array([float(text) for text in scores])
    except ValueError:
        return ["1"] * len(scores)  # the reader names what is no number
    order = np.lexsort((-score, topic))
    counts = np.bincount(topic)
    ranks = np.empty(topic.size, dtype=np.int64)
    ranks[order] = np.arange(topic.size) - np.repeat(np.cumsum(counts) - counts, counts) + 1
    return [str(rank) for rank in ranks]


def numbered(lines: Iterable[tuple[int, str]]) -> bytes:
    """Put each line on the place of its number, with empty lines between."""
    parts: list[str] = []
    for number, line in lines:
        parts += [""] * (number - 1 - len(parts))
        parts.append(line)
    return "".join(f"{line}\n" for line in parts).encode()


def tag_of(table: Table, columns: Columns) -> str:
    """Return what a run is called: by its column, or by its file.

    Raises
    ------
    ValueError
        If the column names several runs.
    """
    if "tag" not in columns.at:
        return stem(table.name)
    names = dict.fromkeys(name_of(row.cells[columns.at["tag"]]) for row in table.rows)
    if len(names) > 1:
        column, some = columns.named.get("tag", "tag"), ", ".join([*names][:3])
        raise table.wrong(f"column {column!r} names {len(names)} runs ({some}): one file a run")
    return next(iter(names), "") or stem(table.name)


def stem(name: str) -> str:
    """Return a file's name without folder and suffixes.

    Examples
    --------
    >>> stem("runs/bm25.json.gz")
    'bm25'
    """
    own = Path(name).name
    return own.split(".")[0] or own
