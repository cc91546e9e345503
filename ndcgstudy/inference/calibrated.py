"""What the calibration study measured of methods and tests, shipped beside this module.

`python -m ndcgstudy.inference.calibrated RESULTS` makes the file from the study's table.
"""

import csv
import functools
import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

FILE = Path(__file__).with_name("calibrated.csv")
LEAST = 0.92  # coverage below which 95% intervals get a caution
COLUMNS = ("boards", "kind", "method", "systems", "topics", "coverage", "ended", "half", "lists")
KINDS = ("one", "all", "test")
WITHOUT = (
    "one decides"  # a kind of board on which no method can hold, and no data show that they are it
)


@dataclass(frozen=True)
class Measured:
    """What was measured of a method on boards of one kind, of so many systems and topics.

    Parameters
    ----------
    boards
        The kind of boards, one of the study's.
    kind
        "one": a gap on its own, "all": all pairs at once, "test": equal pairs.
    coverage
        The share covered by 95% intervals; of tests the share of equal pairs not rejected at .05.
    ended, half
        The share of intervals that have ends, and the half-width of these.
    lists
        How many boards were drawn.
    """

    boards: str
    kind: str
    method: str
    systems: int
    topics: int
    coverage: float
    ended: float
    half: float
    lists: int

    @property
    def held(self) -> bool:
        """Whether the coverage is not below `LEAST`."""
        return self.coverage >= LEAST

    @property
    def said(self) -> str:
        """The coverage with its Monte-Carlo error, as if each board drawn were one trial."""
        error = math.sqrt(self.coverage * (1 - self.coverage) / self.lists)
        share, most = (f"{x:.2f}".removeprefix("0") for x in (self.coverage, error))
        return f"{share} (± {most})"


@functools.cache
def calibrated() -> tuple[Measured, ...]:
    """Return all that was measured."""
    with FILE.open(encoding="utf-8", newline="") as lines:
        return tuple(
            Measured(
                boards=row["boards"],
                kind=row["kind"],
                method=row["method"],
                systems=int(row["systems"]),
                topics=int(row["topics"]),
                coverage=float(row["coverage"]),
                ended=float(row["ended"] or "nan"),
                half=float(row["half"] or "nan"),
                lists=int(row["lists"]),
            )
            for row in csv.DictReader(lines)
        )


def nearest(studied: Iterable[int], number: float) -> int:
    """Return the studied number next to one at hand, by their ratio.

    Examples
    --------
    >>> nearest((3, 5, 10, 25, 50), 2), nearest((3, 5, 10, 25, 50), 30)
    (3, 25)
    """
    return min(studied, key=lambda n: (abs(math.log(n / max(number, 1))), n))


def measured(boards: str, systems: int, topics: float) -> list[Measured]:
    """Return what was measured on a kind of boards at the numbers nearest to those at hand."""
    rows = [row for row in calibrated() if row.boards == boards]
    if not rows:
        return []
    of_topics = nearest({row.topics for row in rows}, topics)
    of_systems = nearest({row.systems for row in rows}, systems)
    return [row for row in rows if row.topics == of_topics and row.systems == of_systems]


def made_from(summary: "pd.DataFrame") -> "pd.DataFrame":
    """Return the table that is shipped, from the summary of the study.

    A method on its own pair is judged by the share of gaps covered, one for all pairs by how often all
    are, a test by the share of equal pairs that it rejects.
    """
    some = summary[(summary["source"] == "resampled") & summary["kind"].isin(KINDS)]
    some = some[some["boards"] != WITHOUT]
    shares = {"one": some["covered"], "all": some["all_covered"], "test": 1 - some["type_1"]}
    coverage = some["kind"].map(str)
    for kind, share in shares.items():
        coverage = coverage.mask(some["kind"] == kind, share)
    table = some.assign(coverage=coverage.astype(float).round(4)).dropna(subset="coverage")
    table["lists"] = table["lists"].where(table["kind"] != "test", table["equal_lists"]).astype(int)
    rounded = table.assign(half=table["half"].round(5), ended=table["ended"].round(4))
    return rounded[list(COLUMNS)].reset_index(drop=True)


def main(results: str) -> None:
    """Write the shipped table from a folder of results."""
    import pandas as pd

    summary = pd.read_csv(Path(results) / "calibration" / "summary.csv")
    made_from(summary).to_csv(FILE, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
