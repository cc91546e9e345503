"""All conventions at once equal each alone, and what is said of them equals brute force."""

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.stats
from collections_drawn import drawn_runs
from shared_data import Collection

from ndcgstudy import Judgments, Rankings, score
from ndcgstudy.conventions import multiverse as module
from ndcgstudy.conventions.comparing import tools_beside
from ndcgstudy.conventions.convention import KNOWN, Convention
from ndcgstudy.conventions.multiverse import CHOICES, Multiverse, multiverse, ranks_of, vary
from ndcgstudy.conventions.shared import Many, evaluate
from ndcgstudy.conventions.stacking import Shared
from ndcgstudy.measures import MEASURES

NDCG = MEASURES.parse("nDCG@5")
EVERY: dict[str, tuple[Any, ...]] = {
    "gain": ("linear", "exponential"),
    "discount": ("log2", "jk2002(base=3)"),
    "ideal": ("cut", "all", "retrieved"),
    "ties": ("trec", "average", "input"),
    "unjudged": ("nonrelevant", "condensed", "optimistic"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "one", "skip"),
    "precision": ("float32", "float64"),
    "exclude_self": (False, True, "run"),
    "negative": ("zero", "unjudged", "judged"),
}


def collection(seed: int, runs: int, *, negative: bool = False) -> tuple[Judgments, list[Rankings]]:
    """Draw a collection; with negative grades, each 0 is one with probability 1/2."""
    rng = np.random.default_rng(seed)
    qrels, each = drawn_runs(rng, runs)
    if negative:
        qrels = {
            t: {d: g or -int(rng.integers(2)) for d, g in docs.items()} for t, docs in qrels.items()
        }
    return Judgments.from_dict(qrels), [
        Rankings.from_dict(run, f"run{i}") for i, run in enumerate(each)
    ]


def conventions(choices: dict[str, tuple[Any, ...]]) -> list[Convention]:
    each = itertools.product(*choices.values())
    return [Convention().but(**dict(zip(choices, levels, strict=True))) for levels in each]


def alone(judgments: Judgments, runs: list[Rankings], how: Convention, part: Any = NDCG) -> Any:
    (scores,) = score(judgments, runs, how.rewrite(part), how.policy).scores.values()
    return scores


def some(each: list[Convention], count: int) -> list[int]:
    return np.random.default_rng(5).choice(len(each), count, replace=False).tolist()


def test_each_convention_is_scored_as_if_alone() -> None:
    judgments, runs = collection(1, 4, negative=True)
    each = conventions(EVERY)
    many = evaluate(judgments, runs, each, [NDCG])
    assert len(many.raw) == len(each) / 6  # missing and no_relevant share their lists
    means = many.means()
    for i in some(each, 250):
        scores = alone(judgments, runs, each[i])
        np.testing.assert_array_equal(many.values(i), scores.values, err_msg=str(each[i]))
        np.testing.assert_array_equal(means[i], scores.mean())


@pytest.mark.parametrize("measure", ["nDCG", "DCG@3", "AP", "RR@2", "RBP(p=0.5)", "Judged@3"])
def test_other_measures_are_scored_as_if_alone(measure: str) -> None:
    judgments, runs = collection(2, 3)
    part = MEASURES.parse(measure)
    each = conventions(CHOICES)
    many = evaluate(judgments, runs, each, [NDCG, part])
    for i in some(each, 40):
        scores = alone(judgments, runs, each[i], part)
        np.testing.assert_array_equal(many.values(i, 1), scores.values, err_msg=str(each[i]))


def test_blocks_of_runs_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments, runs = collection(3, 5)
    each = conventions(CHOICES)
    whole = evaluate(judgments, runs, each, [NDCG]).means()
    monkeypatch.setattr("ndcgstudy.conventions.shared.BLOCK", 800)
    np.testing.assert_array_equal(whole, evaluate(judgments, iter(runs), each, [NDCG]).means())


def test_gains_of_another_ideal_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    # Were what is shared keyed too loosely, the comparison with each alone would fail.
    judgments, runs = collection(1, 2)
    each = conventions({"ideal": ("cut", "retrieved")})
    monkeypatch.setattr(Shared, "with_ideal", lambda self, ideal: self)
    wrong = evaluate(judgments, runs, each, [NDCG])
    assert not np.array_equal(wrong.values(1), alone(judgments, runs, each[1]).values)


def test_real_runs_are_scored_as_if_alone(covid: Collection) -> None:
    runs = covid.some(5)
    found = multiverse(covid.judgments, runs)
    for i in some(list(found.many.conventions), 12):
        scores = alone(covid.judgments, runs, found.many.conventions[i], MEASURES.parse("nDCG@10"))
        np.testing.assert_array_equal(found.many.values(i), scores.values)


def test_mistakes_in_runs_are_told_together() -> None:
    judgments, runs = collection(4, 2)
    lost = [Rankings.from_dict({"none": {"a": 1.0}}, name, f"{name}.txt") for name in "xy"]
    with pytest.raises(
        ValueError, match=r"x\.txt: no topic of the run is in the qrels\ny\.txt: no"
    ):
        multiverse(judgments, [*runs, *lost])
    with pytest.raises(ValueError, match="two runs are named 'run'"):
        multiverse(judgments, [runs[0], runs[0]])
    tied = [Rankings.from_dict({"1": {"a": 1.0, "b": 1.0}}, name, f"{name}.txt") for name in "xy"]
    with pytest.raises(ValueError, match="tie at score") as error:
        multiverse(judgments, tied, choices={"ties": ("error",)})
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == ["x.txt", "y.txt"]


# ranges, orders


@pytest.fixture(scope="module")
def found() -> Multiverse:
    return multiverse(*collection(6, 6), NDCG)


@pytest.fixture(scope="module")
def means(found: Multiverse) -> np.ndarray:
    """The means, each from a scoring of its own."""
    judgments, runs = collection(6, 6)
    return np.array([alone(judgments, runs, how).mean() for how in found.many.conventions])


def test_ranges_of_runs(found: Multiverse, means: np.ndarray) -> None:
    table = found.runs().set_index("run")
    for j, name in enumerate(found.many.systems):
        row = table.loc[name]
        assert (row["score"], row["lowest"], row["highest"]) == (
            means[0, j],
            means[:, j].min(),
            means[:, j].max(),
        )
        place = 1 + (means > means[:, [j]]).sum(axis=1)
        ranks = [row["rank"], row["best_rank"], row["worst_rank"]]
        assert ranks == [place[0], place.min(), place.max()]
        names = found.names()
        assert means[names.index(row["highest_by"]), j] == row["highest"]
        assert means[names.index(row["lowest_by"]), j] == row["lowest"]
    assert table["rank"].is_monotonic_increasing


def test_equal_runs_share_a_rank() -> None:
    assert ranks_of(np.array([[0.5, 0.7, 0.5, 0.1]])).tolist() == [[2, 1, 2, 4]]


def test_orders_are_compared_with_the_default(found: Multiverse, means: np.ndarray) -> None:
    table = found.conventions()
    assert list(table)[: len(CHOICES)] == list(CHOICES)
    for i in range(0, len(means), 17):
        expected = scipy.stats.kendalltau(means[i], means[0]).statistic
        assert table["tau"][i] == pytest.approx(expected)
        assert table["mean"][i] == pytest.approx(means[i].mean())


def test_one_run_has_ranges_and_no_order() -> None:
    judgments, runs = collection(6, 1)
    one = multiverse(judgments, runs, NDCG)
    assert one.conventions()["tau"].isna().all()
    assert (one.shares()["flipped"] == 0).all()
    assert one.agreement().frame().empty


# which choice moves most


def made(values: np.ndarray) -> Multiverse:
    """Return a multiverse of three made-up choices with the means given, (2, 3, 2, systems)."""
    choices = {"gain": (1, 2), "ideal": (1, 2, 3), "ties": (1, 2)}
    flat = values.reshape(12, 1, -1, 1)
    yes = np.ones((flat.shape[2], 1), dtype=bool)
    names = tuple(f"s{i}" for i in range(flat.shape[2]))
    many = Many(
        (Convention(),) * 12,
        (NDCG,),
        names,
        ("t",),
        flat,
        np.arange(12),
        yes,
        np.ones((12, 1), bool),
    )
    return Multiverse(choices, many)


def test_shares_of_a_sum_add_up() -> None:
    a, b = np.array([0, 0.3])[:, None, None, None], np.array([0, 0.1, 0.5])[:, None, None]
    table = made(np.zeros((2, 3, 2, 1)) + a + b).shares().set_index("choice")
    total = np.var([0, 0.3]) + np.var([0, 0.1, 0.5])
    assert table["share"].to_dict() == pytest.approx(
        {"gain": np.var([0, 0.3]) / total, "ideal": np.var([0, 0.1, 0.5]) / total, "ties": 0}
    )
    assert table["total"].to_numpy() == pytest.approx(table["share"].to_numpy())
    assert table["moved"].to_dict() == pytest.approx({"gain": 0.3, "ideal": 1 / 3, "ties": 0})


def test_an_interaction_belongs_to_both_choices_and_to_none_alone() -> None:
    sign = np.array([1.0, -1.0])
    values = sign[:, None, None, None] * sign[None, None, :, None] * np.ones((2, 3, 2, 1))
    table = made(values).shares().set_index("choice")
    assert table["share"].to_numpy() == pytest.approx([0, 0, 0], abs=1e-12)
    assert table["total"].to_dict() == pytest.approx({"gain": 1, "ties": 1, "ideal": 0})


def test_shares_by_the_whole_decomposition() -> None:
    # By inclusion and exclusion over all subsets of choices: components sum to the variance.
    values = np.random.default_rng(8).random((2, 3, 2, 4))
    axes, table = (0, 1, 2), made(values).shares().set_index("choice")
    explained = {}
    for subset in itertools.chain.from_iterable(
        itertools.combinations(axes, n) for n in range(1, 4)
    ):
        over = tuple(set(axes) - set(subset))
        kept = values.mean(axis=over, keepdims=True).var(axis=axes).sum()
        explained[subset] = kept - sum(v for s, v in explained.items() if set(s) < set(subset))
    whole = values.var(axis=axes).sum()
    assert sum(explained.values()) == pytest.approx(whole)
    for axis, name in enumerate(("gain", "ideal", "ties")):
        assert table.loc[name, "share"] == pytest.approx(explained[(axis,)] / whole)
        total = sum(v for s, v in explained.items() if axis in s)
        assert table.loc[name, "total"] == pytest.approx(total / whole)


def test_a_shift_of_all_runs_moves_scores_and_no_gap() -> None:
    values = np.random.default_rng(9).random(5) + np.array([0, 0.4])[:, None, None, None]
    table = made(values + np.zeros((2, 3, 2, 5))).shares().set_index("choice")
    assert table.loc["gain", "share"] == pytest.approx(1)
    assert table["order"].abs().max() == table["flipped"].max() == 0


def test_flips_are_counted_when_a_choice_changes_alone(
    found: Multiverse, means: np.ndarray
) -> None:
    table = found.shares().set_index("choice")
    for axis, name in enumerate(CHOICES):
        each = np.moveaxis(means.reshape(*found.shape, -1), axis, 0)
        flips = []
        for one, two in itertools.combinations(each, 2):
            for a, b in zip(one.reshape(-1, 6), two.reshape(-1, 6), strict=True):
                pairs = itertools.combinations(range(6), 2)
                flips += [(a[i] - a[j]) * (b[i] - b[j]) < 0 for i, j in pairs]
        assert table.loc[name, "flipped"] == pytest.approx(np.mean(flips))


def test_choices_that_change_nothing_have_no_share() -> None:
    table = made(np.full((2, 3, 2, 3), 0.7)).shares()
    assert (table[["share", "total", "order", "moved", "flipped"]] == 0).all(axis=None)


# what is varied


def test_choices_are_read() -> None:
    read = vary(["gain=table(0,1,5) linear", "no-relevant=skip", "exclude_self=False run"])
    assert read["gain"] == ("table(0,1,5)", "linear")
    assert read["no_relevant"] == ("skip",)
    assert read["exclude_self"] == (False, "run")
    assert vary([]) == CHOICES


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gian=linear", "unknown setting 'gian'; did you mean 'gain'?"),
        ("gain=lineer", "did you mean 'linear'?"),
        ("ties=trec mean", "unknown ties 'mean'"),
        ("ties", "cannot read 'ties'"),
        ("ties=", "cannot read 'ties='"),
        ("ties", "NAME one of average, discount, exclude_self, gain, ideal, missing, negative,"),
    ],
)
def test_wrong_choices_are_told(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        vary([text])
    assert message in str(error.value)


def test_all_wrong_choices_are_told_at_once() -> None:
    with pytest.raises(ValueError, match=r".") as error:
        vary(["ties=mean", "gain=lineer", "x=y"])
    assert len(str(error.value).splitlines()) == 3


def test_choices_of_ndcg_are_left_out_for_others() -> None:
    judgments, runs = collection(6, 2)
    assert list(multiverse(judgments, runs, "AP").choices) == [
        name for name in CHOICES if name not in ("gain", "discount", "ideal")
    ]
    with pytest.raises(ValueError, match="the convention sets gain and discount"):
        multiverse(judgments, runs, "nDCG(gain=exponential)@10")


def test_the_default_is_the_first_of_every_choice(found: Multiverse) -> None:
    assert found.many.conventions[0] == Convention()
    assert found.names()[0] == "default"
    assert module.CHOICES is CHOICES


# topics and runs that do not count


def test_a_topic_without_documents_is_missing() -> None:
    judgments = Judgments.from_dict({"q": {"a": 1}, "empty": {"a": 1}})
    run = Rankings.from_dict({"q": {"a": 1.0}, "empty": {}})
    each = conventions({"missing": ("zero", "skip")})
    many = evaluate(judgments, [run], each, [NDCG])
    for i, how in enumerate(each):
        np.testing.assert_array_equal(many.values(i), alone(judgments, [run], how).values)
    assert many.means()[:, 0].tolist() == [0.5, 1.0]


def test_a_run_of_which_nothing_counts_is_left_out() -> None:
    # Nothing relevant was retrieved: 0/0 with the ideal of the retrieved, and left out by "skip".
    judgments = Judgments.from_dict({"q": {"a": 1, "b": 0, "c": 1}})
    lists = {"none": ["b"], "good": ["a", "b", "c"], "bad": ["b", "c"]}
    runs = [
        Rankings.from_dict({"q": {doc: -float(i) for i, doc in enumerate(docs)}}, name)
        for name, docs in lists.items()
    ]
    found = multiverse(judgments, runs)
    table = found.runs().set_index("run")
    assert np.isnan(found.means()).any()
    assert table.loc["none", ["lowest", "highest", "worst_rank"]].tolist() == [0, 1, 3]
    assert np.isfinite(found.conventions()[["mean", "tau"]]).all(axis=None)
    two = multiverse(judgments, runs[1:])
    np.testing.assert_allclose(
        found.shares().set_index("choice")["share"], two.shares().set_index("choice")["share"]
    )
    lone = multiverse(judgments, runs[:1])
    assert (lone.shares()[["share", "total", "moved", "flipped"]] == 0).all(axis=None)
    assert len(lone.agreement().frame()) == 0


def test_tools_beside_each_other() -> None:
    judgments, runs = collection(6, 5)
    table = tools_beside(judgments, runs, "nDCG@5", "trec_eval-9").set_index("tool")
    means = {name: alone(judgments, runs, t.convention).mean() for name, t in KNOWN.items()}
    first = means["trec_eval-9"]
    for name, own in means.items():
        row = table.loc[name]
        pairs = list(itertools.combinations(range(5), 2))
        flipped = [(own[i] - own[j]) * (first[i] - first[j]) < 0 for i, j in pairs]
        assert row["mean"] == pytest.approx(own.mean())
        assert row["flipped"] == pytest.approx(np.mean(flipped))
        assert row["most_changed"] == pytest.approx(np.abs(own - first).max())
        assert row["runs_changed"] == (np.abs(own - first) > 1e-4).sum()
    assert table.loc["pytrec_eval", "runs_changed"] == 0 < table.loc["gdeval", "runs_changed"]
