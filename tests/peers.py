"""Other tools, each called as its users call it: (qrels, run, k) to the scores of topics, or to a mean."""

import copy
import pickle
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Nested = dict[str, dict[str, float]]
Topics = dict[str, float]
TIME_LIMIT = 60


def whole(qrels: Nested) -> dict[str, dict[str, int]]:
    """Return judgments with Python's whole numbers."""
    return {t: {d: int(g) for d, g in docs.items()} for t, docs in qrels.items()}


def pytrec_eval(qrels: Nested, run: Nested, k: int) -> Topics:
    job = (whole(qrels), run, [f"ndcg_cut.{k}"], False)
    child = [sys.executable, str(Path(__file__).with_name("pytrec_child.py"))]
    done = subprocess.run(
        child, input=pickle.dumps([job]), capture_output=True, check=True, timeout=TIME_LIMIT
    )
    (found,) = pickle.loads(done.stdout)
    return {topic: values[f"ndcg_cut_{k}"] for topic, values in found.items()}


def trec_eval_10(qrels: Nested, run: Nested, k: int) -> Topics:
    """Stand in for trec_eval 10 -c: the code of 9 on scores that 32 bits hold, with -c's zeros."""
    levels = {t: np.unique(list(docs.values())) for t, docs in run.items()}
    exact = {
        t: {d: float(np.searchsorted(levels[t], s)) for d, s in docs.items()}
        for t, docs in run.items()
    }
    return dict.fromkeys(qrels, 0.0) | pytrec_eval(qrels, exact, k)


def beir(qrels: Nested, run: Nested, k: int) -> float:
    evaluation = pytest.importorskip(
        "beir.retrieval.evaluation", reason="no beir, which `make test` brings"
    )
    found = evaluation.EvaluateRetrieval.evaluate(whole(qrels), copy.deepcopy(run), [k])
    return float(found[0][f"NDCG@{k}"])


def ir_measures(qrels: Nested, run: Nested, k: int) -> Topics:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ir_measures as ir

        return {m.query_id: m.value for m in ir.iter_calc([ir.nDCG @ k], whole(qrels), run)}


def gdeval(qrels: Nested, run: Nested, k: int) -> Topics:
    import ir_measures as ir

    script = Path(ir.__file__).with_name("bin") / "gdeval.pl"
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("qrels", "run")]
        paths[0].write_text(
            "".join(f"{t} 0 {d} {int(g)}\n" for t, docs in qrels.items() for d, g in docs.items())
        )
        paths[1].write_text(
            "".join(f"{t} Q0 {d} 1 {s!r} x\n" for t, docs in run.items() for d, s in docs.items())
        )
        command = ["perl", str(script), *map(str, paths), str(k)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    return {topic: float(value) for _, topic, value, _ in rows}


def ranx(qrels: Nested, run: Nested, k: int, measure: str = "") -> Topics:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tool = pytest.importorskip("ranx")
        judged, ranked = tool.Qrels(whole(qrels)), tool.Run(run)
        values = tool.evaluate(
            judged, ranked, measure or f"ndcg@{k}", return_mean=False, make_comparable=True
        )
    return dict(zip(sorted(qrels), map(float, values), strict=True))


def rows(qrels: Nested, run: Nested) -> list[tuple[str, Any, Any]]:
    """Return topic, labels and scores of what was retrieved, as libraries take them."""
    return [
        (t, np.array([max(qrels[t].get(d, 0), 0) for d in docs]), np.array([*docs.values()]))
        for t, docs in run.items()
        if t in qrels and docs
    ]


def sklearn(qrels: Nested, run: Nested, k: int) -> Topics:
    from sklearn.metrics import ndcg_score

    return {t: float(ndcg_score([y], [s], k=k)) for t, y, s in rows(qrels, run)}


def lightgbm(qrels: Nested, run: Nested, k: int) -> float:
    lgb: Any = pytest.importorskip("lightgbm")
    groups = rows(qrels, run)
    labels, scores = (np.concatenate([g[i] for g in groups]) for i in (1, 2))
    data = lgb.Dataset(
        np.arange(labels.size, dtype=float)[:, None],  # it refuses a feature that never varies
        labels,
        group=[len(y) for _, y, _ in groups],
        init_score=scores,
        params={"verbose": -1},
    )
    seen: dict[str, Any] = {}
    parameters = {
        "objective": lambda scores, data: (np.zeros(labels.size), np.ones(labels.size)),
        "metric": "ndcg",
        "eval_at": [k],
        "verbose": -1,
    }
    record = [lgb.record_evaluation(seen)]
    lgb.train(parameters, data, 1, valid_sets=[data], callbacks=record)
    return float(seen["training"][f"ndcg@{k}"][0])


def xgboost(qrels: Nested, run: Nested, k: int) -> float:
    xgb: Any = pytest.importorskip("xgboost")
    groups = rows(qrels, run)
    labels, scores = (np.concatenate([g[i] for g in groups]) for i in (1, 2))
    data = xgb.DMatrix(np.zeros((labels.size, 1)), label=labels, base_margin=scores)
    data.set_group([len(y) for _, y, _ in groups])
    parameters = {"objective": "rank:ndcg", "eval_metric": f"ndcg@{k}", "verbosity": 0}
    booster = xgb.train(parameters, data, num_boost_round=0)
    return float(booster.eval(data).rsplit(":", 1)[1])


def boosting(qrels: Nested, run: Nested, k: int, kind: Any = np.float64) -> Topics:
    """Compute the formula of LightGBM and XGBoost: rows sorted stably, 1 where nothing is relevant."""
    found = {}
    for topic, labels, scores in rows(qrels, run):
        order = np.argsort(-scores.astype(kind), kind="stable")
        gains, weights = 2.0**labels - 1, 1 / np.log2(np.arange(labels.size) + 2)
        weights[k:] = 0
        best = float(np.sort(gains)[::-1] @ weights)
        found[topic] = float(gains[order] @ weights) / best if best else 1.0
    return found


def torchmetrics(qrels: Nested, run: Nested, k: int) -> Topics:
    """Compute the formula of torchmetrics 1.9: tied scores share their discounts, in 32 bits."""
    found = {}
    for topic, labels, scores in rows(qrels, run):
        weights = (1 / np.log2(np.arange(labels.size) + 2)).astype(np.float32)
        weights[k:] = 0
        sums = np.cumsum(weights)
        _, inverse, counts = np.unique(
            -scores.astype(np.float32), return_inverse=True, return_counts=True
        )
        means = np.bincount(inverse, labels) / counts
        ends = np.diff(sums[np.cumsum(counts) - 1], prepend=np.float32(0))
        best = np.sort(labels)[::-1].astype(np.float32) @ weights
        found[topic] = float((means.astype(np.float32) @ ends) / best) if best else 0.0
    return found
