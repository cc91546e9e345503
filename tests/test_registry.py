"""The text form of parts: what is read, how it is printed, and what each mistake is called."""

import dataclasses
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ndcgstudy.checks import number
from ndcgstudy.discounts import DISCOUNTS, Geometric, Log2, Power, check_discount
from ndcgstudy.gains import GAINS, Binary, Exponential, Table, check_gain
from ndcgstudy.measures import DCG, MEASURES, RBP, P, nDCG
from ndcgstudy.parts import FAMILIES
from ndcgstudy.registry import Registry

READ = [
    (DISCOUNTS, "log2", Log2()),
    (DISCOUNTS, " log2 ( ) ", Log2()),
    (DISCOUNTS, "power(beta=0.5)", Power(0.5)),
    (DISCOUNTS, "power(0.5)", Power(0.5)),
    (DISCOUNTS, "power(beta=+.5e0)", Power(0.5)),
    (DISCOUNTS, "power( beta = 1 )", Power(1)),
    (GAINS, "exp", Exponential()),
    (GAINS, "binary(2)", Binary(2)),
    (GAINS, "table(0,1,3)", Table((0, 1, 3))),
    (GAINS, "table(values=(0,1,3))", Table((0, 1, 3))),
    (GAINS, "table([0,1,3])", Table((0, 1, 3))),
    (MEASURES, "nDCG@10", nDCG(cutoff=10)),
    (MEASURES, "nDCG @ 10", nDCG(cutoff=10)),
    (MEASURES, "nDCG(cutoff=10)", nDCG(cutoff=10)),
    (MEASURES, "nDCG()@10", nDCG(cutoff=10)),
    (MEASURES, "nDCG(exp,zipf)@5", nDCG(Exponential(), DISCOUNTS.parse("zipf"), 5)),
    (
        MEASURES,
        "nDCG(gain=exponential,discount=power(beta=0.5))@20",
        nDCG(Exponential(), Power(0.5), 20),
    ),
    (MEASURES, "DCG(discount=geometric(0.5))", DCG(discount=Geometric(0.5))),
    (MEASURES, "RBP(p=0.5,gain=table(0,0.5,1))", RBP(0.5, Table((0, 0.5, 1)))),
    (MEASURES, "P(rel=2)@5", P(2, 5)),
]


@pytest.mark.parametrize(("registry", "text", "part"), READ, ids=lambda x: str(x)[:40])
def test_text_is_read(registry: Registry[Any], text: str, part: Any) -> None:
    assert registry.parse(text) == part
    assert registry.parse(str(part)) == part
    assert registry.parse(part) is part


PRINTED = [
    (Log2(), "log2"),
    (Power(np.float64(0.5)), "power(beta=0.5)"),
    (Power(np.int64(2)), "power(beta=2)"),
    (Power(0.1 + 0.2), "power(beta=0.30000000000000004)"),
    (Geometric(1e-300), "geometric(p=1e-300)"),
    (Exponential(), "exponential"),
    (Binary(), "binary"),
    (Binary(np.float64(2.5)), "binary(threshold=2.5)"),
    (Table((np.float64(0), np.int64(1), 3)), "table(0.0,1,3)"),
    (nDCG(), "nDCG"),
    (nDCG(cutoff=np.int64(10)), "nDCG@10"),
    (nDCG(Exponential(), Power(0.5), 20), "nDCG(gain=exponential,discount=power(beta=0.5))@20"),
    (P(rel=np.int32(2), cutoff=5), "P(rel=2)@5"),
    (RBP(0.5), "RBP(p=0.5)"),
    (GAINS.parse("table( 0, 0.5, 1 )"), "table(0,0.5,1)"),
    (Table(np.array([0.0, 0.5, 1.0])), "table(0.0,0.5,1.0)"),
]


@pytest.mark.parametrize(("part", "text"), PRINTED, ids=lambda x: str(x)[:40])
def test_part_prints_as_its_text(part: Any, text: str) -> None:
    assert str(part) == text


def test_numpy_parameters_make_equal_parts() -> None:
    for kind in (np.float64, np.float32, np.float16):
        assert Power(kind(0.5)) == Power(0.5)
        assert hash(Power(kind(0.5))) == hash(Power(0.5))
    assert nDCG(cutoff=np.int32(10)) == nDCG(cutoff=10)
    assert Table(np.array([0, 1, 3])) == Table((0, 1, 3))
    assert hash(Table(np.array([0.0, 1, 3]))) == hash(Table((0, 1, 3)))


WRONG = [
    # Unknown names: the nearest one and the sorted list.
    (
        DISCOUNTS,
        "pover(beta=1)",
        "unknown discount 'pover'; did you mean 'power'? known: constant, geo",
    ),
    (DISCOUNTS, "LOG2", "did you mean 'log2'?"),
    (DISCOUNTS, "qqqqq", "unknown discount 'qqqqq'; known: constant, "),
    (
        GAINS,
        "exponentail",
        "unknown gain 'exponentail'; did you mean 'exponential'? known: binary, ",
    ),
    (
        MEASURES,
        "ndgc@10",
        "unknown measure 'ndgc'; did you mean 'nDCG'? known: AP, Bpref, DCG, ERR, ",
    ),
    (MEASURES, "MAPP", "unknown measure 'MAPP'; did you mean 'AP'?"),
    (MEASURES, "nDCG(discount=lgo2)", "unknown discount 'lgo2'; did you mean 'log2'?"),
    (MEASURES, "nDCG(gain=log2)", "unknown gain 'log2'"),
    # Unknown parameters.
    (
        DISCOUNTS,
        "power(bta=1)",
        "unknown parameter 'bta' in 'power(bta=1)'; did you mean 'beta'? known: beta",
    ),
    (DISCOUNTS, "log2(base=2)", "unknown parameter 'base' in 'log2(base=2)'"),
    (
        MEASURES,
        "nDCG(k=10)",
        "unknown parameter 'k' in 'nDCG(k=10)'; known: cutoff, discount, gain",
    ),
    (DISCOUNTS, "power(**{})", "unknown parameter '**'"),
    # Parameters out of range: parameter, rule, value.
    (DISCOUNTS, "power(beta=-1)", "`beta` must be a number at least 0, got -1"),
    (DISCOUNTS, "geometric(p=1)", "`p` must be a number above 0 and below 1, got 1"),
    (DISCOUNTS, "jk2002(base=1)", "`base` must be a number above 1, got 1"),
    (DISCOUNTS, "linear(depth=0)", "`depth` must be a whole number at least 1, got 0"),
    (DISCOUNTS, "linear(depth=2.5)", "`depth` must be a whole number at least 1, got 2.5"),
    (DISCOUNTS, "power(beta=1e999)", "`beta` must be a number at least 0, got inf"),
    (DISCOUNTS, f"power(beta={'9' * 400})", "`beta` must be a number at least 0, got 999"),
    (DISCOUNTS, "table(1,2)", "`weights` must begin above 0 and never rise, got"),
    (DISCOUNTS, "table(1,-1)", "`weights[rank 2]` must be a number at least 0, got -1"),
    (GAINS, "table(1,2)", "`values` must be 0 at grade 0 and never fall, got"),
    (GAINS, "table(0,3,1)", "`values` must be 0 at grade 0 and never fall, got"),
    (GAINS, "table(0)", "`values` must be"),
    (GAINS, "binary(threshold=0)", "`threshold` must be a number above 0, got 0"),
    (MEASURES, "nDCG@0", "`cutoff` must be a whole number at least 1, got 0"),
    (MEASURES, "nDCG@-1", "`cutoff` must be a whole number at least 1, got -1"),
    (MEASURES, "nDCG@1.5", "`cutoff` must be a whole number at least 1, got 1.5"),
    (MEASURES, "nDCG@True", "`cutoff` must be a whole number at least 1, got True"),
    (MEASURES, f"Judged@{10**30}", "`cutoff` must be a whole number"),
    (MEASURES, "RBP(p=1)", "`p` must be a number above 0 and below 1, got 1"),
    (MEASURES, "AP(rel=0)", "`rel` must be a number above 0, got 0"),
    (MEASURES, "ERR(max_grade=0)", "`max_grade` must be a number above 0"),
    # Parameters of another type.
    (DISCOUNTS, "power(beta='x')", "`beta` must be a number at least 0, got 'x'"),
    (DISCOUNTS, "power(beta=None)", "`beta` must be a number at least 0, got None"),
    (DISCOUNTS, "power(beta=True)", "`beta` must be a number at least 0, got True"),
    (DISCOUNTS, "power(beta=[1])", "`beta` must be a number at least 0, got [1]"),
    (DISCOUNTS, "power(beta=1j)", "`beta` must be a number at least 0, got 1j"),
    (DISCOUNTS, "power(beta={})", "`beta` must be a number at least 0, got {}"),
    (DISCOUNTS, "table('a')", "must be a number at least 0, got 'a'"),
    (DISCOUNTS, "table([1,[2,3]])", "discount 'table([1,[2,3]])'"),
    (MEASURES, "nDCG(discount=1)", "cannot read discount '1': expected NAME or NAME(...)"),
    (MEASURES, "nDCG(discount='log2')", "cannot read discount"),
    (MEASURES, "nDCG@x", "cannot read 'x' in 'nDCG@x': expected a number"),
    (DISCOUNTS, "power(beta=x)", "cannot read 'x' in 'power(beta=x)': expected a number"),
    (DISCOUNTS, "power(beta=1+1)", "cannot read '1 + 1'"),
    (DISCOUNTS, "power(beta=__import__('os'))", "expected a number"),
    (DISCOUNTS, "power(*[1])", "expected a number"),
    # Missing, doubled and superfluous ones.
    (DISCOUNTS, "power", "discount 'power' needs beta"),
    (DISCOUNTS, "power()", "discount 'power()' needs beta"),
    (DISCOUNTS, "table()", "discount 'table()' needs weights"),
    (MEASURES, "nDCG(discount=power)", "discount 'power' needs beta"),
    (DISCOUNTS, "power(1,beta=2)", "'power(1,beta=2)' gives `beta` twice"),
    (DISCOUNTS, "power(1,2)", "'power(1,2)' has too many arguments; it takes beta"),
    (DISCOUNTS, "log2(1)", "'log2(1)' has too many arguments; it takes none"),
    (MEASURES, "nDCG(cutoff=5)@10", "gives `cutoff` twice"),
    (MEASURES, "nDCG@5@10", "cannot read measure 'nDCG@5@10': expected NAME or NAME(...)"),
    # No text of a part.
    (DISCOUNTS, "", "cannot read discount '': expected NAME or NAME(...)"),
    (DISCOUNTS, "(", "cannot read discount '('"),
    (DISCOUNTS, "log2@3", "cannot read discount 'log2@3'"),
    (DISCOUNTS, "log2()()", "cannot read discount"),
    (DISCOUNTS, "a.b", "cannot read discount 'a.b'"),
    (DISCOUNTS, "power(beta=1", "cannot read discount"),
    (DISCOUNTS, "log2; log2", "cannot read discount"),
    (DISCOUNTS, "lambda: 1", "cannot read discount"),
    (DISCOUNTS, "log2\0", "cannot read discount"),
    (DISCOUNTS, "_external_0", "unknown discount '_external_0'"),
    (MEASURES, "nDCG(gain=_external_1)", "unknown gain '_external_1'"),
    (MEASURES, "nDCG(discount=" + "-" * 5000 + "1)", "cannot read"),
    (MEASURES, "nDCG(discount=power(beta=" + "-" * 900 + "1))", "cannot read|number"),
]


@pytest.mark.parametrize(("registry", "text", "message"), WRONG, ids=lambda x: str(x)[:40])
def test_mistake_is_named(registry: Registry[Any], text: str, message: str) -> None:
    expected = message if "|" in message else re.escape(message)
    with pytest.raises(ValueError, match=expected) as error:
        registry.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1500


def test_names_in_messages_are_sorted() -> None:
    for registry in FAMILIES.values():
        with pytest.raises(ValueError, match="known: ") as error:
            registry.parse("no_such_part")
        listed = str(error.value).split("known: ")[1].split(", ")
        assert listed == sorted(listed) == registry.names()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Power(-1), "`beta` must be a number at least 0, got -1"),
        (lambda: Power(np.float64("nan")), "`beta` must be a number at least 0, got nan"),
        (lambda: Power("1"), "`beta` must be a number at least 0, got '1'"),  # type: ignore[arg-type]
        (lambda: nDCG(cutoff=0), "`cutoff` must be a whole number at least 1, got 0"),
        (lambda: nDCG(cutoff=10.0), "`cutoff` must be a whole number at least 1, got 10.0"),  # type: ignore[arg-type]
        (lambda: Table(()), "`values` must be 0 at grade 0"),
        (lambda: P(rel=-1), "`rel` must be a number above 0, got -1"),
    ],
)
def test_construction_in_python_is_checked_too(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_number_takes_its_limits_as_told() -> None:
    number("x", 0, at_least=0)
    number("x", np.float32(0.5), above=0, below=1)
    for value in (0, 1, float("nan"), float("inf"), None, "0.5", True, 1j, [0.5]):
        with pytest.raises(ValueError, match="`x` must be a number above 0 and below 1"):
            number("x", value, above=0, below=1)
    with pytest.raises(ValueError, match="`x` must be a number that is finite, got inf"):
        number("x", float("inf"))


def test_only_frozen_dataclasses_can_be_registered_and_once() -> None:
    registry: Registry[Any] = Registry("shape", "ndcgstudy.no_such_group")

    class Plain:
        """No dataclass."""

    @dataclasses.dataclass
    class Soft:
        """Not frozen."""

    @dataclasses.dataclass(frozen=True)
    class Good:
        """Frozen."""

    for cls in (Plain, Soft):
        with pytest.raises(ValueError, match="shape 'x' must be a frozen dataclass"):
            registry.register("x")(cls)
    registry.register("x")(Good)
    with pytest.raises(ValueError, match="shape 'x' is registered twice"):
        registry.register("x")(Good)


NAMES = [
    "nDCG",
    "power",
    "table",
    "log2",
    "beta",
    "gain",
    "lambda",
    "1e999",
    "_external_0",
    "os:path",
]
TOKENS = st.sampled_from([*"()@=,-[]{}:.'*\n\\ é10", *NAMES])
TEXT = st.one_of(st.text(max_size=30), st.lists(TOKENS, max_size=14).map("".join))


@given(st.sampled_from(list(FAMILIES.values())), TEXT)
@example(MEASURES, "nDCG@1e5")
@example(DISCOUNTS, "\ud800")
@example(DISCOUNTS, "power(" * 300)
def test_any_text_is_a_part_or_a_mistake(registry: Registry[Any], text: str) -> None:
    try:
        part = registry.parse(text)
    except ValueError:
        return
    assert registry.parse(str(part)) == part


def test_parts_within_a_measure_may_be_given_as_text() -> None:
    assert nDCG(gain="exp", discount="zipf") == MEASURES.parse("nDCG(gain=exp,discount=zipf)")
    with pytest.raises(ValueError, match="unknown gain 'ex'"):
        nDCG(gain="ex")


@pytest.mark.parametrize("value", [5, None, nDCG, b"nDCG"])
def test_what_is_neither_part_nor_text_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="expected a measure or its text form, got"):
        MEASURES.parse(value)


def test_a_discount_that_weighs_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="must be above 0 at rank 1"):
        check_discount(lambda ranks: np.zeros(ranks.shape))


def test_a_gain_may_refuse_grades_beyond_its_scale() -> None:
    def short(grades: np.ndarray) -> np.ndarray:
        return np.array([0.0, 1.0, 5.0])[np.asarray(grades, dtype=int)]

    check_gain(short)
    with pytest.raises(ValueError, match="fails on an array of grades"):
        check_gain(lambda grades: 1 / 0)
