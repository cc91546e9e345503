"""The four figures of Wang et al. (2013, COLT) on a simulated stand-in: which ranker is ahead.

The paper's figures come from a click log that is not public: 40 queries, 5,000 documents each, lists
that grow by time, rankers RankSVM, ListNet and one that orders at random. Here a query's documents
have a hidden quality, a fifth of them is relevant, and three rankers see the quality more, less, or
not at all. So levels of nDCG here say nothing about levels there: they hang on the share of relevant
documents and on how well the rankers see them. What can be compared is the ORDER of the rankers, which
the theory predicts whatever the data: plain under the logarithm, r^-1/2 and the logarithm cut at n/5;
left to chance under 2^-r, where in the paper the random ranker stands first.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.comparison import share
from ndcgstudy.figures import BLUE, GREEN, GREY, lines
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

RANKERS = {"like RankSVM": 0.1, "like ListNet": 0.06, "random": 0.0}  # correlation with quality
QUERIES, RELEVANT = 40, 0.2
NS = (50, 100, 200, 500, 1000, 2000, 5000)
MEASURES = {
    "log": "nDCG",
    "root": "nDCG(discount=power(beta=0.5))",
    "fast": "nDCG(discount=geometric(p=0.5))",
    "cut": "nDCG@{fifth}",
}
TITLES = {"log": "1/log2(1+r)", "root": "r^-1/2", "fast": "2^-r", "cut": "1/log2(1+r) @n/5"}
PAPER = {"log": "123", "root": "123", "fast": "312", "cut": "123"}  # best first, near n = 5,000
BLOCKS = {"quick": 12, "full": 500}

Ints = npt.NDArray[np.int64]


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell an experiment of 40 queries."""
    return [{"queries": QUERIES, "n": NS, "block": block} for block in range(BLOCKS[scale])]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Score the three rankers on growing lists; a row holds means over the queries."""
    ns = parameters["n"]
    quality, noise = rng.standard_normal((2, parameters["queries"], ns[-1]))
    own = rng.standard_normal((len(RANKERS), *quality.shape))
    top = np.quantile(rng.standard_normal(10**5), 1 - RELEVANT)
    grades = (0.8 * quality + 0.6 * noise > top).astype(np.int64)
    rows = []
    for place, seen in enumerate(RANKERS.values()):
        scores = seen * quality + (1 - seen**2) ** 0.5 * own[place]
        for n in ns:
            ranked = _ranked(scores[:, :n], grades[:, :n])
            rows.append({"ranker": place, "n": n, **_levels(ranked)})
    return [{"block": parameters["block"], **row} for row in rows]


def _ranked(scores: npt.NDArray[np.float64], grades: Ints) -> Ints:
    return np.take_along_axis(grades, np.argsort(-scores, axis=1), axis=1)


def _levels(ranked: Ints) -> dict[str, float]:
    fifth = ranked.shape[1] // 5
    return {
        name: float(np.mean(score_grades(text.format(fifth=fifth), ranked)))
        for name, text in MEASURES.items()
    }


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return levels by measure, ranker and length, and how often the rankers stand in order."""
    wide = rows.melt(["block", "ranker", "n"], [*MEASURES], var_name="measure", value_name="nDCG")
    groups = wide.groupby(["measure", "ranker", "n"], sort=False)["nDCG"]
    levels = groups.agg(
        experiments="count",
        mean="mean",
        mean_se="sem",
        low=lambda x: x.quantile(0.05),
        high=lambda x: x.quantile(0.95),
    ).reset_index()
    names = dict(enumerate(RANKERS))
    return {"table": levels.assign(name=levels["ranker"].map(names)), "orders": _orders(wide)}


def _orders(wide: pd.DataFrame) -> pd.DataFrame:
    """Return the share of experiments in which the rankers stand in their true order."""
    levels = wide.pivot(index=["measure", "n", "block"], columns="ranker", values="nDCG")
    right = (levels[0] > levels[1]) & (levels[1] > levels[2])
    first, last = levels.idxmax(axis=1) == 0, levels.idxmin(axis=1) == 2
    found = pd.DataFrame({"in_order": right, "best_first": first, "random_last": last})
    groups = found.groupby(["measure", "n"])
    table = groups.mean().assign(experiments=groups.size()).reset_index()
    return table.assign(paper=table["measure"].map(PAPER))


COLOURS = dict(zip(RANKERS, (BLUE, GREEN, GREY), strict=True))


def drawn(measure: str) -> "Callable[[pd.DataFrame, Axes], Axes]":
    """Return the figure of one measure."""

    def draw(table: pd.DataFrame, ax: "Axes") -> "Axes":
        """Draw the mean nDCG of the three rankers against the documents of a query."""
        ax.set_xscale("log")
        ax.set_xlabel("documents of a query, n\n(band: 90% of experiments)")
        ax.set_ylabel(f"nDCG under {TITLES[measure]}\nmean of {QUERIES} queries")
        looks = {name: {"color": colour} for name, colour in COLOURS.items()}
        shown = table[table["measure"] == measure]
        band = {"low": "low", "high": "high"}
        return lines(shown, ax, x="n", y="mean", by="name", looks=looks, **band)

    return draw


def draw_orders(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often an experiment of 40 queries finds the true order, a line a measure."""
    ax.set_xscale("log")
    ax.set_ylim(0, 1.02)
    ax.axhline(1 / 6, color=GREY, lw=0.7, ls=":")
    ax.text(table["n"].min(), 1 / 6 + 0.015, "by chance", color=GREY)
    ax.set_xlabel("documents of a query, n")
    ax.set_ylabel(f"share of experiments of {QUERIES} queries\nwith all three rankers in order")
    return lines(table, ax, x="n", y="in_order", by="measure", names=TITLES)


def answer(tables: Tables) -> str:
    """Say how often the rankers stand in their true order, by discount, on the longest lists."""
    orders = tables["orders"]
    last = orders[orders["n"] == orders["n"].max()].set_index("measure")
    parts = [f"{last.loc[name, 'in_order']:.1%} under {TITLES[name]}" for name in MEASURES]
    return (
        f"On {orders['n'].max():,} documents the rankers stand in their true order in {', '.join(parts)}; "
        f"under 2^-r the random ranker is not the last in {1 - last.loc['fast', 'random_last']:.1%}."
    )


STUDY = Study(
    question="In which order do the figures of Wang et al. (2013) show three rankers, and why?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("block",),
    figures={
        **{name: Drawing(drawn(name), size=(3.8, 3.0)) for name in MEASURES},
        "orders": Drawing(draw_orders, table="orders", size=(4.4, 3.2)),
    },
    errors={
        **dict.fromkeys(("experiments", "low", "high")),
        **{name: share(name, "experiments") for name in ("in_order", "best_first", "random_last")},
    },
)
