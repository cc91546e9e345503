"""Each law of the contract is broken here by a part made to break it: a law that none breaks is none."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import laws
import measure_laws
import numpy as np
import pytest

from ndcgstudy.discounts import DISCOUNTS, Log2, check_discount, sums_of
from ndcgstudy.gains import check_gain
from ndcgstudy.lists import Lists, total
from ndcgstudy.measures import DCG, P
from ndcgstudy.registry import Registry


def _writes(ranks: Any) -> Any:
    ranks = np.asarray(ranks, dtype=float) if np.ndim(ranks) == 0 else ranks
    ranks[...] = 1
    return ranks * 1.0


WRONG_DISCOUNTS: list[tuple[laws.Law, Callable[[Any], Any]]] = [
    (laws.discount_is_finite_and_not_negative, lambda ranks: 1.0 - np.log2(ranks)),
    (laws.discount_is_finite_and_not_negative, lambda ranks: np.where(ranks < 9, 1.0, np.nan)),
    (laws.discount_is_finite_and_not_negative, lambda ranks: np.where(ranks < 9, np.inf, 1.0)),
    (laws.discount_never_rises, lambda ranks: np.log2(1.0 + ranks)),
    (laws.discount_never_rises, lambda ranks: np.where(ranks < 10**9, 1.0, 2.0)),
    (laws.discount_is_of_the_rank_alone, lambda ranks: 1.0 - ranks / ranks.max()),
    (laws.discount_is_of_the_rank_alone, lambda ranks: 1.0 / np.arange(1, len(ranks) + 1)),
    (laws.discount_keeps_shapes, lambda ranks: 1.0 / np.ravel(ranks)),
    (laws.discount_keeps_shapes, lambda ranks: np.array([1.0 / r for r in np.atleast_1d(ranks)])),
    (laws.discount_takes_ints_and_floats, lambda ranks: ranks // ranks),
    (laws.discount_takes_ints_and_floats, lambda ranks: np.array([2.0, 1.0])[(ranks > 1) * ranks]),
    (laws.discount_leaves_its_input, _writes),
]
WRONG_GAINS: list[tuple[laws.Law, Callable[[Any], Any]]] = [
    (laws.gain_is_zero_at_grade_zero, lambda grades: 2.0**grades),
    (laws.gain_is_finite_and_never_falls, lambda grades: 1.0 - np.cos(2 * grades)),
    (laws.gain_is_finite_and_never_falls, lambda grades: np.where(grades > 2, np.inf, grades)),
    (laws.gain_is_of_the_grade_alone, lambda grades: grades / max(grades.max(initial=1.0), 1.0)),
    (laws.gain_is_of_the_grade_alone, np.ravel),
    (laws.gain_leaves_its_input, _writes),
]


@pytest.mark.parametrize(("law", "discount"), WRONG_DISCOUNTS)
def test_wrong_discount_breaks_the_law(law: laws.Law, discount: Any) -> None:
    with pytest.raises((AssertionError, IndexError)):
        law(discount)


@pytest.mark.parametrize(("law", "gain"), WRONG_GAINS)
def test_wrong_gain_breaks_the_law(law: laws.Law, gain: Any) -> None:
    with pytest.raises(AssertionError):
        law(gain)


@dataclass
class Changeable:
    """Is not frozen, and so has no hash."""

    p: float = 0.5


@dataclass(frozen=True)
class Forgetful:
    """Loses its parameter on the way through a pickle."""

    p: float = 0.5

    def __reduce__(self) -> Any:
        return Forgetful, ()


@dataclass(frozen=True, eq=False)
class Unequal:
    """Compares by identity."""

    p: float = 0.5


@pytest.mark.parametrize(
    ("law", "part"),
    [
        (laws.value_is_frozen, Changeable()),
        (laws.value_pickles_and_copies, Forgetful(p=0.1)),
        (laws.value_compares_and_hashes, Unequal()),
    ],
)
def test_wrong_value_breaks_the_law(law: laws.Law, part: Any) -> None:
    with pytest.raises(AssertionError):
        law(part)


def test_text_that_loses_a_parameter_breaks_the_law() -> None:
    registry: Registry[Any] = Registry("discount", "ndcgstudy.no_such_group")

    @registry.register("short")
    @dataclass(frozen=True)
    class Short:
        """Prints two decimals."""

        p: float = 0.5

    Short.__str__ = lambda part: f"short(p={part.p:.2f})"  # type: ignore[method-assign]
    laws.text_reads_back(registry)(Short(p=0.25))
    with pytest.raises(AssertionError):
        laws.text_reads_back(registry)(Short(p=0.123))


@dataclass(frozen=True)
class Wrong:
    """A measure made of a function of lists."""

    function: Callable[[Lists], Any]
    cutoff: int | None = None
    gain: Any = field(default=lambda grades: grades)

    def __call__(self, lists: Lists) -> Any:
        return self.function(lists)


def gains(lists: Lists) -> Any:
    return np.fmax(lists.grade, 0.0)


def ideal_of_the_retrieved(lists: Lists) -> Any:
    """NDCG whose ideal holds the retrieved documents alone: the commonest home-made bug."""
    weights = Log2()(np.arange(1, lists.depth + 1))
    best = total(-np.sort(-gains(lists), axis=-1) * weights)
    return np.where(best > 0, total(gains(lists) * weights) / np.maximum(best, 1e-9), np.nan)


def reads_the_ideal_alone(lists: Lists) -> Any:
    """Scores 1/2 on every list of a topic with anything relevant."""
    return np.where(lists.ideal[..., 0] > 0, 0.5, np.nan) + np.zeros(lists.retrieved.shape)


def first_order_only(lists: Lists) -> Any:
    """Reads tied documents in the order in which they lie."""
    return total(gains(lists) / np.arange(1, lists.depth + 1))


def rises_with_rank(lists: Lists) -> Any:
    return total(gains(lists) * np.arange(1, lists.depth + 1))


def mixes_topics(lists: Lists) -> Any:
    values = total(gains(lists))
    return values - values.mean(axis=1, keepdims=True)


def mixes_systems(lists: Lists) -> Any:
    values = total(gains(lists))
    return values / np.maximum(values.max(axis=0, keepdims=True), 1.0)


WRONG_MEASURES: list[tuple[Any, Any]] = [
    (measure_laws.is_bounded, DCG()),
    (measure_laws.is_bounded, Wrong(lambda lists: -total(gains(lists)))),
    (measure_laws.is_one_on_an_ideal_list, DCG()),
    (measure_laws.is_one_on_an_ideal_list, Wrong(reads_the_ideal_alone)),
    (measure_laws.never_falls_when_a_better_document_moves_up, Wrong(rises_with_rank)),
    (measure_laws.does_not_read_beyond_the_cutoff, Wrong(lambda s: total(gains(s)), cutoff=2)),
    (measure_laws.is_untouched_by_more_documents_of_grade_zero, P()),
    (measure_laws.scores_each_list_alone, Wrong(mixes_topics)),
    (measure_laws.scores_each_list_alone, Wrong(mixes_systems)),
    (measure_laws.scores_each_list_alone, Wrong(lambda s: s.retrieved / s.depth)),
    (measure_laws.is_the_mean_over_all_orders_of_ties, Wrong(first_order_only)),
]


@pytest.mark.parametrize(("law", "measure"), WRONG_MEASURES)
def test_wrong_measure_breaks_the_law(law: Any, measure: Any) -> None:
    with pytest.raises(AssertionError):
        law([measure])


def test_an_ideal_of_the_retrieved_documents_is_caught_by_what_is_left_out() -> None:
    # On lists that hold all that is relevant it is right, so the law of the ideal list passes it;
    # it is a list with relevant documents left out that shows it.
    lists = measure_laws.Problem((1.0,), (False,), (1.0,)).lists()
    assert Wrong(ideal_of_the_retrieved)(lists)[0, 0] == 1.0
    assert P(cutoff=2)(lists)[0, 0] == 0.5


def test_every_law_is_broken_by_some_part() -> None:
    ours = {law for law, _ in WRONG_DISCOUNTS} | {law for law, _ in WRONG_GAINS}
    assert ours == {*laws.DISCOUNT_LAWS, *laws.GAIN_LAWS}
    written = {v for v in vars(measure_laws).values() if callable(v)}
    names = {v.__name__ for v in written if getattr(v, "__module__", "") == "measure_laws"}
    wanted = {name for name in names if name.startswith(("is_", "never_", "does_", "scores_"))}
    assert {law.__name__ for law, _ in WRONG_MEASURES} == wanted


REFUSED = [
    (lambda ranks: 1.0 - np.log2(ranks), "must be at least 0, got .* at rank 3"),
    (lambda ranks: ranks * 1.0, "must never rise, but from rank 1 to 2 it goes from 1.0 to 2.0"),
    (lambda ranks: np.where(ranks < 9, 1.0, np.nan), "must be finite, got nan at rank 9"),
    (lambda ranks: 1.0 - ranks / (2 * ranks.max()), "must depend on the rank alone"),
    (lambda ranks: 1.0, r"must return one weight a rank: shape \(66080,\), got \(\)"),
    (lambda ranks: ["x"] * len(ranks), "fails on an array of ranks"),
    (lambda ranks: (1.0 + 0j) / ranks, "fails on an array of ranks: weights must be real"),
    (lambda ranks: 1.0 if ranks < 3 else 0.5, "fails on an array of ranks: .*truth value"),
    (lambda: 1.0, "fails on an array of ranks: .*positional argument"),
    (lambda ranks: 1 - ranks / 5000, "must be at least 0, got -0.00019.* at rank 5001"),
    (lambda ranks: 2.0**50 - ranks * 1e8, "must be at least 0, got -.* at rank 11259000$"),
    (lambda ranks: np.where(ranks < 4321, 1.0, np.inf), "must be finite, got inf at rank 4321"),
    (lambda ranks: np.where(ranks < 10**9, 1.0, np.nan), "must be finite, got nan at rank 10{9}$"),
    (lambda ranks: 1 / ranks + (ranks == 2500), "must never rise, but from rank 2499 to 2500"),
    (lambda ranks: 1 / ranks + (ranks > 10**9), "must never rise, but from rank 10{9} to 10{8}1 "),
    (lambda ranks: 1 / (1 + ranks**2), "must .* rank 3037000499 to|must .* at rank 3037000500"),
    (
        lambda ranks: np.ones(len(ranks)) / len(ranks),
        "must depend .*: at rank 1 it is 1.0 by itself",
    ),
    (lambda ranks: np.random.rand(len(ranks)), "must depend on the rank alone"),  # noqa: NPY002
    (lambda ranks: np.divide(1.0, np.add(ranks, 1, out=ranks)), "fails on .*: .*read-only"),
]


@pytest.mark.parametrize(("discount", "message"), REFUSED)
def test_check_discount_names_the_rule(discount: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"discount <lambda> {message}"):
        check_discount(discount)


def summed(partial_sum: Any) -> Any:
    """Return the discount 1/2^(r - 1) with a closed form of its sums."""

    class Half:
        def __call__(self, ranks: Any) -> Any:
            return 0.5 ** (np.asarray(ranks) - 1.0)

    Half.partial_sum = staticmethod(partial_sum)  # type: ignore[attr-defined]
    return Half()


def halves(low: Any, high: Any, power: int) -> Any:
    q = 0.5**power
    return (q**low - q**high) / (1 - q)


def test_a_closed_form_of_the_sums_must_give_them():
    check_discount(summed(lambda low, high, power: halves(low * 1.0, high * 1.0, power)))
    wrong = [
        (
            lambda low, high, power: halves(low * 1.0, high * 1.0, 1),
            r"weights\^2 over ranks 0 to 10",
        ),
        (lambda low, high, power: halves(low + 1.0, high * 1.0, power), r"weights\^1 over ranks"),
        (lambda low, high, power: 2.0, "must give the sums"),
        (lambda low, high: 2.0, "fails: .*positional argument"),
    ]
    for form, message in wrong:
        with pytest.raises(ValueError, match=f"`partial_sum` of discount .*{message}"):
            check_discount(summed(form))


def test_a_closed_form_of_small_sums_must_give_them_too():
    class Small:
        def __call__(self, ranks: Any) -> Any:
            return 1e-30 / np.asarray(ranks, dtype=float)

        def partial_sum(self, low: Any, high: Any, power: int) -> Any:
            return 2.0 * sums_of(self(np.arange(1, high[-1] + 1)) ** power, low, high)

    with pytest.raises(ValueError, match="must give the sums"):
        check_discount(Small())


def test_what_rises_by_less_than_rounding_is_let_pass():
    check_discount(lambda ranks: 1 + 1e-15 * (ranks % 2))
    with pytest.raises(ValueError, match="must never rise"):
        check_discount(lambda ranks: 1 + 1e-13 * (ranks % 2))


@pytest.mark.parametrize("name", DISCOUNTS.names())
def test_check_discount_passes_what_obeys(name: str) -> None:
    from part_examples import examples

    for part in examples(DISCOUNTS, name):
        check_discount(part)


GAINS_REFUSED = [
    (lambda grades: 2.0**grades, r"must be 0 at grade 0, .*grades 0 to 4 give \[1.0, 2.0"),
    (lambda grades: -grades, "never falling"),
    (lambda grades: grades / 0.0 if grades.any() else grades, "finite|fails"),
    (lambda grades: 1.0, "must be 0 at grade 0|one value a grade|shape"),
    (int, "fails on an array of grades"),
    (lambda grades: grades + 0j, "fails on an array of grades: gains must be real"),
]


@pytest.mark.parametrize(("gain", "message"), GAINS_REFUSED)
def test_check_gain_names_the_rule(gain: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message), np.errstate(all="ignore"):
        check_gain(gain)
