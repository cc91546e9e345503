"""Each policy by a small case worked out by hand, and all of them together against a slow reference."""

import itertools
from typing import Any

import numpy as np
import pytest
import slow_reference
from hypothesis import given, settings
from hypothesis import strategies as st
from small import evaluated, values

from ndcgstudy import Policy
from ndcgstudy.policies import CHOICES

SECOND = 1 / np.log2(3)


QRELS = {"q": {"rel": 1, "non": 0}}
TIES = {"q": {"non": 1.0, "rel": 1.0, "zzz": 1.0}}


@pytest.mark.parametrize(
    ("ties", "value"),
    [
        ("trec", SECOND),  # zzz, rel, non
        ("input", SECOND),  # non, rel, zzz
        ("average", (1 + SECOND + 0.5) / 3),
    ],
)
def test_ties(ties: str, value: float) -> None:
    assert values(QRELS, TIES, ties=ties) == pytest.approx([value], abs=1e-15)


def test_ties_of_the_input_follow_its_order() -> None:
    for order, value in ((("rel", "non"), 1.0), (("non", "rel"), SECOND)):
        assert values(QRELS, {"q": dict.fromkeys(order, 1.0)}, ties="input") == [value]


def test_ties_as_error_are_named() -> None:
    message = "documents non and rel of topic q tie at score 1 in float32"
    with pytest.raises(ValueError, match=message):
        values(QRELS, {"q": {"non": 1.0, "rel": 1.0}}, ties="error")
    near = {"q": {"non": 1.0, "rel": 1.0 + 1e-12}}
    with pytest.raises(ValueError, match="in float32"):
        values(QRELS, near, ties="error")
    assert values(QRELS, near, ties="error", precision="float64") == [1.0]
    assert values(QRELS, {"q": {"rel": 2.0, "non": 1.0}}, ties="error") == [1.0]


def test_ties_with_a_document_that_is_left_out_are_none() -> None:
    run = {"q": {"rel": 1.0, "q": 1.0}}
    assert values(QRELS, run, ties="error", exclude_self=True) == [1.0]


HOLES = {"q": {"hole": 3.0, "non": 2.0, "rel": 1.0}}


@pytest.mark.parametrize(
    ("unjudged", "value"),
    [
        ("nonrelevant", 0.5),
        ("condensed", SECOND),
        ("optimistic", (1 + 0.5) / (1 + SECOND)),  # the hole is relevant, in the ideal too
    ],
)
def test_unjudged(unjudged: str, value: float) -> None:
    assert values(QRELS, HOLES, unjudged=unjudged) == pytest.approx([value], abs=1e-15)


def test_optimistic_grade_is_the_highest_of_the_topic() -> None:
    qrels = {"q": {"rel": 3, "low": 1}, "none": {"non": 0}}
    run = {"q": {"hole": 1.0}, "none": {"hole": 1.0}}
    assert values(qrels, run, "DCG@10", unjudged="optimistic") == [3.0, 0.0]


def test_condensed_list_is_cut_after_it_is_condensed() -> None:
    assert values(QRELS, HOLES, "nDCG@2", unjudged="condensed") == [SECOND]
    assert values(QRELS, HOLES, "nDCG@2", unjudged="nonrelevant") == [0.0]


TWO = {"q": {"rel": 1}, "lost": {"rel": 1}}


@pytest.mark.parametrize(("missing", "value", "mean"), [("zero", 0.0, 0.5), ("skip", np.nan, 1.0)])
def test_missing(missing: str, value: float, mean: float) -> None:
    result = evaluated(TWO, {"q": {"rel": 1.0}, "other": {"rel": 1.0}}, missing=missing)
    scores = result.scores["nDCG@10"]
    np.testing.assert_array_equal(scores.values, [[1.0, value]])
    assert scores.mean().tolist() == [mean]


NONE = {"q": {"rel": 1}, "none": {"non": 0}}


@pytest.mark.parametrize(
    ("no_relevant", "value", "precision"),
    [("zero", 0.0, 0.0), ("one", 1.0, 0.0), ("skip", np.nan, np.nan)],
)
def test_no_relevant(no_relevant: str, value: float, precision: float) -> None:
    # "one" is for 0/0, which precision is not; "skip" leaves the topic out of every mean.
    run = {"q": {"rel": 1.0}, "none": {"non": 1.0}}
    np.testing.assert_array_equal(values(NONE, run, no_relevant=no_relevant), [1.0, value])
    np.testing.assert_array_equal(
        values(NONE, run, "P@1", no_relevant=no_relevant), [1.0, precision]
    )


def test_no_relevant_at_the_level_of_a_measure() -> None:
    qrels, run = {"q": {"low": 1}, "r": {"high": 2}}, {"q": {"low": 1.0}, "r": {"high": 1.0}}
    assert values(qrels, run, "AP(rel=2)") == [0.0, 1.0]
    np.testing.assert_array_equal(
        values(qrels, run, "AP(rel=2)", no_relevant="skip"), [np.nan, 1.0]
    )
    assert values(qrels, run, "AP", no_relevant="skip") == [1.0, 1.0]


def test_topic_that_is_missing_and_without_relevant_documents() -> None:
    expected = {("zero", "one"): 0.0, ("zero", "skip"): np.nan, ("skip", "one"): np.nan}
    for (missing, no_relevant), value in expected.items():
        found = values(NONE, {"q": {"rel": 1.0}}, missing=missing, no_relevant=no_relevant)
        np.testing.assert_array_equal(found, [1.0, value])


SPAM = {"q": {"spam": -2, "non": 0, "rel": 1}}


@pytest.mark.parametrize(
    ("negative", "plain", "condensed", "bpref", "judged"),
    [
        ("zero", SECOND, 1.0, 1.0, 1.0),
        ("unjudged", SECOND, 1.0, 1.0, 0.5),
        ("judged", SECOND, SECOND, 0.0, 1.0),
    ],
)
def test_negative(
    negative: str, plain: float, condensed: float, bpref: float, judged: float
) -> None:
    run = {"q": {"spam": 2.0, "rel": 1.0}}
    assert values(SPAM, run, negative=negative) == [plain]
    assert values(SPAM, run, negative=negative, unjudged="condensed") == [condensed]
    assert values(SPAM, run, "Bpref", negative=negative) == [bpref]
    assert values(SPAM, run, "Judged@2", negative=negative) == [judged]


def test_negative_grades_alone_are_no_relevant_document() -> None:
    for negative in CHOICES["negative"]:
        assert values({"q": {"spam": -1}}, {"q": {"spam": 1.0}}, negative=negative) == [0.0]


def test_ideal() -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}
    assert values(qrels, run, "nDCG@1") == [1.0]
    assert values(qrels, run, "nDCG@1", ideal="all") == pytest.approx([1 / (1 + SECOND)])
    assert values(qrels, run, "nDCG") == values(qrels, run, "nDCG", ideal="all")


def test_precision() -> None:
    run = {"q": {"rel": 0.9222621453752586, "zzz": 0.9222621443752586}}
    assert values(QRELS, run) == [SECOND]
    assert values(QRELS, run, precision="float64") == [1.0]


def test_exclude_self() -> None:
    # The pair leaves the run and the judgments alike.
    qrels, run = {"q": {"q": 2, "rel": 1}}, {"q": {"q": 3.0, "rel": 2.0}}
    assert values(qrels, run, "DCG") == pytest.approx([2 + SECOND])
    assert values(qrels, run, "DCG", exclude_self=True) == [1.0]
    assert values(qrels, run, exclude_self=True) == [1.0]
    assert values(qrels, {"q": {"q": 3.0}}, exclude_self=True, missing="skip") == [0.0]


@pytest.mark.parametrize("name", CHOICES)
def test_unknown_choice_is_named_with_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown {name.replace('_', '-')} 'zerro'") as error:
        Policy(**{name: "zerro"})
    assert str(error.value).endswith(f"known: {', '.join(sorted(CHOICES[name]))}")


def test_all_unknown_choices_are_named_at_once() -> None:
    with pytest.raises(ValueError, match="unknown ties") as error:
        Policy(ties="avg", missing="none")
    assert [line.split(";")[0] for line in str(error.value).splitlines()] == [
        "unknown ties 'avg'",
        "unknown missing 'none'",
    ]


TOPICS = ("1", "2", "x")
DOCS = ("1", "2", "a", "b", "bb", "é")
# Scores whose differences survive in 64 bits alone, in 32 bits, and not at all.
SCORE = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 1e-12, 1.0 + 2e-12, 2.0, -1.0, 1e-50])
GRADE = st.sampled_from([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0, 4.0])
JUDGED = st.dictionaries(st.sampled_from(DOCS), GRADE, min_size=1, max_size=6)
LIST = st.dictionaries(st.sampled_from(DOCS), SCORE, min_size=1, max_size=5)
POLICY = st.fixed_dictionaries(
    {name: st.sampled_from(words[:3]) for name, words in CHOICES.items()}
    | {"exclude_self": st.booleans()}
)


@settings(max_examples=300)
@given(
    st.dictionaries(st.sampled_from(TOPICS), JUDGED, min_size=1),
    st.dictionaries(st.sampled_from(TOPICS), LIST, min_size=1),
    POLICY,
    st.sampled_from([None, 1, 2, 3, 10]),
)
def test_all_policies_equal_the_slow_reference(
    qrels: Any, run: Any, policy: dict[str, Any], cutoff: int | None
) -> None:
    if not set(qrels) & set(run):
        run = run | {next(iter(qrels)): {"a": 1.0}}
    names = [name + (f"@{cutoff}" if cutoff else "") for name in slow_reference.MEASURES]
    result = evaluated(qrels, run, names, **policy)
    for name, text in zip(slow_reference.MEASURES, names, strict=True):
        expected = slow_reference.score(qrels, run, name, cutoff, policy)
        scores = result.scores[text]
        found = dict(zip(scores.topics, scores.values[0].tolist(), strict=True))
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), (text, policy)


SAMPLE_QRELS = {
    "1": {"a": 1.0, "b": 0.0, "1": 2.0, "é": -1.0},
    "2": {"a": 0.0, "b": -1.0},
    "x": {"a": 4.0, "bb": 1.0},
}
SAMPLE_RUN = {
    "1": {"2": 1.0, "a": 1.0 + 1e-12, "1": 1.0, "é": 1.0, "b": -1.0},
    "2": {"b": 2.0, "bb": 2.0},
    "9": {"a": 1.0},
}


def test_every_combination_of_policies_once() -> None:
    names = [*slow_reference.MEASURES]
    for choice in itertools.product(*(words[:3] for words in CHOICES.values()), (False, True)):
        policy = dict(zip((*CHOICES, "exclude_self"), choice, strict=True))
        result = evaluated(SAMPLE_QRELS, SAMPLE_RUN, names, **policy)
        for name in names:
            expected = [
                *slow_reference.score(SAMPLE_QRELS, SAMPLE_RUN, name, None, policy).values()
            ]
            found = result.scores[name].values[0]
            np.testing.assert_allclose(
                found, expected, rtol=0, atol=1e-12, err_msg=f"{name} {policy}"
            )


@pytest.mark.parametrize("policy", [{}, {"ties": "average"}, {"unjudged": "optimistic"}])
def test_topics_are_scored_alike_alone_together_and_in_blocks(
    policy: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    qrels, run = random_collection(rng), random_collection(rng)
    names = [*slow_reference.MEASURES, "nDCG(discount=power(beta=0.5))@3"]
    whole = evaluated(qrels, run, names, **policy).scores
    monkeypatch.setattr("ndcgstudy.ranking.BLOCK", 40)
    blocks = evaluated(qrels, run, names, **policy).scores
    for topic, place in zip(qrels, range(len(qrels)), strict=True):
        one = evaluated({topic: qrels[topic]}, {topic: run[topic]}, names, **policy).scores
        for name in whole:
            assert (
                one[name].values[0, 0]
                == whole[name].values[0, place]
                == blocks[name].values[0, place]
            )


def random_collection(rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Draw grades or scores from 0 to 4 of 1 to 25 documents for each of 30 topics."""
    sizes = rng.integers(1, 26, 30)
    docs = [rng.permutation([f"d{i}" for i in range(30)])[:size].tolist() for size in sizes]
    return {f"t{i}": {d: float(rng.integers(0, 5)) for d in own} for i, own in enumerate(docs)}


def test_the_reference_can_tell() -> None:
    policy = {name: words[0] for name, words in CHOICES.items()} | {"exclude_self": False}
    assert slow_reference.score(QRELS, TIES, "nDCG", 10, policy) == {"q": pytest.approx(SECOND)}
    assert slow_reference.score(QRELS, HOLES, "RR", None, policy) == {"q": pytest.approx(1 / 3)}
