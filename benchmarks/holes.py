"""Bounds on every gap of a real evaluation: 143 runs, 30 topics, 10,153 pairs, grades 0 to 2."""

from itertools import pairwise
from pathlib import Path

from benchmarks.harness import Target, child, in_child, medians, report, timed

ROUND = "trec_covid_round1"
GAPS, FLIPS = 10, 50


def bounds() -> dict[str, float]:
    """Time reading, laying out, and the bounds on all scores and gaps."""
    from ndcgstudy.holes import gap_bounds, lay_out, score_bounds

    found = {}

    def lay() -> None:
        qrels, runs = _read()
        found["tops"] = lay_out(qrels, runs, "nDCG@10")

    seconds = {"read and lay out": timed(lay)}
    seconds["scores"] = timed(lambda: score_bounds(found["tops"]))
    seconds["gaps"] = timed(lambda: gap_bounds(found["tops"]))
    seconds["gaps, all at stake"] = timed(lambda: gap_bounds(found["tops"], "all"))
    return seconds


def flips() -> dict[str, float]:
    """Time the flip budgets of neighbours on the leaderboard."""
    import numpy as np

    from ndcgstudy.holes import flip_budget, lay_out

    tops = lay_out(*_read(), "nDCG@10")
    order = np.argsort(-tops.scores.mean(axis=1), kind="stable")
    names = [tops.systems[i] for i in order]
    pairs = list(pairwise(names))
    return {"a pair": timed(lambda: [flip_budget(tops, *pair) for pair in pairs]) / len(pairs)}


def _read() -> tuple:
    from ndcgstudy import read_qrels, read_run
    from ndcgstudy.inputs import data_folder

    folder = data_folder() / ROUND
    runs = [read_run(path, name=path.stem) for path in sorted((folder / "runs").iterdir())]
    return read_qrels(folder / "round1.qrels.gz"), runs


CONTENDERS = {"bounds": bounds, "flip budgets": flips}


def run() -> bool:
    from ndcgstudy.inputs import data_folder

    folder: Path = data_folder() / ROUND
    if not folder.is_dir():
        print(f"\nbounds on gaps: left out, no such folder: {folder}")
        return True
    figures = medians([*CONTENDERS], lambda name: in_child("benchmarks.holes", name))
    all_, flip = figures["bounds"], figures["flip budgets"]
    targets = [
        Target("bounds on all 10,153 gaps", all_["gaps"], GAPS, " s"),
        Target("the same, all documents at stake", all_["gaps, all at stake"], GAPS, " s"),
        Target("a flip budget, in thousandths of a second", 1000 * flip["a pair"], FLIPS, " ms"),
    ]
    return report("bounds on gaps, 143 runs x 30 topics", figures, targets)


if __name__ == "__main__":
    child(CONTENDERS)
