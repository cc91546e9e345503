"""What a cutoff does to separation: nDCG@k for constant k, k = sqrt n, and k = c n, up to 10^12 items.

Under a constant k only k items are looked at, however long the list: z stops. Where k grows, z grows
with it as it would on a whole list of k items.
"""

from typing import TYPE_CHECKING

from ndcgstudy.card.line import short
from ndcgstudy.comparison import SUMMARY
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import BLACK, BLUE, GREEN, PURPLE, RED, lines
from ndcgstudy.separability import aggregate, summarise, tally
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import GENERATORS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

CUTOFFS = ("10", "100", "n^0.5", "0.1n", "none")
DISCOUNT_NAMES = ("log2", "power(beta=0.5)", "zipf")
NS = {
    "quick": (10**3, 10**6, 10**9, 10**12),
    "full": tuple(10**k for k in range(2, 13)),
}
REPLICATES = 30
BLOCKS = {"quick": 1, "full": 20}


def grid(scale: str) -> list[Parameters]:
    """Lay out blocks of replicates at each length; all discounts and cutoffs score the same draws."""
    return [
        {
            "generator": "reference",
            "n": n,
            "discount": DISCOUNT_NAMES,
            "cutoff": CUTOFFS,
            "replicates": REPLICATES,
            "block": block,
        }
        for block in range(BLOCKS[scale])
        for n in NS[scale]
    ]


def cell(parameters: Parameters, rng: "np.random.Generator") -> list[Row]:
    """Simulate one block at one length and condense it to a row a discount and cutoff."""
    discounts = [DISCOUNTS.parse(text) for text in parameters["discount"]]
    paired = aggregate(
        GENERATORS.parse(parameters["generator"]),
        discounts,
        [parameters["n"]],
        replicates=parameters["replicates"],
        rng=rng,
        cutoffs=parameters["cutoff"],
    )
    return tally(paired, discounts, [parameters["n"]], parameters["cutoff"])


def analysis(rows: "pd.DataFrame") -> "dict[str, pd.DataFrame]":
    """Merge the blocks; `log2` is the part that the figures show."""
    table = summarise(rows).drop(columns=["wrong_from", "last_wrong", "last_wrong_95"])
    table = table.sort_values(["discount", "cutoff", "n"], ignore_index=True)
    return {"table": table, "log2": table[table["discount"] == "log2"].reset_index(drop=True)}


LOOKS = {
    "10": {"color": RED, "linestyle": "-."},
    "100": {"color": PURPLE, "linestyle": "-."},
    "n^0.5": {"color": GREEN, "linestyle": "--"},
    "0.1n": {"color": BLUE, "linestyle": "-"},
    "none": {"color": BLACK, "linestyle": "-"},
}
NAMES = {"10": "@10", "100": "@100", "n^0.5": "@sqrt n", "0.1n": "@n/10", "none": "whole list"}


def draw_z(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw z of nDCG with 1/log2(1 + r) under each cutoff, on log axes."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("items in the list, n")
    ax.set_ylabel("z = mean gap / sd of the gap")
    return lines(table, ax, x="n", y="z", by="cutoff", looks=LOOKS, names=NAMES)


def draw_right(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the share of right orders under each cutoff with its 95% band."""
    ax.set_xscale("log")
    ax.set_xlabel("items in the list, n")
    ax.set_ylabel("P(better ranker strictly ahead)")
    columns = {"y": "p_right", "low": "p_right_low", "high": "p_right_high"}
    return lines(table, ax, x="n", by="cutoff", looks=LOOKS, names=NAMES, **columns)


def answer(tables: Tables) -> str:
    """Say how often each cutoff puts the better ranker ahead on the longest lists."""
    table = tables["log2"]
    last = table[table["n"] == table["n"].max()].set_index("cutoff")
    parts = [
        f"{NAMES.get(str(cut), cut)} {row['p_right']:.1%} (z = {row['z']:.3g})"
        for cut, row in last.sort_values("z").iterrows()
    ]
    return (
        f"How often nDCG puts the better ranker ahead on lists of {short(table['n'].max())} items, "
        f"by cutoff: {', '.join(parts)}."
    )


STUDY = Study(
    question="Which cutoffs let nDCG tell two rankers apart as their list grows?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("generator", "n", "block"),
    figures={"z": Drawing(draw_z, "log2"), "right": Drawing(draw_right, "log2")},
    errors=SUMMARY,
)
