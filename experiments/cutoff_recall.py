"""What nDCG@5 and nDCG@20 say of the first page and of recall, on real deep runs.

Seventeen runs of TREC Robust 2003, a thousand documents deep, on 100 topics. How well does the mean of
nDCG at a cutoff order runs as precision on the first page (P@10) and recall to 20, 100 and 1000 do? By
Pearson's correlation and Kendall's tau over runs; and, on a topic, by the correlation over runs averaged
over topics. Intervals are percentiles over drawn topics.
"""

import lzma
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREEN, RED
from ndcgstudy.formats import read_qrels
from ndcgstudy.inputs import loader
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.orders import kendall_tau
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
QRELS, RUNS = "trec_robust2003/qrels.txt.xz", "trec_robust2003/runs.tsv.xz"
CUTOFFS = ("nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "nDCG@1000")
TARGETS = ("P@10", "R@20", "R@100", "R@1000")
DEPTH = 1000
RESAMPLES = {"quick": 200, "full": 5000}

qrels_of = loader(read_qrels)


@loader
def lists(path: Path) -> list[tuple[str, str, list[str]]]:
    """Read the runs: topic, run, and documents, best first."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        next(file)
        rows = (line.rstrip("\n").split("\t") for line in file)
        return [(topic, run, docs.split()) for topic, run, docs in rows]


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell."""
    return [{"qrels": QRELS, "resamples": RESAMPLES[scale]}]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return how each cutoff goes with each target, and what nDCG@20 has over nDCG@5."""
    scores = scored()
    topics = next(iter(scores.values())).shape[1]
    weights = [np.full(topics, 1 / topics)]
    draws = rng.integers(0, topics, (parameters["resamples"], topics))
    weights += [np.bincount(at, minlength=topics) / topics for at in draws]
    found = np.array([related(scores, w) for w in weights])  # (resamples, ways, cutoffs, targets)
    rows = []
    for way, name in enumerate(WAYS):
        for k, target in enumerate(TARGETS):
            for i, cutoff in enumerate(CUTOFFS):
                rows.append({"cutoff": cutoff, **_ends(found[:, way, i, k])})
                rows[-1] |= {"way": name, "target": target}
            five, twenty = (CUTOFFS.index(f"nDCG@{cut}") for cut in (5, 20))
            rows.append(
                {"cutoff": LEAD, **_ends(found[:, way, twenty, k] - found[:, way, five, k])}
            )
            rows[-1] |= {"way": name, "target": target}
        last = found[:, way, CUTOFFS.index("nDCG@20")]
        near = _ends(last[:, TARGETS.index("P@10")] - last[:, TARGETS.index("R@1000")])
        rows.append({"cutoff": "nDCG@20", **near, "way": name, "target": NEARER})
    where = {"topics": topics, "runs": len(next(iter(scores.values())))}
    return [{**where, **row} for row in rows]


WAYS = ("pearson", "tau", "topic")
LEAD, NEARER = "nDCG@20 less nDCG@5", "P@10 less R@1000"


def _ends(values: Floats) -> Row:
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return {"relation": values[0], "relation_low": low, "relation_high": high}


def scored() -> dict[str, Floats]:
    """Return the scores of all measures, (runs, topics), of the topics that have a relevant document."""
    judged = qrels_of(QRELS)
    grades = [dict[str, float]() for _ in judged.topics]
    for topic, doc, grade in zip(judged.topic, judged.docs, judged.grade, strict=True):
        grades[topic][str(doc)] = float(grade)
    found = lists(RUNS)
    runs = sorted({run for _, run, _ in found})
    places = {topic: i for i, topic in enumerate(judged.topics)}
    lined = np.zeros((len(judged.topics), len(runs), DEPTH))
    for topic, run, docs in found:
        at = places[topic]
        lined[at, runs.index(run), : len(docs)] = [grades[at].get(doc, 0.0) for doc in docs]
    ideals = [np.array([*grade.values()]) for grade in grades]
    kept = [i for i, ideal in enumerate(ideals) if (ideal > 0).any()]
    return {
        measure: np.stack([score_grades(measure, lined[i], ideals[i]) for i in kept], axis=1)
        for measure in (*CUTOFFS, *TARGETS)
    }


def related(scores: dict[str, Floats], weights: Floats) -> Floats:
    """Return Pearson's correlation and tau of means over runs, and mean correlation on topics.

    Returns
    -------
    related
        Shape (ways, cutoffs, targets).
    """
    means = {name: x @ weights for name, x in scores.items()}
    unit = {name: _standard(x) for name, x in scores.items()}
    pairs = [(cutoff, target) for cutoff in CUTOFFS for target in TARGETS]
    ways = [
        [float(np.corrcoef(means[a], means[b])[0, 1]) for a, b in pairs],
        [kendall_tau(means[a], means[b]) for a, b in pairs],
        [float((unit[a] * unit[b]).sum(axis=0) @ weights) for a, b in pairs],
    ]
    return np.array(ways).reshape(len(WAYS), len(CUTOFFS), len(TARGETS))


def _standard(x: Floats) -> Floats:
    """Return scores less their mean over runs, of norm 1 on each topic, 0 where all runs are equal."""
    centred = x - x.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(np.divide(centred, norm, out=np.zeros_like(centred), where=norm > 0))


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the relations."""
    order = [
        "way",
        "cutoff",
        "target",
        "relation",
        "relation_low",
        "relation_high",
        "runs",
        "topics",
    ]
    return {"table": rows[order]}


def _recall(tables: Tables) -> Checks:
    """B20: nDCG@20 beside nDCG@5 with recall, and beside the first page."""
    table = tables["table"].set_index(["way", "cutoff", "target"])
    runs = f"{table['runs'].iloc[0]} runs, {table['topics'].iloc[0]} topics"

    def row(way: str, cutoff: str, target: str, text: str, *, limit: bool = False) -> Row:
        some = table.loc[(way, cutoff, target)]
        ends = interval(some, "relation")
        return true(text, ends["low"] > 0, value=some["relation"], **ends, limit=limit)

    over = "correlates more than nDCG@5 with"
    return [
        *(
            row("topic", LEAD, target, f"on a topic nDCG@20 {over} {target}, by ({runs})")
            for target in ("R@20", "R@100", "R@1000")
        ),
        *(
            row("pearson", LEAD, target, f"as a mean nDCG@20 {over} {target}, by", limit=True)
            for target in ("R@100", "R@1000")
        ),
        _not_nearer(table.loc[("topic", "nDCG@20", NEARER)]),
    ]


def _not_nearer(some: "pd.Series[float]") -> Row:
    text = "on a topic nDCG@20 correlates more with R@1000 than with P@10; less by"
    ends = interval(some, "relation")
    return true(text, ends["high"] < 0, value=some["relation"], **ends, limit=True)


OTHERWISE = tuple(
    changed(relation=x, relation_low=x - 0.01, relation_high=x + 0.01) for x in (-0.1, 0.1)
)


def draw_relations(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw, on a topic, the correlation over runs of each cutoff with each target."""
    some = table[(table["way"] == "topic") & table["cutoff"].isin(CUTOFFS)]
    some = some[some["target"].isin(TARGETS)]
    colours = dict(zip(TARGETS, ("black", BLUE, GREEN, RED), strict=True))
    for target, rows in some.groupby("target", sort=False):
        x = [CUTOFFS.index(cutoff) for cutoff in rows["cutoff"]]
        reach = (rows["relation"] - rows["relation_low"], rows["relation_high"] - rows["relation"])
        ax.errorbar(
            x, rows["relation"], reach, color=colours[str(target)], label=target, marker="o"
        )
    ax.set_xticks(range(len(CUTOFFS)), [name.removeprefix("nDCG") for name in CUTOFFS])
    ax.set_xlabel("cutoff of nDCG")
    ax.set_ylabel("correlation over runs on a topic (95%)")
    ax.set_ylim(top=1)
    ax.legend(frameon=False)
    return ax


def answer(tables: Tables) -> str:
    """Give the correlations of both cutoffs with the first page and with recall."""
    table = tables["table"].set_index(["way", "cutoff", "target"])["relation"]
    parts = [
        f"{cutoff} " + ", ".join(f"{table['topic', cutoff, t]:.2f} ({t})" for t in TARGETS)
        for cutoff in ("nDCG@5", "nDCG@20")
    ]
    return f"Mean correlation over runs on a topic: {'; '.join(parts)}."


STUDY = Study(
    question="Is nDCG@5 about the first page and nDCG@20 about recall?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={"relations": Drawing(draw_relations, size=(4.4, 3.2))},
    decisions=(Decision(CLAIMS["B20"], _recall, OTHERWISE),),
    inputs=(QRELS, RUNS),
    errors=dict.fromkeys(("relation_low", "relation_high")),
)
