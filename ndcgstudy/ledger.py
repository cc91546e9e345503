"""Claims and what numbers say of them: a verdict is computed from checks, never typed."""

import csv
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    quantity: str,
    value: float,
    stated: float,
    *,
    within: float = 0.0,
    low: float = math.nan,
    high: float = math.nan,
    limit: bool = False,
) -> dict[str, Any]:
    """Return a row that compares a computed value with the one that a claim states.

    Parameters
    ----------
    within
        How far the value may be off: half a unit of the last digit stated, or a bound on rounding.
    low, high
        The ends of the value's interval, NaN where it has none. They are shown and decide nothing.
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
        "low": float(low),
        "high": float(high),
        "stated": float(stated),
        "within": float(within),
        "limit": limit,
        "met": bool(abs(value - stated) <= within),
    }


def true(
    quantity: str,
    met: bool,
    *,
    value: float = math.nan,
    low: float = math.nan,
    high: float = math.nan,
    limit: bool = False,
) -> dict[str, Any]:
    """Return a row like `check`'s that says whether something is so; it has no stated value.

    Parameters
    ----------
    value, low, high
        The figure that tells and the ends of its interval, NaN where there is none.

    Examples
    --------
    >>> told(true("share above 1/2", True, value=0.635, low=0.574, high=0.692))
    'share above 1/2: yes, 0.635 [0.574, 0.692]'
    """
    row = check(quantity, value, math.nan, low=low, high=high, limit=limit)
    return {**row, "met": bool(met)}


def interval(row: Mapping[Any, Any], column: str) -> dict[str, float]:
    """Return the ends of the 95% interval of a column: those beside it, or 1.96 standard errors off.

    Parameters
    ----------
    row
        With ``x_low`` and ``x_high``, or else ``x_se``, beside the column ``x``.

    Examples
    --------
    >>> interval({"gain": 2.0, "gain_se": 0.5}, "gain")
    {'low': 1.02, 'high': 2.98}
    """
    if f"{column}_low" in row:
        return {end: float(row[f"{column}_{end}"]) for end in ("low", "high")}
    half = 1.96 * row[f"{column}_se"]
    return {"low": float(row[column] - half), "high": float(row[column] + half)}


def told(row: Mapping[Any, Any]) -> str:
    """Return the figure of a check with its interval, and whether it is so where this is asked.

    Examples
    --------
    >>> told(check("share", 0.63492, 0.63, low=0.57386, high=0.69192))
    'share: 0.6349 [0.574, 0.692]'
    """
    figure = _figure(row)
    if math.isnan(row["stated"]):
        shown = "" if math.isnan(row["value"]) else f", {figure}"
        figure = f"{'yes' if row['met'] else 'no'}{shown}"
    return f"{row['quantity']}: {figure}"


def missed(row: Mapping[Any, Any]) -> str:
    """Return what is found by a check that is not met, and what is stated.

    Examples
    --------
    >>> missed(check("loss at rank 10", 0.711, 0.54))
    'loss at rank 10: 0.711, not 0.54'
    """
    return told(row) + ("" if math.isnan(row["stated"]) else f", not {row['stated']:.4g}")


def _figure(row: Mapping[Any, Any]) -> str:
    """Return the value, with its interval where it has one."""
    interval = "" if math.isnan(row["low"]) else f" [{row['low']:.3g}, {row['high']:.3g}]"
    return f"{row['value']:.4g}{interval}"


def judge(claim: str, checks: "pd.DataFrame", *, source: str = "", premise: str = "") -> Verdict:
    """Decide a claim from the rows of its checks.

    It holds if all are met, holds with a condition if only limits are not, and is contradicted
    otherwise.

    Parameters
    ----------
    source
        The publication whose figures the claim repeats: with all checks met it is cited only.
    premise
        What is assumed and not tested: with all checks met the claim holds with this condition.

    Examples
    --------
    >>> import pandas as pd
    >>> judge("B4", pd.DataFrame([check("loss at rank 10", 0.711, 0.54, within=0.005)]))
    Verdict(id='B4', ruling=<Ruling.CONTRADICTED: 'contradicted'>, measured='loss at rank 10: 0.711', \
why='loss at rank 10: 0.711, not 0.54.')
    """
    main, limits = checks[~checks["limit"]], checks[checks["limit"]]
    measured = _listed(main, told)
    if not main["met"].all():
        return Verdict(
            claim, Ruling.CONTRADICTED, measured, f"{_listed(main[~main['met']], missed)}."
        )
    count = {1: "The check is", 2: "Both checks are"}.get(len(main), f"All {len(main)} checks are")
    given = f"; assumed, not tested: {premise}" if premise else ""
    if not limits["met"].all():
        why = _listed(limits[~limits["met"]], missed)
        return Verdict(claim, Ruling.CONDITION, measured, f"{count} met; but {why}{given}.")
    if source:
        return Verdict(claim, Ruling.CITED, measured, f"The figures are as published: {source}.")
    ruling = Ruling.CONDITION if premise else Ruling.HOLDS
    return Verdict(claim, ruling, measured, f"{count} met{given}.")


def _listed(rows: "pd.DataFrame", text: Callable[[Mapping[Any, Any]], str]) -> str:
    return "; ".join(text(row) for row in rows.to_dict("records"))


Checks = list[dict[str, Any]]


def read_claims(path: Path) -> dict[str, Claim]:
    """Read claims from a CSV file with the columns id and claim."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["id"]: Claim(row["id"], row["claim"]) for row in csv.DictReader(file)}
