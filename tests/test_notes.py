"""What is said beside the numbers: the convention in one line, and what each policy changed, once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small import evaluated

from ndcgstudy import Judgments, Policy, Rankings, read_qrels, read_run, score

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}, "q3": {"b": 1}}
FULL = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"a": 2.0, "b": 1.0}}


def notes(qrels: Any, run: Any, measure: Any = "nDCG@10", **policy: Any) -> list[str]:
    return list(evaluated(qrels, run, measure, **policy).notes)


def test_nothing_is_said_where_nothing_was_changed() -> None:
    assert notes(QRELS, FULL) == []


def test_missing_topics() -> None:
    run = {"q1": FULL["q1"]}
    assert notes(QRELS, run) == ["2 of 3 topics missing from run run, counted as 0"]
    assert notes(QRELS, run, missing="skip") == [
        "2 of 3 topics missing from run run, left out of its mean"
    ]


def test_topics_that_are_not_judged() -> None:
    assert notes(QRELS, FULL | {"q9": {"a": 1.0}}) == ["1 topic of run run not judged, ignored"]


def test_topics_without_a_relevant_document() -> None:
    qrels = QRELS | {"q2": {"a": 0}}
    said = {p: notes(qrels, FULL, no_relevant=p) for p in ("zero", "one", "skip")}
    assert [len(lines) for lines in said.values()] == [1, 1, 1]
    assert said["zero"] == ["1 topic without a relevant document, counted as 0"]
    assert said["one"][0].startswith("1 topic without a relevant document, counted as 1")
    assert said["skip"] == ["1 topic without a relevant document, left out"]


@pytest.mark.parametrize("policy", ["zero", "unjudged", "judged"])
def test_negative_grades(policy: str) -> None:
    (line,) = notes(QRELS | {"q2": {"a": 1, "b": -1, "c": -2}}, FULL, negative=policy)
    assert line.startswith("2 negative grades")
    assert policy in line


@pytest.mark.parametrize(
    ("policy", "words"), [("condensed", "taken out of the list"), ("optimistic", "highest grade")]
)
def test_holes_that_were_filled_or_closed(policy: str, words: str) -> None:
    line = notes(QRELS, FULL, unjudged=policy)[0]
    assert line.startswith("2 unjudged documents of run run ")
    assert words in line


def test_duplicates_that_were_dropped(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("q1 0 a 1\nq1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "r").write_text("q1 Q0 b 1 2 x\nq1 Q0 b 2 1 x\nq1 Q0 a 3 1 x\nq1 Q0 a 3 1 x\n")
    qrels, run = (
        read(tmp_path / n, duplicates="first") for read, n in ((read_qrels, "q"), (read_run, "r"))
    )
    expected = ("1 duplicate judgement dropped", "2 duplicate documents dropped from run x")
    assert score(qrels, run).notes == expected
    assert score(qrels, run, topics=["q1"]).notes == expected


NEAR = 0.9222621453752586


@pytest.mark.parametrize(
    ("scores", "ties"),
    [
        ({"a": NEAR, "b": NEAR - 1e-9}, 1),
        ({"a": NEAR, "b": NEAR}, 0),  # a tie of the run's own
        ({"a": NEAR, "b": NEAR - 1e-9, "c": NEAR - 2e-9}, 2),
        # Two different scores for four documents: one tie is made, however the ids lie.
        ({"a": NEAR, "b": NEAR - 1e-9, "c": NEAR, "d": NEAR - 1e-9}, 1),
        ({"a": NEAR, "b": NEAR, "c": NEAR - 1e-9, "d": NEAR - 1e-9}, 1),
        ({"a": 1e39, "b": 1e300}, 1),
        ({"a": 1e-60, "b": 0.0, "c": -1e-60}, 2),
    ],
)
@pytest.mark.parametrize("policy", ["trec", "input", "average"])
def test_ties_made_by_rounding_are_counted(
    scores: dict[str, float], ties: int, policy: str
) -> None:
    said = notes({"q": {"a": 1, "z": 0}}, {"q": scores}, ties=policy)
    assert [line for line in said if not line.startswith("warning: all scores")] == (
        [f"{ties} tie{'s' * (ties > 1)} made by 32-bit rounding in run run"] if ties else []
    )
    exact = notes({"q": {"a": 1, "z": 0}}, {"q": scores}, precision="float64")
    assert not [line for line in exact if "rounding" in line]


def test_topics_that_tell_no_orders_apart_are_flagged() -> None:
    run = {"q": {"a": 2.0, "b": 1.0}}
    same = {"q": {"a": 1, "b": 1, "c": 1}}
    (line,) = notes(same, run)
    assert line.startswith("1 non-discriminating topic in run run")
    for qrels in (
        {"q": {"a": 1, "b": 1, "c": 0}},
        {"q": {"a": 1, "b": 2}},
        {"q": {"a": 1, "c": 1}},
    ):
        assert notes(qrels, run) == []
    # Beyond the cutoff stands a document of another grade: another order would score otherwise.
    assert notes(same, {"q": {"a": 3.0, "b": 2.0, "z": 1.0}}, "nDCG@2") == []


def test_a_note_that_holds_for_many_runs_is_said_once() -> None:
    runs = [Rankings.from_dict({"q1": FULL["q1"]}, name=f"r{i}") for i in range(9)]
    result = score(Judgments.from_dict(QRELS), runs)
    (line,) = result.notes
    assert line.startswith("2 of 3 topics missing from run r0, counted as 0")
    assert "8 other runs" in line


def test_convention_says_every_choice_once() -> None:
    line = evaluated(QRELS, FULL).convention
    expected = (
        "gain linear; discount log2; ideal judged documents cut at k; ties larger id first; "
        "scores float32; unjudged nonrelevant; missing topics zero; no relevant zero; "
        "topics evaluated 3, missing 0; unjudged share 33.3% of the top 10"
    )
    assert line == expected


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"ties": "average"}, "ties mean over all orders"),
        ({"ties": "input"}, "ties in the order of the input"),
        ({"ties": "error"}, "ties refused"),
        ({"unjudged": "condensed"}, "unjudged condensed"),
        ({"unjudged": "optimistic"}, "unjudged optimistic"),
        ({"missing": "skip"}, "missing topics skip"),
        ({"no_relevant": "one"}, "no relevant one"),
        ({"negative": "judged"}, "negative grades judged"),
        ({"ideal": "all"}, "ideal all judged documents"),
        ({"precision": "float64"}, "scores float64"),
        ({"exclude_self": True}, "document = topic left out"),
    ],
)
def test_convention_says_each_policy(policy: dict[str, Any], words: str) -> None:
    line = evaluated(QRELS, FULL, **policy).convention
    assert words in line.split("; ")
    assert "\n" not in line


def test_convention_names_gains_and_discounts_of_all_measures() -> None:
    line = evaluated(QRELS, FULL, ["nDCG@10", "DCG(gain=exp,discount=zipf)", "AP"]).convention
    assert line.startswith("gain linear, exponential; discount log2, zipf; ")
    assert line.endswith("of all retrieved")
    assert evaluated(QRELS, FULL, "AP").convention.startswith("ideal ")


def test_convention_counts_topics_and_missing_ones() -> None:
    qrels = Judgments.from_dict(QRELS | {"q3": {"b": 0}})
    runs = [
        Rankings.from_dict(FULL, name="all"),
        Rankings.from_dict({"q1": {"a": 1.0}}, name="one"),
    ]
    assert "topics evaluated 3, missing 0 to 2 a run;" in score(qrels, runs).convention
    skipping = score(qrels, runs, policy=Policy(no_relevant="skip")).convention
    assert "topics evaluated 2," in skipping


def test_unjudged_share_is_of_what_is_scored() -> None:
    run = {"q1": {"a": 3.0, "x": 2.0, "y": 1.0}}
    qrels = {"q1": {"a": 1, "z": 0}}
    shares = [
        evaluated(qrels, run, m).convention.rsplit("; ", 1)[1] for m in ("nDCG@1", "nDCG@2", "AP")
    ]
    assert shares == [
        "unjudged share 0.0% of the top 1",
        "unjudged share 50.0% of the top 2",
        "unjudged share 66.7% of all retrieved",
    ]


def chosen(topics: Any, run: Any = None) -> Any:
    return score(Judgments.from_dict(QRELS), Rankings.from_dict(run or FULL), "RR", topics=topics)


def test_topics_are_chosen_in_the_order_asked_for() -> None:
    whole = chosen(None).scores["RR"]
    assert whole.topics == ("q1", "q2", "q3")
    for topics in (["q3", "q1"], ("q3", "q1"), ["q3", "q1", "q3"]):
        some = chosen(topics).scores["RR"]
        assert some.topics == ("q3", "q1")
        np.testing.assert_array_equal(some.values, whole.values[:, [2, 0]])


def test_topics_that_were_not_chosen_are_no_topics_without_judgments() -> None:
    assert chosen(["q1"]).notes == ()
    assert "topics evaluated 1, missing 0" in chosen(["q1"]).convention


def test_run_that_lacks_all_chosen_topics_is_missing_them() -> None:
    result = chosen(["q1", "q2"], {"q3": {"b": 1.0}})
    assert result.scores["RR"].values.tolist() == [[0.0, 0.0]]
    assert result.notes == ("2 of 2 topics missing from run run, counted as 0",)


def test_notes_on_judgments_are_of_the_chosen_topics() -> None:
    qrels = Judgments.from_dict(QRELS | {"q2": {"a": 0, "b": -1}})
    assert score(qrels, Rankings.from_dict(FULL), topics=["q1"]).notes == ()
    assert len(score(qrels, Rankings.from_dict(FULL), topics=["q2"]).notes) == 2


@pytest.mark.parametrize(
    ("topics", "message"),
    [(["q4"], "no judgments for topic 'q4'; known: q1, q2, q3"), ([], "no topic is left to score")],
)
def test_topics_that_cannot_be_chosen(topics: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chosen(topics)


def test_all_runs_that_cannot_be_scored_are_named() -> None:
    runs = [Rankings.from_dict({"t": {"a": 1.0}}, name=n, source=f"{n}.run") for n in "xy"]
    with pytest.raises(ValueError, match=r"x\.run: no topic of the run is in the qrels") as error:
        score(Judgments.from_dict(QRELS), runs)
    assert str(error.value).splitlines()[1] == "y.run: no topic of the run is in the qrels"


def test_what_is_wrong_with_all_runs_alike_is_said_once() -> None:
    qrels = Judgments.from_dict({"q1": {"a": 9}})
    runs = [Rankings.from_dict({"q1": {"a": 1.0}}, name=name) for name in "xyz"]
    with pytest.raises(ValueError, match=r"^ERR takes grades up to 4, got 9$"):
        score(qrels, runs, "ERR")


def test_no_run_is_no_mistake() -> None:
    scores = score(Judgments.from_dict(QRELS), []).scores["nDCG@10"]
    assert scores.values.shape == (0, 3)


def test_scores_know_their_axes() -> None:
    runs = [Rankings.from_dict(FULL, name="x"), Rankings.from_dict({"q2": {"a": 1.0}}, name="y")]
    result = score(Judgments.from_dict(QRELS), iter(runs), ["P@1", "AP"])
    assert list(result.scores) == ["P@1", "AP"]
    scores = result.scores["P@1"]
    assert (scores.systems, scores.topics, scores.measure) == (
        ("x", "y"),
        ("q1", "q2", "q3"),
        "P@1",
    )
    assert scores.values.tolist() == [[0, 0, 0], [0, 1, 0]]
    with pytest.raises(ValueError, match="read-only"):
        scores.values[0, 0] = 1


def test_runs_of_one_name_are_called_by_their_files() -> None:
    qrels = Judgments.from_dict(QRELS)
    runs = [Rankings.from_dict(FULL, name="x", source=f"{folder}/run") for folder in "ab"]
    assert score(qrels, runs).scores["nDCG@10"].systems == ("a/run", "b/run")
    with pytest.raises(ValueError, match="two runs are named"):
        score(qrels, [runs[0], runs[0]])


def test_inputs_stay_as_they_were() -> None:
    qrels, run = Judgments.from_dict(QRELS), Rankings.from_dict(FULL)
    before = [*map(np.copy, (qrels.topic, qrels.grade, run.topic, run.score))]
    every = Policy("average", "optimistic", negative="judged", exclude_self=True)
    one, again = (score(qrels, run, ["nDCG@2", "Bpref"], every) for _ in range(2))
    for a, b in zip(before, (qrels.topic, qrels.grade, run.topic, run.score), strict=True):
        np.testing.assert_array_equal(a, b)
    for text, scores in one.scores.items():
        np.testing.assert_array_equal(scores.values, again.scores[text].values)
