"""What reranking real runs by better ones gains in nDCG@10, and how the gain grows with depth.

Every run of TREC DL 2019 (passages) is a first stage, and its first documents are put into the order of
every run that is significantly better alone (paired t over topics); documents this one did not
retrieve keep their order below. Beside these: 18 published re-rankings of two candidate sets, whose first
stage is taken from their names; and simulated stages as deep as a thousand documents. Intervals of real
pairs are percentiles over drawn topics.
"""

import lzma
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.changes import ranked, summary, sums
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREY, lines
from ndcgstudy.holes.changes import separated
from ndcgstudy.holes.loaded import loaded_qrels
from ndcgstudy.inputs import loader
from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import TwoStage
from ndcgstudy.synthetic.sharing import Sharing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
FOLDER = "trec_dl2019_judges"
QRELS, RUNS = f"{FOLDER}/nist.qrels.txt.xz", f"{FOLDER}/runs.top100.tsv.xz"
PUBLISHED = "dl_judges/topic_scores_by_judge.csv.gz"
FIRST_STAGES = {"colbert_": "added-colbert-run", "tirex_": "bm25base_p"}
"""What the beginning of a published re-ranking's name says of its first stage."""

DEPTHS = (10, 20, 50, 100)
DEEPER = (10, 20, 50, 100, 200, 500, 1000)
STAGES = ((0.8, 0.9), (0.6, 0.8), (0.4, 0.8))
SHARES, ALIKE, DRAWS = (0.03, 0.01), 0.5, 30
LOW, HIGH, MOST, NEARLY = 5.0, 15.0, 0.5, 0.9
RESAMPLES, BLOCKS = {"quick": 200, "full": 2000}, {"quick": 4, "full": 20}


@loader
def lists(path: Path) -> dict[str, dict[str, list[str]]]:
    """Read the runs: documents, best first, by run and topic."""
    found: dict[str, dict[str, list[str]]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        next(file)
        for line in file:
            topic, run, docs = line.rstrip("\n").split("\t")
            found.setdefault(run, {})[topic] = docs.split()
    return found


@loader
def published(path: Path) -> pd.DataFrame:
    """Read the scores of 2019 by NIST's judgments, (runs, topics)."""
    table = pd.read_csv(path, dtype={"topic": str})
    table = table[(table["year"] == 2019) & (table["judge"] == "human")]
    return table.pivot(index="run", columns="topic", values="ndcg10")


def grid(scale: str) -> list[Parameters]:
    """Lay out the real pairs, the published re-rankings, and blocks of simulated topics."""
    simulated = [
        {"part": "simulated", "first": first, "second": second, "depth": depth, "block": block}
        for block in range(BLOCKS[scale])
        for first, second in STAGES
        for depth in DEEPER
    ]
    return [
        {"part": "real", "block": 0, "resamples": RESAMPLES[scale]},
        {"part": "published", "block": 0},
        *simulated,
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Rerank real runs, compare published ones with their first stage, or simulate stages."""
    part = parameters["part"]
    if part == "real":
        return [{"part": part, **row} for row in _real(parameters["resamples"], rng)]
    if part == "published":
        return [{"part": part, **row} for row in _published()]
    first, second, depth = (parameters[name] for name in ("first", "second", "depth"))
    stages = Sharing(TwoStage(first, second, depth, SHARES), ALIKE)
    after, before = score_grades("nDCG@10", ranked(stages, max(DEEPER), DRAWS, rng=rng)[:2])
    where = {"part": part, "first": first, "second": second, "depth": depth}
    return [{**where, **sums(after, before)}]


def _real(resamples: int, rng: np.random.Generator) -> list[Row]:
    """Return, a depth, the median gain of all pairs and the share that gains 5-15%, with intervals."""
    scores = _reranked()
    alone = scores[0].diagonal().T  # of each run, (runs, topics)
    better = separated(alone) & (alone.mean(axis=1) > alone.mean(axis=1)[:, None])
    first, second = np.nonzero(better)
    topics = alone.shape[1]
    weights = [np.full(topics, 1 / topics)]
    weights += [
        np.bincount(at, minlength=topics) / topics
        for at in rng.integers(0, topics, (resamples, topics))
    ]
    before = np.array([(alone @ w)[first] for w in weights])
    gains = [np.array([(x @ w)[first, second] for w in weights]) - before for x in scores]
    rows = []
    for depth, gain in zip(DEPTHS, gains, strict=True):
        percent = 100 * gain / before
        within = ((percent >= LOW) & (percent <= HIGH)).mean(axis=1)
        reached = gain.mean(axis=1) / gains[-1].mean(axis=1)
        row: Row = {"depth": depth, "pairs": first.size, "runs": len(alone), "topics": topics}
        row["least"], row["most"] = percent[0].min(), percent[0].max()
        figures = {"percent": np.median(percent, axis=1), "within": within, "reached": reached}
        for name, values in figures.items():
            low, high = np.quantile(values[1:], (0.025, 0.975))
            row |= {name: values[0], f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return rows


def _reranked() -> list[Floats]:
    """Return, a depth, nDCG@10 of each run reranked by each: (first stages, second stages, topics)."""
    runs, judged = lists(RUNS), loaded_qrels(QRELS)
    names, graded = [*runs], [dict[str, float]() for _ in judged.topics]
    for topic, doc, grade in zip(judged.topic, judged.docs, judged.grade, strict=True):
        graded[topic][str(doc)] = float(grade)
    scores = [np.zeros((len(names), len(names), len(judged.topics))) for _ in DEPTHS]
    for t, (topic, grade) in enumerate(zip(judged.topics, graded, strict=True)):
        tops = [runs[name].get(topic, []) for name in names]
        places = [{doc: i for i, doc in enumerate(docs)} for docs in tops]
        ideal = np.array(sorted(grade.values(), reverse=True))
        made = np.zeros((len(DEPTHS), len(names), len(names), 10))
        for k, depth in enumerate(DEPTHS):
            for a, docs in enumerate(tops):
                for b, place in enumerate(places):
                    order = sorted(docs[:depth], key=lambda doc: place.get(doc, depth))[:10]
                    made[k, a, b, : len(order)] = [grade.get(doc, 0.0) for doc in order]
        best = float(score_grades("DCG@10", ideal))
        for k in range(len(DEPTHS)):
            scores[k][..., t] = score_grades("DCG@10", made[k]) / best
    return scores


def _published() -> list[Row]:
    """Return the gain of each published re-ranking over the first stage that its name says."""
    table = published(PUBLISHED)
    return [
        {"run": run, "first": stage, "before": before, "percent": 100 * (after / before - 1)}
        for start, stage in FIRST_STAGES.items()
        for run in table.index[table.index.str.startswith(start)]
        for before, after in [(table.loc[stage].mean(), table.loc[run].mean())]
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the real pairs by depth, the published re-rankings, and the simulated stages."""
    parts = {
        str(n): p.drop(columns="part").dropna(axis=1, how="all") for n, p in rows.groupby("part")
    }
    whole = dict.fromkeys(("depth", "pairs", "runs", "topics"), int)
    simulated = summary(parts["simulated"], ["first", "second", "depth"])
    simulated["depth"] = simulated["depth"].astype(int)
    last = simulated.groupby(["first", "second"])["gain"].transform("last")
    simulated["reached"] = simulated["gain"] / last
    simulated["stages"] = [
        f"{a:g}, {b:g}" for a, b in zip(simulated["first"], simulated["second"], strict=True)
    ]
    return {
        "table": parts["real"].astype(whole).reset_index(drop=True),
        "published": parts["published"].reset_index(drop=True),
        "simulated": simulated,
    }


def _typical(tables: Tables) -> Checks:
    """B16: the share of better second stages that gain 5-15%."""
    row = tables["table"].set_index("depth").loc[max(DEPTHS)]
    some = tables["published"]["percent"].between(LOW, HIGH)
    low, high = wilson(some.sum(), len(some))
    text = (
        f"most of {row['pairs']:.0f} pairs of runs of DL 2019 of which the second is significantly better "
        f"alone gain 5-15% at depth {max(DEPTHS)} (median {row['percent']:.0f}%, all {row['least']:.0f} "
        f"to {row['most']:.0f}%)"
    )
    rows = [true(text, row["within_low"] > MOST, value=row["within"], **interval(row, "within"))]
    for start, part in tables["published"].groupby("first", sort=False):
        gain = part["percent"].median()
        name = f"median gain, in percent, of {len(part)} published re-rankings of {start} is 5-15"
        rows.append(true(name, LOW <= gain <= HIGH, value=gain, limit=True))
    ends = {"low": float(low), "high": float(high)}
    most = f"most of these {len(some)} gain 5-15%"
    return [*rows, true(most, low > MOST, value=some.mean(), **ends, limit=True)]


def _small_sets(tables: Tables) -> Checks:
    """B22: whether a small candidate set reaches most of the gain of a larger one, or nearly all."""
    real, rows = tables["table"].set_index("depth").loc[50], []
    deep = tables["simulated"].query("depth == 100")
    for share, limit in ((MOST, False), (NEARLY, True)):
        text = f"depth 50 reaches {share:.0%} of the mean gain of depth 100 ({real['pairs']:.0f} pairs)"
        ends = interval(real, "reached")
        rows.append(true(text, ends["low"] > share, value=real["reached"], **ends, limit=limit))
        for stages, reached in zip(deep["stages"], deep["reached"], strict=True):
            text = f"depth 100 reaches {share:.0%} of the gain of depth 1000, simulated stages {stages}"
            rows.append(true(text, reached > share, value=reached, limit=limit))
    return rows


DECISIONS = (
    Decision(
        CLAIMS["B16"],
        _typical,
        (
            changed(within=0.8, within_low=0.7, within_high=0.9),
            *(changed("published", percent=percent) for percent in (10.0, 40.0)),
        ),
    ),
    Decision(
        CLAIMS["B22"],
        _small_sets,
        (
            changed(reached=0.5, reached_low=0.4, reached_high=0.6),
            changed(reached=0.95, reached_low=0.93, reached_high=0.97),
            *(changed("simulated", reached=share) for share in (0.4, 0.95)),
        ),
        premise="that cost grows with the documents that are reranked",
    ),
)


def _log(ax: "Axes", depths: tuple[int, ...]) -> None:
    ax.set_xscale("log")
    ax.set_xticks(depths, [str(depth) for depth in depths])
    ax.minorticks_off()


def draw_depth(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the median gain of real pairs against the depth that is reranked, with 95% intervals."""
    ax.axhspan(LOW, HIGH, color=GREY, alpha=0.25, lw=0)
    ax.plot(table["depth"], table["percent"], "o-", color=BLUE)
    ax.fill_between(
        table["depth"], table["percent_low"], table["percent_high"], color=BLUE, alpha=0.2, lw=0
    )
    _log(ax, DEPTHS)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("documents reranked")
    ax.set_ylabel("median gain of nDCG@10, percent\n(grey: 5 to 15)")
    return ax


def draw_simulated(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the gain of simulated stages against the depth, a line a pair of stages."""
    _log(ax, DEEPER)
    ax.set_xlabel("documents reranked, of 1,000")
    ax.set_ylabel("gain of nDCG@10")
    some = table.assign(low=table["gain"] - 1.96 * table["gain_se"])
    some = some.assign(high=table["gain"] + 1.96 * table["gain_se"])
    return lines(some, ax, x="depth", y="gain", by="stages", low="low", high="high")


def answer(tables: Tables) -> str:
    """Give the gains of real pairs by depth, and the share that gains 5 to 15 percent."""
    table, some = tables["table"], tables["published"]["percent"]
    last = table.iloc[-1]
    depths = ", ".join(f"{row.percent:.0f}% at {row.depth}" for row in table.itertuples())
    return (
        f"The median of {last['pairs']:.0f} better second stages gains {depths} documents; "
        f"{last['within']:.0%} gain 5 to 15% at {last['depth']:.0f}. Of {len(some)} published re-rankings "
        f"{some.between(LOW, HIGH).mean():.0%} do."
    )


STUDY = Study(
    question="What does reranking real runs by better ones gain, and to what depth does it pay?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "block"),
    figures={
        "depth": Drawing(draw_depth, size=(4.0, 3.0)),
        "simulated": Drawing(draw_simulated, table="simulated", size=(4.4, 3.0)),
    },
    decisions=DECISIONS,
    inputs=(QRELS, RUNS, PUBLISHED),
    errors=dict.fromkeys(
        (
            *(f"{n}{end}" for n in ("percent", "within", "reached") for end in ("_low", "_high")),
            *("topics", "before", "after", "needed", "reached"),
        )
    ),
)
