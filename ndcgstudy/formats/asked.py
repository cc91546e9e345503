"""What a call says on how a table of scores is to be read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ndcgstudy.checks import nearest
from ndcgstudy.formats.cells import Table
from ndcgstudy.formats.roles import ROLES, normal

SIDES = ("rows", "columns")


@dataclass(frozen=True)
class Asked:
    """Choices where the names in a table leave one.

    Parameters
    ----------
    systems
        "rows" or "columns": where the systems of a wide table are; None as its names say.
    columns
        Names of columns by role: system, topic, dataset, measure, value.
    measure
        The one measure to take of a long table; None where it has but one.
    keep, drop
        Names of rows or columns that are scores after all, or that are left out.

    Raises
    ------
    ValueError
        If a word is unknown, or a name is both kept and dropped.
    """

    systems: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    measure: str | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.systems is not None and self.systems not in SIDES:
            raise ValueError(f"unknown systems {self.systems!r}{nearest(self.systems, [*SIDES])}")
        for role in self.columns:
            if role not in ROLES:
                raise ValueError(f"unknown role {role!r}{nearest(role, [*ROLES])}")
        if both := sorted({*self.keep} & {*self.drop}):
            raise ValueError(f"{both[0]!r} cannot be both kept and dropped")

    def check_used(self, table: Table, names: Iterable[Any]) -> None:
        """Refuse a name to keep or drop that no row or column has."""
        known = {*map(str, names), *(table.header or ())}
        for option in ("keep", "drop"):
            for name in getattr(self, option):
                if name not in known:
                    shown = sorted(known, key=lambda other: normal(other) != normal(name))[:20]
                    raise table.wrong(f"{option}: no row or column {name!r}{nearest(name, shown)}")
