"""How often nDCG agrees with people, by the mix of pairs: the level depends on how pairs were drawn.

Two sets of pairs of five-item lists of music (Urbano et al. 2012; Urbano and Marrero 2015), spread
over the difference of scores. Agreement grows with that difference, so each set is also weighed as if all
tenths of it were alike frequent, and looked at where lists are closest. Beside them stands the best share
that Sanderson et al. (2010) publish, whose mix is not known here.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.agreement.drawing import dots, heights
from ndcgstudy.agreement.result import REWEIGHTED, agreement
from ndcgstudy.agreement.strata import TIE, bin_names, by_size
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREY
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.inputs import loader
from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.preferences import Preferences
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
PAIRS, SETS, MEASURE = "preferences/music_pairs.jsonl.gz", ("urbano2012", "urbano2015"), "nDCG@5"
PUBLISHED = {"agree": 160, "pairs": 252}
"""Preferences that nDCG shares, of those on which it decides: Sanderson et al. (2010), the best measure."""

DRAWN, EVEN, CLOSEST = "as drawn", "even over tenths", "closest tenth"
TWO_THIRDS = 2 / 3
RESAMPLES = {"quick": 500, "full": 10_000}


@loader
def pairs(path: Path) -> Preferences:
    """Read the pairs of lists."""
    return read_preferences(path)


def grid(scale: str) -> list[Parameters]:
    """Lay out the published share and the sets of pairs."""
    sets = [{"set": name, "resamples": RESAMPLES[scale]} for name in SETS]
    return [{"set": "published", "resamples": 0}, *sets]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return the share of answers that nDCG shares, by the mix of pairs."""
    name = parameters["set"]
    if name == "published":
        low, high = wilson(PUBLISHED["agree"], PUBLISHED["pairs"])
        rate = PUBLISHED["agree"] / PUBLISHED["pairs"]
        return [
            {
                "set": name,
                "mix": DRAWN,
                "rate": rate,
                "rate_low": float(low),
                "rate_high": float(high),
            }
        ]
    every = pairs(PAIRS)
    found = every.select(every.columns["dataset"] == name)
    difference = found.differences((MEASURE,))
    labels = by_size(difference[0])
    tenths = [tenth for tenth in bin_names(difference[0]) if tenth != TIE]
    counts = agreement(
        difference,
        found.preference,
        found.topic,
        (MEASURE,),
        rng=rng,
        strata=labels,
        resamples=parameters["resamples"],
    ).reweighted(dict.fromkeys(tenths, 1.0))
    low, high = counts.intervals()
    strata = [*counts.strata, REWEIGHTED]
    at = {DRAWN: 0, EVEN: strata.index(REWEIGHTED)}
    at |= {CLOSEST if i == 0 else tenth: strata.index(tenth) for i, tenth in enumerate(tenths)}
    return [
        {"set": name, "mix": mix, "rate": counts.rates()[i, 0, 0]}
        | {"rate_low": low[i, 0, 0], "rate_high": high[i, 0, 0]}
        for mix, i in at.items()
    ]


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the shares."""
    return {"table": rows}


def _at_best(tables: Tables) -> Checks:
    """A24: the published share, and those of other pairs in three mixes."""
    rows = []
    for row in tables["table"].to_dict("records"):
        if row["mix"] not in (DRAWN, EVEN, CLOSEST):
            continue
        published, ends = row["set"] == "published", interval(row, "rate")
        what = (
            "best published share"
            if published
            else f"share of {MEASURE} on {row['set']} ({row['mix']})"
        )
        least = row["rate"] if published else ends["low"]
        met = least <= TWO_THIRDS
        rows.append(
            true(f"{what} is at most 2/3", met, value=row["rate"], **ends, limit=not published)
        )
    return rows


OTHERWISE = (
    changed(rate=0.8, rate_low=0.75, rate_high=0.85),
    changed(rate=0.6, rate_low=0.55, rate_high=0.65),
)


def draw_levels(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw the shares by set and mix, with 95% intervals, beside two in three."""
    some = table[table["mix"].isin((DRAWN, EVEN, CLOSEST))]
    ax.axvline(TWO_THIRDS, color=GREY, lw=0.7)
    heights(ax, [f"{row.set}\n{row.mix}" for row in some.itertuples()])
    dots(ax, some, ("rate", "rate_low", "rate_high"), range(len(some)), color=BLUE)
    ax.set_xlim(0.4, 1)
    ax.set_xlabel("share of preferences that nDCG shares,\nof those on which it decides (95%)")
    return ax


def answer(tables: Tables) -> str:
    """Give the shares by set and mix."""
    table = tables["table"]
    some = table[table["mix"].isin((DRAWN, EVEN, CLOSEST))].to_dict("records")
    form = "{set} {mix} {rate:.1%} [{rate_low:.1%}, {rate_high:.1%}]"
    return (
        f"nDCG shares of people's preferences: {'; '.join(form.format_map(row) for row in some)}."
    )


STUDY = Study(
    question="How often does nDCG agree with people, by the mix of pairs?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("set",),
    figures={"levels": Drawing(draw_levels, size=(4.0, 3.2))},
    decisions=(Decision(CLAIMS["A24"], _at_best, OTHERWISE),),
    inputs=(PAIRS,),
    errors=dict.fromkeys(("rate_low", "rate_high")),
)
