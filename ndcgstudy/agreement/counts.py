"""How often a measure and people prefer the same list: counts, and the rates made of them.

On a pair the person prefers A, B or neither, and so does the measure, whose differences within a
tolerance are ties. Of the pairs that the person decides the measure agrees with some, disagrees with
some and ties on the rest; the others, human ties, are counted apart. A rate depends on what becomes of
the measure's ties: dropped ("rate"), counted as misses ("strict") or by half ("half"); "common" is the
rate on the pairs that all compared measures decide.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import number

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

TOLERANCE = 1e-12
COUNTS = (
    *("agree", "disagree", "tie", "common_agree", "common_disagree"),
    *("human_tie", "both_tie"),
)
DECIDED = 5  # the first so many counts are of pairs that the person decides
RATES = ("rate", "strict", "half", "common_rate")


def signs(difference: Any, tolerance: float = TOLERANCE) -> Ints:
    """Return 1, -1, or 0 where a difference is within the tolerance.

    Examples
    --------
    >>> signs([0.5, -1e-15, -0.1]).tolist()
    [1, 0, -1]
    """
    number("tolerance", tolerance, at_least=0)
    values = np.asarray(difference, dtype=float)
    if np.isnan(values).any():
        raise ValueError("`difference` must hold no NaN")
    return np.asarray(np.where(np.abs(values) <= tolerance, 0, np.sign(values)), dtype=np.int64)


def outcomes(
    difference: Any, preference: Any, tolerance: float = TOLERANCE
) -> npt.NDArray[np.bool_]:
    """Tell what each pair counts as under each measure.

    Parameters
    ----------
    difference
        The measures of list A minus those of list B, shape (measures, pairs).
    preference
        Shape (pairs,): 1 for A, 0 for neither, -1 for B.
    tolerance
        Differences up to it, either way, are ties.

    Returns
    -------
    counted
        Shape (pairs, measures, counts), the last axis as in `COUNTS`.

    Raises
    ------
    ValueError
        If the shapes do not fit, a difference is NaN, or an answer is none.

    Examples
    --------
    >>> outcomes([[0.5, -0.5, 0.0, 0.2]], [1, 1, -1, 0]).sum(axis=0).tolist()
    [[1, 1, 1, 1, 1, 1, 0]]
    """
    found, answer = signs(difference, tolerance).T, np.asarray(preference)
    if found.ndim != 2 or answer.shape != found.shape[:1]:
        raise ValueError(
            "`difference` must be (measures, pairs) and `preference` (pairs,), "
            f"got {found.shape[::-1]} and {answer.shape}"
        )
    if not np.isin(answer, (-1, 0, 1)).all():
        raise ValueError("`preference` must be 1 (A), 0 (neither) or -1 (B)")
    product, person = found * answer[:, None], (answer != 0)[:, None]
    common = (found != 0).all(axis=1, keepdims=True)
    agree, disagree, tied = product > 0, product < 0, found == 0
    kinds = [agree, disagree, tied & person, agree & common, disagree & common]
    return np.stack([*kinds, ~tied & ~person, tied & ~person], axis=-1)


def rates(counts: Counts) -> Floats:
    """Return the rates, shape (..., 4) as in `RATES`, of counts whose last axis begins as `COUNTS`.

    A rate over no pair is NaN.

    Examples
    --------
    >>> rates(np.array([2.0, 1.0, 1.0, 1.0, 1.0])).round(3).tolist()
    [0.667, 0.5, 0.625, 0.5]
    """
    agree, _, tie, common, _ = (counts[..., i] for i in range(DECIDED))
    parts = np.stack([agree, agree, agree + tie / 2, common], axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(parts / wholes(counts))


def wholes(counts: Counts) -> Floats:
    """Return how many pairs each of the `rates` is a share of, shape (..., 4)."""
    agree, disagree, tie, common, other = (counts[..., i] for i in range(DECIDED))
    decided = agree + disagree
    return np.stack([decided, decided + tie, decided + tie, common + other], axis=-1).astype(float)


def three_way(counts: Counts) -> Floats:
    """Return the share of all pairs on which measure and person say the same, ties among it.

    Examples
    --------
    >>> float(three_way(np.array([2.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0])))
    0.6
    """
    agree, both = counts[..., 0], counts[..., COUNTS.index("both_tie")]
    whole = counts[..., [0, 1, 2, 5, 6]].sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((agree + both) / whole)
