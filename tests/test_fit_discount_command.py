"""`ndcgstudy fit-discount`: records, tables, verdicts, a figure, and what it refuses."""

import csv
import io
import json

import numpy as np
import pytest

from ndcgstudy.agreement.families import Answers
from ndcgstudy.agreement.fitting import fit_discount, lead_over
from ndcgstudy.agreement.likelihood import fit
from ndcgstudy.agreement.users import Users, draw_pairs
from ndcgstudy.agreement.weights import rank_gaps
from ndcgstudy.cli import main
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.gains import GAINS

WORDS = {1: "A", 0: "tie", -1: "B"}


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["fit-discount", *map(str, words)])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """People who go by log2, on 40 queries."""
    rng = np.random.default_rng(5)
    first, second, query = draw_pairs(40, 15, rng=rng)
    drawn = Users("DCG", slope=6.0, nu=1.0).answers(first, second, 2, rng=rng)
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i, (a, b, q, answer) in enumerate(zip(first, second, query, drawn, strict=True)):
            docs = [[f"d{i}{side}{rank}" for rank in range(5)] for side in "ab"]
            grades = {"A_grades": a.tolist(), "B_grades": b.tolist()}
            lists = {"query": f"q{q}", "A_docs": docs[0], "B_docs": docs[1], **grades}
            file.write(json.dumps({**lists, "pref": WORDS[int(answer)]}) + "\n")
    return path


def answers_of(path, gain="linear", cutoff=None, **how):
    found = read_preferences(path)
    gaps = rank_gaps(found, GAINS.parse(gain), cutoff)
    return Answers(gaps, found.preference, found.topic, **how)


def test_records_are_those_of_the_library(call, pairs):
    code, out, err = call(pairs, "--family", "power", "--format", "csv", "--folds", "5")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    named = ["log2", "zipf", "geometric(p=0.8)", "constant"]
    assert [row["discount"] for row in rows][1:] == named
    answers = answers_of(pairs)
    expected = fit_discount(answers, "power")
    one, ahead = expected.parameters[0], lead_over(answers, "power", folds=5)
    values = {"value": one.value, "low": one.low, "high": one.high, "aic": expected.aic}
    values |= {"loglik": expected.fit.loglik, "slope": expected.fit.slope, "nu": expected.fit.nu}
    values |= {"lead": ahead.mean, "lead_low": ahead.low, "lead_high": ahead.high}
    assert {name: float(rows[0][name]) for name in values} == pytest.approx(values)
    assert rows[1]["value"] == rows[1]["parameter"] == ""
    assert "600 answers on 40 queries" in " ".join(err.split())
    assert err.count("verdict: ") == 4
    log2 = fit(
        answers.gaps @ DISCOUNTS.parse("log2")(answers.ranks), answers.preference, answers.cluster
    )
    assert float(rows[1]["loglik"]) == pytest.approx(log2.loglik)


def test_a_table_has_a_record_a_rank_in_json(call, pairs):
    code, out, _ = call(pairs, "--family", "table", "--format", "json")
    rows = [row for row in json.loads(out) if row["family"] == "table"]
    assert code == 0
    assert [row["parameter"] for row in rows] == [f"weight at rank {r}" for r in (2, 3, 4, 5)]
    assert all(row["low"] < row["value"] < row["high"] for row in rows)


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_people_get_discounts_weights_and_verdicts(call, pairs, form):
    words = ("--family", "power", "--family", "table", "--folds", 4)
    code, out, err = call(pairs, *words, "--format", form)
    assert (code, err) == (0, "")
    lead = {"table": "verdict: ", "markdown": "- ", "latex": "% verdict: "}[form]
    assert f"{lead}power and log2 cannot be told apart" in out
    assert "0.6309" in out  # log2 at rank 2
    assert out.count("onvention: ") + out.count("% convention") >= 2


def test_gain_cutoff_and_ties_change_what_is_fitted(call, pairs):
    words = ("--gain", "exponential", "--cutoff", "3", "--undecided", "dropped", "--position")
    _, out, _ = call(pairs, "--family", "geometric", *words, "--format", "json", "--folds", "3")
    row = json.loads(out)[0]
    answers = answers_of(pairs, "exponential", 3, ties="dropped", position=True)
    assert answers.gaps.shape[1] == 3
    assert row["loglik"] == pytest.approx(fit_discount(answers, "geometric").fit.loglik)
    assert row["nu"] == 0


def test_another_discount_can_be_compared_with(call, pairs):
    words = ("--family", "power", "--against", "power(beta=3)", "--folds", "4")
    code, out, _ = call(pairs, *words)
    assert code == 0
    assert "verdict: power predicts better than power(beta=3)" in out


def test_runs_and_judgments_are_read(call, tmp_path):
    (tmp_path / "qrels").write_text(
        "".join(f"t{t} 0 d{d} {d % 3}\n" for t in range(9) for d in range(6))
    )
    for run, order in (("x", (2, 5, 0, 1)), ("y", (1, 4, 2, 3))):
        lines = [f"t{t} Q0 d{d} {r} {9 - r} {run}\n" for t in range(9) for r, d in enumerate(order)]
        (tmp_path / run).write_text("".join(lines))
    answers = ["x", "tie", "y", "x", "tie", "x", "x", "y", "tie"]
    rows = [f"t{t},x,y,{answer}\n" for t, answer in enumerate(answers)]
    (tmp_path / "pairs.csv").write_text("topic,run_a,run_b,preference\n" + "".join(rows))
    names = [tmp_path / name for name in ("pairs.csv", "qrels", "x", "y")]
    code, out, err = call(*names, "--family", "power", "--folds", "3", "--format", "csv")
    assert (code, "9 answers on 9 queries" in " ".join(err.split())) == (0, True)
    assert len(out.splitlines()) == 6


def test_judgments_that_are_missing_are_told_alone(call, pairs, tmp_path):
    code, out, err = call(pairs, tmp_path / "none")
    assert (code, out) == (2, "")
    assert err.count("No such file") == len(err.splitlines()) == 1


def test_repeated_pairs_can_count_by_their_majority(call, pairs, tmp_path):
    lines = pairs.read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "twice.jsonl"
    path.write_text("".join(lines + lines[:50]), encoding="utf-8")
    words = ("--family", "power", "--folds", "3", "--format", "json")
    once, each = (call(pairs, *words)[1], call(path, *words)[1])
    code, majority, err = call(path, *words, "--answers", "majority")
    assert (code, once == majority, once == each) == (0, True, False)
    assert "50 pairs with several answers" in err


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_weights_are_drawn_to_a_file(call, pairs, tmp_path, suffix):
    path = tmp_path / f"weights.{suffix}"
    assert call(pairs, "--family", "power", "--folds", "3", "--figure", path)[0] == 0
    assert path.read_bytes()[:4] in (b"\x89PNG", b"<?xm")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--family", "powr"], "unknown family 'powr'; did you mean 'power'?"),
        (["--gain", "liner"], "did you mean 'linear'?"),
        (["--against", "log3"], "unknown discount 'log3'"),
        (["--undecided", "drop"], "did you mean 'dropped'?"),
        (["--cutoff", "0"], "`cutoff` must be a whole number at least 1"),
        (["--folds", "1"], "`folds` must be a whole number at least 2"),
        (["--folds", "99"], "`folds` must be at most the 40 clusters, got 99"),
        (["--level", "95"], "`level` must be a number above 0 and below 1"),
        (["--figure", "a.jpg"], "the name must end with one of .pdf, .png, .svg"),
        (["--format", "xml"], "unknown format 'xml'"),
        (["--answers", "most"], "answers"),
    ],
)
def test_mistakes_are_told_in_one_line(call, pairs, words, said):
    code, out, err = call(pairs, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


def test_several_mistakes_are_told_at_once(call, tmp_path):
    code, _, err = call(tmp_path / "none.jsonl", "--family", "x", "--gain", "y", "--folds", "z")
    assert code == 2
    assert len(err.splitlines()) == 4


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("tie", "no decided pair"),
        ("worse", "against the grades"),
        ("better", "separated"),
        ("alike", "the lists of a pair never differ in gain, so"),
    ],
)
def test_answers_that_say_nothing_are_told(call, tmp_path, answer, said):
    rows = []
    for q in range(12):
        for i in range(4):
            side = {"tie": "tie", "worse": "B" if i else "A"}.get(answer, "A")
            grades = {"A_grades": [2, q % 2], "B_grades": [0, i % 2]}
            if answer == "alike":
                grades["B_grades"] = grades["A_grades"]
            docs = {"A_docs": [f"a{i}", f"b{i}"], "B_docs": [f"c{i}", f"e{i}"]}
            rows.append(json.dumps({"query": f"q{q}", **docs, **grades, "pref": side}))
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(rows) + "\n")
    code, out, err = call(path, "--family", "power", "--folds", "3")
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_figure_that_cannot_be_written_is_told(call, pairs, tmp_path):
    code, _, err = call(
        pairs, "--family", "power", "--folds", "3", "--figure", tmp_path / "no" / "x.png"
    )
    assert code == 2
    assert "there is no folder" in err
