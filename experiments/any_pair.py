"""Whether nDCG with the logarithm separates different rankers, whatever the pair of rankers.

Six pairs that differ in different ways, binary and graded, with independent and shared items, and one
whose rankers are nearly alike, from a hundred items to a trillion. Theorem 6 of Wang et al. (2013)
promises this for any two rankers whose relevance curves differ and are smooth.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.card.line import short
from ndcgstudy.comparison import SUMMARY
from ndcgstudy.decision import Decision, changed
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import lines
from ndcgstudy.ledger import Checks, check, interval, read_claims
from ndcgstudy.separability import aggregate, summarise, tally
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import GENERATORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PAIRS = {
    "reference": "linear curves",
    "curves(a=(0.1,0.0,0.5))": "against random",
    "curves(a=(0.1,0.0,0.5),levels=(0.7,0.2,0.1))": "graded, against random",
    "latent(a=0.8,b=0.7)": "correlated",
    "latent(a=0.6,b=0.3,shares=(0.1,0.02))": "correlated, graded",
    "shared_top": "same top half",
    "latent(a=0.8,b=0.795)": "nearly alike",
}
ALIKE = "latent(a=0.8,b=0.795)"
NS = (100, 1000, 10**4, 10**6, 10**12)
LARGE = 10**6
DRAWS, BLOCKS = 25, {"quick": 1, "full": 40}
CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
LOG2 = DISCOUNTS.parse("log2")


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a pair and block of replicates."""
    return [
        {"generator": pair, "n": NS, "replicates": DRAWS, "block": block}
        for block in range(BLOCKS[scale])
        for pair in PAIRS
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Simulate one block and condense it to a row a length."""
    pair, ns = GENERATORS.parse(parameters["generator"]), parameters["n"]
    paired = aggregate(pair, [LOG2], ns, replicates=parameters["replicates"], rng=rng)
    rows = tally(paired, [LOG2], ns)
    return [{"pair": parameters["generator"], **row} for row in rows]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Merge the blocks of each pair."""
    parts = [
        summarise(part.drop(columns="pair")).assign(pair=pair, kind=PAIRS[str(pair)])
        for pair, part in rows.groupby("pair", sort=False)
    ]
    return {"table": pd.concat(parts, ignore_index=True)}


def draw_right(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of right orders of each pair with its 95% band."""
    ax.set_xscale("log")
    ax.set_ylim(min(0.5, table["p_right_low"].min()), 1.01)
    ax.set_xlabel("items in the list, n")
    ax.set_ylabel("P(better ranker strictly ahead), 1/log2(1+r)")
    return lines(table, ax, x="n", y="p_right", by="kind", low="p_right_low", high="p_right_high")


def draw_z(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw z of each pair on log axes: its slope is 1/2 for all."""
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("items in the list, n")
    ax.set_ylabel("z = mean gap / sd of the gap, 1/log2(1+r)")
    return lines(table[table["z"] > 2 * table["z_se"]], ax, x="n", y="z", by="kind")


def _told(tables: Tables) -> Checks:
    """Judge the claim: different pairs must be separated, and short lists set its limits."""
    table = tables["table"]
    apart, alike = table[table["pair"] != ALIKE], table[table["pair"] == ALIKE]
    right = apart[apart["n"] >= LARGE].groupby("pair")["p_right"].min() >= 0.95
    return [
        check(
            f"pairs of different rankers with P(right) of .95 or more from n = 1e6 on, of {len(right)}",
            right.sum(),
            len(right),
        ),
        _least("least P(right) of these pairs at n = 100", apart[apart["n"] == 100]),
        _least("P(right) of a close pair at n = 1000", alike[alike["n"] == 1000]),
    ]


def _least(text: str, table: pd.DataFrame) -> Row:
    """Return a check of the least share of right orders, a limit."""
    row = table.loc[table["p_right"].idxmin()]
    return check(text, row["p_right"], 1, within=0.05, **interval(row, "p_right"), limit=True)


def answer(tables: Tables) -> str:
    """Say how often the better ranker is ahead on short and on long lists."""
    table = tables["table"]
    least = table[table["pair"] != ALIKE].groupby("n")["p_right"].min()
    alike = table[table["pair"] == ALIKE].groupby("n")["p_right"].min()
    long = least[least >= 0.95]
    return (
        f"The better of two different rankers is ahead on at least {long.iloc[0]:.1%} of lists, "
        f"whichever the pair, from n = {short(long.index[0])} on, and on {least.iloc[0]:.1%} at "
        f"n = {short(least.index[0])}; of two rankers nearly alike on {alike.iloc[0]:.1%} at n = "
        f"{short(alike.index[0])} and {alike.iloc[-1]:.1%} at n = {short(alike.index[-1])}."
    )


STUDY = Study(
    question="Does nDCG with the logarithm separate any two different rankers?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("generator", "block"),
    figures={"right": Drawing(draw_right, size=(4.4, 3.2)), "z": Drawing(draw_z, size=(4.4, 3.2))},
    decisions=(Decision(CLAIMS["A25"], _told, (changed(p_right=0.5), changed(p_right=1.0))),),
    errors=SUMMARY,
)
