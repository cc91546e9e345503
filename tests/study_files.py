"""Small studies as files, for the tests of study, runner, results and command."""

from pathlib import Path

TINY = '''
"""Means of uniform draws."""
import numpy as np
import pandas as pd
from ndcgstudy.figures import lines
from ndcgstudy.decision import Decision, changed
from ndcgstudy.ledger import Claim, check
from ndcgstudy.study import Drawing, Study

def grid(scale, discount=()):
    names = ("log2", *discount)
    blocks = {"quick": 6, "full": 12}[scale]
    return [{"block": b, "name": name} for b in range(blocks) for name in names]

def cell(parameters, rng):
    draws = rng.random(1000)
    return [{**parameters, "mean": draws.mean(), "n": np.int64(draws.size)}]

def analysis(rows):
    return {"table": rows, "means": rows.groupby("name", as_index=False)["mean"].mean()}

def draw(table, ax):
    return lines(table, ax, x="block", y="mean", by="name")

STUDY = Study(
    question="Is the mean of uniform draws one half?",
    grid=grid,
    cell=cell,
    analysis=analysis,
    stream=("block",),
    figures={"means": Drawing(draw)},
    decisions=(
        Decision(
            Claim("T1", "The mean is one half."),
            lambda tables: [check("mean", tables["table"]["mean"].mean(), 0.5, within=0.05)],
            (changed(mean=0.7),),
        ),
    ),
    options=("discount",),
)
'''

FAILING = """
from ndcgstudy.study import Study

def cell(parameters, rng):
    if parameters["n"] == 3:
        raise ArithmeticError("first line\\nthe last line")
    return [{"n": parameters["n"]}]

STUDY = Study("Does it fail?", lambda scale: [{"n": n} for n in range(6)], cell, lambda rows: {})
"""


def put(folder: Path, **files: str) -> Path:
    """Write studies into a folder, which is returned; a file is named by its keyword."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder
