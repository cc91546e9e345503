"""Davidson's model against statsmodels, brute force, published figures and simulated answers."""

import gzip
import json

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import approx_fprime, minimize

from ndcgstudy.agreement.heldout import Lead, fold_of, held_out, lead
from ndcgstudy.agreement.likelihood import fit, fitted_loglik
from ndcgstudy.agreement.weights import grade_gaps, rank_gaps, ratios
from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.formats.preferences import read_preferences
from ndcgstudy.gains import GAINS

ANSWERS = {"A": 1, "B": -1, "tie_good": 0, "tie_bad": 0}


def log_chances(x, nu):
    """The log-probabilities of B, tie, A by their definition."""
    weights = np.array([np.exp(-x / 2), nu * np.ones_like(x), np.exp(x / 2)])
    return np.log(weights / weights.sum(axis=0))


def drawn(rng, pairs=400, slope=3.0, nu=0.8, position=0.0, clusters=40):
    d = rng.normal(size=pairs)
    chances = np.exp(log_chances(slope * d + position, nu))
    u = rng.random(pairs)
    answers = (u > chances[0]).astype(int) + (u > chances[:2].sum(axis=0)) - 1
    return d, answers, rng.integers(0, clusters, size=pairs)


def loss(parameters, d, answers, position=False):
    """Minus the log-likelihood by the definition, of slope, (position,) log nu."""
    x = parameters[0] * d + (parameters[1] if position else 0)
    return -log_chances(x, np.exp(parameters[-1]))[answers + 1, np.arange(len(d))].sum()


@pytest.mark.parametrize("position", [False, True])
def test_the_maximum_is_that_of_brute_force(rng, position):
    d, answers, cluster = drawn(rng, position=0.3)
    found = fit(d, answers, cluster, position=position)
    rough = minimize(loss, np.zeros(2 + position), (d, answers, position), "Nelder-Mead", tol=1e-10)
    assert found.loglik == pytest.approx(-rough.fun, abs=1e-8)
    assert found.parameters == pytest.approx(rough.x, abs=1e-4)
    assert found.aic == pytest.approx(2 * rough.fun + 2 * (2 + position))
    assert (found.slope, found.nu) == (found.parameters[0], np.exp(found.parameters[-1]))
    assert found.position == (found.parameters[1] if position else 0)


def test_errors_come_from_the_second_derivatives_and_the_sums_of_scores_over_clusters(rng):
    d, answers, cluster = drawn(rng)
    found = fit(d, answers, cluster)
    at = found.parameters

    def gradient(one, rows):
        return approx_fprime(one, loss, 1e-6, d[rows], answers[rows])

    steps = np.eye(2) * 1e-4
    every = np.arange(len(d))
    second = [(gradient(at + h, every) - gradient(at - h, every)) / 2e-4 for h in steps]
    bread = np.linalg.inv(np.array(second))
    sums = np.array([gradient(at, cluster == c) for c in np.unique(cluster)])
    g, m = len(sums), len(d)
    meat = g / (g - 1) * (m - 1) / (m - 2) * sums.T @ sums
    assert found.se == pytest.approx(np.sqrt(np.diag(bread)), rel=1e-3)
    assert found.clustered_se == pytest.approx(np.sqrt(np.diag(bread @ meat @ bread)), rel=1e-3)
    assert found.covariance == pytest.approx(bread @ meat @ bread, rel=1e-2, abs=1e-6)


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("columns", [1, 3])
def test_without_ties_it_is_the_logistic_regression_of_statsmodels(rng, columns, position):
    first, answers, cluster = drawn(rng, slope=1.0)
    d = np.column_stack([first, rng.normal(size=(len(first), 2))])[:, :columns]
    kept = answers != 0
    design = sm.add_constant(d[kept], prepend=False) if position else d[kept]
    labels = np.unique(cluster[kept], return_inverse=True)[1]
    model = sm.Logit(answers[kept] > 0, design)
    plain = model.fit(disp=0, tol=1e-12)
    robust = model.fit(disp=0, tol=1e-12, cov_type="cluster", cov_kwds={"groups": labels})
    for found in (
        fit(d, answers, cluster, ties="dropped", position=position),
        fit(d[kept], answers[kept], cluster[kept], position=position),
    ):
        assert found.loglik == pytest.approx(plain.llf, abs=1e-9)
        assert found.parameters == pytest.approx(plain.params, rel=1e-6)
        assert found.se == pytest.approx(plain.bse, rel=1e-6)
        assert found.clustered_se == pytest.approx(robust.bse, rel=1e-6)
        assert found.aic == pytest.approx(plain.aic)
        assert (found.pairs, found.clusters, found.nu) == (kept.sum(), labels.max() + 1, 0)


@given(
    st.floats(0.01, 100),
    st.lists(
        st.tuples(st.sampled_from([-2, -1, 0, 1, 2]), st.sampled_from([-1, 0, 1])),
        min_size=1,
        max_size=12,
    ),
)
def test_scale_and_side_of_a_measure_do_not_matter(factor, pairs):
    d, answers = np.array(pairs).T
    if not answers.any():
        return
    found = fit(d, answers, np.arange(len(d)))
    scaled = fit(d * factor, answers, np.arange(len(d)))
    turned = fit(-d, -answers, np.arange(len(d)))
    assert scaled.loglik == pytest.approx(found.loglik, abs=1e-6)
    assert turned.loglik == pytest.approx(found.loglik, abs=1e-9)
    assert scaled.separated == turned.separated == found.separated
    if not found.separated and d.any():
        assert scaled.slope * factor == pytest.approx(found.slope, rel=1e-4, abs=1e-4)


@given(
    st.lists(
        st.tuples(st.sampled_from([-2, -1, 0, 1, 2]), st.sampled_from([-1, 0, 1])),
        min_size=2,
        max_size=9,
    )
)
def test_answers_are_separated_just_where_a_direction_makes_all_of_them_likelier(pairs):
    """Differences are whole, so the edges of the directions lie at log nu = 0, 1/2 or 1 slope."""
    d, answers = np.array(pairs).T
    if not (answers.any() and d.any()):
        return

    def separates(slope, log_nu):
        logits = np.array([-slope * d / 2, np.full(len(d), log_nu), slope * d / 2])
        if not (answers == 0).any():
            logits = logits[[0, 2]][[0, 0, 1]]
        margins = logits[answers + 1, np.arange(len(d))] - logits
        return (margins >= 0).all() and (margins > 0).any()

    edges = [(slope, log_nu) for slope in (-1, 0, 1) for log_nu in (-1, -0.5, 0, 0.5, 1)]
    assert fit(d, answers, np.arange(len(d))).separated == any(separates(*edge) for edge in edges)


def test_perfect_agreement_is_said_to_be_so():
    found = fit([2, 1, -1, 0.5], [1, 1, -1, 1], [1, 1, 2, 3])
    assert found.separated
    assert (found.slope, found.nu) == (np.inf, 0)
    assert found.loglik == pytest.approx(0, abs=1e-9)
    assert np.isnan(found.se).all()
    assert fit([2, 1], [-1, -1], [1, 2]).slope == -np.inf
    with pytest.raises(ValueError, match="separated"):
        fitted_loglik(found, [1.0], [1])


def test_a_fit_without_ties_foretells_none():
    found = fit([1, 2, -1], [1, -1, -1], [1, 2, 3])
    assert fitted_loglik(found, [0.0], [1]) == pytest.approx(np.log(0.5))
    with pytest.raises(ValueError, match="no tie"):
        fitted_loglik(found, [0.0, 1.0], [1, 0])
    dropped = fit([1, 2, -1], [1, -1, -1], [1, 2, 3], ties="dropped")
    assert np.isnan(fitted_loglik(dropped, [0.0, 1.0], [1, 0])).tolist() == [False, True]


def test_a_measure_that_never_decides_has_no_slope_but_a_likelihood():
    answers = np.array([1, -1, 0, 1])
    found = fit(np.zeros(4), answers, [1, 1, 2, 3])
    assert np.isnan(found.slope)
    assert found.loglik == pytest.approx(3 * np.log(3 / 8) + np.log(1 / 4))
    assert found.aic == pytest.approx(2 - 2 * found.loglik)
    assert fitted_loglik(found, [0, 0], [1, 0]) == pytest.approx(np.log([3 / 8, 1 / 4]))
    some = fit(np.array([[1, 0], [2, 0], [1, 0], [-1, 0]]), answers, [1, 1, 2, 3])
    assert np.isnan(some.slopes).tolist() == [False, True]


def test_where_nothing_is_fitted_every_answer_is_as_likely():
    found = fit([0, 0, 0], [1, -1, 0], [1, 2, 3], ties="dropped")
    assert found.loglik == pytest.approx(2 * np.log(0.5))
    assert (found.aic, np.isnan(found.slope)) == (pytest.approx(-2 * found.loglik), True)


def test_one_cluster_has_no_clustered_error(rng):
    d, answers, _ = drawn(rng)
    found = fit(d, answers, np.zeros(len(d)))
    assert np.isnan(found.clustered_se).all()
    assert np.isfinite(found.se).all()


@pytest.mark.parametrize(
    ("words", "d", "answers", "how"),
    [
        ("no decided pair", [1, 2], [0, 0], {}),
        ("no decided pair", [1, 2], [0, 0], {"ties": "dropped"}),
        ("no decided pair", [], [], {}),
        ("got 2", [1, 2], [0, 2], {}),
        ("finite", [1, np.nan], [0, 1], {}),
        ("one entry a pair", [1, 2, 3], [0, 1], {}),
        ("did you mean 'dropped'", [1, 2], [0, 1], {"ties": "droped"}),
        ("depend on each other", [[1, 2], [2, 4], [3, 6]], [0, 1, -1], {}),
        ("depend on each other", [1, 1, 1], [0, 1, -1], {"position": True}),
    ],
)
def test_what_cannot_be_fitted_is_refused(words, d, answers, how):
    with pytest.raises(ValueError, match=words):
        fit(d, answers, np.arange(len(answers)), **how)


def test_intervals_cover_and_those_that_ignore_clusters_do_not(rng):
    """Slopes vary by query, so that pairs of a query depend on each other."""
    held = {"clustered": 0, "alone": 0}
    draws, g, size = 200, 60, 20
    cluster = np.repeat(np.arange(g), size)
    slopes, truth = [], 0.0
    for _ in range(draws):
        shift = rng.normal(size=g)[
            cluster
        ]  # the side of a query that people like for other reasons
        d, answers = np.ones(g * size), np.empty(g * size, dtype=int)
        chances = np.exp(log_chances(shift, 0.8))
        u = rng.random(g * size)
        answers[:] = (u > chances[0]).astype(int) + (u > chances[:2].sum(axis=0)) - 1
        found = fit(d, answers, cluster)
        slopes.append(found.slope)
        for name, se in (("clustered", found.clustered_se[0]), ("alone", found.se[0])):
            held[name] += abs(found.slope - truth) <= stats.t.ppf(0.975, g - 1) * se
    error = np.sqrt(0.95 * 0.05 / draws)
    assert held["clustered"] / draws == pytest.approx(0.95, abs=4 * error)
    assert held["alone"] / draws < 0.75


# Comparison on answers left out


def test_a_lead_is_the_mean_with_the_clustered_error_of_statsmodels(rng):
    values, cluster = rng.normal(size=300), rng.integers(0, 25, size=300)
    values += rng.normal(size=25)[cluster]
    found = lead(values, cluster, level=0.9)
    kwds = {"groups": cluster, "use_correction": False}
    fitted = sm.OLS(values, np.ones(300)).fit(cov_type="cluster", cov_kwds=kwds)
    se = fitted.bse[0] * np.sqrt(25 / 24)
    assert (found.mean, found.se) == pytest.approx((values.mean(), se))
    half = stats.t.ppf(0.95, 24) * se
    assert (found.low, found.high) == pytest.approx((found.mean - half, found.mean + half))
    assert lead(np.append(values, np.nan), np.append(cluster, 99)).pairs == 300
    assert np.isnan(lead([1.0, 2.0], [1, 1]).low)
    with pytest.raises(ValueError, match="no pair"):
        lead([np.nan], [1])
    with pytest.raises(ValueError, match="`cluster` must be of shape"):
        lead([1.0, 2.0], [1])


def test_folds_keep_clusters_whole_and_are_alike(rng):
    cluster = rng.integers(0, 60, size=2000)
    fold = fold_of(cluster, 7)
    assert all(len(set(fold[cluster == c])) == 1 for c in range(60))
    sizes = np.bincount(fold)
    assert sizes.max() - sizes.min() <= np.bincount(cluster).max()
    order = rng.permutation(2000)
    assert (fold_of(cluster[order], 7) == fold[order]).all()
    with pytest.raises(ValueError, match="at most the 60 clusters"):
        fold_of(cluster, 61)


def test_answers_left_out_are_scored_by_the_fit_to_all_others(rng):
    d, answers, cluster = drawn(rng)
    found = held_out(d, answers, cluster, folds=5)
    fold = fold_of(cluster, 5)
    for i in range(5):
        model = fit(d[fold != i], answers[fold != i], cluster[fold != i])
        chances = log_chances(model.slope * d[fold == i], model.nu)
        expected = chances[answers[fold == i] + 1, np.arange(np.sum(fold == i))]
        assert found[fold == i] == pytest.approx(expected)
    dropped = held_out(d, answers, cluster, folds=5, ties="dropped")
    assert (np.isnan(dropped) == (answers == 0)).all()
    with pytest.raises(ValueError, match=r"without fold 1 of 2: .*separated"):
        held_out([1, 1, -1, 1, 1], [1, 1, -1, 1, 1], [1, 2, 3, 4, 5], folds=2)


def test_columns_of_noise_win_on_the_answers_seen_and_lose_on_those_left_out(rng):
    d, answers, cluster = drawn(rng, pairs=600, slope=1.0)
    many = np.column_stack([d, rng.normal(size=(600, 15))])
    assert fit(many, answers, cluster).loglik > fit(d, answers, cluster).loglik + 3
    left = [held_out(x, answers, cluster).sum() for x in (many, d)]
    assert left[0] < left[1]


def test_measures_that_are_equally_wrong_are_told_apart_no_more_often_than_the_level(rng):
    """People go by the mean of two measures, which so lose alike."""
    draws, wrong = 300, 0
    for _ in range(draws):
        first, second = rng.normal(size=(2, 500))
        _, answers, cluster = drawn(rng, pairs=500)
        u = rng.random(500)
        chances = np.exp(log_chances(2 * (first + second), 0.8))
        answers = (u > chances[0]).astype(int) + (u > chances[:2].sum(axis=0)) - 1
        one, other = (fitted_loglik(fit(x, answers, cluster), x, answers) for x in (first, second))
        wrong += lead(one - other, cluster).told_apart
    assert wrong / draws <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / draws)
    assert wrong / draws >= 0.05 - 4 * np.sqrt(0.05 * 0.95 / draws)


def test_told_apart_says_whether_the_interval_leaves_out_0():
    assert Lead(1, 0.1, 0.8, 1.2, 9, 9).told_apart
    assert Lead(-1, 0.1, -1.2, -0.8, 9, 9).told_apart
    assert not Lead(0.1, 0.1, -0.1, 0.3, 9, 9).told_apart


# Free weights


def test_ratios_have_the_error_that_a_bootstrap_of_clusters_finds(rng):
    g, size = 80, 15
    cluster = np.repeat(np.arange(g), size)
    d = rng.normal(size=(g * size, 2))
    x = 2 * d[:, 0] + d[:, 1] * (1 + rng.normal(size=g)[cluster])
    u = rng.random(g * size)
    chances = np.exp(log_chances(x, 0.8))
    answers = (u > chances[0]).astype(int) + (u > chances[:2].sum(axis=0)) - 1
    found = ratios(fit(d, answers, cluster))
    draws = []
    for _ in range(300):
        picked = rng.integers(0, g, size=g)
        rows = (picked[:, None] * size + np.arange(size)).ravel()
        slopes = fit(d[rows], answers[rows], np.repeat(np.arange(g), size)).slopes
        draws.append(slopes[1] / slopes[0])
    error = 0.1 + 4 / np.sqrt(2 * 300)  # of linearisation, and of a standard deviation of 300 draws
    assert found.se[1] == pytest.approx(np.std(draws), rel=error)
    assert found.values[0] == 1
    assert found.se[0] == 0


def test_ratios_need_a_unit():
    rng = np.random.default_rng(3)
    d, answers, cluster = drawn(rng, slope=-1.0)
    falling = fit(np.column_stack([d, rng.normal(size=len(d))]), answers, cluster)
    with pytest.raises(ValueError, match=r"column 1 .* slope above 0"):
        ratios(falling)
    with pytest.raises(ValueError, match="separated"):
        ratios(fit([[1.0, 0], [0, 1]], [1, 1], [1, 2]))


# Real answers


@pytest.fixture(scope="module")
def music(data_folder):
    return read_preferences(data_folder / "preferences" / "music_pairs.jsonl.gz")


def gaps(music, discount, gain="linear"):
    weights = DISCOUNTS.parse(discount)(np.arange(1, 6))
    return rank_gaps(music, GAINS.parse(gain)) @ weights


@pytest.mark.parametrize(
    ("discount", "gain", "loglik"),
    [
        ("log2", "linear", -1055.6),
        ("log2", "exponential", -1077.6),
        ("geometric(p=0.8)", "linear", -1056.6),
        ("zipf", "linear", -1065.6),
        ("constant", "linear", -1079.7),
    ],
)
def test_both_sets_of_music_pairs_have_known_likelihoods(music, discount, gain, loglik):
    """DCG@5 on the 3,406 decided pairs of both sets together."""
    found = fit(gaps(music, discount, gain), music.preference, music.topic, ties="dropped")
    assert found.loglik == pytest.approx(loglik, abs=0.05)
    assert found.pairs == 3406


def test_the_music_pairs_ask_for_known_rank_weights(music):
    found = fit(
        rank_gaps(music, GAINS.parse("linear")), music.preference, music.topic, ties="dropped"
    )
    free = ratios(found)
    assert free.values == pytest.approx([1, 0.58, 0.63, 0.42, 0.32], abs=0.005)
    assert free.se[1:] == pytest.approx(0.08, abs=0.005)


def test_the_music_pairs_ask_for_a_gain_that_rises_more_slowly_than_the_grade(music):
    grades, columns = grade_gaps(music, DISCOUNTS.parse("log2"))
    found = ratios(fit(columns, music.preference, music.topic), unit=1)
    assert grades.tolist() == [1, 2]
    assert 0.5 < found.low[0] < found.high[0] < 1  # 1/2 is the linear gain, 1/3 the exponential
    direct = rank_gaps(music, GAINS.parse(f"table(0,{found.values[0]},1)"))
    again = fit(direct @ DISCOUNTS.parse("log2")(np.arange(1, 6)), music.preference, music.topic)
    assert again.loglik == pytest.approx(
        fit(columns, music.preference, music.topic).loglik, abs=1e-6
    )


@pytest.mark.parametrize(
    ("name", "slope", "nu"), [("urbano2012", 4.64, 2.53), ("urbano2015", 6.89, 4.53)]
)
def test_each_set_of_music_pairs_has_a_known_slope_and_weight_of_ties(
    data_folder, music, name, slope, nu
):
    """DCG@5 over that of five documents of grade 2, with a preference for a side.

    The lines of the file, taken as they stand, and the reader's pairs give the same.
    """
    path = data_folder / "preferences" / "music_pairs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [row for line in file if (row := json.loads(line))["dataset"] == name]
    grades = np.array([[row["A_grades"], row["B_grades"]] for row in rows], dtype=float)
    weights = 1 / np.log2(np.arange(2, 7))
    d = (grades[:, 0] - grades[:, 1]) @ weights / (2 * weights.sum())
    answers = [ANSWERS[row["pref"]] for row in rows]
    found = fit(d, answers, [row["query"] for row in rows], position=True)
    assert (found.slope, found.nu) == pytest.approx((slope, nu), abs=0.005)
    own = music.select(music.columns["dataset"] == name)
    read = fit(
        own.differences(["DCG@5"])[0] / (2 * weights.sum()),
        own.preference,
        own.topic,
        position=True,
    )
    assert read.loglik == pytest.approx(found.loglik, abs=1e-8)
    assert read.parameters == pytest.approx(found.parameters, abs=1e-6)


def test_no_free_weights_beat_log2_on_music_left_out_but_log2_beats_the_exponential_gain(music):
    base = held_out(gaps(music, "log2"), music.preference, music.topic)
    free = held_out(rank_gaps(music, GAINS.parse("linear")), music.preference, music.topic)
    other = held_out(gaps(music, "log2", "exponential"), music.preference, music.topic)
    assert not lead(free - base, music.topic).told_apart
    assert lead(base - other, music.topic).low > 0


@pytest.fixture
def rng():
    return np.random.default_rng(4)
