"""The laws that every part must obey: each takes a part and raises `AssertionError` where it breaks one."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from part_examples import top_grade

from ndcgstudy.checks import plain
from ndcgstudy.registry import Registry

Law = Callable[[Any], None]
RANKS = np.concatenate([np.arange(1, 1001), 10 ** np.arange(4, 13)])


def discount_is_finite_and_not_negative(discount: Any) -> None:
    weights = discount(RANKS)
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()


def discount_never_rises(discount: Any) -> None:
    assert (np.diff(discount(RANKS)) <= 0).all()


def discount_is_of_the_rank_alone(discount: Any) -> None:
    whole = discount(RANKS)
    shuffled = np.random.default_rng(1).permutation(RANKS.size)
    # A processor may round the last bit of a logarithm otherwise at another place of an array.
    same = {"rtol": 1e-14, "atol": 0}
    np.testing.assert_allclose(discount(RANKS[shuffled]), whole[shuffled], **same)
    np.testing.assert_allclose(discount(RANKS[::7]), whole[::7], **same)
    np.testing.assert_allclose(
        [discount(RANKS[i : i + 1])[0] for i in (0, 5, 99)], whole[[0, 5, 99]]
    )


def discount_keeps_shapes(discount: Any) -> None:
    for shape in ((), (0,), (1,), (6,), (2, 3), (1, 2, 3)):
        ranks = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
        assert np.shape(discount(ranks)) == shape
        np.testing.assert_allclose(np.ravel(discount(ranks)), discount(ranks.ravel()))


def discount_takes_ints_and_floats(discount: Any) -> None:
    whole = discount(RANKS)
    assert whole.dtype == np.float64
    np.testing.assert_array_equal(discount(RANKS.astype(float)), whole)
    np.testing.assert_array_equal(discount(RANKS[:1000].astype(np.int32)), whole[:1000])


def discount_leaves_its_input(discount: Any) -> None:
    ranks = RANKS.copy()
    ranks.setflags(write=False)
    _unless_written(discount, ranks)


def gain_is_zero_at_grade_zero(gain: Any) -> None:
    assert gain(np.zeros(3)).tolist() == [0.0] * 3


def gain_is_finite_and_never_falls(gain: Any) -> None:
    values = gain(np.arange(top_grade(gain, gain=True) + 1.0))
    assert np.isfinite(values).all()
    assert (np.diff(values) >= 0).all()


def gain_is_of_the_grade_alone(gain: Any) -> None:
    grades = np.random.default_rng(1).integers(0, top_grade(gain, gain=True) + 1, (4, 5)) * 1.0
    values = gain(grades)
    assert values.dtype == np.float64
    assert values.shape == grades.shape
    np.testing.assert_array_equal(gain(grades.ravel()[::-1]), values.ravel()[::-1])
    np.testing.assert_array_equal([gain(g[None])[0] for g in grades.ravel()], values.ravel())
    assert np.shape(gain(np.array(1.0))) == ()


def gain_leaves_its_input(gain: Any) -> None:
    grades = np.arange(top_grade(gain, gain=True) + 1.0)
    grades.setflags(write=False)
    _unless_written(gain, grades)


def value_compares_and_hashes(part: Any) -> None:
    fields = {f.name: getattr(part, f.name) for f in dataclasses.fields(part)}
    again = type(part)(**fields)
    assert again == part
    assert hash(again) == hash(part)
    assert len({again, part}) == 1
    assert part != object()


def value_is_frozen(part: Any) -> None:
    for field in dataclasses.fields(part):
        try:
            setattr(part, field.name, 1)
        except dataclasses.FrozenInstanceError:
            continue
        raise AssertionError(f"{field.name} can be set")


def value_pickles_and_copies(part: Any) -> None:
    for again in (pickle.loads(pickle.dumps(part)), copy.copy(part), copy.deepcopy(part)):
        assert again == part
        assert hash(again) == hash(part)
        assert str(again) == str(part)


def text_reads_back(registry: Registry[Any]) -> Law:
    """Return the law that a part's text reads back to an equal part, numpy scalars as parameters too."""

    def law(part: Any) -> None:
        fields = {f.name: getattr(part, f.name) for f in dataclasses.fields(part)}
        for numbers in (plain, _as_numpy(np.float64), _as_numpy(np.float32)):
            try:
                same = type(part)(**{name: numbers(value) for name, value in fields.items()})
            except ValueError:
                assert numbers is not plain  # only what 32 bits round may be out of range
                continue
            again = registry.parse(str(same))
            assert again == same
            assert str(again) == str(same)
            assert "np." not in str(same)
            assert registry.parse(f" {same} ") == same

    return law


def _as_numpy(kind: type) -> Callable[[Any], Any]:
    """Return a function that turns a number into a numpy scalar; a whole one stays whole."""

    def turned(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        return np.int64(value) if isinstance(value, int) else kind(value)

    return turned


def _unless_written(part: Any, values: Any) -> None:
    try:
        result = part(values)
    except ValueError as error:
        raise AssertionError(f"{part} writes into its input") from error
    assert np.shape(result) == values.shape


DISCOUNT_LAWS: list[Law] = [
    discount_is_finite_and_not_negative,
    discount_never_rises,
    discount_is_of_the_rank_alone,
    discount_keeps_shapes,
    discount_takes_ints_and_floats,
    discount_leaves_its_input,
]
GAIN_LAWS: list[Law] = [
    gain_is_zero_at_grade_zero,
    gain_is_finite_and_never_falls,
    gain_is_of_the_grade_alone,
    gain_leaves_its_input,
]
VALUE_LAWS: list[Law] = [value_compares_and_hashes, value_is_frozen, value_pickles_and_copies]
