"""Tests of whether two systems differ, paired on their topics, for many pairs at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest
from ndcgstudy.inference.cautions import cautions_of_test
from ndcgstudy.inference.classical import sign, t
from ndcgstudy.inference.outcome import ALTERNATIVES, Bools, Draws, Floats, Test, constant
from ndcgstudy.inference.resampled import bootstrap, bootstrap_mean, randomisation
from ndcgstudy.inference.signedrank import pratt, wilcoxon

TESTS: dict[str, Test] = {
    "t": t,
    "wilcoxon": wilcoxon,
    "wilcoxon-pratt": pratt,
    "sign": sign,
    "randomisation": randomisation,
    "bootstrap": bootstrap,
    "bootstrap-mean": bootstrap_mean,
}
"""The tests by name."""

RESAMPLES = 10_000

_NO_DIFFERENCE = 5e-13  # what a score subtracted from its equal may leave


@dataclass(frozen=True, eq=False)
class Result:
    """What a test found for each pair; arrays have the shape of the differences without topics.

    Parameters
    ----------
    test, alternative
        The test's name in `TESTS`, and the alternative.
    p
        The p-value, above 0 and at most 1; NaN where no topic counts for the pair (no test).
    statistic
        t ("t", "bootstrap"), the sum of positive ranks ("wilcoxon"), the topics won ("sign"), or
        the mean difference ("randomisation", "bootstrap-mean").
    exact
        Whether p counts all sign patterns, rather than a sample of them or by a law of large samples.
    degenerate
        Whether the difference is the same on every topic, 0 for instance.
    topics
        How many topics count.
    """

    test: str
    alternative: str
    p: Floats
    statistic: Floats
    exact: Bools
    degenerate: Bools
    topics: npt.NDArray[np.int64]

    @property
    def notes(self) -> tuple[str, ...]:
        """What deserves a word: a test that does not keep its level, pairs that do not vary."""
        counted = self.topics[self.topics > 0]
        notes = list(cautions_of_test(self.test, counted.min())) if counted.size else []
        if count := int(np.sum(self.degenerate)):
            notes.append(f"{count} of {np.size(self.p)} pairs differ by the same on every topic")
        return tuple(notes)


def pair_differences(values: Any, first: Any = None, second: Any = None) -> Floats:
    """Return the differences between systems on each topic, values[first] - values[second].

    Parameters
    ----------
    values
        Scores, shape (systems, topics).
    first, second
        The positions of each pair's systems; by default all pairs, in the order (0, 1), (0, 2), ...

    Returns
    -------
    differences
        Shape (pairs, topics).

    Examples
    --------
    >>> pair_differences([[0.5, 1.0], [0.25, 1.0], [0.0, 0.5]]).tolist()
    [[0.25, 0.0], [0.5, 0.5], [0.25, 0.5]]
    """
    scores = np.asarray(values, dtype=float)
    if first is None and second is None:
        first, second = np.triu_indices(len(scores), 1)
    return np.asarray(scores[np.asarray(first)] - scores[np.asarray(second)])


def paired_test(
    name: str,
    differences: Any,
    *,
    alternative: str = "two-sided",
    resamples: int = RESAMPLES,
    rng: np.random.Generator | None = None,
    workers: int = 1,
) -> Result:
    """Test the differences of each pair of systems against no difference.

    Parameters
    ----------
    name
        One of `TESTS`.
    differences
        Shape (pairs, topics), or (topics,) for one pair; NaN where a topic does not count.
    alternative
        "two-sided", or that the first system is "greater" or "less".
    resamples
        How many resamples a test draws, where it draws. A sampled p is at least 1/(resamples + 1);
        to pass Holm over m pairs at 5% it takes some 20 m of them, or else a test of all pairs at
        once (`randomised_tukey`).
    rng
        Where these come from: one child stream for each chunk of resamples, shared by all pairs.
        The tests by formula need none, nor "randomisation" on at most 16 topics that differ.
    workers
        On how many threads; p does not depend on it.

    Raises
    ------
    ValueError
        If a name is unknown, a difference is infinite, or `rng` is missing where it is needed.

    Examples
    --------
    >>> float(paired_test("randomisation", [0.1, 0.2, 0.15, 0.3, 0.05]).p)
    0.0625
    >>> float(paired_test("t", [0.0, 0.0, 0.0]).p)
    1.0
    """
    _check_names(name, alternative)
    shape, rows = _as_rows(differences)
    draws = Draws(resamples, rng, workers)
    result = _nothing(name, alternative, rows)
    for pairs, kept in _groups(np.isfinite(rows)):
        some = rows[pairs][:, kept]
        outcome = TESTS[name](some, alternative, draws)
        result.p[pairs] = np.maximum(outcome.p, np.finfo(float).tiny)
        result.statistic[pairs], result.exact[pairs] = outcome.statistic, outcome.exact
        result.degenerate[pairs] = constant(some)
    arrays = ("p", "statistic", "exact", "degenerate", "topics")
    return Result(name, alternative, *(getattr(result, a).reshape(shape) for a in arrays))


def _check_names(name: str, alternative: str) -> None:
    if name not in TESTS:
        raise ValueError(f"`name` must be a test, got {name!r}{nearest(str(name), [*TESTS])}")
    if alternative not in ALTERNATIVES:
        known = ", ".join(ALTERNATIVES)
        raise ValueError(f"`alternative` must be one of {known}, got {alternative!r}")


def _as_rows(differences: Any) -> tuple[tuple[int, ...], Floats]:
    """Return the shape of the result and the differences as (pairs, topics), noise taken as 0."""
    values = np.asarray(differences, dtype=float)
    if values.ndim not in {1, 2}:
        raise ValueError(
            f"`differences` must have shape (topics,) or (pairs, topics), got {values.shape}"
        )
    if np.isinf(values).any():
        raise ValueError("`differences` must be finite, or NaN where a topic does not count")
    rows = np.where(np.abs(values) < _NO_DIFFERENCE, 0.0, values)
    return values.shape[:-1], rows.reshape(-1, values.shape[-1])


def _nothing(name: str, alternative: str, rows: Floats) -> Result:
    """Return the result of no test."""
    pairs = len(rows)
    nan, no = np.full(pairs, np.nan), np.zeros(pairs, dtype=bool)
    topics = np.isfinite(rows).sum(axis=1)
    return Result(name, alternative, nan, nan.copy(), no, no.copy(), topics)


def _groups(counted: Bools) -> list[tuple[Bools, Bools]]:
    """Return the pairs that share the topics that count, with these; none without a topic."""
    if counted.all() and counted.size:
        return [(np.ones(len(counted), dtype=bool), counted[0])]
    patterns, which = np.unique(counted, axis=0, return_inverse=True)
    return [(which.ravel() == i, kept) for i, kept in enumerate(patterns) if kept.any()]
