"""Every case made after a public bug report: the right value, or the right refusal."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared_data import conformance_path

from ndcgstudy import Evaluation, Judgments, Policy, Rankings, read_qrels, read_run, score
from ndcgstudy.collections import average, score_collections

# What each word of a case means here: (what it is part of, option, value for the case's value).
# A value that is not listed fails, so no word is passed over.
NOTHING = ("nothing", "", None)
WORDS: dict[str, dict[Any, tuple[str, str, Any]]] = {
    "gain": {"linear": NOTHING, "exponential": ("measure", "gain", "exponential")},
    "rel_threshold": {"ignored": NOTHING},
    "denominator": {"retrieved up to k": NOTHING},
    "average": {"macro": NOTHING},
    "run_cut": {2: ("measure", "cutoff", 2)},
    "duplicates": {"first": ("reading", "duplicates", "first")},
    "float_grades": {"allow": ("reading", "grades", "float")},
    "ideal": {"cut at k": ("policy", "ideal", "cut"), "all judged": ("policy", "ideal", "all")},
    "ties": {
        "docid_desc": ("policy", "ties", "trec"),
        "average": ("policy", "ties", "average"),
        "rank": ("policy", "ties", "input"),
    },
    "score_precision": {"float32": ("policy", "precision", "float32")},
    "missing_query": {w: ("policy", "missing", w) for w in ("zero", "skip")},
    "no_relevant": {w: ("policy", "no_relevant", w) for w in ("zero", "one")},
    "negative": {
        "zero_gain": ("policy", "negative", "zero"),
        "judged": ("policy", "negative", "judged"),
    },
    "unjudged": {w: ("policy", "unjudged", w) for w in ("nonrelevant", "condensed", "optimistic")},
    # The run of the case "run only" comes without the pair, which stays among the judgments.
    "exclude_self": dict.fromkeys((False, "run only"), ("policy", "exclude_self", False)),
}
MEASURES = {
    "Judged@3": "Judged@3",
    "RR@10": "RR@10",
    "macro mean of nDCG@10": "nDCG@10",
    "mean nDCG": "nDCG",
    "mean nDCG@10": "nDCG@10",
    "mean nDCG@10 over qrels topics": "nDCG@10",
    "mean nDCG@10 over the intersection": "nDCG@10",
    "nDCG": "nDCG",
    "nDCG'@10": "nDCG@10",
    "nDCG'@10 (condensed list)": "nDCG@10",
    "nDCG, run cut at 2, ideal uncut": "nDCG",
    "nDCG@10": "nDCG@10",
    "nDCG@10 of the list [d1, d1], duplicates credited once": "nDCG@10",
    "nDCG@10 with rel threshold 2": "nDCG@10",
    "nDCG@10, second call": "nDCG@10",
    "nDCG@10, unjudged retrieved = top grade": "nDCG@10",
    "nDCG@20, second call": "nDCG@20",
}
Case = dict[str, Any]
Reader = Callable[..., tuple[Judgments, Rankings]]


def _cases() -> list[Case]:
    path = conformance_path() / "cases.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


CASES = _cases()


def _named(*kinds: str, text: bool = True) -> pytest.MarkDecorator:
    """Parametrise a test by the cases of some kinds; without the file by one, which cannot be tried."""
    chosen = [c for c in CASES if c["kind"] in kinds and (text or not isinstance(c["qrels"], str))]
    params = [pytest.param(c, id=c["id"]) for c in chosen] or [pytest.param({}, id="absent")]
    return pytest.mark.parametrize("case", params)


def options(case: Case) -> dict[str, dict[str, Any]]:
    """Sort the words of a case by what they are part of; an unknown word is an error."""
    found: dict[str, dict[str, Any]] = {"measure": {}, "policy": {}, "reading": {}, "nothing": {}}
    for word, value in case["policy"].items():
        part, option, meaning = WORDS[word][value]
        found[part][option] = meaning
    return found


def measure_of(case: Case) -> str:
    """Return the text of the case's measure."""
    asked, text = options(case)["measure"], MEASURES[case["measure"]]
    name, _, cutoff = text.partition("@")
    cutoff = asked.get("cutoff", cutoff)
    inside = f"(gain={asked['gain']})" if "gain" in asked else ""
    return f"{name}{inside}" + (f"@{cutoff}" if cutoff else "")


def lines_of(case: Case) -> tuple[str, str]:
    """Write a case's qrels and run in TREC's form, or take them as they are if they are text."""
    qrels, run = case["qrels"], case["run"]
    if not isinstance(qrels, str):
        qrels = "".join(f"{t} 0 {d} {g}\n" for t in qrels for d, g in qrels[t].items())
    if "ranking" in case:
        (topic,) = case["run"]
        run = {topic: [(doc, -rank) for rank, doc in enumerate(case["ranking"])]}
    elif not isinstance(run, str):
        run = {topic: list(docs.items()) for topic, docs in run.items()}
    if not isinstance(run, str):
        run = "".join(
            f"{t} Q0 {d} {r} {s!r} tag\n" for t in run for r, (d, s) in enumerate(run[t], start=1)
        )
    return qrels, run


def reader_of_files(case: Case, folder: Path) -> Reader:
    """Write a case out, and return what reads it back."""
    paths = folder / "qrels.txt", folder / "run.txt"
    for path, text in zip(paths, lines_of(case), strict=True):
        path.write_bytes(text.encode())

    def read(duplicates: str = "error", grades: str = "int") -> tuple[Judgments, Rankings]:
        judgments = read_qrels(paths[0], duplicates=duplicates, grades=grades)
        return judgments, read_run(paths[1], duplicates=duplicates)

    return read


def check_values(result: Evaluation, expected: Mapping[str, Any]) -> None:
    """Compare the scores of the one run and measure, and their mean."""
    (scores,) = result.scores.values()
    (values,) = scores.values
    counted = {t: v for t, v in zip(scores.topics, values, strict=True) if not np.isnan(v)}
    assert counted == pytest.approx(expected["per_query"], abs=1e-12)
    assert scores.mean() == pytest.approx([expected["mean"]], abs=1e-12)


def check_case(case: Case, read: Reader) -> None:
    """Read and score a case, and compare the outcome, on a first and a second call."""
    measure, policy = measure_of(case), Policy(**options(case)["policy"])
    if "expected_error" in case:
        with pytest.raises(ValueError, match=re.escape(case["expected_error"])):
            score(*read(**options(case)["reading"]), measure, policy)
        lenient = case.get("lenient_expected")
        if lenient:
            check_values(score(*read("first", "float"), measure, policy), lenient)
        return
    judgments, run = read(**options(case)["reading"])
    for _ in range(2):
        result = score(judgments, run, measure, policy)
        check_values(result, case["expected"])
    flagged = any("non-discriminating" in note for note in result.notes)
    assert flagged or "flag_expected" not in case


@pytest.mark.usefixtures("conformance_folder")
@_named("ndcg", text=False)
def test_case_from_dictionaries(case: Case) -> None:
    def read(grades: str = "int", **_: Any) -> tuple[Judgments, Rankings]:
        return read_qrels(case["qrels"], grades=grades), read_run(case["run"])

    check_case(case, read)


@pytest.mark.usefixtures("conformance_folder")
@_named("ndcg", "parse")
def test_case_from_files(case: Case, tmp_path: Path) -> None:
    check_case(case, reader_of_files(case, tmp_path))


@pytest.mark.usefixtures("conformance_folder")
@_named("aggregate")
def test_case_over_collections(case: Case) -> None:
    assert options(case)["policy"] == {}
    both = {n: (read_qrels(case["qrels"][n]), [read_run(case["run"][n])]) for n in case["qrels"]}
    (scores,) = score_collections(both, measure_of(case)).scores.values()
    for name, mean in case["expected"]["per_collection"].items():
        own = scores.values[0][np.array(scores.datasets) == name]
        assert own.mean() == pytest.approx(mean, abs=1e-12)
    assert average(scores, "macro") == pytest.approx([case["expected"]["mean"]], abs=1e-12)
    assert average(scores, "micro") == pytest.approx([case["micro_mean"]], abs=1e-12)


def test_every_case_is_tried(conformance_folder: Path) -> None:
    assert conformance_folder.joinpath("cases.json").is_file()
    assert len(CASES) >= 51
    assert {c["kind"] for c in CASES} == {"ndcg", "parse", "aggregate"}
    assert len({c["id"] for c in CASES}) == len(CASES)


def test_a_word_that_is_not_known_fails() -> None:
    case = {"policy": {"ties": "random"}, "measure": "nDCG@10"}
    with pytest.raises(KeyError, match="random"):
        options(case)
    with pytest.raises(KeyError, match="moon"):
        options({"policy": {"moon": "full"}})
    with pytest.raises(KeyError, match="XYZ"):
        measure_of({"policy": {}, "measure": "XYZ@10"})


def test_a_wrong_value_fails() -> None:
    case = CASES_BY_HAND | {"expected": {"per_query": {"t1": 0.5}, "mean": 0.5}}

    def read() -> tuple[Judgments, Rankings]:
        return read_qrels(case["qrels"]), read_run(case["run"])

    check_case(CASES_BY_HAND, read)
    with pytest.raises(AssertionError):
        check_case(case, read)


CASES_BY_HAND: Case = {
    "qrels": {"t1": {"a": 1}},
    "run": {"t1": {"a": 1.0}},
    "measure": "nDCG@10",
    "policy": {},
    "expected": {"per_query": {"t1": 1.0}, "mean": 1.0},
}
