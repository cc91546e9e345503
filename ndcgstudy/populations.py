"""Populations of topics whose true gaps are known: real score matrices, and boards made from them.

A population gives the scores of some systems on all of its topics; a study draws topics from these, so
that the means over all are the true ones.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ndcgstudy.boards import FILES as BOARD_FILES
from ndcgstudy.boards import ROUND1, URBANO, board, distinct, runs
from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats
from ndcgstudy.inputs import data_folder

KINDS = {
    "nDCG": "nDCG, ERR and AP",
    "P@1, RR": "P@1 and RR, of few values",
    "near-duplicates": "near-duplicates: systems alike but for a few topics",
    "sparse": "sparse: nine scores in ten are 0",
    "one decides": "one topic of 50 decides",
}
"""The kinds of boards."""

DL2021 = "trec_dl2021_passage"
FILES = (*BOARD_FILES, f"{DL2021}/nist.qrels.gz", f"{DL2021}/runs")
"""What the populations are read from, as a study's `inputs`."""

Draw = Callable[[int, np.random.Generator], Floats]


@dataclass(frozen=True)
class Population:
    """A kind of board, and a function that draws so many systems: their scores, (systems, topics)."""

    kind: str
    draw: Draw


@functools.cache
def _scores(name: str, measure: str = "") -> Floats:
    """Return the distinct rows of a board, or of the runs beside a file of judgments by a measure."""
    if not measure:
        return distinct(board(name)).values
    return distinct(runs(data_folder() / name, measure)).values


def _chosen(values: Floats, systems: int, rng: np.random.Generator) -> Floats:
    return np.asarray(values[rng.choice(len(values), systems, replace=False)])


def _real(name: str, measure: str = "") -> Draw:
    return lambda systems, rng: _chosen(_scores(name, measure), systems, rng)


def copies(values: Floats, systems: int, rng: np.random.Generator, changed: int = 2) -> Floats:
    """Copy one of the better systems; each copy has scores of any system and topic on a few topics.

    Parameters
    ----------
    values
        Scores of a board, (systems, topics).
    changed
        On how many topics each copy differs.

    Examples
    --------
    >>> found = copies(np.random.default_rng(0).random((5, 40)), 3, np.random.default_rng(1))
    >>> int((found[0] != found[1]).sum())
    4
    """
    means = values.mean(axis=1)
    better = np.flatnonzero(means >= np.median(means))
    found = np.tile(values[rng.choice(better)], (systems, 1))
    for row in found:
        at = rng.choice(values.shape[1], changed, replace=False)
        row[at] = rng.choice(values.ravel(), changed)
    return found


def _copies(name: str, noise: float = 0.0, others: bool = False) -> Draw:
    """Return copies on at most 76 topics, which may differ a little on all, or half of them copies."""

    def draw(systems: int, rng: np.random.Generator) -> Floats:
        values = _scores(name)
        some = values[:, rng.permutation(values.shape[1])[:76]]
        found = copies(some, systems // 2 if others else systems, rng)
        if others:
            found = np.concatenate([found, _chosen(some, systems - len(found), rng)])
        return found + rng.normal(0, noise, found.shape) if noise else found

    return draw


def _sparse(name: str) -> Draw:
    """Return a board of which the highest tenth of all scores is kept and the rest is 0."""

    def draw(systems: int, rng: np.random.Generator) -> Floats:
        values = _scores(name)
        return _chosen(np.where(values >= np.quantile(values, 0.9), values, 0.0), systems, rng)

    return draw


def _one_decides(name: str) -> Draw:
    """Return systems that differ by noise of .01 on 50 topics, and at random on one of them."""

    def draw(systems: int, rng: np.random.Generator) -> Floats:
        values = _scores(name)
        chosen = values[rng.integers(len(values)), rng.permutation(values.shape[1])[:50]]
        found = chosen + rng.normal(0, 0.01, (systems, len(chosen)))
        found[:, 0] = rng.random(systems)
        return np.asarray(found)

    return draw


POPULATIONS = {
    **{
        name: Population("nDCG", _real(name))
        for name in (*URBANO, "dl2019", "dl2020", "dl2021", "round1")
        if name != "web2013_rr"
    },
    "web2013_rr": Population("P@1, RR", _real("web2013_rr")),
    "round1_p1": Population("P@1, RR", _real(f"{ROUND1}/round1.qrels.gz", "P@1")),
    "round1_rr10": Population("P@1, RR", _real(f"{ROUND1}/round1.qrels.gz", "RR@10")),
    "dl2021_p1": Population("P@1, RR", _real(f"{DL2021}/nist.qrels.gz", "P(rel=2)@1")),
    "dl2021_rr10": Population("P@1, RR", _real(f"{DL2021}/nist.qrels.gz", "RR(rel=2)@10")),
    **{
        f"{what}_{name}": Population("near-duplicates", _copies(name, noise, others))
        for name in ("robust2004_ndcg", "web2012_ndcg20")
        for what, noise, others in (
            ("copies", 0.0, False),
            ("noisy", 0.003, False),
            ("mixed", 0.0, True),
        )
    },
    **{
        f"sparse_{name}": Population("sparse", _sparse(name))
        for name in ("web2013_ndcg20", "dl2021")
    },
    "one_of_50": Population("one decides", _one_decides("robust2004_ndcg")),
}


def population(name: str) -> Population:
    """Return a population by name.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if name not in POPULATIONS:
        raise ValueError(f"unknown population {name!r}{nearest(name, list(POPULATIONS))}")
    return POPULATIONS[name]
