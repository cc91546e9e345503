"""Agreement with preferences: 20 measures on 6,315 pairs, intervals from 2,000 resamples of queries."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import Target, child, in_child, medians, report, timed

PAIRS, QUERIES, RANKS, RESAMPLES = 6315, 432, 5, 2000
MEASURES = tuple(
    f"{name}(gain={gain},discount={discount})@5"
    for name in ("nDCG", "DCG")
    for gain in ("linear", "exponential")
    for discount in ("log2", "zipf", "constant", "power(beta=0.5)", "geometric(p=0.8)")
)
FEW = 2
"""How many measures the loop over scipy takes, to be scaled to all of them."""


@cache
def drawn() -> Any:
    """Draw pairs of lists with answers that lean to the better one, as many as there are of music."""
    from ndcgstudy.measures import score_grades

    rng = np.random.default_rng(0)
    grades = rng.integers(0, 3, (2, PAIRS, RANKS)).astype(float)
    lead = np.subtract(*score_grades("DCG", grades)) + rng.logistic(size=PAIRS)
    return (
        grades,
        np.where(np.abs(lead) < 0.7, 0, np.sign(lead)).astype(int),
        rng.integers(0, QUERIES, PAIRS),
    )


def scored() -> Any:
    """Score all lists under all measures: differences of shape (measures, pairs)."""
    from ndcgstudy.measures import score_grades

    grades, _, _ = drawn()
    scores = np.array([score_grades(measure, grades, ideal=[2.0] * RANKS) for measure in MEASURES])
    return scores[:, 0] - scores[:, 1]


def ours() -> dict[str, float]:
    from ndcgstudy.agreement.result import agreement

    _, preference, cluster = drawn()

    def whole() -> None:
        found = agreement(
            scored(),
            preference,
            cluster,
            MEASURES,
            rng=np.random.default_rng(0),
            resamples=RESAMPLES,
        )
        found.table()

    def intervals() -> None:
        rng = np.random.default_rng(0)
        agreement(
            difference, preference, cluster, MEASURES, rng=rng, resamples=RESAMPLES
        ).intervals()

    difference = scored()
    intervals()
    return {"seconds": timed(whole), "intervals": min(timed(intervals) for _ in range(3))}


def peer(vectorized: bool) -> Callable[[], dict[str, float]]:
    """Return a loop over measures and rates, each a bootstrap of scipy's over the queries."""

    def measure() -> dict[str, float]:
        from scipy.stats import bootstrap

        from ndcgstudy.agreement.counts import outcomes
        from ndcgstudy.agreement.resampling import cluster_counts

        _, preference, cluster = drawn()
        sums = cluster_counts(outcomes(scored()[:FEW], preference), cluster, QUERIES)
        shares = [
            lambda *n, axis=-1: n[0].sum(axis) / (n[0].sum(axis) + n[1].sum(axis)),
            lambda *n, axis=-1: n[0].sum(axis) / sum(x.sum(axis) for x in n[:3]),
            lambda *n, axis=-1: (n[0] + n[2] / 2).sum(axis) / sum(x.sum(axis) for x in n[:3]),
            lambda *n, axis=-1: n[3].sum(axis) / (n[3].sum(axis) + n[4].sum(axis)),
        ]
        how: dict[str, Any] = {"paired": True, "n_resamples": RESAMPLES, "method": "percentile"}
        how |= {"vectorized": vectorized, "rng": np.random.default_rng(0)}

        def loop() -> None:
            for m in range(FEW):
                for share in shares:
                    bootstrap(tuple(sums[:, m, :5].T), share, **how)

        return {"intervals": timed(loop) * len(MEASURES) / FEW}

    return measure


CONTENDERS = {
    "ndcgstudy": ours,
    "scipy, resamples at once": peer(True),
    "scipy, one by one": peer(False),
}


def run() -> bool:
    figures = medians([*CONTENDERS], lambda name: in_child("benchmarks.agreement", name, threads=1))
    own = figures["ndcgstudy"]
    targets = [
        Target(
            f"scores, counts, intervals, table: {len(MEASURES)} measures", own["seconds"], 2, " s"
        ),
        *(
            Target(
                f"50 times the intervals over {name}",
                50 * own["intervals"] / figures[name]["intervals"],
                1,
            )
            for name in figures
            if name != "ndcgstudy"
        ),
    ]
    title = f"agreement, {PAIRS} pairs of {QUERIES} queries, {RESAMPLES} resamples"
    return report(title, figures, targets)


if __name__ == "__main__":
    child(CONTENDERS)
