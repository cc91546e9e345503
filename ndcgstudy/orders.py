"""How alike two orders of the same systems are: Kendall's tau-b and tau_AP."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def kendall_tau(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Return Kendall's tau-b between two lists of scores, as `scipy.stats.kendalltau` has it.

    Pairs in the same order minus pairs in opposite order, over the root of the pairs untied in x
    times those untied in y.

    Parameters
    ----------
    x, y
        The scores of the same systems, shape (systems,), at least 2; the higher the better.

    Returns
    -------
    tau
        In [-1, 1]; NaN where all scores of one list are equal.

    Raises
    ------
    ValueError
        If the lists differ in length, hold fewer than 2 scores or a NaN.

    Examples
    --------
    >>> round(kendall_tau([0.9, 0.7, 0.5, 0.3], [0.9, 0.5, 0.7, 0.3]), 4)
    0.6667
    """
    x, y = _pair("x", x, "y", y)
    from scipy.stats import kendalltau

    return float(kendalltau(x, y).statistic)


def tau_ap(x: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return the AP correlation of an order with a reference order, which weighs the top more.

    2/(n - 1) * the sum over ranks r = 2..n of C(r)/(r - 1), minus 1, where C(r) counts the systems
    above rank r of `x` that the reference, too, puts above the one at rank r (Yilmaz, Aslam and
    Robertson 2008, A new rank correlation coefficient for information retrieval). It is not symmetric.
    Ties, in either list, are broken in all ways, and the result is the mean: a pair tied in the
    reference counts half.

    Parameters
    ----------
    x, reference
        The scores of the same systems, shape (systems,), at least 2; the higher the better.

    Raises
    ------
    ValueError
        If the lists differ in length, hold fewer than 2 scores or a NaN.

    Examples
    --------
    >>> round(tau_ap([0.9, 0.7, 0.5, 0.3], [0.9, 0.7, 0.3, 0.5]), 4)  # a swap at the bottom
    0.7778
    >>> round(tau_ap([0.9, 0.7, 0.5, 0.3], [0.7, 0.9, 0.5, 0.3]), 4)  # a swap at the top
    0.3333
    """
    x, reference = _pair("x", x, "reference", reference)
    order = np.argsort(-x, kind="stable")
    x, reference = x[order], reference[order]
    right = (reference > reference[:, None]) + 0.5 * (reference == reference[:, None])
    agreed = np.where(x > x[:, None], right, 0.0).sum(axis=1)
    _, group = np.unique(-x, return_inverse=True)
    size = np.bincount(group)
    above = (np.cumsum(size) - size)[group]
    place = np.arange(x.size)
    # Of the tied systems that come before one of theirs, half are rightly there on average.
    count = (np.bincount(group, agreed) / size)[group] + (place - above) / 2
    return float(2 * (count[1:] / place[1:]).mean() - 1)


def _pair(one: str, x: npt.ArrayLike, two: str, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Check two lists of scores of the same systems."""
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    for name, values in ((one, first), (two, second)):
        if values.ndim != 1 or values.size < 2:
            raise ValueError(
                f"`{name}` must be a list of 2 or more scores, got shape {values.shape}"
            )
        if np.isnan(values).any():
            raise ValueError(
                f"`{name}` must hold no NaN, got one at {int(np.isnan(values).argmax())}"
            )
    if first.size != second.size:
        raise ValueError(
            f"`{one}` and `{two}` must score the same systems, got {first.size} and {second.size}"
        )
    return first, second
