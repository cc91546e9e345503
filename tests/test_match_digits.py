"""Numbers as programs print them: all digits, percentages, names, several at once; other averages."""

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import peers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ndcgstudy import Judgments, Rankings, score
from ndcgstudy.conventions import parse, score_as
from ndcgstudy.conventions.matching import Found, match
from ndcgstudy.conventions.reporting import named, reported

Nested = dict[str, dict[str, float]]


def drawn(seed: int, topics: int = 7, depth: int = 12) -> tuple[Nested, Nested]:
    """Return judgments and a run in which every document is judged and no score is tied."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"{t}": {f"d{j}": float(rng.integers(0, 4)) for j in range(depth)} | {"top": 1.0}
        for t in range(topics)
    }
    run = {t: {d: float(s) for d, s in zip(ds, rng.permutation(depth + 1), strict=True)}
           for t, ds in qrels.items()}  # fmt: skip
    return qrels, run


def found(text: str, qrels: Any, run: Any, measure: str = "nDCG@10") -> Found:
    return match(Judgments.from_dict(qrels), Rankings.from_dict(run), reported(text, measure))


def mean(values: Any) -> Any:
    return np.mean([*values.values()]) if isinstance(values, dict) else values


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tool", ["pytrec_eval", "sklearn", "lightgbm", "xgboost"])
def test_all_digits_that_a_tool_prints_are_matched(tool: str, seed: int) -> None:
    qrels, run = drawn(seed, depth=25)
    value = mean(getattr(peers, tool)(qrels, run, 10))
    texts = {f"{float(value)!r}", f"{np.float64(value)!r}", f"{value:.17g}", f"{value:.14f}"}
    texts |= {f"{value:.17e}", f"{100 * value:.12f}%", f"{100 * value:.3f}", f"{value:.4f}"}
    for text in texts:
        result = found(text, qrels, run)
        assert any(tool in one.tools for one in result.matches), text
        if "e" in text or len(text) > 16:
            assert result.chance < 1e-6
            assert len(result.matches) == 1


def test_a_number_off_by_a_digit_is_not_matched() -> None:
    qrels, run = drawn(1)
    value = f"{mean(peers.pytrec_eval(qrels, run, 10)):.10f}"
    wrong = f"{value[:-1]}{(int(value[-1]) + 5) % 10}"
    assert found(value, qrels, run).matches
    assert not found(wrong, qrels, run).matches


@pytest.mark.parametrize("text", ["{0}", "np.float32({0})", "tensor({0})", "{1!r}"])
def test_a_number_of_32_bits_is_matched(text: str) -> None:
    qrels, run = drawn(2)
    value = mean(peers.sklearn(qrels, run, 10))
    short = np.float32(value)
    assert found(text.format(short, float(short)), qrels, run).matches[0].tools
    near = np.nextafter(np.nextafter(short, np.float32(1)), np.float32(1))
    far = np.float32(value + 1e-5)
    assert found(text.format(near, float(near)), qrels, run).matches[0].how == ("float32",)
    assert not found(text.format(far, float(far)), qrels, run).matches


@given(st.floats(0.001, 0.999), st.integers(1, 17))
def test_every_score_is_met_as_it_is_printed(value: float, digits: int) -> None:
    for text in (f"{value:.{digits}f}", f"{100 * value:.{max(digits - 2, 0)}f}%", repr(value)):
        assert reported(text)[0].how(value), text


@given(st.floats(0.001, 0.999), st.integers(1, 9), st.floats(1.01, 9))
def test_no_score_is_met_that_is_printed_otherwise(value: float, digits: int, off: float) -> None:
    number = reported(f"{value:.{digits}f}")[0]
    if not number.single:
        for side in (-1, 1):
            assert number.how(float(number.value) + side * off * float(number.unit)) == ""


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("np.float64(0.42)", [("", "0.42")]),
        ("tensor(0.42, dtype=torch.float64)", [("", "0.42")]),
        ("{'ndcg_cut_10': 0.42, 'map': np.float64(0.31)}", [("ndcg_cut_10", "0.42"), ("map", "0.31")]),
        ('{"NDCG@10": 0.42}', [("NDCG@10", "0.42")]),
        ("[7]\ttrain-ndcg@5:0.4\teval-ndcg@10:0.42", [("ndcg@5", "0.4"), ("ndcg@10", "0.42")]),
        ("valid_0's ndcg@10: 0.42", [("ndcg@10", "0.42")]),
        ("map  \tall\t0.31\nP_10  \tall\t0.2", [("map", "0.31"), ("P_10", "0.2")]),
        ("nDCG@10=0.42 nDCG@20=0.43", [("nDCG@10", "0.42"), ("nDCG@20", "0.43")]),
        ("P(rel=2)@10 = .5; AP: 31.0 %", [("P(rel=2)@10", ".5"), ("AP", "31.0 %")]),
        ("4.2e-01", [("", "4.2e-01")]),
        ("(0.42, 0.43)", [("", "0.42"), ("", "0.43")]),
    ],
)  # fmt: skip
def test_numbers_as_they_are_pasted(text: str, numbers: list[tuple[str, str]]) -> None:
    assert named(text) == numbers
    assert len(reported(text)) == len(numbers)


# other ideals and averages, against sums written out


def dcg(grades: list[float], k: int) -> float:
    return sum(g / np.log2(r + 2) for r, g in enumerate(grades[:k]))


def by_hand(qrels: Nested, run: Nested, k: int, ideal: str) -> dict[str, tuple[float, float]]:
    """Return DCG and ideal DCG of each topic of the run."""
    sums = {}
    for topic, docs in run.items():
        judged = qrels.get(topic, {})
        grades = [judged.get(d, 0.0) for d in sorted(docs, key=lambda d: -docs[d])]
        best = {
            "cut": sorted(judged.values(), reverse=True)[:k],
            "top": sorted(grades[:k], reverse=True),
            "hits": sorted(judged.values(), reverse=True)[: min(k, len(docs))],
        }[ideal]
        sums[topic] = dcg(grades, k), dcg(best, len(best))
    return sums


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("ideal", "average"),
    [*itertools.product(["cut", "top", "hits"], ["topics", "pooled", "union"])],
)
def test_other_ideals_and_averages(seed: int, ideal: str, average: str) -> None:
    rng = np.random.default_rng(seed)
    qrels, run = drawn(seed)
    run = {
        t: dict(sorted(d.items(), key=lambda x: -x[1])[: rng.integers(2, 14)])
        for t, d in run.items()
    }
    run |= {"strange": {"d1": 1.0}, "stranger": {"d1": 1.0}}
    del run["3"]
    sums = by_hand(qrels, run, 5, ideal)
    judged = [pair for topic, pair in sums.items() if topic in qrels]
    each = [d / i if i else 0.0 for d, i in judged]
    value = {
        "topics": sum(each) / len(each),
        "union": sum(each) / len(sums),
        "pooled": sum(d for d, _ in judged) / sum(i for _, i in judged),
    }[average]
    how = parse(f"ndcgstudy(missing=skip,ideal={ideal},average={average})")
    (one,) = found(f"{value!r}", qrels, run, "nDCG@5").matches
    assert one.convention is not None
    assert one.convention.policy.ideal == ideal
    assert one.convention.average == average
    files = Judgments.from_dict(qrels), Rankings.from_dict(run)
    again = score_as(lambda m, p: score(*files, m, p), ["nDCG@5"], how)
    (scores,) = again.scores.values()
    assert float(scores.mean()[0]) == pytest.approx(value, abs=1e-12)


def test_a_pooled_ratio_counts_the_ideal_of_topics_that_are_missing() -> None:
    qrels, run = {"a": {"x": 2.0}, "b": {"y": 2.0}}, {"a": {"x": 1.0}}
    assert found("0.5000", qrels, run).matches[-1].convention is not None
    for missing, value in (("zero", 0.5), ("skip", 1.0)):
        how = parse(f"ndcgstudy(missing={missing},average=pooled)")
        files = Judgments.from_dict(qrels), Rankings.from_dict(run)
        again = score_as(lambda m, p: score(*files, m, p), ["nDCG@10"], how)  # noqa: B023
        assert next(iter(again.scores.values())).mean().tolist() == [value]


def test_the_top_needs_one_order() -> None:
    with pytest.raises(ValueError, match="ideal top needs one order of the documents"):
        parse("ndcgstudy(ideal=top,ties=average)")
    with pytest.raises(ValueError, match=r"unknown average 'poled'; did you mean 'pooled'\?"):
        parse("ndcgstudy(average=poled)")


# several numbers


def test_each_of_several_numbers_names_its_conventions() -> None:
    qrels, run = drawn(3)
    linear = mean(peers.pytrec_eval(qrels, run, 10))
    exponential = peers.xgboost(qrels, run, 5)
    result = found(f"nDCG@10={linear:.6f},nDCG@5={exponential:.6f}", qrels, run)
    assert not result.matches
    assert "trec_eval-9" in result.alone(0)[0].tools
    assert "xgboost" in result.alone(1)[0].tools
    assert all(sum(map(bool, miss.how)) == 1 for miss in result.misses[:2])


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ndcgstudy", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_line_takes_what_people_paste(tmp_path: Path) -> None:
    qrels, run = drawn(4)
    lines = [f"{t} 0 {d} {g:g}" for t, docs in qrels.items() for d, g in docs.items()]
    (tmp_path / "qrels").write_text("\n".join(lines))
    lines = [f"{t} Q0 {d} 1 {s} x" for t, docs in run.items() for d, s in docs.items()]
    (tmp_path / "run").write_text("\n".join(lines))
    value = np.float64(mean(peers.pytrec_eval(qrels, run, 10)))
    pasted = f"{{'ndcg_cut_10': {value!r}}}"
    done = call(tmp_path, "match", "qrels", "run", "--reported", pasted, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "pytrec_eval" in json.loads(done.stdout)[0]["tools"]
    both = f"{100 * value:.2f},nDCG@5=0.0001"
    done = call(tmp_path, "match", "qrels", "run", "--reported", both, "--format", "json")
    assert done.returncode == 1
    assert "was given as a percentage" in done.stderr
    assert "matches under trec_eval-9" in done.stderr
    assert "nDCG@5=0.0001 matches under none" in done.stderr
    assert json.loads(done.stdout)[0]["match"] == "only nDCG@10 rounded"
