"""Keys with one relevant document a topic: what nDCG still tells, and how well it separates.

Real: on all runs of TREC-COVID round 1 (with every later judgment) and of the Deep Learning track 2021,
each topic keeps 1, 2, 5, 20 or 100 relevant documents, drawn from those that some run has in its first
ten, as a shallow pool would find them. Grades are taken as relevant or not.

Simulated: two systems, one better, on topics with a hundred relevant documents of which the key knows
but some ("thin"), and on topics that have no more than these ("few").
"""

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.comparison import share
from ndcgstudy.data import Judgments
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREEN, RED, lines
from ndcgstudy.holes import pool, separated, thinned
from ndcgstudy.holes.flips import TIE
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import Checks, check, interval, read_claims
from ndcgstudy.measures import score_grades
from ndcgstudy.orders import kendall_tau
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
COLLECTIONS = {
    "TREC-COVID round 1": (
        "trec_covid_round1/round1_plus_later.qrels.gz",
        "trec_covid_round1/runs",
    ),
    "TREC DL 2021": ("trec_dl2021_passage/nist.qrels.gz", "trec_dl2021_passage/runs"),
}
RELEVANT = (1, 2, 5, 20, 100)
ALL = 0
"""Stands for a key that keeps every relevant document."""

DRAWS = {"quick": 6, "full": 20}
BLOCKS, REPEATS = {"quick": 3, "full": 20}, 20
MEASURES = ("nDCG@10", "RR@10")
TOPICS, DOCUMENTS, MANY = 50, 1000, 100
QUALITY = (1.8, 1.6)


def grid(scale: str) -> list[Parameters]:
    """Lay out the ranks, the real keys by draw, and the simulated ones by block."""
    cells: list[tuple[str, str, int, int]] = [("ranks", "", 1, 0)]
    for name in COLLECTIONS:
        cells += [("real", name, ALL, 0)]
        cells += [("real", name, r, draw) for draw in range(DRAWS[scale]) for r in RELEVANT]
    cells += [("simulated", "", r, b) for b in range(BLOCKS[scale]) for r in RELEVANT]
    names = ("part", "collection", "relevant", "block")
    return [dict(zip(names, values, strict=True)) for values in cells]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Compare the measures rank by rank, on one thinned key, or on simulated ones."""
    part, relevant = parameters["part"], parameters["relevant"]
    if part == "ranks":
        found = [score_grades(measure, np.eye(20)) for measure in MEASURES]
        ranks = zip(range(1, 21), *found, strict=True)
        return [{"part": part, "rank": rank, "ndcg": n, "rr": r} for rank, n, r in ranks]
    if part == "real":
        row = _real(parameters["collection"], relevant, rng)
        return [{"part": part, "collection": parameters["collection"], "relevant": relevant, **row}]
    rows = [_simulated(kind, relevant, rng) for kind in ("thin", "few") for _ in range(REPEATS)]
    return [{"part": part, "relevant": relevant, **row} for row in rows]


def _real(collection: str, relevant: int, rng: np.random.Generator) -> Row:
    """Score all runs by a thinned key."""
    qrels, folder = COLLECTIONS[collection]
    runs = loaded_runs(folder)
    full = _binary(loaded_qrels(qrels))
    found = pool(full, runs, 10)
    seen = full.select(np.asarray(found.found.any(axis=0)))
    thin = full if relevant == ALL else thinned(seen, relevant, rng=rng)
    ndcg, rr = (s.values for s in score(thin, runs, MEASURES).scores.values())
    whole = score(full, runs, MEASURES[0]).scores[MEASURES[0]].mean()
    pairs = len(runs) * (len(runs) - 1) // 2
    against = [np.sign(gaps) * (np.abs(gaps) > TIE) for gaps in map(_gaps, (ndcg, rr))]
    means = [np.sign(gaps) * (np.abs(gaps) > TIE) for gaps in (_mean_gaps(ndcg), _mean_gaps(rr))]
    return {
        "topics": len(thin.topics),
        "kept": thin.grade.size / len(thin.topics),
        "separated": np.triu(separated(ndcg), 1).sum() / pairs,
        "separated_rr": np.triu(separated(rr), 1).sum() / pairs,
        "tau": kendall_tau(ndcg.mean(axis=1), whole),
        "tau_rr": kendall_tau(ndcg.mean(axis=1), rr.mean(axis=1)),
        "otherwise": int((against[0] != against[1]).sum()) // 2,
        "reversed": int((means[0] * means[1] < 0).sum()) // 2 / pairs,
    }


def _gaps(scores: Floats) -> Floats:
    return scores[:, None] - scores


def _mean_gaps(scores: Floats) -> Floats:
    return _gaps(scores.mean(axis=1))


def _binary(judgments: Judgments) -> Judgments:
    """Keep the relevant documents, all of grade 1, and the topics that have any."""
    kept = judgments.select(judgments.grade >= 1)
    named, topic = np.unique(kept.topic, return_inverse=True)
    topics = tuple(judgments.topics[i] for i in named)
    return Judgments(topics, topic, kept.docs, np.ones(kept.grade.size), judgments.source)


def _simulated(kind: str, relevant: int, rng: np.random.Generator) -> Row:
    """Draw topics and two systems of different quality; return the gap of their means."""
    truly = np.zeros((TOPICS, DOCUMENTS))
    truly[:, : MANY if kind == "thin" else relevant] = 1
    key = np.zeros_like(truly)
    key[:, :relevant] = (
        1  # the relevant documents are alike, so that the first ones are a random draw
    )
    noise = rng.standard_normal((2, TOPICS, DOCUMENTS))
    top = np.argsort(-(np.array(QUALITY)[:, None, None] * truly + noise), axis=-1)[..., :10]
    grades = np.take_along_axis(np.broadcast_to(key, (2, *key.shape)), top, axis=-1)
    row: Row = {"kind": kind}
    for measure, name in zip(MEASURES, ("ndcg", "rr"), strict=True):
        scores = score_grades(measure, grades, np.broadcast_to(key, (2, *key.shape))).mean(axis=1)
        row[f"gap_{name}"] = scores[0] - scores[1]
    return row


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the real keys, the scores by rank, and the simulated pairs."""
    parts = {str(n): p.dropna(axis=1, how="all") for n, p in rows.groupby("part")}
    return {
        "table": _keys(parts["real"]),
        "ranks": parts["ranks"][["rank", "ndcg", "rr"]].reset_index(drop=True),
        "simulated": _rights(parts["simulated"]),
    }


def _keys(rows: pd.DataFrame) -> pd.DataFrame:
    """Return means over draws with standard errors; a key with every document is not drawn."""
    groups = rows.groupby(["collection", "relevant"], sort=False)
    table = groups.size().rename("draws").reset_index()
    names = ("kept", "separated", "separated_rr", "tau", "tau_rr", "otherwise", "reversed")
    for name in names:
        table[name] = groups[name].mean().to_numpy()
        table[f"{name}_se"] = (groups[name].std() / groups.size() ** 0.5).fillna(0.0).to_numpy()
    table["relevant"] = table["relevant"].astype(int)
    table.insert(2, "key", table["relevant"].map(lambda r: "all" if r == ALL else str(r)))
    order = table["relevant"].replace(ALL, 10**9)
    return table.iloc[np.lexsort((order, table["collection"]))].reset_index(drop=True)


def _rights(rows: pd.DataFrame) -> pd.DataFrame:
    """Return z of the gap and how often the better system is strictly ahead."""
    found = []
    for (kind, relevant), group in rows.groupby(["kind", "relevant"]):
        for name, measure in (("ndcg", MEASURES[0]), ("rr", MEASURES[1])):
            gap, count = group[f"gap_{name}"], len(group)
            right = int((gap > TIE).sum())
            low, high = wilson(right, count)
            row = {"kind": kind, "measure": measure, "relevant": int(relevant), "draws": count}
            row |= {
                "gap": gap.mean(),
                "gap_se": gap.std() / count**0.5,
                "z": gap.mean() / gap.std(),
            }
            row |= {"right": right / count, "right_low": float(low), "right_high": float(high)}
            found.append(row | {"arm": f"{measure}, {kind}"})
    return pd.DataFrame(found)


def _by_rank(tables: Tables) -> Checks:
    """Compare the orders by nDCG and by reciprocal rank: on a topic, and of means over topics."""
    ranks, keys = tables["ranks"], tables["table"]
    pairs = list(combinations(range(len(ranks)), 2))
    signs = [np.sign([x[i] - x[j] for i, j in pairs]) for x in (ranks["ndcg"], ranks["rr"])]
    one = keys[keys["relevant"] == 1]
    rows = [
        check(
            f"pairs of ranks 1-{len(ranks)} that nDCG@10 and RR@10 order differently, of {len(pairs)}",
            (signs[0] != signs[1]).sum(),
            0,
        ),
        check(
            "pairs of real runs that they order differently on a topic, per draw",
            one["otherwise"].max(),
            0,
        ),
    ]
    rows += [
        check(
            f"share of pairs of runs whose means over topics they put in opposite order "
            f"({row['collection']})",
            row["reversed"],
            0,
            **interval(row, "reversed"),
            limit=True,
        )
        for row in one.to_dict("records")
    ]
    return rows


OTHERWISE = (
    changed("ranks", ndcg=lambda t: (t["rank"] <= 10) / (1 + t["rank"] % 3)),
    changed(otherwise=3, reversed=0.0),
)


def draw_ranks(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the score of a list with its one relevant document at each rank."""
    names = {"ndcg": MEASURES[0], "rr": MEASURES[1]}
    long = table[table["rank"] <= 10].melt(
        "rank", value_vars=[*names], var_name="measure", value_name="score"
    )
    ax.set_xlabel("rank of the one relevant document (0 below rank 10)")
    ax.set_ylabel("score")
    ax.set_ylim(0, 1.03)
    ax.set_xticks([1, 2, 3, 5, 10])
    return lines(long, ax, x="rank", y="score", by="measure", names=names)


def draw_real(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of pairs of runs that are separated, against the relevant documents kept."""
    places = {key: place for place, key in enumerate([*map(str, RELEVANT), "all"])}
    long = pd.concat(
        table.assign(x=table["key"].map(places), y=table[column], arm=table["collection"] + end)
        for column, end in (("separated", ", nDCG@10"), ("separated_rr", ", RR@10"))
    )
    arms = list(dict.fromkeys(long["arm"]))
    looks = {arm: {"color": BLUE if "COVID" in arm else RED} for arm in arms}
    looks = {arm: look | {"linestyle": "--" if "RR" in arm else "-"} for arm, look in looks.items()}
    names = {arm: arm.replace("TREC-COVID round 1", "COVID").replace("TREC ", "") for arm in arms}
    ax.set_xticks(list(places.values()), list(places))
    ax.set_ylim(0, 1)
    ax.set_xlabel("relevant documents that a topic keeps, at most")
    ax.set_ylabel("share of pairs of runs separated (t, 95%)")
    return lines(long, ax, x="x", y="y", by="arm", looks=looks, names=names)


def draw_simulated(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often the better of two systems is ahead, against the relevant documents in the key."""
    looks = {
        arm: {"color": BLUE if "thin" in arm else GREEN, "linestyle": "--" if "RR" in arm else "-"}
        for arm in table["arm"].unique()
    }
    ax.set_xscale("log")
    ax.set_xticks(RELEVANT, [str(r) for r in RELEVANT])
    ax.minorticks_off()
    ax.set_ylim(0, 1.03)
    ax.set_xlabel("relevant documents a topic that the key knows")
    ax.set_ylabel(f"P(better system strictly ahead), {TOPICS} topics")
    how = {"low": "right_low", "high": "right_high"}
    return lines(table, ax, x="relevant", y="right", by="arm", looks=looks, **how)


def answer(tables: Tables) -> str:
    """Say how means differ with one relevant document, and what thin keys cost."""
    keys = tables["table"]
    one = keys[keys["relevant"] == 1].set_index("collection")
    whole = keys[keys["key"] == "all"].set_index("collection")
    parts = [
        f"{name}: means put {one.loc[name, 'reversed']:.1%} of pairs of runs in opposite orders, and "
        f"{one.loc[name, 'separated']:.1%} of pairs are separated, against "
        f"{whole.loc[name, 'separated']:.1%} with all judgments"
        for name in one.index
    ]
    return f"One relevant document, nDCG@10 beside RR@10: {'; '.join(parts)}."


STUDY = Study(
    question="What does nDCG tell when a topic has one relevant document, or few?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "collection", "relevant", "block"),
    figures={
        "ranks": Drawing(draw_ranks, "ranks", size=(4.0, 2.8)),
        "separated": Drawing(draw_real, size=(4.8, 3.2)),
        "simulated": Drawing(draw_simulated, "simulated", size=(4.6, 3.0)),
    },
    decisions=(Decision(CLAIMS["A19"], _by_rank, OTHERWISE),),
    inputs=tuple(name for names in COLLECTIONS.values() for name in names),
    errors={
        **dict.fromkeys(("draws", "z", "otherwise")),
        "right": share("right", "draws"),
    },
)
