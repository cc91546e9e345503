"""Direct and aggregated simulation of separability: against two argsorts, and up to 10^12 items."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.harness import Target, child, in_child, medians, report, timed

EIGHT = (
    *("loglog", "log2", "power(beta=0.25)", "power(beta=0.5)"),
    *("power(beta=0.8)", "zipf", "power(beta=2)", "geometric(p=0.5)"),
)
BETAS = tuple(k / 20 for k in range(61))
MILLION, REPLICATES = 10**6, 100


def sampler(name: str, discounts: tuple[str, ...], n: int) -> Callable[[int, int], object]:
    """Return a function of replicates and seed, with all that is laid out once laid out."""
    from ndcgstudy import separability
    from ndcgstudy.discounts import DISCOUNTS
    from ndcgstudy.synthetic import Reference

    parts = [DISCOUNTS.parse(text) for text in discounts]

    def sample(replicates: int, seed: int) -> object:
        rng = np.random.default_rng(seed)
        return getattr(separability, name)(Reference(), parts, [n], replicates=replicates, rng=rng)

    return sample


def argsorts() -> dict[str, float]:
    from ndcgstudy.synthetic import Reference

    lists = [Reference().sample(MILLION, rng=np.random.default_rng(seed)) for seed in range(5)]
    seconds = timed(lambda: [[np.argsort(-s) for s in part.scores] for part in lists])
    return {"seconds": seconds / len(lists)}


def drawing() -> dict[str, float]:
    from ndcgstudy.synthetic import Reference

    rng = np.random.default_rng(0)
    return {"seconds": timed(lambda: [Reference().sample(MILLION, rng=rng) for _ in range(5)]) / 5}


def direct() -> dict[str, float]:
    sample = sampler("simulate", EIGHT, MILLION)
    sample(1, 0)
    return {"seconds": timed(lambda: sample(10, 1)) / 10}


def direct_long() -> dict[str, float]:
    sample = sampler("simulate", EIGHT, 10**7)
    return {"seconds": timed(lambda: sample(1, 1))}


def aggregated(n: int) -> Callable[[], dict[str, float]]:
    def measure() -> dict[str, float]:
        sample = sampler("aggregate", EIGHT, n)
        sample(1, 0)
        return {"seconds": timed(lambda: sample(REPLICATES, 1)) / REPLICATES}

    return measure


def block(seed: int) -> None:
    sampler("aggregate", tuple(f"power(beta={b})" for b in BETAS), 10**12)(50, seed)


def phase() -> dict[str, float]:
    with ProcessPoolExecutor(2) as pool:
        return {"seconds": timed(lambda: list(pool.map(block, range(4))))}


CONTENDERS = {
    "two argsorts, 1e6": argsorts,
    "drawing the items, 1e6": drawing,
    "direct, 1e6": direct,
    "direct, 1e7": direct_long,
    "aggregated, 1e4": aggregated(10**4),
    "aggregated, 1e12": aggregated(10**12),
    "61 betas x 200 at 1e12": phase,
}


def run() -> bool:
    figures = medians([*CONTENDERS], lambda name: in_child("benchmarks.separability", name))
    seconds = {name: values["seconds"] for name, values in figures.items()}
    far = seconds["aggregated, 1e12"]
    targets = [
        Target(
            "direct over the two argsorts",
            seconds["direct, 1e6"] / seconds["two argsorts, 1e6"],
            1.5,
        ),
        Target("aggregated at 1e12 over itself at 1e4", far / seconds["aggregated, 1e4"], 5),
        Target(
            "300 times aggregated at 1e12 over direct at 1e7", 300 * far / seconds["direct, 1e7"], 1
        ),
        Target("a replicate at 1e12 for eight discounts", 1000 * far, 30, "ms"),
        Target("peak memory at 1e12", figures["aggregated, 1e12"]["peak"] / 1e6, 500, "MB"),
        Target("phase diagram on 2 cores", seconds["61 betas x 200 at 1e12"], 120, "s"),
    ]
    return report("separability, eight discounts at once, a replicate", figures, targets)


if __name__ == "__main__":
    child(CONTENDERS)
