"""The predicted growth of z: laws by name and from numbers, against exact expectations."""

import numpy as np
import pytest

from ndcgstudy.discounts import DISCOUNTS
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.rates import decay, rate
from ndcgstudy.synthetic import Reference

LAWS = {
    "loglog": ("sqrt(n)", 0.5),
    "log2": ("sqrt(n)", 0.5),
    "jk2002(base=10)": ("sqrt(n)", 0.5),
    "power(beta=0.25)": ("sqrt(n)", 0.5),
    "power(beta=0.5)": ("sqrt(n/log n)", 0.5),
    "power(beta=0.8)": ("n^0.2", 0.2),
    "power(beta=0.9)": ("n^0.1", 0.1),
    "zipf": ("log n", 0.0),
    "power(beta=1)": ("log n", 0.0),
    "power(beta=1.1)": ("constant", 0.0),
    "power(beta=2)": ("constant", 0.0),
    "geometric(p=0.5)": ("constant", 0.0),
    "table(1,0.5)": ("constant", 0.0),
    "linear(depth=10)": ("constant", 0.0),
}


@pytest.mark.parametrize("name", LAWS)
def test_named_discounts_have_the_laws_of_the_theory(name):
    found = rate(DISCOUNTS.parse(name))
    assert found.law == LAWS[name][0]
    assert found.exponent == pytest.approx(LAWS[name][1])
    assert found.separates == (found.law != "constant")
    assert found.critical == (found.law == "log n")


@pytest.mark.parametrize("name", LAWS)
def test_numbers_alone_give_the_same_law(name):
    part = DISCOUNTS.parse(name)
    found, named = rate(part.__call__), rate(part)
    assert not found.decay.exact
    assert found.law == named.law
    assert found.separates == named.separates
    assert found.exponent == pytest.approx(named.exponent, abs=1e-5)


def test_every_registered_discount_has_a_rate():
    for name in DISCOUNTS.names():
        part = {"power": "power(beta=0.3)", "geometric": "geometric(p=0.9)"}.get(name, name)
        part = {"linear": "linear(depth=7)", "table": "table(1,0.5)"}.get(name, part)
        assert rate(DISCOUNTS.parse(part)).law != "not resolved"


def of(function):
    return lambda ranks: function(np.asarray(ranks, dtype=float))


BORDER = {
    "r^-0.99": (of(lambda r: r**-0.99), True),
    "r^-1.01": (of(lambda r: r**-1.01), False),
    "1/(r log r)": (of(lambda r: 1 / ((r + 1) * np.log(r + 1))), None),
    "1/(r log^2 r)": (of(lambda r: 1 / ((r + 1) * np.log(r + 1) ** 2)), None),
    "1/(r log^2 r) + 1e-8/r": (of(lambda r: 1 / (r * np.log(r + 1) ** 2) + 1e-8 / r), None),
    "r^-.9995": (of(lambda r: r**-0.9995), None),
    "r^-1.0005": (of(lambda r: r**-1.0005), None),
    "1/(r + 1)": (of(lambda r: 1 / (r + 1)), True),
    "pages": (of(lambda r: 1 / np.ceil(r / 10)), True),
}


@pytest.mark.parametrize("name", BORDER)
def test_beside_the_critical_rate_the_numbers_decide_or_say_that_they_do_not(name):
    function, separates = BORDER[name]
    assert rate(function).separates is separates
    assert (rate(function).law == "not resolved") == (separates is None)


@pytest.mark.parametrize(
    ("function", "law"),
    [
        (of(lambda r: 0 * r + 2), "ties"),
        (of(lambda r: 1 + 0.5**r), "constant"),
        (of(lambda r: np.where(r <= 10, 1, 0.25)), "constant"),
        (of(lambda r: 2 + 3 / r), "log n"),
        (of(lambda r: 1 + r**-0.8), "n^0.2"),
    ],
    ids=["constant", "1 + 2^-r", "step", "2 + 3/r", "1 + r^-.8"],
)
def test_on_a_full_list_a_constant_adds_nothing(function, law):
    found = rate(function)
    assert found.decay.limit > 0
    assert found.decay.diverges
    assert found.law == law


@pytest.mark.parametrize(
    ("name", "cutoff", "law", "exponent"),
    [
        ("log2", 10, "constant", 0.0),
        ("constant", "0.2n", "sqrt(n)", 0.5),
        ("constant", "n^0.5", "sqrt(n^0.5)", 0.25),
        ("log2", "n^0.5", "sqrt(n^0.5)", 0.25),
        ("power(beta=0.8)", "n^0.5", "(n^0.5)^0.2", 0.1),
        ("zipf", "0.2n", "log n", 0.0),
    ],
)
def test_a_cutoff_counts_ranks_down_to_it(name, cutoff, law, exponent):
    found = rate(DISCOUNTS.parse(name), cutoff=cutoff)
    assert found.law == law
    assert found.exponent == pytest.approx(exponent)


def test_an_exponent_beside_the_border_is_not_rounded_to_it():
    found = rate(of(lambda r: r**-0.9951))
    assert found.exponent == pytest.approx(0.0049, abs=1e-6)
    assert not found.critical
    assert rate(of(lambda r: r**-1.005)).separates is False


def test_a_curve_that_is_no_power_is_not_resolved():
    waves = of(lambda r: r**-0.7 * np.exp(0.5 * np.sin(np.log(r))))
    assert rate(waves).law == "not resolved"


def measured(name, low, high, cutoff=None):
    """Return the exponent of the expected z between two list lengths."""
    part = DISCOUNTS.parse(name)
    z = [expect(Reference(), part, n, cutoff=cutoff).z for n in (low, high)]
    return np.log(z[1] / z[0]) / np.log(high / low)


@pytest.mark.parametrize("name", [name for name in LAWS if name != "power(beta=1.1)"])
def test_expected_z_grows_as_the_law_says(name):
    law, exponent = LAWS[name]
    low, high = 10**11, 10**12
    logs = np.log(np.log(high) / np.log(low)) / np.log(high / low)
    exponent += {"sqrt(n/log n)": -logs / 2, "log n": logs}.get(law, 0)
    assert measured(name, low, high) == pytest.approx(exponent, abs=0.01)


@pytest.mark.parametrize("cutoff", ["0.2n", "n^0.5", 10])
@pytest.mark.parametrize("name", ["constant", "log2", "power(beta=0.8)"])
def test_expected_z_under_a_cutoff_grows_as_the_law_says(name, cutoff):
    exponent = rate(DISCOUNTS.parse(name), cutoff=cutoff).exponent
    assert measured(name, 10**11, 10**12, cutoff) == pytest.approx(exponent, abs=0.01)


def test_the_decay_of_a_vanishing_discount_is_infinite():
    assert decay(of(lambda r: 0.5 ** np.sqrt(r))).beta == float("inf")
