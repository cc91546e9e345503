"""Small random collections that have all that conventions differ on."""

from pathlib import Path
from typing import Any

import numpy as np

Nested = dict[str, dict[str, float]]
LETTERS = list("abcdefghijklmnop")


def drawn(rng: np.random.Generator, topics: int = 25) -> tuple[Nested, Nested]:
    """Draw judgments and a run.

    With unjudged documents, ties, ties made by 32 bits, topics that the run lacks, topics without a
    relevant document or without one retrieved, and documents with the id of their topic.
    """
    qrels: Nested = {}
    run: Nested = {}
    for topic in map(str, range(1, topics + 1)):
        names = [f"{c}{i}" for i, c in enumerate(rng.permutation(LETTERS))]
        docs = [topic, *names]
        top = int(rng.choice([0, 1, 3], p=[0.2, 0.2, 0.6]))
        judged = rng.permutation(docs)[: rng.integers(2, 14)].tolist()
        grades = rng.integers(0, top + 1, len(judged)).tolist()
        qrels[topic] = dict(zip(judged, grades, strict=True))
        if rng.random() < 0.85:
            retrieved = rng.permutation(docs)[: rng.integers(2, 15)].tolist()
            near = 1 + rng.integers(0, 3, len(retrieved)) * 1e-9
            scores: Any = rng.integers(0, 5, len(retrieved)) * near
            run[topic] = dict(zip(retrieved, scores.tolist(), strict=True))
    return qrels, run


def drawn_runs(rng: np.random.Generator, count: int) -> tuple[Nested, list[Nested]]:
    """Draw judgments and several runs on their topics."""
    qrels, first = drawn(rng)
    return qrels, [first, *(drawn(rng)[1] for _ in range(count - 1))]


def written(folder: Path, qrels: Nested, *runs: Nested) -> list[str]:
    """Write judgments and runs; return their paths."""
    (folder / "qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items())
    )
    for i, run in enumerate(runs):
        (folder / f"run{i}").write_text(
            "".join(
                f"{t} Q0 {d} 1 {s!r} s{i}\n" for t, docs in run.items() for d, s in docs.items()
            )
        )
    return [str(folder / "qrels"), *(str(folder / f"run{i}") for i in range(len(runs)))]
