"""Whether normalisation makes topics with few and with many relevant documents comparable.

One ranker, of the same quality on every topic, orders a thousand documents of which R are relevant: it
gives these a signal of d standard deviations (0 is a random order). What it scores tells how R by itself
moves a measure. Where R differs from topic to topic, the mean of DCG and that of nDCG may order two
systems otherwise: on simulated topics of a given spread of R, and on all runs of two tracks.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.comparable import (
    means_of,
    on_topics,
    opposed,
    ordered,
    perfect,
    scored,
    shares_of,
)
from ndcgstudy.comparison import share
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREEN, GREY, RED, end_labels, key, lines
from ndcgstudy.holes.flips import TIE
from ndcgstudy.holes.loaded import loaded_qrels, loaded_runs
from ndcgstudy.ledger import Checks, check, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
COLLECTIONS = {
    "DL 2021": ("trec_dl2021_passage/nist.qrels.gz", "trec_dl2021_passage/runs"),
    "COVID round 1": ("trec_covid_round1/round1.qrels.gz", "trec_covid_round1/runs"),
}
DOCUMENTS = 1000
RELEVANT = (1, 3, 10, 30, 100, 300)
FEW, MANY, MOST = 3, 30, 300
QUALITIES = {0.0: "random", 1.6: "weak, d = 1.6", 2.5: "good, d = 2.5"}
GOOD = 2.5
MEASURES = ("nDCG@10", "nDCG@100", "nDCG", "DCG@10", "DCG", "P@10", "AP")
CUTS = {"10": "@10", "100": "@100", "all": ""}
SPREADS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""Standard deviations over topics of the logarithm of R, whose median is `MANY`."""

TOPICS, SYSTEMS = 50, 10
LEVEL, APART, WITHIN = 2.0, 0.15, 0.4  # mean quality, its sd over systems, its sd over topics
DRAWS, BLOCKS = 60, {"quick": 2, "full": 100}


def grid(scale: str) -> list[Parameters]:
    """Lay out the real runs, and blocks of expected scores and of simulated systems."""
    names = [*COLLECTIONS] if scale == "full" else [*COLLECTIONS][:1]
    cells: list[tuple[str, str, float, int]] = [("real", name, 0.0, 0) for name in names]
    for block in range(BLOCKS[scale]):
        cells += [("expected", "", quality, block) for quality in QUALITIES]
        cells += [("orders", "", spread, block) for spread in SPREADS]
    columns = ("part", "collection", "setting", "block")
    return [dict(zip(columns, values, strict=True)) for values in cells]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Score one ranker on topics of all sizes, compare simulated systems, or real ones."""
    part, setting = parameters["part"], parameters["setting"]
    if part == "real":
        name = parameters["collection"]
        qrels, folder = COLLECTIONS[name]
        found = on_topics(loaded_qrels(qrels), loaded_runs(folder), CUTS)
        rows: list[Row] = [{"collection": name, **row} for row in found]
    elif part == "expected":
        rows = scored(setting, RELEVANT, MEASURES, rng.standard_normal((DRAWS, DOCUMENTS)))
    else:
        count = np.exp(np.log(MANY) + setting * rng.standard_normal(TOPICS))
        grades = simulated(np.clip(np.rint(count), 1, MOST).astype(int), rng)
        rows = []
        for cut, end in CUTS.items():
            pair = (score_grades(name + end, grades) for name in ("nDCG", "DCG"))
            rows.append({"spread": setting, "cut": cut, **opposed(*pair)})
    return [{"part": part, **row} for row in rows]


def simulated(relevant: Ints, rng: np.random.Generator) -> Floats:
    """Rank topics with so many relevant documents by systems that are better at some than at others."""
    level = LEVEL + APART * rng.standard_normal((SYSTEMS, 1))
    quality = level + WITHIN * rng.standard_normal((SYSTEMS, len(relevant)))
    return ordered(relevant, quality, rng.standard_normal((SYSTEMS, len(relevant), DOCUMENTS)))


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return what a ranker scores by R, the simulated orders, and the real ones."""
    parts = {str(n): p.dropna(axis=1, how="all") for n, p in rows.groupby("part")}
    real = parts["real"].drop(columns="part").reset_index(drop=True)
    whole = ["topics", "pairs", "opposed", "half", "torn"]
    real[whole] = real[whole].astype(int)
    table = means_of(parts["expected"], DOCUMENTS)
    return {
        "table": table.assign(arm=table["quality"].map(QUALITIES) + ", " + table["measure"]),
        "orders": shares_of(parts["orders"], SYSTEMS),
        "real": real,
        "perfect": pd.DataFrame(perfect(RELEVANT, ("nDCG@10", "DCG@10"), DOCUMENTS)),
    }


def _perfect(few: int, many: int, measure: str, tables: Tables) -> float:
    """Return how much higher a perfect list scores with many relevant documents than with few."""
    best = tables["perfect"].set_index(["measure", "relevant"])["score"]
    return float(best[measure, many] - best[measure, few])


def _comparable(tables: Tables) -> Checks:
    """B6: what is equal whatever R is."""
    random = tables["table"].query("quality == 0 and measure == 'nDCG@10'").set_index("relevant")
    return [
        check(
            f"highest nDCG@10 with {MOST} less with {FEW} relevant",
            *(_perfect(FEW, MOST, "nDCG@10", tables), 0),
            within=TIE,
        ),
        *(_ratio(tables, GOOD, m, FEW, MANY) for m in ("nDCG@10", "nDCG")),
        check(
            f"exact mean nDCG@10 of random orders with {MANY} relevant over with {FEW}",
            random["exact"][MANY] / random["exact"][FEW],
            1,
            within=0.1,
        ),
        *_on_topics(tables),
    ]


def _not_comparable(tables: Tables) -> Checks:
    """B15: how DCG depends on R."""
    highest = [
        true(
            f"highest DCG@10 differs between {few} and {many} relevant",
            abs(_perfect(few, many, "DCG@10", tables)) > TIE,
            limit=few > 1,
        )
        for few, many in ((1, MANY), (10, MOST))
    ]
    return [*highest, _evener(tables)]


DECIDED = {
    "B6": _comparable,
    "B7": lambda tables: [_ratio(tables, d, "nDCG@10", FEW, MANY) for d in (1.6, GOOD)],
    "B15": _not_comparable,
}
OTHERWISE = {
    "B6": (
        changed("perfect", "relevant == 300", score=0.9),
        changed(mean=0.5, exact=0.5),
        changed("real", rho_ndcg=0.0, rho_ndcg_low=-0.1, rho_ndcg_high=0.1),
        changed("real", rho_ndcg=0.5, rho_ndcg_low=0.4, rho_ndcg_high=0.6),
    ),
    "B7": (changed(mean=0.5),),
    "B15": (
        changed("perfect", score=1.0),
        changed("perfect", score=lambda t: t["relevant"] * 1.0),
        changed(where="measure == 'nDCG@10'", mean=0.5),
    ),
}


def _quotient(tables: Tables, quality: float, measure: str, few: int, many: int) -> Floats:
    """Return the ratio of one ranker's means at two R, and its standard error."""
    table = tables["table"]
    some = (table["quality"] == quality) & (table["measure"] == measure)
    at = table[some].set_index("relevant")[["mean", "mean_se"]].loc[[few, many]].to_numpy()
    ratio = at[1, 0] / at[0, 0]
    return np.array([ratio, ratio * np.hypot(*(at[:, 1] / at[:, 0]))])


def _ratio(tables: Tables, quality: float, measure: str, few: int, many: int) -> Row:
    ratio, error = _quotient(tables, quality, measure, few, many)
    text = f"mean {measure} of one ranker (d = {quality}) with {many} relevant over with {few}"
    low, high = ratio - 1.96 * error, ratio + 1.96 * error
    return check(text, ratio, 1, within=0.1, low=low, high=high)


def _on_topics(tables: Tables) -> list[Row]:
    """Hold the correlation of R with the mean nDCG@10 of all real runs against its interval."""
    rows = []
    for row in tables["real"][tables["real"]["cut"] == "10"].itertuples():
        rho, low, high = row.rho_ndcg, row.rho_ndcg_low, row.rho_ndcg_high
        text = (
            f"correlation of R and mean nDCG@10 of runs on {row.topics} topics of {row.collection}"
        )
        within = abs(rho) if low <= 0 <= high else 0.0
        rows.append(check(text, rho, 0, within=within, low=low, high=high))
    return rows


def _evener(tables: Tables) -> Row:
    """Tell whether nDCG@10 of one ranker moves less than its DCG@10 from 10 to 300 relevant."""
    n, d = (_quotient(tables, GOOD, m, 10, MOST)[0] for m in ("nDCG@10", "DCG@10"))
    text = f"nDCG@10 of one ranker moves less than DCG@10 from 10 to {MOST} relevant"
    return true(f"{text}, {n:.2f} against {d:.2f}-fold", d - n > 1e-9, limit=True)


def draw_expected(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw what rankers of one quality score against the number of relevant documents."""
    some = table[table["measure"].isin(["nDCG@10", "nDCG"])]
    colours = dict(zip(QUALITIES, (GREY, RED, BLUE), strict=True))
    styles = {"nDCG@10": "-", "nDCG": "--"}
    looks = {
        row.arm: {"color": colours[row.quality], "linestyle": styles[row.measure]}
        for row in some.itertuples()
    }
    ax.set_xscale("log")
    ax.set_xticks(RELEVANT, [str(r) for r in RELEVANT])
    ax.minorticks_off()
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(f"relevant documents among {DOCUMENTS}, R")
    ax.set_ylabel("mean score of one ranker")
    return lines(some, ax, x="relevant", y="mean", by="arm", looks=looks)


def draw_orders(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of pairs whose means of DCG and of nDCG are in opposite order."""
    ends = []
    for place, (cut, rows) in enumerate(table.groupby("cut", sort=False)):
        look = {"color": (BLUE, RED, GREEN)[place], "marker": "os^"[place]}
        ax.errorbar(rows["spread"], rows["opposed_share"], 1.96 * rows["opposed_share_se"], **look)
        last = rows.iloc[-1]
        name = "full lists" if cut == "all" else f"first {cut}"
        ends.append((name, last["spread"], last["opposed_share"], look["color"]))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("sd over topics of log R (median 30)")
    ax.set_ylabel("pairs that DCG and nDCG order oppositely")
    end_labels(ax, ends)
    return ax


def draw_real(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw how the scores of real topics go with the number of relevant documents."""
    places = range(len(table))
    for column, colour, shift in (("rho_ndcg", BLUE, -0.13), ("rho_dcg", RED, 0.13)):
        at = [place + shift for place in places]
        ax.hlines(at, table[f"{column}_low"], table[f"{column}_high"], color=colour, lw=1)
        ax.plot(table[column], at, "o", color=colour)
    names = [
        f"{row.collection}, {'full' if row.cut == 'all' else '@' + str(row.cut)}\n"
        f"opposed {row.opposed / row.pairs:.1%}"
        for row in table.itertuples()
    ]
    ax.set_yticks(list(places), names)
    ax.invert_yaxis()
    ax.axvline(0, color=GREY, lw=0.7)
    ax.set_xlabel("correlation over topics of R and mean score")
    key(ax, {"nDCG": {"color": BLUE, "marker": "o"}, "DCG": {"color": RED, "marker": "o"}})
    return ax


def answer(tables: Tables) -> str:
    """Say what one ranker scores by the relevant documents, and how far DCG and nDCG are opposed."""
    means = tables["table"].set_index(["arm", "relevant"])["mean"]
    scores = ", ".join(
        " and ".join(f"{means[f'{name}, nDCG@10', count]:.3f}" for count in (FEW, MANY))
        + f" ({name})"
        for name in QUALITIES.values()
    )
    opposed = tables["real"]["opposed"] / tables["real"]["pairs"]
    return (
        f"Mean nDCG@10 of one ranker with {FEW} and with {MANY} relevant documents: {scores}. "
        f"Means of DCG and of nDCG put {opposed.min():.1%} to {opposed.max():.1%} of pairs of real runs "
        "in opposite orders."
    )


STUDY = Study(
    question="Does normalisation make topics with few and many relevant documents comparable?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "collection", "block"),
    figures={
        "expected": Drawing(draw_expected, size=(4.8, 3.2)),
        "orders": Drawing(draw_orders, table="orders", size=(4.4, 3.0)),
        "real": Drawing(draw_real, table="real", size=(4.8, 3.2)),
    },
    decisions=tuple(Decision(CLAIMS[key], test, OTHERWISE[key]) for key, test in DECIDED.items()),
    inputs=tuple(name for names in COLLECTIONS.values() for name in names),
    errors={
        **dict.fromkeys(("topics", "systems", "sd")),
        # what happens on fewer than one topic of all is not seen in the error of a mean
        "mean": lambda table: table["mean_se"] + table["mean"].abs() / table["topics"],
        **{f"{n}_share": share(f"{n}_share", "systems") for n in ("opposed", "half", "torn")},
    },
)
