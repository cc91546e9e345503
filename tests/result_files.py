"""A small results folder with all that a page has to cope with."""

from pathlib import Path

import pytest
from study_files import TINY, put

from ndcgstudy.cli import main

MIXED = '''
"""Numbers of all kinds."""
import math
import pandas as pd
from ndcgstudy.decision import Decision
from ndcgstudy.ledger import Claim, check
from ndcgstudy.study import Drawing, Study

def cell(parameters, rng):
    k = parameters["k"]
    value = math.nan if k == 7 else math.inf if k == 8 else (-1) ** k * k / 3
    return [{"k": k * 1000, "value": value, "name": f"x{k} <b>&amp;", "even": k % 2 == 0}]

def analysis(rows):
    return {"table": rows, "some": rows.head(12)}

def draw(table, ax):
    """Draw k <against> "itself" & more."""
    ax.plot(table["k"], table["k"], "o")
    return ax

def answer(tables):
    return f"The sum of {len(tables['table'])} numbers <k> is {tables['table']['k'].sum():,}."

STUDY = Study(
    question="Which <numbers> are there?",
    grid=lambda scale: [{"k": k} for k in range(150)],
    cell=cell,
    analysis=analysis,
    figures={"first": Drawing(draw), "again": Drawing(draw, "some")},
    decisions=(
        Decision(Claim("A10", "One & one is two."), lambda tables: [check("1 + 1", 2, 2)]),
        Decision(Claim("Z1", "A claim of its own."), lambda tables: [check("1 + 1", 2, 3)]),
    ),
)
'''

CLAIMS = """id,claim,cited
A2,Somebody once counted to ten.,"Somebody (1999), page 3"
A10,One & one is two.,Somebody else (2000)
A3,Nobody has looked at this.,
T1,The mean is one half.,
"""


def made(folder: Path) -> Path:
    """Run two small studies, of which one has everything, in a folder, and return it."""
    put(folder / "experiments", means=TINY, mixed=MIXED)
    (folder / "experiments" / "claims.csv").write_text(CLAIMS, encoding="utf-8")
    where = {name: str(folder / name) for name in ("experiments", "results")}
    words = ["--experiments", where["experiments"], "--out", where["results"], "--quiet"]
    with pytest.raises(SystemExit) as end:
        main(["reproduce", *words, "--cache", str(folder / "cache"), "--workers", "1"])
    assert end.value.code == 0
    return folder
