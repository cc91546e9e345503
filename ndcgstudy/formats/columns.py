"""The columns of a table: what each holds, and which of them name systems, topics and data sets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ndcgstudy.checks import nearest
from ndcgstudy.formats.asked import Asked
from ndcgstudy.formats.cells import Cell, Table, name_of
from ndcgstudy.formats.roles import is_id, place, role_of
from ndcgstudy.formats.scorecells import NONE, score_of

_NUMBERLIKE = re.compile(r"[+-]?[.,]?\d")
_COUNTED = 3


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    at, name
        Its place from 0, and its header.
    cells
        What it holds.
    decimal
        The table's decimal mark.
    """

    at: int
    name: str
    cells: Sequence[Cell]
    decimal: str

    @cached_property
    def numbers(self) -> list[float]:
        """Its numbers, without missing ones; empty where a cell holds anything else."""
        scores = [score_of(cell, self.decimal) for cell in self.cells]
        found = [score.value for score in scores if score is not None and score is not NONE]
        return found if None not in scores else []

    @cached_property
    def is_text(self) -> bool:
        """Whether it holds text and nothing that may be a number, as no column of scores does."""
        filled = [cell for cell in self.cells if score_of(cell, self.decimal) is not NONE]
        return bool(filled) and not any(_NUMBERLIKE.match(name_of(cell)) for cell in filled)

    @property
    def is_blank(self) -> bool:
        """Whether it has no name and holds nothing."""
        return not self.name and not any(name_of(cell) for cell in self.cells)

    @property
    def shown(self) -> str:
        """Its name for messages, or its number where it has none."""
        return repr(self.name) if self.name else f"column {self.at + 1}"

    @property
    def is_fractional(self) -> bool:
        """Whether it holds numbers and some are not whole, as no column of names does."""
        return any(number % 1 for number in self.numbers)

    @property
    def is_counting(self) -> bool:
        """Whether it holds whole numbers that go up by 1."""
        found = self.numbers
        steps = {b - a for a, b in pairwise(found)}
        return len(found) == len(self.cells) >= _COUNTED and steps == {1} and found[0] % 1 == 0

    @property
    def identifies(self) -> bool:
        """Whether it holds no scores: it is named as ids or counts are, or its numbers only count."""
        named = role_of(self.name) in ("system", "topic", "dataset") and not self.is_fractional
        return is_id(self.name) or (bool(self.numbers) and (named or self.is_counting))


def columns_of(table: Table) -> list[Column]:
    """Return the columns of a table that has a header, without blank ones."""
    header = table.header or ()
    cells = [*zip(*(row.cells for row in table.rows), strict=True)] or [()] * len(header)
    found = [Column(i, header[i], cells[i], table.decimal) for i in range(len(header))]
    return [column for column in found if not column.is_blank]


def named(table: Table, columns: Sequence[Column], name: str) -> Column:
    """Return a column by its name, or raise `ValueError` with the known ones."""
    for column in columns:
        if column.name == name:
            return column
    raise table.wrong(f"no column {name!r}{nearest(name, [c.name for c in columns])}", table.start)


def by_role(table: Table, columns: Sequence[Column], asked: Asked) -> dict[str, Column]:
    """Return the columns that name systems, topics, data sets and measures, and that of the score.

    A name that the call gives goes first. A column of fractions names nothing, whatever it is called.

    Raises
    ------
    ValueError
        If a column is not there, or two name the systems in different ways.
    """
    found = {role: named(table, columns, name) for role, name in asked.columns.items()}
    free = [c for c in columns if c.name not in (*asked.keep, *asked.drop)]
    free = [c for c in free if c.at not in {column.at for column in found.values()}]
    for role in ("system", "topic", "dataset", "measure", "value"):
        fits = [c for c in free if role_of(c.name) == role]
        if role != "value":
            fits = [c for c in fits if not c.is_fractional]
        if role in found or not fits:
            continue
        if role in ("topic", "dataset"):  # the one that names the most
            fits.sort(key=lambda c: -len(set(c.cells)))
            fits = [c for c in fits if len(set(c.cells)) == len(set(fits[0].cells))]
        found[role] = min(fits, key=lambda c: place(c.name, role))
        if role == "system":
            _check_one(table, found[role], fits)
    return found


def _check_one(table: Table, chosen: Column, fits: Sequence[Column]) -> None:
    """Refuse a second column of systems that splits the rows where the first does not."""
    groups = len(set(chosen.cells))
    for other in fits:
        if len({*zip(chosen.cells, other.cells, strict=True)}) > groups:
            names = " or ".join(repr(c.name) for c in fits)
            raise table.wrong(
                f"which column names the systems, {names}? say --column system=NAME", table.start
            )
