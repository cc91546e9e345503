"""TREC-COVID round 1, judged then and judged later: what holes had done to 143 real runs.

The same runs and 30 topics are scored with the 8,691 judgments of the round and with the 46,010 that
the topics had in the end. Beside the scores stand what could be said before: the bounds on every
gap, and how few judgments could turn each pair of neighbours (full scale: each pair).
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.decision import Decision, changed, together
from ndcgstudy.figures import BLACK, BLUE, GREEN, RED
from ndcgstudy.holes import Change, Tops, flip_budget, gap_bounds, lay_out, ranks, separated, survey
from ndcgstudy.holes.flips import TIE
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.holes.slopes import slopes
from ndcgstudy.inputs import loader
from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import Checks, check, read_claims
from ndcgstudy.measures import MEASURES
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
ROUND = "trec_covid_round1"
BEFORE, AFTER = f"{ROUND}/round1.qrels.gz", f"{ROUND}/round1_plus_later.qrels.gz"
RUNS, BOARD = f"{ROUND}/runs", f"{ROUND}/leaderboard.csv"
MEASURE = "nDCG@10"
OTHERS = ("nDCG(gain=exponential)@10", "P@10", "RR@10", "AP", "RBP(p=0.8)", "Bpref")
EDGES = (0, 1, 2, 4, 8, 16, 32, 10**6)
LABELS = ("1", "2", "3-4", "5-8", "9-16", "17-32", "33+")
"""Classes of flip budgets: above one edge, up to the next."""


@loader
def board(path: Path) -> pd.DataFrame:
    """Read the official leaderboard."""
    return pd.read_csv(path).set_index("run")


def grid(scale: str) -> list[Parameters]:
    """Lay out the scores, the other measures, the bounds, and the budgets of pairs by distance."""
    far = 2 if scale == "quick" else 143
    cells: list[Parameters] = [{"part": "scores"}, {"part": "bounds"}]
    cells += [{"part": "measure", "measure": measure} for measure in (MEASURE, *OTHERS)]
    return cells + [{"part": "budgets", "apart": apart} for apart in range(1, far)]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Compute one part; nothing is sampled."""
    part, runs = parameters["part"], loaded_runs(RUNS)
    if part == "scores":
        found = survey(loaded_qrels(BEFORE), runs, MEASURE, after=loaded_qrels(AFTER)).topics()
        later = 1 - _scores(AFTER, "Judged@10").ravel()
        return [{"part": part, **row} for row in found.assign(hole_after=later).to_dict("records")]
    if part == "measure":
        return [_orders(parameters["measure"])]
    tops = lay_out(loaded_qrels(BEFORE), runs, MEASURE)
    if part == "bounds":
        return _bounds(gap_bounds(tops).low, tops.scores)
    return _budgets(tops, parameters["apart"])


def _budgets(tops: Tops, apart: int) -> list[Row]:
    """Find the flip budget of all pairs that stand so many places apart."""
    order = np.argsort(-tops.scores.mean(axis=1), kind="stable")
    names = [tops.systems[i] for i in order]
    found = [flip_budget(tops, a, b) for a, b in zip(names, names[apart:], strict=False)]
    same = ("leader", "other", "gap", "least", "stake", "verdict")
    return [
        {"part": "budgets", "apart": apart, "fewest": flip.fewest or 0}
        | {name: getattr(flip, name) for name in same}
        for flip in found
    ]


def _scores(qrels: str, measure: str) -> npt.NDArray[np.float64]:
    """Return the scores of all runs, (systems, topics)."""
    topics = loaded_qrels(BEFORE).topics
    result = score(loaded_qrels(qrels), loaded_runs(RUNS), measure, topics=topics)
    return next(iter(result.scores.values())).values


def _orders(measure: str) -> Row:
    """Compare the orders of all runs before and after under one measure."""
    before, after = (_scores(qrels, measure) for qrels in (BEFORE, AFTER))
    found = Change(before.mean(axis=1), after.mean(axis=1))
    apart = np.triu(separated(before), 1)
    signs = [np.sign(x[:, None] - x) for x in (found.fewer, found.more)]
    return {
        "part": "measure",
        "measure": str(MEASURES.parse(measure)),
        "mean": found.fewer.mean(),
        "mean_after": found.more.mean(),
        "tau": found.tau,
        "tau_ap": found.tau_ap,
        "pairs": before.shape[0] * (before.shape[0] - 1) // 2,
        "swapped": found.swapped,
        "separated": int(apart.sum()),
        "separated_swapped": int((apart & (signs[0] * signs[1] < 0)).sum()),
        "climb": int(found.climbed.max()),
        "fall": int(-found.climbed.min()),
        "topics_fall": int((after < before - TIE).sum()),
        "runs_fall": int((found.more < found.fewer - TIE).sum()),
        "topic_scores": before.size,
    }


def _bounds(low: npt.NDArray[np.float64], scores: npt.NDArray[np.float64]) -> list[Row]:
    """Count the pairs whose order judgments could turn, all and those that are separated."""
    means = scores.mean(axis=1)
    ahead = means[:, None] - means > TIE
    rows = []
    for name, chosen in (("all", ahead), ("separated", ahead & separated(scores))):
        safe = chosen & (low >= -TIE)
        rows.append(
            {"part": "bounds", "pairs_of": name} | {"ahead": chosen.sum(), "safe": safe.sum()}
        )
    return rows


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the runs, the measures, the bounds, the budgets and what became of them."""
    parts = {
        str(n): p.drop(columns="part").dropna(axis=1, how="all") for n, p in rows.groupby("part")
    }
    table = _runs(parts["scores"])
    budgets = parts["budgets"].astype(dict.fromkeys(("apart", "stake", "fewest"), int))
    means = table.set_index("run")["after"]
    later = means[budgets["leader"]].to_numpy() - means[budgets["other"]].to_numpy()
    budgets = budgets.assign(turned=(later < -TIE).astype(int))
    return {
        "table": table,
        "measures": _whole(parts["measure"]),
        "bounds": _whole(parts["bounds"]),
        "kinds": _kinds(table),
        "budgets": budgets[budgets["apart"] == 1],
        "fewest": _by_fewest(budgets),
    }


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return counts as whole numbers: together with other parts they were read as real ones."""
    whole = [n for n in table.select_dtypes("number") if (table[n] % 1 == 0).all()]
    return table.astype(dict.fromkeys(whole, int)).reset_index(drop=True)


def _runs(topics: pd.DataFrame) -> pd.DataFrame:
    """Take means over topics, and count the topics on which a score falls."""
    falls = topics.assign(falls=topics["change"] < -TIE)
    names = ["hole", "hole_after", "score", "low", "high", "after", "change"]
    table = falls.groupby("run", sort=False)[names].mean()
    table["falls"] = falls.groupby("run", sort=False)["falls"].sum()
    table["rank"], table["rank_after"] = ranks(table["score"]), ranks(table["after"])
    official = board(BOARD).loc[table.index]
    table["contributed"] = official["contributed judgments"]
    table["off"] = (table["score"] - official["ndcg@10"]).abs()
    return table.reset_index()


def _kinds(table: pd.DataFrame) -> pd.DataFrame:
    """Compare the runs that contributed to the pool with those that did not."""
    names = ["hole", "hole_after", "score", "after", "change"]
    means = table.groupby("contributed")[names].mean()
    means.insert(0, "runs", table.groupby("contributed").size())
    return means.reset_index()


def _by_fewest(budgets: pd.DataFrame) -> pd.DataFrame:
    """Return how many pairs turned, by how few judgments could have turned them."""
    groups = pd.cut(budgets["fewest"], EDGES, labels=LABELS).astype(object)
    groups = groups.where(budgets["verdict"] != "safe", "safe")
    rows = [{"fewest": n, **_turned(budgets[groups == n])} for n in (*LABELS, "safe")]
    return pd.DataFrame(rows)


def _turned(part: pd.DataFrame) -> Row:
    pairs, turned = len(part), int(part["turned"].sum())
    low, high = wilson(turned, pairs) if pairs else (np.nan, np.nan)
    share = turned / pairs if pairs else np.nan
    limits = {"share_low": float(low), "share_high": float(high)}
    return {"count": pairs, "turned": turned, "share": share, **limits}


def _only_lower(tables: Tables) -> Checks:
    """B9: more judgments lower no score, and raise all alike."""
    measures, gain = tables["measures"].set_index("measure"), tables["table"]["change"]
    main = measures.loc[MEASURE]
    spread = f"spread of the loss over runs ({gain.min():.4f} to {gain.max():.4f})"
    scores = f"topic scores of {main['topic_scores']:.0f} that fall by more judgments"
    ap = "runs whose mean AP (of their first 100) falls by more judgments"
    return [
        check(f"runs of {len(gain)} whose mean falls by more judgments", main["runs_fall"], 0),
        check(scores, main["topics_fall"], 0, limit=True),
        check(ap, measures.loc["AP", "runs_fall"], 0, limit=True),
        check(spread, gain.max() - gain.min(), 0, within=0.005, limit=True),
    ]


OTHERWISE = (
    changed("measures", runs_fall=1),
    together(changed(change=0.02), changed("measures", topics_fall=0, runs_fall=0)),
)


def draw_ranks(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the ranks of all runs before and after."""
    return slopes(table, ax, "judged then", "judged later")


def draw_gain(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the gain of each run against the holes it had, by whether it contributed to the pool."""
    for kind, colour, marker in (("yes", BLUE, "o"), ("no", RED, "^")):
        rows = table[table["contributed"] == kind]
        label = {"yes": "contributed to the pool", "no": "did not"}[kind]
        ax.plot(
            rows["hole"], rows["change"], ls="", marker=marker, color=colour, label=label, alpha=0.7
        )
    ax.axhline(0, color=BLACK, lw=0.7)
    ax.set_xlabel("hole@10: share of the top ten not judged, before")
    ax.set_ylabel("gain of mean nDCG@10 by later judgments")
    ax.legend(frameon=False, loc="upper right", handletextpad=0.2)
    return ax


def draw_fewest(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of pairs that later judgments turned, by the flip budget, with 95% intervals."""
    places = np.arange(len(table))
    shares = table["share"].to_numpy()
    reach = np.stack([shares - table["share_low"], table["share_high"] - shares])
    ax.bar(places, shares, color=GREEN, width=0.7)
    ax.errorbar(places, shares, reach, fmt="none", ecolor=BLACK, elinewidth=0.8, capsize=2)
    ax.set_xticks(
        places, [f"{f}\n({n})" for f, n in zip(table["fewest"], table["count"], strict=True)]
    )
    ax.set_xlabel("fewest judgments that could turn a pair (pairs)")
    ax.set_ylabel("share that later judgments turned")
    ax.set_ylim(bottom=0)
    ax.grid(axis="x", visible=False)
    return ax


def answer(tables: Tables) -> str:
    """Say how many holes were filled, and what that did to the order."""
    hole, main = tables["table"]["hole"], tables["measures"].set_index("measure").loc[MEASURE]
    return (
        f"{hole.min():.0%} to {hole.max():.0%} of a run's top ten had no judgment; filling these turned "
        f"{main['swapped']:.0f} of {main['pairs']:.0f} pairs of runs, to tau {main['tau']:.3f}."
    )


STUDY = Study(
    question="What had holes in the judgments done to the order of 143 real runs?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "ranks": Drawing(draw_ranks, size=(4.4, 5.0)),
        "gain": Drawing(draw_gain, size=(4.4, 3.0)),
        "fewest": Drawing(draw_fewest, "fewest", size=(4.4, 3.0)),
    },
    decisions=(Decision(CLAIMS["B9"], _only_lower, OTHERWISE),),
    inputs=(BEFORE, AFTER, RUNS, BOARD),
    errors=dict.fromkeys(("count", "turned", "share")),  # the full scale has more pairs
)
