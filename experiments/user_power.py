"""How many simulated people it takes to tell measures apart, and which measure then wins.

People answer by a utility that is known: Davidson's model with the slope and the weight of ties that
were fitted to two sets of real answers. The utility is each measure in turn, with other gains, discounts
and stopping models. The measure nearest to the simulated utility wins by construction. So nothing here
is evidence for a measure: the study finds how often the right one is found, by counts of agreement and
by likelihood, from how many pairs, and whether formulas for this number are right.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.agreement.counts import signs
from ndcgstudy.agreement.heldout import Lead, lead
from ndcgstudy.agreement.likelihood import fit, fitted_loglik
from ndcgstudy.agreement.power import opposition, pairs_needed, pairs_needed_for, power
from ndcgstudy.agreement.users import Floats, Ints, Users, draw_pairs
from ndcgstudy.comparison import share
from ndcgstudy.figures import BLACK, lines, look
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES = {
    "log2": "DCG",
    "log2, gain 2^g-1": "DCG(gain=exponential)",
    "constant": "DCG(discount=constant)",
    "1/r": "DCG(discount=zipf)",
    "RBP .8": "RBP(p=0.8,gain=linear)",
    "RBP .5": "RBP(p=0.5,gain=linear)",
    "ERR": "ERR(max_grade=2)",
}
PEOPLE = {"2012": (4.64, 2.53), "2015": (6.89, 4.53)}  # slope and nu of DCG@5 with log2
NS = (200, 630, 2000, 6300)
QUERY, RANKS, BEST = 10, 5, 2
DRAWS, BLOCKS = 10, {"quick": 1, "full": 20}
SHOWN = 2000
LEVEL, POWER = 0.05, 0.8
KEYS = ["people", "utility", "measure"]


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell a kind of people, number of pairs and block."""
    return [
        {"people": people, "n": n, "replicates": DRAWS, "block": block}
        for block in range(BLOCKS[scale])
        for n in NS
        for people in PEOPLE
    ]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Draw lists and answers, and let all measures compete under each utility."""
    slope, nu = PEOPLE[parameters["people"]]
    sums: dict[tuple[str, str], Row] = {}
    for _ in range(parameters["replicates"]):
        first, second, query = draw_pairs(
            parameters["n"] // QUERY, QUERY, ranks=RANKS, best=BEST, rng=rng
        )
        seed = int(rng.integers(2**32))  # all utilities see the same uniform numbers
        users = {name: Users(text, slope, nu) for name, text in MEASURES.items()}
        gaps = {u: x.utility(first, BEST) - x.utility(second, BEST) for u, x in users.items()}
        for name, user in users.items():
            drawn = user.answers(first, second, BEST, rng=np.random.default_rng(seed))
            for row in _compete(name, gaps, drawn, query):
                total = sums.setdefault((name, row["measure"]), dict.fromkeys(row, 0))
                total |= {key: total[key] + x for key, x in row.items() if key != "measure"}
    same = {name: parameters[name] for name in ("people", "n", "replicates")}
    return [{**same, **row, "utility": u, "measure": m} for (u, m), row in sums.items()]


def _compete(utility: str, gaps: dict[str, Floats], answers: Ints, query: Ints) -> Iterator[Row]:
    """Yield who wins by counts and likelihood, and whether the utility is told from each measure."""
    points = {m: signs(d) for m, d in gaps.items()}
    fits = {m: fit(d, answers, query) for m, d in gaps.items()}
    loglik = {m: fitted_loglik(fits[m], d, answers) for m, d in gaps.items()}
    counted = _shares({m: float(x @ answers) for m, x in points.items()})  # a tie is half a hit
    likely = _shares({m: fits[m].loglik for m in gaps})
    for m in gaps:
        both = (answers != 0) & (points[utility] != 0) & (points[m] != 0)
        right = [points[name][both] == answers[both] for name in (utility, m)]
        against = opposition(*right, query[both])
        ahead = lead(loglik[utility] - loglik[m], query)
        yield {
            "measure": m,
            "wins_counts": counted[m],
            "wins_likelihood": likely[m],
            "found_counts": _mcnemar(against.opposed, against.first_right),
            "found_likelihood": int(ahead.low > 0),
            "decided": against.pairs,
            "opposed": against.opposed,
            "first_right": against.first_right,
            "lead": ahead.mean,
            "variance": ahead.se**2 * len(answers),
        }


def _shares(scores: dict[str, float]) -> dict[str, float]:
    """Return 1 for the best, divided where several are."""
    best = {m for m, score in scores.items() if score >= max(scores.values()) - 1e-9}
    return {m: (m in best) / len(best) for m in scores}


def _mcnemar(opposed: int, first_right: int) -> int:
    """Tell whether the exact test finds the first measure better."""
    from scipy.stats import binom

    return int(2 * binom.sf(first_right - 1, opposed, 0.5) <= LEVEL) if opposed else 0


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return shares of wins and of findings by number of pairs, and the pairs that it takes."""
    sums = rows.groupby([*KEYS, "n"], sort=False).sum().reset_index()
    table = sums[[*KEYS, "n", "replicates"]].copy()
    for name in ("wins_counts", "wins_likelihood", "found_counts", "found_likelihood"):
        table[name] = sums[name] / sums["replicates"]
    needed = _needed(sums)
    table = table.merge(needed[[*KEYS, "share", "split", "decided"]], on=KEYS)
    table["foreseen_counts"] = [
        power(max(1, round(n * decided)), part, split) if part > 0 else np.nan
        for n, decided, part, split in table[["n", "decided", "share", "split"]].to_numpy()
    ]
    return {"table": table.drop(columns=["share", "split", "decided"]), "needed": needed}


def _needed(sums: pd.DataFrame) -> pd.DataFrame:
    """Return how rarely a rival and the utility oppose each other, and the pairs that it takes."""
    weighed = ("lead", "variance")  # means over samples, which count by their pairs
    pooled = sums.assign(**{name: sums[name] * sums["n"] for name in weighed})
    pooled = pooled.assign(pairs=sums["n"] * sums["replicates"])
    pooled = pooled.groupby(KEYS, sort=False).sum().reset_index()
    table = pooled[KEYS].assign(
        decided=pooled["decided"] / pooled["pairs"],
        share=pooled["opposed"] / pooled["decided"],
        split=pooled["first_right"] / pooled["opposed"],
        lead=pooled["lead"] / pooled["pairs"],
        variance=pooled["variance"] / pooled["pairs"],
    )
    return table.assign(
        needed_counts=[_by_counts(row) for row in table.to_dict("records")],
        needed_likelihood=[_by_likelihood(row) for row in table.to_dict("records")],
    )


def _by_counts(row: Row) -> float:
    """Return the pairs that McNemar's test takes, NaN where it does not favour the utility."""
    if not row["split"] > 0.5:
        return math.nan
    return math.ceil(pairs_needed(row["share"], row["split"], power=POWER) / row["decided"])


def _by_likelihood(row: Row) -> float:
    """Return the pairs that the log-likelihood takes, NaN where it does not favour the utility."""
    if not row["lead"] > 0:
        return math.nan
    se = math.sqrt(row["variance"])
    return pairs_needed_for(Lead(row["lead"], se, math.nan, math.nan, 1, 2), power=POWER)


def draw_confusion(table: pd.DataFrame, ax: "Axes", wins: str) -> "Axes":
    """Draw how often each measure wins (columns) where people go by each utility (rows)."""
    shown = table[(table["n"] == SHOWN) & (table["people"] == "2012")]
    names = [*MEASURES]
    wide = shown.pivot(index="utility", columns="measure", values=wins).loc[names, names]
    ax.imshow(wide, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    ax.grid(visible=False)
    for i, line in enumerate(wide.to_numpy()):
        for j, value in enumerate(line):
            ax.text(j, i, f"{value:.2f}", ha="center", va="center", color=_ink(value))
    ax.set_xticks(range(len(names)), names, rotation=40, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("measure that wins")
    ax.set_ylabel("simulated utility")
    how = wins.removeprefix("wins_")
    ax.set_title(f"samples of {SHOWN:,} pairs won, by {how}")
    return ax


def _ink(value: float) -> str:
    return "white" if value > 0.6 else BLACK


def draw_by_counts(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw who wins by the count of agreeing answers."""
    return draw_confusion(table, ax, "wins_counts")


def draw_by_likelihood(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw who wins by likelihood."""
    return draw_confusion(table, ax, "wins_likelihood")


def draw_power(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the power to tell log2 from its rivals: likelihood solid, counts dashed."""
    shown = table[(table["people"] == "2012") & (table["utility"] == "log2")]
    shown = shown[shown["measure"] != "log2"]
    ax.set_xscale("log")
    ax.set_xticks(NS, [f"{n:,}" for n in NS])
    ax.minorticks_off()
    ax.set_ylim(0, 1.03)
    ax.set_xlabel("pairs (dashed: by counts; dotted: counts, foreseen)")
    ax.set_ylabel("share of samples that find log2 better")
    for place, (_, rows) in enumerate(shown.groupby("measure", sort=False)):
        style = {**look(place), "markersize": 2.5}
        ax.plot(rows["n"], rows["found_counts"], **{**style, "linestyle": "--"})
        ax.plot(rows["n"], rows["foreseen_counts"], color=style["color"], linestyle=":", lw=0.8)
    return lines(shown, ax, x="n", y="found_likelihood", by="measure")


def draw_needed(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the pairs that it takes to tell log2 from its rivals, by counts and by likelihood."""
    shown = table[(table["utility"] == "log2") & (table["measure"] != "log2")]
    names = list(dict.fromkeys(shown["measure"]))
    ax.set_xscale("log")
    for place, (people, rows) in enumerate(shown.groupby("people", sort=False)):
        height = [names.index(name) + 0.15 - 0.3 * place for name in rows["measure"]]
        style = {**look(place), "linestyle": "none"}
        filled = {"label": f"by likelihood, people as in {people}"}
        hollow = {"label": "by counts", "markerfacecolor": "white"}
        ax.hlines(
            height, rows["needed_likelihood"], rows["needed_counts"], color=style["color"], lw=0.6
        )
        ax.plot(rows["needed_likelihood"], height, **style, **filled)
        ax.plot(rows["needed_counts"], height, **style, **hollow)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel(f"pairs for a power of {POWER:g}, utility log2")
    ax.get_figure().legend(loc="outside upper left", ncols=2, frameon=False)  # type: ignore[union-attr]
    return ax


def answer(tables: Tables) -> str:
    """Say how many pairs the two ways need, and where counts cannot tell at all."""
    needed = tables["needed"]
    counts, likelihood = needed["needed_counts"], needed["needed_likelihood"]
    return (
        f"To tell the simulated utility from a rival takes a median of {counts.median():,.0f} pairs by "
        f"counts and {likelihood.median():,.0f} by likelihood; counts do not favour the utility in "
        f"{counts.isna().sum()} of {len(needed)} comparisons, the likelihood in {likelihood.isna().sum()}."
    )


SHARES = ("wins_counts", "wins_likelihood", "found_counts", "found_likelihood")
UNKNOWN = (
    *("replicates", "foreseen_counts", "decided", "share", "split", "lead", "variance"),
    *("needed_counts", "needed_likelihood"),
)
ERRORS: dict[str, Any] = {**{name: share(name) for name in SHARES}, **dict.fromkeys(UNKNOWN)}

STUDY = Study(
    question="How many people's answers does it take to tell measures apart, by counts or likelihood?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("n", "block"),
    figures={
        "confusion_counts": Drawing(draw_by_counts, size=(4.4, 3.6)),
        "confusion_likelihood": Drawing(draw_by_likelihood, size=(4.4, 3.6)),
        "power": Drawing(draw_power, size=(4.4, 3.2)),
        "needed": Drawing(draw_needed, table="needed", size=(4.8, 3.0)),
    },
    errors=ERRORS,
)
