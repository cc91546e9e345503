"""Which discounts, cutoffs, gains and measures separate more pairs of real systems than nDCG@10 does.

Two collections, the Deep Learning track 2021 and round 1 of TREC-COVID; every measure scores the same
runs on the same topics, and the differences of the shares have intervals over topics. A discount that
is added (`--discount`) is compared with the logarithm at both cutoffs.
"""

import functools
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.data import Judgments, Rankings, Scores
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import BLUE, GREY, RED, key
from ndcgstudy.formats import read_qrels, read_run
from ndcgstudy.inference.power import discriminative_power, draw_curves
from ndcgstudy.inputs import find
from ndcgstudy.scoring import score
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDERS = {
    "dl2021": ("trec_dl2021_passage", "nist.qrels.gz"),
    "round1": ("trec_covid_round1", "round1.qrels.gz"),
}
NAMED = (
    *("constant", "loglog", "power(beta=0.5)", "zipf", "power(beta=2)"),
    "geometric(p=0.5)",
)
OTHERS = ("nDCG(gain=exponential)@10", "AP", "P@10", "RR@10", "RBP(p=0.8)", "ERR@20")
RESAMPLES = 2_000


def _discounts(cutoff: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return (f"nDCG@{cutoff}", *(f"nDCG(discount={name})@{cutoff}" for name in names))


SETS = {
    "discounts at 10": _discounts(10, NAMED),
    "discounts at 100": _discounts(100, NAMED),
    "cutoffs": ("nDCG@10", *(f"nDCG@{k}" for k in (1, 3, 5, 20, 50, 100))),
    "others": ("nDCG@10", *OTHERS),
}


def grid(scale: str, discount: tuple[str, ...] = ()) -> list[Parameters]:
    """Lay out a cell a collection, set of measures and correction over pairs."""
    added = tuple(dict.fromkeys(str(DISCOUNTS.parse(text)) for text in discount))
    sets = dict(SETS)
    if added:
        sets |= {f"added at {k}": _discounts(k, added) for k in (10, 100)}
    return [
        {"collection": name, "set": group, "measures": measures, "method": method}
        for name in (FOLDERS if scale == "full" else ["dl2021"])
        for method in (("none", "holm") if scale == "full" else ["none"])
        for group, measures in sets.items()
    ]


@functools.cache
def _files(name: str) -> tuple[Judgments, tuple[Rankings, ...]]:
    folder, qrels = FOLDERS[name]
    paths = sorted(find(f"{folder}/runs").iterdir())
    return read_qrels(find(f"{folder}/{qrels}")), tuple(read_run(path) for path in paths)


def scored(name: str, measures: tuple[str, ...]) -> list[Scores]:
    """Score a collection's runs; topics that a run lacks count as nothing found."""
    judgments, runs = _files(name)
    return list(score(judgments, runs, list(measures)).scores.values())


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Compare one set of measures; of the uncorrected tests the ASL curves too."""
    scores = scored(parameters["collection"], parameters["measures"])
    method = parameters["method"]
    found = discriminative_power(scores, method=method, resamples=RESAMPLES, rng=rng)
    where = {name: parameters[name] for name in ("collection", "set", "method")}
    where["topics"] = found.topics
    tables = [("shares", found.table())]
    if method == "none":
        tables.append(("curve", found.curve()))
    return [
        {"part": part, **where, **row} for part, table in tables for row in table.to_dict("records")
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Part the shares from the ASL curves."""
    parts = {
        name: rows[rows["part"] == name].drop(columns="part").dropna(axis=1, how="all")
        for name in ("shares", "curve")
    }
    curve = parts["curve"].drop(columns=["method", "topics"])
    return {"table": parts["shares"].reset_index(drop=True), "curve": curve.reset_index(drop=True)}


def _curves(group: str, collection: str) -> Drawing:
    def draw(table: pd.DataFrame, ax: "Axes") -> "Axes":
        """Draw the significance levels of all pairs, sorted, a line a measure."""
        one = table[(table["set"] == group) & (table["collection"] == collection)]
        return draw_curves(one.replace({"measure": _NAMES}), ax)

    return Drawing(draw, table="curve", size=(5.0, 3.6))


def _name(measure: str) -> str:
    """Name a discount by itself, as in a set all are of nDCG at one cutoff."""
    return (
        measure.removeprefix("nDCG(discount=").replace(")@", " @")
        if "count=" in measure
        else measure
    )


_NAMES = {m: _name(m) for group in SETS.values() for m in group}


def draw_differences(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw each difference of shares with its interval, a line a measure, a colour a collection."""
    some = table[(table["method"] == "none") & table["difference"].notna()]
    places = {
        pair: i
        for i, pair in enumerate(dict.fromkeys(zip(some["set"], some["measure"], strict=True)))
    }
    looks = {}
    for (name, rows), colour, shift in zip(
        some.groupby("collection", sort=False), (BLUE, RED), (-0.16, 0.16), strict=False
    ):
        at = [places[pair] + shift for pair in zip(rows["set"], rows["measure"], strict=True)]
        ax.hlines(at, rows["difference_low"], rows["difference_high"], color=colour, lw=1)
        ax.plot(rows["difference"], at, "o", color=colour, ms=2.5)
        looks[str(name)] = {"color": colour, "marker": "o", "ms": 2.5}
    ax.axvline(0, color=GREY, lw=0.8)
    ax.set_yticks([*places.values()], [_name(measure) for _, measure in places], fontsize=6.5)
    ax.set_ylim(len(places) - 0.4, -0.6)
    ax.set_xlabel("share of pairs separated, less that of nDCG with log2 at 10 (at 100)")
    key(ax, looks)
    return ax


def answer(tables: Tables) -> str:
    """Count the measures that separate more or fewer pairs than the first of their set."""
    table = tables["table"].query("method == 'none' and verdict != '-'")
    count, by = table["verdict"].value_counts(), table["difference"]
    more = table[table["verdict"] == "separates more"]
    names = ", ".join(f"{row.measure} on {row.collection}" for row in more.itertuples())
    return (
        f"Of {len(table)} comparisons with nDCG and the logarithm {len(more)} find a measure that "
        f"separates more pairs{f' ({names})' if names else ''}, {count.get('separates fewer', 0)} find one "
        f"that separates fewer, and {count.get('cannot be told', 0)} cannot be told. The share of pairs "
        f"differs by {by.min():+.1%} to {by.max():+.1%}."
    )


STUDY = Study(
    question="Which measures separate more pairs of systems than nDCG@10 does on the same topics?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("collection",),
    options=("discount",),
    figures={
        "differences": Drawing(draw_differences, size=(5.6, 5.0)),
        "curves_discounts": _curves("discounts at 100", "dl2021"),
        "curves_others": _curves("others", "dl2021"),
    },
    inputs=tuple(
        f"{folder}/{part}" for folder, qrels in FOLDERS.values() for part in (qrels, "runs")
    ),
    errors=dict.fromkeys(("low", "high", "difference_low", "difference_high", "verdict")),
)
