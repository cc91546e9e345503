"""Two measures on the same pairs: exact McNemar tests, pair by pair and cluster by cluster."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.agreement.counts import TOLERANCE, Ints, outcomes
from ndcgstudy.agreement.power import opposition, pairs_needed
from ndcgstudy.agreement.resampling import cluster_labels
from ndcgstudy.checks import nearest, number
from ndcgstudy.words import many

if TYPE_CHECKING:
    import pandas as pd

TIES = ("dropped", "missed")


@dataclass(frozen=True)
class McNemar:
    """How two measures differ on the pairs that they share.

    Parameters
    ----------
    first, second
        The measures.
    ties
        "dropped": on pairs that both decide; "missed": on all, a tie being a miss.
    pairs
        How many are shared.
    both, only_first, only_second, neither
        On how many of them these agree with the person.
    p
        Exact and two-sided, for independent pairs: the smaller of `only_first` and `only_second` is
        binomial with share 1/2 if the measures are alike.
    p_clustered
        Exact and two-sided, for independent clusters: see `sign_flip`. NaN for one cluster.
    clusters
        How many the pairs are of.
    design
        The variance of `only_first` less `only_second` with clusters over that of independent pairs;
        NaN for one cluster, or where the two agree with the person on the same pairs.
    """

    first: str
    second: str
    ties: str
    pairs: int
    both: int
    only_first: int
    only_second: int
    neither: int
    p: float
    p_clustered: float
    clusters: int
    design: float

    def pairs_needed(self, *, power: float = 0.8, level: float = 0.05) -> float:
        """Return from how many such pairs on, clustered as these, the exact test finds the better one.

        It rests on the counts seen: on how rarely the two oppose each other, and how they then split.

        Returns
        -------
        pairs
            As `pairs_needed` of `agreement.power` has it; NaN where neither is better or there are no
            two clusters, infinite above 10^12.
        """
        opposed = self.only_first + self.only_second
        if np.isnan(self.design) or self.only_first == self.only_second:
            return float("nan")
        number("power", power, above=0, below=1)
        number("level", level, above=0, below=1)
        split = max(self.only_first, self.only_second) / opposed
        how = {"power": power, "level": level, "design": self.design}
        try:
            return pairs_needed(opposed / self.pairs, split, **how)
        except ValueError:  # the only one that is left: too many
            return float("inf")

    def __str__(self) -> str:
        ones = f"{self.only_first} only the first, {self.only_second} only the second"
        by = f"by clusters {self.p_clustered:.2g}" if self.clusters > 1 else "no two clusters"
        return (
            f"{self.first} against {self.second}, ties {self.ties}, {many(self.pairs, 'pair')}: "
            f"agree {self.both} both, {ones}; p = {self.p:.2g}, {by}{_needed(self.pairs_needed())}"
        )


@dataclass(frozen=True)
class Contrasts:
    """The tests of every two measures."""

    tests: tuple[McNemar, ...]

    def table(self) -> "pd.DataFrame":
        """Return a row a test."""
        import pandas as pd

        return pd.DataFrame([vars(test) for test in self.tests])


def mcnemar(
    difference: Any,
    preference: Any,
    cluster: Any,
    measures: Sequence[str],
    *,
    ties: str = "dropped",
    tolerance: float = TOLERANCE,
) -> "Contrasts":
    """Compare every two measures on the pairs that a person decides.

    McNemar (1947, Note on the sampling error of the difference between correlated proportions).

    Parameters
    ----------
    difference
        Shape (measures, pairs).
    preference
        Shape (pairs,): 1 for A, 0 for neither, -1 for B.
    cluster
        Shape (pairs,): labels, e.g. the query.
    ties
        "dropped" compares on the pairs that both measures decide; "missed" on all of them.

    Raises
    ------
    ValueError
        If `ties` is another word, or shapes do not fit.

    Examples
    --------
    >>> found = mcnemar([[1, 1, 1, -1], [1, -1, -1, 1]], [1, 1, 1, 1], [0, 1, 2, 3], ["x", "y"])
    >>> (test,) = found.tests
    >>> test.only_first, test.only_second, test.p
    (2, 1, 1.0)
    """
    if ties not in TIES:
        raise ValueError(f"unknown ties {ties!r}{nearest(str(ties), [*TIES])}")
    counted = outcomes(difference, preference, tolerance)
    labels = cluster_labels(cluster, counted, measures)
    agree, disagree, tie = (counted[..., i] for i in range(3))
    miss = disagree | tie if ties == "missed" else disagree
    return Contrasts(
        tuple(
            _compared(agree[:, [i, j]], miss[:, [i, j]], labels, (measures[i], measures[j]), ties)
            for i, j in combinations(range(len(measures)), 2)
        )
    )


def _compared(agree: Any, miss: Any, labels: Ints, names: tuple[str, str], ties: str) -> McNemar:
    """Compare two measures whose columns tell where they agree with the person and where not."""
    both, neither = agree.all(axis=1), miss.all(axis=1)
    first, second = agree[:, 0] & miss[:, 1], agree[:, 1] & miss[:, 0]
    shared = both | neither | first | second
    gain = np.bincount(labels, weights=first.astype(float) - second).astype(np.int64)
    clusters = np.unique(labels[shared]).size
    won, lost = int(first.sum()), int(second.sum())
    return McNemar(
        first=names[0],
        second=names[1],
        ties=ties,
        pairs=int(shared.sum()),
        both=int(both.sum()),
        only_first=won,
        only_second=lost,
        neither=int(neither.sum()),
        p=binomial(won, lost),
        p_clustered=sign_flip(gain) if clusters > 1 else float("nan"),
        clusters=clusters,
        design=_design(first[shared], second[shared], labels[shared]),
    )


def _needed(pairs: float) -> str:
    """Say how many pairs it takes, nothing where nothing tells."""
    if np.isnan(pairs):
        return ""
    return f"; power .8 from {f'{pairs:,.0f}' if np.isfinite(pairs) else 'more than 1e12'} pairs"


def _design(first: Any, second: Any, labels: Ints) -> float:
    """Return the design effect of the clusters, NaN where no pair is shared."""
    return opposition(first, second, labels).design if labels.size else float("nan")


def binomial(successes: int, failures: int) -> float:
    """Return the exact two-sided p-value of a share of one half.

    Examples
    --------
    >>> binomial(160, 92) < 3e-5, binomial(0, 0)
    (True, 1.0)
    """
    from scipy.stats import binom

    few, count = min(successes, failures), successes + failures
    return min(1.0, 2 * float(binom.cdf(few, count, 0.5)))


def sign_flip(gains: Any) -> float:
    """Return the exact two-sided p-value of a sum whose terms may each change sign.

    Two measures that are alike may change names in any query: its gain, the pairs won by the first
    less those won by the second, then changes sign. All 2^queries sums are counted at once, query by
    query, since they are whole numbers. Where each query has one pair, this is McNemar's test.

    Parameters
    ----------
    gains
        Whole numbers, one a cluster.

    Examples
    --------
    >>> sign_flip([1, 1, 1, 1]), sign_flip([2, -2]), sign_flip([])
    (0.125, 1.0, 1.0)
    """
    steps = np.abs(np.asarray(gains, dtype=np.int64))
    seen, law = abs(int(np.sum(gains, dtype=np.int64))), np.ones(1)
    for step in np.sort(steps[steps > 0]).tolist():
        wider = np.zeros(law.size + 2 * step)
        wider[: law.size] += law / 2
        wider[2 * step :] += law / 2
        law = wider
    middle = law.size // 2
    beyond = np.abs(np.arange(law.size) - middle) >= seen
    return min(1.0, float(law[beyond].sum()))
