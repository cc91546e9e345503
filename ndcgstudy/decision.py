"""How a claim is decided: its checks, and counterfactual tables on which each comes out otherwise."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ndcgstudy.checks import nearest
from ndcgstudy.ledger import Checks, Claim, Verdict, judge
from ndcgstudy.measures import score_grades

if TYPE_CHECKING:
    import pandas as pd

Tables = Mapping[str, "pd.DataFrame"]
Counterfactual = Callable[[Tables], Tables]
Score = Callable[[str, Any], Any]
"""(measure, grades) -> scores, as `score_grades`."""

Test = Callable[[Score], Checks]


@dataclass(frozen=True)
class Decision:
    """A claim, its checks as a pure function of a study's tables, and what would change them.

    Parameters
    ----------
    claim
        The claim.
    checks
        ``tables -> rows`` of `ndcgstudy.ledger.check` and `true`, as many rows for any tables.
    counterfactuals
        ``tables -> tables``: what a study might have found instead. Every check must come out both ways
        over the tables at hand and these, or it decides nothing; a test of all studies sees to that.
    source
        A publication, where the claim repeats its figures: the checks compare the transcription, and
        the claim is "cited only".
    premise
        What a study takes for granted and does not test: a claim that holds, holds with this condition.

    Examples
    --------
    >>> import pandas as pd
    >>> from ndcgstudy.ledger import check
    >>> ahead = Decision(
    ...     Claim("X1", "A is ahead by 2."),
    ...     lambda tables: [check("lead", tables["table"]["lead"].mean(), 2)],
    ...     (changed(lead=0),),
    ... )
    >>> print(ahead.verdict({"table": pd.DataFrame({"lead": [1, 3]})}).ruling)
    holds
    """

    claim: Claim
    checks: Callable[[Tables], Checks]
    counterfactuals: tuple[Counterfactual, ...] = ()
    source: str = ""
    premise: str = ""

    def verdict(self, tables: Tables) -> Verdict:
        """Judge the claim by its checks."""
        import pandas as pd

        rows = pd.DataFrame(self.checks(tables))
        return judge(self.claim.id, rows, source=self.source, premise=self.premise)


def changed(table: str = "table", where: str = "", **columns: Any) -> Counterfactual:
    """Return a counterfactual in which a table has other values in some columns.

    Parameters
    ----------
    table
        Its name.
    where
        A query that selects the rows to change; all of them without it.
    columns
        Values, or functions of the table that return them.

    Examples
    --------
    >>> import pandas as pd
    >>> tables = {"table": pd.DataFrame({"n": [1, 2], "z": [0.5, 0.7]})}
    >>> changed(where="n > 1", z=lambda t: -t["z"])(tables)["table"]["z"].tolist()
    [0.5, -0.7]
    """

    def change(tables: Tables) -> Tables:
        found = tables[table]
        new = found.assign(**columns)
        if where:
            kept = ~found.index.isin(found.query(where).index)
            for name in columns:
                new[name] = new[name].where(~kept, found[name])
        return {**tables, table: new}

    return change


def together(*changes: Counterfactual) -> Counterfactual:
    """Return a counterfactual that makes several changes one after another."""

    def change(tables: Tables) -> Tables:
        for one in changes:
            tables = one(tables)
        return tables

    return change


class Tests:
    """Claims on what measures give for lists that are written down, each with its test.

    A test computes its checks with the measures it is given. Its counterfactuals give it others under
    the same names.

    Examples
    --------
    >>> from ndcgstudy.ledger import check
    >>> tests = Tests({"X1": Claim("X1", "A document at rank 3 is worth half its gain.")})
    >>> @tests.of("X1", {"DCG": "DCG(discount=zipf)"})
    ... def _half(score):
    ...     return [check("DCG of 0 0 1", score("DCG", [0, 0, 1]), 0.5)]
    >>> [round(row["value"], 3) for row in tests.rows("X1")]
    [0.5]
    """

    __test__ = False  # not a test of pytest's

    def __init__(self, known: Mapping[str, Claim]) -> None:
        self.known = known
        self._tests: dict[str, tuple[Test, tuple[Mapping[str, str], ...]]] = {}

    def of(self, key: str, *instead: Mapping[str, str]) -> Callable[[Test], Test]:
        """Decorate the test of a claim; `instead` names, a counterfactual, what measures to replace by which.

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
            self._tests[key] = test, instead
            return test

        return decorate

    def __iter__(self) -> Iterator[str]:
        return iter(self._tests)

    def rows(self, key: str, instead: Mapping[str, str] = MappingProxyType({})) -> Checks:
        """Put one claim to the test; every row names the claim."""
        test, _ = self._tests[key]
        return [{"claim": key, **row} for row in test(_replacing(instead))]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Decide each claim by its rows of the table "table", in the order of the tests."""
        return tuple(
            Decision(
                self.known[key],
                partial(_rows_of, key),
                tuple(map(partial(self._other, key), instead)),
            )
            for key, (_, instead) in self._tests.items()
        )

    def _other(self, key: str, instead: Mapping[str, str]) -> Counterfactual:
        """Return the tables that other measures under the same names would have given."""
        import pandas as pd

        return lambda tables: {**tables, "table": pd.DataFrame(self.rows(key, instead))}


def _replacing(instead: Mapping[str, str]) -> Score:
    return lambda measure, grades: score_grades(instead.get(measure, measure), grades)


def _rows_of(key: str, tables: Tables) -> Checks:
    table = tables["table"]
    return [
        {str(k): v for k, v in row.items()}
        for row in table[table["claim"] == key].to_dict("records")
    ]
