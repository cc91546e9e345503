"""Qrels and runs in tables: found by the names of columns, in any order, in any format."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ndcgstudy import Judgments, Rankings, read_qrels, read_run, score
from ndcgstudy.check import check

QRELS = {"q1": {"7": 2, "12": 0, "d3": 1}, "q2": {"7": 1, "d4": 0}}
RUN = {"q1": {"12": 9.5, "7": 8.25, "x": 1.0}, "q2": {"d4": 3.0, "7": 2.0}}
ROWS = [(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()]
RANKED = [(t, d, r, s) for t, docs in RUN.items() for r, (d, s) in enumerate(docs.items(), 1)]
EXPECTED = score(Judgments.from_dict(QRELS), Rankings.from_dict(RUN)).scores["nDCG@10"].values


def grades(judged: Judgments) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {topic: {} for topic in judged.topics}
    for topic, doc, grade in zip(judged.topic, judged.docs.strings(), judged.grade, strict=True):
        found[judged.topics[topic]][doc] = float(grade)
    return found


def written(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def joined(names: list[str], rows: list[tuple[Any, ...]], mark: str) -> str:
    return "\n".join(mark.join(map(str, line)) for line in [names, *rows]) + "\n"


HEADERS = [
    (["query-id", "corpus-id", "score"], (0, 1, 2)),
    (["corpus-id", "query-id", "score"], (1, 0, 2)),
    (["score", "query-id", "corpus-id"], (2, 0, 1)),
    (["relevance", "doc_id", "query_id"], (2, 1, 0)),
    (["qid", "docno", "label"], (0, 1, 2)),
    (["Topic", "Document", "Grade"], (0, 1, 2)),
    (["rel", "qid", "pid"], (2, 0, 1)),
]


@pytest.mark.parametrize("mark", ["\t", ",", ";", " "])
@pytest.mark.parametrize(("header", "order"), HEADERS, ids=lambda x: str(x[0]))
def test_three_columns_in_any_order(
    header: list[str], order: tuple[int, ...], mark: str, tmp_path: Path
) -> None:
    text = joined(header, [tuple(row[role] for role in order) for row in ROWS], mark)
    for ends in ("\n", "\r\n"):
        judged = read_qrels(written(tmp_path / "qrels", "\ufeff" + text.replace("\n", ends)))
        assert grades(judged) == QRELS


FORMS = {
    "csv": lambda f: f.to_csv(index=False).encode(),
    "csv with an index": lambda f: f.to_csv().encode(),
    "tsv": lambda f: f.to_csv(index=False, sep="\t").encode(),
    "gz": lambda f: gzip.compress(f.to_csv(index=False).encode()),
    "json records": lambda f: f.to_json(orient="records").encode(),
    "json columns": lambda f: f.to_json().encode(),
    "json split": lambda f: f.to_json(orient="split").encode(),
    "json lines": lambda f: f.to_json(orient="records", lines=True).encode(),
    "parquet": lambda f: f.to_parquet(index=False),
}
NAMES = [
    ("qid", "docno", "label", "rank", "score"),
    ("query_id", "doc_id", "relevance", "rank", "score"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", NAMES, ids=lambda n: n[0])
def test_frames_in_any_format(form: str, names: tuple[str, ...], tmp_path: Path) -> None:
    topic, doc, grade, rank, value = names
    qrels = pd.DataFrame(ROWS, columns=[topic, doc, grade])
    run = pd.DataFrame(RANKED, columns=[topic, doc, rank, value])
    files = [written(tmp_path / n, FORMS[form](f)) for n, f in (("qrels", qrels), ("run", run))]
    found = score(read_qrels(files[0]), read_run(files[1]))
    np.testing.assert_array_equal(found.scores["nDCG@10"].values, EXPECTED)
    by_place = form == "tsv"  # a header in BEIR's order
    assert any("qrels read as" in note for note in found.notes) == (not by_place)
    assert check(files[0], [files[1]], grades="int") == [
        p for p in check(files[0], [files[1]]) if p.severity == "warning"
    ]


def test_objects_of_objects(tmp_path: Path) -> None:
    qrels, run = (
        {"q1": {"0": 1, "1": 0}, "q2": {"0": 0, "1": 2}},
        {"q1": {"0": 1.5}, "q2": {"1": 2.5}},
    )
    files = [
        written(tmp_path / f"{n}.json", json.dumps(x)) for n, x in (("a", qrels), ("bm25", run))
    ]
    assert grades(read_qrels(files[0])) == qrels
    found = read_run(files[1])
    assert (found.name, found.topics, found.score.tolist()) == ("bm25", ("q1", "q2"), [1.5, 2.5])
    indented = written(tmp_path / "c.json", json.dumps(qrels, indent=1))
    assert grades(read_qrels(indented)) == qrels


def test_lists_of_documents_are_ranked(tmp_path: Path) -> None:
    run = read_run(written(tmp_path / "x.json", json.dumps({"q1": ["b", "a"], "q2": ["c"]})))
    assert run.docs.strings() == ["b", "a", "c"]
    assert run.score.tolist() == [-1.0, -2.0, -1.0]


def test_a_run_of_queries_passages_and_ranks(tmp_path: Path) -> None:
    text = "".join(f"{t}\t{d}\t{r}\n" for t, d, r, _ in RANKED)
    path = written(tmp_path / "dev.run.tsv", text)
    run = read_run(path)
    assert (run.name, run.warnings) == ("dev", ())
    values = score(Judgments.from_dict(QRELS), run).scores["nDCG@10"].values
    np.testing.assert_array_equal(values, EXPECTED)
    zero = written(tmp_path / "zero", "".join(f"{t} {d} {r - 1}\n" for t, d, r, _ in RANKED))
    assert read_run(zero).docs.strings() == run.docs.strings()
    written(tmp_path / "qrels", joined(["qid", "docno", "rel"], ROWS, "\t"))
    assert all(p.severity == "warning" for p in check(tmp_path / "qrels", [path]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 a 95\nq1 b 90\n", "line 1: the ranks of query q1 begin at 90; if these are scores"),
        ("q1 a 1\nq1 b 1.5\n", "line 2: rank '1.5' is not a whole number"),
        ("q1 a 1\nq1 a 2\n", "line 2: duplicate document a"),
        ("q1 a 1\nq1 b 2 3\n", "line 2: expected 3 fields, found 4"),
        ("q1 a x\n", "line 1: expected 6 fields, found 3 (query, passage, rank of MS MARCO"),
        ("qid,docno\nq1,a\n", "expected 6 fields, found 1"),
        ("qid,docno,rank\nq1,a,best\n", "line 2: rank 'best' is not a whole number"),
        ("qid,docno,score\nq1,a,high\n", "line 2: score 'high' is not a number"),
        ("qid,docno,score\nq1,a,\n", "line 2: score '(empty)' is not a number"),
        ("qid,docno,score\nq1,,1\n", "line 2: document '' must be an id"),
        ("qid,docno,score\nq1,a,1\nq1,a,2\n", "line 3: duplicate document a"),
        ("qid,docno,score,run\nq1,a,1,x\nq1,b,1,y\n", "column 'run' names 2 runs (x, y)"),
        ("one,two,three\nq1,a,1\n", "must name a topic (qid, query-id, topic), a document"),
        ('{"q1": {"a": "best"}}', "score 'best' is not a number"),
        ('{"q1": 3}', "expected records, columns or objects in an object"),
        ('{"q1": [["a", 1]]}', "topic 'q1': expected a document, got ['a', 1]"),
        ('{"q1": {"a": 1}, "q1": {"b": 1}}', "is twice in one object"),
        ('{"q1": {"a": 1}', "not JSON"),
    ],
)
def test_runs_that_are_wrong(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        read_run(written(tmp_path / "run", text))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,d1,1\n2,d1,0\n", "must name a topic (qid, query-id, topic), a document"),
        ("query-id,corpus-id,score\n1,d1,high\n", "line 2: grade 'high' is not an integer"),
        ("query-id,corpus-id,score\n1,d1,NaN\n", "line 2: grade 'NaN' is not an integer"),
        ("query-id,corpus-id,score\n1,d1,0.5\n", "line 2: grade '0.5' is not an integer"),
        ("query-id,corpus-id,score\n1,d1,1\n1,d1,0\n", "line 3: duplicate judgement"),
        ("query-id,corpus-id,score\n1,d1\n", "line 2: expected 3 fields, found 2"),
        ("query-id,corpus-id,score\n1,d 1,1\n", "line 2: document 'd 1' must be an id without"),
        ('{"q1": {"a": true}}', "grade 'true' is not an integer"),
        ('{"q1": {"a": null}}', "grade '(empty)' is not an integer"),
    ],
)
def test_qrels_that_are_wrong(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        read_qrels(written(tmp_path / "qrels", text))
    assert message in str(error.value)


def test_lines_without_a_header_are_read_by_place(tmp_path: Path) -> None:
    text = "".join(f"{t},0,{d},{g}\n" for t, d, g in ROWS)
    assert grades(read_qrels(written(tmp_path / "qrels", text))) == QRELS
    text = "".join(f"{t},Q0,{d},{r},{s},me\n" for t, d, r, s in RANKED)
    assert read_run(written(tmp_path / "run", text)).score.tolist() == [s for *_, s in RANKED]


def test_problems_show_the_line_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "qrels", "query-id,corpus-id,score\n1,d1,1\n1,d1,0\n")
    (problem,) = [p for p in check(path) if p.rule == "conflict"]
    assert (problem.line, problem.text, problem.other_text) == (3, "1,d1,0", "1,d1,1")


def test_policies_hold_for_tables_too(tmp_path: Path) -> None:
    path = written(tmp_path / "qrels", "query-id,corpus-id,score\n1,d1,1.5\n1,d1,0\n")
    judged = read_qrels(path, duplicates="max", grades="float")
    assert (judged.grade.tolist(), judged.dropped) == ([1.5], 1)
