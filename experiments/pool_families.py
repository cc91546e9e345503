"""Who loses by a pool, where everything is known: families of systems that err alike.

Six systems of one family and two of another are alike in quality, but for the last, which is better;
rho is the share of a system's noise that is its family's. Five systems of the first family make the
pool, at several depths. So the loss of each kind of system can be read off, and how often the pool puts
the better system behind a contributor.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.comparison import share
from ndcgstudy.figures import BLACK, BLUE, GREEN, RED, lines
from ndcgstudy.intervals import wilson
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURE = "nDCG@10"
RHOS = (0.0, 0.3, 0.6, 0.9)
BLOCKS, COLLECTIONS = {"quick": 3, "full": 16}, 25
TOPICS, DOCUMENTS, RELEVANT = 50, 500, 25
QUALITY, BETTER = 1.5, 1.8
POOLED = (10, 30, 100)
CONTRIBUTORS = 5
KINDS = ("contributor", "same family", "other family", "better, other family")
FAMILY = np.array([0] * CONTRIBUTORS + [0, 1, 1])


def grid(scale: str) -> list[Parameters]:
    """Lay out blocks of collections by rho."""
    return [{"rho": rho, "block": block} for block in range(BLOCKS[scale]) for rho in RHOS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Simulate some collections."""
    rho = parameters["rho"]
    return [{"rho": rho, **row} for _ in range(COLLECTIONS) for row in simulate(rho, rng)]


def simulate(rho: float, rng: np.random.Generator) -> list[Row]:
    """Draw a collection and systems; return what each kind loses by pools of several depths.

    A system scores a document by quality * relevance + sqrt(rho) * noise of its family
    + sqrt(1 - rho) * noise of its own; ranks run down the scores.
    """
    relevant = np.zeros((TOPICS, DOCUMENTS))
    relevant[:, :RELEVANT] = 1
    shape = (FAMILY.size, TOPICS, DOCUMENTS)
    family = rng.standard_normal((2, TOPICS, DOCUMENTS))[FAMILY]
    noise = rho**0.5 * family + (1 - rho) ** 0.5 * rng.standard_normal(shape)
    quality = np.array([QUALITY] * (FAMILY.size - 1) + [BETTER])
    order = np.argsort(-(quality[:, None, None] * relevant + noise), axis=-1)
    judged = np.zeros((TOPICS, DOCUMENTS), dtype=bool)
    full = _ndcg(relevant, ~judged, order[..., :10])
    rows = []
    for depth in POOLED:
        for system in range(CONTRIBUTORS):
            np.put_along_axis(judged, order[system, :, :depth], True, axis=1)
        rows.append({"depth": depth, **_losses(full, _ndcg(relevant, judged, order[..., :10]))})
    return rows


def _losses(full: npt.NDArray[np.float64], less: npt.NDArray[np.float64]) -> Row:
    """Return the loss of one system of each kind, and whether the better one falls behind."""
    at = (0, *range(CONTRIBUTORS, FAMILY.size))
    losses = {f"loss {kind}": less[i] - full[i] for kind, i in zip(KINDS, at, strict=True)}
    better = full[at[3]] > full[0]
    return {**losses, "better": int(better), "turned": int(better and less[at[3]] < less[0])}


def _ndcg(
    relevant: npt.NDArray[np.float64], judged: npt.NDArray[np.bool_], top: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Score all systems; a document that is not judged is not relevant."""
    known = np.where(judged, relevant, np.nan)
    grades = np.take_along_axis(np.broadcast_to(known, (len(top), *known.shape)), top, axis=-1)
    ideal = np.broadcast_to(np.where(judged, relevant, 0.0), (len(top), *known.shape))
    return np.nan_to_num(score_grades(MEASURE, grades, ideal)).mean(axis=1)


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return losses by kind, and how often the better system falls behind."""
    return {"table": _losses_by_kind(rows), "hidden": _hidden(rows)}


def _losses_by_kind(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean loss of each kind by rho and depth."""
    parts = []
    for (rho, depth), group in rows.groupby(["rho", "depth"]):
        for kind in KINDS:
            loss = group[f"loss {kind}"]
            row = {"rho": rho, "depth": int(depth), "kind": kind, "collections": len(loss)}
            parts.append(row | {"loss": loss.mean(), "loss_se": loss.std() / len(loss) ** 0.5})
    return pd.DataFrame(parts)


def _hidden(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how often the pool puts the better system of the other family behind a contributor."""
    sums = rows.groupby(["rho", "depth"])[["better", "turned"]].sum().astype(int).reset_index()
    low, high = wilson(sums["turned"], sums["better"])
    return pd.DataFrame(
        {
            "rho": sums["rho"],
            "depth": sums["depth"].astype(int),
            "collections": sums["better"],
            "hidden": sums["turned"] / sums["better"],
            "hidden_low": low,
            "hidden_high": high,
        }
    )


LOOKS = {
    "contributor": {"color": BLACK, "marker": "o", "linestyle": "-"},
    "same family": {"color": BLUE, "marker": "s", "linestyle": "--"},
    "other family": {"color": RED, "marker": "^", "linestyle": "-."},
    "better, other family": {"color": GREEN, "marker": "D", "linestyle": ":"},
}


def draw_losses(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the loss of each kind of system against the noise a family shares, at the least depth."""
    ax.set_xlabel("share of its noise that a system has from its family")
    ax.set_ylabel(f"change of nDCG@10 by the pool (first {POOLED[0]})")
    ax.axhline(0, color=BLACK, lw=0.7)
    rows = table[table["depth"] == POOLED[0]]
    return lines(rows, ax, x="rho", y="loss", by="kind", looks=LOOKS)


def draw_hidden(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often the better system falls behind, against the noise a family shares."""
    ax.set_xlabel("share of its noise that a system has from its family")
    ax.set_ylabel("P(better outsider put behind a contributor)")
    ax.set_ylim(-0.02, 1.02)
    names = {str(depth): f"pool of the first {depth}" for depth in POOLED}
    how = {"x": "rho", "y": "hidden", "by": "depth", "low": "hidden_low", "high": "hidden_high"}
    return lines(table, ax, **how, names=names)


def answer(tables: Tables) -> str:
    """Say how often the better system is put behind, by depth, where families differ the most."""
    hidden = tables["hidden"]
    some = hidden[hidden["rho"] == hidden["rho"].max()].sort_values("depth")
    none = hidden[hidden["rho"] == hidden["rho"].min()].sort_values("depth")
    parts = [
        f"{row.hidden:.1%} [{row.hidden_low:.1%}, {row.hidden_high:.1%}] with a pool of depth {row.depth:.0f}"
        for row in (some.iloc[0], some.iloc[-1])
    ]
    return (
        f"A better system of another family is put behind a contributor in {' and '.join(parts)} "
        f"where rho = {some['rho'].iloc[0]:g}; in {none['hidden'].iloc[0]:.1%} and "
        f"{none['hidden'].iloc[-1]:.1%} where rho = {none['rho'].iloc[0]:g}."
    )


STUDY = Study(
    question="Whom does a pool of one family's documents put behind, and how deep must it be?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("rho", "block"),
    figures={
        "losses": Drawing(draw_losses, size=(4.6, 3.0)),
        "hidden": Drawing(draw_hidden, "hidden", size=(4.6, 3.0)),
    },
    errors={"collections": None, "hidden": share("hidden", "collections")},
)
