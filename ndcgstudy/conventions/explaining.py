"""Why two conventions give one run two scores: by setting, by topic and by document."""

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.conventions.convention import Convention, is_graded
from ndcgstudy.conventions.shared import Many, evaluate
from ndcgstudy.conventions.shares import changed_documents, shares
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.measures import Measure

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Explanation:
    """The difference of a run's mean score between two conventions, taken apart.

    Parameters
    ----------
    a, b
        The mean under either convention.
    settings
        A row a setting that differs: its values; ``alone``, the change when it alone goes from A's
        value to B's; ``part``, its Shapley value, so that the parts sum to b - a.
    topics
        A row a topic: its scores; ``part``, what it adds to b - a; a column a setting with that
        setting's share of this.
    documents
        A row a document whose rank or share of its topic's score differs: rank, grade and share.
    """

    a: float
    b: float
    settings: "pd.DataFrame"
    topics: "pd.DataFrame"
    documents: "pd.DataFrame"


def explain(
    judgments: Judgments,
    run: Rankings,
    measure: Measure,
    a: Convention,
    b: Convention,
    *,
    judged: frozenset[str] | None = None,
) -> Explanation:
    """Take apart the difference between two conventions for one run.

    All 2^d conventions between A and B, which differ in d settings, are computed. A setting's part is
    the mean over all orders of changing one setting after the other of what its change does (its
    Shapley value), so the parts sum to the whole, whatever the order; its change alone need not.

    Raises
    ------
    ValueError
        If the measure is neither nDCG nor DCG, or the run cannot be scored.

    Examples
    --------
    >>> from ndcgstudy.measures import nDCG
    >>> qrels = Judgments.from_dict({"q": {"a": 2, "b": 1}})
    >>> run = Rankings.from_dict({"q": {"b": 2.0, "a": 1.0}})
    >>> found = explain(qrels, run, nDCG(), Convention(), Convention().but(gain="exponential"))
    >>> found.settings[["setting", "a", "b", "part"]].round(3).values.tolist()
    [['gain', 'linear', 'exponential', -0.063]]
    """
    if not is_graded(measure):
        raise ValueError(f"`explain` takes nDCG or DCG, not {measure}")
    theirs, ours = b.changes_from(a), a.changes_from(b)
    names = tuple(theirs)
    subsets = list(itertools.product((False, True), repeat=len(names)))
    between = [
        a.but(**{n: theirs[n] for n, s in zip(names, s_, strict=True) if s}) for s_ in subsets
    ]
    many = evaluate(judgments, [run], between, [measure], judged=judged)
    parts = np.array([_parts(many.values(i)[0]) for i in range(len(between))])
    for place, name in ((0, a), (-1, b)):
        if not np.isfinite(many.values(place)).any():
            raise ValueError(f"{run.source}: no topic counts under {name}")
    values = parts.reshape(*(2,) * len(names), len(many.topics))
    shapley = [_shapley(values, axis) for axis in range(len(names))]
    return Explanation(
        a=float(parts[0].sum()),
        b=float(parts[-1].sum()),
        settings=_settings(ours, theirs, values, shapley),
        topics=_topics(many, parts[-1] - parts[0], dict(zip(names, shapley, strict=True))),
        documents=changed_documents(*(shares(judgments, run, measure, how) for how in (a, b))),
    )


def _parts(values: Floats) -> Floats:
    """Return what each topic adds to the mean: its score over the number that count."""
    counted = np.isfinite(values)
    return np.where(counted, values, 0.0) / max(int(counted.sum()), 1)


def _shapley(values: Floats, axis: int) -> Floats:
    """Return the Shapley value of one setting for each topic.

    `values` has an axis of length 2 a setting, 0 for A's value and 1 for B's, and one of topics.
    """
    d = values.ndim - 1
    change = np.take(values, 1, axis) - np.take(values, 0, axis)
    total = np.zeros(values.shape[-1])
    for others in itertools.product((0, 1), repeat=d - 1):
        size = sum(others)
        weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
        total += weight * change[others]
    return total


def _settings(
    ours: dict[str, Any], theirs: dict[str, Any], values: Floats, shapley: list[Floats]
) -> "pd.DataFrame":
    import pandas as pd

    means = values.sum(axis=-1)
    rows = []
    for axis, name in enumerate(theirs):
        alone = tuple(int(i == axis) for i in range(len(theirs)))
        rows.append(
            {
                "setting": name,
                "a": str(ours[name]),
                "b": str(theirs[name]),
                "alone": float(means[alone] - means[(0,) * len(theirs)]),
                "part": float(shapley[axis].sum()),
            }
        )
    columns = ["setting", "a", "b", "alone", "part"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("part", key=abs, ascending=False, kind="stable", ignore_index=True)


def _topics(many: Many, part: Floats, shapley: dict[str, Floats]) -> "pd.DataFrame":
    import pandas as pd

    last = len(many.conventions) - 1
    table = pd.DataFrame(
        {
            "topic": many.topics,
            "a": many.values(0)[0],
            "b": many.values(last)[0],
            "part": part,
            **shapley,
        }
    )
    return table.sort_values("part", key=abs, ascending=False, kind="stable", ignore_index=True)
