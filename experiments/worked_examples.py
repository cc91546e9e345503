"""What two public explanations of nDCG say that can be computed: worked examples and small proofs.

Numbers are compared with the stated ones to half a unit of their last digit; statements about all
lists are checked on every list of a small size.
"""

from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.enumeration import every, joined
from ndcgstudy.figures import BLUE, GREY, lines
from ndcgstudy.ledger import Checks, Tests, check, missed, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Lists = npt.NDArray[np.int64]

EXAMPLE = (3, 2, 3, 0, 1, 2)
IDEAL = tuple(sorted(EXAMPLE, reverse=True))
ROUNDING = 1e-12  # sums of a dozen terms below 10 are off by less: 12 * 10 * 2^-53 is 1.4e-14
THREE_DIGITS, PERCENT = 0.0005, 0.005  # half a unit of the last digit

TOOLS = Path(__file__).with_name("tools.csv")
"""Default gain and discount of evaluation tools and learning-to-rank libraries, with the source."""

CLAIMS = Path(__file__).with_name("claims.csv")
TESTS = Tests(read_claims(CLAIMS))


def weight(rank: int) -> float:
    """Return 1/log2(rank + 1)."""
    return float(DISCOUNTS.parse("log2")(np.array([rank]))[0])


def spread(scores: Floats) -> float:
    """Return the largest range of scores along the last axis, leaving out those that are 0/0."""
    return float(np.nanmax(scores.max(axis=-1) - scores.min(axis=-1)))


@TESTS.of("A1")
def _counting() -> Checks:
    lists = [np.repeat([1, 0], [4, 6]), np.repeat([0, 1], [6, 4])]
    p, ndcg = (score_grades(measure, lists) for measure in ("P@10", "nDCG@10"))
    return [
        check("P@10 with ranks 1-4 minus with ranks 7-10", p[0] - p[1], 0),
        true("nDCG@10 is higher with ranks 1-4", ndcg[0] > ndcg[1]),
    ]


@TESTS.of("A2")
def _half() -> Checks:
    return [check(f"weight of rank {r}", weight(r), w) for r, w in ((1, 1), (3, 0.5))]


def _stated(key: str, measure: str, grades: tuple[int, ...], value: float) -> None:
    """Put a claim to the test that states one score to three digits."""
    quantity = f"{measure} of {' '.join(map(str, grades))}"

    def test() -> Checks:
        return [check(quantity, score_grades(measure, grades), value, within=THREE_DIGITS)]

    TESTS.of(key)(test)


_stated("A3", "DCG", EXAMPLE, 6.861)
_stated("A4", "DCG", IDEAL, 7.141)
_stated("A5", "nDCG", EXAMPLE, 0.961)
_stated("A6", "nDCG(gain=exponential)", EXAMPLE, 0.949)


@TESTS.of("A7")
def _gains_agree() -> Checks:
    lists = every(5, 4)
    linear, exponential = (score_grades(f"nDCG(gain={g})", lists) for g in ("linear", "exp"))
    apart = np.abs(linear - exponential) > ROUNDING  # False where both are 0/0
    kinds = np.bitwise_or.reduce(1 << lists, axis=1)  # bit g is set where grade g occurs
    positive = np.bitwise_count(kinds >> 1)
    table = pd.DataFrame({"kind": kinds, "positive": positive, "apart": apart})
    sets = table.groupby(["kind", "positive"], as_index=False)["apart"].any()
    one, several = sets[sets["positive"] == 1], sets[sets["positive"] > 1]
    above = one[one["kind"] > 3]  # the positive grade is not 1
    same = ~table["apart"][table["positive"] > 1]
    return [
        check(
            "sets of 2+ positive grades on which gains always agree", (~several["apart"]).sum(), 0
        ),
        check("sets of 1 positive grade on which gains ever differ", one["apart"].sum(), 0),
        check(
            "non-binary sets on which gains always agree", (~above["apart"]).sum(), 0, limit=True
        ),
        check("lists with 2+ positive grades on which gains agree", same.sum(), 0, limit=True),
    ]


@TESTS.of("A8")
def _discounts_differ() -> Checks:
    new, old = (score_grades(f"nDCG(discount={d})", EXAMPLE) for d in ("log2", "jk2002"))
    return [true(f"nDCG of {new:.4f} and {old:.4f} differ", new != old)]


@TESTS.of("A9")
def _eleventh() -> Checks:
    tops, tails = every(2, 10), np.array(list(permutations((0, 1, 2))))
    moved = spread(score_grades("nDCG@10", joined(tops, tails)))
    judged = spread(np.nan_to_num(score_grades("nDCG@10", joined(tops, np.array([[0], [1]])))))
    return [
        check("change of nDCG@10 when ranks 11-13 swap places", moved, 0, within=ROUNDING),
        check(
            "change of nDCG@10 when rank 11 becomes relevant",
            judged,
            0,
            within=ROUNDING,
            limit=True,
        ),
    ]


@TESTS.of("A18")
def _one_relevant() -> Checks:
    scores = score_grades("nDCG@10", np.eye(12, dtype=int))
    stated = {1: 1.0, 2: 0.631, 3: 0.5, 10: 0.289, 11: 0.0, 12: 0.0}
    return [check("IDCG", score_grades("DCG", [1]), 1)] + [
        check(f"rank {r}", scores[r - 1], x, within=THREE_DIGITS) for r, x in stated.items()
    ]


@TESTS.of("B1")
def _defaults() -> Checks:
    tools = pd.read_csv(TOOLS)
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


TESTS.of("B2")(lambda: [check("weight of rank 1", weight(1), 1)])


def _reduced(key: str, rank: int, stated: float) -> None:
    """Put a claim to the test that states how much gain a rank loses."""

    def test() -> Checks:
        lost, kept = f"share of gain lost at rank {rank}", f"share kept at rank {rank}"
        return [
            check(lost, 1 - weight(rank), stated, within=PERCENT),
            check(kept, weight(rank), 1 - stated, within=PERCENT),
        ]

    TESTS.of(key)(test)


_reduced("B3", 5, 0.39)
_reduced("B4", 10, 0.54)


@TESTS.of("B5")
def _range() -> Checks:
    lists = every(3, 6)
    scores, top = score_grades("nDCG", lists), score_grades("nDCG@3", lists)
    perfect, judged = (np.diff(lists) <= 0).all(axis=1), lists.any(axis=1)
    is_one, top_one = np.abs(scores - 1) <= ROUNDING, np.abs(top - 1) <= ROUNDING
    outside = (scores < 0) | (scores > 1 + ROUNDING)
    return [
        check(f"lists outside [0, 1], of {len(lists)}", outside.sum(), 0),
        check("perfect orders below 1", (perfect & judged & ~is_one).sum(), 0),
        check("other orders at 1", (~perfect & is_one).sum(), 0),
        check("perfect orders with no score (0/0)", np.isnan(scores[perfect]).sum(), 0, limit=True),
        check("other orders at 1 when cut at 3", (~perfect & top_one).sum(), 0, limit=True),
    ]


@TESTS.of("B11")
def _ideal_orders() -> Checks:
    orders = np.array(list(permutations(range(5))))
    lists = every(3, 5)[:, orders]
    ideal = (np.diff(lists) <= 0).all(axis=-1)
    scores = np.where(ideal, score_grades("DCG", lists), np.nan)
    apart = np.nanmax(scores, axis=1) - np.nanmin(scores, axis=1)
    return [check("difference of DCG between ideal orders", apart.max(), 0, within=ROUNDING)]


@TESTS.of("B12")
def _binary_map() -> Checks:
    pairs = np.stack([every(3, 6), np.minimum(every(3, 6), 1)], axis=1)
    ap, ndcg = (spread(score_grades(measure, pairs)) for measure in ("AP", "nDCG"))
    return [
        check("change of AP when grade 2 becomes 1", ap, 0),
        true(f"nDCG changes, by up to {ndcg:.3f}", ndcg > ROUNDING),
    ]


@TESTS.of("B13")
def _first_relevant() -> Checks:
    lists = every(2, 8)[1:]
    off = np.abs(score_grades("RR", lists) - 1 / (1 + lists.argmax(axis=1)))
    return [check(f"RR less 1/(first relevant rank), {len(lists)} lists", off.max(), 0)]


@TESTS.of("B14")
def _late() -> Checks:
    heads, orders = every(2, 4), np.array(list(permutations(range(4))))
    lists = joined(heads, every(2, 3)).reshape(-1, 7)
    mixed = np.concatenate([lists[:, orders], lists[:, None, 4:].repeat(len(orders), 1)], axis=-1)
    across = lists[lists[:, 3] != lists[:, 4]]
    other = across[:, [0, 1, 2, 4, 3, 5, 6]]
    moved = (score_grades("R@4", across) != score_grades("R@4", other)).sum()
    return [
        check("change of R@4 when ranks 1-4 swap places", spread(score_grades("R@4", mixed)), 0),
        check("swaps one rank down that do not lower nDCG", _not_punished(lists), 0),
        check("swaps across rank 4 that change R@4", moved, 0, limit=True),
    ]


def _not_punished(lists: Lists) -> int:
    """Count the lists in which a relevant document goes one rank down and nDCG does not fall."""
    count = 0
    for rank in range(lists.shape[1] - 1):
        before = lists[(lists[:, rank] == 1) & (lists[:, rank + 1] == 0)]
        after = before.copy()
        after[:, [rank, rank + 1]] = [0, 1]
        count += int((score_grades("nDCG", after) >= score_grades("nDCG", before)).sum())
    return count


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell a claim; nothing is sampled, so that both scales are alike."""
    return [{"claim": claim.id} for claim in TESTS.claims]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Put one claim to the test."""
    return TESTS.rows(parameters["claim"])


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the checks, and what the figures show."""
    return {"table": rows, "weights": _weights(), "example": _example()}


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
    question="Do the worked examples and small statements about nDCG hold when computed?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "weights": Drawing(draw_weights, table="weights"),
        "example": Drawing(draw_example, table="example"),
    },
    inputs=(CLAIMS, TOOLS),
    claims=TESTS.claims,
    decide=lambda tables: TESTS.verdicts(tables["table"]),
)
