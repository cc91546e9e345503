"""Score matrices like a real one: its margins, atoms at 0 and 1 included, tied by a Gaussian copula.

Urbano and Nagler (2018, Stochastic simulation of test collections) fit margins and copulas to judge
significance tests, which needs systems whose true means are known. Here a system's margin has the
real one's shares of zeros and ones and between them its smoothed quantiles, so that its mean is exact.
"""

from dataclasses import dataclass

import numpy as np

from ndcgstudy.checks import number
from ndcgstudy.data import Floats


@dataclass(frozen=True, eq=False)
class Margin:
    """The law of one system's scores over topics.

    Parameters
    ----------
    zeros, ones
        The chances of scores 0 and 1, with a sum of at most 1.
    middle
        Ascending scores between: the quantiles run straight through them, evenly spaced.

    Examples
    --------
    >>> margin = Margin(0.25, 0.0, np.array([0.2, 0.6]))
    >>> margin.quantile(np.array([0.1, 0.25, 1.0])), round(margin.mean(), 12)
    (array([0. , 0.2, 0.6]), 0.3)
    """

    zeros: float
    ones: float
    middle: Floats

    def quantile(self, u: Floats) -> Floats:
        """Return the scores below which the shares `u` of topics lie."""
        within = max(1 - self.zeros - self.ones, 0.0)
        place = np.clip((u - self.zeros) / within if within > 0 else 0 * u, 0, 1)
        knots = np.linspace(0, 1, len(self.middle))
        inner = np.interp(place, knots, self.middle)
        return np.where(u < self.zeros, 0.0, np.where(u > 1 - self.ones, 1.0, inner))

    def mean(self) -> float:
        """Return the mean score, exactly."""
        steps = (self.middle[:-1] + self.middle[1:]) / 2 if len(self.middle) > 1 else self.middle
        return float((1 - self.zeros - self.ones) * steps.mean() + self.ones)


def margin_of(scores: Floats) -> Margin:
    """Return the margin of observed scores in [0, 1]."""
    middle = np.sort(scores[(scores > 0) & (scores < 1)])
    share = [float(np.mean(scores == end)) for end in (0.0, 1.0)]
    return Margin(share[0], share[1], middle if middle.size else np.array([0.5]))


@dataclass(frozen=True, eq=False)
class Copula:
    """A law of score matrices: margins by system, and the correlation of their normal scores.

    Parameters
    ----------
    margins
        One a system.
    root
        A square root of the correlation matrix, (systems, factors).
    lifts
        What a system's score moves to: s becomes (1 - lift) s + lift, below 0 (1 + lift) s; 0 as is.
    """

    margins: tuple[Margin, ...]
    root: Floats
    lifts: Floats

    @property
    def means(self) -> Floats:
        """The true mean of each system, (systems,)."""
        return _lifted(np.array([margin.mean() for margin in self.margins]), self.lifts)

    def draw(self, topics: int, rng: np.random.Generator) -> Floats:
        """Draw scores, (systems, topics)."""
        from scipy.special import ndtr

        u = ndtr(self.root @ rng.standard_normal((self.root.shape[1], topics)))
        scores = np.stack([m.quantile(row) for m, row in zip(self.margins, u, strict=True)])
        return _lifted(scores, self.lifts[:, None])


def _lifted(scores: Floats, lift: Floats) -> Floats:
    """Return the scores moved to 1 or to 0 by a share of their way; atoms on that side stay."""
    return np.asarray(scores * (1 - np.abs(lift)) + np.maximum(lift, 0))


def fitted(values: Floats) -> Copula:
    """Fit margins and copula to scores in [0, 1], (systems, topics).

    The correlation is 2 sin(pi r/6), r Spearman's, made positive semidefinite by leaving out its
    negative eigenvalues.
    """
    from scipy.stats import rankdata

    ranks = rankdata(values, axis=1)
    ranks = ranks - ranks.mean(axis=1, keepdims=True)
    norms = np.sqrt((ranks**2).sum(axis=1))
    unit = ranks / np.where(norms > 0, norms, 1)[:, None]
    correlation = 2 * np.sin(np.pi * (unit @ unit.T) / 6)
    np.fill_diagonal(correlation, 1.0)
    roots, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(roots, 0))
    root = root / np.linalg.norm(root, axis=1, keepdims=True)
    return Copula(tuple(margin_of(row) for row in values), root, np.zeros(len(values)))


def equal(model: Copula) -> Copula:
    """Give all systems the margin of the middle one, so that no gap is true."""
    middle = int(np.argsort(model.means)[len(model.means) // 2])
    return Copula((model.margins[middle],) * len(model.margins), model.root, 0 * model.lifts)


def apart(model: Copula, step: float) -> Copula:
    """Set equal systems apart: the true means of neighbours differ by `step`.

    Raises
    ------
    ValueError
        If the systems would not fit into [0, 1].
    """
    number("step", step, at_least=0)
    base = equal(model)
    means = base.means
    wanted = means + step * (np.arange(len(means)) - (len(means) - 1) / 2)
    if wanted.min() < 0 or wanted.max() > 1:
        raise ValueError(
            f"`step` {step:g} sets {len(means)} systems apart by more than [0, 1] holds"
        )
    lifts = np.where(wanted > means, (wanted - means) / (1 - means), wanted / means - 1)
    return Copula(base.margins, base.root, lifts)
