"""Results against earlier ones: to the last digit, or within their standard errors."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ndcgstudy import read_results, results
from ndcgstudy.decision import Tables
from ndcgstudy.ledger import Verdict
from ndcgstudy.study import StandardError, Study

if TYPE_CHECKING:
    import pandas as pd

MOST = 4.0
"""How many standard errors two samples may lie apart."""

_ROUNDING = 1e-9  # tables hold ten digits


@dataclass(frozen=True)
class Difference:
    """A value that is not what it was; `apart` counts standard errors where it is sampled."""

    file: str
    row: str
    column: str
    before: str
    now: str
    apart: str = ""


def share(column: str, count: str = "replicates") -> "Callable[[pd.DataFrame], pd.Series[Any]]":
    """Return the function of a table that gives the standard error of a share of `count` trials.

    Two successes and two failures are added (Agresti and Coull 1998), so that it is not 0 at 0 or 1.

    Examples
    --------
    >>> import pandas as pd
    >>> share("p")(pd.DataFrame({"p": [1.0], "replicates": [96]})).round(4).tolist()
    [0.014]
    """

    def error(table: "pd.DataFrame") -> "pd.Series[Any]":
        trials = table[count] + 4
        p = (table[column] * table[count] + 2) / trials
        found: pd.Series[Any] = (p * (1 - p) / trials) ** 0.5
        return found

    return error


def _gap_error(table: "pd.DataFrame") -> "pd.Series[Any]":
    """Return the standard error of the mean gap, whose standard deviation is gap / z."""
    error: pd.Series[Any] = table["gap"] / table["z"] / table["replicates"] ** 0.5
    return error


SUMMARY: Mapping[str, StandardError] = {
    **dict.fromkeys(("replicates", "mean_a", "mean_b", "last_wrong", "last_wrong_95")),
    **{name: share(name) for name in ("p_right", "p_tied", "wrong_from")},
    "gap": _gap_error,
}
"""The sampled columns of a table of paired rankers (`separability.summarise`) and their errors."""


def differences(
    study: Study,
    before: read_results.Results,
    tables: Tables,
    verdicts: Sequence[Verdict],
    *,
    exact: bool,
    same_grid: bool = True,
) -> list[Difference]:
    """Return what differs between earlier results and new ones.

    Parameters
    ----------
    exact
        Whether seed, scale and options are the same, so that every digit must be. Otherwise the
        sampled columns may differ by `MOST` standard errors, and claims by what was measured.
    same_grid
        Whether both have the same rows; else only those in common are compared.
    """
    found = _verdicts(before, verdicts, exact=exact)
    for name in sorted({*before.tables, *tables}):
        file = f"{name}.csv"
        if name not in tables or name not in before.tables:
            place = ("there", "missing") if name not in tables else ("missing", "there")
            found.append(Difference(file, "", "", *place))
            continue
        now = _read_back(tables[name])
        errors = {} if exact else sampled(study, now)
        found += _table(file, before.tables[name], now, errors, exact or same_grid)
    return found


def sampled(study: Study, table: "pd.DataFrame") -> dict[str, StandardError]:
    """Return the sampled columns of a table, each with where its standard error is to be found."""
    columns = list(map(str, table))
    found: dict[str, StandardError] = {
        name: f"{name}_se" for name in columns if f"{name}_se" in columns
    }
    found |= {name: error for name, error in study.errors.items() if name in columns}
    tails = ("_se", "_low", "_high")
    derived = {f"{name}{tail}" for name in found for tail in tails}
    return found | {name: None for name in columns if name in derived}


def _read_back(table: "pd.DataFrame") -> "pd.DataFrame":
    """Return a table as it is read from its file."""
    return read_results.read_table(results.table_bytes(table), results.text_columns(table))


def _verdicts(
    before: read_results.Results, verdicts: Sequence[Verdict], *, exact: bool
) -> list[Difference]:
    old = {claim.id: verdict for claim, verdict in before.claims}
    found = []
    for verdict in verdicts:
        was = old.pop(verdict.id, None)
        for column in ("ruling", "measured", "why") if exact else ("ruling",):
            one, two = (str(getattr(v, column)) if v else "missing" for v in (was, verdict))
            if one != two:
                found.append(Difference("claims.csv", verdict.id, column, one, two))
    return found + [Difference("claims.csv", key, "", "there", "missing") for key in old]


def _table(
    file: str,
    old: "pd.DataFrame",
    new: "pd.DataFrame",
    errors: Mapping[str, StandardError],
    same_grid: bool,
) -> list[Difference]:
    """Compare two tables row by row; rows are the same where all that is not sampled is."""
    columns, were = list(map(str, new)), list(map(str, old))
    if were != columns:
        return [Difference(file, "", "columns", ", ".join(were), ", ".join(columns))]
    if not errors:
        return _exact(file, old, new) if same_grid else _among(file, old, new)
    keys = [name for name in columns if name not in errors]
    ones, twos = _by_key(old, keys, errors), _by_key(new, keys, errors)
    found = []
    if same_grid or not ones.keys() & twos.keys():
        found = [Difference(file, _row(k), "", "there", "missing") for k in ones if k not in twos]
        found += [Difference(file, _row(k), "", "missing", "there") for k in twos if k not in ones]
    for key in ones:
        found += _sampled(file, key, ones[key], twos.get(key, ones[key]))
    return found


def _among(file: str, old: "pd.DataFrame", new: "pd.DataFrame") -> list[Difference]:
    """Compare two tables without sampled columns: all rows of the shorter are among the longer's."""
    columns = list(map(str, new))
    ones, twos = _by_key(old, columns, {}), _by_key(new, columns, {})
    if len(ones) < len(twos):
        return [Difference(file, _row(k), "", "there", "missing") for k in ones if k not in twos]
    return [Difference(file, _row(k), "", "missing", "there") for k in twos if k not in ones]


def _exact(file: str, old: "pd.DataFrame", new: "pd.DataFrame") -> list[Difference]:
    if len(old) != len(new):
        return [Difference(file, "", "rows", str(len(old)), str(len(new)))]
    return [
        Difference(file, str(row + 1), str(column), _text(one), _text(two))
        for column in new
        for row, (one, two) in enumerate(zip(old[column], new[column], strict=True))
        if _text(one) != _text(two)
    ]


Key = tuple[str, ...]
Value = tuple[float, float]


def _by_key(
    table: "pd.DataFrame", keys: Sequence[str], errors: Mapping[str, StandardError]
) -> dict[Key, dict[str, Value]]:
    """Return, for each row, its sampled values with their standard errors."""
    known = {name: error for name, error in errors.items() if error is not None}
    error = {n: table[e] if isinstance(e, str) else e(table) for n, e in known.items()}
    names = [tuple(map(_text, row)) for row in table[[*keys]].itertuples(index=False)]
    return {
        key: {name: (float(table[name].iloc[i]), float(error[name].iloc[i])) for name in known}
        for i, key in enumerate(names)
    }


def _sampled(
    file: str, key: Key, old: Mapping[str, Value], new: Mapping[str, Value]
) -> list[Difference]:
    found = []
    for name, (one, error) in old.items():
        two, other = new[name]
        spread = math.hypot(error, other)
        if math.isnan(spread) and not math.isnan(one - two):
            continue  # its error is not known: the spread is that of numbers below the smallest
        near = abs(one - two) <= MOST * spread + _ROUNDING * max(abs(one), abs(two))
        if not near and not (math.isnan(one) and math.isnan(two)):
            apart = f"{abs(one - two) / spread:.1f}" if spread else ""
            found.append(Difference(file, _row(key), name, _text(one), _text(two), apart))
    return found


def _text(value: Any) -> str:
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _row(key: Key) -> str:
    return ", ".join(key)
