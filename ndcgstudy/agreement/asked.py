"""The discounts that answers ask for, beside the named ones: as records, and by rank."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.agreement.families import FAMILIES, Answers
from ndcgstudy.agreement.fitting import (
    FittedDiscount,
    Parameter,
    fit_discount,
    held_out_discount,
    verdict,
)
from ndcgstudy.agreement.heldout import lead
from ndcgstudy.discounts import DISCOUNTS

if TYPE_CHECKING:
    import pandas as pd

NAMED = ("log2", "zipf", "geometric(p=0.8)", "constant")
_NONE = Parameter("", float("nan"), float("nan"), float("nan"))


def records(
    answers: Answers,
    found: dict[str, FittedDiscount],
    *,
    named: Sequence[str] = NAMED,
    against: str = "log2",
    folds: int = 10,
    level: float = 0.95,
) -> "list[dict[str, Any]]":
    """Lay out fitted and named discounts, a record a parameter.

    Parameters
    ----------
    found
        The fitted discounts by family: see `fit_all`.
    named
        Discounts that are not fitted.
    against
        The discount over which the lead is taken.

    Returns
    -------
    records
        family (empty of a named discount), discount, parameter, value, low, high, slope, nu, loglik,
        aic; lead, lead_low, lead_high: log-likelihood a pair over `against` on clusters that were not
        fitted to; verdict.
    """
    base = held_out_discount(answers, against, folds=folds)
    rows = []
    for family, name, one in _each(answers, found, named):
        ahead = lead(
            held_out_discount(answers, family or name, folds=folds) - base,
            answers.cluster,
            level=level,
        )
        same = {
            **{"slope": one.fit.slope, "nu": one.fit.nu, "loglik": one.fit.loglik, "aic": one.aic},
            **{"lead": ahead.mean, "lead_low": ahead.low, "lead_high": ahead.high},
            "verdict": "" if name == against else verdict(ahead, family or name, against),
        }
        rows += [
            {"family": family, "discount": name, "parameter": p.name}
            | {"value": p.value, "low": p.low, "high": p.high}
            | same
            for p in one.parameters or (_NONE,)
        ]
    return rows


def fit_all(
    answers: Answers, families: Sequence[str] = FAMILIES, *, level: float = 0.95
) -> dict[str, FittedDiscount]:
    """Fit a discount of each family."""
    return {name: fit_discount(answers, name, level=level) for name in dict.fromkeys(families)}


def by_rank(
    answers: Answers, found: dict[str, FittedDiscount], named: Sequence[str] = NAMED
) -> "pd.DataFrame":
    """Return the weights of the ranks relative to the first: name, rank, weight, low, high.

    Named discounts have no interval: NaN.
    """
    import pandas as pd

    parts = [
        pd.DataFrame(
            {"name": family or name, "fitted": bool(family), "rank": answers.ranks}
            | {"weight": one.weights, "low": one.low, "high": one.high}
        )
        for family, name, one in _each(answers, found, named)
    ]
    return pd.concat(parts, ignore_index=True)


def _each(
    answers: Answers, found: dict[str, FittedDiscount], named: Sequence[str]
) -> Iterator[tuple[str, str, FittedDiscount]]:
    """Yield family, text and fit of the fitted discounts, then of the named ones."""
    for family, one in found.items():
        yield family, str(one.discount), one
    for text in dict.fromkeys(named):
        discount = DISCOUNTS.parse(text)
        weights = np.asarray(discount(answers.ranks), dtype=float)
        unknown = np.full(weights.shape, np.nan)
        own = answers.fit(weights)
        yield (
            "",
            str(discount),
            FittedDiscount(discount, (), weights / weights[0], unknown, unknown, own),
        )
