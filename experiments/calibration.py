"""Whether the intervals for gaps and the sets of ranks cover, and the tests keep their level.

Topics are drawn from populations whose true gaps are known: real score matrices and boards made from
them ("resampled", see `POPULATIONS`), and Gaussian copulas with the margins of a real matrix, atoms at 0
and 1 included ("copula"). Systems stand apart as they do in the matrix, or by a known step, or are made
equal: in a real matrix each topic's scores are then dealt out anew, so that no system is better.

What is called are `gaps` and `ranks`, as users call them. Methods that hold for one gap are judged by
the share of gaps they cover, methods that hold for all pairs at once by how often every pair is covered.
The defaults of `ndcgstudy gaps` and the cautions of all methods follow from here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.comparison import share
from ndcgstudy.data import Floats, Scores
from ndcgstudy.figures import BLACK, lines
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.paired import TESTS, pair_differences, paired_test
from ndcgstudy.inference.ranks import Ranks, ranks
from ndcgstudy.inference.registered import DEFAULTS, METHODS
from ndcgstudy.intervals import wilson
from ndcgstudy.populations import FILES, POPULATIONS, population
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic.matrices import apart, equal, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COPULAS = ("web2011_ndcg20", "web2013_rr", "robust2004_ndcg", "dl2021")
QUICK = ("web2011_ndcg20", "copies_robust2004_ndcg")
UNEQUAL = ("near-duplicates", "one decides")  # kinds whose systems are not made equal
STEP = 0.01
TOPICS = {"quick": (25,), "full": (3, 5, 10, 25, 50, 100, 250)}
SYSTEMS = {"quick": (10,), "full": (10, 30)}
BLOCKS = {"quick": (1, 1), "full": (2, 1)}  # of the defaults alone, and of all methods
RESAMPLES = {"quick": 199, "full": 399}
LEVEL = 0.95


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a law, number of systems and of topics, and block of draws."""
    named, copied = (POPULATIONS, COPULAS) if scale == "full" else (QUICK, COPULAS[:1])
    laws = [("resampled", name) for name in named] + [("copula", name) for name in copied]
    alone, every = BLOCKS[scale]
    kinds = [("apart", "all", 8, every), ("equal", "all", 4, every)]
    kinds.append(("apart", "default", 24, alone))
    return [
        {"source": source, "population": name, "truth": truth, "systems": systems}
        | {"topics": topics, "methods": methods, "block": block, "draws": draws}
        | {"resamples": RESAMPLES[scale]}
        for source, name in laws
        for truth, methods, draws, blocks in kinds
        if truth == "apart" or population(name).kind not in UNEQUAL
        for topics in TOPICS[scale]
        for systems in SYSTEMS[scale]
        for block in range(blocks)
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Draw systems and topics again and again; count what every method and test gets right."""
    where = {k: parameters[k] for k in ("source", "population", "truth", "systems", "topics")}
    where["boards"] = population(parameters["population"]).kind
    totals: dict[tuple[str, str], dict[str, float]] = {}
    for _ in range(parameters["draws"]):
        scores, means = drawn(parameters, rng)
        for key, counts in judged(scores, means, parameters, rng).items():
            sums = totals.setdefault(key, dict.fromkeys(counts, 0.0))
            for name, value in counts.items():
                sums[name] += value
    return [
        {**where, "kind": kind, "method": method, **sums} for (kind, method), sums in totals.items()
    ]


def drawn(parameters: Parameters, rng: np.random.Generator) -> tuple[Scores, Floats]:
    """Draw scores, systems named by their place, and the true means."""
    chosen = population(parameters["population"]).draw(parameters["systems"], rng)
    topics, same = parameters["topics"], parameters["truth"] == "equal"
    if parameters["source"] == "copula":
        model = fitted(chosen)
        law = equal(model) if same else apart(model, STEP)
        found, means = law.draw(topics, rng), law.means
    else:
        found, means = chosen[:, rng.integers(0, chosen.shape[1], topics)], chosen.mean(axis=1)
        if same:
            found, means = rng.permuted(found, axis=0), np.full(len(chosen), chosen.mean())
    systems = tuple(str(i) for i in range(len(found)))
    return Scores(found, systems, tuple(str(t) for t in range(topics)), "score"), means


def judged(
    scores: Scores, means: Floats, parameters: Parameters, rng: np.random.Generator
) -> dict[tuple[str, str], dict[str, float]]:
    """Return the counts of every method, of ranks and of every test on one draw."""
    seed, every = int(rng.integers(2**62)), parameters["methods"] == "all"
    found = {}
    for name in METHODS if every else {DEFAULTS["each"], DEFAULTS["all"]}:
        together = METHODS[name].together
        counts = of_gaps(scores, means, name, parameters["resamples"], seed)
        found["all" if together else "one", name] = counts
    how = {"resamples": parameters["resamples"], "rng": np.random.default_rng(seed)}
    ranked = ranks(scores, **how)
    found["winner", ranked.gaps.method] = of_the_first(ranked, means)
    if parameters["truth"] == "apart":
        found |= of_ranks(ranked, means)
    if every:
        differences, truth = pair_differences(scores.values), pair_differences(means[:, None])[:, 0]
        for name in TESTS:
            p = paired_test(name, differences, **how).p
            separated = p <= 1 - LEVEL + 1e-12
            found["test", name] = _told(separated, differences.mean(axis=1), truth)
    return found


def of_gaps(
    scores: Scores, means: Floats, method: str, resamples: int, seed: int
) -> dict[str, float]:
    """Count what the public function says of all pairs by one method."""
    family, rng = "all" if METHODS[method].together else "each", np.random.default_rng(seed)
    board = gaps(scores, family=family, method=method, resamples=resamples, rng=rng)
    order = np.array([int(name) for name in board.systems])
    truth = means[order[board.first]] - means[order[board.second]]
    covered = (board.low <= truth + 1e-9) & (board.high >= truth - 1e-9)
    half = (board.high - board.low) / 2
    ends = np.isfinite(half)
    return _told(board.separated, board.gap, truth) | {
        "covered": float(covered.mean()),
        "all_covered": float(covered.all()),
        "ended": float(ends.mean()),
        "half": float(half[ends].sum() / len(half)),
    }


def of_ranks(found: Ranks, means: Floats) -> dict[tuple[str, str], dict[str, float]]:
    """Count the sets that hold all ranks a system may truly have, and the truly best that may be first."""
    means = means[np.array([int(name) for name in found.systems])]
    above = (means > means[:, None] + 1e-9).sum(axis=1)
    below = (means < means[:, None] - 1e-9).sum(axis=1)
    held = (found.rank_low <= 1 + above) & (found.rank_high >= len(means) - below)
    first, size = found.tied_for_first[above == 0], found.rank_high - found.rank_low
    name = found.gaps.method
    rest = {"lists": 1.0, "ended": 1.0}
    return {
        (kind, name): rest
        | {"covered": float(one.mean()), "all_covered": float(one.all()), "half": float(wide / 2)}
        for kind, one, wide in (
            ("ranks", held, size.mean()),
            ("first", first, found.tied_for_first.sum()),
        )
    }


def of_the_first(found: Ranks, means: Floats) -> dict[str, float]:
    """Count whether the interval of the mean of the system that came first holds its true mean."""
    true = means[int(found.systems[0])]
    held = float(found.low[0] - 1e-9 <= true <= found.high[0] + 1e-9)
    half = float(found.high[0] - found.low[0]) / 2
    ended = bool(np.isfinite(half))
    counts = {"lists": 1.0, "ended": float(ended), "half": half if ended else 0.0}
    return counts | {"covered": held, "all_covered": held}


def _told(told: Any, gaps: Floats, truth: Floats) -> dict[str, float]:
    """Count pairs told apart: at all, without a true gap (type I), in the wrong order (type III)."""
    wrong = told & (np.sign(gaps) == -np.sign(truth)) & (truth != 0)
    return {
        "lists": 1.0,
        "separated": float(told.mean()),
        "any_separated": float(told.any()),
        "wrong_order": float(wrong.mean()),
        "any_wrong": float(wrong.any()),
    }


KEYS = ["source", "boards", "population", "truth", "systems", "topics", "kind", "method"]
SHARES = [
    "separated",
    "any_separated",
    "wrong_order",
    "any_wrong",
    "covered",
    "all_covered",
    "ended",
    "half",
]

BOUNDS = ("all_low", "all_high", "least_all_covered")
ERRORS = ("type_1", "any_type_1", "type_2", "type_3")


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the shares by law, and averaged over laws; half-widths are those of intervals with ends."""
    sums = rows.groupby(KEYS, sort=False)[["lists", *SHARES]].sum(min_count=1).reset_index()
    for name in SHARES:
        sums[name] = sums[name] / sums["lists"]
    sums["half"] = sums["half"] / sums["ended"].where(sums["ended"] > 0)
    low, high = wilson(sums["all_covered"].fillna(0) * sums["lists"], sums["lists"])
    known = sums["all_covered"].notna()
    table = sums.assign(
        all_low=np.where(known, low, np.nan), all_high=np.where(known, high, np.nan)
    )
    return {"table": table, "summary": _averaged(table)}


def _averaged(table: pd.DataFrame) -> pd.DataFrame:
    """Average over laws: coverage and width where systems stand apart, type I where they are equal."""
    keys = ["source", "boards", "kind", "method", "systems", "topics"]
    apart = table[table["truth"] == "apart"].groupby(keys, sort=False)
    null = table[table["truth"] == "equal"].groupby(keys, sort=False)
    summary = apart[["covered", "all_covered", "half", "ended", "separated", "wrong_order"]].mean()
    summary["least_all_covered"] = apart["all_covered"].min()
    summary["type_1"] = null["separated"].mean()
    summary["equal_covered"] = null["all_covered"].mean()
    summary["any_type_1"] = null["any_separated"].mean()
    summary["type_2"] = 1 - summary["separated"]
    summary["lists"] = apart["lists"].sum()
    summary["equal_lists"] = null["lists"].sum()
    return summary.rename(columns={"wrong_order": "type_3"}).reset_index()


def _level(ax: "Axes", what: str, value: float) -> None:
    ax.axhline(value, color=BLACK, lw=0.8)
    ax.set_xscale("log")
    ax.set_xticks(TOPICS["full"], [str(t) for t in TOPICS["full"]])
    ax.minorticks_off()
    ax.set_xlabel("topics")
    ax.set_ylabel(what)


def _of(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return one kind of method at the largest number of systems, on boards of nDCG."""
    some = table[(table["kind"] == kind) & (table["systems"] == table["systems"].max())]
    some = some[some["boards"] == "nDCG"]
    return some.groupby(["method", "topics"], sort=False).mean(numeric_only=True).reset_index()


def draw_one(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of single gaps covered against topics, a line a method."""
    _level(ax, "single gaps covered by 95% intervals", LEVEL)
    ax.set_ylim(0.84, 0.97)
    return lines(_of(table, "one"), ax, x="topics", y="covered", by="method")


def draw_all(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how often all pairs are covered at once, a line a method."""
    _level(ax, "all pairs covered by 95% intervals", LEVEL)
    ax.set_ylim(0.2, 1.0)
    return lines(_of(table, "all"), ax, x="topics", y="all_covered", by="method")


def draw_errors(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of equal pairs that tests tell apart, a line a test."""
    _level(ax, "equal systems told apart at 5%", 1 - LEVEL)
    shown = _of(table, "test")
    ax.set_ylim(0, max(0.1, 1.05 * shown["type_1"].max()))
    return lines(shown, ax, x="topics", y="type_1", by="method")


def answer(tables: Tables) -> str:
    """Say how often the defaults cover, kind by kind of board."""
    rows = tables["summary"].query("source == 'resampled' and topics >= 25")
    texts = []
    for kind, name, column in (
        ("all", DEFAULTS["all"], "all_covered"),
        ("one", DEFAULTS["each"], "covered"),
    ):
        some = rows[(rows["kind"] == kind) & (rows["method"] == name)]
        shares = some.groupby("boards", sort=False)[column].mean()
        texts.append(f"{name}: " + ", ".join(f"{k} {share:.1%}" for k, share in shares.items()))
    return (
        f"Intervals of {LEVEL:.0%} by the defaults covered, from 25 topics on, all pairs at once "
        f"({texts[0]}) and one gap ({texts[1]})."
    )


def _error(name: str) -> "Callable[[pd.DataFrame], pd.Series[Any]]":
    """Return the most that a share over draws may be off; averages over other laws are not compared.

    In each draw the share lies in [0, 1], so that it varies no more than a coin of the same mean.
    """

    def error(table: pd.DataFrame) -> "pd.Series[Any]":
        of_one_law = share(name, "lists")(table)
        return of_one_law if "population" in table else of_one_law * np.inf

    return error


STUDY = Study(
    question="Which intervals for gaps cover as they promise, and which tests keep their level?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("source", "population", "truth", "systems", "topics", "methods", "block"),
    figures={
        "single": Drawing(draw_one, table="summary", size=(4.4, 3.0)),
        "family": Drawing(draw_all, table="summary", size=(4.6, 3.4)),
        "tests": Drawing(draw_errors, table="summary", size=(4.4, 3.0)),
    },
    inputs=FILES,
    errors={
        **dict.fromkeys(("lists", "equal_lists", "half", *BOUNDS, *ERRORS)),
        **{name: _error(name) for name in SHARES if name != "half"},
    },
)
