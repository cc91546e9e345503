"""The flip budget against exhaustive search, and the share of assignments that turn an order."""

from itertools import product

import numpy as np
import pytest
from hole_cases import Case, cases
from hypothesis import given
from hypothesis import strategies as st
from shared_data import as_dicts

from ndcgstudy import Judgments, score
from ndcgstudy.holes import flip_budget, flip_share, gap_bounds, lay_out
from ndcgstudy.holes.flips import TIE, _knapsack

WIN = Case({"q": {"a": 1, "b": 1}}, ({"q": "ab"}, {"q": "xya"}), "nDCG", max_grade=1)
SAFE = Case({"q": {"a": 2, "b": 2}}, ({"q": "ab"}, {"q": "xa"}), "nDCG@2", max_grade=1)


def by_count(case, topic):
    """The lowest gap of s0 - s1 on a topic by the number of documents judged above 0."""
    given, found = case.every(topic, case.stake(topic, [0, 1]))
    used, gap = np.count_nonzero(given, axis=1), found[0] - found[1]
    return [gap[used == n].min() for n in range(given.shape[1] + 1)]


def fewest(case, sign):
    """Try all numbers of documents on all topics; `sign` is 1 if s0 leads, else -1."""
    flipped = (
        case if sign > 0 else Case(case.qrels, case.runs[::-1], *list(vars(case).values())[2:])
    )
    gaps = [by_count(flipped, topic) for topic in case.qrels]
    tries = product(*(range(len(gap)) for gap in gaps))
    turned = [
        sum(counts)
        for counts in tries
        if np.mean([gap[n] for gap, n in zip(gaps, counts, strict=True)]) < -TIE
    ]
    return min(turned, default=None)


def rescored(case, documents):
    """The means after judging documents."""
    qrels = {topic: dict(grades) for topic, grades in case.qrels.items()}
    for judged in documents:
        assert judged.doc not in qrels[judged.topic]
        qrels[judged.topic][judged.doc] = judged.grade
    found = score(Judgments.from_dict(qrels), case.rankings, case.measure, case.policy)
    return next(iter(found.scores.values())).mean()


@given(cases(systems=2, topics=2))
def test_the_budget_is_the_fewest_by_exhaustive_search(case):
    found = flip_budget(case.tops(), "s0", "s1")
    means = case.tops().scores.mean(axis=1)
    if abs(means[0] - means[1]) <= TIE:
        assert (found.verdict, found.fewest) == ("tied", None)
        return
    assert found.leader == ("s0" if means[0] > means[1] else "s1")
    assert found.fewest == fewest(case, 1 if found.leader == "s0" else -1)


@given(cases(systems=2, topics=3))
def test_the_documents_named_turn_the_order_and_all_are_needed(case):
    found = flip_budget(case.tops(), "s0", "s1")
    if found.verdict != "fragile":
        return
    lead, other = (int(name[1]) for name in (found.leader, found.other))
    means = rescored(case, found.documents)
    assert means[other] > means[lead]
    assert all(0 < judged.grade <= case.max_grade for judged in found.documents)
    for judged in found.documents:
        rest = [d for d in found.documents if d is not judged]
        means = rescored(case, rest)
        assert means[other] <= means[lead] + 2 * TIE
        for system, rank in ((lead, judged.leader_rank), (other, judged.other_rank)):
            docs = list(case.runs[system].get(judged.topic, ()))
            assert rank == 0 or docs[rank - 1] == judged.doc


@given(cases(systems=2))
def test_the_least_gap_is_the_bound_and_safe_means_it_does_not_turn(case):
    tops = case.tops()
    found, bounds = flip_budget(tops, "s0", "s1"), gap_bounds(tops)
    a, b = (int(name[1]) for name in (found.leader, found.other))
    assert found.least == pytest.approx(bounds.low[a, b], abs=1e-12)
    assert found.gap == bounds.value[a, b]
    if found.verdict != "tied":
        assert (found.verdict == "safe") == (bounds.low[a, b] >= -TIE)


def test_the_order_of_the_names_does_not_matter():
    tops = WIN.tops()
    assert flip_budget(tops, "s0", "s1") == flip_budget(tops, "s1", "s0")


def test_verdicts_in_words():
    assert str(flip_budget(WIN.tops(), "s0", "s1")).endswith(
        "whatever the 2 unjudged documents are: fragile, 2 of them can turn it"
    )
    assert str(flip_budget(SAFE.tops(), "s0", "s1")).endswith("unjudged documents are: safe")
    tie = Case({"q": {"a": 1}}, ({"q": "xa"}, {"q": "ya"}))
    assert str(flip_budget(tie.tops(), "s0", "s1")).endswith("gap 0.0000, tied")


GAINS = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4), min_size=1, max_size=4)


@given(GAINS, st.integers(0, 20))
def test_the_knapsack_spends_the_fewest(gains, needed):
    rising = [np.append(0.0, np.maximum.accumulate(gain)) for gain in gains]
    spent = _knapsack(rising, needed)
    tries = [
        sum(counts)
        for counts in product(*(range(len(gain)) for gain in rising))
        if sum(gain[n] for gain, n in zip(rising, counts, strict=True)) > needed
    ]
    assert (spent is None) == (not tries)
    if spent:
        assert sum(spent) == min(tries)
        assert sum(gain[n] for gain, n in zip(rising, spent, strict=True)) > needed


def test_taking_the_best_next_document_is_not_the_fewest():
    gains = [np.array([0, 1, 1.5]), np.array([0.0, 0, 5])]
    spent, reached = [0, 0], 0.0
    while reached <= 4:  # greedy
        more = [
            g[n + 1] - g[n] if n + 1 < g.size else -1 for g, n in zip(gains, spent, strict=True)
        ]
        spent[int(np.argmax(more))] += 1
        reached += max(more)
    assert sum(spent) > sum(_knapsack(gains, 4))


def exact_share(case, chance):
    """The share of assignments of one topic that put s1 ahead, grades drawn with a chance each."""
    given, found = case.every("q", case.stake("q", [0, 1]))
    weight = np.prod(np.asarray(chance)[given.astype(int)], axis=1)
    return weight[found[0] - found[1] < -TIE].sum()


GRADED = Case(
    {"q": {"a": 2, "b": 1, "c": 0}}, ({"q": "abcz"}, {"q": "xyaz"}), "nDCG@4", max_grade=2
)
STEEP = Case(GRADED.qrels, GRADED.runs, "nDCG(gain=binary(threshold=2))@4", max_grade=2)


@pytest.mark.parametrize("case", [GRADED, STEEP])
def test_the_uniform_share_is_that_of_all_assignments(case):
    rng = np.random.default_rng(5)
    found = flip_share(case.tops(), "s0", "s1", draws=20_000, rng=rng)
    assert abs(found.value - exact_share(case, [1 / 3] * 3)) < 4 * found.error


def test_grades_not_gains_are_equally_likely():
    """Under a binary gain two of the three grades have no gain."""
    found = flip_share(STEEP.tops(), "s0", "s1", draws=20_000, rng=np.random.default_rng(5))
    assert abs(found.value - exact_share(STEEP, [1 / 2, 0, 1 / 2])) > 4 * found.error


def test_the_rates_are_those_of_the_judged_at_the_rank():
    """The hole is at rank 2 of s1; there s0 and s2 have documents of grades 0 and 1."""
    qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0}}
    case = Case(qrels, ({"q": "cda"}, {"q": "cxd"}, {"q": "cab"}), "DCG@3", max_grade=2)
    rng = np.random.default_rng(5)
    rates = flip_share(case.tops(), "s0", "s1", "rates", draws=20_000, rng=rng)
    uniform = flip_share(case.tops(), "s0", "s1", "uniform", draws=20_000, rng=rng)
    assert abs(rates.value - 1 / 2) < 4 * rates.error
    assert abs(uniform.value - 2 / 3) < 4 * uniform.error
    assert abs(rates.value - 2 / 3) > 4 * rates.error


def test_the_rate_of_a_document_with_two_ranks_is_the_mean():
    """x stands at rank 1 in s0 (no judged document there but grade 1) and at rank 3 in s1 (grade 0)."""
    case = Case(
        {"q": {"a": 1, "b": 0, "c": 0}},
        ({"q": "xbc"}, {"q": "abx"}, {"q": "abc"}),
        "DCG@3",
        max_grade=1,
    )
    found = flip_share(case.tops(), "s0", "s1", "rates", draws=20_000, rng=np.random.default_rng(5))
    assert found.value == 0  # x relevant: s0 draws level at 1 against 1.5
    assert flip_budget(case.tops(), "s1", "s0").verdict == "safe"


def test_a_safe_pair_is_never_turned_and_a_tie_has_no_order():
    rng = np.random.default_rng(1)
    assert flip_share(SAFE.tops(), "s0", "s1", draws=1000, rng=rng).value == 0
    tie = Case({"q": {"a": 1}}, ({"q": "xa"}, {"q": "ya"}))
    assert flip_share(tie.tops(), "s0", "s1", draws=1000, rng=rng).value == 0


def test_real_neighbours_are_fragile_and_their_documents_turn_them(covid):
    runs = covid.some(20)
    tops = lay_out(covid.judgments, runs)
    order = np.argsort(-tops.scores.mean(axis=1))
    first, second = (tops.systems[i] for i in order[5:7])
    found = flip_budget(tops, first, second)
    assert found.verdict == "fragile"
    share = flip_share(tops, first, second, "rates", draws=2000, rng=np.random.default_rng(1))
    assert 0 < share.value < 1
    qrels = as_dicts(covid.judgments)
    for judged in found.documents:
        assert judged.doc not in qrels[judged.topic]
        qrels[judged.topic][judged.doc] = judged.grade
    scores = score(Judgments.from_dict(qrels), runs).scores["nDCG@10"]
    means = dict(zip(scores.systems, scores.mean(), strict=True))
    assert means[found.other] > means[found.leader]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: flip_budget(t, "s0", "s3"), "unknown system 's3'; known: s0, s1"),
        (lambda t: flip_budget(t, "s0", "s0"), "must be two systems, got 's0' twice"),
        (
            lambda t: flip_share(t, "s0", "s1", "rate", draws=1, rng=np.random.default_rng()),
            "unknown model 'rate'; did you mean 'rates'",
        ),
        (
            lambda t: flip_share(t, "s0", "s1", draws=0, rng=np.random.default_rng()),
            "`draws` must be a whole number at least 1",
        ),
    ],
)
def test_bad_parameters_are_told(call, message):
    with pytest.raises(ValueError, match=message):
        call(WIN.tops())


def test_rates_need_a_judged_document():
    case = Case({"q": {"a": 1}}, ({"q": "x"}, {"q": "y"}))
    with pytest.raises(ValueError, match="no document in the tops is judged"):
        flip_share(case.tops(), "s0", "s1", "rates", draws=10, rng=np.random.default_rng(1))
