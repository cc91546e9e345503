"""Whether nDCG below 1 is the share of the ideal that a system reached.

On a topic it is DCG over that of the ideal order. A mean over topics is a mean of such shares, which
weighs topics alike, whatever their ideals are worth; and the share of the ideal's DCG is not that of its
relevant documents. All runs of two tracks.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.data import Floats
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLACK, BLUE, RED
from ndcgstudy.holes.flips import TIE
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.ids import Index
from ndcgstudy.ledger import Checks, check, read_claims
from ndcgstudy.measures import score_grades
from ndcgstudy.orders import kendall_tau
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
COLLECTIONS = {
    "DL 2021": ("trec_dl2021_passage/nist.qrels.gz", "trec_dl2021_passage/runs"),
    "COVID round 1": ("trec_covid_round1/round1.qrels.gz", "trec_covid_round1/runs"),
}
DEPTH = 100  # the runs end there
MEASURES = ("nDCG@10", "DCG@10", f"nDCG@{DEPTH}", f"R@{DEPTH}")
MARGIN = 0.005
"""How far a mean may be from what it is taken for: half a unit of the second decimal."""


def grid(scale: str) -> list[Parameters]:
    """Lay out the collections; nothing is sampled, so that both scales are alike."""
    return [{"collection": name} for name in COLLECTIONS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return each run's means beside the shares that they might be taken for."""
    name = parameters["collection"]
    qrels, folder = COLLECTIONS[name]
    judgments = loaded_qrels(qrels)
    found = score(judgments, loaded_runs(folder), MEASURES).scores
    ndcg, dcg, deep, recall = (found[measure].values for measure in MEASURES)
    best = ideals(judgments.topic, judgments.grade)
    means = [x.mean(axis=1) for x in (ndcg, dcg / best.mean(), deep, recall)]
    off = np.abs(ndcg - dcg / best).max(axis=1)
    return [
        {"collection": name, "run": run, "topics": len(best), "off": o, "ndcg": n, "ratio": d}
        | {"ndcg_deep": deep_, "recall": r}
        for run, o, n, d, deep_, r in zip(found["nDCG@10"].systems, off, *means, strict=True)
    ]


def ideals(topic: Index, grade: Floats) -> Floats:
    """Return DCG@10 of each topic's judged documents in the order of their grades."""
    falling = (np.sort(grade[topic == t])[::-1] for t in range(int(topic.max()) + 1))
    return np.array([float(score_grades("DCG@10", grades)) for grades in falling])


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the runs, and a line a collection."""
    found = []
    for name, part in rows.groupby("collection", sort=False):
        apart = part["ratio"] - part["ndcg"]
        less = part["recall"] - part["ndcg_deep"]
        found.append(
            {"collection": name, "runs": len(part), "topics": int(part["topics"].iloc[0])}
            | {"topic_off": part["off"].max(), "mean_off": apart.abs().max()}
            | {"ratio_less": apart.mean(), "tau": kendall_tau(part["ratio"], part["ndcg"])}
            | {"recall_off": less.abs().median(), "recall_less": less.mean()}
        )
    return {"table": rows, "summary": pd.DataFrame(found)}


def _shares(tables: Tables) -> Checks:
    """A30: a topic's nDCG, a mean of it, and the share of the relevant documents."""
    rows = []
    for row in tables["summary"].to_dict("records"):
        of = f"{row['runs']} runs of {row['collection']}"
        topic = f"largest difference on a topic of nDCG@10 and DCG@10 over the ideal's, {of}"
        mean = f"largest difference of mean nDCG@10 and mean DCG@10 over the mean ideal, {of}"
        last = f"median difference of nDCG@{DEPTH} and the share of relevant documents found, {of}"
        rows += [
            check(topic, row["topic_off"], 0, within=TIE),
            check(mean, row["mean_off"], 0, within=MARGIN, limit=True),
            check(last, row["recall_off"], 0, within=MARGIN, limit=True),
        ]
    return rows


def draw_shares(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the ratio of means against the mean of ratios, a point a run."""
    for (name, rows), colour in zip(
        table.groupby("collection", sort=False), (BLUE, RED), strict=False
    ):
        ax.plot(rows["ndcg"], rows["ratio"], ".", color=colour, label=name)
    ax.axline((0, 0), slope=1, color=BLACK, lw=0.7)
    ax.set_xlabel("mean of nDCG@10 over topics")
    ax.set_ylabel("mean DCG@10 over the mean ideal")
    ax.legend(frameon=False)
    return ax


def answer(tables: Tables) -> str:
    """Say how far means are from the share of all ideals."""
    parts = [
        f"{row.collection}: the mean of nDCG@10 and the share of all topics' ideals differ by up to "
        f"{row.mean_off:.3f} (tau {row.tau:.3f}), and nDCG@{DEPTH} and recall by {row.recall_off:.2f} in "
        "the median"
        for row in tables["summary"].itertuples()
    ]
    return f"A topic's nDCG is the share of its ideal. {'. '.join(parts)}."


STUDY = Study(
    question="Is nDCG the share of the ideal that a system reached?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={"shares": Drawing(draw_shares, size=(3.6, 3.2))},
    decisions=(
        Decision(
            CLAIMS["A30"],
            _shares,
            (changed("summary", topic_off=0.1), changed("summary", mean_off=0.0, recall_off=0.0)),
        ),
    ),
    inputs=tuple(name for names in COLLECTIONS.values() for name in names),
)
