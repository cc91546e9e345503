"""People's preferences: the three forms in which they are read, and all that is refused."""

import gzip
import json

import music
import numpy as np
import pytest

from ndcgstudy import Judgments, Policy, Rankings, score
from ndcgstudy.formats.answers import read_word
from ndcgstudy.formats.preferences import read_preferences

PAIR = {
    "query": "q1",
    "A_docs": ["a", "b"],
    "B_docs": ["b", "c"],
    "A_grades": [2, 0],
    "B_grades": [0, 1],
    "pref": "A",
    "dataset": "x",
    "fine": [1, 2],
}
QRELS = Judgments.from_dict(
    {"t1": {"a": 2, "b": 1, "c": 0}, "t2": {"a": 0, "b": 1, "c": 1}, "t3": {"a": 1}}
)
RUNS = [
    Rankings.from_dict({"t1": {"a": 3, "b": 2, "c": 1}, "t2": {"c": 2, "a": 1}}, name="r1"),
    Rankings.from_dict({"t1": {"c": 3, "b": 2, "a": 1}, "t2": {"b": 2, "z": 1}}, name="r2"),
    Rankings.from_dict({"t1": {"a": 3, "b": 2, "c": 1}}, name="r3"),
]


@pytest.fixture
def lines(tmp_path):
    """Write records of list pairs, each as the example but for what is given."""

    def write(*changes):
        path = tmp_path / "pairs.jsonl"
        records = [{k: v for k, v in {**PAIR, **c}.items() if v is not ...} for c in changes]
        path.write_text("\n".join(json.dumps(record) for record in records) + "\n")
        return path

    return write


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "answers.csv"
        path.write_text(text)
        return path

    return write


def test_a_pair_of_lists_is_graded_by_its_own_documents(lines):
    found = read_preferences(lines({}, {"query": "q2", "pref": "B"}))
    assert found.topics == ("q1", "q2")
    assert found.preference.tolist() == [1, -1]
    ideal = 2 + 1 / np.log2(3)
    difference = 2 / ideal - (1 / np.log2(3)) / ideal
    assert found.differences(["nDCG@2"])[0] == pytest.approx([difference] * 2)
    assert "documents of both lists" in found.convention
    assert found.columns["dataset"].tolist() == ["x", "x"]
    assert set(found.columns) == {"dataset", "pref"}  # lists are no strata


def test_with_judgments_the_ideal_is_the_querys_and_grades_are_looked_up(lines):
    judged = Judgments.from_dict({"q1": {"a": 2, "b": 0, "c": 1, "top": 3}})
    path = lines({}, {"A_grades": ..., "B_grades": ..., "pref": "tie_bad"})
    found = read_preferences(path, judged)
    ideal = 3 + 2 / np.log2(3)
    assert found.differences(["nDCG@2"])[0] == pytest.approx([(2 - 1 / np.log2(3)) / ideal] * 2)
    assert "query's judgments" in found.convention
    assert not found.notes


def test_a_grade_other_than_the_judgments_counts_and_is_told(lines):
    judged = Judgments.from_dict({"q1": {"a": 1, "b": 0, "c": 1}})
    found = read_preferences(lines({}), judged)
    assert found.differences(["DCG@1"])[0].tolist() == [2.0]
    assert any("1 grade in the lists other than" in note for note in found.notes)


@pytest.mark.parametrize(
    ("unjudged", "value"), [("nonrelevant", 0.0), ("condensed", 2.0), ("optimistic", 2.0)]
)
def test_a_listed_document_without_a_grade_follows_the_policy_and_is_told(lines, unjudged, value):
    path = lines({"A_docs": ["x", "a"], "A_grades": [None, 2], "B_grades": [0, 0]})
    found = read_preferences(path, policy=Policy(unjudged=unjudged))
    assert found.differences(["DCG@1"])[0].tolist() == [value]
    assert f"unjudged {unjudged}" in found.convention
    assert "1 of 4 listed documents not judged" in found.notes


def test_records_are_read_as_the_lines_of_a_file_are(lines):
    rows = [dict(PAIR), {**PAIR, "query": "q2", "pref": "B"}]
    found, file = read_preferences(rows), read_preferences(lines({}, {"query": "q2", "pref": "B"}))
    assert found.preference.tolist() == file.preference.tolist()
    assert (found.differences(["nDCG@2"]) == file.differences(["nDCG@2"])).all()
    with pytest.raises(ValueError, match="preferences: line 2: unknown preference 'C'"):
        read_preferences([PAIR, {**PAIR, "pref": "C"}])
    with pytest.raises(ValueError, match="hold no answer"):
        read_preferences([])
    with pytest.raises(ValueError, match=r"must be plain: .*int64"):
        read_preferences([{**PAIR, "A_grades": [np.int64(2), 0]}])


def test_identical_lists_are_marked_and_so_are_answers_on_one_pair(lines):
    same = {"A_docs": ["a", "b"], "B_docs": ["a", "b"], "B_grades": [2, 0]}
    found = read_preferences(lines(same, {}, {}))
    assert found.same.tolist() == [True, False, False]
    assert found.pair.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("answers", "majority"),
    [
        (["A", "A", "B"], 1),
        (["B", "tie", "B"], -1),
        (["A", "tie_good", "tie_bad"], 0),
        (["A", "B"], 0),
        (["A", "B", "tie"], 0),
        (["tie", "A"], 0),
    ],
)
def test_the_majority_is_of_a_b_and_neither(lines, answers, majority):
    found = read_preferences(lines(*({"pref": answer} for answer in answers))).answers("majority")
    assert found.preference.tolist() == [majority]
    assert "1 pair with several answers: majority, or neither" in found.notes


def test_weights_weigh_in_the_majority_and_repeat_in_each(lines):
    path = lines({"weight": 3}, {"pref": "B"}, {"pref": "B"}, {"query": "q2", "pref": "tie"})
    found = read_preferences(path)
    assert found.answers("majority").preference.tolist() == [1, 0]
    assert found.answers("each").preference.tolist() == [1, 1, 1, -1, -1, 0]
    with pytest.raises(ValueError, match="need whole weights"):
        read_preferences(lines({"weight": 0.5})).answers("each")
    with pytest.raises(ValueError, match=r"may weigh 100,000,000 in all, got 1e\+15"):
        read_preferences(lines({"weight": 1e15})).answers("each")
    with pytest.raises(ValueError, match="unknown answers 'most'"):
        found.answers("most")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pref": "C"}, "line 1: unknown preference 'C'"),
        ({"pref": "left"}, "unknown preference 'left'"),
        ({"pref": ...}, "no key 'pref'"),
        ({"query": ...}, "no key 'query'"),
        ({"query": ""}, "query must be a text"),
        ({"A_query": "q1", "B_query": "q2"}, "lists are of different topics: q1, q2"),
        ({"B_query": "q9"}, "lists are of different topics: q9, q1"),
        ({"A_docs": ...}, "no key 'A_docs'"),
        ({"A_docs": "ab"}, "A_docs must be a list"),
        ({"A_docs": ["a", "a"]}, "document 'a' stands twice in A_docs"),
        ({"A_docs": ["a", None]}, "a document of A_docs must be a text"),
        ({"A_grades": [1]}, "A_grades must be a list of 2"),
        ({"A_grades": [1, "2"]}, "must be a number or null, got '2'"),
        ({"A_grades": [1, True]}, "must be a number or null, got True"),
        ({"A_grades": [2, 1]}, "document 'b' has grade 1 in A and 0 in B"),
        ({"weight": 0}, "weight 0 is not a number above 0"),
        ({"weight": "many"}, "weight 'many' is not a number above 0"),
        ({"A_grades": ..., "B_grades": ...}, "no list has grades"),
    ],
)
def test_bad_pairs_of_lists_are_refused(lines, change, message):
    with pytest.raises(ValueError, match=message):
        read_preferences(lines(change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not JSON"),
        ('{"query": NaN}\n[]', "line 1: query must be a text"),
        ("[1]", "expected an object, found list"),
        ("", "the preferences hold no answer"),
        ("\n \n", "the preferences hold no answer"),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, text, message):
    path = tmp_path / "pairs.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_preferences(path)


def test_judgments_must_know_the_query_and_runs_have_no_place_beside_lists(lines):
    with pytest.raises(ValueError, match="no judgments for query 'q1'"):
        read_preferences(lines({}), QRELS)
    with pytest.raises(ValueError, match="take no runs"):
        read_preferences(lines({}), QRELS, RUNS)


ON_RUNS = "topic,run_a,run_b,preference,assessor\n"


def test_preferences_on_runs_compare_their_lists(table):
    path = table(ON_RUNS + "t1,r1,r2,A,x\nt2,r2,r1,r1,x\nt1,r2,r1,B,y\nt1,r1,r3,tie,y\n")
    found = read_preferences(path, QRELS, RUNS)
    scores = score(QRELS, RUNS, "nDCG@2").scores["nDCG@2"].values
    lead = scores[0] - scores[1]
    assert found.differences(["nDCG@2"])[0] == pytest.approx([lead[0], -lead[1], -lead[0], 0.0])
    assert found.preference.tolist() == [1, -1, -1, 0]
    assert found.pair.tolist() == [found.pair[0], found.pair[1], found.pair[0], found.pair[3]]
    assert found.same.tolist() == [False, False, False, True]
    assert found.columns["assessor"].tolist() == ["x", "x", "y", "y"]
    assert found.columns["preference"].tolist() == ["A", "B", "B", "tie"]  # as the file has it
    assert found.kind == "runs"


def test_lists_of_runs_end_at_the_depth_that_people_saw(table):
    path = table(ON_RUNS + "t1,r1,r2,A,x\n")
    deep, shallow = (read_preferences(path, QRELS, RUNS, depth=depth) for depth in (None, 1))
    assert deep.differences(["DCG"])[0] != shallow.differences(["DCG"])[0]
    assert shallow.differences(["DCG"])[0].tolist() == [2.0]
    assert "the top 1" in shallow.convention
    assert shallow.anything_relevant()[1].tolist() == [False]


def test_topics_without_judgments_are_left_out_and_lacking_ones_are_empty(table):
    path = table(ON_RUNS + "t9,r1,r2,A,x\nt2,r1,r3,A,x\n")
    found = read_preferences(path, QRELS, RUNS)
    assert found.preference.tolist() == [1]
    assert found.differences(["P@2"])[0].tolist() == [0.5]
    assert "1 answer on topics without judgments left out" in found.notes
    assert "1 list of a topic that the run lacks: empty" in found.notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ON_RUNS + "t1,r1,r9,A,x\n", "line 2: no run 'r9'; known: r1, r2, r3"),
        (ON_RUNS + "t1,r1,r1,A,x\n", "line 2: 'r1' is compared with itself"),
        (ON_RUNS + "t1,r1,r2,both,x\n", "line 2: unknown preference 'both'"),
        (ON_RUNS + "t1,r1,r2,A\n", "line 2: expected 5 fields, found 4"),
        (ON_RUNS + "t9,r1,r2,A,x\n", "no answer is left: 1 answer on topics without"),
        (ON_RUNS, "hold no answer"),
        ("topic,run_a,preference\nt1,r1,A\n", "no column 'run_b'"),
        ("topic,run_a,run_b,preference,weight\nt1,r1,r2,A,-1\n", "weight '-1' is not a number"),
    ],
)
def test_bad_tables_are_refused(table, text, message):
    with pytest.raises(ValueError, match=message):
        read_preferences(table(text), QRELS, RUNS)


def test_tables_need_judgments_and_runs_and_an_order(table):
    path = table(ON_RUNS + "t1,r1,r2,A,x\n")
    with pytest.raises(ValueError, match="give QRELS and the RUNs"):
        read_preferences(path)
    with pytest.raises(ValueError, match="a person sees one order"):
        read_preferences(path, QRELS, RUNS, Policy(ties="average"))


def test_a_word_that_may_mean_either_side_is_refused():
    assert read_word("A", "A", "B") == (1, "A")
    assert read_word("a", "b", "a") == (-1, "B")  # names go before small letters
    with pytest.raises(ValueError, match="may mean side A or what is named A"):
        read_word("A", "B", "A")
    with pytest.raises(ValueError, match="may mean side tie"):
        read_word("tie", "x", "tie")


def test_preferences_on_documents_are_top_one_preferences_with_their_coverage(table):
    path = table("topic,doc_a,doc_b,winner\nt1,c,a,a\nt1,a,b,tie\nt2,c,b,B\nt3,a,b,a\n")
    found = read_preferences(path, QRELS, RUNS)
    sides = list(zip(found.columns["run_a"], found.columns["run_b"], strict=True))
    assert sides == [("r2", "r1"), ("r2", "r3"), ("r1", "r2")]  # A has put doc_a first
    assert found.preference.tolist() == [-1, -1, -1]
    lead = found.differences(["DCG@1"])[0]
    assert lead.tolist() == [-2, -2, 0]
    assert found.kind == "top-1 documents"
    coverage = (
        "top-1 preferences cover 3 of the 3 times that two runs put different documents first"
    )
    assert coverage in found.notes


def test_uncovered_tops_are_counted_and_none_at_all_is_refused(table):
    some = table("topic,doc_a,doc_b,winner\nt1,a,c,a\n")
    assert any("cover 2 of the 3 times" in n for n in read_preferences(some, QRELS, RUNS).notes)
    none = table("topic,doc_a,doc_b,winner\nt1,a,b,a\n")
    with pytest.raises(ValueError, match="no answer is left: top-1 preferences cover 0 of the 3"):
        read_preferences(none, QRELS, RUNS)


def test_the_music_pairs_are_read_whole(data_folder):
    found = read_preferences(music.pairs_file(data_folder), music.judgments(data_folder))
    assert len(found) == 6315
    assert found.same.sum() == 27
    assert not found.notes  # every listed document is judged, with the same grade
    with gzip.open(music.pairs_file(data_folder), "rt") as file:
        words = [json.loads(line)["pref"] for line in file]
    signs = {"A": 1, "B": -1, "tie_good": 0, "tie_bad": 0}
    assert found.columns["pref"].tolist() == words
    assert found.preference.tolist() == [signs[word] for word in words]
    for name, decided in music.SETS.items():
        assert np.count_nonzero(found.preference[found.columns["dataset"] == name]) == decided
