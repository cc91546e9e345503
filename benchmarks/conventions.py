"""Many conventions over one set of runs, against the time of one scoring of them.

The runs are those of TREC-COVID round 1 where the data are there, else drawn to their size.
"""

import itertools
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import Target, child, in_child, medians, report, timed

RUNS, TOPICS, DEPTH, JUDGED, HOLES = 143, 30, 100, 290, 0.3
MEASURE = "nDCG@10"
CHOICES = {
    "gain": ("linear", "exponential"),
    "discount": ("log2", "jk2002", "zipf"),
    "ideal": ("cut", "all"),
    "ties": ("trec", "average", "input"),
    "unjudged": ("nonrelevant", "condensed"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "one", "skip"),
}  # 432, of which the first 400 are taken
CONVENTIONS = 400


def one(qrels: str, folder: str) -> dict[str, float]:
    """Score the runs once, after reading them and with reading them."""
    from ndcgstudy import read_qrels, read_run, score

    judged, runs = read_qrels(qrels), [read_run(path) for path in sorted(Path(folder).iterdir())]
    score(judged, runs[:1], MEASURE)
    again = lambda: score(  # noqa: E731
        read_qrels(qrels), map(read_run, sorted(Path(folder).iterdir())), MEASURE
    )
    alone = timed(lambda: score(judged, runs, MEASURE))
    return {"seconds": alone, "with reading": timed(again)}


def many(qrels: str, folder: str) -> dict[str, float]:
    """Score the runs under many conventions."""
    from ndcgstudy import read_qrels, read_run
    from ndcgstudy.conventions.convention import Convention
    from ndcgstudy.conventions.shared import evaluate
    from ndcgstudy.measures import MEASURES

    combined = itertools.islice(itertools.product(*CHOICES.values()), CONVENTIONS)
    conventions = [
        Convention().but(**dict(zip(CHOICES, levels, strict=True))) for levels in combined
    ]
    part = [MEASURES.parse(MEASURE)]
    judged, runs = read_qrels(qrels), [read_run(path) for path in sorted(Path(folder).iterdir())]
    evaluate(judged, runs[:1], conventions[:1], part)

    def again() -> None:
        runs = map(read_run, sorted(Path(folder).iterdir()))
        evaluate(read_qrels(qrels), runs, conventions, part).means()

    alone = timed(lambda: evaluate(judged, runs, conventions, part).means())
    return {"seconds": alone, "with reading": timed(again)}


CONTENDERS = {"one convention": one, f"{CONVENTIONS} conventions": many}


def write_files(folder: Path) -> tuple[str, str]:
    """Write runs that share most of their documents, with ties and holes, and their qrels."""
    rng = np.random.default_rng(20200415)
    grades = rng.choice(3, (TOPICS, JUDGED), p=[0.7, 0.15, 0.15])
    with (folder / "qrels").open("w") as file:
        file.writelines(
            f"{t} 0 d{d:05d} {grades[t, d]}\n" for t in range(TOPICS) for d in range(JUDGED)
        )
    (folder / "runs").mkdir()
    pool = int(JUDGED / (1 - HOLES))
    for i in range(RUNS):
        with (folder / "runs" / f"run{i:03d}").open("w") as file:
            for topic in range(TOPICS):
                docs = rng.choice(pool, DEPTH, replace=False)
                scores = np.sort(rng.normal(10, 3, DEPTH).round(2))[::-1]
                file.writelines(
                    f"{topic} Q0 d{doc:05d} {rank} {score} run{i}\n"
                    for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), start=1)
                )
    return str(folder / "qrels"), str(folder / "runs")


def run() -> bool:
    from ndcgstudy.inputs import data_folder

    with tempfile.TemporaryDirectory() as folder:
        real = data_folder() / "trec_covid_round1"
        files = (str(real / "round1.qrels.gz"), str(real / "runs"))
        if not real.is_dir():
            files = write_files(Path(folder))
        figures = medians(
            [*CONTENDERS], lambda name: in_child("benchmarks.conventions", name, *files)
        )
    once, all_ = figures.values()
    targets = [
        Target(
            f"{CONVENTIONS} conventions over one, read already",
            all_["seconds"] / once["seconds"],
            25,
        ),
        Target(
            f"{CONVENTIONS} conventions over one, with reading",
            all_["with reading"] / once["with reading"],
            25,
        ),
    ]
    which = "of TREC-COVID round 1" if real.is_dir() else "drawn"
    title = (
        f"{CONVENTIONS} conventions for {RUNS} runs {which}, {TOPICS} topics x {DEPTH} documents"
    )
    return report(title, figures, targets)


if __name__ == "__main__":
    child(CONTENDERS)
