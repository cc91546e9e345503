"""Which treatment of unjudged documents foresees what later judgments say.

The 143 runs of TREC-COVID round 1 are scored with the judgments of the round, the unjudged documents
being not relevant, taken out of the list, of the highest grade, or worth the middle of the bounds;
and by bpref, which does not look at them. What is foreseen is nDCG@10 with all judgments that the
topics had in the end, where runs that did not contribute still have holes, which count as not relevant.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.figures import BLACK, BLUE, GREEN, PURPLE, RED
from ndcgstudy.holes import Change, lay_out, score_bounds
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.inputs import loader
from ndcgstudy.policies import Policy
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

ROUND = "trec_covid_round1"
BEFORE, AFTER = f"{ROUND}/round1.qrels.gz", f"{ROUND}/round1_plus_later.qrels.gz"
RUNS, BOARD = f"{ROUND}/runs", f"{ROUND}/leaderboard.csv"
MEASURE = "nDCG@10"
TREATMENTS = ("nonrelevant", "condensed", "optimistic", "middle of the bounds", "Bpref")


@loader
def board(path: Path) -> pd.DataFrame:
    """Read the official leaderboard."""
    return pd.read_csv(path).set_index("run")


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell a treatment; nothing is sampled, so that both scales are alike."""
    return [{"treatment": treatment} for treatment in TREATMENTS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return the mean of each run under a treatment, and later."""
    treatment, runs = parameters["treatment"], loaded_runs(RUNS)
    before = treated(treatment)
    topics = loaded_qrels(BEFORE).topics
    later = score(loaded_qrels(AFTER), runs, MEASURE, topics=topics).scores[MEASURE].mean()
    rows = zip((run.name for run in runs), before, later, strict=True)
    return [{"treatment": treatment, "run": n, "before": b, "after": a} for n, b, a in rows]


def treated(treatment: str) -> Floats:
    """Return the mean of each run with the judgments of the round."""
    qrels, runs = loaded_qrels(BEFORE), loaded_runs(RUNS)
    if treatment == "middle of the bounds":
        bounds = score_bounds(lay_out(qrels, runs, MEASURE))
        return np.asarray((bounds.low + bounds.high).mean(axis=1) / 2)
    if treatment == "Bpref":
        return score(qrels, runs, treatment).scores[treatment].mean()
    policy = Policy(unjudged=treatment)
    return score(qrels, runs, MEASURE, policy).scores[MEASURE].mean()


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return how near each treatment comes to the later order and scores, and every run."""
    kind = board(BOARD)["contributed judgments"].to_dict()
    runs = rows.assign(contributed=rows["run"].map(kind), error=rows["before"] - rows["after"])
    table = [
        {"treatment": treatment, "runs": name, **_near(part)}
        for treatment, group in runs.groupby("treatment", sort=False)
        for name, part in (
            ("all", group),
            ("contributed", group[group["contributed"] == "yes"]),
            ("others", group[group["contributed"] == "no"]),
        )
    ]
    return {"table": pd.DataFrame(table), "each": runs}


def _near(part: pd.DataFrame) -> Row:
    found = Change(part["before"].to_numpy(), part["after"].to_numpy())
    return {
        "count": len(part),
        "tau": found.tau,
        "tau_ap": found.tau_ap,
        "error": part["error"].mean(),
        "absolute_error": part["error"].abs().mean(),
    }


LOOKS = {
    "nonrelevant": (BLUE, "o"),
    "condensed": (GREEN, "s"),
    "optimistic": (RED, "^"),
    "middle of the bounds": (PURPLE, "D"),
}


def draw_scores(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw each run's score under each treatment of nDCG@10 against its later score."""
    for treatment, (colour, marker) in LOOKS.items():
        rows = table[table["treatment"] == treatment]
        look = {"color": colour, "marker": marker, "ls": "", "ms": 3, "alpha": 0.7}
        ax.plot(rows["after"], rows["before"], label=treatment, **look)
    ax.plot([0, 0.75], [0, 0.75], color=BLACK, lw=0.7)
    ax.set_xlabel("nDCG@10 with all later judgments")
    ax.set_ylabel("nDCG@10 before, by treatment of holes")
    ax.get_figure().legend(  # type: ignore[union-attr]
        loc="outside upper left", ncols=2, frameon=False, handletextpad=0.2
    )
    return ax


def draw_orders(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw tau and tau_AP of each treatment's order with the later one, all runs."""
    rows = table[table["runs"] == "all"].iloc[::-1]
    places = np.arange(len(rows))
    ax.barh(places + 0.19, rows["tau"], height=0.36, color=BLUE, label="tau")
    ax.barh(places - 0.19, rows["tau_ap"], height=0.36, color=GREEN, hatch="////", label="tau_AP")
    ax.set_yticks(places, rows["treatment"])
    ax.set_xlim(0, 1)
    ax.set_xlabel("agreement with the later order by nDCG@10")
    ax.grid(axis="y", visible=False)
    ax.get_figure().legend(loc="outside upper right", ncols=2, frameon=False)  # type: ignore[union-attr]
    return ax


def answer(tables: Tables) -> str:
    """Say which treatment comes nearest to the later order, and which to the later scores."""
    table = tables["table"].query("runs == 'all'").set_index("treatment")
    order, scores = table["tau"].sort_values(), table["absolute_error"].dropna().sort_values()
    return (
        f"Nearest to the later order comes {order.index[-1]} (tau {order.iloc[-1]:.3f}), farthest from "
        f"it {order.index[0]} ({order.iloc[0]:.3f}). Nearest to the later scores comes {scores.index[0]}, "
        f"off by {scores.iloc[0]:.3f} on average, farthest {scores.index[-1]}, by {scores.iloc[-1]:.3f}."
    )


STUDY = Study(
    question="Which treatment of unjudged documents foresees what later judgments say?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "scores": Drawing(draw_scores, "each", size=(4.0, 3.4)),
        "orders": Drawing(draw_orders, size=(4.4, 2.6)),
    },
    inputs=(BEFORE, AFTER, RUNS, BOARD),
)
