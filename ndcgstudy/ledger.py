"""Claims and what numbers say of them: a verdict is computed from checks, never typed."""

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy.checks import nearest

if TYPE_CHECKING:
    import pandas as pd


class Ruling(StrEnum):
    """What a study can say of a claim."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    CONTRADICTED = "contradicted"
    CITED = "cited only"


@dataclass(frozen=True)
class Claim:
    """A statement put to the test, e.g. ``Claim("A3", "Grades 3 2 3 0 1 2: DCG 6.861.")``."""

    id: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """What the numbers of a study say of a claim.

    Parameters
    ----------
    id
        The claim's.
    ruling
        One of `Ruling`.
    measured
        The figure, with its interval where it has one.
    why
        One sentence, made from the numbers.
    """

    id: str
    ruling: Ruling
    measured: str
    why: str


def check(
    quantity: str, value: float, stated: float, *, within: float = 0.0, limit: bool = False
) -> dict[str, Any]:
    """Return a row that compares a computed value with the one that a claim states.

    Parameters
    ----------
    within
        How far the value may be off: half a unit of the last digit stated, or a bound on rounding.
    limit
        Whether the row looks beyond what the claim must mean to be true at all. A limit that is
        not met makes a condition of the claim, not a contradiction.

    Examples
    --------
    >>> check("weight of rank 2", 0.6309, 0.631, within=0.0005)["met"]
    True
    """
    return {
        "quantity": quantity,
        "value": float(value),
        "stated": float(stated),
        "within": float(within),
        "limit": limit,
        "met": bool(abs(value - stated) <= within),
    }


def judge(claim: str, checks: "pd.DataFrame") -> Verdict:
    """Decide a claim from the rows of its checks.

    It holds if all are met, holds with a condition if only limits are not, and is contradicted
    otherwise.

    Examples
    --------
    >>> import pandas as pd
    >>> judge("B4", pd.DataFrame([check("loss at rank 10", 0.711, 0.54, within=0.005)]))
    Verdict(id='B4', ruling=<Ruling.CONTRADICTED: 'contradicted'>, measured='loss at rank 10: 0.711', \
why='loss at rank 10 is 0.711, not 0.54.')
    """
    main, limits = checks[~checks["limit"]], checks[checks["limit"]]
    measured = _listed(main, "{quantity}: {value:.4g}")
    if not main["met"].all():
        why = _listed(main[~main["met"]], "{quantity} is {value:.4g}, not {stated:.4g}")
        return Verdict(claim, Ruling.CONTRADICTED, measured, f"{why}.")
    same = f"{len(main)} of {len(main)} figures are as stated"
    if limits["met"].all():
        return Verdict(claim, Ruling.HOLDS, measured, f"{same}.")
    why = _listed(limits[~limits["met"]], "{quantity} is {value:.4g}, not {stated:.4g}")
    return Verdict(claim, Ruling.CONDITION, measured, f"{same}; but {why}.")


def _listed(rows: "pd.DataFrame", form: str) -> str:
    return "; ".join(form.format_map(row) for _, row in rows.iterrows())


_YES_OR_NO = re.compile(r"(?: \(|(; ))1: yes\)(?:: | is )([01])(?:, not 1)?")


def spoken(text: str) -> str:
    """Return a figure or reason for reading: yes or no where a check is true or false, not 1 or 0.

    Examples
    --------
    >>> spoken("p 0.018 < .05 (1: yes): 1; lead (urbano; 1: yes) is 0, not 1.")
    'p 0.018 < .05: yes; lead (urbano): no.'
    """
    return _YES_OR_NO.sub(
        lambda m: f"{')' if m[1] else ''}: {'yes' if m[2] == '1' else 'no'}", text
    )


Checks = list[dict[str, Any]]
Test = Callable[[], Checks]


def read_claims(path: Path) -> dict[str, Claim]:
    """Read claims from a CSV file with the columns id and claim."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: Claim(row["id"], row["claim"]) for row in csv.DictReader(file)}


class Tests:
    """Some of the known claims, each with the function that puts it to the test.

    Examples
    --------
    >>> tests = Tests({"X1": Claim("X1", "One and one is two.")})
    >>> @tests.of("X1")
    ... def _sum():
    ...     return [check("1 + 1", 1 + 1, 2)]
    >>> tests.rows("X1")[0]["claim"], tests.rows("X1")[0]["met"]
    ('X1', True)
    """

    __test__ = False  # not a test of pytest's

    def __init__(self, known: Mapping[str, Claim]) -> None:
        self.known = known
        self._tests: dict[str, Test] = {}

    def of(self, key: str) -> Callable[[Test], Test]:
        """Decorate the test of a claim, a function that returns its checks.

        Raises
        ------
        ValueError
            If the claim is unknown or has a test already.
        """

        def decorate(test: Test) -> Test:
            if key not in self.known:
                raise ValueError(f"unknown claim {key!r}{nearest(key, [*self.known])}")
            if key in self._tests:
                raise ValueError(f"claim {key} has two tests")
            self._tests[key] = test
            return test

        return decorate

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims in the order of their tests."""
        return tuple(self.known[key] for key in self._tests)

    def rows(self, key: str) -> Checks:
        """Put one claim to the test; every row names the claim."""
        return [{"claim": key, **row} for row in self._tests[key]()]

    def verdicts(self, checks: "pd.DataFrame") -> list[Verdict]:
        """Judge every claim by its rows."""
        return [judge(key, checks[checks["claim"] == key]) for key in self._tests]
