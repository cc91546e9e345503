"""Runs scored as each tool scores them, beside one of the tools."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.conventions.convention import KNOWN, OWN, plain
from ndcgstudy.conventions.shared import evaluate
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.measures import Measure

if TYPE_CHECKING:
    import pandas as pd

PRINTED = 1e-4
"""One unit of the fourth decimal, to which leaderboards print."""

DIGITS = 12
"""Means are rounded to so many decimals before they are put in order: beyond is rounding of sums."""


def beside(means: Floats, reference: Floats) -> dict[str, float]:
    """Compare the means of runs with those under a reference, leaving out runs without a mean.

    Returns
    -------
    found
        mean, over the runs; tau and tau_ap between the two orders, NaN for fewer than two runs.

    Examples
    --------
    >>> found = beside(np.array([0.4, 0.3, np.nan]), np.array([0.5, 0.6, 0.7]))
    >>> {name: round(value, 2) for name, value in found.items()}
    {'mean': 0.35, 'tau': -1.0, 'tau_ap': -1.0}
    """
    from ndcgstudy.orders import kendall_tau, tau_ap

    both = np.isfinite(means) & np.isfinite(reference)
    own, other = np.round(means[both], DIGITS), np.round(reference[both], DIGITS)
    return {
        "mean": float(own.mean()) if own.size else np.nan,
        "tau": kendall_tau(own, other) if own.size > 1 else np.nan,
        "tau_ap": tau_ap(own, other) if own.size > 1 else np.nan,
    }


def tools_beside(
    judgments: Judgments,
    runs: Iterable[Rankings],
    measure: "str | Measure" = "nDCG@10",
    reference: str = OWN,
    *,
    judged: frozenset[str] | None = None,
) -> "pd.DataFrame":
    """Return a row a tool: what it makes of the runs, compared with a reference.

    Returns
    -------
    table
        Columns tool; what `beside` returns; most_changed, the largest difference of a run's score;
        runs_changed, how many differ by more than `PRINTED`; flipped, the share of pairs of runs in
        opposite orders.

    Raises
    ------
    ValueError
        As `evaluate`, or if the measure names a gain or discount of its own.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q": {"a": 2, "b": 1}})
    >>> run = Rankings.from_dict({"q": {"b": 2.0, "a": 1.0}})
    >>> table = tools_beside(qrels, [run]).set_index("tool")
    >>> table.loc["xgboost", ["mean", "most_changed"]].round(3).tolist()
    [0.797, 0.063]
    """
    import pandas as pd

    conventions = [tool.convention for tool in KNOWN.values()]
    means = evaluate(judgments, runs, conventions, [plain(measure)], judged=judged).means()
    first = means[[*KNOWN].index(reference)]
    one, two = np.triu_indices(first.size, 1)
    means, first = np.round(means, DIGITS), np.round(first, DIGITS)
    rows = []
    for name, own in zip(KNOWN, means, strict=True):
        change = np.nan_to_num(np.abs(own - first))
        opposite = (own[one] - own[two]) * (first[one] - first[two]) < 0
        rows.append(
            {
                "tool": name,
                **beside(own, first),
                "most_changed": float(change.max()),
                "runs_changed": int((change > PRINTED).sum()),
                "flipped": float(opposite.sum() / max(opposite.size, 1)),
            }
        )
    return pd.DataFrame(rows)
