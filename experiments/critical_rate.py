"""Where separation slows down and where it ends: the exponent of z against the decay of r^-beta.

z = mean gap / sd of the gap is measured on lists of up to 10^12 items, and z = c n^e is fitted to the
last decades. Predicted: e = 1/2 for beta < 1/2, 1 - beta from there to 1, and 0 beyond, for the reference
pair, whose labels stay uncertain at the top. A phase diagram of P(right) puts beside it a pair whose labels
become certain there: P(right) goes to 1 for every beta, whatever z does.
"""

from typing import TYPE_CHECKING

from ndcgstudy.comparison import SUMMARY
from ndcgstudy.discounts import Power
from ndcgstudy.figures import BLACK, BLUE, GREY, RED, key
from ndcgstudy.separability import aggregate, summarise, tally
from ndcgstudy.separability.expectation import expect
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import GENERATORS, Generator

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes

STEPS = {"quick": 4, "full": 20}  # betas a unit
NS = {"quick": (10**8, 10**12), "full": tuple(10**k for k in range(4, 13))}
BLOCKS = {"quick": 2, "full": 20}
REPLICATES = 30
FITTED = 10**8  # lists from here on are fitted
CERTAIN = "latent"  # labels become certain at the top


def grid(scale: str, generator: str = "reference") -> list[Parameters]:
    """Lay out blocks of replicates at each length; all betas score the same draws."""
    betas = tuple(k / STEPS[scale] for k in range(3 * STEPS[scale] + 1))
    return [
        {"generator": pair, "n": n, "beta": betas, "replicates": REPLICATES, "block": block}
        for pair in dict.fromkeys((generator, CERTAIN))
        for block in range(BLOCKS[scale])
        for n in NS[scale]
    ]


def cell(parameters: Parameters, rng: "np.random.Generator") -> list[Row]:
    """Simulate one block at one length and condense it to a row a beta."""
    discounts = [Power(beta=beta) for beta in parameters["beta"]]
    paired = aggregate(
        GENERATORS.parse(parameters["generator"]),
        discounts,
        [parameters["n"]],
        replicates=parameters["replicates"],
        rng=rng,
    )
    rows = tally(paired, discounts, [parameters["n"]])
    named = {"generator": parameters["generator"]}
    return [named | row | {"beta": d.beta} for row, d in zip(rows, discounts, strict=True)]


def analysis(rows: "pd.DataFrame") -> "dict[str, pd.DataFrame]":
    """Merge the blocks and fit an exponent a beta; P(right) of both pairs."""
    import pandas as pd

    betas = rows[["discount", "beta"]].drop_duplicates()
    first = str(rows["generator"].iloc[0])
    parts = []
    for name, part in rows.groupby("generator", sort=False):
        table = summarise(part.drop(columns="generator")).merge(betas, on="discount")
        parts.append(table.assign(generator=name))
    points = pd.concat(parts, ignore_index=True)
    points = points.drop(columns=["wrong_from", "last_wrong", "last_wrong_95"])  # no prefixes here
    pair = GENERATORS.parse(first)
    own = points[points["generator"] == first]
    fits = [
        _fit(beta, part) | {"expected": expected(pair, beta, int(part["n"].max()))}
        for beta, part in own.groupby("beta")
    ]
    return {"table": pd.DataFrame(fits), "points": points}


def expected(pair: Generator, beta: float, n: int) -> float:
    """Return the exponent between the ends of what is fitted, from exact mean and variance."""
    import numpy as np

    if beta == 0:
        return float("nan")
    ends = [expect(pair, Power(beta=beta), k).z for k in (FITTED, n)]
    return float(np.log(ends[1] / ends[0]) / np.log(n / FITTED))


def predicted(beta: float) -> float:
    """Return the exponent of z for a pair whose top items differ."""
    return 0.5 if beta < 0.5 else max(1 - beta, 0.0)


def _fit(beta: float, part: "pd.DataFrame") -> dict[str, float]:
    """Fit z = c n^e by weighted least squares; the interval is where chi-square rises by 3.84.

    A constant discount (beta = 0) only ties and has no z.
    """
    import numpy as np

    fitted = part[part["n"] >= FITTED].dropna(subset=["z", "z_se"])
    last = part.loc[part["n"].idxmax()]
    found = {"beta": beta, "predicted": predicted(beta), "p_right": last["p_right"]}
    found |= {name: last[name] for name in ("p_right_low", "p_right_high", "z", "z_se")}
    if len(fitted) < 2:
        none = float("nan")
        return found | {"exponent": none, "exponent_low": none, "exponent_high": none}
    x = np.log(fitted["n"].to_numpy() / FITTED)
    z, weight = fitted["z"].to_numpy(), fitted["z_se"].to_numpy() ** -2.0
    tried = np.linspace(-1, 1, 4001)
    growth = np.exp(tried[:, None] * x)
    level = (weight * z * growth).sum(axis=1) / (weight * growth**2).sum(axis=1)
    chi = (weight * (z - level[:, None] * growth) ** 2).sum(axis=1)
    near = tried[chi <= chi.min() + 3.84]
    return found | {
        "exponent": tried[chi.argmin()],
        "exponent_low": near.min(),
        "exponent_high": near.max(),
    }


LOWEST = -0.3  # of the figure
LINE = {
    "limit": {"color": BLACK, "linestyle": "--"},
    "exact": {"color": RED, "linestyle": "-"},
}
DOTS = {"measured": {"color": BLUE, "marker": "o", "linestyle": ""}}


def draw_phase(table: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the measured exponent with its 95% interval over its limit and its exact value."""
    key(ax, LINE | DOTS)
    kinks = [table["beta"].min(), 0.5, 1.0, table["beta"].max()]
    ax.plot(kinks, [predicted(beta) for beta in kinks], **LINE["limit"])
    ax.plot(table["beta"], table["expected"], lw=0.8, **LINE["exact"])
    ax.set_ylim(LOWEST, 0.65)
    shown = table.dropna(subset=["exponent"])
    reach = [
        (shown["exponent"] - shown["exponent_low"]).to_numpy(),
        (shown["exponent_high"] - shown["exponent"]).to_numpy(),
    ]
    ax.errorbar(shown["beta"], shown["exponent"], yerr=reach, fmt="o", color=BLUE, ms=2.5, lw=0.8)
    below = shown[shown["exponent"] < LOWEST]  # their intervals reach up into the figure
    ax.plot(below["beta"], [LOWEST] * len(below), "v", color=BLUE, ms=3.5, clip_on=False)
    for beta, text in ((0.25, r"$\sqrt{n}$"), (0.8, r"$n^{1-\beta}$"), (2.0, "stops")):
        ax.annotate(text, (beta, predicted(beta)), (4, 9), textcoords="offset points", color=GREY)
    ax.set_xlabel(
        "decay $\\beta$ of the discount $r^{-\\beta}$\n(all $\\beta$ on the same draws: points err together)"
    )
    ax.set_ylabel("e in z ~ n^e, n from 1e8 to 1e12")
    return ax


STYLES = {"uncertain": {"color": BLUE}, "certain": {"color": RED}}
MARKS = ("o", "s", "^")  # from the shortest list to the longest
AT = (10**4, 10**8, 10**12)


def draw_right(points: "pd.DataFrame", ax: "Axes") -> "Axes":
    """Draw the share of right orders with its 95% band, of both pairs at three lengths."""
    shown = points[points["beta"] > 0]  # beta = 0 only ties
    lengths = [n for n in AT if (shown["n"] == n).any()]
    for pair, part in shown.groupby("generator", sort=False):
        look = STYLES["certain" if pair == CERTAIN else "uncertain"]
        for n, mark, style in zip(lengths, MARKS, (":", "--", "-"), strict=False):
            rows = part[part["n"] == n].sort_values("beta")
            ax.fill_between(
                rows["beta"], rows["p_right_low"], rows["p_right_high"], alpha=0.12, lw=0, **look
            )
            text = f"{pair}, n = 1e{len(str(n)) - 1}"
            ax.plot(
                rows["beta"], rows["p_right"], style, marker=mark, ms=2, lw=0.9, label=text, **look
            )
    ax.axvline(1, color=BLACK, ls="--", lw=0.8)
    ax.axhline(0.5, color=GREY, ls=":", lw=0.8)
    ax.set_ylim(0.45, 1.02)
    ax.legend(loc="upper right", bbox_to_anchor=(1, 0.95), frameon=False)
    ax.set_xlabel(
        "decay $\\beta$ of the discount $r^{-\\beta}$\n"
        "(labels at the top stay uncertain in reference, become certain in latent)"
    )
    ax.set_ylabel("P(better ranker ahead)")
    return ax


def _span(shares: "pd.Series[float]") -> str:
    """Return the least and the largest share, once where they read alike."""
    return " to ".join(dict.fromkeys(f"{end:.1%}" for end in (shares.min(), shares.max())))


def answer(tables: Tables) -> str:
    """Say how the exponent falls, and how near theory comes."""
    known = tables["table"].dropna(subset=["exponent"])
    rows = [known.loc[(known["beta"] - beta).abs().idxmin()] for beta in (0.5, 0.8, 1.0, 1.5)]
    parts = [
        f"{r['exponent']:.3f} [{r['exponent_low']:.3f}, {r['exponent_high']:.3f}] at beta = {r['beta']:g}"
        for r in rows
    ]
    off = (known["exponent"] - known["expected"]).abs().max()
    last = tables["points"].query("beta > 1 and n == n.max()").groupby("generator", sort=False)
    right = "; ".join(f"{pair} {_span(part['p_right'])}" for pair, part in last)
    return (
        f"z grows as a power of n whose exponent is {', '.join(parts)}; the limits foretold are "
        f"{', '.join(format(r['predicted'], 'g') for r in rows)}. No exponent is off by more than "
        f"{off:.3f} from the exact one at these lengths. P(right) on the longest lists, beta > 1: {right}; "
        f"labels stay uncertain at the top of the first pair and become certain at that of {CERTAIN}."
    )


STUDY = Study(
    question="How fast does r^-beta separate two rankers, and beyond which beta does it stop?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("generator", "n", "block"),
    figures={
        "phase": Drawing(draw_phase),
        "right": Drawing(draw_right, table="points", size=(4.6, 3.6)),
    },
    options=("generator",),
    errors={
        **SUMMARY,
        **dict.fromkeys(("exponent", "exponent_low", "exponent_high")),
        "p_right": lambda table: (table["p_right_high"] - table["p_right_low"]) / (2 * 1.96),
    },
)
