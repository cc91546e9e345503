"""Every statistical case made after a public bug report: the right value, or the right flag."""

import json
from pathlib import Path

import numpy as np
import pytest
from shared_data import conformance_path

from ndcgstudy.inference import resampled
from ndcgstudy.inference.corrections import METHODS, adjust
from ndcgstudy.inference.paired import TESTS, paired_test
from ndcgstudy.inference.signedrank import doubled_ranks
from ndcgstudy.inference.standing import nemenyi, win_rate
from ndcgstudy.seeding import rng_for

ELSEWHERE = {
    "bootstrap-constant-difference": "test_intervals_of_gaps.py",
    "bootstrap-se-of-mean-exact": "test_designs.py",
    "preference-agreement-ties": "test_agreement.py",
}
"""The cases that other files test, under the same id."""


def _cases():
    path = conformance_path() / "stat_cases.json"
    return {case["id"]: case for case in json.loads(path.read_text())} if path.exists() else {}


CASES = _cases()


def _difference(data):
    return np.array(data["a"]) - np.array(data["b"])


def never_zero(data, expected, monkeypatch):
    assert paired_test("randomisation", data["diffs"]).p == expected["p"]
    monkeypatch.setattr(resampled, "MOST_EXACT", 0)
    strong = np.tile(data["diffs"], 8)
    p = paired_test("randomisation", strong, rng=rng_for(1), resamples=999).p
    assert p == 1 / 1000


def tied_ranks(data, expected, _):
    d = _difference(data)
    assert (doubled_ranks(d[None])[0] / 2).tolist() == expected["ranks"]
    result = paired_test("wilcoxon", d, alternative="greater")
    assert (result.statistic, result.p) == (expected["W_plus"], expected["p"])
    assert result.exact


def identical(data, expected, _):
    for name in TESTS:
        result = paired_test(name, _difference(data), rng=rng_for(2))
        assert result.p == expected["p"]
        assert result.degenerate


def nothing_to_correct(data, expected, _):
    for method in METHODS:
        assert adjust(data["p"], method).p.tolist() == expected["adjusted"]


def family_is_stated(data, expected, _):
    names, p = list(data["p"]), list(data["p"].values())
    each = adjust(p, "holm", family=[[name] for name in names])
    for name, row in zip(names, each.p, strict=True):
        assert row == pytest.approx(expected["family per measure"][name], rel=1e-12)
    assert str(each) == "Holm; 2 families: nDCG@10 (3 tests), RR@10 (3 tests)"
    one = adjust(np.ravel(p), "holm")
    assert one.p == pytest.approx(expected["one family of six"], rel=1e-12)
    assert str(one) == "Holm; family: all tests (6 tests)"


def paired(data, expected, _):
    result = paired_test("t", _difference(data))
    assert abs(result.statistic) == pytest.approx(expected["t"], rel=1e-12)
    assert result.p == pytest.approx(expected["p_t"], rel=1e-10)
    assert paired_test("randomisation", _difference(data)).p == expected["p_signflip"]


def seed_fixes_p(data, expected, monkeypatch):
    assert paired_test("randomisation", data["diffs"]).p == expected["p_exact"]
    monkeypatch.setattr(resampled, "MOST_EXACT", 0)
    found = {
        float(paired_test("randomisation", data["diffs"], rng=rng_for(3), workers=workers).p)
        for workers in (1, 1, 2, 3, 7)
    }
    assert len(found) == 1
    assert found.pop() == pytest.approx(expected["p_exact"], abs=0.015)


def ties_count_half(data, expected, _):
    names = list(expected)
    for order in (names, names[::-1]):
        rates = win_rate([data["scores"][name] for name in order])
        assert dict(zip(order, rates.tolist(), strict=True)) == expected


def critical_difference(data, expected, _):
    systems, topics, level = data["k"], data["n"], 1 - data["alpha"]
    found = nemenyi(systems, topics, level)
    assert found == pytest.approx(expected["cd"], rel=1e-9)
    q = found / np.sqrt(systems * (systems + 1) / (6 * topics))
    assert q == pytest.approx(expected["q_over_sqrt2"], rel=1e-9)


HERE = {
    "permutation-p-never-zero": never_zero,
    "wilcoxon-tied-ranks": tied_ranks,
    "identical-systems": identical,
    "correction-empty": nothing_to_correct,
    "correction-family-is-a-choice": family_is_stated,
    "paired-not-unpaired": paired,
    "seed-fixes-monte-carlo-p": seed_fixes_p,
    "win-rate-ties-half": ties_count_half,
    "nemenyi-critical-difference": critical_difference,
}


@pytest.mark.usefixtures("conformance_folder")
@pytest.mark.parametrize("case", HERE)
def test_case(case, monkeypatch):
    HERE[case](CASES[case]["data"], CASES[case]["expected"], monkeypatch)


@pytest.mark.usefixtures("conformance_folder")
def test_every_case_is_tested_somewhere():
    assert sorted({*HERE, *ELSEWHERE}) == sorted(CASES)
    assert not HERE.keys() & ELSEWHERE.keys()


@pytest.mark.parametrize(("case", "file"), ELSEWHERE.items())
def test_the_other_files_name_their_cases(case, file):
    assert case in Path(__file__).with_name(file).read_text()
