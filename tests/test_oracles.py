"""The numbers of other programs, and those that were published, on the same runs."""

import csv
import gzip
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared_data import Collection, as_dicts

from ndcgstudy import Policy, Rankings, Scores, read_qrels, read_run, score

# Our measure, pytrec_eval's request, pytrec_eval's answer.
PYTREC = [
    ("nDCG@10", "ndcg_cut.10", "ndcg_cut_10"),
    ("nDCG@100", "ndcg_cut.100", "ndcg_cut_100"),
    ("nDCG", "ndcg", "ndcg"),
    ("AP", "map", "map"),
    ("RR", "recip_rank", "recip_rank"),
    ("P@10", "P.10", "P_10"),
    ("R@100", "recall.100", "recall_100"),
    ("Bpref", "bpref", "bpref"),
]
OURS = [ours for ours, _, _ in PYTREC]
TIME_LIMIT = 60


@pytest.fixture(params=["covid", "deep_learning"])
def collection(request: pytest.FixtureRequest) -> Collection:
    """Each of the two collections of real runs."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def pytrec(jobs: list[Any]) -> list[dict[str, dict[str, float]]]:
    """Evaluate jobs with pytrec_eval in another process, within a time limit."""
    child = [sys.executable, str(Path(__file__).with_name("pytrec_child.py"))]
    done = subprocess.run(
        child, input=pickle.dumps(jobs), capture_output=True, check=True, timeout=TIME_LIMIT
    )
    return pickle.loads(done.stdout)  # type: ignore[no-any-return]


def whole(judgments: Any) -> dict[str, dict[str, int]]:
    """Return judgments as pytrec_eval takes them: with Python's whole numbers."""
    return {t: {d: int(g) for d, g in docs.items()} for t, docs in as_dicts(judgments).items()}


def matrix(results: list[dict[str, dict[str, float]]], name: str, topics: Iterable[str]) -> Any:
    """Lay out pytrec_eval's answers (systems, topics), 0 where a topic is missing."""
    topics = list(topics)
    return np.array([[result.get(t, {}).get(name, 0.0) for t in topics] for result in results])


def test_all_real_runs_equal_pytrec_eval(collection: Collection) -> None:
    qrels = whole(collection.judgments)
    asked = [request for _, request, _ in PYTREC]
    found = pytrec([(qrels, as_dicts(run), asked, False) for run in collection.runs])
    result = score(collection.judgments, collection.runs, OURS)
    for ours, _, theirs in PYTREC:
        scores = result.scores[ours]
        expected = matrix(found, theirs, scores.topics)
        np.testing.assert_allclose(scores.values, expected, rtol=0, atol=1e-9, err_msg=ours)
        assert (expected > 0).mean() > 0.5


def test_condensed_lists_equal_pytrec_eval(collection: Collection) -> None:
    runs = collection.some(12)
    asked = [request for _, request, _ in PYTREC]
    found = pytrec([(whole(collection.judgments), as_dicts(run), asked, True) for run in runs])
    result = score(collection.judgments, runs, OURS, Policy(unjudged="condensed"))
    for ours, _, theirs in PYTREC:
        scores = result.scores[ours]
        expected = matrix(found, theirs, scores.topics)
        np.testing.assert_allclose(scores.values, expected, rtol=0, atol=1e-9, err_msg=ours)


def random_topic(rng: np.random.Generator) -> tuple[dict[str, int], dict[str, float]]:
    """Draw judgments with negative grades, and a run with holes, ties, and ties made by rounding."""
    docs = [f"{name}{i}" for i, name in enumerate(rng.permutation(list("abcdefghijklmnop")))]
    judged = rng.permutation(docs)[: rng.integers(1, 14)].tolist()
    lowest, highest = rng.choice([-2, -1, 0]), rng.choice([-1, 1, 3])
    grades = rng.integers(lowest, max(highest, lowest) + 1, len(judged)).tolist()
    retrieved = rng.permutation(docs)[: rng.integers(1, 14)].tolist()
    scores = rng.integers(-3, 4, len(retrieved)) * rng.choice([1.0, 1e-3, 1e30])
    scores = scores * (1 + rng.integers(0, 3, len(retrieved)) * 1e-9)
    return dict(zip(judged, grades, strict=True)), dict(
        zip(retrieved, scores.tolist(), strict=True)
    )


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
def test_random_topics_equal_pytrec_eval(unjudged: str) -> None:
    # One topic a job: after a topic with several grades pytrec_eval hangs on one with negative ones.
    rng = np.random.default_rng(7)
    topics = [random_topic(rng) for _ in range(250)]
    assert sum(max(grades.values()) < 0 for grades, _ in topics) > 10
    condensed = unjudged == "condensed"
    asked = ["ndcg", "ndcg_cut.3", "map", "recip_rank", "P.3", "recall.3", "bpref"]
    found = pytrec([({"t": qrels}, {"t": run}, asked, condensed) for qrels, run in topics])
    ours = ["nDCG", "nDCG@3", "AP", "RR", "P@3", "R@3", "Bpref"]
    for (qrels, run), result in zip(topics, found, strict=True):
        scores = score(
            read_qrels({"t": qrels}), read_run({"t": run}), ours, Policy(unjudged=unjudged)
        )
        values = [float(s.values[0, 0]) for s in scores.scores.values()]
        expected = [result.get("t", {}).get(name.replace(".", "_"), 0.0) for name in asked]
        assert values == pytest.approx(expected, abs=1e-12), (qrels, run)


def rows_of(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return list(csv.DictReader(file))


def test_means_equal_the_official_leaderboard(covid: Collection, data_folder: Path) -> None:
    rows = rows_of(data_folder / "trec_covid_round1" / "leaderboard.csv")
    columns = {"nDCG@10": "ndcg@10", "P@5": "p@5", "RBP(p=0.5,gain=table(0,0.5,1))": "RBP(p=.5)"}
    result = score(covid.judgments, covid.runs, list(columns))
    assert len(rows) == len(covid.runs) == 143
    for measure, column in columns.items():
        scores = result.scores[measure]
        means = dict(zip(scores.systems, scores.mean(), strict=True))
        official = {row["run"]: float(row[column]) for row in rows}
        # Four decimals were published.
        assert means == pytest.approx(official, abs=5e-5 + 1e-9, rel=0), measure


NIST = {
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@20": "ndcg_cut_20",
    "nDCG@100": "ndcg_cut_100",
    "AP": "map",
    "RR": "recip_rank",
    "P@10": "P_10",
    "Bpref": "bpref",
}


def test_topic_scores_equal_those_of_the_track(
    deep_learning: Collection, data_folder: Path
) -> None:
    rows = rows_of(data_folder / "topic_scores" / "trec_dl_2019_2021_passage.csv.gz")
    rows = [row for row in rows if row["year"] == "2021"]
    assert len(rows) == 63 * 53
    result = score(deep_learning.judgments, deep_learning.runs, list(NIST))
    for measure, column in NIST.items():
        scores = result.scores[measure]
        official = {(row["run"], row["qid"]): float(row[column]) for row in rows}
        assert by_pair(scores) == pytest.approx(official, abs=5e-5 + 1e-9, rel=0), measure


def by_pair(scores: Scores) -> dict[tuple[str, str], float]:
    return {
        (system, topic): float(scores.values[i, j])
        for i, system in enumerate(scores.systems)
        for j, topic in enumerate(scores.topics)
    }


def sklearn_ndcg(grades: Any, scores: Any, k: int | None) -> float:
    from sklearn.metrics import ndcg_score

    return float(ndcg_score([grades], [scores], k=k))


@pytest.mark.parametrize("levels", [1, 2, 5, 1000])
def test_average_ties_equal_scikit_learn_on_random_lists(levels: int) -> None:
    rng = np.random.default_rng(levels)
    for _ in range(60):
        size, k = int(rng.integers(2, 30)), rng.choice([1, 5, 10, 100])
        grades, scores = rng.integers(0, 4, size), rng.integers(0, levels, size) / 7
        docs = [f"d{i}" for i in range(size)]
        qrels = {"t": dict(zip(docs, grades.tolist(), strict=True))}
        run = {"t": dict(zip(docs, scores.tolist(), strict=True))}
        policy = Policy(ties="average", precision="float64")
        (found,) = score(read_qrels(qrels), read_run(run), f"nDCG@{k}", policy).scores.values()
        assert found.values[0, 0] == pytest.approx(sklearn_ndcg(grades, scores, int(k)), abs=1e-12)


def test_average_ties_equal_scikit_learn_on_real_runs(collection: Collection) -> None:
    # scikit-learn's ideal holds only what was retrieved, so the judgments are cut down to that.
    qrels = as_dicts(collection.judgments)
    for run in collection.some(6):
        rounded = {t: _rounded(docs) for t, docs in as_dicts(run).items() if t in qrels}
        seen = {t: {d: qrels[t].get(d, 0.0) for d in docs} for t, docs in rounded.items()}
        policy = Policy(ties="average", precision="float64")
        result = score(read_qrels(seen), read_run(rounded), ["nDCG@10", "nDCG@100"], policy)
        for k in (10, 100):
            scores = result.scores[f"nDCG@{k}"]
            for topic, value in zip(scores.topics, scores.values[0], strict=True):
                grades, given = list(seen[topic].values()), list(rounded[topic].values())
                assert value == pytest.approx(sklearn_ndcg(grades, given, k), abs=1e-12)


def _rounded(docs: dict[str, float]) -> dict[str, float]:
    """Round scores to eight levels, so that about every rank ties."""
    low, high = min(docs.values()), max(docs.values())
    return {d: float(np.round(7 * (s - low) / ((high - low) or 1.0))) for d, s in docs.items()}


def ir_measures_scores(
    measures: list[Any], qrels: Any, run: Rankings, topics: Iterable[str]
) -> list[list[float]]:
    """Score one run with ir_measures; a list of topic scores a measure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ir_measures

        found = {
            (m.measure, m.query_id): m.value
            for m in ir_measures.iter_calc(measures, qrels, as_dicts(run))
        }
    return [[found[measure, topic] for topic in topics] for measure in measures]


def test_rbp_equals_ir_measures(collection: Collection) -> None:
    # 40 runs of each collection: cwl_eval takes some 60 ms a run. It compares scores in 64 bits and
    # leaves tied documents as they lie.
    from ir_measures import RBP

    qrels, runs = whole(collection.judgments), collection.some(40)
    policy = Policy(ties="input", precision="float64")
    scores = score(collection.judgments, runs, "RBP(p=0.8)", policy).scores["RBP(p=0.8)"]
    for run, values in zip(runs, scores.values, strict=True):
        (expected,) = ir_measures_scores([RBP(rel=1, p=0.8)], qrels, run, scores.topics)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-9, err_msg=run.name)


def test_err_and_exponential_ndcg_equal_gdeval(collection: Collection) -> None:
    # 20 runs of each collection: gdeval takes some 200 ms a run. It compares scores in 64 bits, breaks
    # ties as trec_eval does, and prints five decimals.
    from ir_measures import ERR, nDCG

    qrels, runs = whole(collection.judgments), collection.some(20)
    ours = ["ERR@20", "nDCG(gain=exponential)@20"]
    result = score(collection.judgments, runs, ours, Policy(precision="float64"))
    topics = result.scores[ours[0]].topics
    for i, run in enumerate(runs):
        found = ir_measures_scores([ERR @ 20, nDCG(dcg="exp-log2") @ 20], qrels, run, topics)
        for name, expected in zip(ours, found, strict=True):
            values = result.scores[name].values[i]
            np.testing.assert_allclose(values, expected, rtol=0, atol=5e-6 + 1e-9, err_msg=run.name)
