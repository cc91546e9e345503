"""Whether simple baselines beat neural recommenders that were reproduced, on the published tables.

Ferrari Dacrema, Boglio, Cremonesi and Jannach (2021, A troubling analysis of reproducibility and progress
in recommender systems research): 11 neural methods on 32 tables beside some twenty tuned baselines, a
cell a table and measure. The best of twenty is chosen where it is compared, which flatters it (study
`selection`): so each baseline is also compared alone. Cells of a method are no independent cases:
intervals cluster by method.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ndcgstudy.agreement.heldout import lead
from ndcgstudy.decision import Decision, changed
from ndcgstudy.figures import BLUE, GREY
from ndcgstudy.inputs import loader
from ndcgstudy.intervals import wilson
from ndcgstudy.ledger import Checks, interval, read_claims, true
from ndcgstudy.study import Drawing, Parameters, Row, Study, Tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLAIMS = read_claims(Path(__file__).with_name("claims.csv"))
PUBLISHED = "dacrema_tois_tables/results.csv"
NEURAL = (
    *("CMN", "CVAE", "CDL", "ConvNCF", "CoupledCF", "DeepCF", "DELF", "DMF", "MCRec", "Mult VAE"),
    *("NeuMF", "NeuRec", "SpectralCF"),
)
"""What the names of neural methods contain; all others are baselines."""

NEAREST = ("ItemKNN", "UserKNN", "P3alpha", "RP3beta", "TopPopular", "Random")
EVERY, SIMPLEST = "best of all baselines", "best of neighbours, graphs and popularity"


@loader
def published(path: Path) -> pd.DataFrame:
    """Read the published figures."""
    return pd.read_csv(path)


def grid(scale: str) -> list[Parameters]:
    """Lay out one cell; nothing is sampled, so that both scales are alike."""
    return [{"table": PUBLISHED}]


def cell(parameters: Parameters, rng: np.random.Generator) -> list[Row]:
    """Return, for each table and measure, the reproduced method beside each baseline."""
    table = published(parameters["table"])
    neural = table["algorithm"].str.contains("|".join(NEURAL))
    rows = []
    for (number, data, measure), part in table.groupby(["table", "dataset", "measure"], sort=False):
        own, others = part[neural[part.index]], part[~neural[part.index]]
        simple = others[others["algorithm"].str.startswith(NEAREST)]
        where = {"method": part["reproduced_method"].iloc[0], "table": number, "dataset": data}
        best: Row = {**where, "measure": measure, "neural": own["value"].max()}
        rivals = {EVERY: others["value"].max(), SIMPLEST: simple["value"].max()}
        rivals |= dict(zip(others["algorithm"], others["value"], strict=True))
        rows += [{**best, "rival": rival, "value": value} for rival, value in rivals.items()]
    return rows


def analysis(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return each rival's share of cells with an interval, and each method's."""
    cells = rows.assign(ahead=(rows["value"] > rows["neural"]).astype(float))
    found = []
    for rival, part in cells.groupby("rival", sort=False):
        share = lead(part["ahead"], part["method"])
        row: Row = {"rival": rival, "cells": len(part), "ahead": int(part["ahead"].sum())}
        ends = {"share_low": max(share.low, 0.0), "share_high": min(share.high, 1.0)}
        found.append(row | {"share": share.mean, **ends, "methods": share.clusters})
    methods = cells[cells["rival"] == EVERY].groupby("method", sort=False)["ahead"]
    counts = methods.agg(["sum", "size", "mean"]).reset_index()
    counts.columns = pd.Index(["method", "ahead", "cells", "share"])
    table = pd.DataFrame(found)
    singles = table[~table["rival"].isin((EVERY, SIMPLEST))]
    whole = singles["cells"] == table["cells"].max()
    best = singles[whole].nlargest(1, "share").reset_index(drop=True)
    return {"table": table, "methods": counts, "single": best}


def _lost(tables: Tables) -> Checks:
    """A20: how often the best baseline is ahead, of how many methods, and one baseline alone."""
    rows, methods = tables["table"].set_index("rival"), tables["methods"]
    most = methods["share"] > 0.5
    low, high = wilson(most.sum(), len(most))
    single = tables["single"].iloc[0]
    kinds = ((EVERY, rows.loc[EVERY], False), (SIMPLEST, rows.loc[SIMPLEST], True))
    shares = [
        true(
            f"{rival} is ahead of the reproduced method in more than half of {row['cells']:.0f} cells",
            row["share_low"] > 0.5,
            value=row["share"],
            **interval(row, "share"),
            limit=limit,
        )
        for rival, row, limit in (*kinds, (f"{single['rival']} alone", single, True))
    ]
    text = f"share of {len(most)} reproduced methods that lose in most of their cells is above one half"
    lost = true(text, low > 0.5, value=most.mean(), low=float(low), high=float(high))
    return [shares[0], lost, *shares[1:]]


OTHERWISE = (
    changed(share=0.3, share_low=0.2, share_high=0.4),
    changed(share=0.9, share_low=0.8, share_high=0.95),
    changed("single", share=0.3, share_low=0.2, share_high=0.4),
    changed("single", share=0.9, share_low=0.8, share_high=0.95),
    changed("methods", share=0.4),
)


def draw_rivals(table: pd.DataFrame, ax: "Axes") -> "Axes":
    """Draw in what share of cells each baseline is ahead, with 95% intervals clustered by method."""
    some = table[table["cells"] > table["cells"].max() / 2]  # baselines without contents
    some = some.sort_values("share", ascending=False, ignore_index=True)
    ax.axvline(0.5, color=GREY, lw=0.7)
    ax.hlines(some.index, some["share_low"], some["share_high"], color=BLUE, lw=1)
    ax.plot(some["share"], some.index, "o", color=BLUE, ms=3.5)
    ax.set_yticks(some.index, some["rival"])
    ax.invert_yaxis()
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("share of cells in which it is ahead\nof the neural method (95%)")
    return ax


def answer(tables: Tables) -> str:
    """Give the shares of the best baseline and of the best one alone."""
    row, single = tables["table"].set_index("rival").loc[EVERY], tables["single"].iloc[0]
    ends = "{share:.0%} [{share_low:.0%}, {share_high:.0%}]"
    return (
        f"The best baseline is ahead in {row['ahead']:.0f} of {row['cells']:.0f} cells, "
        f"{ends.format_map(row)}; {single['rival']} alone in {ends.format_map(single)}."
    )


STUDY = Study(
    question="Do simple baselines beat the neural recommenders that were reproduced?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    figures={"rivals": Drawing(draw_rivals, size=(5.0, 4.6))},
    decisions=(
        Decision(
            CLAIMS["A20"],
            _lost,
            OTHERWISE,
            premise="the counts 7 of 18 and 6 of 7, which are the authors' of 2019, on other methods",
        ),
    ),
    inputs=(PUBLISHED,),
)
