"""Which discounts separate two rankers as their list grows: the reference pair, simulated.

Model and question: Wang, Wang, Li, He, Chen and Liu (2013, A theoretical analysis of NDCG type
ranking measures, COLT). Lists grow from 100 to 100,000 items by half decades.
"""

import itertools
from typing import TYPE_CHECKING

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, key, lines
from ndcgstudy.separability import simulate, summarise, tally
from ndcgstudy.study import Drawing, Parameters, Row, Study
from ndcgstudy.synthetic import GENERATORS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

NS = tuple(round(10 ** (k / 2)) for k in range(4, 11))
REPLICATES = 20  # a cell; blocks of the quick scale are the first of the full one
BLOCKS = {"quick": 20, "full": 500}

DIVERGES = ("loglog", "log2", "power(beta=0.25)", "power(beta=0.5)", "power(beta=0.8)")
CRITICAL = ("zipf",)
CONVERGES = ("power(beta=1.5)", "power(beta=2)", "geometric(p=0.5)")
TIES = ("constant",)
NAMED = (*DIVERGES, *CRITICAL, *CONVERGES, *TIES)


def grid(scale: str, discount: tuple[str, ...] = ()) -> list[Parameters]:
    """Lay out blocks of replicates: a cell for the named discounts and one for each added one.

    The cells of a block share their stream, so an added discount meets the same lists.
    """
    added = [text for text in dict.fromkeys(map(_canonical, discount)) if text not in NAMED]
    return [
        {
            "generator": "reference",
            "n": NS,
            "replicates": REPLICATES,
            "discount": names,
            "block": block,
        }
        for block in range(BLOCKS[scale])
        for names in (NAMED, *((text,) for text in added))
    ]


def _canonical(text: str) -> str:
    return str(DISCOUNTS.parse(text))


def cell(parameters: Parameters, rng: "np.random.Generator") -> list[Row]:
    """Simulate one block and condense it to a row a discount and prefix."""
    discounts = [DISCOUNTS.parse(text) for text in parameters["discount"]]
    paired = simulate(
        GENERATORS.parse(parameters["generator"]),
        discounts,
        parameters["n"],
        replicates=parameters["replicates"],
        rng=rng,
    )
    return tally(paired, discounts, parameters["n"])


def analysis(rows: "pd.DataFrame") -> "dict[str, pd.DataFrame]":
    """Merge the blocks."""
    return {"table": summarise(rows)}


SIDES = {
    "sum diverges": {"color": BLUE, "linestyle": "-"},
    "critical": {"color": BLACK, "linestyle": "--"},
    "sum converges": {"color": RED, "linestyle": "-."},
}
LOOKS = {
    **{
        name: look
        for names, look in zip((DIVERGES, CRITICAL, CONVERGES), SIDES.values(), strict=True)
        for name in names
    },
    **{name: {"color": GREY, "linestyle": ":"} for name in TIES},
}
NAMES = {
    "log2": "1/log2(1+r)",
    "zipf": "1/r",
    "geometric(p=0.5)": "2^-r",
    **{f"power(beta={b})": f"r^-{b}" for b in (0.25, 0.5, 0.8, 1.5, 2)},
}
ALIKE = ("power(beta=0.8)", "power(beta=1.5)", "power(beta=2)")  # their levels lie on others'


def _looks(table: "pd.DataFrame") -> dict[str, dict[str, str]]:
    """Give each added discount a colour that stands for no side."""
    added = [name for name in table["discount"].unique() if name not in NAMED]
    colours = itertools.cycle((GREEN, PURPLE, ORANGE))
    return LOOKS | {
        name: {"color": colour, "linestyle": ":"}
        for name, colour in zip(added, colours, strict=False)
    }


def _against_n(table: "pd.DataFrame", ax: "Axes", y: str, **columns: str) -> "Axes":
    ax.set_xscale("log")
    ax.set_xlabel("items in the list, n")
    return lines(table, ax, x="n", y=y, by="discount", looks=_looks(table), names=NAMES, **columns)


def draw_level(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw mean nDCG of the better ranker, shaded down to that of the other."""
    ax.set_ylabel("mean nDCG of the better ranker")
    key(ax, SIDES)
    shown = table[~table["discount"].isin(ALIKE)]
    _against_n(shown, ax, "mean_a", low="mean_b", high="mean_a")
    ax.set_xlabel(f"{ax.get_xlabel()}\n(shaded: down to the other ranker)")
    return ax


def draw_z(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw z on log axes, where a power of n is a straight line."""
    ax.set_yscale("log")
    ax.set_ylabel("z = mean gap / sd of the gap")
    key(ax, SIDES)
    return _against_n(table, ax, "z")


def draw_right(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the share of right orders with its 95% band; discounts that only tie are named below."""
    tied = table.groupby("discount")["p_tied"].transform("min") == 1
    shown = table[~tied]
    ax.set_ylim(min(0.5, shown["p_right_low"].min()), 1.01)
    ax.set_ylabel("P(better ranker strictly ahead)")
    key(ax, SIDES)
    _against_n(shown, ax, "p_right", low="p_right_low", high="p_right_high")
    if tied.any():
        names = ", ".join(table["discount"][tied].unique())
        ax.set_xlabel(f"{ax.get_xlabel()}\n(always tied, not shown: {names})")
    return ax


STUDY = Study(
    question="Which discounts tell a better ranker from a worse one as the list grows?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("generator", "block"),
    figures={
        "level": Drawing(draw_level),
        "z": Drawing(draw_z),
        "right": Drawing(draw_right),
    },
    options=("discount",),
)
