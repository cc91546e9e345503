"""Agreement with preferences: counts, rates and strata against loops and known figures."""

import json
from collections import Counter

import music
import numpy as np
import pytest
from music import sample

from ndcgstudy.agreement.ceiling import ceiling
from ndcgstudy.agreement.counts import COUNTS, RATES, outcomes, rates, signs, three_way
from ndcgstudy.agreement.report import FIRST, report
from ndcgstudy.agreement.strata import BOTH, ONE_SIDE, TIE, bin_names, by_size, strata
from ndcgstudy.formats.preferences import read_preferences

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def every(data_folder):
    """All pairs, graded by all judgments of their queries."""
    return read_preferences(music.pairs_file(data_folder), music.judgments(data_folder))


@pytest.fixture(scope="module")
def pairs(every):
    """The pairs of each set."""
    return {name: every.select(every.columns["dataset"] == name) for name in music.SETS}


def by_hand(difference, preference):
    """Count pair by pair."""
    found = [Counter() for _ in difference]
    for j, person in enumerate(preference):
        signs_ = [0 if abs(row[j]) <= 1e-12 else int(np.sign(row[j])) for row in difference]
        for counter, sign in zip(found, signs_, strict=True):
            if person == 0:
                counter["human_tie" if sign else "both_tie"] += 1
                continue
            kind = {1: "agree", -1: "disagree", 0: "tie"}[sign * person]
            counter[kind] += 1
            if all(signs_):
                counter[f"common_{kind}"] += 1
    return [[counter[name] for name in COUNTS] for counter in found]


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_a_plain_loop(seed):
    difference, preference, _ = sample(RNG(seed))
    counted = outcomes(difference, preference).sum(axis=0)
    assert counted.tolist() == by_hand(difference, preference)


def test_every_pair_counts_once_and_common_pairs_are_the_same_for_all_measures():
    difference, preference, _ = sample(RNG(1))
    counted = outcomes(difference, preference)
    once = counted[..., [0, 1, 2, 5, 6]].sum(axis=-1)
    assert (once == 1).all()
    common = counted[..., 3] | counted[..., 4]
    assert (common == common[:, :1]).all()


def test_changing_over_the_sides_changes_nothing():
    difference, preference, _ = sample(RNG(2))
    flip = RNG(3).choice([-1, 1], preference.size)
    same = outcomes(difference * flip, preference * flip)
    assert (same == outcomes(difference, preference)).all()
    wrong = outcomes(difference * flip, preference)  # flipping one of the two is another thing
    assert (wrong != outcomes(difference, preference)).any()


def test_one_rule_of_ties():
    assert signs([1e-12, 1.1e-12, -1e-12, -2e-12]).tolist() == [0, 1, 0, -1]
    assert signs([0.05, -0.2], tolerance=0.1).tolist() == [0, -1]
    with pytest.raises(ValueError, match="`tolerance` must be a number at least 0"):
        signs([0.1], tolerance=-1)
    with pytest.raises(ValueError, match="must hold no NaN"):
        signs([np.nan])


@pytest.mark.parametrize("which", [0, 1])
def test_the_known_counts_of_the_music_pairs(pairs, which):
    name = list(music.SETS)[which]
    found = pairs[name]
    counted = outcomes(found.differences([*music.MEASURES]), found.preference).sum(axis=0)
    for (measure, known), row in zip(music.MEASURES.items(), counted.tolist(), strict=True):
        agree, decided, strict = known[which]
        assert (row[0], row[0] + row[1]) == (agree, decided), measure
        assert sum(row[:3]) == music.SETS[name]
        assert rates(np.array(row))[1] == pytest.approx(strict, abs=5e-4), measure


def test_the_order_of_measures_turns_with_the_way_ties_are_counted(pairs):
    for found in pairs.values():
        difference = found.differences([*music.MEASURES])
        rate = rates(outcomes(difference, found.preference).sum(axis=0))
        at = [*music.MEASURES].index("RR@5")
        others = np.delete(rate, at, axis=0)
        assert rate[at, 1] < others[:, 1].min()
        assert rate[at, 0] > np.median(others[:, 0])


def test_any_ideal_that_both_lists_share_gives_the_same_counts(pairs, data_folder):
    own = read_preferences(music.pairs_file(data_folder))
    for name, found in pairs.items():
        other = own.select(own.columns["dataset"] == name)
        for measure in ("nDCG@5", "nDCG(gain=exp)@5"):
            one, two = (p.differences([measure]) for p in (found, other))
            assert (signs(one) == signs(two)).all()
            assert np.abs(one - two).max() > 0.1  # though not the same differences


@pytest.mark.parametrize(
    ("name", "one_side", "both"),
    [("urbano2012", (429, 463), (719, 841)), ("urbano2015", (617, 655), (1246, 1413))],
)
def test_the_known_strata_of_the_music_pairs(pairs, name, one_side, both):
    found = pairs[name]
    labels = strata(found, "relevant")
    counted = outcomes(found.differences(["nDCG@5"]), found.preference)
    for label, (agree, decided) in ((ONE_SIDE, one_side), (BOTH, both)):
        row = counted[labels == label, 0].sum(axis=0)
        assert (row[0], row[0] + row[1]) == (agree, decided)


def test_the_known_rates_by_tenths_of_the_difference(pairs):
    found = pairs["urbano2012"]
    difference = found.differences(["nDCG@5"])
    labels = by_size(difference[0])
    counted = outcomes(difference, found.preference)[:, 0]
    sums = [counted[labels == name].sum(axis=0) for name in bin_names(difference)]
    assert [(int(s[0]), int(s[0] + s[1])) for s in sums] == [
        *((43, 71), (63, 86), (72, 90), (75, 90), (110, 124)),
        *((131, 153), (109, 120), (137, 145), (155, 163), (253, 262)),
    ]
    known = [0.61, 0.73, 0.80, 0.83, 0.89, 0.86, 0.91, 0.95, 0.95, 0.97]
    # 137/145 = .9448 is known as .95: it was rounded twice.
    assert [s[0] / (s[0] + s[1]) for s in sums] == pytest.approx(known, abs=0.0053)


def test_bins_hold_ties_apart_and_edges_go_up():
    x = 0.1 + 0.2 - 0.3  # 5.6e-17
    assert 1 - 0.9 < 0.1  # on an edge but for rounding: the upper bin
    assert by_size([1 - 0.9, 0.7 - 0.4]).tolist() == ["0.1-0.2", "0.3-0.4"]
    assert by_size([x, 0.3, 0.1 + 0.2, 1.0, 0.999]).tolist() == [
        *(TIE, "0.3-0.4", "0.3-0.4", "0.9-1.0", "0.9-1.0")
    ]
    assert by_size([2.0, 5.0, 0.4]).tolist() == ["2.00-2.50", "4.50-5.00", "0.00-0.50"]
    assert len(bin_names([0.5], bins=4)) == 4


def test_strata_name_a_column_or_are_refused(pairs):
    found = pairs["urbano2012"]
    assert set(strata(found, "batch").tolist()) == set(found.columns["batch"].tolist())
    with pytest.raises(ValueError, match="no column 'btach'; did you mean 'batch'"):
        strata(found, "btach")


def test_the_conformance_case_of_ties(conformance_folder):
    cases = json.loads((conformance_folder / "stat_cases.json").read_text())
    case = next(
        c
        for c in (cases["cases"] if isinstance(cases, dict) else cases)
        if c["id"] == "preference-agreement-ties"
    )
    answers = case["data"]["preferences"]
    score = case["data"]["nDCG"]
    difference = [score[a][t] - score[b][t] for t, a, b, _ in answers]
    preference = [{"A": 1, "B": -1, "tie": 0}[word] for *_, word in answers]
    counts = outcomes([difference], preference).sum(axis=0)[0].astype(float)
    agree, disagree, tie, _, _, human, both = counts
    rate, _, half, _ = rates(counts)
    ours = {
        "strict, decided by both": (agree, agree + disagree, rate),
        "metric tie counts half, user ties dropped": (
            agree + tie / 2,
            agree + disagree + tie,
            half,
        ),
        "three-way (tie must match tie)": (agree + both, len(answers), float(three_way(counts))),
    }
    assert human == 0
    for way, expected in case["expected"].items():
        assert ours[way] == pytest.approx(tuple(expected[k] for k in ("agree", "n", "rate")))


def test_the_report_has_the_known_likelihoods(every):
    """Those of DCG with two gains on the decided answers of both sets, as science knows them."""
    found = report(every, ["DCG@5", "DCG(gain=exp)@5"], rng=RNG(0), resamples=20).table()
    assert list(found.columns[: len(FIRST)]) == list(FIRST)
    assert found["loglik"].tolist() == pytest.approx([-1055.6, -1077.6], abs=0.05)


def test_strata_have_likelihoods_of_their_own(pairs):
    how = {"rng": RNG(0), "stratum": "relevant", "resamples": 20}
    table = report(pairs["urbano2012"], ["nDCG@5", "RR@5"], **how).table()
    whole = table[table["stratum"] == "all"]["loglik"].to_numpy()
    parts = table[table["stratum"] != "all"].groupby("measure", sort=False)["loglik"].sum()
    assert (parts.to_numpy() > whole).all()  # a slope a stratum fits better
    nothing = table[table["stratum"] == "nothing relevant"]
    assert nothing["loglik"].tolist() == pytest.approx((nothing["tie"] * np.log(0.5)).tolist())


def test_a_report_by_set_is_that_of_each_set_with_its_name(every):
    found = report(every, ["nDCG@5", "RR@5"], rng=RNG(0), by="dataset", resamples=50)
    table = found.table()
    assert table["set"].tolist() == ["urbano2012", "urbano2012", "urbano2015", "urbano2015"]
    assert table["agree"].tolist() == [1148, 859, 1863, 1480]
    assert set(found.tests) == {(s, t) for s in music.SETS for t in ("dropped", "missed")}
    assert "set urbano2012: 2200 answers on 2184 pairs of 73 queries: 1316 prefer a list" in (
        " ".join(found.notes)
    )
    assert any("27 answers on two identical lists, 2 with a preference" in n for n in found.notes)
    for words in ("1e-12 is a tie", "query's judgments", "human ties apart", "50 resamples"):
        assert words in found.convention


def test_differences_that_are_ties_say_nothing_in_the_likelihood():
    """All follow the difference: of no size that counts, it says 1/2 of each answer."""
    pair = {"A_docs": ["a"], "B_docs": ["b"], "A_grades": [1], "B_grades": [0], "pref": "A"}
    pairs = read_preferences([{**pair, "query": query} for query in "xyz"])
    for tolerance, expected in ((0.5, 0.0), (1.0, 3 * np.log(0.5))):
        found = report(pairs, ["P@1"], rng=RNG(0), tolerance=tolerance)
        assert found.logliks["all", "all", "P@1"] == pytest.approx(expected, abs=1e-9)


def test_people_who_answered_the_same_pair_are_set_beside_each_other(tmp_path):
    """Three answers on one pair, one with the sides changed over, and two on another."""
    one = {"A_docs": ["a"], "B_docs": ["b"], "A_grades": [1], "B_grades": [0]}
    over = {"A_docs": ["b"], "B_docs": ["a"], "A_grades": [0], "B_grades": [1]}
    rows = [
        ("q1", one, "A"),
        ("q1", over, "B"),
        ("q1", one, "B"),
        ("q2", one, "A"),
        ("q2", over, "B"),
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(json.dumps({"query": q, **p, "pref": w}) for q, p, w in rows))
    pairs = read_preferences(path)
    (said,) = [n for n in report(pairs, ["P@1"], rng=RNG(0)).notes if "several answers" in n]
    agree = (2 / 2 + 2 / 1) / 5  # of ordered pairs of answers, items by their answers
    assert (
        f"on 2 pairs with several answers that prefer a list, two of them agree in {agree:.3f}"
        in said
    )
    assert f"with {agree:.3f} to {(1 + (2 * agree - 1) ** 0.5) / 2:.3f} of answers" in said
    mixed = ceiling(pairs.preference, pairs.pair, pairs.topic)  # sides taken as they come
    assert mixed.agreement != pytest.approx(agree)
    for other in (pairs.answers("majority"), pairs.select([0, 3])):
        assert not any("two of them" in n for n in report(other, ["P@1"], rng=RNG(0)).notes)


def test_rates_have_names():
    assert RATES == ("rate", "strict", "half", "common_rate")
    assert np.isnan(rates(np.zeros(5))).all()
