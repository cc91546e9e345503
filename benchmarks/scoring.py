"""From text files to per-topic nDCG@10: 2,000 topics x 1,000 documents, beside four peers."""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import Target, child, in_child, medians, report, timed

TOPICS, DEPTH, JUDGED = 2000, 1000, 100
MORE = ["nDCG@20", "nDCG@100", "AP", "RR", "P@10", "R@100", "RBP", "ERR@20", "Bpref", "Judged@10"]


def ours(qrels: str, run: str) -> dict[str, float]:
    from ndcgstudy import read_qrels, read_run, score

    read = {}

    def first() -> None:
        read["qrels"], read["run"] = read_qrels(qrels), read_run(run)
        score(read["qrels"], read["run"], "nDCG@10")

    seconds = timed(first)
    return {"seconds": seconds, "ten more": timed(lambda: score(read["qrels"], read["run"], MORE))}


def ours_alone(qrels: str, run: str) -> dict[str, float]:
    from ndcgstudy import read_qrels, read_run, score

    return {"seconds": timed(lambda: score(read_qrels(qrels), read_run(run), "nDCG@10"))}


def pytrec(qrels: str, run: str) -> dict[str, float]:
    import pytrec_eval

    def action() -> None:
        with open(qrels) as q, open(run) as r:
            judged, ranked = pytrec_eval.parse_qrel(q), pytrec_eval.parse_run(r)
        pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut_10"}).evaluate(ranked)

    return {"seconds": timed(action)}


def ir(qrels: str, run: str) -> dict[str, float]:
    import ir_measures

    def action() -> None:
        judged, ranked = ir_measures.read_trec_qrels(qrels), ir_measures.read_trec_run(run)
        list(ir_measures.iter_calc([ir_measures.nDCG @ 10], judged, ranked))

    return {"seconds": timed(action)}


def ranx_(qrels: str, run: str) -> dict[str, float]:
    import ranx

    def action() -> None:
        judged = ranx.Qrels.from_file(qrels, kind="trec")
        ranked = ranx.Run.from_file(run, kind="trec")
        ranx.evaluate(judged, ranked, "ndcg@10", make_comparable=True, return_mean=False)

    return {"seconds": timed(action)}


def pandas_c(qrels: str, run: str) -> dict[str, float]:
    import pandas as pd

    return {"seconds": timed(lambda: pd.read_csv(run, sep=" ", header=None, engine="c"))}


def pandas_arrow(qrels: str, run: str) -> dict[str, float]:
    import pandas as pd

    return {"seconds": timed(lambda: pd.read_csv(run, sep=" ", header=None, engine="pyarrow"))}


CONTENDERS = {
    "ndcgstudy": ours_alone,
    "ndcgstudy, ten more": ours,
    "pytrec_eval": pytrec,
    "ir-measures": ir,
    "ranx, first call": ranx_,
    "pandas read only, C": pandas_c,
    "pandas read only, pyarrow": pandas_arrow,
}


def write_files(folder: Path) -> tuple[str, str]:
    """Write a run and its qrels, half of the judged documents among the retrieved."""
    rng = np.random.default_rng(20130612)
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as run:
        for topic in range(1000, 1000 + TOPICS):
            docs = rng.choice(9_000_000, DEPTH + JUDGED // 2, replace=False)
            scores = np.sort(rng.normal(10, 3, DEPTH))[::-1]
            ranked = zip(docs, scores, strict=False)
            run.writelines(
                f"{topic} Q0 d{doc:07d} {rank} {score:.3f} x\n"
                for rank, (doc, score) in enumerate(ranked, start=1)
            )
            judged = np.concatenate(
                [rng.choice(docs[:DEPTH], JUDGED // 2, replace=False), docs[DEPTH:]]
            )
            grades = rng.choice(4, judged.size, p=[0.6, 0.2, 0.1, 0.1])
            qrels.writelines(
                f"{topic} 0 d{d:07d} {g}\n" for d, g in zip(judged, grades, strict=True)
            )
    return str(folder / "qrels"), str(folder / "run")


def run() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder))
        size = Path(files[1]).stat().st_size
        figures = medians([*CONTENDERS], lambda name: in_child("benchmarks.scoring", name, *files))
    us = figures["ndcgstudy"]
    reader = min(figures[f"pandas read only, {engine}"]["seconds"] for engine in ("C", "pyarrow"))
    speed = {"pytrec_eval": 2.5, "ir-measures": 5, "ranx, first call": 20}
    targets = [
        Target(
            f"time as a share of that of {name} / {times:g}",
            us["seconds"] * times / figures[name]["seconds"],
            1,
        )
        for name, times in speed.items()
    ]
    targets += [
        Target("time over pandas' fastest read of the run alone", us["seconds"] / reader, 2.5),
        Target("peak memory over the size of the run", us["peak"] / size, 8),
        Target(
            "ten more measures over the first",
            figures["ndcgstudy, ten more"]["ten more"] / figures["ndcgstudy, ten more"]["seconds"],
            1,
        ),
    ]
    title = f"text files ({size / 1e6:.0f} MB run) to per-topic nDCG@10"
    return report(title, figures, targets)


if __name__ == "__main__":
    child(CONTENDERS)
