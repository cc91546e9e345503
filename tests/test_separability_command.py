"""`ndcgstudy separability`: records, verdicts, and what it refuses."""

import csv
import io
import json

import pytest

from ndcgstudy.cli import main
from ndcgstudy.cli.separability import KEYS, NAMED

USER = """
import numpy as np
def half(ranks):
    return 0.5 ** np.sqrt(ranks)
def rises(ranks):
    return np.where(np.asarray(ranks) < 7, 1.0, 2.0)
def negative(ranks):
    return 5.0 - np.asarray(ranks, dtype=float)
def late(ranks):
    return 5000.0 - np.asarray(ranks, dtype=float)
def blank(ranks):
    return np.where(np.asarray(ranks) == 3, np.nan, 1.0)
def pages(ranks):
    return 1 / np.ceil(np.asarray(ranks) / 10)
def listed(ranks):
    return [1 / rank for rank in ranks]
def of_others(ranks):
    return np.ones(np.shape(ranks)) / np.size(ranks)
class Mine:
    grades = 2
    def sample(self, n, *, rng):
        from ndcgstudy.synthetic import Reference
        return Reference().sample(n, rng=rng)
class Nothing:
    pass
class Fails:
    def sample(self, n, *, rng):
        raise RuntimeError("no items today")
class Drawn:
    def __init__(self, scores=(2, 8), grades=8, kind=int):
        self.scores, self.grades, self.kind = scores, grades, kind
    def sample(self, n, *, rng):
        from ndcgstudy.synthetic import Sample
        return Sample(rng.random(self.scores), (rng.random(self.grades) < 0.5).astype(self.kind))
one_ranker = Drawn(scores=(1, 8))
other_items = Drawn(scores=(2, 9))
few_grades = Drawn(grades=3)
real_grades = Drawn(kind=float)
no_sample = type("NoSample", (), {"sample": lambda self, n, *, rng: (1, 2)})()
"""


@pytest.fixture
def call(capsys):
    def run(*words):
        with pytest.raises(SystemExit) as end:
            main(["separability", *words])
        out = capsys.readouterr()
        return end.value.code, out.out, out.err

    return run


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(USER)
    return str(path)


SMALL = ("--discount", "log2", "--discount", "power(2)", "--n", "1e3,1e6", "--replicates", "20")


def test_json_has_the_records_with_their_verdict_and_the_evidence_goes_to_stderr(call):
    code, out, err = call(*SMALL, "--format", "json")
    records = json.loads(out)
    assert code == 0
    assert [tuple(record) for record in records] == [
        (*KEYS, "verdict", "why", "law", "resolves_at")
    ] * 4
    assert [r["verdict"] for r in records] == ["separates"] * 2 + ["stops separating"] * 2
    assert [(r["discount"], r["n"]) for r in records] == [
        *(("log2", 1000), ("log2", 10**6)),
        *(("power(beta=2)", 1000), ("power(beta=2)", 10**6)),
    ]
    assert {(r["cutoff"], r["replicates"]) for r in records} == {("none", 20)}
    assert all(r["p_right_low"] <= r["p_right"] <= r["p_right_high"] for r in records)
    assert "verdict: log2: separates, z like sqrt(n)" in err
    assert "verdict: power(beta=2): stops separating" in err
    assert "pair: reference" in err


def test_csv_holds_the_same_figures(call):
    _, text, _ = call(*SMALL, "--format", "json")
    _, table, _ = call(*SMALL, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [float(row["gap"]) for row in rows] == [r["gap"] for r in json.loads(text)]


@pytest.mark.parametrize(
    ("form", "sign"), [("table", "verdict: "), ("markdown", "- "), ("latex", "% verdict: ")]
)
def test_below_a_table_stand_the_verdicts(call, form, sign):
    code, out, err = call(*SMALL, "--format", form)
    assert (code, err) == (0, "")
    assert f"{sign}log2: separates" in out.splitlines()[-2]


def test_the_seed_decides_alone(call):
    first, again, other = (call(*SMALL, "--seed", seed)[1] for seed in ("1", "1", "2"))
    assert first == again != other


def test_another_discount_changes_no_figure(call):
    _, both, _ = call(*SMALL, "--format", "json")
    _, one, _ = call(*SMALL[:2], *SMALL[4:], "--format", "json")
    assert json.loads(one) == json.loads(both)[:2]


@pytest.mark.parametrize("cutoff", ["10", "0.2n", "n^0.5"])
def test_cutoffs(call, cutoff):
    _, out, _ = call(*SMALL, "--cutoff", cutoff, "--format", "json")
    records = json.loads(out)
    assert {record["cutoff"] for record in records} == {cutoff}
    assert all(record["expected_gap"] is not None for record in records)


def test_all_named_discounts_are_the_default(call):
    _, out, _ = call("--n", "1e3", "--replicates", "2", "--format", "json")
    assert [record["discount"] for record in json.loads(out)] == list(NAMED)


def test_a_constant_discount_has_no_z(call):
    _, out, err = call("--discount", "constant", "--n", "1e3", "--format", "json")
    (record,) = json.loads(out)
    assert record["z"] is record["expected_z"] is None
    assert record["verdict"] == "stops separating"
    assert "verdict: constant: stops separating; only ties" in err


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        (("--pair", "reference(a=0.1,b=0.4)"), "log2: separates with B ahead, z like sqrt(n);"),
        (
            ("--pair", "random(slope=0)"),
            "log2: stops separating; nothing to separate: both rankers",
        ),
        (
            ("--cutoff", "10"),
            "log2: stops separating; a fixed number of items counts: P(right)",
        ),
    ],
    ids=["B is better", "equal rankers", "a fixed cutoff"],
)
def test_the_verdict_is_about_this_pair_and_cutoff(call, words, verdict):
    _, _, err = call("--discount", "log2", "--n", "1e3,1e6", *words, "--format", "csv")
    assert verdict in err


def test_graded_pairs_and_gains(call):
    words = (*SMALL, "--pair", "curves(levels=(0.7,0.3))", "--format", "json")
    _, linear, _ = call(*words)
    _, steep, _ = call(*words, "--gain", "exponential")
    assert json.loads(linear)[0]["gap"] != json.loads(steep)[0]["gap"]


def test_a_users_discount_and_pair(call, mine):
    code, out, err = call(
        *("--discount", f"{mine}:half", "--pair", f"{mine}:Mine", "--n", "100,1000"),
        *("--replicates", "5", "--format", "json"),
    )
    assert code == 0
    assert json.loads(out)[0]["discount"] == f"{mine}:half"
    assert json.loads(out)[0]["expected_gap"] is None  # no closed form
    assert json.loads(out)[0]["verdict"] == "not resolved"
    assert "not resolved below n = 1e+03; the sum of D is bounded; whether labels stay" in err


def test_the_error_of_sums_that_are_estimated_is_shown(call, mine):
    words = ("--discount", f"{mine}:pages", "--n", "1e3", "--replicates", "5")
    code, _, err = call(*words)
    assert code == 0
    assert f"discount {mine}:pages: its sums are added up by blocks, each within about" in err
    assert "by blocks" not in call(*SMALL)[2]


def test_a_users_function_may_go_through_ranks_one_by_one(call, mine):
    words = ("--n", "1e3,1e9", "--replicates", "5", "--format", "json")
    code, listed, _ = call("--discount", f"{mine}:listed", *words)
    assert code == 0
    for one, other in zip(
        json.loads(listed), json.loads(call("--discount", "zipf", *words)[1]), strict=True
    ):
        assert one["gap"] == pytest.approx(other["gap"], rel=1e-9)
        assert one["expected_z"] == pytest.approx(other["expected_z"], rel=1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--discount", "pover"), "did you mean 'power'"),
        (("--discount", "power"), "needs beta"),
        (("--discount", "power(-1)"), "`beta` must be a number at least 0, got -1"),
        (("--pair", "latnet"), "did you mean 'latent'"),
        (("--pair", "latent(a=1.5)"), "`a` must be"),
        (("--pair", "latent(a=1)"), "`a` must be"),
        (("--pair", "curves(a=(0.5,0.9))"), "P(relevant) in [0, 1]"),
        (("--pair", "reference(base=0.9)"), "P(relevant) in [0, 1]"),
        (("--pair", "drift", "--n", "1e9"), "at most 1,000,000"),
        (("--n", "1"), "`n` must be a whole number at least 2, got 1"),
        (("--n", "10.5"), "`n` must be a whole number at least 2, got '10.5'"),
        (("--n", "1e3,,1e6"), "`n` must be a whole number at least 2, got ''"),
        (("--n", "nan"), "`n` must be a whole number"),
        (("--n", "1e999"), "`n` must be a whole number"),
        (("--n", "1e17"), "at most 2^50"),
        (("--replicates", "1"), "`replicates` must be a whole number at least 2, got 1"),
        (("--seed", "-1"), "`seed` must be a whole number at least 0"),
        (("--cutoff", "5000", "--n", "1e3,1e6"), "`cutoff` must be at most n = 1000, got 5000"),
        (("--cutoff", "2n"), "`cutoff` must be at most n, got 2n"),
        (("--cutoff", "0"), "`cutoff` must be a whole rank at least 1, got 0"),
        (("--cutoff", "some"), "`cutoff` must be none, a rank, 0.2n or n^0.5"),
        (("--gain", "lineer"), "did you mean 'linear'"),
        (("--format", "yaml"), "unknown format 'yaml'"),
    ],
)
def test_bad_input_is_told(call, words, message):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rises", "must never rise, but from rank 6 to 7"),
        ("negative", "must be at least 0, got -1.0 at rank 6"),
        ("late", "must be at least 0, got -1.0 at rank 5001"),
        ("blank", "must be finite, got nan at rank 3"),
        ("of_others", "must depend on the rank alone, not on the other ranks: at rank 1 it is 1.0"),
    ],
)
def test_a_users_function_that_is_no_discount_is_refused_by_name(call, mine, name, message):
    code, out, err = call("--discount", f"{mine}:{name}")
    assert (code, out) == (2, "")
    assert f"{mine}:{name}" in err
    assert message in err


def test_a_users_class_that_is_no_pair_is_refused(call, mine):
    code, _, err = call("--pair", f"{mine}:Nothing")
    assert code == 2
    assert "must have `sample`" in err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Fails", "fails to draw 8 items: no items today"),
        ("no_sample", "fails to draw 8 items: 'tuple' object has no attribute 'scores'"),
        (
            "one_ranker",
            "two or more rankers a score an item, numbers of shape (2, 8) for 8 items, got",
        ),
        ("other_items", "got shape (2, 9)"),
        (
            "few_grades",
            "each item one grade, whole numbers from 0 of shape (8,) for 8 items, got int64",
        ),
        ("real_grades", "got float64 of shape (8,)"),
    ],
)
def test_a_users_pair_that_draws_no_lists_is_refused_by_name(call, mine, name, message):
    code, out, err = call("--pair", f"{mine}:{name}", "--n", "8")
    assert (code, out) == (2, "")
    assert f"generator {mine}:{name} " in err
    assert message in err
    assert "Traceback" not in err


def test_a_gain_without_an_entry_for_a_grade_of_the_pair_is_told(call):
    code, out, err = call(*SMALL, "--pair", "curves(levels=(0.5,0.5))", "--gain", "table(0,5)")
    assert (code, out) == (2, "")
    assert err == "ndcgstudy: gain table(0,5) has no entry for grade 2\n"


def test_a_discount_named_twice_in_other_words_is_one(call):
    words = ("--n", "100", "--replicates", "5", "--format", "csv")
    twice = call("--discount", "power(1)", "--discount", "power(beta=1.0)", *words)
    assert twice == call("--discount", "power(beta=1)", *words)


def test_all_mistakes_are_reported_together(call, mine):
    code, _, err = call(
        *("--discount", f"{mine}:rises", "--discount", "nope", "--pair", "latent(a=2)"),
        *("--n", "1,x", "--replicates", "0", "--cutoff", "?", "--format", "yaml"),
    )
    assert code == 2
    assert len(err.splitlines()) == 8
