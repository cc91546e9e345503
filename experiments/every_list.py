"""What two public explanations of nDCG say of every list, put to the test on every list of a small size.

Each statement is computed with the measures it names and, as a counterfactual, with others in their
place: so it is known that the test can fail.
"""

from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.decision import Score, Tests
from ndcgstudy.enumeration import every, joined
from ndcgstudy.figures import BLUE, GREY
from ndcgstudy.ledger import Checks, check, missed, read_claims, true
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Lists = npt.NDArray[np.int64]

ROUNDING = 1e-12  # sums of a dozen terms below 10 are off by less: 12 * 10 * 2^-53 is 1.4e-14
CLAIMS = Path(__file__).with_name("claims.csv")
TESTS = Tests(read_claims(CLAIMS))
BROAD, FINE = (
    f"DCG(gain=table(values=({','.join(str(g + i * step) for g in range(3) for i in range(5))})))"
    for step in (0, 0.1)
)
"""DCG of documents 5 g + i, grade g: those of one grade have one gain, or gains that differ a little."""


def spread(scores: Floats) -> float:
    """Return the largest range of scores along the last axis, leaving out those that are 0/0."""
    return float(np.nanmax(scores.max(axis=-1) - scores.min(axis=-1)))


@TESTS.of(
    "A7",
    {"nDCG(gain=exp)": "nDCG(gain=linear)"},  # gains that never differ
    {"nDCG(gain=exp)": "DCG(gain=exp)", "nDCG(gain=linear)": "DCG"},  # no ideal to cancel them
    {"nDCG(gain=exp)": "P@5"},
)
def _gains_agree(score: Score) -> Checks:
    lists = every(5, 4)
    linear, exponential = (score(f"nDCG(gain={g})", lists) for g in ("linear", "exp"))
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


@TESTS.of("A9", {"nDCG@10": "nDCG@13"}, {"nDCG@10": "DCG@10"})
def _eleventh(score: Score) -> Checks:
    tops, tails = every(2, 10), np.array(list(permutations((0, 1, 2))))
    moved = spread(score("nDCG@10", joined(tops, tails)))
    judged = spread(np.nan_to_num(score("nDCG@10", joined(tops, np.array([[0], [1]])))))
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


@TESTS.of(
    "B5",
    {"nDCG": "DCG", "nDCG@3": "nDCG"},
    {"nDCG": "P@6"},
    {"nDCG": "DCG@1", "nDCG@3": "nDCG"},
)
def _range(score: Score) -> Checks:
    lists = every(3, 6)
    scores, top = score("nDCG", lists), score("nDCG@3", lists)
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


@TESTS.of("B11", {BROAD: FINE})
def _ideal_orders(score: Score) -> Checks:
    orders = np.array(list(permutations(range(5))))
    documents = 5 * every(3, 5) + np.arange(5)  # document i of grade g is 5 g + i
    ranked = documents[:, orders]
    ideal = (np.diff(ranked // 5) <= 0).all(axis=-1)
    scores = np.where(ideal, score(BROAD, ranked), np.nan)
    apart = np.nanmax(scores, axis=1) - np.nanmin(scores, axis=1)
    return [check("difference of DCG between ideal orders", apart.max(), 0, within=ROUNDING)]


@TESTS.of("B12", {"AP": "nDCG"}, {"nDCG": "AP"})
def _binary_map(score: Score) -> Checks:
    pairs = np.stack([every(3, 6), np.minimum(every(3, 6), 1)], axis=1)
    ap, ndcg = (spread(score(measure, pairs)) for measure in ("AP", "nDCG"))
    return [
        check("change of AP when grade 2 becomes 1", ap, 0),
        true(f"nDCG changes, by up to {ndcg:.3f}", ndcg > ROUNDING),
    ]


@TESTS.of(
    "A31",
    {"nDCG(gain=exp)": "DCG(gain=exp)"},
    {"nDCG(gain=exp)": "nDCG(gain=linear)", "nDCG(gain=binary)": "nDCG(gain=linear)"},
)
def _one_relevant(score: Score) -> Checks:
    lists = every(4, 4)
    count = (lists > 0).sum(axis=1)
    gains = np.stack([score(f"nDCG(gain={g})", lists) for g in ("linear", "exp", "binary")])
    apart = np.ptp(gains, axis=0) > ROUNDING  # False where all are 0/0
    sets = np.array([gains[:, count == 1][:, i::4].mean(axis=1) for i in range(4)])
    two = (count == 2) & (
        np.ptp(np.where(lists > 0, lists, lists.max(axis=1)[:, None]), axis=1) > 0
    )
    return [
        check(
            f"lists with 1 relevant document that gains score differently, of {(count == 1).sum()}",
            apart[count == 1].sum(),
            0,
        ),
        check("sets of such lists whose means gains order differently", _reordered(sets), 0),
        check(
            f"lists with 2 relevant documents of 2 grades on which gains agree, of {two.sum()}",
            (~apart[two & ~_perfect(lists)]).sum(),
            0,
            limit=True,
        ),
    ]


@TESTS.of("B13", {"RR": "AP"})
def _first_relevant(score: Score) -> Checks:
    lists = every(2, 8)[1:]
    off = np.abs(score("RR", lists) - 1 / (1 + lists.argmax(axis=1)))
    return [check(f"RR less 1/(first relevant rank), {len(lists)} lists", off.max(), 0)]


@TESTS.of("B14", {"R@4": "nDCG@4"}, {"nDCG": "R@4"}, {"R@4": "R"})
def _late(score: Score) -> Checks:
    heads, orders = every(2, 4), np.array(list(permutations(range(4))))
    lists = joined(heads, every(2, 3)).reshape(-1, 7)
    mixed = np.concatenate([lists[:, orders], lists[:, None, 4:].repeat(len(orders), 1)], axis=-1)
    across = lists[lists[:, 3] != lists[:, 4]]
    other = across[:, [0, 1, 2, 4, 3, 5, 6]]
    moved = (score("R@4", across) != score("R@4", other)).sum()
    return [
        check("change of R@4 when ranks 1-4 swap places", spread(score("R@4", mixed)), 0),
        check("swaps one rank down that do not lower nDCG", _not_punished(score, lists), 0),
        check("swaps across rank 4 that change R@4", moved, 0, limit=True),
    ]


def _not_punished(score: Score, lists: Lists) -> int:
    """Count the lists in which a relevant document goes one rank down and nDCG does not fall."""
    count = 0
    for rank in range(lists.shape[1] - 1):
        before = lists[(lists[:, rank] == 1) & (lists[:, rank + 1] == 0)]
        after = before.copy()
        after[:, [rank, rank + 1]] = [0, 1]
        count += int((score("nDCG", after) >= score("nDCG", before)).sum())
    return count


def _perfect(lists: Lists) -> "npt.NDArray[np.bool_]":
    """Say which lists are in the order of their grades; all gains give these 1."""
    return np.asarray((np.diff(lists) <= 0).all(axis=1))


def _reordered(means: Floats) -> int:
    """Count the pairs of rows of means, (sets, gains), that some gain orders otherwise than the first."""
    first, second = np.triu_indices(len(means), 1)
    gaps = means[first] - means[second]
    signs = np.sign(np.where(np.abs(gaps) > ROUNDING, gaps, 0.0))
    return int((signs != signs[:, :1]).any(axis=1).sum())


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell a claim; nothing is sampled, so that both scales are alike."""
    return [{"claim": key} for key in TESTS]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Put one claim to the test."""
    return TESTS.rows(parameters["claim"])


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the checks, and how many of each claim are met."""
    met = rows.groupby(["claim", "limit"], sort=False)["met"].agg(["sum", "size"]).reset_index()
    return {"table": rows, "met": met.rename(columns={"sum": "met", "size": "checks"})}


def draw_met(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how many checks of each claim are met, those that look beyond its words in grey."""
    names = list(dict.fromkeys(table["claim"]))
    for limit, colour, shift in ((False, BLUE, -0.2), (True, GREY, 0.2)):
        rows = table[table["limit"] == limit]
        at = [names.index(name) + shift for name in rows["claim"]]
        ax.barh(at, rows["checks"], height=0.36, fill=False, edgecolor=colour, lw=0.8)
        label = "that look beyond its words" if limit else "of what the claim says"
        ax.barh(at, rows["met"], height=0.36, color=colour, label=label)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("checks (outline) and those that are met (filled)")
    ax.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return ax


def answer(tables: Tables) -> str:
    """Say how many checks are met, and which are not."""
    main, beyond = (tables["table"][tables["table"]["limit"] == limit] for limit in (False, True))
    rows = tables["table"][~tables["table"]["met"]].to_dict("records")
    wrong = "; ".join(f"{row['claim']}, {missed(row)}" for row in rows)
    return (
        f"{main['met'].sum()} of {len(main)} checks are met, and {beyond['met'].sum()} of "
        f"{len(beyond)} that look beyond the words. Not met: {wrong or 'none'}."
    )


STUDY = Study(
    question="Do statements about all lists hold on every list of a small size?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={"met": Drawing(draw_met, table="met", size=(4.2, 3.0))},
    inputs=(CLAIMS,),
    decisions=TESTS.decisions,
)
