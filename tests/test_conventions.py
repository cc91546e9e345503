"""Each named convention against the tool itself, or its published formula, on random and real runs."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import peers
import pytest
from collections_drawn import Nested, drawn
from shared_data import Collection, as_dicts

from ndcgstudy import Evaluation, Policy, read_qrels, read_run, score
from ndcgstudy.conventions import TOOLS, Convention, parse, score_as
from ndcgstudy.conventions.convention import KNOWN, OWN, plain
from ndcgstudy.conventions.tools import HEADER, rows
from ndcgstudy.policies import CHOICES

FIVE_DECIMALS = 5e-6 + 1e-9
THIRTY_TWO_BITS = 1e-5  # a term a document, each off by 2^-24 of a few units
Peer = Callable[[Nested, Nested, int], Any]
PEERS: dict[str, tuple[Peer, float]] = {
    "trec_eval-9": (peers.pytrec_eval, 1e-12),
    "trec_eval-10": (peers.trec_eval_10, 1e-12),
    "pytrec_eval": (peers.pytrec_eval, 1e-12),
    "beir": (peers.beir, FIVE_DECIMALS),
    "mteb": (peers.pytrec_eval, 1e-12),
    "ir_measures": (peers.ir_measures, 1e-12),
    "sklearn": (peers.sklearn, 1e-12),
    "gdeval": (peers.gdeval, FIVE_DECIMALS),
    "lightgbm": (peers.lightgbm, 1e-9),
    "xgboost": (peers.xgboost, THIRTY_TWO_BITS),
    "torchmetrics": (peers.torchmetrics, THIRTY_TWO_BITS),
}


def named(qrels: Nested, run: Nested, name: str, measure: str = "nDCG@5") -> Any:
    """Score a run as a tool does."""
    files = read_qrels(qrels), read_run(run)
    result = score_as(lambda m, p: score(*files, m, p), [measure], parse(name))
    (scores,) = result.scores.values()
    return scores


def check(name: str, qrels: Nested, run: Nested, peer: Peer, within: float, k: int = 5) -> None:
    """Compare with a tool: the same topics count, and each has the same score; or the same mean."""
    scores, theirs = named(qrels, run, name, f"nDCG@{k}"), peer(qrels, run, k)
    if isinstance(theirs, float):
        assert scores.mean() == pytest.approx([theirs], abs=within)
        return
    counted = zip(scores.topics, scores.values[0].tolist(), strict=True)
    ours = {topic: value for topic, value in counted if not math.isnan(value)}
    assert ours == pytest.approx(theirs, abs=within)


def test_every_tool_is_compared() -> None:
    assert {*PEERS, "ranx", "jk2002"} == set(TOOLS)


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_tools_on_random_runs(name: str, seed: int) -> None:
    check(name, *drawn(np.random.default_rng(seed)), *PEERS[name])


@pytest.mark.parametrize("name", PEERS)
@pytest.mark.parametrize("which", ["covid", "deep_learning"])
def test_tools_on_real_runs(name: str, which: str, request: pytest.FixtureRequest) -> None:
    collection: Collection = request.getfixturevalue(which)
    qrels = as_dicts(collection.judgments)
    for run in collection.some(2):
        peer, within = PEERS[name]
        check(name, qrels, as_dicts(run), peer, within, 10)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_boosting_libraries_by_their_formula(kind: Any) -> None:
    name = "lightgbm" if kind is np.float64 else "xgboost"
    for seed in range(5):
        qrels, run = drawn(np.random.default_rng(seed))
        check(name, qrels, run, lambda q, r, k: peers.boosting(q, r, k, kind), 1e-12)


@pytest.mark.slow  # it compiles for half a minute
def test_ranx_on_random_and_real_runs(covid: Collection) -> None:
    for seed in range(3):
        check("ranx", *drawn(np.random.default_rng(seed)), peers.ranx, 1e-12)
    qrels = as_dicts(covid.judgments)
    untied = [r for r in map(as_dicts, covid.some(20)) if all(map(_no_ties, r.values()))]
    assert len(untied) > 2
    for run in untied[:3]:
        check("ranx", qrels, run, peers.ranx, 1e-12, 10)


@pytest.mark.slow  # it compiles for half a minute
@pytest.mark.parametrize(
    ("measure", "theirs"), [("AP", "map"), ("RR", "mrr"), ("P", "precision"), ("R", "recall")]
)
def test_ranx_computes_other_measures_likewise(measure: str, theirs: str) -> None:
    for seed in range(3):
        qrels, run = drawn(np.random.default_rng(seed))
        scores = named(qrels, run, "ranx", f"{measure}@5")
        ours = dict(zip(scores.topics, scores.values[0].tolist(), strict=True))
        assert ours == pytest.approx(peers.ranx(qrels, run, 5, f"{theirs}@5"), abs=1e-12)


@pytest.mark.slow  # it compiles for half a minute
@pytest.mark.parametrize(("measure", "theirs"), [("Bpref", "bpref"), ("RBP(p=0.8)", "rbp.80")])
def test_but_not_those_that_its_remark_names(measure: str, theirs: str) -> None:
    qrels, run = drawn(np.random.default_rng(0))
    scores = named(qrels, run, "ranx", measure)
    ours = dict(zip(scores.topics, scores.values[0].tolist(), strict=True))
    assert ours != pytest.approx(peers.ranx(qrels, run, 5, theirs), abs=0.1)
    assert theirs.partition(".")[0] in TOOLS["ranx"].remark


def _no_ties(docs: dict[str, float]) -> bool:
    return len({*docs.values()}) == len(docs)


def test_the_first_discount() -> None:
    # Järvelin and Kekäläinen: the sums of grades 3 2 3 0 0 1 2 2 3 0 with base 2.
    grades = (3, 2, 3, 0, 0, 1, 2, 2, 3, 0)
    run = {"1": {f"d{i}": -float(i) for i in range(10)}}
    qrels = {"1": {f"d{i}": g for i, g in enumerate(grades)}}
    sums = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    for k, stated in enumerate(sums, start=1):
        value = named(qrels, run, "jk2002", f"DCG@{k}").values[0, 0]
        assert value == pytest.approx(stated, abs=0.005)


@pytest.mark.parametrize(
    ("case", "one", "other"),
    [
        ("64 bits tell apart", "trec_eval-9", "trec_eval-10"),
        ("nothing relevant", "sklearn", "xgboost"),
        ("document is topic", "pytrec_eval", "beir"),
        ("missing topic", "pytrec_eval", "ir_measures"),
    ],
)
def test_what_sets_two_tools_apart(case: str, one: str, other: str) -> None:
    qrels, run = {
        "64 bits tell apart": ({"1": {"a": 1, "z": 0}}, {"1": {"a": 1 + 1e-12, "z": 1.0}}),
        "nothing relevant": ({"1": {"a": 0, "b": 0}}, {"1": {"a": 1.0, "b": 0.5}}),
        "document is topic": ({"1": {"1": 0, "b": 1}}, {"1": {"1": 1.0, "b": 0.5}}),
        "missing topic": ({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}),
    }[case]
    values = [named(qrels, run, name).mean()[0] for name in (one, other)]
    stated = {
        "64 bits tell apart": [1 / np.log2(3), 1.0],
        "nothing relevant": [0.0, 1.0],
        "document is topic": [1 / np.log2(3), 1.0],
        "missing topic": [1.0, 0.5],
    }[case]
    assert values == pytest.approx(stated)


def test_random_runs_tell_every_setting_apart() -> None:
    # A wrong setting in the table of tools could not pass the comparisons above.
    seen = dict.fromkeys(("gain", "discount", *CHOICES, "exclude_self"), False)
    for seed in (1, 2):
        qrels, run = drawn(np.random.default_rng(seed))
        default = named(qrels, run, OWN).values
        others = {
            "gain": "exponential",
            "discount": "jk2002",
            **{k: v[1] for k, v in CHOICES.items() if k != "negative"},
            "exclude_self": "run",
        }
        for name, value in others.items():
            other = named(qrels, run, str(Convention().but(**{name: value}))).values
            seen[name] |= not np.array_equal(default, other, equal_nan=True)
    assert [name for name, apart in seen.items() if not apart] == ["negative"]


# text forms


def conventions() -> list[Convention]:
    """Return the tools' conventions, each alone and with changes."""
    changes: list[dict[str, Any]] = [
        {},
        {"gain": "table(0,1,5)", "discount": "power(beta=0.5)"},
        {"exclude_self": True, "missing": "zero"},
        {"exclude_self": False, "no_relevant": "skip", "precision": "float64"},
    ]
    each = itertools.product(KNOWN.values(), changes)
    return [tool.convention.but(**change) for tool, change in each]


@pytest.mark.parametrize("convention", conventions(), ids=str)
def test_text_reads_back(convention: Convention) -> None:
    assert parse(str(convention)) == convention
    assert parse(convention) is convention


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trec_eval", "unknown convention 'trec_eval'; did you mean 'trec_eval-9'?"),
        ("beir(", "cannot read convention"),
        ("", "cannot read convention"),
        ("beir(ties)", "cannot read 'ties' in convention 'beir(ties)': expected setting=value"),
        ("beir(tie=average)", "unknown setting 'tie'; did you mean 'ties'?"),
        ("beir(ties=mean)", "unknown ties 'mean'"),
        ("beir(gain=lineer)", "did you mean 'linear'"),
        ("beir(exclude_self=yes)", "`exclude_self` must be True, False or 'run', got 'yes'"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        parse(text)
    assert message in str(error.value)


def test_the_table_has_a_line_a_convention() -> None:
    table = list(rows())
    assert [line[0] for line in table] == [OWN, *TOOLS]
    assert {len(line) for line in table} == {len(HEADER)}
    assert all(tool.remark and tool.source for tool in TOOLS.values())


# measures that a convention does not concern


def evaluated(measures: list[str], convention: Convention, **other: Any) -> Evaluation:
    qrels, run = drawn(np.random.default_rng(3))
    files = read_qrels(qrels), read_run(run)
    return score_as(lambda m, p: score(*files, m, p), measures, convention, **other)


def test_a_convention_of_ndcg_leaves_other_measures_as_they_are() -> None:
    result = evaluated(["AP", "nDCG@5", "RR"], parse("lightgbm"), other=Policy(missing="skip"))
    assert list(result.scores) == ["AP", "nDCG(gain=exponential)@5", "RR"]
    alone = evaluated(["AP"], parse("ndcgstudy(missing=skip)"))
    np.testing.assert_array_equal(result.scores["AP"].values, alone.scores["AP"].values)
    assert "lightgbm concerns nDCG alone; AP, RR: " in result.convention
    assert result.convention.startswith("as lightgbm: gain exponential; ")


def test_a_tool_that_computes_all_measures_sets_their_policy() -> None:
    result = evaluated(["AP", "nDCG@5"], parse("trec_eval-10"))
    alone = evaluated(["AP"], Convention().but(precision="float64"))
    np.testing.assert_array_equal(result.scores["AP"].values, alone.scores["AP"].values)
    assert "alone" not in result.convention


def test_gain_and_discount_of_other_measures_stay() -> None:
    result = evaluated(["RBP(p=0.5)"], parse("ndcgstudy(gain=exponential)"))
    assert list(result.scores) == ["RBP(p=0.5)"]


@pytest.mark.parametrize(
    "text", ["nDCG(gain=exponential)@10", "nDCG(linear)", "DCG(discount=zipf)"]
)
def test_a_measure_with_parts_of_its_own_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the convention sets gain and discount"):
        plain(text)
    assert str(plain("nDCG@10")) == "nDCG@10"


# the policies that came with tools


def test_the_ideal_of_the_retrieved() -> None:
    qrels, run = {"q": {"a": 1, "b": 3, "c": 2}}, {"q": {"a": 2.0, "c": 1.0}}
    value = named(qrels, run, "ndcgstudy(ideal=retrieved)").values[0, 0]
    second = 1 / np.log2(3)
    assert value == pytest.approx((1 + 2 * second) / (2 + second))
    assert named(qrels, run, "ndcgstudy(ideal=retrieved)", "nDCG@1").values[0, 0] == 0.5
    recall = score(read_qrels(qrels), read_run(run), "R@5", Policy(ideal="retrieved"))
    assert recall.scores["R@5"].values[0, 0] == pytest.approx(2 / 3)


def test_a_document_left_out_of_the_run_stays_in_the_ideal() -> None:
    qrels, run = {"q": {"q": 2, "a": 1}}, {"q": {"q": 2.0, "a": 1.0}}
    second = 1 / np.log2(3)
    values = [
        named(qrels, run, f"ndcgstudy(exclude_self={how})").values[0, 0]
        for how in ("False", "run", "True")
    ]
    assert values == pytest.approx([1.0, 1 / (2 + second), 1.0])
