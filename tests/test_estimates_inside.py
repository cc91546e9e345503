"""Whatever has an interval lies inside it, and on an end only where it cannot be less or more."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from music import sample

from ndcgstudy.agreement.result import agreement
from ndcgstudy.card import card
from ndcgstudy.data import Scores
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.inference.agreement_of_orders import agreement_of_orders
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.inference.planning import plan
from ndcgstudy.inference.power import discriminative_power
from ndcgstudy.inference.ranks import ranks
from ndcgstudy.inference.registered import METHODS
from ndcgstudy.separability import simulate, summarise, tally
from ndcgstudy.synthetic import GENERATORS

ROOT = Path(__file__).parents[1]
EDGES = {-1.0, 0.0, 1.0}  # of shares, differences of shares and rank correlations
UNLIKE = {  # ends of another kind: of the middle half of draws, of sets of ranks
    ("selection", "middle"),
    ("rerankers", "second"),
    ("rerankers", "ndcg_second"),
    ("leaderboards", "rank"),
    ("round1_refill", ""),
}
NAMES = {
    "": ("rate", "value", "gap", "tau", "mean", "share", "separated"),
    "rank": ("rank", "place"),
    "all": ("all_covered",),
    "topics": ("topics_needed",),
    "gap": ("smallest_gap",),
    "wilson": ("rate",),
}


def triples(table: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Find the columns of estimates and of their ends: x, x_low, x_high."""
    found = []
    for name in map(str, table.columns):
        if name != "low" and not name.endswith("_low"):
            continue
        stem = name.removesuffix("low").removesuffix("_")
        plain = stem.removesuffix("wilson").removesuffix("_") if stem.endswith("_wilson") else stem
        names = (*NAMES.get(stem, ()), plain, f"{plain}_rate")
        estimate = next((n for n in names if n and n in table), None)
        if estimate:
            found.append((estimate, name, f"{stem}_high" if stem else "high"))
    return found


def misplaced(table: pd.DataFrame, edges: set[float] = EDGES) -> list[str]:
    """Name the rows whose estimate lies outside, or on an end that is no edge."""
    found = []
    for names in triples(table):
        x, low, high = (pd.to_numeric(table[n], errors="coerce").to_numpy(float) for n in names)
        known = np.isfinite(x) & ~np.isnan(low) & ~np.isnan(high)
        noise = 1e-9 * np.maximum(1, np.abs(x))
        bad = known & ((x < low - noise) | (x > high + noise))
        bad |= (
            known
            & ~np.isin(x.round(12), [*edges])
            & ((np.abs(x - low) <= 1e-12) | (np.abs(x - high) <= 1e-12))
        )
        found += [f"{names}: {x[i]} [{low[i]}, {high[i]}]" for i in np.flatnonzero(bad)]
    return found


def test_what_is_found_is_found():
    table = pd.DataFrame({"tau": [0.9, 1.0, 0.9], "low": [0.9, 0.8, 0.8], "high": [1.0, 1.0, 0.95]})
    assert misplaced(table) == ["('tau', 'low', 'high'): 0.9 [0.9, 1.0]"]


FOLDERS = sorted(path.parent.name for path in (ROOT / "results").glob("*/manifest.json"))


@pytest.mark.parametrize("study", FOLDERS)
def test_estimates_of_results_lie_inside(study):
    for path in sorted((ROOT / "results" / study).glob("*.csv")):
        table = pd.read_csv(path, quoting=csv.QUOTE_MINIMAL)
        stems = [stem for name, stem in UNLIKE if name == study]
        gone = [f"{stem}_low" if stem else "low" for stem in stems]
        assert misplaced(table.drop(columns=[n for n in gone if n in table])) == [], path.name


few = st.sampled_from([0.0, 0.5, 1.0])
boards = st.tuples(st.integers(2, 6), st.integers(3, 9)).flatmap(
    lambda shape: st.lists(
        st.lists(few, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
)


def scores(values, measure="P@1"):
    values = np.asarray(values, dtype=float)
    names = tuple(f"s{i}" for i in range(len(values))), tuple(map(str, range(values.shape[1])))
    return Scores(values, *names, measure)


@pytest.mark.parametrize("method", METHODS)
@given(values=boards)
@settings(max_examples=25, deadline=None)
def test_gaps_lie_inside_by_every_method(method, values):
    """A gap may also be an end where its method knows of no more: two topics have three resamples."""
    family = "all" if METHODS[method].together else "each"
    table = gaps(scores(values), family=family, method=method, resamples=199).table()
    assert (table["low"] <= table["gap"] + 1e-12).all()
    assert (table["gap"] <= table["high"] + 1e-12).all()
    assert (table["high"] > table["low"]).all()


@given(values=boards)
@settings(max_examples=25, deadline=None)
def test_ranks_lie_inside(values):
    table = ranks(scores(values), resamples=39).table()
    assert misplaced(table[["rank", "rank_low", "rank_high"]], set(map(float, range(1, 7)))) == []
    for name in ("mean", "estimate"):
        assert (
            (table["low"] < table[name]) & (table[name] < table["high"])
        ).all() or name == "mean"
        assert ((table["low"] <= table[name]) & (table[name] <= table["high"])).all()


@given(one=boards, seed=st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_shares_of_pairs_and_orders_lie_inside(one, seed):
    values = np.array(one)
    other = np.random.default_rng(seed).permuted(values, axis=1)
    both = [scores(values, "a"), scores(other, "b")]
    assert misplaced(discriminative_power(both, resamples=39).table()) == []
    assert misplaced(agreement_of_orders(*both, resamples=39).table()) == []


@given(st.integers(0, 1000), st.integers(2, 12), st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_agreement_lies_inside(seed, clusters, size):
    count = clusters * size
    difference, preference, cluster = sample(
        np.random.default_rng(seed), measures=2, count=count, clusters=clusters
    )
    if not preference.any():
        preference[0] = 1
    found = agreement(
        difference, preference, cluster, ["a", "b"], rng=np.random.default_rng(0), resamples=50
    )
    assert misplaced(found.table()) == []


@pytest.mark.parametrize("seed", range(8))
def test_plans_lie_inside(seed):
    values = np.random.default_rng(seed).random((6, 12 + seed))
    assert misplaced(plan(scores(values), gap=0.1, resamples=199).table()) == []


@pytest.mark.parametrize("pair", ["reference", "latent", "shared_top"])
def test_simulated_shares_lie_inside(pair):
    parts = [DISCOUNTS.parse(name) for name in ("log2", "zipf", "geometric(p=0.5)")]
    rng = np.random.default_rng(0)
    found = simulate(GENERATORS.parse(pair), parts, (10, 100, 1000), replicates=25, rng=rng)
    table = summarise(pd.DataFrame([*tally(found, parts, (10, 100, 1000))]))
    assert misplaced(table) == []


@pytest.mark.parametrize(
    "spec", ["power(beta=2)", "zipf", "power(beta=1.01)", "constant", "loglog"]
)
def test_a_card_lies_inside(spec):
    """Counts of pairs have the edge 0 as well; all of a card's other figures are shares or have none."""
    few = {"replicates": 20, "resamples": 99}
    found = card(spec, **few, rng=np.random.default_rng(1))
    rows = [
        record for section in found.sections for line in section.lines for record in line.records()
    ]
    assert misplaced(pd.DataFrame(rows)[["value", "low", "high"]]) == []
