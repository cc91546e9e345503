"""p-values corrected for their number, family by family."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.inference.outcome import Floats

METHODS = {
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "bonferroni": "Bonferroni",
    "none": "no correction",
}
"""The methods by name, and how a report calls them."""

_IN_STATSMODELS = {"bh": "fdr_bh", "bonferroni": "bonferroni"}


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Corrected p-values and what they were corrected for; prints as a line for a report.

    Parameters
    ----------
    p
        The corrected p-values, in the shape given; NaN where there was no test.
    method
        One of `METHODS`.
    tests
        The number of tests in each family.
    """

    p: Floats
    method: str
    tests: Mapping[str, int]

    def __str__(self) -> str:
        sizes = [f"{name} ({n} test{'s' * (n != 1)})" for name, n in self.tests.items()]
        families = "family" if len(sizes) == 1 else f"{len(sizes)} families"
        return f"{METHODS[self.method]}; {families}: {', '.join(sizes) or 'none'}"


def adjust(p: Any, method: str = "holm", *, family: Any = "all tests") -> Adjusted:
    """Correct p-values for how many there are.

    Holm and Bonferroni bound the chance of any false rejection in a family; Benjamini-Hochberg
    bounds the expected share of false ones among the rejections.

    Parameters
    ----------
    p
        p-values of any shape; NaN is no test and counts in no family.
    method
        "holm", "bh", "bonferroni" or "none".
    family
        The family of each p-value, an array of labels that broadcasts to the shape of `p`; or one label.
        One family for each measure, or one for all, is the reader's to know: the result states it.

    Raises
    ------
    ValueError
        If the method is unknown, a p-value lies outside [0, 1], or `family` does not fit.

    Examples
    --------
    >>> print(adjust([0.01, 0.04, float("nan")], "holm", family="nDCG@10"))
    Holm; family: nDCG@10 (2 tests)
    >>> adjust([0.01, 0.04, float("nan")]).p.tolist()
    [0.02, 0.04, nan]
    """
    values, labels = _checked(p, method, family)
    corrected, tests = np.full(values.shape, np.nan), {}
    for label in dict.fromkeys(np.ravel(family).tolist()):
        rows = (labels == label) & ~np.isnan(values)
        corrected[rows] = _within(values[rows], method)
        tests[str(label)] = int(rows.sum())
    return Adjusted(corrected, method, tests)


def _checked(p: Any, method: str, family: Any) -> tuple[Floats, Any]:
    """Return the p-values and the label of each."""
    if method not in METHODS:
        raise ValueError(f"`method` is {method!r}{nearest(str(method), [*METHODS])}")
    values = np.asarray(p, dtype=float)
    wrong = ~(np.isnan(values) | ((values >= 0) & (values <= 1)))
    if wrong.any():
        raise ValueError(f"`p` must be in [0, 1] or NaN, got {values[wrong].flat[0]}")
    try:
        return values, np.broadcast_to(np.asarray(family), values.shape)
    except ValueError:
        shape = np.shape(family)
        raise ValueError(
            f"`family` must have the shape of `p`, {values.shape}, got {shape}"
        ) from None


def _within(values: Floats, method: str) -> Floats:
    """Correct the p-values of one family."""
    if method == "none" or not values.size:
        return values
    if method == "holm":
        return _holm(values)
    from statsmodels.stats.multitest import multipletests

    return np.asarray(multipletests(values, method=_IN_STATSMODELS[method])[1])


def _holm(values: Floats) -> Floats:
    """Multiply the smallest of n by n, the next by n - 1, ..., none below the one before.

    The same as statsmodels' to the last digit. That one collects garbage at each call, which takes
    some 50 ms, and simulations correct thousands of families.
    """
    order, corrected = np.argsort(values), np.empty_like(values)
    stepped = np.maximum.accumulate(values[order] * np.arange(values.size, 0, -1))
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
