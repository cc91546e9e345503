"""Which gain and which discount people's preferences ask for, on pairs of five-item lists of music.

The pairs are those of Urbano, Downie, McFee and Schedl (2012, How significant is statistically
significant? The case of audio music similarity and retrieval) and of Urbano and Marrero (2015, How do
gain and discount functions affect the correlation between DCG and user satisfaction?). They were drawn
evenly over the difference in score, so that the level of agreement is one of this mix. Counts say
little, since measures rarely oppose each other; the likelihood of the answers, whose one parameter is a
slope, uses how far the lists are apart as well. Queries are what is resampled and what errors cluster
by; measures compare on answers to queries that they were not fitted to.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy import read_qrels
from ndcgstudy.agreement.drawing import dots, draw_agreement, draw_by_size, heights
from ndcgstudy.agreement.families import Answers
from ndcgstudy.agreement.fitting import fit_discount, lead_over, verdict
from ndcgstudy.agreement.heldout import held_out, lead
from ndcgstudy.agreement.likelihood import fit
from ndcgstudy.agreement.report import report
from ndcgstudy.agreement.result import REWEIGHTED
from ndcgstudy.agreement.strata import TIE, by_size
from ndcgstudy.agreement.weights import grade_gaps, rank_gaps, ratios
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.figures import BLACK, BLUE, GREY, RED, lines
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.gains import GAINS
from ndcgstudy.inputs import loader
from ndcgstudy.preferences import Preferences
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = (
    *("nDCG@5", "nDCG(gain=exp)@5", "DCG(discount=constant)@5", "nDCG(discount=zipf)@5"),
    *("RR@5", "P@5", "RBP(p=0.8,gain=linear)@5", "ERR(max_grade=2)@5"),
)
SETS = ("urbano2012", "urbano2015")
BOTH_SETS = "both"
GAIN_NAMES = ("linear", "exponential", "binary")
DISCOUNT_NAMES = ("log2", "zipf", "geometric(p=0.8)", "constant")
REFERENCE = ("linear", "log2")
FAMILIES = ("power", "geometric", "log-base", "table")
DEPTH, FOLDS = 5, 10
FOLDER = "preferences"
RESAMPLES = {"quick": 500, "full": 10_000}


@loader
def pairs(folder: Path) -> Preferences:
    """Read the pairs, graded by all judgments of their queries."""
    columns = {"query": "qid", "doc": "docno", "broad_grade": "label"}
    text = {"query": str, "doc": str}
    frame = pd.read_csv(folder / "music_qrels.tsv.gz", sep="\t", dtype=text, usecols=[*columns])
    judgments = read_qrels(frame.rename(columns=columns))
    return read_preferences(folder / "music_pairs.jsonl.gz", judgments)


def chosen(name: str) -> Preferences:
    """Return the pairs of a set, or of both."""
    every = pairs(FOLDER)
    if name == BOTH_SETS:
        return every
    return every.select(every.columns["dataset"] == name)


def dcg(gain: str, discount: str) -> str:
    """Return the measure with a gain and a discount; DCG, since the ideal must not weigh the pairs."""
    return f"DCG(gain={gain},discount={discount})@{DEPTH}"


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell for each set and way to divide it, each gain and discount, and each fit."""
    counts = [
        {"part": stratum, "set": name, "resamples": RESAMPLES[scale]}
        for name in SETS
        for stratum in ("relevant", "difference")
    ]
    likely = [
        {"part": "likelihood", "set": name, "gain": gain, "discount": discount}
        for name in (*SETS, BOTH_SETS)
        for gain in GAIN_NAMES
        for discount in DISCOUNT_NAMES
    ]
    free = [{"part": "free", "set": name} for name in (*SETS, BOTH_SETS)]
    families = [{"part": "family", "set": BOTH_SETS, "family": name} for name in FAMILIES]
    return [*counts, *likely, *free, *families]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Count agreement, or fit what the likelihood of the answers asks for."""
    part, found = parameters["part"], chosen(parameters["set"])
    if part in ("relevant", "difference"):
        rows = counted(found, parameters, rng)
    elif part == "likelihood":
        rows = [likelihood(found, parameters["gain"], parameters["discount"])]
    elif part == "free":
        rows = free(found)
    else:
        rows = family(found, parameters["family"])
    return [{"part": part, "set": parameters["set"], **row} for row in rows]


def counted(found: Preferences, parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Count agreement by strata; by differences also reweighted to the mix of the other set."""
    mix = mix_of_the_other(parameters["set"]) if parameters["part"] == "difference" else None
    result = report(
        found,
        MEASURES,
        rng=rng,
        stratum=parameters["part"],
        mix=mix,
        resamples=parameters["resamples"],
    )
    table = result.table().drop(columns="set")
    decided = table["agree"] + table["disagree"]
    table["users_satisfied"] = table["agree"] / (decided + table["human_tie"])
    return table.to_dict("records")


def mix_of_the_other(name: str) -> dict[str, float]:
    """Return the shares of the bins of difference, ties left out, among the other set's answers."""
    (other,) = (chosen(each) for each in SETS if each != name)
    labels = by_size(other.differences(MEASURES[:1])[0])[other.preference != 0]
    names, counts = np.unique(labels[labels != TIE].astype(str), return_counts=True)
    return dict(zip(names.tolist(), counts.astype(float).tolist(), strict=True))


def likelihood(found: Preferences, gain: str, discount: str) -> Row:
    """Fit a slope to one gain and discount, and compare it with the reference on unseen queries."""
    columns = (found.preference, found.topic)
    own, reference = found.differences([dcg(gain, discount), dcg(*REFERENCE)])
    how: Any = {"ties": "dropped"}
    seen = fit(own, *columns, **how)
    unseen = [held_out(part, *columns, folds=FOLDS, **how) for part in (own, reference)]
    ahead = lead(unseen[0] - unseen[1], found.topic)
    told = "the reference"
    if (gain, discount) != REFERENCE:
        told = verdict(ahead, f"{gain} {discount}", " ".join(REFERENCE))
    return {
        **{"gain": gain, "discount": discount, "loglik": seen.loglik, "slope": seen.slope},
        **{"slope_error": float(seen.clustered_se[0]), "answers": ahead.pairs},
        **{"lead": ahead.mean, "lead_low": ahead.low, "lead_high": ahead.high, "verdict": told},
    }


def free(found: Preferences) -> list[Row]:
    """Let each rank have its own weight, and each grade its own gain."""
    columns: Any = (found.preference, found.topic)
    ranks = ratios(fit(rank_gaps(found, GAINS.parse("linear"), DEPTH), *columns, ties="dropped"))
    grades, gaps = grade_gaps(found, DISCOUNTS.parse("log2"), DEPTH)
    gains = ratios(fit(gaps, *columns, ties="dropped"))
    return [
        {"what": what, "at": at, "value": value, "error": error, "low": low, "high": high}
        for what, places, part in (
            ("weight of rank", range(1, DEPTH + 1), ranks),
            ("gain of grade", grades.astype(int).tolist(), gains),
        )
        for at, value, error, low, high in zip(
            places, part.values, part.se, part.low, part.high, strict=True
        )
    ]


def family(found: Preferences, name: str) -> list[Row]:
    """Fit the best discount of a family, and compare it with log2 on unseen queries."""
    gaps = rank_gaps(found, GAINS.parse("linear"), DEPTH)
    answers = Answers(gaps, found.preference, found.topic, ties="dropped")
    best, ahead = fit_discount(answers, name), lead_over(answers, name, folds=FOLDS)
    row = {"family": name, "loglik": best.fit.loglik}
    row |= {"lead": ahead.mean, "lead_low": ahead.low, "lead_high": ahead.high}
    row["verdict"] = verdict(ahead, name)
    return [
        {**row, "what": p.name, "value": p.value, "low": p.low, "high": p.high}
        for p in best.parameters
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return agreement, likelihoods of gains and discounts, free weights, and fitted families."""
    parts = {
        str(name): part.dropna(axis=1, how="all").drop(columns="part").reset_index(drop=True)
        for name, part in rows.groupby("part", sort=False)
    }
    sizes = parts["difference"]
    reference = sizes["measure"] == sizes["measure"].iloc[0]
    return {
        "table": parts["relevant"],
        "sizes": sizes[reference | sizes["stratum"].isin(("all", REWEIGHTED))],
        "first": sizes[reference],
        "likelihood": parts["likelihood"],
        "free": parts["free"],
        "families": parts["family"],
        "conclusions": conclusions(parts),
    }


def conclusions(parts: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Say what the answers of both sets decide: gain, discount, family, each against the reference."""
    likely, families = parts["likelihood"], parts["family"]
    other = [
        likely[(likely["set"] == BOTH_SETS) & (likely[fixed] == kept) & (likely[free] != base)]
        for fixed, kept, free, base in (
            ("discount", REFERENCE[1], "gain", REFERENCE[0]),
            ("gain", REFERENCE[0], "discount", REFERENCE[1]),
        )
    ]
    names = ["lead", "lead_low", "lead_high", "verdict"]
    tried = [other[0].assign(question="gain"), other[1].assign(question="discount")]
    once = families.drop_duplicates("family").assign(question="family of discounts")
    return pd.concat([part[["question", *names]] for part in (*tried, once)], ignore_index=True)


def draw_free(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the free weight of each rank with its interval, beside named discounts."""
    rows = table[(table["what"] == "weight of rank") & (table["set"] == BOTH_SETS)]
    ranks = rows["at"].to_numpy()
    named = pd.DataFrame(
        [
            {"discount": name, "rank": rank, "weight": weight}
            for name in DISCOUNT_NAMES
            for rank, weight in zip(ranks, DISCOUNTS.parse(name)(ranks), strict=True)
        ]
    )
    ax.set_xticks(ranks)
    ax.set_ylim(0, 1.05)
    ax.set_xlabel("rank")
    ax.set_ylabel("weight over that of rank 1\n(dots: free weights, 95%)")
    ax.vlines(ranks, rows["low"], rows["high"], color=BLACK, lw=1)
    ax.plot(ranks, rows["value"], "o", color=BLACK, markersize=5, zorder=5)
    colours = zip(DISCOUNT_NAMES, (BLUE, RED, GREY, GREY), strict=True)
    looks = {name: {"color": colour, "marker": ""} for name, colour in colours}
    looks["constant"]["linestyle"] = ":"
    return lines(named, ax, x="rank", y="weight", by="discount", looks=looks)


def draw_leads(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw by how much each gain and discount predicts better than the reference, with intervals."""
    rows = table[table["set"] == BOTH_SETS]
    ax.axvline(0, color=GREY, lw=0.7)
    heights(ax, [f"{row.gain}, {row.discount}" for row in rows.itertuples()])
    dots(ax, rows, ("lead", "lead_low", "lead_high"), range(len(rows)), color=BLUE)
    ax.locator_params(axis="x", nbins=4)
    ax.set_xlabel(f"log-likelihood an answer, unseen queries,\nover {', '.join(REFERENCE)}")
    return ax


def answer(tables: Tables) -> str:
    """Say which choices foretell unseen answers worse or better than the reference, or neither."""
    found: dict[str, list[str]] = {}
    for row in tables["conclusions"].to_dict("records"):
        name = row["verdict"].partition(" predicts")[0].partition(" and ")[0]
        how = "worse" if row["lead_high"] < 0 else "better" if row["lead_low"] > 0 else "neither"
        found.setdefault(how, []).append(f"{name} ({row['lead']:+.4f})")
    parts = "; ".join(f"{how}: {', '.join(names)}" for how, names in found.items())
    return f"On unseen answers, by log-likelihood an answer against {' '.join(REFERENCE)}: {parts}."


_SAMPLED = tuple(
    f"{stem}{end}" for stem in ("", "strict_", "half_", "common_") for end in ("low", "high")
)

STUDY = Study(
    question="Which gain and which discount do people's preferences between two lists ask for?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("set", "part"),
    figures={
        "agreement": Drawing(draw_agreement, size=(5.0, 4.6)),
        "sizes": Drawing(draw_by_size, table="first", size=(4.4, 2.8)),
        "weights": Drawing(draw_free, table="free", size=(4.4, 2.8)),
        "leads": Drawing(draw_leads, table="likelihood", size=(4.4, 3.2)),
    },
    inputs=(FOLDER,),
    errors=dict.fromkeys(_SAMPLED),
)
