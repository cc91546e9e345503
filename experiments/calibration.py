"""Whether the intervals for gaps cover, and the tests keep their level.

Topics are drawn from laws whose true gaps are known: real score matrices as populations
("resampled"), and Gaussian copulas with the margins of a real matrix, atoms at 0 and 1 included
("copula"). Systems stand apart as they do in the matrix, or by a known step, or are made equal: in a
real matrix each topic's scores are then dealt out anew, so that no system is better.

Methods that hold for one gap are judged by the share of gaps they cover, methods that hold for all
pairs at once by how often every pair is covered. The defaults of `ndcgstudy gaps` follow from here.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.boards import FILES, URBANO, board, distinct
from ndcgstudy.comparison import share
from ndcgstudy.data import Floats, Scores
from ndcgstudy.figures import BLACK, lines
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.inference.families import Family
from ndcgstudy.inference.methods import Task
from ndcgstudy.inference.paired import TESTS, paired_test
from ndcgstudy.inference.registered import METHODS
from ndcgstudy.intervals import wilson
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic.matrices import apart, equal, fitted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POPULATIONS = (*URBANO, "dl2019", "dl2020", "dl2021", "round1")
COPULAS = ("web2011_ndcg20", "web2013_rr", "robust2004_ndcg", "dl2021")
STEP = 0.01
TOPICS = {"quick": (25,), "full": (10, 25, 50, 100, 250)}
SIZES = {"quick": {10: (10, 1)}, "full": {10: (20, 5), 30: (20, 2)}}  # systems: draws, blocks
RESAMPLES = {"quick": 199, "full": 499}
LEVEL = 0.95
ONE = tuple(name for name, method in METHODS.items() if not method.together)
ALL = tuple(name for name, method in METHODS.items() if method.together)


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a law, number of systems and of topics, and block of draws."""
    named = POPULATIONS if scale == "full" else POPULATIONS[:2]
    copied = COPULAS if scale == "full" else COPULAS[:1]
    laws = [("resampled", name) for name in named] + [("copula", name) for name in copied]
    return [
        {"source": source, "population": name, "truth": truth, "systems": systems}
        | {"topics": topics, "block": block, "draws": draws, "resamples": RESAMPLES[scale]}
        for source, name in laws
        for truth in ("apart", "equal")
        for topics in TOPICS[scale]
        for systems, (draws, blocks) in SIZES[scale].items()
        for block in range(blocks)
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Draw systems and topics again and again; count what every method and test gets right."""
    where = {k: parameters[k] for k in ("source", "population", "truth", "systems", "topics")}
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
    values = distinct(board(parameters["population"])).values
    chosen = values[rng.choice(len(values), parameters["systems"], replace=False)]
    topics, same = parameters["topics"], parameters["truth"] == "equal"
    if parameters["source"] == "copula":
        model = fitted(chosen)
        law = equal(model) if same else apart(model, STEP)
        found, means = law.draw(topics, rng), law.means
    else:
        found, means = chosen[:, rng.integers(0, chosen.shape[1], topics)], chosen.mean(axis=1)
        if same:
            found, means = rng.permuted(found, axis=0), np.zeros(len(chosen))
    systems = tuple(str(i) for i in range(len(found)))
    return Scores(found, systems, tuple(str(t) for t in range(topics)), "score"), means


def judged(
    scores: Scores, means: Floats, parameters: Parameters, rng: np.random.Generator
) -> dict[tuple[str, str], dict[str, float]]:
    """Return the counts of every method and test on one draw."""
    sample = sample_of(scores)
    family = Family("all", len(sample.systems))
    first, second = family.pairs
    order = np.array([int(name) for name in sample.systems])
    truth = means[order[first]] - means[order[second]]
    task = Task(sample, family, LEVEL, parameters["resamples"], rng)
    found = {}
    for name, method in METHODS.items():
        bounds = method.find(task)
        told = (bounds.low > 0) | (bounds.high < 0)
        told = told if bounds.separated is None else bounds.separated
        counts = _told(told, sample.means[first] - sample.means[second], truth)
        covered = (bounds.low <= truth + 1e-9) & (bounds.high >= truth - 1e-9)
        half = float(np.mean(bounds.high - bounds.low) / 2)
        counts |= {"covered": covered.mean(), "all_covered": float(covered.all()), "half": half}
        found["one" if not method.together else "all", name] = counts
    differences = sample.values[first] - sample.values[second]
    for name in TESTS:
        p = paired_test(name, differences, resamples=parameters["resamples"], rng=rng).p
        told = p <= 1 - LEVEL + 1e-12
        found["test", name] = _told(told, differences.mean(axis=1), truth)
    return found


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


KEYS = ["source", "population", "truth", "systems", "topics", "kind", "method"]
SHARES = [
    "separated",
    "any_separated",
    "wrong_order",
    "any_wrong",
    "covered",
    "all_covered",
    "half",
]

BOUNDS = ("all_low", "all_high", "least_all_covered")
ERRORS = ("type_1", "any_type_1", "type_2", "type_3")


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the shares by law, and averaged over laws."""
    sums = rows.groupby(KEYS, sort=False)[["lists", *SHARES]].sum(min_count=1).reset_index()
    for name in SHARES:
        sums[name] = sums[name] / sums["lists"]
    low, high = wilson(sums["all_covered"].fillna(0) * sums["lists"], sums["lists"])
    known = sums["all_covered"].notna()
    table = sums.assign(
        all_low=np.where(known, low, np.nan), all_high=np.where(known, high, np.nan)
    )
    return {"table": table, "summary": _averaged(table)}


def _averaged(table: pd.DataFrame) -> pd.DataFrame:
    """Average over laws: coverage and width where systems stand apart, type I where they are equal."""
    keys = ["source", "kind", "method", "systems", "topics"]
    apart = table[table["truth"] == "apart"].groupby(keys, sort=False)
    null = table[table["truth"] == "equal"].groupby(keys, sort=False)
    summary = apart[["covered", "all_covered", "half", "separated", "wrong_order"]].mean()
    summary["least_all_covered"] = apart["all_covered"].min()
    summary["type_1"] = null["separated"].mean()
    summary["any_type_1"] = null["any_separated"].mean()
    summary["type_2"] = 1 - summary["separated"]
    summary["lists"] = apart["lists"].sum()
    return summary.rename(columns={"wrong_order": "type_3"}).reset_index()


def _level(ax: "Axes", what: str, value: float) -> None:
    ax.axhline(value, color=BLACK, lw=0.8)
    ax.set_xscale("log")
    ax.set_xticks(TOPICS["full"], [str(t) for t in TOPICS["full"]])
    ax.minorticks_off()
    ax.set_xlabel("topics")
    ax.set_ylabel(what)


def _of(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return one kind of method at the largest number of systems, averaged over the sources."""
    some = table[(table["kind"] == kind) & (table["systems"] == table["systems"].max())]
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
    """Say how often intervals for all pairs cover all of them, and one interval its gap."""
    summary = tables["summary"].query("source == 'resampled'")
    covered = summary[summary["kind"] == "all"].groupby("method")["all_covered"].mean()
    one = summary[summary["kind"] == "one"].groupby("method")["covered"].mean()
    texts = [
        ", ".join(f"{name} {share:.1%}" for name, share in shares.sort_values().items())
        for shares in (covered, one)
    ]
    return (
        f"Intervals of {LEVEL:.0%} for all pairs at once cover all of them, averaged over real "
        f"matrices and numbers of systems and topics: {texts[0]}. Intervals for one pair "
        f"cover it: {texts[1]}."
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
    stream=("source", "population", "truth", "systems", "topics", "block"),
    figures={
        "single": Drawing(draw_one, table="summary", size=(4.4, 3.0)),
        "family": Drawing(draw_all, table="summary", size=(4.6, 3.4)),
        "tests": Drawing(draw_errors, table="summary", size=(4.4, 3.0)),
    },
    inputs=FILES,
    errors={
        **dict.fromkeys(("lists", "half", *BOUNDS, *ERRORS)),
        **{name: _error(name) for name in SHARES if name != "half"},
    },
)
