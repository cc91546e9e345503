"""`ndcgstudy agree`: records, sets and strata, figures, and what it refuses."""

import csv
import io
import json

import music
import numpy as np
import pytest

from ndcgstudy.agreement.drawing import draw_agreement
from ndcgstudy.agreement.report import FIRST, report
from ndcgstudy.cli import main
from ndcgstudy.formats.preferences import read_preferences

PAIRS = [
    {"query": "q1", "A_docs": ["a", "b"], "B_docs": ["b", "c"], "pref": "A", "era": "old"},
    {"query": "q1", "A_docs": ["c", "b"], "B_docs": ["a", "b"], "pref": "B", "era": "old"},
    {"query": "q2", "A_docs": ["a", "c"], "B_docs": ["c", "b"], "pref": "B", "era": "new"},
    {"query": "q2", "A_docs": ["a", "c"], "B_docs": ["a", "c"], "pref": "A", "era": "new"},
    {"query": "q3", "A_docs": ["b", "c"], "B_docs": ["a", "c"], "pref": "tie", "era": "new"},
]
GRADES = {"a": 2, "b": 1, "c": 0}


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["agree", *map(str, words)])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    graded = [
        {**pair, **{f"{side}_grades": [GRADES[d] for d in pair[f"{side}_docs"]] for side in "AB"}}
        for pair in PAIRS
    ]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in graded))
    return path


@pytest.fixture
def runs(tmp_path):
    """Judgments, two runs and answers on them."""
    (tmp_path / "qrels").write_text(
        "".join(f"t{i} 0 {d} {g}\n" for i in "123" for d, g in GRADES.items())
    )
    for name, order in (("one", "abc"), ("two", "cab")):
        lines = [f"t{i} Q0 {d} {r} {9 - r} {name}\n" for i in "123" for r, d in enumerate(order)]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "answers.csv").write_text(
        "topic,run_a,run_b,preference\nt1,one,two,A\nt2,two,one,B\nt3,one,two,two\n"
    )
    return [tmp_path / name for name in ("answers.csv", "qrels", "one", "two")]


def records(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_records_begin_with_the_figures_and_words_go_to_stderr(call, pairs):
    code, out, err = call(pairs, "-m", "nDCG@2", "-m", "P@2", "--format", "json")
    found = json.loads(out)
    assert code == 0
    assert [tuple(record)[: len(FIRST)] for record in found] == [FIRST] * 2
    ndcg, p = found
    assert (ndcg["agree"], ndcg["disagree"], ndcg["tie"]) == (2, 1, 1)
    assert (ndcg["human_tie"], ndcg["both_tie"]) == (1, 0)
    assert ndcg["rate"] == pytest.approx(2 / 3)
    assert ndcg["strict"] == 0.5
    assert (p["agree"], p["disagree"], p["tie"]) == (2, 0, 2)
    assert ndcg["common_rate"] == p["common_rate"] == 1.0
    assert {record["set"] for record in found} == {record["stratum"] for record in found} == {"all"}
    for words in (
        "5 answers on 5 pairs of 3 queries: 4 prefer a list, 1 neither",
        "1 answer on two identical lists, 1 with a preference: all measures tie",
        "convention: gain linear; discount log2; ideal of the documents of both lists, cut at k",
        "a difference up to 1e-12 is a tie",
        "test: nDCG@2 against P@2, ties missed, 4 pairs: agree 2 both",
    ):
        assert words in err


def test_csv_holds_the_same_figures_and_a_seed_gives_them_again(call, pairs):
    words = (pairs, "-m", "nDCG@2", "--resamples", "50")
    _, text, _ = call(*words, "--format", "json", "--seed", "3")
    _, table, _ = call(*words, "--format", "csv", "--seed", "3")
    _, other, _ = call(*words, "--format", "csv", "--seed", "4", "--level", "0.5")
    for name in ("rate", "low", "high", "loglik"):
        assert float(records(table)[0][name]) == json.loads(text)[0][name]
    assert table != other


@pytest.mark.parametrize(
    ("form", "sign"), [("table", "test: nDCG"), ("markdown", "- nDCG"), ("latex", "% test: nDCG")]
)
def test_tables_for_reading_say_how_the_numbers_were_computed(call, pairs, form, sign):
    code, out, _ = call(pairs, "-m", "nDCG@2 P@2", "--format", form)
    assert code == 0
    assert "human ties apart" in out
    assert sign in out
    assert "stratum" not in out.splitlines()[0]


def test_sets_and_strata_are_columns(call, pairs):
    _, out, err = call(
        pairs, "-m", "nDCG@2", "--by", "era", "--stratum", "relevant", "--format", "csv"
    )
    found = [(row["set"], row["stratum"], row["agree"]) for row in records(out)]
    assert found == [
        *(("new", "all", "0"), ("new", "both something relevant", "0")),
        *(("old", "all", "2"), ("old", "both something relevant", "2")),
    ]
    assert "set old: all pairs are of one query: no intervals but Wilson's" in err
    assert "set old: 2 answers on 2 pairs of 1 query: 2 prefer a list" in err
    low = {row["set"]: row["low"] for row in records(out) if row["stratum"] == "all"}
    assert low["old"] == ""


def test_a_mix_adds_reweighted_rows(call, pairs):
    words = ("-m", "nDCG@2", "--stratum", "era", "--mix", "old=3,new=1", "--format", "csv")
    _, out, _ = call(pairs, *words)
    (row,) = [row for row in records(out) if row["stratum"] == "reweighted"]
    # 2 of 2 in old; 0 of 1 and a tie in new: (3/4) / (3/4 + 1/4 * 1/2)
    assert float(row["rate"]) == pytest.approx(0.75 / 0.875)
    assert float(row["strict"]) == pytest.approx(0.75)


@pytest.mark.parametrize("suffix", ["png", "svg"])
@pytest.mark.parametrize("stratum", ["relevant", "difference"])
def test_a_figure_is_drawn(call, pairs, tmp_path, suffix, stratum):
    path = tmp_path / f"figure.{suffix}"
    code, _, _ = call(pairs, "-m", "nDCG@2 P@2", "--stratum", stratum, "--figure", path)
    assert code == 0
    assert path.read_bytes()[:4] == {"png": b"\x89PNG", "svg": b"<?xm"}[suffix]


@pytest.mark.parametrize("sets", [3, 14])
def test_a_figure_has_room_for_many_sets(pairs, sets):
    """Two intervals each, no two on one height, and a legend that does not grow with the sets."""
    from matplotlib.figure import Figure

    rows = [json.loads(line) for line in pairs.read_text().splitlines()[:2]]
    every = [{**row, "who": f"w{who:02}"} for who in range(sets) for row in rows]
    found = report(
        read_preferences(every), ["nDCG@2", "P@2"], rng=np.random.default_rng(0), by="who"
    )
    ax = draw_agreement(found.table(), Figure().subplots())
    marks = [y for line in ax.lines if line.get_marker() != "None" for y in line.get_ydata()]
    assert len(set(np.round(marks, 9))) == len(marks) == 2 * 2 * sets
    texts = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert len(texts) == (6 if sets == 3 else 2)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert ("w13: P@2" in names, len(names)) == (sets == 14, 2 if sets == 3 else 28)


def test_answers_on_runs(call, runs):
    code, out, err = call(*runs, "-m", "nDCG@2", "--format", "json")
    (found,) = json.loads(out)
    assert code == 0
    assert (found["agree"], found["disagree"]) == (2, 1)
    assert "people saw the top 2 of each list" in err
    assert "preferences on runs" in err


def test_answers_on_documents_say_what_they_cover(call, runs):
    runs[0].write_text("topic,doc_a,doc_b,winner\nt1,a,c,a\nt2,c,a,a\n")
    code, out, err = call(*runs, "-m", "nDCG@2", "--format", "json")
    assert code == 0
    assert json.loads(out)[0]["agree"] == 2
    assert "preferences on top-1 documents" in err
    assert "top-1 preferences cover 2 of the 3 times" in err


def test_several_answers_are_counted_each_or_by_majority(call, runs):
    with runs[0].open("a") as file:
        file.write("t1,one,two,A\nt1,one,two,B\n")
    counts = {}
    for how in ("each", "majority"):
        _, out, _ = call(*runs, "-m", "nDCG@2", "--answers", how, "--format", "json")
        counts[how] = [json.loads(out)[0][name] for name in ("agree", "disagree")]
    assert counts == {"each": [3, 2], "majority": [2, 1]}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "nDGC@5"), "unknown measure 'nDGC'; did you mean 'nDCG'"),
        (("--by", "eras"), "no column 'eras'; did you mean 'era'"),
        (("--stratum", "size"), "no column 'size'"),
        (("--mix", "old=1"), "a mix is one of strata"),
        (("--mix", "old", "--stratum", "era"), "cannot read 'old' of `mix`"),
        (("--mix", "old=1, old=2", "--stratum", "era"), "`mix` names stratum 'old' twice"),
        (("--mix", "old=1", "--stratum", "era", "--by", "era"), "set new: unknown stratum 'old'"),
        (("--mix", "olde=1", "--stratum", "era"), "unknown stratum 'olde'; did you mean 'old'"),
        (("--answers", "most"), "unknown answers 'most'"),
        (("--unjudged", "no"), "unknown unjudged 'no'"),
        (("--ties", "average"), "a person sees one order"),
        (("--figure", "x.jpg"), "--figure x.jpg: the name must end with one of .pdf, .png, .svg"),
        (("--level", "1"), "`level` must be a number above 0 and below 1, got 1"),
        (("--level", "high"), "'--level': must be a number, got 'high'"),
        (
            ("--resamples", "0"),
            "`resamples` must be a whole number at least 1 and at most 1,000,000, got 0",
        ),
        (("--resamples", "2.5"), "'--resamples': must be a whole number, got '2.5'"),
        (("--seed", "-1"), "'--seed': must be a whole number at least 0, got '-1'"),
        (("--format", "xml"), "unknown format 'xml'"),
    ],
)
def test_mistakes_are_one_line_and_code_2(call, runs, pairs, words, message):
    where = runs if "average" in words else [pairs]
    code, out, err = call(*where, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_several_mistakes_are_told_at_once(call, tmp_path):
    words = ("-m", "nDGC@5", "--unjudged", "no", "--mix", "x", "--format", "xml")
    code, out, err = call(tmp_path / "none.jsonl", *words)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 5
    code, _, err = call(tmp_path / "none.jsonl", tmp_path / "none.qrels")
    assert err.count("No such file") == len(err.splitlines()) == 1


def test_files_that_are_not_there_or_do_not_fit_are_refused(call, pairs, runs, tmp_path):
    assert call(tmp_path / "none")[0] == 2
    code, _, err = call(pairs, *runs[1:])
    assert code == 2
    assert "take no runs" in err
    code, _, err = call(runs[0])
    assert code == 2
    assert "give QRELS and the RUNs" in err
    code, _, err = call(*runs[:3], tmp_path / "none")
    assert code == 2
    assert "none: No such file" in err
    code, _, err = call(pairs, "--figure", tmp_path / "no" / "figure.png")
    assert code == 2
    assert "there is no folder" in err


def test_no_preference_at_all_is_refused_and_a_measure_that_only_ties_is_told(call, tmp_path):
    path, pair = tmp_path / "pairs.jsonl", {**PAIRS[0], "A_grades": [1, 1], "B_grades": [1, 1]}
    path.write_text(json.dumps({**pair, "pref": "tie"}))
    code, _, err = call(path)
    assert code == 2
    assert "no answer prefers a list" in err
    path.write_text(json.dumps(pair))
    code, out, err = call(path, "-m", "P@1", "--format", "csv")
    assert code == 0
    assert "P@1 ties on every pair that a person decides" in err
    assert (records(out)[0]["rate"], records(out)[0]["strict"]) == ("", "0.0")
    _, _, err = call(path, "-m", "P@1", "-m", "P@2", "--format", "csv")
    assert "P@1 against P@2, ties missed, 1 pair: " in err
    assert "p = 1, no two clusters" in err
    assert "nan" not in err


def test_the_music_pairs_give_the_known_counts(call, data_folder):
    words = [word for measure in music.MEASURES for word in ("-m", measure)]
    file = music.pairs_file(data_folder)
    code, out, _ = call(file, *words, "--by", "dataset", "--resamples", "50", "--format", "csv")
    rows = iter(records(out))
    assert code == 0
    for which in (0, 1):
        for known in music.MEASURES.values():
            row, (agree, decided, strict) = next(rows), known[which]
            assert (int(row["agree"]), int(row["agree"]) + int(row["disagree"])) == (agree, decided)
            assert float(row["strict"]) == pytest.approx(strict, abs=5e-4)
