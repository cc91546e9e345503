"""Lists as they were shown: graded as `score` grades them, whichever form the answers come in."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_fuzz import refusal
from test_preferences import PAIR, QRELS, RUNS

from ndcgstudy import Judgments, Policy, Rankings, score
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.lists import Lists
from ndcgstudy.policies import CHOICES
from ndcgstudy.ranking import answer_key
from ndcgstudy.shown import show, stacked

MEASURES = [
    "nDCG@3",
    "DCG(gain=exp)",
    "RR@2",
    "P@3",
    "ERR(max_grade=3)@3",
    "AP",
    "Bpref",
    "RBP(p=0.5)",
]
WORDS = ["A", "B", "tie", "tie_good", "r1", "x", "", "1", "0.5", "é", '"', ",", "\n", "null", "NaN"]


def collection(rng):
    """Judgments and runs with unjudged documents, negative grades, tied scores and missing topics."""
    docs = list("abcdefgh")
    qrels = {
        t: {d: int(g) for d, g in zip(docs, rng.integers(-1, 4, 6), strict=False)} for t in "123"
    }
    runs = [
        Rankings.from_dict(
            {t: {d: float(rng.integers(0, 4)) for d in rng.permutation(docs)[:5]} for t in topics},
            name=name,
        )
        for name, topics in (("one", "123"), ("two", "123"), ("three", "12"))
    ]
    return Judgments.from_dict(qrels), runs


@pytest.mark.parametrize("unjudged", CHOICES["unjudged"])
@pytest.mark.parametrize("ideal", CHOICES["ideal"])
@pytest.mark.parametrize("negative", CHOICES["negative"])
def test_differences_are_those_of_scores(tmp_path, unjudged, ideal, negative):
    policy = Policy(ties="input", unjudged=unjudged, ideal=ideal, negative=negative)
    judgments, runs = collection(np.random.default_rng(len(unjudged) + len(negative)))
    names = [run.name for run in runs]
    asked = [(t, a, b) for t in "123" for a in names for b in names if a != b]
    path = tmp_path / "answers.csv"
    path.write_text(
        "topic,run_a,run_b,preference\n" + "".join(f"{t},{a},{b},A\n" for t, a, b in asked)
    )
    found = read_preferences(path, judgments, runs, policy)
    differences = found.differences(MEASURES) * found.preference  # sides may have changed over
    for measure, row in zip(MEASURES, differences, strict=True):
        values = score(judgments, runs, measure, policy).scores[_text(measure)].frame()
        expected = [values.loc[t, a] - values.loc[t, b] for t, a, b in asked]
        assert row == pytest.approx(expected, abs=1e-12), measure


def _text(measure):
    from ndcgstudy import MEASURES as KNOWN

    return str(KNOWN.parse(measure))


def test_pairs_of_lists_with_judgments_are_those_of_runs(tmp_path):
    """One answer told both ways: by the lists themselves, and by the runs that made them."""
    lists = {run.name: {t: [] for t in QRELS.topics} for run in RUNS}
    for run in RUNS:
        shown = show([run], answer_key(QRELS, Policy()), Policy())
        lists[run.name] = dict(zip(QRELS.topics, shown.docs, strict=True))
    pairs, table = tmp_path / "pairs.jsonl", tmp_path / "answers.csv"
    sides = [("t1", "r1", "r2"), ("t2", "r1", "r2"), ("t1", "r2", "r3")]
    records = [
        {"query": t, "A_docs": lists[a][t], "B_docs": lists[b][t], "pref": "A"} for t, a, b in sides
    ]
    pairs.write_text("".join(json.dumps(record) + "\n" for record in records))
    table.write_text(
        "topic,run_a,run_b,preference\n" + "".join(f"{t},{a},{b},A\n" for t, a, b in sides)
    )
    one, two = read_preferences(pairs, QRELS), read_preferences(table, QRELS, RUNS)
    # r3 shows on t1 what r1 does: the first pair with its sides changed over, which stay as shown.
    assert one.preference.tolist() == two.preference.tolist() == [1, 1, 1]
    told = [part.differences(MEASURES) * part.preference for part in (one, two)]
    assert np.allclose(*told)
    assert one.same.tolist() == two.same.tolist()


def test_documents_stand_in_ranked_order_down_to_a_depth():
    key = answer_key(QRELS, Policy())
    assert show(RUNS, key, Policy()).docs[:3] == (("a", "b", "c"), ("c", "a"), ())
    shallow = show(RUNS, key, Policy(), depth=1)
    assert shallow.docs[:3] == (("a",), ("c",), ())
    assert (shallow.seen, shallow.unjudged) == (5, 0)
    assert show(RUNS, key, Policy()).unjudged == 1


def test_stacking_fills_up_to_the_widest():
    one = Lists(np.ones((1, 2, 1)), np.ones((1, 2), int), np.ones((1, 2, 3)), ideal_rule="all")
    two = Lists(np.ones((1, 1, 2)), np.ones((1, 1), int), np.ones((1, 1, 1)), ideal_rule="all")
    found = stacked([one, two])
    assert np.isnan(found.grade).tolist() == [[[False, True], [False, True], [False, False]]]
    assert found.ideal.tolist() == [[[1, 1, 1], [1, 1, 1], [1, -1, -1]]]
    assert found.ideal_rule == "all"


def test_any_table_that_is_right_is_read(tmp_path):
    """What the fuzzing below would miss: it mostly makes tables that are refused."""
    path = tmp_path / "answers.tsv"
    path.write_text('Topic\tRUN_A\tRun_b\tPREFERENCE\n"t1"\tr1\tr2\tTie\n\n')
    assert read_preferences(path, QRELS, iter(RUNS)).preference.tolist() == [0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from([*PAIR, "weight", "A_query", "topic"]), ANYTHING))
@example({"A_docs": [1, 2], "A_grades": [1, 2]})
@example({"weight": float("nan")})
@example({"query": True})
def test_any_record_is_read_or_refused_in_one_line(tmp_path_factory, changes):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps({**PAIR, **changes}))
    message = refusal(read_preferences, path)
    assert "\n" not in (message or "")
    if message is None:
        assert np.isfinite(read_preferences(path).differences(["nDCG@2"])).all()


@given(st.lists(st.lists(st.sampled_from([*WORDS, "t1", "r2", "a", "c"]), max_size=5), max_size=4))
@example([["t1", "r1", "r2", "A"]])
def test_any_table_is_read_or_refused_in_one_line(tmp_path_factory, rows):
    for header in ("topic,run_a,run_b,preference", "topic,doc_a,doc_b,winner"):
        path = tmp_path_factory.getbasetemp() / "any.csv"
        path.write_text("\n".join([header, *(",".join(row) for row in rows)]))
        message = refusal(read_preferences, path, QRELS, RUNS)
        assert "\n" not in (message or "")


def test_preferences_have_answers_and_columns_of_one_length(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{json.dumps(PAIR)}\n{json.dumps({**PAIR, 'query': 'q2'})}\n")
    found = read_preferences(path)
    assert len(found.select(np.array([True, False]))) == 1
    with pytest.raises(ValueError, match="the preferences hold no answer"):
        found.select(np.zeros(2, dtype=bool))
    with pytest.raises(ValueError, match=r"every column must have 2 rows, got \(1,\)"):
        replace(found, weight=np.ones(1))
