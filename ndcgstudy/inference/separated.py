"""Which pairs a paired t-test separates, in the sample and in every resample of its topics."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.methods import Bools, Task, means_and_variances
from ndcgstudy.inference.scales import ratio


@dataclass(frozen=True)
class Rule:
    """When a p-value is small enough: a correction by name, and the error it bounds.

    With m p-values of which k are rejected, the largest that may be is the error ("none"), its m-th part
    ("bonferroni"), its (m - k)-th part ("holm") or k/m of it, k at least 1 ("bh").
    """

    method: str
    error: float

    def cut(self, rejected: Floats, tests: int) -> Floats:
        """Return the largest p-value that is rejected where so many of the tests are."""
        share = {
            "none": np.ones_like(rejected),
            "bonferroni": np.full_like(rejected, 1 / tests),
            "holm": 1 / np.maximum(tests - rejected, 1),
            "bh": np.maximum(rejected, 1) / tests,
        }
        return np.asarray(self.error * share[self.method])

    def reject(self, squares: Floats, freedom: Floats) -> tuple[Bools, Floats]:
        """Return which squared t, (tests, resamples), are rejected, and each resample's cut.

        Holm steps down from the smallest p-value and Benjamini-Hochberg up from the largest: they
        end where as many are below the cut as it stands for, the first such place from their side.
        """
        tests, columns = squares.shape
        steps = self.method in ("holm", "bh")
        passes = _by_p(squares, freedom) if steps and np.ptp(freedom) else _by_t(squares, freedom)
        count = np.full(columns, float(tests if self.method == "bh" else 0))
        while True:
            cut = self.cut(count, tests)
            found = passes(cut)
            if not steps or ((now := found.sum(axis=0)) == count).all():
                return found, cut
            count = now.astype(float)


def _by_t(squares: Floats, freedom: Floats) -> Callable[[Floats], Bools]:
    """Hold squared t against the quantile of a cut: of few cuts, or of one number of freedom."""
    return lambda cut: squares >= _quantile(freedom, cut) ** 2 * (1 - 1e-12)


def _by_p(squares: Floats, freedom: Floats) -> Callable[[Floats], Bools]:
    """Hold p-values against a cut: a microsecond each, but once for all cuts."""
    from scipy.special import stdtr

    p = 2 * stdtr(freedom[:, None], -np.sqrt(squares))
    return lambda cut: np.asarray(p <= cut * (1 + 1e-12))


def _quantile(freedom: Floats, cut: Floats) -> Floats:
    """Return the |t| whose two-sided p-value is the cut, (tests or 1, resamples or 1)."""
    from scipy.special import stdtrit

    df, each = (np.unique(x) if np.ptp(x) == 0 else x for x in (freedom, cut))
    return np.asarray(-stdtrit(df[:, None], each[None, :] / 2))


@dataclass(frozen=True, eq=False)
class Separation:
    """The pairs of a task, each with its t-test; arrays are (pairs,).

    Parameters
    ----------
    gaps, variances, freedom
        Each gap, the estimated variance of it, and that one's degrees of freedom.
    p
        The p-value, uncorrected; 1 where all differences are the same: they have no variance.
    separated
        Whether the rule rejects it.
    cut
        The largest p-value that is rejected.
    """

    task: Task
    rule: Rule
    gaps: Floats
    variances: Floats
    freedom: Floats
    p: Floats
    separated: Bools
    cut: float

    @property
    def share(self) -> float:
        """The share of the pairs that are separated."""
        return float(self.separated.mean())

    @property
    def smallest(self) -> float:
        """The smallest gap of a separated pair, NaN where there is none."""
        return float(np.abs(self.gaps[self.separated]).min()) if self.separated.any() else np.nan

    @property
    def needed(self) -> Floats:
        """The gap that would separate each pair, its variance and the cut as they are."""
        return np.asarray(_quantile(self.freedom, np.array([self.cut]))[:, 0] * self.variances**0.5)

    def shares(self, draws: Iterable[Floats]) -> Floats:
        """Return the share of pairs separated in each resample, gaps shrunk, (resamples,).

        `draws` are chunks of counts, (topics, resamples).
        """
        return np.concatenate([self._shares(counts) for counts in draws])

    def _shares(self, counts: Floats) -> Floats:
        sample, taken = self.task.sample, 1 - shrinkage(self.gaps, self.variances)
        squares, at = np.empty((len(self.gaps), counts.shape[1])), 0
        for differences in self.task.blocks():
            rows = slice(at, at := at + len(differences))
            shrunk = differences - taken * self.gaps[rows, None]
            means, variances = sample.moments(shrunk, counts)
            squares[rows] = ratio(means, variances) ** 2
        return np.asarray(self.rule.reject(squares, self.freedom)[0].mean(axis=0))


def shrinkage(gaps: Floats, variances: Floats) -> float:
    """Return sqrt(1 - mean variance of a gap / mean squared gap), 0 where noise explains all gaps.

    A gap is the true one and noise, so its square is on average that of the true one and a variance.
    Shrunk by this factor gaps have the true ones' mean square (Louis 1984, Estimating a population of
    parameter values).
    """
    square = float((gaps**2).mean())
    return max(0.0, 1 - float(variances.mean()) / square) ** 0.5 if square > 0 else 0.0


def separate(task: Task, rule: Rule) -> Separation:
    """Test every pair of a task."""
    from scipy.special import stdtr

    gaps, variances = means_and_variances(task)
    freedom = np.concatenate([task.sample.freedom(d) for d in task.blocks()]).round(9)
    t = ratio(gaps, variances)
    p = np.maximum(2 * stdtr(freedom, -t), np.finfo(float).tiny)
    separated, cut = rule.reject(t[:, None] ** 2, freedom)
    return Separation(task, rule, gaps, variances, freedom, p, separated[:, 0], float(cut[0]))
