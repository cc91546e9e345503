"""Which lists have nDCG@5 = .89 and nDCG@20 = .72, and what their recall is.

All lists of twenty grades 0, 1 or 2 are counted, for topics with given numbers of documents of grade 1
and 2; each list counts once. A system's figures are means over topics: what recall they allow where
every topic has R relevant documents, graded alike, is a linear programme over mixtures of lists.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLACK, BLUE, GREEN, RED, end_labels, key
from ndcgstudy.ledger import Checks, check, read_claims, true
from ndcgstudy.profiles import HEAD, RANKS, Found, lists_with, systems_with
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
FIVE, TWENTY = 0.89, 0.72
ONES = {
    "quick": (5, 10, 20, 30, 50),
    "full": (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50),
}
TWOS = {"quick": (2, 5, 10), "full": (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)}
"""How many documents of grade 1 and of grade 2 a topic has."""

BINARY = tuple(range(1, 101))
SYSTEMS = (3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100)
SHOWN = ((5, 10), (10, 5), (30, 10))
POOR = 0.5


def grid(scale: str) -> list[Parameters]:
    """Lay out graded and binary topics, and systems."""
    cells = [("lists", ones, twos) for ones in ONES[scale] for twos in TWOS[scale]]
    cells += [("lists", relevant, 0) for relevant in BINARY]
    cells += [("systems", relevant, 0) for relevant in SYSTEMS]
    return [dict(zip(("part", "ones", "twos"), cell, strict=True)) for cell in cells]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Count the lists of a topic, or find the recall that a system may have."""
    ones, twos = parameters["ones"], parameters["twos"]
    where = {"part": parameters["part"], "ones": ones, "twos": twos}
    if parameters["part"] == "lists":
        return [{**where, **row} for row in _rows(lists_with(ones, twos, FIVE, TWENTY))]
    found = systems_with(ones, FIVE, TWENTY)
    return [{**where, "kind": kind, "value": value} for kind, value in found.items()]


def _rows(found: Found) -> list[Row]:
    """Return a row a count of relevant documents, and one a rank."""
    if not found.total:
        return [{"kind": "count", "relevant": 0, "top": 0, "lists": 0}]
    rows: list[Row] = [
        {"kind": "count", "relevant": n, "top": top, "lists": count}
        for (n, top), count in found.counts.items()
    ]
    return rows + [
        {"kind": "rank", "rank": r, "grade_1": float(a), "grade_2": float(b)}
        for r, (a, b) in enumerate((found.ranks / found.total).T, start=1)
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return a line a topic, the lists by recall, the shares by rank, and the systems."""
    lists = rows[rows["part"] == "lists"].astype({"ones": int, "twos": int})
    counts = lists[lists["kind"] == "count"].astype({"relevant": int, "top": int, "lists": int})
    topics = [_topic(*where, part) for where, part in _by_topic(counts)]
    counts = counts[counts["lists"] > 0].assign(
        recall=lambda t: t["relevant"] / (t["ones"] + t["twos"])
    )
    ranks = lists[lists["kind"] == "rank"].astype({"rank": int})
    wide = rows[rows["part"] == "systems"].pivot(index="ones", columns="kind", values="value")
    names = ["recall_least", "recall_most", "p5_least", "p5_most"]
    systems = wide[names].rename_axis(columns=None).reset_index(names="relevant")
    return {
        "table": pd.DataFrame(topics),
        "recall": counts[["ones", "twos", "relevant", "top", "recall", "lists"]].reset_index(
            drop=True
        ),
        "ranks": ranks[["ones", "twos", "rank", "grade_1", "grade_2"]].reset_index(drop=True),
        "systems": systems.astype({"relevant": int}),
        "ranges": _ranges(pd.DataFrame(topics), systems),
    }


def _ranges(topics: pd.DataFrame, systems: pd.DataFrame) -> pd.DataFrame:
    """Return the least and the most recall of graded topics' lists and of systems."""
    names = ["relevant", "recall_least", "recall_most"]
    graded = topics.loc[topics["lists"] > 0, names].assign(kind="lists")
    both = pd.concat([graded, systems[names].dropna().assign(kind="systems")], ignore_index=True)
    return both[["kind", *names]].astype({"relevant": int})


def _by_topic(counts: pd.DataFrame) -> Any:
    return counts.groupby(["ones", "twos"], sort=False)


def _topic(ones: int, twos: int, part: pd.DataFrame) -> Row:
    """Return how many lists a topic has and their recall and precision, each list counted once."""
    total = int(part["lists"].sum())
    row: Row = {"ones": ones, "twos": twos, "relevant": ones + twos, "lists": total}
    names = ("recall_least", "recall_mean", "recall_most", "p5_mean", "p6_20_mean", "poor", "heavy")
    if not total:
        return row | dict.fromkeys(names, np.nan)
    share = part["lists"] / total
    recall = part["relevant"] / (ones + twos)
    top, rest = part["top"] / HEAD, (part["relevant"] - part["top"]) / (RANKS - HEAD)
    values = (
        *(recall.min(), (share * recall).sum(), recall.max()),
        *((share * top).sum(), (share * rest).sum()),
        *(share[recall < POOR].sum(), share[top > rest].sum()),
    )
    return row | {name: float(value) for name, value in zip(names, values, strict=True)}


def _such_lists(tables: Tables) -> Checks:
    """Judge whether such lists exist, and whether precision at the top with poor recall is all they are."""
    table, systems = tables["table"], tables["systems"].set_index("relevant")
    graded, binary = table[table["twos"] > 0], table[table["twos"] == 0]
    few, some = systems.loc[10], graded[graded["lists"] > 0]
    heavy, poor = some["heavy"].min(), some["poor"]
    spans = f"{few['recall_least']:.2f} to {few['recall_most']:.2f}"
    most_rich = some.loc[poor < POOR, "relevant"].max()
    first_poor = some.loc[poor > POOR, "relevant"].min()
    sizes = f"in none with fewer than {first_poor} relevant documents, in all with more than {most_rich}"
    return [
        true(f"some graded topics have such lists, {len(some)} of {len(graded)}", len(some) > 0),
        check(
            "least share of a topic's lists with higher precision at 1-5 than at 6-20",
            heavy,
            1,
            within=0.01,
        ),
        check(
            f"topics with 1-{len(binary)} documents of one grade that have such a list",
            int((binary["lists"] > 0).sum()),
            len(binary),
            limit=True,
        ),
        check(
            f"share of {len(some)} graded topics most of whose lists have recall@20 below {POOR}"
            f" ({sizes})",
            (poor > POOR).mean(),
            1,
            limit=True,
        ),
        true(
            f"mean recall@20 of such systems with 10 relevant documents a topic, {spans}, is always below "
            f"{POOR}",
            few["recall_most"] < POOR,
            limit=True,
        ),
    ]


OTHERWISE = (
    changed(lists=0),
    changed(lists=lambda t: t["lists"] + 1, heavy=0.5, poor=0.9),
    changed("systems", recall_most=0.4),
)


def draw_ranks(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of matching lists with a relevant document at each rank."""
    ends = []
    for (ones, twos), colour in zip(SHOWN, (GREEN, BLUE, RED), strict=True):
        rows = table[(table["ones"] == ones) & (table["twos"] == twos)]
        y = rows["grade_1"] + rows["grade_2"]
        ax.plot(rows["rank"], y, "o-", color=colour)
        ax.plot(rows["rank"], rows["grade_2"], ":", color=colour)
        ends.append((f"{ones} + {twos}", 20.0, float(y.iloc[-1]), colour))
    ax.axvline(HEAD + 0.5, color=BLACK, lw=0.7)
    ax.set_ylim(-0.02, 1.02)
    ax.set_xticks([1, 5, 10, 15, 20])
    ax.set_xlabel("rank")
    ax.set_ylabel("share of lists with a relevant document")
    end_labels(ax, ends)
    looks = {
        "any relevant": {"color": BLACK, "marker": "o"},
        "grade 2": {"color": BLACK, "ls": ":"},
    }
    key(ax, looks)
    return ax


def draw_recall(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the recall of matching lists and systems against the relevant documents of a topic."""
    lists, systems = (table[table["kind"] == kind] for kind in ("lists", "systems"))
    band = (systems["recall_least"], systems["recall_most"])
    ax.vlines(lists["relevant"], lists["recall_least"], lists["recall_most"], color=RED, lw=0.8)
    ax.fill_between(systems["relevant"], *band, color=BLUE, alpha=0.25, lw=0)
    for line in band:
        ax.plot(systems["relevant"], line, color=BLUE)
    ax.axhline(POOR, color=BLACK, lw=0.7, ls=":")
    ax.set_xscale("log")
    at = [5, 10, 20, 50, 100]
    ax.set_xticks(at, [str(x) for x in at])
    ax.minorticks_off()
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("relevant documents a topic")
    ax.set_ylabel("recall@20 where\nnDCG@5 = .89 and nDCG@20 = .72")
    key(ax, {"single lists, two grades": {"color": RED}, "systems, one grade": {"color": BLUE}})
    return ax


def answer(tables: Tables) -> str:
    """Say how many topics have such lists, and what recall lists and systems have."""
    table, systems = tables["table"], tables["systems"].dropna()
    graded, binary = table[table["twos"] > 0], table[table["twos"] == 0]
    some = graded[graded["lists"] > 0]
    spans = " and ".join(
        f"{row.recall_least:.2f} to {row.recall_most:.2f} with {row.relevant}"
        for row in systems.iloc[[0, -1]].itertuples()
    )
    return (
        f"{len(some)} of {len(graded)} topics with two grades have such lists, and "
        f"{(binary['lists'] > 0).sum()} of {len(binary)} with one. In {(some['poor'] > POOR).mean():.0%} "
        f"of the former most lists have recall@20 below {POOR}; all lie between "
        f"{some['recall_least'].min():.2f} and {some['recall_most'].max():.2f}. Systems with these means "
        f"have recall@20 of {spans} relevant documents a topic."
    )


STUDY = Study(
    question="Which lists and systems have nDCG@5 = .89 and nDCG@20 = .72, and is their recall poor?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "ones", "twos"),
    figures={
        "ranks": Drawing(draw_ranks, table="ranks", size=(4.4, 3.2)),
        "recall": Drawing(draw_recall, table="ranges", size=(4.2, 3.2)),
    },
    decisions=(Decision(CLAIMS["B8"], _such_lists, OTHERWISE),),
)
