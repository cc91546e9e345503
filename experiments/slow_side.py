"""What a discount that decays too slowly can and cannot do.

On a full list both rankers share their items and the ideal, so the sign of their difference is the
same under D and under aD + b (a > 0): slowness as such loses nothing. Only the last step, D constant,
ties every pair. With a cutoff neither holds: the two lists differ in what they show, and a constant
discount is precision. The pair is the reference pair.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.comparison import SUMMARY, share
from ndcgstudy.discounts import DISCOUNTS, Weights
from ndcgstudy.figures import BLACK, BLUE, GREEN, GREY, RED, lines
from ndcgstudy.separability import simulate, summarise, tally
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import GENERATORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NS = (100, 316, 1000, 3162, 10_000)
BASES = ("log2", "zipf", "geometric(p=0.5)")
MIXES = (1.0, 0.5, 0.1, 0.01, 0.001, 0.0)  # the share a of D in aD + (1 - a)
SLOW = ("constant", "loglog", "log2")
CUTOFFS = ("none", "0.2n", "10")
DRAWS, BLOCKS = 50, {"quick": 4, "full": 100}


class Mix:
    """Weigh rank r by a D(r) + 1 - a: the slower, the nearer to a constant, the smaller a is."""

    def __init__(self, base: str, a: float) -> None:
        self.base, self.a = DISCOUNTS.parse(base), a

    def __call__(self, ranks: Any) -> Weights:
        """Return the weights."""
        return np.asarray(self.a * self.base(ranks) + 1 - self.a)

    def __str__(self) -> str:
        return f"{self.a:g} D + {1 - self.a:g}, D = {self.base}"


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell for mixes and one for cutoffs a block."""
    return [
        {"part": part, "generator": "reference", "n": NS, "replicates": DRAWS, "block": block}
        for block in range(BLOCKS[scale])
        for part in ("mixes", "cutoffs")
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Compare the signs of mixes with those of D itself, or score slow discounts under cutoffs."""
    pair, ns, draws = (parameters[name] for name in ("generator", "n", "replicates"))
    generator = GENERATORS.parse(pair)
    if parameters["part"] == "mixes":
        mixes = [Mix(base, a) for base in BASES for a in MIXES]
        found = simulate(generator, mixes, ns, replicates=draws, rng=rng)
        ahead = found.ahead.reshape(draws, len(BASES), len(MIXES), len(ns))
        same, tied = (ahead == ahead[:, :, :1]).sum(axis=0), (ahead == 0).sum(axis=0)
        levels = (found.second + found.gap).mean(axis=0).reshape(tied.shape)
        return [
            {"part": "mixes", "base": base, "a": a, "n": n, "replicates": draws}
            | {"same": int(same[i, j, k]), "tied": int(tied[i, j, k]), "mean_a": levels[i, j, k]}
            for i, base in enumerate(BASES)
            for j, a in enumerate(MIXES)
            for k, n in enumerate(ns)
        ]
    slow = [DISCOUNTS.parse(name) for name in SLOW]
    paired = simulate(generator, slow, ns, replicates=draws, rng=rng, cutoffs=CUTOFFS)
    return [{"part": "cutoffs", **row} for row in tally(paired, slow, ns, CUTOFFS)]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return how often a mix orders as D does, and z of slow discounts by cutoff."""
    parts = {name: part.dropna(axis=1, how="all") for name, part in rows.groupby("part")}
    cutoffs = summarise(parts["cutoffs"].drop(columns="part"))
    return {"table": _mixes(parts["mixes"]), "cutoffs": cutoffs.assign(name=_names(cutoffs))}


def _mixes(rows: pd.DataFrame) -> pd.DataFrame:
    """Sum over blocks and lengths: lists, and shares ordered as by D alone and tied."""
    weighted = rows.assign(level=rows["mean_a"] * rows["replicates"])
    sums = weighted.groupby(["base", "a"], sort=False)[
        ["replicates", "same", "tied", "level"]
    ].sum()
    table = sums.rename(columns={"replicates": "lists"}).reset_index()
    for name in ("same", "tied", "level"):
        table[name] = table[name] / table["lists"]
    return table.rename(columns={"level": "mean_a"}).assign(x=_positions(table["a"]))


def _positions(a: pd.Series) -> pd.Series:
    return a.map({value: place for place, value in enumerate(MIXES)})


def _names(table: pd.DataFrame) -> pd.Series:
    return table["discount"] + table["cutoff"].map(lambda cut: "" if cut == "none" else f" @{cut}")


COLOURS = dict(zip(SLOW, (GREY, GREEN, BLUE), strict=True))
STYLES = dict(zip(CUTOFFS, ("-", "--", ":"), strict=True))
BASE_LOOKS = dict(zip(BASES, (BLUE, BLACK, RED), strict=True))


def draw_mixes(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the level, which goes to 1 with the mix, and above it the order, which does not change."""
    ax.set_xlim(-0.4, len(MIXES) - 0.6)
    ax.set_ylim(0.4, 1.12)
    ax.set_yticks([0.4, 0.6, 0.8, 1.0])
    ax.set_xticks(range(len(MIXES)), [f"{a:g}" for a in MIXES])
    ax.set_xlabel("a in D' = a D + (1 - a): slower and slower, a constant at 0")
    ax.set_ylabel("mean nDCG of the better ranker under D'")
    for x, rows in table.groupby("x"):
        same, tied = rows["same"].min(), rows["tied"].min()
        text = "only\nties" if tied == 1 else f"{same:.0%}"
        ax.text(float(str(x)), 1.05, text, ha="center")
    ax.set_title("lists whose winner is the same under D' as under D:")
    looks = {base: {"color": colour} for base, colour in BASE_LOOKS.items()}
    return lines(table, ax, x="x", y="mean_a", by="base", looks=looks)


def draw_cutoffs(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw z of slow discounts against n: full list, a fifth of it, the first ten."""
    looks = {
        name: {
            "color": COLOURS[rows["discount"].iloc[0]],
            "linestyle": STYLES[rows["cutoff"].iloc[0]],
        }
        for name, rows in table.groupby("name")
    }
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("items in the list, n (constant on the full list: only ties)")
    ax.set_ylabel("z = mean gap / sd of the gap")
    return lines(table, ax, x="n", y="z", by="name", looks=looks)


def answer(tables: Tables) -> str:
    """Say whether the mix changes winners, and what a constant does under a cutoff."""
    table, cut = tables["table"], tables["cutoffs"]
    mixed, constant = table[table["a"] > 0], table[table["a"] == 0]
    last = cut[(cut["n"] == cut["n"].max()) & (cut["cutoff"] == "0.2n")].set_index("discount")["z"]
    return (
        f"On a full list, however slow a D + (1 - a) is, at least {mixed['same'].min():.1%} of lists have "
        f"the winner that D gives them; at a = 0 {constant['tied'].min():.0%} are ties. Cut at "
        f"n/5, z at n = {cut['n'].max():,} is {last['constant']:.2f} for a constant and {last['log2']:.2f} "
        "for the logarithm."
    )


STUDY = Study(
    question="Can a discount that decays too slowly lose the power to separate rankers?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("generator", "block"),
    figures={
        "mixes": Drawing(draw_mixes, size=(4.4, 3.0)),
        "cutoffs": Drawing(draw_cutoffs, table="cutoffs", size=(4.4, 3.2)),
    },
    errors={
        **SUMMARY,
        "lists": None,
        **{name: share(name, "lists") for name in ("same", "tied")},
    },
)
