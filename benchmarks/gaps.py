"""Intervals for all gaps of a leaderboard: beside the bare arithmetic, scipy, arch and evalstats."""

from collections.abc import Callable

import numpy as np

from benchmarks.harness import Target, child, in_child, medians, report, timed

SYSTEMS, TOPICS, RESAMPLES = 143, 30, 10_000
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2
FEW = 100  # pairs on which scipy is timed; its time is in proportion to the pairs
LARGE = (200, 10_000, 2_000)


def board(systems: int = SYSTEMS, topics: int = TOPICS) -> np.ndarray:
    """Scores of systems that share the topics' difficulty, a few of them nearly identical."""
    rng = np.random.default_rng(0)
    quality, hardness = rng.random((systems, 1)), rng.random((1, topics))
    noise = rng.random((systems, topics))
    return np.clip(0.4 * quality + 0.8 * hardness + 0.4 * noise - 0.3, 0, 1)


def scores(systems: int = SYSTEMS, topics: int = TOPICS) -> object:
    from ndcgstudy.data import Scores

    names = (tuple(f"s{i}" for i in range(systems)), tuple(f"q{i}" for i in range(topics)))
    return Scores(board(systems, topics), *names, "nDCG@10")


def ours(systems: int, topics: int, resamples: int) -> Callable[[], dict[str, float]]:
    """All gaps at once, and with all rank sets that follow from them: one pass gives both."""

    def measure() -> dict[str, float]:
        from ndcgstudy.inference.gaps import gaps
        from ndcgstudy.inference.ranks import ranks

        given = scores(systems, topics)
        for command in (gaps, ranks):  # loads what is imported when used
            command(scores(3, 5), resamples=99)

        return {
            "gaps": timed(lambda: gaps(given, resamples=resamples)),
            "gaps and ranks": timed(lambda: ranks(given, resamples=resamples)),
        }

    return measure


def bare() -> dict[str, float]:
    """The product of differences and counts, and one partition of what it gives."""
    values, rng = board(), np.random.default_rng(0)
    first, second = np.triu_indices(SYSTEMS, 1)
    counts = rng.multinomial(TOPICS, np.full(TOPICS, 1 / TOPICS), size=RESAMPLES).T.astype(float)
    differences = values[first] - values[second]

    def action() -> None:
        for at in range(0, PAIRS, 128):
            np.partition(differences[at : at + 128] @ counts, [250, 9750], axis=1)

    return {"seconds": timed(action)}


def scipy_() -> dict[str, float]:
    from scipy import stats

    values, rng = board(), np.random.default_rng(0)
    first, second = (part[:FEW] for part in np.triu_indices(SYSTEMS, 1))

    def action() -> None:
        for i, j in zip(first, second, strict=True):
            pair = (values[i] - values[j],)
            stats.bootstrap(pair, np.mean, n_resamples=RESAMPLES, method="percentile", rng=rng)

    return {"seconds": timed(action) / FEW * PAIRS}


def arch_() -> dict[str, float]:
    """The set tied for first alone."""
    from arch.bootstrap import MCS

    def action() -> None:
        MCS(
            1 - board().T, size=0.05, reps=1000, block_size=1, bootstrap="stationary", seed=0
        ).compute()

    return {"seconds": timed(action)}


def evalstats_() -> dict[str, float]:
    from evalstats import all_pairwise

    some = board(30)
    labels = [f"s{i}" for i in range(30)]
    rng = np.random.default_rng(0)
    seconds = timed(
        lambda: all_pairwise(some, labels, method="bootstrap", n_bootstrap=1000, rng=rng)
    )
    return {"seconds": seconds / (30 * 29 / 2) * PAIRS * RESAMPLES / 1000}


CONTENDERS = {
    "ndcgstudy": ours(SYSTEMS, TOPICS, RESAMPLES),
    "bare product and partition": bare,
    "scipy.stats.bootstrap": scipy_,
    "arch MCS, 1,000 resamples": arch_,
    "evalstats.all_pairwise": evalstats_,
    "ndcgstudy, large": ours(*LARGE),
}


def run() -> bool:
    names = ["ndcgstudy", "bare product and partition", "scipy.stats.bootstrap"]
    figures = medians(names, lambda name: in_child(__name__, name))
    for name in (
        CONTENDERS.keys() - figures.keys()
    ):  # once: these take long, and no ratio needs them
        figures[name] = in_child(__name__, name)
    mine = figures["ndcgstudy"]
    whole, limit = mine["gaps and ranks"], figures["bare product and partition"]["seconds"]
    scipy_seconds = figures["scipy.stats.bootstrap"]["seconds"]
    targets = [
        Target(
            "100 times gaps and ranks over scipy.stats.bootstrap", 100 * whole / scipy_seconds, 1
        ),
        Target("gaps and ranks beside the bare product and partition", whole / limit, 3),
        Target(
            "200 systems, 10,000 topics, 2,000 resamples: peak memory, GB",
            figures["ndcgstudy, large"]["peak"] / 1e9,
            1,
            "",
        ),
    ]
    title = (
        f"all {PAIRS:,} gaps of {SYSTEMS} systems on {TOPICS} topics, {RESAMPLES:,} resamples; scipy "
        f"timed on {FEW} pairs, evalstats on 435 pairs and 1,000 resamples, both in proportion"
    )
    return report(title, figures, targets)


if __name__ == "__main__":
    child(CONTENDERS)
