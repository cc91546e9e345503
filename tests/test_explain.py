"""The parts of a difference sum to it; tied documents give the interval that all orders give."""

import itertools
from typing import Any

import numpy as np
import pytest
from collections_drawn import drawn
from shared_data import Collection

from ndcgstudy import Judgments, Rankings, score
from ndcgstudy.conventions import Convention, parse
from ndcgstudy.conventions.explaining import Explanation, explain
from ndcgstudy.conventions.shares import shares
from ndcgstudy.conventions.ties import tie_intervals
from ndcgstudy.measures import MEASURES

PAIRS = [
    ("trec_eval-9", "xgboost"),
    ("ir_measures", "sklearn"),
    ("gdeval", "beir"),
    ("jk2002", "ndcgstudy(unjudged=condensed,ties=average,ideal=all)"),
    ("ndcgstudy(unjudged=optimistic)", "trec_eval-10(no_relevant=skip)"),
]
NDCG = MEASURES.parse("nDCG@5")


def files(seed: int) -> tuple[Judgments, Rankings]:
    qrels, run = drawn(np.random.default_rng(seed))
    return Judgments.from_dict(qrels), Rankings.from_dict(run)


def explained(seed: int, a: str, b: str, measure: str = "nDCG@5") -> Explanation:
    return explain(*files(seed), MEASURES.parse(measure), parse(a), parse(b))


def values(seed: int, how: Convention, measure: str = "nDCG@5") -> Any:
    part = how.rewrite(MEASURES.parse(measure))
    (scores,) = score(*files(seed), part, how.policy).scores.values()
    return scores


def mean(seed: int, how: Convention) -> float:
    return float(values(seed, how).mean()[0])


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("measure", ["nDCG@5", "nDCG", "DCG@3"])
def test_parts_sum_to_the_difference(a: str, b: str, measure: str) -> None:
    found = explained(1, a, b, measure)
    means = [values(1, parse(text), measure).mean()[0] for text in (a, b)]
    assert (found.a, found.b) == pytest.approx(means, abs=1e-12)
    gap = found.b - found.a
    assert found.settings["part"].sum() == pytest.approx(gap, abs=1e-12)
    assert found.topics["part"].sum() == pytest.approx(gap, abs=1e-12)
    for name in found.settings["setting"]:
        part = found.settings.set_index("setting").loc[name, "part"]
        assert found.topics[name].sum() == pytest.approx(part, abs=1e-12)
    by_topic = found.topics[list(found.settings["setting"])].sum(axis=1)
    assert by_topic.to_numpy() == pytest.approx(found.topics["part"].to_numpy(), abs=1e-12)


@pytest.mark.parametrize(("a", "b"), PAIRS[:3])
def test_parts_are_means_over_all_orders_of_change(a: str, b: str) -> None:
    ours, theirs = parse(a), parse(b)
    changes = theirs.changes_from(ours)
    sums = dict.fromkeys(changes, 0.0)
    known: dict[Convention, float] = {}

    def level(how: Convention) -> float:
        return known.setdefault(how, known.get(how) or mean(2, how))

    orders = list(itertools.permutations(changes))
    for order in orders:
        how = ours
        for name in order:
            after = how.but(**{name: changes[name]})
            sums[name] += level(after) - level(how)
            how = after
    table = explained(2, a, b).settings.set_index("setting")
    for name, total in sums.items():
        assert table.loc[name, "part"] == pytest.approx(total / len(orders), abs=1e-12)
        alone = level(ours.but(**{name: changes[name]})) - level(ours)
        assert table.loc[name, "alone"] == pytest.approx(alone, abs=1e-12)


def test_changes_alone_need_not_sum_to_the_difference() -> None:
    # Were the parts the changes alone, the sum would be off: this is what Shapley values mend.
    found = explained(1, "trec_eval-9", "sklearn")
    assert abs(found.settings["alone"].sum() - (found.b - found.a)) > 1e-4


def test_one_setting_has_the_whole_difference() -> None:
    found = explained(1, "ndcgstudy", "ndcgstudy(gain=exponential)")
    (row,) = found.settings.to_dict("records")
    assert [row["part"], row["alone"]] == pytest.approx([found.b - found.a] * 2, abs=1e-12)
    assert (row["a"], row["b"]) == ("linear", "exponential")


def test_equal_conventions_of_two_names_differ_in_nothing() -> None:
    found = explained(1, "mteb", "pytrec_eval")
    assert found.a == found.b
    assert found.settings.empty
    assert found.documents.empty
    assert (found.topics["part"] == 0).all()


def test_topics_come_with_the_largest_part_first() -> None:
    part = explained(1, "trec_eval-9", "xgboost").topics["part"].abs()
    assert part.is_monotonic_decreasing
    assert part.iloc[0] > 0


@pytest.mark.parametrize("text", sorted({text for pair in PAIRS for text in pair}))
@pytest.mark.parametrize("measure", ["nDCG@5", "DCG"])
def test_shares_of_documents_sum_to_the_score(text: str, measure: str) -> None:
    compared = 0
    for seed in (1, 3):
        how = parse(text)
        table = shares(*files(seed), MEASURES.parse(measure), how).frame()
        sums = table.groupby("topic")["share"].sum()
        scores = values(seed, how, measure)
        for topic, value in zip(scores.topics, scores.values[0], strict=True):
            filled = topic not in sums.index or (sums[topic] == 0 and value in (0, 1))
            if not filled and np.isfinite(value):
                assert sums[topic] == pytest.approx(value, abs=1e-12)
                compared += 1
    assert compared > 10


def test_documents_concerned_are_those_that_change() -> None:
    qrels = Judgments.from_dict({"q": {"a": 2, "b": 1, "c": 1}, "same": {"x": 1}})
    run = Rankings.from_dict({"q": {"a": 3.0, "b": 1.0, "hole": 1.0}, "same": {"x": 1.0}})
    found = explain(qrels, run, NDCG, Convention(), parse("ndcgstudy(ties=average)"))
    rows = found.documents.set_index("document")
    assert set(rows.index) == {"b"}  # what is not judged adds nothing wherever it stands
    assert rows.loc["b", ["rank_a", "rank_b"]].tolist() == [3, 2.5]
    condensed = explain(qrels, run, NDCG, Convention(), parse("ndcgstudy(unjudged=condensed)"))
    rows = condensed.documents.set_index("document")
    assert rows.loc["b", ["rank_a", "rank_b"]].tolist() == [3, 2]
    assert rows.loc["b", "share_b"] > rows.loc["b", "share_a"]


def test_other_measures_are_refused() -> None:
    with pytest.raises(ValueError, match="takes nDCG or DCG, not AP"):
        explained(1, "trec_eval-9", "xgboost", "AP")
    with pytest.raises(ValueError, match="for nDCG and DCG, not for RR"):
        tie_intervals(*files(1), MEASURES.parse("RR"))


def test_a_convention_under_which_no_topic_counts_is_refused() -> None:
    qrels, run = Judgments.from_dict({"q": {"a": 0}}), Rankings.from_dict({"q": {"a": 1.0}})
    with pytest.raises(ValueError, match="run: no topic counts under gdeval"):
        explain(qrels, run, NDCG, parse("beir"), parse("gdeval"))


def test_a_real_difference_is_taken_apart(covid: Collection) -> None:
    run = covid.runs[7]
    part = MEASURES.parse("nDCG@10")
    found = explain(covid.judgments, run, part, parse("trec_eval-9"), parse("lightgbm"))
    assert found.settings["part"].sum() == pytest.approx(found.b - found.a, abs=1e-12)
    assert {"gain", "ideal"} <= set(found.settings["setting"])
    assert set(found.documents["topic"]) <= set(found.topics["topic"])


# ties


def all_orders(qrels: Any, run: Any, kind: Any, measure: str) -> list[float]:
    """Score every order of the tied documents of one topic."""
    groups: dict[float, list[str]] = {}
    for doc, value in run.items():
        groups.setdefault(float(np.asarray(value, kind)), []).append(doc)
    each = [itertools.permutations(groups[value]) for value in sorted(groups, reverse=True)]
    scores = []
    for parts in itertools.product(*each):
        order = [doc for part in parts for doc in part]
        ranked = {"q": {doc: -float(i) for i, doc in enumerate(order)}}
        files = Judgments.from_dict({"q": qrels}), Rankings.from_dict(ranked)
        scores.append(float(score(*files, measure).scores[measure].values[0, 0]))
    return scores


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("measure", ["nDCG@3", "nDCG"])
def test_the_interval_is_that_of_all_orders(seed: int, measure: str) -> None:
    rng = np.random.default_rng(seed)
    docs = list("abcdefg")
    qrels = dict(zip(docs[:6], rng.integers(-1, 3, 6).tolist(), strict=True)) | {"z": 1}
    base = rng.integers(0, 3, 7).astype(float) + 1
    scores = base * (1 + rng.integers(0, 2, 7) * rng.choice([1e-9, 1e-5], 7))
    run = dict(zip(docs, scores.tolist(), strict=True))
    files = Judgments.from_dict({"q": qrels}), Rankings.from_dict({"q": run})
    for found in tie_intervals(*files, MEASURES.parse(measure)):
        kind = {64: np.float64, 32: np.float32, 16: np.float16}[found.bits]
        each = all_orders(qrels, run, kind, measure)
        stated = [min(each), np.mean(each), max(each)]
        assert [found.worst, found.expected, found.best] == pytest.approx(stated, abs=1e-12)
        values = [float(np.asarray(s, kind)) for s in scores]
        assert found.rate == pytest.approx(np.mean([values.count(v) > 1 for v in values]))
        assert found.moved == (max(each) - min(each) > 1e-12)


def test_fewer_bits_tie_more_and_widen_the_interval() -> None:
    qrels, run = files(1)
    tables = tie_intervals(qrels, run, NDCG)
    rates = [found.rate for found in tables]
    assert [found.bits for found in tables] == [64, 32, 16]
    assert rates == sorted(rates)
    assert rates[0] < rates[1]
    assert all(f.worst <= f.expected <= f.best for f in tables)
    assert tables[1].best - tables[1].worst > tables[0].best - tables[0].worst > 0


def test_every_score_of_a_tool_lies_in_the_interval() -> None:
    qrels, run = files(2)
    wide = tie_intervals(qrels, run, NDCG)[1]
    for ties in ("trec", "average", "input"):
        value = mean(2, Convention().but(ties=ties))
        assert wide.worst - 1e-12 <= value <= wide.best + 1e-12
    assert wide.expected == pytest.approx(mean(2, Convention().but(ties="average")))


def test_scores_beyond_half_precision_tie() -> None:
    run = Rankings.from_dict({"q": {"a": 1e6, "b": 2e6}})
    found = tie_intervals(Judgments.from_dict({"q": {"a": 1}}), run, NDCG)
    assert [f.rate for f in found] == [0, 0, 1]
    assert found[2].best == 1


def test_a_run_without_ties_has_a_point() -> None:
    run = Rankings.from_dict({"q": {"a": 1.0, "b": 2.0}})
    found = tie_intervals(Judgments.from_dict({"q": {"a": 1}}), run, NDCG, parse("gdeval"))
    assert {(f.worst, f.best, f.rate, f.moved) for f in found} == {(found[0].best,) * 2 + (0, 0)}


def test_real_runs_of_few_bits(covid: Collection) -> None:
    (run,) = [run for run in covid.runs if run.name == "BERT"]
    full, single, half = tie_intervals(covid.judgments, run, MEASURES.parse("nDCG@10"))
    assert full.rate == 0
    assert 0 < single.rate < half.rate == 1
    assert (half.worst, half.moved) == (0, 30)
    assert half.best > 0.5
