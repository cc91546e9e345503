"""Measures by the names that other tools give them: their meaning, or the nearest that is offered."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import peers
import pytest

from ndcgstudy import Judgments, Rankings, score
from ndcgstudy.conventions import parse, score_as
from ndcgstudy.measures import MEASURES, readings
from ndcgstudy.measures.names import NEAR, STEMS, foreign, several


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg", "nDCG"),
        ("map", "AP"),
        ("map_cut_1000", "AP@1000"),
        ("recip_rank", "RR"),
        ("P_10", "P@10"),
        ("P.5", "P@5"),
        ("recall_100", "R@100"),
        ("bpref", "Bpref"),
        ("NDCG@10", "nDCG@10"),
        ("Recall@100", "R@100"),
        ("MAP@5", "AP@5"),
        ("mrr@10", "RR@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("cosine_ndcg@10", "nDCG@10"),
        ("ndcg_burges@3", "nDCG(gain=exponential)@3"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exponential)@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("MAP(rel=2)", "AP(rel=2)"),
        ("precision@7", "P@7"),
        ("err@20", "ERR@20"),
        ("rbp.80", "RBP(p=0.8)"),
        ("RBP(p=0.8)@5", "RBP(p=0.8)@5"),
        ("nDCG(gain=exponential)@20", "nDCG(gain=exponential)@20"),
        ("R@5", "R@5"),
    ],
)
def test_names_are_read(name: str, ours: str) -> None:
    assert str(MEASURES.parse(name)) == ours
    assert readings([name]) == ([] if name == ours else [readings([name])[0]])
    assert not readings([name]) or readings([name])[0].endswith(f"= {ours}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("success_1", ["success_1 (trec_eval) = Success@1 is not offered", "RR, R"]),
        ("hit_rate@5", ["Success@5 is not offered"]),
        ("Rprec", ["Rprec (trec_eval) is not offered", "nearest: P, AP"]),
        ("infAP", ["not offered", "AP, Bpref"]),
        ("iprec_at_recall_0.10", ["not offered", "P, AP"]),
        ("f1@10", ["not offered", "P, R"]),
        ("Hole@10", ["not offered", "Judged"]),
        ("ndcg_cut", ["needs a cutoff, as ndcg_cut_10"]),
        ("P(judged_only=True)@5", ["judged_only=True is the option --unjudged condensed"]),
        ("ndgc_cut_10", ["ndgc_cut_10"]),
        ("P_x", ["P_x"]),
    ],
)
def test_names_without_a_measure_are_answered(name: str, words: list[str]) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        MEASURES.parse(name)
    assert all(word in str(error.value) for word in words)


def test_every_name_has_a_measure_or_a_nearest_one() -> None:
    known = MEASURES.names()
    for stem, (text, _) in STEMS.items():
        name = foreign(f"{stem}_5", known) or foreign(stem, known)
        assert name is not None, stem
        assert name.measure in known or any(near in known for near in NEAR[name.measure]), text
    assert all(foreign(name, known) is None for name in known)


def test_a_measure_that_someone_adds_is_then_read() -> None:
    name = foreign("success_5", [*MEASURES.names(), "Success"])
    assert name is not None
    assert name.text == "Success@5"
    assert foreign("Success@5", [*MEASURES.names(), "Success"]) is None


NAMES = ["ndcg_cut_5", "ndcg", "map", "map_cut_5", "recip_rank", "P_5", "recall_10", "bpref"]


def test_the_names_of_trec_eval_mean_what_they_mean_there() -> None:
    rng = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(30)]
    qrels = {f"q{t}": {d: int(rng.integers(0, 4)) for d in docs[:20]} for t in range(9)}
    run = {t: {d: float(s) for d, s in zip(docs, rng.permutation(30), strict=True)} for t in qrels}
    child = [sys.executable, str(Path(__file__).with_name("pytrec_child.py"))]
    job = [(peers.whole(qrels), run, NAMES, False)]
    done = subprocess.run(
        child, input=pickle.dumps(job), capture_output=True, check=True, timeout=60
    )
    (theirs,) = pickle.loads(done.stdout)
    result = score(Judgments.from_dict(qrels), Rankings.from_dict(run), NAMES)
    for name, (ours, scores) in zip(NAMES, result.scores.items(), strict=True):
        expected = [theirs[topic][name] for topic in scores.topics]
        assert scores.values[0] == pytest.approx(expected, abs=1e-12), (name, ours)
        assert f"{name} (" in result.convention
        assert f"= {ours}" in result.convention


def test_a_name_is_shown_beside_a_convention_too() -> None:
    files = Judgments.from_dict({"q": {"a": 1}}), Rankings.from_dict({"q": {"a": 1.0}})
    result = score_as(lambda m, p: score(*files, m, p), ["ndcg_cut_5"], parse("trec_eval-9"))
    assert "ndcg_cut_5 (trec_eval) = nDCG@5" in result.convention


def test_several_cutoffs_are_split() -> None:
    assert several("ndcg_cut.5,10") == ["ndcg_cut.5", "ndcg_cut.10"]
    assert several("RBP(p=0.5)@3") == ["RBP(p=0.5)@3"]
