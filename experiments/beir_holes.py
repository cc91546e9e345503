"""What 980 more judgments did to nine published systems on TREC-COVID.

The figures are those of Thakur et al. (2021, BEIR: A heterogenous benchmark for zero-shot evaluation
of information retrieval models), table 4: hole@10 before, nDCG@10 before and after. Nothing is
sampled. Whether gain goes with holes is tested by Kendall's tau over the systems, p exact.
"""

from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREEN, PURPLE, RED, YELLOW
from ndcgstudy.holes import Change, ranks
from ndcgstudy.holes.slopes import slopes
from ndcgstudy.inputs import loader
from ndcgstudy.ledger import Checks, check, read_claims, true
from ndcgstudy.orders import kendall_tau
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
PUBLISHED = "leaderboards/beir2021_table4_trec_covid_holes.csv"
DIGIT = 0.0005 + 1e-9  # half a unit of the last digit, and the rounding of a difference
FAMILIES = {
    "lexical": (BLUE, "s"),
    "sparse": (GREEN, "^"),
    "dense": (RED, "o"),
    "late-interaction": (PURPLE, "D"),
    "re-ranking": (YELLOW, "P"),
}


@loader
def published(path: Path) -> pd.DataFrame:
    """Read the published table."""
    return pd.read_csv(path)


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell; both scales are alike."""
    return [{"table": PUBLISHED}]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return hole, score before and score after of each system."""
    table = published(parameters["table"])
    return [
        {
            "run": row.system,
            "family": row.family,
            "hole": row.hole_at_10_percent / 100,
            "score": row.ndcg10_original,
            "after": row.ndcg10_annotated,
        }
        for row in table.itertuples()
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the systems with gains and ranks, and how far gain goes with holes and orders agree."""
    found = Change(rows["score"].to_numpy(), rows["after"].to_numpy())
    table = rows.assign(
        change=(rows["after"] - rows["score"]).round(4),
        rank=ranks(found.fewer),
        rank_after=ranks(found.more),
    )
    relation = {
        "systems": len(table),
        "pairs": len(table) * (len(table) - 1) // 2,
        "swapped": found.swapped,
        "tau": found.tau,
        "tau_ap": found.tau_ap,
        "holes_and_gain": kendall_tau(table["hole"], table["change"]),
        "p": _p(table["hole"], table["change"]),
    }
    return {"table": table, "relation": pd.DataFrame([relation])}


def _p(x: pd.Series, y: pd.Series) -> float:
    """Return the share of all orders of y whose Kendall's tau with x is as large, ties and all."""
    one, two = (np.sign(np.subtract.outer(v.to_numpy(), v.to_numpy())) for v in (x, y))
    orders = np.array(list(permutations(range(len(x)))), dtype=np.int8)
    pairs = list(combinations(range(len(x)), 2))
    agreed = sum(one[i, j] * two[orders[:, i], orders[:, j]] for i, j in pairs)
    return float((agreed >= agreed[0]).mean())  # the first order is the one at hand


def _own_answers(tables: Tables) -> Checks:
    table, relation = tables["table"], tables["relation"].iloc[0]
    most = table["hole"] > table["hole"].median()
    gains = table.groupby(most)["change"].mean()
    return [
        check(f"systems that gain, of {len(table)}", (table["change"] > 0).sum(), len(table)),
        true(
            f"gain goes with holes, tau {relation['holes_and_gain']:.2f}, one-sided p "
            f"{relation['p']:.2g}",
            relation["p"] < 0.05,
        ),
        true(
            f"the half with more holes gains more, {gains[True]:.3f} against {gains[False]:.3f}",
            gains[True] > gains[False],
        ),
    ]


def _figure(text: str, run: str, column: str, stated: float) -> Callable[[Tables], Row]:
    """Return the check of a figure of one run, as a function of the tables."""

    def row(tables: Tables) -> Row:
        table = tables["table"].set_index("run")
        return check(f"{text} of {run}", table.loc[run, column], stated, within=DIGIT)

    return row


def _lead(tables: Tables, column: str) -> float:
    scores = tables["table"].set_index("run")[column]
    return float(scores["ANCE"] - scores["BM25"])


CITED: dict[str, tuple[Callable[[Tables], Row], ...]] = {
    "A13": (
        _figure("nDCG@10 before", "ANCE", "score", 0.654),
        lambda tables: true("ANCE is below BM25 before", _lead(tables, "score") < 0),
        _figure("hole@10", "ANCE", "hole", 0.144),
        _figure("hole@10", "BM25", "hole", 0.064),
    ),
    "A14": (
        _figure("nDCG@10 after", "ANCE", "after", 0.735),
        lambda tables: check(
            "nDCG@10 of ANCE less that of BM25, after", _lead(tables, "after"), 0.067, within=DIGIT
        ),
    ),
    "A15": (
        _figure("hole@10", "docT5query", "hole", 0.028),
        _figure("nDCG@10 before", "docT5query", "score", 0.713),
        _figure("nDCG@10 after", "docT5query", "after", 0.714),
    ),
    "A16": (_figure("gain in nDCG@10", "ColBERT", "change", 0.058),),
}
"""What claims repeat of the paper's table, each figure beside its transcription."""

WRONG = tuple(changed(**{c: lambda t, c=c: 1 - t[c]}) for c in ("hole", "score", "after", "change"))
"""Tables with other figures: a slip in the transcription shows in each."""

DECISIONS = (
    Decision(
        CLAIMS["A12"],
        _own_answers,
        (changed(change=lambda t: -t["change"]), changed("relation", p=0.4)),
    ),
    *(
        Decision(
            CLAIMS[key],
            lambda tables, rows=rows: [row(tables) for row in rows],
            WRONG,
            source="Thakur et al. (2021), table 4",
        )
        for key, rows in CITED.items()
    ),
)


def draw_ranks(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the ranks before and after."""
    return slopes(table, ax, "as published", "980 more judgments")


OFFSETS = {
    **{"SPARTA": (4, 4), "ColBERT": (-4, -10), "DeepCT": (-4, -10), "TAS-B": (-26, 5)},
    **{"BM25+CE": (-20, 6), "docT5query": (5, -7)},
}


def draw_gain(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the gain of each system against its holes before, a marker a family."""
    for family, (colour, marker) in FAMILIES.items():
        rows = table[table["family"] == family]
        look = {"color": colour, "marker": marker, "ls": "", "ms": 5, "mec": "black", "mew": 0.4}
        ax.plot(rows["hole"], rows["change"], label=family, **look)
        for row in rows.itertuples():
            where = OFFSETS.get(str(row.run), (5, -3))
            ax.annotate(str(row.run), (row.hole, row.change), where, textcoords="offset points")
    ax.set_xlim(-0.03, 0.37)
    ax.set_ylim(-0.008, 0.125)
    ax.set_xlabel("hole@10: share of the top ten not judged, before")
    ax.set_ylabel("gain of nDCG@10 by 980 more judgments")
    ax.legend(frameon=False, loc="lower right", handletextpad=0.2)
    return ax


def answer(tables: Tables) -> str:
    """Say who gained, and how far gain goes with holes."""
    table, relation = tables["table"], tables["relation"].iloc[0]
    most = table.loc[table["change"].idxmax()]
    return (
        f"{(table['change'] > 0).sum()} of {len(table)} systems gain, {most['run']} the most, by "
        f"{most['change']:.3f}, and {relation['swapped']:.0f} of {relation['pairs']:.0f} pairs change "
        f"their order. Gain goes with holes: Kendall's tau {relation['holes_and_gain']:.2f}, "
        f"one-sided p {relation['p']:.2g}."
    )


STUDY = Study(
    question="What did 980 more judgments change on the published TREC-COVID table of BEIR?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "ranks": Drawing(draw_ranks, size=(4.2, 3.0)),
        "gain": Drawing(draw_gain, size=(4.4, 3.2)),
    },
    decisions=DECISIONS,
    inputs=(PUBLISHED,),
)
