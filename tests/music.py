"""Pairs for the tests of agreement: those of music with their known counts, and small random ones."""

from pathlib import Path

import pandas as pd

from ndcgstudy import Judgments, read_qrels

MEASURES = {
    "nDCG@5": ((1148, 1304, 0.872), (1863, 2068, 0.891)),
    "nDCG(gain=exp)@5": ((1141, 1304, 0.867), (1859, 2070, 0.889)),
    "DCG(discount=constant)@5": ((1119, 1256, 0.850), (1825, 2009, 0.873)),
    "nDCG(discount=zipf)@5": ((1142, 1303, 0.868), (1851, 2065, 0.886)),
    "RR@5": ((859, 967, 0.653), (1480, 1609, 0.708)),
    "P@5": ((1085, 1214, 0.824), (1736, 1902, 0.831)),
    "RBP(p=0.8,gain=linear)@5": ((1145, 1304, 0.870), (1864, 2070, 0.892)),
    "ERR(max_grade=2)@5": ((1130, 1304, 0.859), (1854, 2069, 0.887)),
}
"""(agree, pairs that the measure decides, share with ties as misses) in the two sets."""

SETS = {"urbano2012": 1316, "urbano2015": 2090}
"""How many answers of each set prefer a list."""


def pairs_file(data: Path) -> Path:
    return data / "preferences" / "music_pairs.jsonl.gz"


def judgments(data: Path) -> Judgments:
    """The judgments of all queries."""
    file, columns = data / "preferences" / "music_qrels.tsv.gz", ["qid", "docno", "label"]
    frame = pd.read_csv(file, sep="\t", dtype={"query": str, "doc": str}, usecols=[0, 1, 2])
    return read_qrels(frame.set_axis(columns, axis=1))


def sample(rng, measures=3, count=60, clusters=12):
    """Differences with ties among them, answers and clusters."""
    difference = rng.choice([-0.4, -0.2, 0.0, 1e-14, 0.2, 0.4], (measures, count))
    return difference, rng.choice([-1, 0, 1], count), rng.integers(0, clusters, count)
