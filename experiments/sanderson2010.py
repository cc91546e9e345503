"""What the counts of Sanderson, Paramita, Clough and Kanoulas (2010) allow one to say.

The paper (Do user preferences and evaluation measures line up?) gives, for each measure, how many
preferences it shares of those on which it decides. These denominators differ, so that the three shares
are over different pairs, and no test of one measure against another can be had from them: what can be
had are its bounds over all ways in which the pairs may overlap. What a split of the pairs shows is
measured on pairs of five-item lists of music (Urbano, Downie, McFee and Schedl 2012; Urbano and Marrero
2015), since the paper's is not known here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ndcgstudy.agreement.counts import rates
from ndcgstudy.agreement.drawing import dots, heights
from ndcgstudy.agreement.mcnemar import binomial
from ndcgstudy.agreement.resampling import difference_interval
from ndcgstudy.agreement.result import Agreement, agreement
from ndcgstudy.agreement.strata import BOTH, ONE_SIDE, strata
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREY, look
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.inputs import loader
from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import Checks, check, interval, read_claims, true
from ndcgstudy.preferences import Preferences
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PUBLISHED = {"nDCG": (160, 252), "RR": (127, 241), "P@10": (106, 214)}
"""Preferences that the measure shares, and those on which it decides."""
COUNTED = (("that nDCG and people order alike", "agree", 160), ("that nDCG decides", "pairs", 252))
OVERLAPS = (1.0, 0.9, 0.75, 0.5)  # shared pairs as a share of the smaller denominator, falling
MEASURES = ("nDCG@5", "RR@5", "P@5")
SETS = ("urbano2012", "urbano2015")
ALPHA, PERCENT = 0.05, 0.5  # half a unit of the last digit of a percentage
CLAIMS = Path(__file__).with_name("claims.csv")
PAIRS = "preferences/music_pairs.jsonl.gz"
RESAMPLES = {"quick": 500, "full": 10_000}
KNOWN = read_claims(CLAIMS)


@loader
def pairs(path: Path) -> Preferences:
    """Read the pairs of lists."""
    return read_preferences(path)


def published() -> list[Row]:
    """Return the published shares with Wilson's intervals and exact tests against 1/2."""
    rows = []
    for measure, (agree, decided) in PUBLISHED.items():
        low, high = wilson(agree, decided)
        row = {"measure": measure, "agree": agree, "pairs": decided, "rate": agree / decided}
        row |= {"low": float(low), "high": float(high)}
        rows.append(row | {"p_half": binomial(agree, decided - agree)})
    return rows


def independent(shares: pd.DataFrame, first: str, second: str) -> float:
    """Return Fisher's exact p-value of two shares as if they were of different pairs."""
    from scipy.stats import fisher_exact

    agree, decided = shares.loc[[first, second], ["agree", "pairs"]].to_numpy().T
    return float(fisher_exact(np.stack([agree, decided - agree], axis=1))[1])


def bounds(first: str, second: str, shared: int) -> Row:
    """Return the least and the largest exact McNemar p-value that the counts allow.

    On `shared` pairs both measures decide. The first agrees on x of them and the second on y, as far
    as the pairs that it decides alone leave room; of the pairs on which they differ b go to the first
    and b - (x - y) to the second.
    """
    (a, n), (c, m) = PUBLISHED[first], PUBLISHED[second]
    x = np.arange(max(0, a - (n - shared)), min(a, shared) + 1)[:, None]
    y = np.arange(max(0, c - (m - shared)), min(c, shared) + 1)
    lead = x - y
    few, many = np.maximum(0, lead), np.minimum(x, shared - y)  # bounds of b
    return {
        **{"first": first, "second": second, "shared": shared},
        **{"least_lead": int(lead.min()), "largest_lead": int(lead.max())},
        "least_p": float(binomials(few, few - lead).min()),
        "largest_p": float(binomials(many, many - lead).max()),
    }


def binomials(won: Any, lost: Any) -> Any:
    """Return the exact two-sided p-values of shares of one half."""
    from scipy.stats import binom

    return np.minimum(1.0, 2 * binom.cdf(np.minimum(won, lost), won + lost, 0.5))


def grid(scale: str) -> list[Parameters]:
    """Lay out a cell for the published counts and one for each set of pairs."""
    divided = [{"part": "relevant", "set": name, "resamples": RESAMPLES[scale]} for name in SETS]
    return [{"part": "published", "set": "", "resamples": 0}, *divided]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Put the published counts to tests, or count agreement in the strata of a set."""
    if (part := parameters["part"]) == "published":
        shares = [{"part": "published", **row} for row in published()]
        shared = [(m, int(x * PUBLISHED[m][1])) for m in ("RR", "P@10") for x in OVERLAPS]
        return shares + [{"part": "overlap", **bounds("nDCG", *at)} for at in shared]
    found = counted(parameters["set"], parameters["resamples"], rng)
    rows: list[Row] = [{"part": part, **row} for row in found.table().to_dict("records")]
    return rows + gaps(found)


def counted(name: str, resamples: int, rng: np.random.Generator) -> Agreement:
    """Count agreement where one list holds nothing relevant, and where both hold something."""
    every = pairs(PAIRS)
    chosen = every.select(every.columns["dataset"] == name)
    return agreement(
        chosen.differences(MEASURES),
        chosen.preference,
        chosen.topic,
        MEASURES,
        rng=rng,
        strata=strata(chosen, "relevant"),
        resamples=resamples,
        name=name,
    )


def gaps(found: Agreement) -> list[Row]:
    """Return by how much agreement is higher where one side holds nothing relevant.

    A row a measure, and one for what the first of them differs by from each other.
    """
    one, both = (found.strata.index(name) for name in (ONE_SIDE, BOTH))
    drawn, rate = rates(found.drawn)[..., 0], found.rates()[..., 0]
    gap, resampled = rate[one] - rate[both], drawn[:, one] - drawn[:, both]
    first, *others = found.measures
    names = [*found.measures, *(f"{first} less {other}" for other in others)]
    gap, resampled = (np.hstack([x, x[..., :1] - x[..., 1:]]) for x in (gap, resampled))
    low, high = difference_interval(gap, resampled, found.clusters[0], found.level, most=2.0)
    return [
        {"part": "gap", "set": found.name, "measure": name, "gap": gap[m]}
        | {"gap_low": low[m], "gap_high": high[m]}
        for m, name in enumerate(names)
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the published shares, the bounds of the tests, and agreement by strata."""
    parts = {
        str(name): part.dropna(axis=1, how="all").drop(columns="part").reset_index(drop=True)
        for name, part in rows.groupby("part", sort=False)
    }
    return {
        "table": _whole(parts["published"]),
        "overlap": _whole(parts["overlap"]),
        "strata": parts["relevant"],
        "gaps": parts["gap"],
    }


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Turn counts, which a column of several parts holds as floats, back into whole numbers."""
    names = ("agree", "pairs", "shared", "least_lead", "largest_lead")
    return table.astype({name: int for name in names if name in table})


def _percent(row: "pd.Series[Any]", stated: int) -> Row:
    """Return a check of a published share, in percent."""
    value, low, high = (100 * row[name] for name in ("rate", "low", "high"))
    text = f"percent of {row['pairs']:.0f} pairs on which {row.name} agrees with people"
    return check(text, value, stated, within=PERCENT, low=low, high=high)


def _share(tables: Tables) -> Checks:
    """A21: the share of nDCG."""
    row = tables["table"].set_index("measure").loc["nDCG"]
    counts = [check(f"pairs {text}", row[n], x) for text, n, x in COUNTED]
    return [_percent(row, 63), *counts]


def _leads(tables: Tables) -> Checks:
    """A22: the shares of the others, and whether nDCG's is higher by more than chance."""
    rows = []
    shares = tables["table"].set_index("measure")
    for other, stated in (("RR", 53), ("P@10", 50)):
        p = independent(shares, "nDCG", other)
        bound = tables["overlap"].set_index("second").loc[other].iloc[0]
        between = f"p between {bound['least_p']:.1g} and {bound['largest_p']:.2g}"
        apart = f"nDCG and {other} differ significantly"
        paired = (
            f"{apart} on the {bound['shared']} pairs of {other}, were all nDCG's too, in any case"
        )
        rows += [
            _percent(shares.loc[other], stated),
            true(f"{apart} as if on different pairs, p {p:.2g}", p < ALPHA),
            true(f"{paired}, {between}", bound["largest_p"] < ALPHA, limit=True),
        ]
    return rows


def _leaning(tables: Tables) -> Checks:
    """A23: agreement is weaker where both lists hold something; whether nDCG's more than others'.

    Where one list holds nothing relevant all measures prefer the other, so that none has an advantage
    there: an identity, which decides nothing.
    """
    rows = []
    for name, part in tables["gaps"].groupby("set"):
        gap = part.set_index("measure")
        more = f"{name}: nDCG@5 agrees more often where one list holds nothing relevant, by"
        ends = interval(gap.loc["nDCG@5"], "gap")
        rows.append(true(more, ends["low"] > 0, value=gap.loc["nDCG@5", "gap"], **ends))
        for other in MEASURES[1:]:
            text = f"{name}: more so than {other}, by"
            row = gap.loc[f"nDCG@5 less {other}"]
            ends = interval(row, "gap")
            rows.append(true(text, ends["low"] > 0, value=row["gap"], **ends, limit=True))
    return rows


DECISIONS = (
    Decision(
        KNOWN["A21"],
        _share,
        (changed(rate=0.6, agree=150, pairs=250),),
        source="Sanderson et al. (2010), table of agreements",
    ),
    Decision(
        KNOWN["A22"],
        _leads,
        (changed(rate=0.6, agree=100, pairs=100), changed("overlap", largest_p=0.01)),
    ),
    Decision(
        KNOWN["A23"],
        _leaning,
        tuple(changed("gaps", gap=x, gap_low=x, gap_high=x) for x in (-0.1, 0.1)),
    ),
)


def draw_published(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the published shares with their intervals, each on its own pairs."""
    ax.axvline(0.5, color=GREY, lw=0.7)
    heights(ax, [f"{row.measure}\n{row.agree} of {row.pairs}" for row in table.itertuples()])
    dots(ax, table, ("rate", "low", "high"), range(len(table)), color=BLUE)
    ax.set_xlim(0.4, 0.75)
    ax.set_xlabel(
        "share of preferences, of those on which\nthe measure decides (Wilson's 95% interval)"
    )
    return ax


def draw_gaps(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw by how much more often measures agree where one side holds nothing relevant."""
    ax.axvline(0, color=GREY, lw=0.7)
    heights(ax, MEASURES)
    table = table[table["measure"].isin(MEASURES)]
    for place, (name, rows) in enumerate(table.groupby("set", sort=False)):
        y, style = np.arange(len(rows)) + 0.3 * (place - 0.5), look(place)
        how = {"color": style["color"], "marker": style["marker"], "label": str(name)}
        dots(ax, rows, ("gap", "gap_low", "gap_high"), y, **how)
    ax.locator_params(axis="x", nbins=4)
    ax.set_xlabel(
        "agreement where one side holds nothing relevant\nless that where both hold something"
    )
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def answer(tables: Tables) -> str:
    """Give the shares with their intervals."""
    whole = tables["strata"].query("stratum == 'all'")
    rows = pd.concat([tables["table"].assign(set="published"), whole]).to_dict("records")
    form = "{measure} {rate:.1%} [{low:.1%}, {high:.1%}] ({set})"
    return f"Preferences shared: {'; '.join(form.format_map(row) for row in rows)}."


_SAMPLED = tuple(
    f"{stem}{end}"
    for stem in ("", "strict_", "half_", "common_", "gap_")
    for end in ("low", "high")
)

STUDY = Study(
    question="Does nDCG agree with people more often than other measures, and where?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("set", "part"),
    figures={
        "published": Drawing(draw_published, size=(3.5, 2.0)),
        "gaps": Drawing(draw_gaps, table="gaps", size=(3.5, 2.0)),
    },
    inputs=(CLAIMS, PAIRS),
    decisions=DECISIONS,
    errors=dict.fromkeys(_SAMPLED),
)
