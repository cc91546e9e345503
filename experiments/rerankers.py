"""Over what quality of first and second stage a reranker's gain in nDCG@10 is 5 to 15 percent.

A reranker orders anew the first hundred of a thousand documents as a better signal sees them. Two
signals of one quality still gain where their errors are their own, so that the correlation of errors is
varied too. What a second stage is worth by itself is its nDCG@10 where it ranks all documents.
"""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.changes import ranked, summary, sums
from ndcgstudy.figures import BLUE, GREEN, GREY, RED, lines
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import TwoStage
from ndcgstudy.synthetic.sharing import Sharing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEPTH, DOCUMENTS, SHARES = 100, 1000, (0.03, 0.01)  # 30 relevant documents, 10 highly so
FIRSTS = {"quick": (0.5, 0.7, 0.9), "full": (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)}
STEPS = {
    "quick": (-0.1, 0.0, 0.05, 0.1, 0.2),
    "full": (-0.1, -0.05, 0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3),
}
ALIKE = {"quick": (0.0, 0.8), "full": (0.0, 0.5, 0.8)}
"""Correlations of the errors of the two stages."""

LOW, HIGH = 5.0, 15.0
DRAWS, BLOCKS = 30, {"quick": 1, "full": 25}


def grid(scale: str) -> list[Parameters]:
    """Lay out blocks of topics for each pair of stages; all pairs of a block see the same topics."""
    return [
        {"first": first, "second": round(first + step, 2), "alike": alike, "block": block}
        for block in range(BLOCKS[scale])
        for alike in ALIKE[scale]
        for first in FIRSTS[scale]
        for step in STEPS[scale]
        if first + step < 1
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Score the lists before and after reranking, and the second stage alone."""
    first, second, alike = (parameters[name] for name in ("first", "second", "alike"))
    stages = Sharing(TwoStage(first, second, DEPTH, SHARES), alike)
    grades = ranked(stages, DOCUMENTS, DRAWS, rng=rng)
    after, before, alone = score_grades("nDCG@10", grades)
    where = {"alike": alike, "first": first, "second": second}
    return [{**where, **sums(after, before), "alone": float(alone.mean())}]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the gain of each pair of stages, and the second stages that gain 5 and 15 percent."""
    by = ["alike", "first", "second"]
    alone = rows.groupby(by, sort=False)["alone"].mean().reset_index()
    table = summary(rows, by).merge(alone, on=by)
    return {"table": table, "range": _ranges(table)}


def _ranges(stages: pd.DataFrame) -> pd.DataFrame:
    """Return, a first stage, what the second must be for a gain of 5 and of 15 percent."""
    rows = []
    for (alike, first), rows_of in stages.groupby(["alike", "first"]):
        part = rows_of.sort_values("second")
        row: Row = {"alike": alike, "first": first, "ndcg_first": part["before"].mean()}
        row["percent_of_equal"] = part.loc[part["second"] == first, "percent"].iloc[0]
        for name, percent in (("low", LOW), ("high", HIGH)):
            for column, to in (("second", "second"), ("alone", "ndcg_second")):
                at = np.interp(percent, part["percent"], part[column], left=np.nan, right=np.nan)
                row[f"{to}_{name}"] = float(at)
        rows.append(row)
    return pd.DataFrame(rows)


def _spans(ranges: pd.DataFrame) -> str:
    """Return nDCG@10 of first stages and of seconds that gain 5-15%, errors being most alike."""
    return "; ".join(
        f"{row.ndcg_first:.2f} and {row.ndcg_second_low:.2f}-{row.ndcg_second_high:.2f}"
        for row in ranges[ranges["alike"] == max(ALIKE["full"])].dropna().itertuples()
    )


def _of_equal(ranges: pd.DataFrame) -> str:
    """Return the median gains of a second stage no better than the first, by the correlation."""
    equal = ranges.groupby("alike")["percent_of_equal"].median()
    return ", ".join(f"{gain:.0f}% at {alike}" for alike, gain in equal.items())


def draw_rerank(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the gain of a reranker against how much better its own list is, a colour a first stage."""
    from matplotlib.ticker import ScalarFormatter

    ax.axhspan(LOW, HIGH, color=GREY, alpha=0.25, lw=0)
    ax.axhline(0, color=GREY, lw=0.7)
    ax.axvline(0, color=GREY, lw=0.7)
    ax.set_yscale("symlog", linthresh=20)
    ax.set_yticks([-50, -20, -10, 0, 5, 10, 15, 20, 50, 100, 200])
    ax.yaxis.set_major_formatter(ScalarFormatter())
    ax.minorticks_off()
    ax.set_xlabel("nDCG@10 of the second stage alone, less that of the first")
    ax.set_ylabel("gain of nDCG@10 by reranking, percent")
    some = table[table["first"].isin(FIRSTS["quick"])]
    some = some[some["alike"].isin(ALIKE["quick"])].sort_values(["alike", "first", "second"])
    some = some.assign(more=some["alone"] - some["before"])
    some["arm"] = [
        f"{b:.1f}, errors {a:g}" for a, b in zip(some["alike"], some["first"], strict=True)
    ]
    colours = dict(zip(FIRSTS["quick"], (RED, BLUE, GREEN), strict=True))
    before = some.groupby("first")["before"].mean()
    looks, names = {}, {}
    for arm, rows in some.groupby("arm"):
        first, alike = rows[["first", "alike"]].iloc[0]
        looks[arm] = {"color": colours[first], "linestyle": "--" if alike else "-"}
        names[arm] = f"{before[first]:.2f}, {'alike' if alike else 'independent'}"
    return lines(some, ax, x="more", y="percent", by="arm", looks=looks, names=names)


def answer(tables: Tables) -> str:
    """Say how many better second stages gain 5-15%, which they are, and what an equal one gains."""
    stages, ranges = tables["table"], tables["range"]
    gains = stages.loc[stages["second"] > stages["first"], "percent"]
    return (
        f"Of {len(gains)} second stages better than the first {gains.between(LOW, HIGH).mean():.0%} gain "
        f"{LOW:.0f} to {HIGH:.0f} percent (all: {gains.min():.0f} to {gains.max():.0f}). Where errors "
        f"correlate by {max(ALIKE['full'])} it takes stages whose nDCG@10 alone is {_spans(ranges)}. "
        "One no better than the first gains, by the correlation of errors, "
        f"{_of_equal(ranges)}."
    )


STUDY = Study(
    question="Over what quality of two stages does a reranker gain 5 to 15 percent of nDCG@10?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("block",),
    figures={"gains": Drawing(draw_rerank, size=(4.8, 3.6))},
    errors=dict.fromkeys(
        (
            *("topics", "before", "after", "alone", "needed", "ndcg_first", "percent_of_equal"),
            *("second_low", "second_high", "ndcg_second_low", "ndcg_second_high"),
        )
    ),
)
