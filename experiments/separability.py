"""Which discounts separate two rankers as their list grows, to a trillion items.

Model and question: Wang, Wang, Li, He, Chen and Liu (2013, A theoretical analysis of NDCG type
ranking measures, COLT). Lists of 100 to 100,000 items are drawn item by item, nested prefixes of
one another; those of up to 10^12 items are drawn as counts in bins; beside both stands what theory
expects of every length. The figures are those of the reference pair. Other pairs are drawn at the same
lengths, since a critical rate needs labels that stay uncertain at the top, and tops that differ.
"""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.comparison import SUMMARY
from ndcgstudy.decision import Decision, Tables, changed
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, RED, key, lines
from ndcgstudy.ledger import Checks, check, interval, read_claims
from ndcgstudy.separability import aggregate, simulate, summarise, tally
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.verdict import decide
from ndcgstudy.study import Drawing, Parameters, Row, Study
from ndcgstudy.synthetic import GENERATORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NS = tuple(round(10 ** (k / 2)) for k in range(4, 11))
DEEP = tuple(10**k for k in (6, 8, 10, 12))
THEORY = tuple(10**k for k in (2, 3, 4, 5, 6, 8, 10, 12))
REPLICATES = 20  # a direct cell; blocks of the quick scale are among those of the full one
BLOCKS = {"quick": 5, "full": 500}
DRAWN = {"quick": 1, "full": 50}  # cells of `DRAWS` replicates in bins
OTHER = {"quick": 2, "full": 10}  # those of each other pair
DRAWS = 40
FIRST_DRAWN = 1000  # block numbers from here on belong to lists drawn in bins

DIVERGES = ("loglog", "log2", "power(beta=0.25)", "power(beta=0.5)", "power(beta=0.8)")
CRITICAL = ("zipf",)
CONVERGES = ("power(beta=1.5)", "power(beta=2)", "geometric(p=0.5)")
TIES = ("constant",)
SLOWEST = "1/log(e + log(1+r))"
NAMED = (*DIVERGES, *CRITICAL, *CONVERGES, *TIES)

OTHERS = ("curves", "latent", "random(base=0.5,slope=1.0)", "shared_top")
UNCERTAIN = (
    "reference",
    "curves",
)  # labels stay uncertain at the top, where the two rankers differ
REFERENCE = GENERATORS.parse("reference")
CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))


def grid(scale: str, discount: tuple[str, ...] = ()) -> list[Parameters]:
    """Lay out blocks of replicates: a cell for the named discounts and one for each added one.

    The cells of a block share their stream, so an added discount meets the same lists.
    """
    given = dict.fromkeys(str(DISCOUNTS.parse(text)) for text in discount)
    added = [text for text in given if text not in NAMED]
    groups = (NAMED, *((text,) for text in added))

    def cells(
        part: str, blocks: range, ns: tuple[int, ...], draws: int, generator: str = "reference"
    ) -> list[Parameters]:
        base = {"part": part, "generator": generator, "n": ns, "replicates": draws}
        pairs = itertools.product(blocks, groups)
        return [base | {"discount": names, "block": block} for block, names in pairs]

    drawn, others = (range(FIRST_DRAWN, FIRST_DRAWN + count[scale]) for count in (DRAWN, OTHER))
    return [
        *cells("direct", range(BLOCKS[scale]), NS, REPLICATES),
        *cells("drawn", drawn, DEEP, DRAWS),
        *(cell for name in OTHERS for cell in cells("others", others, DEEP, DRAWS, name)),
        *cells("theory", drawn[:1], THEORY, 0),
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Simulate one block and condense it to a row a discount and length, or say what is expected."""
    discounts = [DISCOUNTS.parse(text) for text in parameters["discount"]]
    pair, ns, part = GENERATORS.parse(parameters["generator"]), parameters["n"], parameters["part"]
    if part == "theory":
        rows = [_expected(pair, d, n) for n in ns for d in discounts]
        return [{"part": part, **row} for row in rows]
    draw = simulate if part == "direct" else aggregate
    paired = draw(pair, discounts, ns, replicates=parameters["replicates"], rng=rng)
    named = {"part": part} | ({"pair": parameters["generator"]} if part == "others" else {})
    return [named | row for row in tally(paired, discounts, ns)]


def _expected(pair: Any, discount: Any, n: int) -> Row:
    found = expect(pair, discount, n)
    return {
        "discount": str(discount),
        "n": n,
        "expected_a": found.mean_a,
        "expected_b": found.mean_b,
        "expected_gap": found.gap,
        "expected_z": found.z,
    }


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Merge the blocks: short lists, long lists, theory, the verdicts, and all for the figures."""
    parts = {
        name: part.drop(columns="part").dropna(axis=1, how="all")
        for name, part in rows.groupby("part")
    }
    table = summarise(parts["direct"])
    if "drawn" not in parts:
        return {"table": table}
    deep, theory = summarise(parts["drawn"]), parts["theory"]
    return {
        "table": table,
        "deep": deep,
        "theory": theory,
        "verdicts": _verdicts({"reference": deep}),
        "pairs": _verdicts({"reference": deep} | _others(parts["others"])),
        "points": _points(table, deep, theory),
        "top": pd.DataFrame([_top(10, DEEP[-1])]),
    }


def _top(cutoff: int, n: int) -> Row:
    """Return the mean of log2's nDCG at a cutoff that theory expects of the better ranker."""
    found = expect(REFERENCE, DISCOUNTS.parse("log2"), n, cutoff=cutoff)
    return {"cutoff": cutoff, "n": n, "expected_a": found.mean_a}


def _by(table: pd.DataFrame, column: str) -> list[tuple[str, pd.DataFrame]]:
    return [(str(name), part) for name, part in table.groupby(column, sort=False)]


def _others(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {name: summarise(part.drop(columns="pair")) for name, part in _by(rows, "pair")}


def _verdicts(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the verdict of each pair and discount."""
    parts = [(pair, *part) for pair, table in tables.items() for part in _by(table, "discount")]
    return pd.DataFrame([_verdict(*part) for part in parts])


def _verdict(pair: str, name: str, rows: pd.DataFrame) -> Row:
    source, discount = GENERATORS.parse(pair), DISCOUNTS.parse(name)
    rows = rows.assign(expected_z=[expect(source, discount, n).z for n in rows["n"].tolist()])
    found = decide(discount, rows, source)
    return {
        "pair": pair,
        "discount": name,
        "verdict": str(found.finding),
        "why": found.why,
        "law": found.foreseen.law,
        "replicates": int(rows["replicates"].iloc[-1]),
        "exponent": found.exponent,
        "exponent_low": found.low,
        "exponent_high": found.high,
        "growth": str(found.growth),
        "p_right": found.p_right,
        "p_right_low": found.p_right_low,
        "p_right_high": found.p_right_high,
    }


def _points(short: pd.DataFrame, deep: pd.DataFrame, theory: pd.DataFrame) -> pd.DataFrame:
    """Put all lengths below one another, with what theory expects where that was computed."""
    columns = ["discount", "n", "replicates", "mean_a", "z", "z_se"]
    columns += ["p_right", "p_right_low", "p_right_high", "p_tied"]
    both = pd.concat([short[columns], deep[columns]], ignore_index=True)
    known = theory[["discount", "n", "expected_a", "expected_z"]]
    both["discount"] = pd.Categorical(both["discount"], short["discount"].unique())
    points = both.astype({"discount": str}).merge(known, on=["discount", "n"], how="left")
    return points.iloc[np.argsort(both["discount"].cat.codes, kind="stable")].reset_index(drop=True)


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
ALIKE = ("power(beta=1.5)", "power(beta=2)")  # their levels lie on others'


def _looks(table: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Give each added discount a colour that stands for no side."""
    added = [name for name in table["discount"].unique() if name not in NAMED]
    colours = itertools.cycle((GREEN, PURPLE, ORANGE))
    return LOOKS | {
        name: {"color": colour, "linestyle": ":"}
        for name, colour in zip(added, colours, strict=False)
    }


def _with_theory(
    table: pd.DataFrame, ax: "Axes", found: str, expected: str, names: Mapping[str, str] = NAMES
) -> "Axes":
    """Draw what theory expects as lines and what was simulated as points on them."""
    looks = _looks(table)
    plain = {name: look | {"marker": ""} for name, look in looks.items()}
    ax.set_xscale("log")
    ax.set_xlabel("items in the list, n (line: theory, points: simulation)")
    theory = table.dropna(subset=[expected])
    for name, rows in _by(table.dropna(subset=[found]), "discount"):
        ax.plot(rows["n"], rows[found], "o", ms=2.6, color=looks[name]["color"])
    return lines(theory, ax, x="n", y=expected, by="discount", looks=plain, names=names)


def _with_slopes(table: pd.DataFrame) -> dict[str, str]:
    """Name each discount with the slope of its expected z on log axes, over the last four decades."""
    names = {}
    for name, rows in _by(table.dropna(subset=["expected_z"]), "discount"):
        last = rows[rows["n"] >= rows["n"].max() / 1e4].sort_values("n")
        slope = np.polyfit(np.log(last["n"]), np.log(last["expected_z"]), 1)[0]
        names[name] = (
            f"{NAMES.get(name, name)}: n^{abs(slope) if abs(slope) < 0.005 else slope:.2f}"
        )
    return names


def draw_level(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw mean nDCG of the better ranker."""
    ax.set_ylabel("mean nDCG of the better ranker")
    key(ax, SIDES)
    return _with_theory(table[~table["discount"].isin(ALIKE)], ax, "mean_a", "expected_a")


def draw_z(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw z on log axes, where a power of n is a straight line, named with its slope at the end."""
    ax.set_yscale("log")
    ax.set_ylabel("z = mean gap / sd of the gap")
    key(ax, SIDES)
    return _with_theory(table, ax, "z", "expected_z", _with_slopes(table))


def draw_right(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of right orders with its 95% band; discounts that only tie are named below."""
    tied = table.groupby("discount")["p_tied"].transform("min") == 1
    shown = table[~tied]
    ax.set_ylim(min(0.5, shown["p_right_low"].min()), 1.01)
    ax.set_ylabel("P(better ranker strictly ahead)")
    key(ax, SIDES)
    ax.set_xscale("log")
    names = ", ".join(table["discount"][tied].unique())
    left_out = f"\n(always tied, not shown: {names})" if names else ""
    ax.set_xlabel(f"items in the list, n{left_out}")
    band = {"low": "p_right_low", "high": "p_right_high"}
    looks = _looks(shown)
    return lines(shown, ax, x="n", y="p_right", by="discount", looks=looks, names=NAMES, **band)


def _drifts(tables: Tables) -> Checks:
    """Put to the test whether the level of the logarithm rises to 1."""
    theory = tables["theory"].query("discount == 'log2'").set_index("n")["expected_a"]
    found = pd.concat([tables["table"], tables["deep"]]).query("discount == 'log2'")
    rises = found.sort_values("n")["mean_a"].diff()[1:] > 0
    shrinks = (1 - theory[10**12]) / (1 - theory[10**6])
    return [
        check("share of steps in n over which mean nDCG rises", rises.mean(), 1),
        check("1 - nDCG at n = 1e12 over that at 1e6 (1/log n halves)", shrinks, 0.5, within=0.05),
        check(
            "nDCG@10 at n = 1e12", tables["top"]["expected_a"].iloc[0], 1, within=0.01, limit=True
        ),
        check("nDCG at n = 1e12", theory[10**12], 1, within=0.01, limit=True),
    ]


def _too_slow(tables: Tables) -> Checks:
    """Put to the test whether slow discounts lose, and fast ones keep, the power to separate."""
    found = tables["verdicts"].set_index("discount")
    slow, fast = found.loc["loglog"], found.loc["geometric(p=0.5)"]
    rows = (
        (f"exponent of z of the slowest discount, {SLOWEST}", slow, "exponent", 0, 0.05),
        ("P(right) of the slowest at n = 1e12", slow, "p_right", 0.5, 0.25),
        ("P(right) of the fastest, 2^-r, at n = 1e12", fast, "p_right", 1, 0.05),
    )
    return [
        check(text, row[column], stated, within=within, **interval(row, column))
        for text, row, column, stated, within in rows
    ]


def _critical(tables: Tables) -> Checks:
    """Put to the test whether P(right) goes to 1 on one side of a rate and not on the other.

    On pairs whose labels stay uncertain at the top and whose tops differ; the others are its limits.
    """
    pairs = tables["pairs"]
    slow = pairs[pairs["discount"].isin((*DIVERGES, *CRITICAL))]
    fast = pairs[pairs["discount"].isin(CONVERGES)]
    uncertain = fast[fast["pair"].isin(UNCERTAIN)]
    found = tables["verdicts"].set_index("discount").loc["power(beta=0.8)"]
    ends = interval(found, "exponent")
    half = ends["high"] - found["exponent"]  # two standard errors; four are allowed
    return [
        _share("an unbounded sum", slow, "separates"),
        _share(
            "a bounded sum, labels uncertain at tops that differ", uncertain, "stops separating"
        ),
        check("exponent of z of r^-.8", found["exponent"], 0.2, within=2 * half, **ends),
        _right("labels that become certain", fast[fast["pair"] == "latent"]),
        _right("one top", fast[fast["pair"] == "shared_top"]),
    ]


def _share(of: str, table: pd.DataFrame, verdict: str) -> Row:
    """Check that pairs and discounts have a verdict."""
    count = len(table)
    text = f"pairs and discounts of {of} whose verdict is {verdict!r}, of {count}"
    return check(text, (table["verdict"] == verdict).sum(), count)


def _right(of: str, table: pd.DataFrame) -> Row:
    """Check that P(right) of r^-2 stays below 1, a limit."""
    row = table.set_index("discount").loc["power(beta=2)"]
    text = f"P(right) of r^-2 at n = 1e12, two rankers with {of}"
    return check(text, row["p_right"], 0.68, within=0.1, **interval(row, "p_right"), limit=True)


DECISIONS = (
    Decision(
        CLAIMS["A26"],
        _drifts,
        (
            changed(mean_a=lambda t: 1 / t["n"]),
            changed("theory", expected_a=0.999),
            changed("top", expected_a=1.0),
        ),
    ),
    Decision(
        CLAIMS["A27"],
        _too_slow,
        (
            changed("verdicts", "discount == 'loglog'", exponent=0.0, p_right=0.5),
            changed("verdicts", "discount == 'geometric(p=0.5)'", p_right=1.0),
        ),
    ),
    Decision(
        CLAIMS["A28"],
        _critical,
        (
            changed("pairs", verdict="not resolved"),
            changed("pairs", p_right=0.68, p_right_low=0.6, p_right_high=0.75),
            changed("verdicts", exponent=0.5),
        ),
    ),
)


def answer(tables: Tables) -> str:
    """Sort the discounts by what was found, with P(right) on the longest lists."""
    if "verdicts" not in tables:
        return ""
    parts = [
        f"{finding} {', '.join(rows['discount'])} ({_span(ahead)})"
        for finding, rows in tables["verdicts"].groupby("verdict", sort=False)
        for ahead in [rows["p_right"]]
    ]
    certain = tables["pairs"].query("pair == 'latent'").set_index("discount").loc[[*CONVERGES]]
    return (
        "Discounts, and how often the better ranker is ahead on the longest lists of the reference pair, "
        f"whose labels stay uncertain at the top: {'; '.join(parts)}. Of a pair whose labels become "
        f"certain there, {', '.join(CONVERGES)}: {_span(certain['p_right'])}."
    )


def _span(shares: "pd.Series[float]") -> str:
    """Return the least and the largest share, once where they read alike."""
    ends = [f"{end:.1%}" for end in (shares.min(), shares.max())]
    return " to ".join(dict.fromkeys(ends))


STUDY = Study(
    question="Which discounts separate a better ranker from a worse one as the list grows?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("generator", "block"),
    figures={
        "level": Drawing(draw_level, table="points", size=(4.4, 3.4)),
        "z": Drawing(draw_z, table="points", size=(4.4, 3.4)),
        "right": Drawing(draw_right, table="points", size=(4.4, 3.4)),
    },
    decisions=DECISIONS,
    options=("discount",),
    errors=SUMMARY | dict.fromkeys(("why", "growth", "exponent", "exponent_low", "exponent_high")),
)
