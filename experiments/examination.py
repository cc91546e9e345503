"""What the weights of nDCG@10 imply of how far people look, beside other measures and people's answers.

A discount that is summed can be read as the chance that a person looks at a rank. So weights imply how
deep people look: the mean rank of what counts, and the shares of ranks 1 to 3 and of the first page. RBP
and a cutoff say it openly. Beside these stand the weights that answers on pairs of five-item lists ask
for, each rank with one of its own (Urbano et al. 2012, 2015); 95% intervals are clustered by query.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ndcgstudy.agreement.likelihood import fit
from ndcgstudy.agreement.weights import rank_gaps, ratios
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLACK, lines
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.gains import GAINS
from ndcgstudy.inputs import loader
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.measures import score_grades
from ndcgstudy.preferences import Preferences
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
PAIRS = "preferences/music_pairs.jsonl.gz"
SETS = ("urbano2012", "urbano2015")
MEASURES = ("P@10", "DCG@10", "DCG@1000", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
NAMES = {"DCG@10": "nDCG@10", "DCG@1000": "nDCG@1000"}
LISTED, PAGE, TOP, SHOWN = 1000, 10, 3, 5


@loader
def pairs(path: Path) -> Preferences:
    """Read the pairs of lists."""
    return read_preferences(path)


def grid(scale: str) -> list[Parameters]:
    """Lay out the measures and the sets of answers; nothing is sampled, so that both scales are alike."""
    cells = [{"part": "weights", "of": measure} for measure in MEASURES]
    return cells + [{"part": "people", "of": name} for name in (*SETS, "both")]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return a measure's weights, or those that answers ask for."""
    of = parameters["of"]
    if parameters["part"] == "weights":
        weights = weights_of(of)
        ranks = np.flatnonzero(weights) + 1
        rows = zip(ranks.tolist(), weights[weights > 0], strict=True)
        return [
            {"part": "weights", "of": NAMES.get(of, of), "rank": r, "value": w} for r, w in rows
        ]
    every = pairs(PAIRS)
    found = every if of == "both" else every.select(every.columns["dataset"] == of)
    gaps: Any = rank_gaps(found, GAINS.parse("linear"), SHOWN)
    free = ratios(fit(gaps, found.preference, found.topic, ties="dropped"))
    ends = zip(range(1, SHOWN + 1), free.values, free.low, free.high, strict=True)
    return [
        {
            "part": "people",
            "of": of,
            "rank": rank,
            "value": value,
            "value_low": low,
            "value_high": high,
        }
        for rank, value, low, high in ends
    ]


def weights_of(measure: str) -> Floats:
    """Return what one relevant document adds at each rank, as shares of the whole, (ranks,)."""
    added = score_grades(measure, np.eye(LISTED))
    return np.asarray(added / added.sum())


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return a line a measure, its weights, and those that people ask for."""
    parts = {
        str(n): p.drop(columns="part").dropna(axis=1, how="all").reset_index(drop=True)
        for n, p in rows.groupby("part")
    }
    found = []
    for of, part in parts["weights"].groupby("of", sort=False):
        share, rank = part["value"], part["rank"]
        row: Row = {"measure": of, "mean_rank": (share * rank).sum()}
        row |= {"top": share[rank <= TOP].sum(), "page": share[rank <= PAGE].sum()}
        found.append(row | {"deep": share[rank > PAGE].sum()})
    shown = parts["weights"][parts["weights"]["rank"] <= 2 * PAGE]
    return {"table": pd.DataFrame(found), "weights": shown, "people": parts["people"]}


def _top_counts(tables: Tables) -> Checks:
    """B23: whether the first page and its top count, by the weights and by people."""
    table = tables["table"].set_index("measure")
    rows = []
    for row in tables["people"].query(f"rank == {SHOWN}").to_dict("records"):
        text = f"people weigh rank {SHOWN} less than rank 1 ({row['of']}), its weight over that of rank 1"
        ends = interval(row, "value")
        rows.append(true(text, ends["high"] < 1, value=row["value"], **ends))
    deep = table.loc["nDCG@10", "mean_rank"] < table.loc["P@10", "mean_rank"]
    text = "nDCG@10 weighs the top of the page more than P@10 does, mean rank of its weights"
    rows.append(true(text, deep, value=table.loc["nDCG@10", "mean_rank"]))
    for measure, column, what in (
        ("nDCG@10", "top", f"ranks 1 to {TOP} have most of the weight of nDCG@10"),
        ("nDCG@1000", "page", "the first page has most of the weight of nDCG@1000"),
    ):
        share = table.loc[measure, column]
        rows.append(true(what, share > 0.5, value=share, limit=True))
    return rows


OTHERWISE = (
    changed("people", value=1.0, value_low=0.8, value_high=1.2),
    changed(where="measure == 'nDCG@10'", mean_rank=5.5),
    changed(top=0.9, page=0.9),
)


def draw_weights(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the share of each measure's weight by rank."""
    ax.set_xlabel("rank")
    ax.set_ylabel("share of the measure's weight")
    ax.set_ylim(bottom=0)
    return lines(table, ax, x="rank", y="value", by="of")


def draw_people(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the weights that people's answers ask for, beside those of log2 and of equal ranks."""
    rows = table[table["of"] == "both"]
    ranks = rows["rank"].to_numpy()
    ax.vlines(ranks, rows["value_low"], rows["value_high"], color=BLACK, lw=1)
    ax.plot(ranks, rows["value"], "o", color=BLACK, label="people (95%)")
    ax.plot(ranks, 1 / np.log2(ranks + 1), "-", label="nDCG")
    ax.plot(ranks, np.ones(len(ranks)), ":", label="P@5")
    ax.set_xticks(ranks)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("rank")
    ax.set_ylabel("weight over that of rank 1")
    ax.legend(frameon=False)
    return ax


def answer(tables: Tables) -> str:
    """Give the mean rank and the share of ranks 1 to 3 of each measure."""
    parts = [
        f"{row.measure} {row.mean_rank:.1f} and {row.top:.0%}"
        for row in tables["table"].itertuples()
    ]
    return f"Mean rank of what counts, and the share of ranks 1 to {TOP}: {', '.join(parts)}."


STUDY = Study(
    question="How far do people look, by the weights of measures and by their answers?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={
        "weights": Drawing(draw_weights, table="weights", size=(4.4, 3.0)),
        "people": Drawing(draw_people, table="people", size=(3.6, 2.8)),
    },
    decisions=(
        Decision(
            CLAIMS["B23"],
            _top_counts,
            OTHERWISE,
            premise="that people rarely look beyond the first page",
        ),
    ),
    inputs=(PAIRS,),
)
