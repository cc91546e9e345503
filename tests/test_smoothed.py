"""The t interval whose variance is smoothed by pseudo-topics: its formula, and how often it covers."""

import numpy as np
import pandas as pd
import pytest
from copies import copies, topics_of
from hypothesis import given
from hypothesis import strategies as st
from ranked import scores_of
from scipy import stats
from test_designs import DESIGNS, board

import ndcgstudy as nd
from ndcgstudy.data import Scores
from ndcgstudy.inference.designs import sample_of
from ndcgstudy.seeding import rng_for

NDCG = ("web2011_ndcg20", "web2012_ndcg20", "web2013_ndcg20", "robust2004_ndcg")
NDCG += ("dl2019", "dl2020", "dl2021", "round1")


def alone(scores: Scores, method: str | None = None, **how) -> nd.Gaps:
    return nd.gaps(scores, family="each", method=method, **how)


def of_two(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """The interval and the p-value of one pair on the topics of one collection, from its formula."""
    d, topics = x - y, len(x)
    squares = np.sum(d**2)
    n = squares**2 / np.sum(d**4) if squares else 0.0
    ratio = d.var(ddof=1) / (x.var(ddof=1) + y.var(ddof=1))
    near = max((0.2 - n / topics) / 0.1, (0.05 - ratio) / 0.04)
    pseudo = min(max(near, 0), 1) * 4 / (1 + (n / 5 + 8 * n / topics) ** 1.5)
    unrelated = (x.var(ddof=1) + y.var(ddof=1)) / (topics * (topics - 1))
    s = np.sqrt(d.var(ddof=1) / topics + pseudo * unrelated)
    half = stats.t.ppf(0.975, topics - 1) * s
    return d.mean() - half, d.mean() + half, 2 * stats.t.sf(abs(d.mean()) / s, topics - 1)


@pytest.mark.parametrize("topics", [2, 3, 10, 60])
def test_it_is_the_default_and_follows_its_formula(topics: int) -> None:
    rng = np.random.default_rng(topics)
    values = rng.random((4, topics))
    values[3] = values[2]
    values[3, 0] += 0.4  # differs on one topic
    found = alone(scores_of(values))
    assert found.method == "smoothed-t"
    for k, row in found.table().iterrows():
        x, y = (values[int(name[1:])] for name in (row["system_a"], row["system_b"]))
        assert (row["low"], row["high"], row["p"]) == pytest.approx(of_two(x, y), rel=1e-9), k


def test_means_of_data_sets_are_as_topics_and_random_data_sets_as_their_means() -> None:
    scores = board("random")
    sample = sample_of(scores, "means")
    means = scores_of(sample.values)
    wanted = alone(means, design="topics")
    for design in ("means", "random"):
        found = alone(scores, design=design)
        assert found.low == pytest.approx(wanted.low, rel=1e-9)
        assert found.p == pytest.approx(wanted.p, rel=1e-9)


def test_one_data_set_is_a_collection_and_a_split_one_nearly_is() -> None:
    values = np.random.default_rng(3).random((5, 40))
    wanted = alone(scores_of(values))
    whole = alone(scores_of(values, ("x",) * 40), design="fixed")
    assert whole.low == pytest.approx(wanted.low, rel=1e-9)
    split = alone(scores_of(values, ("x", "y") * 20), design="fixed")
    assert split.low == pytest.approx(wanted.low, abs=0.02)


@pytest.mark.parametrize("design", DESIGNS)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from([1e-3, 0.5, 40.0]))
def test_only_the_pair_counts_whatever_the_unit_of_the_scores(design, seed, scale) -> None:
    scores = board(design, seed=seed)
    found = alone(scores, design=design)
    pair = Scores(
        scale * scores.values[:2] + 7 * scale,
        scores.systems[:2],
        scores.topics,
        "x",
        scores.datasets,
    )
    (same,) = alone(pair, design=design).table().itertuples()
    (wanted,) = (r for r in found.table().itertuples() if {r.system_a, r.system_b} == {"s0", "s1"})
    assert (same.low, same.high) == pytest.approx((scale * wanted.low, scale * wanted.high))
    assert same.p == pytest.approx(wanted.p)


@pytest.mark.parametrize("design", DESIGNS)
def test_it_holds_the_t_interval_and_is_near_it_where_all_topics_differ(design: str) -> None:
    found, t = (alone(board(design), method, design=design) for method in (None, "t"))
    assert np.all((found.low <= t.low) & (t.high <= found.high))
    assert np.all(found.p >= t.p)
    values = np.random.default_rng(0).random((3, 400))
    wide, narrow = (alone(scores_of(values), method) for method in (None, "t"))
    assert np.all(wide.high - wide.low < 1.001 * (narrow.high - narrow.low))


@pytest.mark.parametrize("topics", [5, 24, 50])
def test_an_ordinary_pair_has_the_t_interval_itself(topics: int) -> None:
    """As scipy gives it: a reader who knows that two systems differ by an ordinary test finds it here."""
    x, y = np.random.default_rng(topics).random((2, topics))
    found = alone(scores_of([x, y]))
    low, high = stats.ttest_rel(x, y).confidence_interval(0.95)
    sign = 1 if found.systems[0] == "s0" else -1
    assert sorted([sign * found.low[0], sign * found.high[0]]) == pytest.approx(
        [low, high], rel=1e-9
    )
    assert found.p[0] == pytest.approx(stats.ttest_rel(x, y).pvalue, rel=1e-9)


def test_nothing_bounds_the_gap_of_systems_that_never_vary() -> None:
    found = alone(scores_of([[0.6] * 9, [0.5] * 9]))
    assert (found.low[0], found.high[0], found.p[0]) == (-np.inf, np.inf, 1)
    assert not found.separated[0]


def whole(values: np.ndarray, topics: int, rng: np.random.Generator) -> Scores:
    """Topics drawn from a matrix, whose means are the true ones."""
    return scores_of(values[:, rng.integers(0, values.shape[1], topics)])


def split(values: np.ndarray, topics: int, rng: np.random.Generator) -> Scores:
    """Topics drawn inside three data sets of unequal size, whose macro means are the true ones."""
    parts = np.split(np.arange(values.shape[1]), [10, 36])
    sizes = [topics // 5, topics // 5, topics - 2 * (topics // 5)]
    drawn = [rng.choice(part, n) for part, n in zip(parts, sizes, strict=True)]
    return scores_of(values[:, np.concatenate(drawn)], tuple(np.repeat(list("xyz"), sizes)))


def macro(values: np.ndarray) -> np.ndarray:
    return np.mean([part.mean(axis=1) for part in np.split(values, [10, 36], axis=1)], axis=0)


def coverage(boards, topics, draws, rng, drawn=whole, true=lambda values: values.mean(axis=1)):
    """Coverage and mean width of the intervals of all pairs by each method, a figure a board."""
    rows = []
    for at, values in enumerate(boards):
        truth = true(values)
        for _ in range(draws):
            scores = drawn(values, topics, rng)
            for method in ("smoothed-t", "t"):
                found = alone(scores, method)
                order = np.array([int(name[1:]) for name in found.systems])
                gap = truth[order[found.first]] - truth[order[found.second]]
                held = (found.low <= gap + 1e-12) & (gap <= found.high + 1e-12)
                width = np.where(np.isfinite(found.high), found.high - found.low, 0).mean()
                rows.append((method, at, held.mean(), width))
    table = pd.DataFrame(rows, columns=["method", "board", "covered", "width"])
    shares = table.groupby(["method", "board"])[["covered", "width"]].mean()
    return {method: shares.loc[method].to_numpy() for method in ("smoothed-t", "t")}


def near(kind: str, name: str, rng: np.random.Generator, boards: int) -> list[np.ndarray]:
    """Boards of near-duplicates of a kind."""
    how = {
        "ten copies": {},
        "one topic": {"changed": 1},
        "mixed": {"systems": 5, "others": 5},
        "two alone": {"systems": 2},
        "noise": {"noise": 0.003},
    }[kind]
    return [copies(topics_of(name), rng, **how) for _ in range(boards)]


KINDS = ("ten copies", "one topic", "mixed", "two alone", "noise")


def test_gaps_of_near_duplicates_are_covered_where_those_of_t_are_not(data_folder) -> None:
    rng = rng_for(1, "near")
    boards = near("noise", "robust2004_ndcg", rng, 40)
    found = coverage(boards, 25, 3, rng)
    mine, t = (found[method][:, 0] for method in ("smoothed-t", "t"))
    assert mine.mean() >= 0.93 - 3 * mine.std() / np.sqrt(40)
    assert t.mean() < 0.93 - 3 * t.std() / np.sqrt(40)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["robust2004_ndcg", "dl2021", "web2011_ndcg20"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("topics", [3, 5, 10, 25, 50, 100])
def test_near_duplicates_of_every_kind_are_covered(data_folder, kind, name, topics) -> None:
    rng = rng_for(2, kind, name, topics)
    boards = near(kind, name, rng, 60 if kind == "two alone" else 20)
    mine = coverage(boards, topics, 20, rng)["smoothed-t"][:, 0]
    assert mine.mean() >= 0.93 - 3 * mine.std() / np.sqrt(len(mine))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("topics", [15, 25, 50])
def test_so_they_are_on_data_sets_of_unequal_size(data_folder, kind, topics) -> None:
    rng = rng_for(4, kind, topics)
    boards = near(kind, "robust2004_ndcg", rng, 60 if kind == "two alone" else 20)
    mine = coverage(boards, topics, 20, rng, split, macro)["smoothed-t"][:, 0]
    assert mine.mean() >= 0.93 - 3 * mine.std() / np.sqrt(len(mine))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*NDCG, "web2013_rr"])
@pytest.mark.parametrize(("topics", "wider"), [(10, 1.15), (25, 1.05), (50, 1.02), (100, 1.01)])
def test_ordinary_pairs_are_covered_by_intervals_hardly_wider(data_folder, name, topics, wider):
    rng, values = rng_for(3, name, topics), topics_of(name)
    boards = [values[rng.choice(len(values), 10, replace=False)] for _ in range(20)]
    found = coverage(boards, topics, 20, rng)
    mine, t = found["smoothed-t"], found["t"]
    least = 0.935 if name == "web2013_rr" else 0.94
    assert mine[:, 0].mean() >= least - 3 * mine[:, 0].std() / np.sqrt(20)
    ratio = mine[:, 1] / t[:, 1]
    assert mine[:, 1].mean() / t[:, 1].mean() <= wider + 3 * ratio.std() / np.sqrt(20)
