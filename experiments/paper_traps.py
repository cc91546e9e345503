"""Controls of Wang et al. (2013): four places where a statement, read as it stands, misleads.

* top: Theorem 10 says that a discount with a bounded sum separates no pair of rankers. Two rankers
  with one top and reversed bottoms are separated even by r^-2: the theorem needs tops that differ.
* certain: it also needs labels that stay uncertain at the top. Of two rankers whose top items become
  surely relevant the better one is ahead in the end under r^-2 and 2^-r, while z stalls.
* tied: Theorem 8 has a second condition for rankers whose limits tie under r^-b, b > 2/3, by which
  the one with more relevant items at the very top is found. Here such pairs are found no better as
  the list grows: the limits' next term favours the other ranker, and no more than the noise allows.
* underflow: lists that differ below rank 1,074 have the same nDCG under 2^-r in double precision.
  The first rank that differs decides, by comparison and not by arithmetic.
"""

from typing import TYPE_CHECKING

from ndcgstudy.comparison import SUMMARY
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import BLACK, BLUE, GREEN, RED, key, lines
from ndcgstudy.separability import aggregate, summarise, tally
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import GENERATORS, Curves

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

NS = {"quick": (10**3, 10**6, 10**9), "full": tuple(10**k for k in range(3, 13))}
REPLICATES = 30
BLOCKS = {"quick": 1, "full": 20}
TIED = (0.7, 0.8, 0.9)
BOUNDED = ("power(beta=1.5)", "power(beta=2)", "geometric(p=0.5)")


def tied_pair(beta: float, bend: float = 0.25) -> Curves:
    """Return two rankers with one limit under r^-beta, A with more relevant items at the top.

    ya = .3 + bend q and yb = .3 - bend q, for the polynomial q of degree 2, at most 1 and above 0 at
    the top, whose integrals alone and against (1 - s)^-beta are 0 (Theorem 7 of Wang et al. 2013);
    `bend` is halved until P(relevant) stays in [0, 1].
    """
    import numpy as np
    from scipy.special import beta as euler

    moments = [[1 / (k + 1) for k in range(3)], [euler(k + 1, 1 - beta) for k in range(3)]]
    q = np.linalg.solve(np.array([*moments, [1.0, 1.0, 1.0]]), [0.0, 0.0, 1.0])
    q /= np.abs(np.polynomial.polynomial.polyval(np.linspace(0, 1, 101), q)).max()
    base = np.array([0.3, 0.0, 0.0])
    while bend > 0.01:
        try:
            return Curves(a=tuple((base + bend * q).tolist()), b=tuple((base - bend * q).tolist()))
        except ValueError:
            bend /= 2
    raise ValueError(f"no pair for `beta` = {beta}")


def grid(scale: str) -> list[Parameters]:
    """Lay out, a trap, blocks of replicates at each length."""
    pairs: list[tuple[str, str, tuple[str, ...]]] = [
        ("top", "shared_top", ("log2", "power(beta=2)")),
        ("top", "reference", ("log2", "power(beta=2)")),
        ("certain", "latent", BOUNDED),
        ("certain", "reference", BOUNDED),
        *(("tied", str(tied_pair(beta)), (f"power(beta={beta})",)) for beta in TIED),
        ("underflow", "shared_top", ("geometric(p=0.5)",)),
    ]
    return [
        {
            "trap": trap,
            "generator": generator,
            "discount": discounts,
            "n": n,
            "replicates": REPLICATES,
            "block": block,
        }
        for block in range(BLOCKS[scale])
        for trap, generator, discounts in pairs
        for n in NS[scale]
    ]


def cell(parameters: Parameters, rng: "np.random.Generator") -> list[Row]:
    """Simulate one block and condense it; add how often two doubles are equal where lists differ."""
    discounts = [DISCOUNTS.parse(text) for text in parameters["discount"]]
    ns = [parameters["n"]]
    pair = GENERATORS.parse(parameters["generator"])
    paired = aggregate(pair, discounts, ns, replicates=parameters["replicates"], rng=rng)
    same = ((paired.gap == 0) & (paired.ahead != 0)).sum(axis=0)[:, 0]
    named = {"trap": parameters["trap"], "pair": parameters["generator"].partition("(")[0]}
    rows = tally(paired, discounts, ns)
    return [named | row | {"same": int(s)} for row, s in zip(rows, same, strict=True)]


def analysis(rows: "pd.DataFrame") -> "dict[str, pd.DataFrame]":
    """Merge the blocks, a table a trap and all of them together."""
    import pandas as pd

    parts = []
    for (trap, pair), part in rows.groupby(["trap", "pair"], sort=False):
        table = summarise(part).drop(columns=["wrong_from", "last_wrong", "last_wrong_95"])
        same = part.groupby(["discount", "n"], sort=False)["same"].sum().reset_index()
        table = table.merge(same, on=["discount", "n"])
        table["same"] = table["same"] / table["replicates"]
        table.insert(0, "arm", table["discount"] + f", {pair}")
        parts.append(table.assign(trap=trap, pair=pair))
    whole = pd.concat(parts, ignore_index=True)
    found = {str(trap): part.reset_index(drop=True) for trap, part in whole.groupby("trap")}
    return {"table": whole, **found}


TOPS = {
    "one top, reversed below": {"color": BLUE, "linestyle": "-"},
    "tops that differ": {"color": RED, "linestyle": "--"},
}


def draw_top(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw z of both pairs under 1/log2(1 + r) and r^-2 against n."""
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=1)  # z of the reference pair may fall below 0
    ax.set_xlabel("items in the list, n")
    ax.set_ylabel("z = mean gap / sd of the gap")
    key(ax, TOPS)
    looks = dict(zip(("shared_top", "reference"), TOPS.values(), strict=True))
    arms = table.drop_duplicates("arm")
    return lines(
        table,
        ax,
        x="n",
        y="z",
        by="arm",
        looks={arm: looks[pair] for arm, pair in zip(arms["arm"], arms["pair"], strict=True)},
        names={arm: "r^-2" if "power" in arm else "1/log2(1+r)" for arm in arms["arm"]},
    )


SIDES = {
    "labels certain": {"color": BLUE, "linestyle": "-"},
    "labels uncertain": {"color": RED, "linestyle": "--"},
}
SHORT = dict(zip(BOUNDED, ("r^-1.5", "r^-2", "2^-r"), strict=True))


def draw_certain(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the share of right orders of both pairs under three discounts with a bounded sum."""
    ax.set_xscale("log")
    ax.set_ylim(0.5, 1.02)
    ax.set_xlabel("items in the list, n (labels at the top)")
    ax.set_ylabel("P(better ranker ahead)")
    key(ax, SIDES)
    looks = dict(zip(("latent", "reference"), SIDES.values(), strict=True))
    arms = table.drop_duplicates("arm")
    return lines(
        table,
        ax,
        x="n",
        y="p_right",
        by="arm",
        low="p_right_low",
        high="p_right_high",
        looks={arm: looks[pair] for arm, pair in zip(arms["arm"], arms["pair"], strict=True)},
        names={arm: SHORT[name] for arm, name in zip(arms["arm"], arms["discount"], strict=True)},
    )


def draw_tied(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the share of lists on which the ranker with the better top is ahead, with its band."""
    ax.set_xscale("log")
    ax.set_ylim(0, 1)
    ax.axhline(0.5, color=BLACK, lw=0.7, ls=":")
    ax.set_xlabel("items in the list, n")
    ax.set_ylabel("P(ranker with the better top ahead)")
    colours = dict(zip(table["arm"].unique(), (BLUE, GREEN, RED), strict=False))
    return lines(
        table,
        ax,
        x="n",
        y="p_right",
        by="arm",
        low="p_right_low",
        high="p_right_high",
        looks={arm: {"color": colour} for arm, colour in colours.items()},
        names={arm: f"r^-{arm.partition('=')[2].partition(')')[0]}" for arm in colours},
    )


def _same_se(table: "pd.DataFrame") -> "pd.Series[float]":
    """Return the standard error of the share of equal doubles."""
    share = table["same"].clip(0.5 / table["replicates"], 1 - 0.5 / table["replicates"])
    error: pd.Series[float] = (share * (1 - share) / table["replicates"]) ** 0.5
    return error


def answer(tables: Tables) -> str:
    """Say what each of the four traps shows on the longest lists."""
    last = {
        name: tables[name][tables[name]["n"] == tables[name]["n"].max()]
        for name in ("top", "certain", "tied", "underflow")
    }
    top = last["top"].query("discount == 'power(beta=2)'").set_index("pair")["p_right"]
    certain = last["certain"].groupby("pair")["p_right"]
    tied, fine = last["tied"]["p_right"], last["underflow"].iloc[0]
    return (
        f"Under r^-2 the better ranker is ahead on {top['shared_top']:.1%} of the longest lists where "
        f"the tops are one, on {top['reference']:.1%} where they differ. "
        f"Under {', '.join(SHORT.values())} it is ahead on {certain.min()['latent']:.1%} or more where "
        f"labels become certain at the top, on {certain.max()['reference']:.1%} or less where they do "
        "not. Pairs whose limits tie: "
        f"{tied.min():.1%} to {tied.max():.1%}. Under 2^-r {fine['same']:.1%} of pairs of lists have the "
        f"same score in double precision, yet the first rank that differs is right on {fine['p_right']:.1%}."
    )


STUDY = Study(
    question="Where do statements of Wang et al. (2013) need more than they say?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("trap", "generator", "n", "block"),
    figures={
        "top": Drawing(draw_top, "top"),
        "certain": Drawing(draw_certain, "certain"),
        "tied": Drawing(draw_tied, "tied"),
    },
    errors={**SUMMARY, "same": _same_se},
)
