"""What a reranker, training on hard negatives and query expansion change, and which measures see it.

All on simulated topics whose documents are seen by rankers through noise. A reranker orders anew the
first hundred of a first stage, whose errors it shares in part (`rerankers` varies both). A ranker
trained on hard negatives is taken to be one that near misses do not confuse: that training does so is
assumed, not tested. Query expansion finds twice as many of ten thousand documents, and ranks them as
well or a little worse. A change is seen by a measure if few topics find it: those of a paired t test at
95% with a power of 80%.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.changes import ranked, summary, sums
from ndcgstudy.decision import Decision, changed
from ndcgstudy.discounts import Log2
from ndcgstudy.figures import BLUE, GREEN, GREY, PURPLE, RED, key, lines
from ndcgstudy.ledger import Checks, check, interval, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables
from ndcgstudy.synthetic import GENERATORS, Generator, TwoStage, is_relative
from ndcgstudy.synthetic.sharing import Sharing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
SHARES, RARE = "shares=(0.03,0.01)", "shares=(0.003,0.001)"  # 30 relevant documents, 10 highly so
CHANGES = {
    "reranker": (f"two_stage(first=0.6,second=0.65,{SHARES})", 0.8, 1000),
    "hard negatives": (f"near_misses(near=0.05,pull_b=1.0,{SHARES})", 0.0, 1000),
    "expansion": (f"growing(a=0.7,b=0.7,start=0.2,rate=0.3,{RARE})", 0.0, 10_000),
    "loose expansion": (f"growing(a=0.65,b=0.7,start=0.2,rate=0.3,{RARE})", 0.0, 10_000),
}
EXPANSIONS = ("expansion", "loose expansion")
MEASURES = (
    *(f"nDCG@{k}" for k in (1, 3, 5, 10, 20, 100, 1000)),
    *("P@10", "RR@10", "AP", "R@100", "R@1000"),
)
NEAR = {"quick": (0.01, 0.05, 0.2), "full": (0.01, 0.02, 0.05, 0.1, 0.2)}
PULLS = (0.25, 0.5, 1.0, 2.0)
BANDS = {"1-10": (0, 10), "11-100": (10, 100), "101-1000": (100, 1000)}
POOLED = (10, 100)
TOPICS = 50
DRAWS = 30
BLOCKS = {
    "near": {"quick": 2, "full": 25},
    "change": {"quick": 2, "full": 60},
    "ideal": {"quick": 2, "full": 20},
}


def grid(scale: str) -> list[Parameters]:
    """Lay out blocks of topics: of each change, and of kinds of near misses."""
    misses = [
        f"near_misses(near={near},pull_b={p},{SHARES})" for near in NEAR[scale] for p in PULLS
    ]
    cells: list[tuple[str, str, float, int, int]] = []
    for block in range(BLOCKS["near"][scale]):
        cells += [("near", text, 0.0, 1000, block) for text in misses]
    for block in range(BLOCKS["change"][scale]):
        cells += [("change", *change, block) for change in CHANGES.values()]
    for block in range(BLOCKS["ideal"][scale]):
        cells += [("ideal", *CHANGES[name], block) for name in EXPANSIONS]
    names = ("part", "generator", "alike", "n", "block")
    return [dict(zip(names, values, strict=True)) for values in cells]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Score the lists before and after a change; return sums over topics, a row a measure."""
    part = parameters["part"]
    generator = GENERATORS.parse(parameters["generator"])
    if isinstance(generator, TwoStage):
        generator = Sharing(generator, parameters["alike"])
    where = {name: parameters[name] for name in ("part", "generator")}
    if part == "ideal":
        return [{**where, **row} for row in pooled(generator, parameters["n"], rng)]
    grades = ranked(generator, parameters["n"], DRAWS, rng=rng)[:2]
    if part == "near":
        return [{**where, **sums(*score_grades("nDCG@10", grades))}]
    rows = [{**where, "measure": m, **sums(*score_grades(m, grades))} for m in MEASURES]
    return rows + [{**where, "part": "bands", **row} for row in banded(grades)]


def banded(grades: Floats) -> list[Row]:
    """Return how many relevant documents a change adds in bands of ranks, and what nDCG@1000 gains."""
    ideal = score_grades("DCG@1000", -np.sort(-grades[0], axis=-1))
    worth = grades * Log2()(np.arange(1, grades.shape[-1] + 1)) / ideal[:, None]
    return [
        {
            "band": band,
            "topics": grades.shape[1],
            "added": float(np.subtract(*(grades[..., low:high] >= 1).sum(axis=(1, 2)))),
            "gained": float(np.subtract(*worth[..., low:high].sum(axis=(1, 2)))),
        }
        for band, (low, high) in BANDS.items()
    ]


def pooled(generator: Generator, n: int, rng: np.random.Generator) -> list[Row]:
    """Compare the run not expanded under the judgments of its own pool and of both runs' pool.

    A pool is the first hundred documents of its runs; all others count as not relevant. So what changes
    is the ideal alone. A row a measure, as from `sums`.
    """
    found: dict[str, list[tuple[float, float]]] = {f"nDCG@{k}": [] for k in POOLED}
    for _ in range(DRAWS):
        seen = generator.sample(n, rng=rng)
        made = generator.at(seen, n) if is_relative(generator) else seen
        top = np.argsort(-made.scores, axis=1)[:, : max(POOLED)]  # A is the expanded run
        own, both = made.grades[top[1]], made.grades[np.unique(top)]
        for measure, values in found.items():
            more, fewer = (float(score_grades(measure, own, key)) for key in (both, own))
            if not np.isnan(fewer):
                values.append((more, fewer))
    return [{"measure": m, **sums(*np.array(values).T)} for m, values in found.items()]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each change by measure and by band of ranks, and near misses."""
    parts = {str(n): p.dropna(axis=1, how="all") for n, p in rows.groupby("part")}
    names = {text: name for name, (text, _, _) in CHANGES.items()}
    table = summary(parts["change"], ["generator", "measure"])
    table.insert(0, "change", table["generator"].map(names))
    bands = parts["bands"].groupby(["generator", "band"], sort=False)[["topics", "added", "gained"]]
    bands = bands.sum().reset_index()
    bands["added"], bands["gained"] = (bands[c] / bands["topics"] for c in ("added", "gained"))
    bands.insert(0, "change", bands["generator"].map(names))
    ideal = summary(parts["ideal"], ["generator", "measure"])
    ideal.insert(0, "change", ideal["generator"].map(names))
    near = summary(parts["near"], ["generator"])
    for place, name in enumerate(("near", "pull_b")):
        values = [float(getattr(GENERATORS.parse(text), name)) for text in near["generator"]]
        near.insert(place, name, values)
    return {
        "table": table.drop(columns="generator"),
        "bands": bands.drop(columns="generator"),
        "near": near.drop(columns="generator"),
        "ideal": ideal.drop(columns="generator"),
    }


def _negatives(tables: Tables) -> Checks:
    """B17: whether topics find what near misses cost a ranker that they confuse."""
    near = tables["near"]
    seen = near["needed"] <= TOPICS
    strong = near["pull_b"] == max(PULLS)
    cost = f"near misses whose cost in nDCG@10 {TOPICS} topics find"
    text = f"of {strong.sum()} kinds that look {max(PULLS):g} sd better, {cost}"
    return [
        check(text, seen[strong].sum(), strong.sum()),
        check(f"share of all {len(near)} kinds of {cost}", seen.mean(), 1, limit=True),
    ]


def _expansion(tables: Tables) -> Checks:
    """B18: where documents are added, which cutoffs see it, and whether the ideal moves."""
    rows = []
    for change in EXPANSIONS:
        bands, some, ideal = (
            tables[name][tables[name]["change"] == change].set_index(at)
            for name, at in (("bands", "band"), ("table", "measure"), ("ideal", "measure"))
        )
        below = 1 - bands.loc["1-10", ["added", "gained"]] / bands[["added", "gained"]].sum()
        added = f"most documents are added below rank 10 ({change})"
        rows.append(true(added, below["added"] > 0.5, value=below["added"]))
        for measure in ("nDCG@100", "nDCG@10"):
            row = some.loc[measure]
            text = f"{TOPICS} topics find the gain of {measure} ({change})"
            met = row["needed"] <= TOPICS and row["gain"] > 0
            ends, limit = interval(row, "gain"), (change, measure) != (EXPANSIONS[0], "nDCG@100")
            rows.append(true(text, met, value=row["gain"], **ends, limit=limit))
        share = f"share of the gain of nDCG@1000 below rank 10 ({change})"
        stated = float(below["added"])
        rows.append(check(share, below["gained"], stated, within=0.02, limit=True))
        row = ideal.loc["nDCG@100"]
        text = f"change of nDCG@100 of the run not expanded when its pool gains the expanded run ({change})"
        rows.append(check(text, row["gain"], 0, within=0.005, **interval(row, "gain"), limit=True))
    return rows


DECISIONS = (
    Decision(
        CLAIMS["B17"],
        _negatives,
        (changed("near", needed=10.0), changed("near", needed=1000.0)),
        premise="that training on hard negatives makes near misses confuse less, as the generator has it",
    ),
    Decision(
        CLAIMS["B18"],
        _expansion,
        (
            changed("bands", "band == '1-10'", added=100.0, gained=100.0),
            changed("bands", gained=lambda t: t["added"] * 0.01),
            changed(needed=1000.0),
            changed(needed=10.0),
            changed("ideal", gain=0.0),
        ),
        premise="that expansion finds twice as many documents and ranks them as well, or a little worse",
    ),
)


LOOKS = dict(zip(CHANGES, (BLUE, RED, GREEN, PURPLE), strict=True))


def draw_topics(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the topics by which a measure finds a change, open where the measure falls."""
    places = {measure: place for place, measure in enumerate(MEASURES)}
    for (change, colour), shift in zip(LOOKS.items(), (-0.3, -0.1, 0.1, 0.3), strict=True):
        rows = table[(table["change"] == change) & table["needed"].notna()]
        at = rows["measure"].map(places) + shift
        top = rows["needed_high"].fillna(1e6)
        ax.hlines(at, rows["needed_low"], top, color=colour, lw=0.8)
        for falls in (False, True):
            some = (rows["gain"] < 0) == falls
            face = "white" if falls else colour
            ax.plot(rows["needed"][some], at[some], "o", color=colour, mfc=face, ms=3.5)
    ax.axvline(TOPICS, color=GREY, lw=0.8, ls=":")
    ax.set_xscale("log")
    ax.set_xlim(3, 10_000)
    ax.set_yticks([*places.values()], [*places])
    ax.invert_yaxis()
    ax.set_xlabel("topics that find the change (t, 95%, power 80%)")
    key(ax, {name: {"color": c, "marker": "o"} for name, c in LOOKS.items()})
    return ax


def draw_near(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw what near misses cost a ranker that they confuse."""
    ax.set_xscale("log")
    ax.set_xticks(PULLS, [f"{pull:g}" for pull in PULLS])
    ax.minorticks_off()
    ax.set_ylim(0, 1.1 * table["gain"].max())
    ax.set_xlabel("how much better near misses look, sd")
    ax.set_ylabel("gain of nDCG@10 of the ranker not confused")
    some = table.assign(low=table["gain"] - 1.96 * table["gain_se"])
    some = some.assign(high=table["gain"] + 1.96 * table["gain_se"])
    names = {str(near): f"{near:.0%} near misses" for near in NEAR["full"]}
    return lines(some, ax, x="pull_b", y="gain", by="near", low="low", high="high", names=names)


def answer(tables: Tables) -> str:
    """Say how many topics find each change, by nDCG@10 and by the measure that needs the fewest."""
    parts = []
    for change, rows in tables["table"].groupby("change", sort=False):
        ten = rows.set_index("measure").loc["nDCG@10"]
        best = rows.loc[rows["needed"].idxmin()]
        ends = f"[{_topics(ten['needed_low'])}, {_topics(ten['needed_high'])}]"
        parts.append(
            f"{change} {_topics(ten['needed'])} {ends} ({ten['gain']:+.3f}; {best['measure']} "
            f"{_topics(best['needed'])})"
        )
    return (
        "Topics that nDCG@10 needs to see a change (how far it moves; the measure that needs the fewest): "
        f"{', '.join(parts)}."
    )


def _topics(count: float) -> str:
    """Return a number of topics; without one no number is enough."""
    return f"{count:,.0f}" if np.isfinite(count) else "no bound"


STUDY = Study(
    question="Which measures see a reranker, hard negatives and query expansion, on how many topics?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("part", "n", "block"),
    figures={
        "topics": Drawing(draw_topics, size=(4.8, 4.2)),
        "near": Drawing(draw_near, table="near", size=(4.6, 3.0)),
    },
    decisions=DECISIONS,
    errors=dict.fromkeys(("topics", "before", "after", "needed", "added", "gained")),
)
