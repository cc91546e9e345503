"""Where a method is used under conditions in which it was measured not to hold."""

import numpy as np

from ndcgstudy.inference.calibrated import Measured, measured
from ndcgstudy.inference.methods import Bools, Task
from ndcgstudy.inference.samples import Sample
from ndcgstudy.inference.smoothed import effective, units
from ndcgstudy.words import many

NEAR = "near-duplicates"
ALIKE_TOPICS, ALIKE_VARIANCE = 0.1, 0.02
MANY_ZEROS, FEW_VALUES = 0.75, 0.5
WHAT = {"one": "the gaps", "all": "boards with all their gaps"}


def cautions(task: Task, method: str) -> tuple[str, ...]:
    """Say where the calibration study found a method's 95% intervals to cover less than .92.

    It is asked about boards like the one at hand: of its kind, and of the numbers of systems and topics
    nearest to its own; and about near-duplicates, where there are any.
    """
    sample = task.sample
    found = {
        kind: [row for row in _like(sample, kind) if row.method == method and not row.held]
        for kind in (kind_of(sample), NEAR)
    }
    count = int(alike(task).sum()) if found[NEAR] else 0
    here = f"; {count} of {many(len(task.family.pairs[0]), 'pair')} here are near-duplicates"
    told = [f"method {method}: {_of(row)}" for row in found[kind_of(sample)]]
    near = [f"method {method}: {_of(row)}{here}" for row in found[NEAR] if count]
    return (*told, *near)


def _like(sample: Sample, kind: str) -> list[Measured]:
    return measured(kind, len(sample.systems), units(sample))


def with_ends(task: Task, together: bool) -> str:
    """Name the narrowest method that held on boards like the one at hand and always had ends."""
    rows = _like(task.sample, kind_of(task.sample))
    kind = "all" if together else "one"
    good = [row for row in rows if row.kind == kind and row.held and row.ended == 1]
    if not good:
        return ""
    best = min(good, key=lambda row: row.half)
    return f"; method {best.method} has ends and {_of(best)}"


def cautions_of_test(test: str, topics: float) -> tuple[str, ...]:
    """Say where the study found a test at .05 to reject more than .08 of equal pairs."""
    rows = [row for kind in ("nDCG", "P@1, RR") for row in measured(kind, 10, topics)]
    return tuple(
        f"test {test}: rejected {1 - row.coverage:.2f} of equal pairs at .05 on boards of "
        f"{row.boards} with {row.topics} topics (results/calibration)"
        for row in rows
        if row.kind == "test" and row.method == test and not row.held
    )


def _of(row: Measured) -> str:
    return (
        f"its 95% intervals covered {row.said} of {WHAT[row.kind]} in boards of {row.boards} with "
        f"{row.systems} systems and {row.topics} topics (results/calibration)"
    )


def kind_of(sample: Sample) -> str:
    """Return the kind of boards in the study that a sample is like.

    "sparse": three scores in four are 0; "P@1, RR": half of them are among three values; else "nDCG".
    """
    values = np.sort(np.unique(sample.values, return_counts=True)[1])
    zeros, three = float((sample.values == 0).mean()), float(values[-3:].sum() / sample.values.size)
    if zeros >= MANY_ZEROS:
        return "sparse"
    return "P@1, RR" if three >= FEW_VALUES else "nDCG"


def alike(task: Task) -> Bools:
    """Say which pairs are near-duplicates, (pairs,).

    A tenth of the topics or fewer differ (their effective number), or the variance of the gap is 2% or
    less of that of two unrelated systems.
    """
    sample, (first, second) = task.sample, task.family.pairs
    own = sample.moments(sample.centred(sample.values))[1][:, 0]
    parts = [
        (effective(sample.contributions(d)), sample.moments(sample.centred(d))[1][:, 0])
        for d in task.blocks()
    ]
    differing, variances = (np.concatenate(column) for column in zip(*parts, strict=True))
    few = differing <= ALIKE_TOPICS * units(sample)
    return np.asarray(few | (variances <= ALIKE_VARIANCE * (own[first] + own[second])))
