"""The public leaderboards that studies look at, each read into `Scores` from the folder of data.

The folder is that which NDCGSTUDY_DATA names; README says where its files come from.
"""

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Scores
from ndcgstudy.formats import read_mteb, read_qrels, read_run, read_scores
from ndcgstudy.inputs import data_folder
from ndcgstudy.scoring import score

BEIR = (
    *("ArguAna", "CQADupstackRetrieval", "ClimateFEVER", "DBPedia", "FEVER", "FiQA2018"),
    *("HotpotQA", "MSMARCO", "NFCorpus", "NQ", "QuoraRetrieval", "SCIDOCS", "SciFact"),
    *("TRECCOVID", "Touche2020"),
)
URBANO = (
    *("web2011_ndcg20", "web2012_ndcg20", "web2013_ndcg20", "web2013_err20", "web2013_ap"),
    *("web2013_rr", "robust2004_ndcg"),
)
TOPIC_SCORES = "topic_scores/trec_dl_2019_2021_passage.csv.gz"
ROUND1 = "trec_covid_round1"


def runs(qrels: Path, measure: str = "nDCG@10") -> Scores:
    """Score the runs in the folder beside a file of judgments."""
    paths = sorted((qrels.parent / "runs").iterdir())
    found = score(read_qrels(qrels), (read_run(path) for path in paths), measure)
    return next(iter(found.scores.values()))


def _urbano(name: str) -> Callable[[Path], Scores]:
    return lambda folder: read_scores(folder / "topic_scores" / "urbano" / f"{name}.csv").scores


def _deep_learning(year: int) -> Callable[[Path], Scores]:
    """Read NIST's own nDCG@10 of a year of the Deep Learning track, passages."""

    def read(folder: Path) -> Scores:
        import pandas as pd

        table = pd.read_csv(folder / TOPIC_SCORES, dtype={"run": str, "qid": str})
        wide = table[table["year"] == year].pivot(index="run", columns="qid", values="ndcg_cut_10")
        return Scores(wide.to_numpy(dtype=float), (*wide.index,), (*wide.columns,), "nDCG@10")

    return read


def _mteb(folder: Path) -> Scores:
    path = folder / "leaderboards" / "mteb_retrieval.csv.gz"
    return read_mteb(path, tasks=BEIR, missing="drop-systems").scores


BOARDS: dict[str, Callable[[Path], Scores]] = {
    "round1": lambda folder: runs(folder / ROUND1 / "round1.qrels.gz"),
    **{f"dl{year}": _deep_learning(year) for year in (2019, 2020, 2021)},
    **{name: _urbano(name) for name in URBANO},
    "beir": lambda folder: read_scores(folder / "leaderboards/beir2021_table2_ndcg10.csv").scores,
    "mteb": _mteb,
}
MEANS_ONLY = ("beir", "mteb")
FILES = (
    f"{ROUND1}/round1.qrels.gz",
    f"{ROUND1}/runs",
    TOPIC_SCORES,
    *(f"topic_scores/urbano/{name}.csv" for name in URBANO),
    "leaderboards/beir2021_table2_ndcg10.csv",
    "leaderboards/mteb_retrieval.csv.gz",
)
"""What the boards are read from, as a study's `inputs`."""


@functools.cache
def board(name: str) -> Scores:
    """Return a board's scores, read once a process.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if name not in BOARDS:
        raise ValueError(f"unknown board {name!r}{nearest(name, list(BOARDS))}")
    return BOARDS[name](data_folder())


def distinct(scores: Scores) -> Scores:
    """Leave out systems that score as an earlier one on every topic."""
    _, first = np.unique(scores.values, axis=0, return_index=True)
    kept = np.sort(first)
    names = tuple(scores.systems[i] for i in kept)
    return Scores(scores.values[kept], names, scores.topics, scores.measure, scores.datasets)
