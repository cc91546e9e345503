"""The worked examples of two public explanations of nDCG, recomputed.

Numbers are compared with the stated ones to half a unit of their last digit. Each is computed with the
measure that is named and, as a counterfactual, with another in its place.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.decision import Decision, Score, Tests, changed
from ndcgstudy.discounts import DISCOUNTS, Log2
from ndcgstudy.figures import BLUE, GREY, lines
from ndcgstudy.ledger import Checks, check, missed, read_claims, true
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXAMPLE = (3, 2, 3, 0, 1, 2)
IDEAL = tuple(sorted(EXAMPLE, reverse=True))
THREE_DIGITS, PERCENT = 0.0005, 0.005  # half a unit of the last digit
WEIGHTS = dict(enumerate(Log2()(np.arange(1, 11)), start=1))

TOOLS = Path(__file__).with_name("tools.csv")
"""Default gain and discount of evaluation tools and learning-to-rank libraries, with the source."""

CLAIMS = Path(__file__).with_name("claims.csv")
KNOWN = read_claims(CLAIMS)
TESTS = Tests(KNOWN)


def weight(score: Score, rank: int) -> float:
    """Return what a document of gain 1 at a rank adds to DCG."""
    return float(score("DCG", [0] * (rank - 1) + [1]))


@TESTS.of("A1", {"P@10": "nDCG@10"}, {"nDCG@10": "P@10"})
def _counting(score: Score) -> Checks:
    lists = [np.repeat([1, 0], [4, 6]), np.repeat([0, 1], [6, 4])]
    p, ndcg = (score(measure, lists) for measure in ("P@10", "nDCG@10"))
    return [
        check("P@10 with ranks 1-4 minus with ranks 7-10", p[0] - p[1], 0),
        true("nDCG@10 is higher with ranks 1-4", ndcg[0] > ndcg[1]),
    ]


@TESTS.of("A2", {"DCG": "DCG(discount=zipf)"}, {"DCG": "RBP(p=0.7)"})
def _half(score: Score) -> Checks:
    return [check(f"weight of rank {r}", weight(score, r), w) for r, w in ((1, 1), (3, 0.5))]


def _stated(key: str, measure: str, grades: tuple[int, ...], value: float) -> None:
    """Put a claim to the test that states one score to three digits."""
    quantity = f"{measure} of {' '.join(map(str, grades))}"

    def test(score: Score) -> Checks:
        return [check(quantity, score(measure, grades), value, within=THREE_DIGITS)]

    TESTS.of(key, {measure: "nDCG(discount=jk2002)"})(test)


_stated("A3", "DCG", EXAMPLE, 6.861)
_stated("A4", "DCG", IDEAL, 7.141)
_stated("A5", "nDCG", EXAMPLE, 0.961)
_stated("A6", "nDCG(gain=exponential)", EXAMPLE, 0.949)


@TESTS.of("A8", {"nDCG(discount=jk2002)": "nDCG(discount=log2)"})
def _discounts_differ(score: Score) -> Checks:
    new, old = (score(f"nDCG(discount={d})", EXAMPLE) for d in ("log2", "jk2002"))
    return [true(f"nDCG of {new:.4f} and {old:.4f} differ", new != old)]


@TESTS.of("A18", {"nDCG@10": "RBP(p=0.7)", "DCG": "RBP(p=0.7)"})
def _one_relevant(score: Score) -> Checks:
    scores = score("nDCG@10", np.eye(12, dtype=int))
    stated = {1: 1.0, 2: 0.631, 3: 0.5, 10: 0.289, 11: 0.0, 12: 0.0}
    return [check("IDCG", score("DCG", [1]), 1)] + [
        check(f"rank {r}", scores[r - 1], x, within=THREE_DIGITS) for r, x in stated.items()
    ]


@TESTS.of("A29", {"DCG(gain=exp)": "DCG"}, {"DCG": "DCG(gain=exp)"})
def _steps(score: Score) -> Checks:
    gains = {name: score(name, np.arange(4)[:, None]) for name in ("DCG(gain=exp)", "DCG")}
    exponential, linear = (np.diff(x)[2] / np.diff(x)[0] for x in gains.values())
    return [
        check("step from grade 2 to 3 over that from 0 to 1, gain 2^g - 1", exponential, 4),
        check("step from grade 2 to 3 over that from 0 to 1, gain g", linear, 1),
    ]


@TESTS.of("B2", {"DCG": "RBP(p=0.7)"})
def _full(score: Score) -> Checks:
    return [check("weight of rank 1", weight(score, 1), 1)]


def _reduced(key: str, rank: int, stated: float) -> None:
    """Put a claim to the test that states how much gain a rank loses."""

    def test(score: Score) -> Checks:
        lost, kept = f"share of gain lost at rank {rank}", f"share kept at rank {rank}"
        return [
            check(lost, 1 - weight(score, rank), stated, within=PERCENT),
            check(kept, weight(score, rank), 1 - stated, within=PERCENT),
        ]

    TESTS.of(key, {"DCG": f"DCG(gain=table(values=(0,{(1 - stated) / WEIGHTS[rank]})))"})(test)


_reduced("B3", 5, 0.39)
_reduced("B4", 10, 0.54)


def _defaults(tables: Tables) -> Checks:
    """B1: the gain and the discount that are most tools' defaults."""
    tools = tables["tools"]
    learning = tools["kind"] == "learning to rank"
    gain, log2 = tools["gain"] == "exponential", tools["discount"] == "log2"

    def row(who: str, part: pd.Series, what: str, *, limit: bool = False) -> dict[str, Any]:
        text = f"{what} is the default of most {who}, {part.sum()} of {len(part)}"
        return true(text, part.mean() > 0.5, limit=limit)

    return [
        row("tools", log2, "1/log2(p + 1)"),
        row("learning-to-rank tools", gain[learning], "2^rel - 1"),
        row("evaluation tools", gain[~learning], "2^rel - 1", limit=True),
    ]


OTHER_TOOLS = (
    changed("tools", gain="linear", discount="zipf"),
    changed("tools", gain="exponential"),
)


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell a claim; nothing is sampled, so that both scales are alike."""
    return [{"claim": key} for key in TESTS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Put one claim to the test."""
    return TESTS.rows(parameters["claim"])


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the checks, what the figures show, and the defaults of tools."""
    columns = ["tool", "kind", "gain", "discount"]
    tools = pd.read_csv(TOOLS, usecols=columns)
    return {"table": rows, "weights": _weights(), "example": _example(), "tools": tools}


def _weights(depth: int = 20) -> pd.DataFrame:
    ranks = np.arange(1, depth + 1)
    names = ("constant", "loglog", "jk2002", "log2", "power(beta=0.5)", "zipf", "geometric(p=0.5)")
    parts = ({"discount": d, "rank": ranks, "weight": DISCOUNTS.parse(d)(ranks)} for d in names)
    return pd.concat(map(pd.DataFrame, parts))


def _example() -> pd.DataFrame:
    """Return gain and discounted gain at each rank of the example, as ranked and in ideal order."""
    ranks = np.arange(1, len(EXAMPLE) + 1)
    weights = DISCOUNTS.parse("log2")(ranks)
    orders = {"as ranked": np.array(EXAMPLE), "ideal order": np.array(IDEAL)}
    parts = (
        {"order": name, "rank": ranks, "gain": gains, "counted": gains * weights}
        for name, gains in orders.items()
    )
    return pd.concat(map(pd.DataFrame, parts))


def draw_weights(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how much a document counts at each rank, a line a discount."""
    ax.set_xlabel("rank")
    ax.set_ylabel("weight of a document")
    ax.set_ylim(0, 1.02)
    return lines(table, ax, x="rank", y="weight", by="discount")


def draw_example(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw gain (outline) and discounted gain (filled) by rank, as ranked beside the ideal order."""
    sums = table.groupby("order", sort=False)["counted"].sum()
    for place, (order, rows) in enumerate(table.groupby("order", sort=False)):
        look = {"color": (BLUE, GREY)[place], "hatch": ("", "////")[place], "width": 0.38}
        at = rows["rank"] + 0.4 * (place - 0.5)
        ax.bar(at, rows["gain"], width=0.38, fill=False, edgecolor=look["color"], lw=0.7)
        ax.bar(at, rows["counted"], label=f"{order}: DCG {sums[order]:.3f}", alpha=0.8, **look)
    ax.set_xlabel(
        f"rank\nnDCG = {sums.iloc[0]:.3f} / {sums.iloc[1]:.3f} = {sums.iloc[0] / sums.iloc[1]:.3f}"
    )
    ax.set_ylabel("gain (outline); gain x discount (filled)")
    ax.grid(axis="x", visible=False)
    ax.legend(frameon=False, loc="upper right")
    return ax


def answer(tables: Tables) -> str:
    """Say how many checks are met, and which are not."""
    main, beyond = (tables["table"][tables["table"]["limit"] == limit] for limit in (False, True))
    wrong = [f"{row['claim']}, {missed(row)}" for row in main[~main["met"]].to_dict("records")]
    return (
        f"{main['met'].sum()} of {len(main)} checks are met, and {beyond['met'].sum()} of "
        f"{len(beyond)} that look beyond the words.{' Not met are ' if wrong else ''}{'; '.join(wrong)}"
        f"{'.' if wrong else ''}"
    )


STUDY = Study(
    question="Do the worked examples and the numbers of two explanations of nDCG come out?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "weights": Drawing(draw_weights, table="weights"),
        "example": Drawing(draw_example, table="example"),
    },
    inputs=(CLAIMS, TOOLS),
    decisions=(*TESTS.decisions, Decision(KNOWN["B1"], _defaults, OTHER_TOOLS)),
)
