"""Agreement of measures with people, with intervals, over all pairs and by strata."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.agreement.counts import (
    COUNTS,
    DECIDED,
    RATES,
    TOLERANCE,
    Counts,
    Floats,
    outcomes,
    rates,
    three_way,
    wholes,
)
from ndcgstudy.agreement.resampling import (
    cluster_counts,
    cluster_labels,
    resample,
)
from ndcgstudy.agreement.strata import ordered
from ndcgstudy.checks import MANY, nearest, number
from ndcgstudy.intervals import clustered, wilson

if TYPE_CHECKING:
    import pandas as pd

ALL, REWEIGHTED = "all", "reweighted"


@dataclass(frozen=True, eq=False)
class Agreement:
    """How often measures prefer the list that people prefer, in one set of pairs.

    Parameters
    ----------
    measures, strata
        The names on the axes; the first stratum is "all".
    counts
        Shape (strata, measures, counts), the last axis as in `COUNTS`.
    drawn
        The first five counts in resampled clusters, shape (resamples, strata, measures, 5); no
        resamples where all pairs are of one cluster.
    clusters
        How many clusters each stratum has.
    name
        Of the set.
    level
        Of the intervals.
    mix
        The target mix of strata, where the rates are to be reweighted.
    """

    measures: tuple[str, ...]
    strata: tuple[str, ...]
    counts: Counts
    drawn: Counts
    clusters: tuple[int, ...]
    name: str = "all"
    level: float = 0.95
    mix: Mapping[str, float] | None = None

    def reweighted(self, mix: Mapping[str, float]) -> "Agreement":
        """Add a stratum "reweighted": all pairs, weighed so that strata have the shares of a mix.

        Shares are of the pairs that the person decides. Each such pair weighs the share wanted over
        the share there is, in every resample anew.

        Parameters
        ----------
        mix
            Shares by stratum, at least 0; they are divided by their sum.

        Raises
        ------
        ValueError
            If a stratum is unknown or has no decided pair, or the shares are none.
        """
        for stratum, share in mix.items():
            number(f"share of {stratum}", share, at_least=0)
            if stratum not in self.strata[1:]:
                raise ValueError(
                    f"unknown stratum {stratum!r}{nearest(stratum, [*self.strata[1:]])}"
                )
            if share and not self.counts[self.strata.index(stratum), 0, :3].sum():
                raise ValueError(f"stratum {stratum!r} has no pair that a person decides")
        whole = sum(mix.values())
        if not whole > 0:
            raise ValueError("the shares of a mix must not all be 0")
        return replace(self, mix={stratum: share / whole for stratum, share in mix.items()})

    def rates(self) -> Floats:
        """Return the rates of all strata, the reweighted one last, (strata, measures, rates)."""
        return rates(self._with_mix(self.counts[..., :DECIDED]))

    def intervals(self) -> tuple[Floats, Floats]:
        """Return the bounds of all rates, see `clustered`; NaN where there is but one cluster.

        The error is the standard deviation over resampled clusters, times sqrt(G/(G - 1)) of G.
        """
        found, clusters = self.rates(), self._clusters()[:, None, None]
        if not len(self.drawn):
            none = np.full_like(found, np.nan)
            return none, none
        with warnings.catch_warnings():  # a rate may have no pair in any resample
            warnings.simplefilter("ignore", RuntimeWarning)
            error = np.nanstd(rates(self._with_mix(self.drawn)), axis=0)
        error *= np.sqrt(clusters / np.maximum(clusters - 1, 1))
        return clustered(found, error, self._trials(), clusters, self.level)

    def _inside(self) -> list[list[int]]:
        """Return the strata that each row of rates is of, the reweighted one last."""
        own = [[i] for i in range(len(self.strata))]
        return [*own, [self.strata.index(name) for name in self.mix]] if self.mix else own

    def _clusters(self) -> Counts:
        """Return how many clusters each row of rates has at most."""
        return np.array(
            [self.clusters[0 if len(at) > 1 else at[0]] for at in self._inside()], float
        )

    def _trials(self) -> Counts:
        """Return how many pairs each rate is a share of."""
        return np.stack([wholes(self.counts[at].sum(axis=0)) for at in self._inside()])

    def _with_mix(self, counts: Counts) -> Counts:
        """Add the reweighted stratum to counts (..., strata, measures, 5)."""
        if self.mix is None:
            return counts
        at = [self.strata.index(stratum) for stratum in self.mix]
        part = counts[..., at, :, :]
        sizes = part[..., :3].sum(axis=-1, keepdims=True)
        shares = np.array([*self.mix.values()])[:, None, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            weighed = np.where(shares > 0, part / sizes * shares, 0.0)
        return np.asarray(np.concatenate([counts, weighed.sum(axis=-3, keepdims=True)], axis=-3))

    def table(self) -> "pd.DataFrame":
        """Return a row a stratum and measure: counts, rates, intervals of resampling and of Wilson.

        Wilson's intervals take the pairs for independent; the reweighted stratum has none.
        """
        import pandas as pd

        bounds = (self.rates(), *self.intervals())
        names = [*self.strata, *([REWEIGHTED] if self.mix else [])]
        return pd.DataFrame(
            [
                {"measure": measure, "set": self.name, "stratum": stratum}
                | self._row(stratum, m, [bound[s, m] for bound in bounds])
                for s, stratum in enumerate(names)
                for m, measure in enumerate(self.measures)
            ]
        )

    def _row(self, stratum: str, m: int, bounds: Sequence[Floats]) -> dict[str, float]:
        """Return the figures of one measure in one stratum."""
        inside = [*(self.mix or ())] if stratum == REWEIGHTED else [stratum]
        raw = self.counts[[self.strata.index(name) for name in inside], m].sum(axis=0)
        row: dict[str, float] = {n: int(c) for n, c in zip(COUNTS, raw.tolist(), strict=True)}
        for rate, value, low, high in zip(RATES, *(b.tolist() for b in bounds), strict=True):
            stem = _stem(rate)
            row |= {rate: value, f"{stem}low": low, f"{stem}high": high}
        sampled = 0 * raw if stratum == REWEIGHTED else raw  # weighed pairs are no binomial sample
        row |= _wilsons(sampled, self.level) | {"three_way": float(three_way(raw))}
        return row | {
            "queries": self.clusters[0 if len(inside) > 1 else self.strata.index(inside[0])]
        }


def agreement(
    difference: Any,
    preference: Any,
    cluster: Any,
    measures: Sequence[str],
    *,
    rng: np.random.Generator,
    strata: Any = None,
    resamples: int = 2000,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
    name: str = "all",
) -> Agreement:
    """Count how often measures prefer the list that people prefer.

    Parameters
    ----------
    difference
        The measures of list A minus those of list B, shape (measures, pairs).
    preference
        Shape (pairs,): 1 for A, 0 for neither, -1 for B.
    cluster
        Shape (pairs,): labels; pairs of one cluster, e.g. one query, may depend on each other. It is
        clusters that are resampled.
    measures
        The measures' names.
    strata
        Labels, shape (pairs,), to count by as well.
    tolerance
        Differences up to it, either way, are ties.
    name
        Of the set of pairs.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is none of these, or nobody prefers a list.

    Examples
    --------
    >>> found = agreement(
    ...     [[0.5, -0.2, 0.0, -0.1]], [1, -1, -1, 1], ["q1", "q1", "q2", "q3"], ["nDCG@5"],
    ...     rng=np.random.default_rng(0),
    ... )
    >>> found.rates()[0, 0].round(3).tolist()
    [0.667, 0.5, 0.625, 0.667]
    """
    number("resamples", resamples, at_least=1, at_most=MANY, whole=True)
    number("level", level, above=0, below=1)
    counted = outcomes(difference, preference, tolerance)
    labels = cluster_labels(cluster, counted, measures)
    if not counted[:, 0, :3].any():
        raise ValueError(f"set {name}: no answer prefers a list, so there is nothing to agree with")
    names, members = _members(strata, labels.size)
    clusters = int(labels.max()) + 1
    sums = np.stack(
        [cluster_counts(counted[rows], labels[rows], clusters) for rows in members], axis=1
    )
    decided = np.ascontiguousarray(sums[..., :DECIDED])
    drawn = (
        resample(decided, resamples, rng=rng) if clusters > 1 else np.empty((0, *decided.shape[1:]))
    )
    return Agreement(
        measures=tuple(measures),
        strata=names,
        counts=sums.sum(axis=0),
        drawn=drawn,
        clusters=tuple(int(np.unique(labels[rows]).size) for rows in members),
        name=name,
        level=level,
    )


def _members(strata: Any, pairs: int) -> tuple[tuple[str, ...], list[Any]]:
    """Return the names of the strata, "all" first, and the rows of each."""
    if strata is None:
        return (ALL,), [np.arange(pairs)]
    labels = np.asarray(strata, dtype=object)
    if labels.shape != (pairs,):
        raise ValueError(f"`strata` must have {pairs} labels, got shape {labels.shape}")
    names = ordered(labels.tolist())
    for name in (ALL, REWEIGHTED):
        if name in names:
            raise ValueError(f"a stratum must not be called {name!r}: that is a row of its own")
    return (ALL, *names), [np.arange(pairs), *(np.flatnonzero(labels == n) for n in names)]


def _stem(rate: str) -> str:
    """Return how the bounds of a rate begin: those of "rate" itself are plain `low` and `high`.

    Examples
    --------
    >>> _stem("rate"), _stem("common_rate"), _stem("strict")
    ('', 'common_', 'strict_')
    """
    stem = rate.removesuffix("rate").removesuffix("_")
    return f"{stem}_" if stem else ""


def _wilsons(counts: Counts, level: float) -> dict[str, float]:
    """Return Wilson's intervals of rate, strict and common rate."""
    agree, disagree, tie, common, other = counts[:DECIDED]
    parts = [agree, agree, common]
    wholes = [agree + disagree, agree + disagree + tie, common + other]
    with np.errstate(invalid="ignore", divide="ignore"):
        low, high = wilson(parts, wholes, level)
    found: dict[str, float] = {}
    for i, stem in enumerate(map(_stem, ("rate", "strict", "common_rate"))):
        found |= {f"{stem}wilson_low": float(low[i]), f"{stem}wilson_high": float(high[i])}
    return found
