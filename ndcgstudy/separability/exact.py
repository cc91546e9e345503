"""Mean and standard deviation of nDCG and of the gap in short lists, with no approximation in n.

The ideal I depends on the numbers N_j of items of grade j or more. 1/I and 1/I^2 are written as sums
of exponentials, each c z^N with z^N the product of z_j^(N_j), fitted over every way in which n items
can have their grades. Under one term the items are independent again, with chances times the z of
their grades; t the sum of these, E[X/I] is the sum of c t^n E_z[X], and E[X^2/I^2] likewise.

For independent items E[X^2], X a sum of gain times D(rank), goes over one item and over two. Of two
items the one has the rank 1 + 1{the other is ahead} + x in its list, the other 1 + 1{...} + y, where
x and y count the n - 2 others ahead and are bivariate binomial. Aitken and Gonin (1935, On fourfold
sampling) expand their law in powers of its correlation r,

    E[f(x) h(y)] = sum over k of r^k f_k h_k,    f_k = E[f(x) K_k(x)], K_k Krawtchouk's polynomials,

of which `TERMS` are kept, and one for the rest. Depths are cut into bins; this and the rest cost up
to 0.5% of a sd.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.separability.ideal import ways
from ndcgstudy.separability.spread import alike
from ndcgstudy.synthetic.generator import Described

Floats = npt.NDArray[np.float64]

TERMS = 10  # powers of the correlation
ROUGH = 2e-4  # share of E[D^2] in later terms: below 1.5e-4 for r^-b, 4e-4 and more at a cutoff
REACH = 2.0  # how far the mean of N_j is moved, in its standard deviations
LONGEST = {2: 300, 3: 100}  # items, by the number of grades
LATTICE = 10, 9  # points an axis for two grades and for three
RARE = 1e-9  # share of a grade that is taken as 0
PER_DECADE, TOP, EVEN = 24, 0.2, 50  # bins a decade down to depth `TOP`, and of equal width below


def is_short(n: int, grades: int) -> bool:
    """Say whether a list of n items is computed exactly: in about a second, with two or three grades."""
    return n <= LONGEST.get(grades, 0)


def exact(
    source: Described, n: int, levels: Floats, weights: Floats, plain: Floats
) -> tuple[Floats, Floats] | None:
    """Return means and standard deviations of nDCG of A, of B, and of their difference, (3,) each.

    None where the weights fall so abruptly, as at a cutoff, that more terms were needed, and where a
    grade does not occur.

    Parameters
    ----------
    levels
        The gain of each grade.
    weights
        D at ranks 1 to n, 0 behind a cutoff, (n,).
    plain
        E[DCG] of A, of B, and of their difference without bins, by which the means are put right.
    """
    near = np.geomspace(0.1 / n, TOP, int(PER_DECADE * np.log10(TOP * n / 0.1)) + 2)
    edges = np.concatenate([[0.0], near, np.linspace(TOP, 1, round(EVEN * (1 - TOP)) + 1)[1:]])
    joint = np.asarray(source.joint(edges, edges), dtype=float)
    joint /= joint.sum()
    if joint.sum(axis=(0, 1)).min() < RARE:
        return None
    if max(_Half.of(joint, axis, levels, weights).lost for axis in (0, 1)) > ROUGH:
        return None
    total, binned = np.zeros((2, 3)), _moments(joint, levels, weights)[0]
    for z, *times in _terms(n, joint.sum(axis=(0, 1)), levels, weights):
        size = float((joint * z).sum())
        found = _moments(joint * z / size, levels, weights)
        total += size**n * np.array(times)[:, None] * found
    means, squares = total
    spread = np.sqrt(np.maximum(squares - means**2, 0.0))
    return means * np.divide(plain, binned, out=np.ones(3), where=binned != 0), spread


def _terms(n: int, shares: Floats, levels: Floats, weights: Floats) -> "list[tuple[Floats, ...]]":
    """Return z by grade, and how often the term counts in 1/I and in 1/I^2, for every term."""
    tails = np.cumsum(shares[::-1])[::-1][1:]
    counts, chances = ways(n, tuple(tails.tolist()))
    ideal = np.append(0.0, np.cumsum(weights))[counts] @ np.diff(levels)
    some = (ideal > 0) & (chances > 0)  # without relevant items X is 0, whatever 1/I
    off, chances, ideal = counts[some] - n * tails, np.sqrt(chances[some]), ideal[some]
    covariance = n * (np.minimum.outer(tails, tails) - np.multiply.outer(tails, tails))
    grid = _lattice(len(tails), n) @ np.linalg.inv(np.linalg.cholesky(covariance))
    design = chances[:, None] * np.exp(off @ grid.T)
    goal = chances[:, None] * np.stack([1 / ideal, 1 / ideal**2], axis=1)
    times = np.linalg.lstsq(design, goal, rcond=1e-13)[0] * np.exp(-n * (grid @ tails))[:, None]
    z = np.exp(np.pad(np.cumsum(grid, axis=1), ((0, 0), (1, 0))))
    return [(row, *pair) for row, pair in zip(z, times, strict=True)]


def _lattice(axes: int, n: int) -> Floats:
    """Return points around 0, (points, axes), whose absolute coordinates add up to `REACH` at most."""
    steps = np.linspace(-REACH, REACH, min(LATTICE[0], n + 1) if axes == 1 else LATTICE[1])
    points = np.array(list(itertools.product(steps, repeat=axes)))
    return np.asarray(points[np.abs(points).sum(axis=1) <= REACH * (1 + 1e-9)])


def _moments(joint: Floats, levels: Floats, weights: Floats) -> Floats:
    """Return E[X] and E[X^2], (2, 3), for X the DCG of A, of B, and their difference.

    The difference is taken of weights less the last, on which it does not depend.
    """
    less = weights - weights[-1]
    a, b, first, second = (
        _Half.of(joint, axis, levels, d) for d in (weights, less) for axis in (0, 1)
    )
    apart = first.square() + second.square() - 2 * _product(joint, levels, first, second)
    return np.array([[a.mean, b.mean, first.mean - second.mean], [a.square(), b.square(), apart]])


@dataclass(frozen=True, eq=False)
class _Half:
    """One ranker of independent items: what is needed of it alone.

    Parameters
    ----------
    chance
        P(bin, grade).
    one
        The coefficients of D(rank) of an item among all others, (terms + 1, bins).
    ahead, behind
        Those of an item ahead of a second one, and behind it, among the others.
    """

    chance: Floats
    levels: Floats
    n: int
    mean: float
    squares: float
    one: Floats
    ahead: Floats
    behind: Floats

    @classmethod
    def of(cls, joint: Floats, axis: int, levels: Floats, weights: Floats) -> "_Half":
        chance, n = joint.sum(axis=1 - axis), len(weights)
        each = chance.sum(axis=1)
        middle = np.cumsum(each) - each / 2
        one = coefficients(n - 1, middle, weights)
        ahead, behind = (coefficients(n - 2, middle, d) for d in (weights[:-1], weights[1:]))
        mean = n * float((chance @ levels) @ one[0])
        squares = n * float((chance @ levels**2) @ (one**2).sum(axis=0))
        return cls(chance, levels, n, mean, squares, one, ahead, behind)

    @property
    def lost(self) -> float:
        """The share of E[D(rank)^2] in terms left out."""
        parts = self.chance.sum(axis=1) @ (self.one**2).T
        return float(parts[-1] / parts.sum())

    def square(self) -> float:
        """Return E[X^2] of the DCG of this ranker."""
        same = np.eye(len(self.chance))[..., None] * self.chance[:, None]
        return self.squares + _pairs(same, self.levels, self, self)


def _product(joint: Floats, levels: Floats, a: _Half, b: _Half) -> float:
    """Return E of the product of the DCGs of A and B."""
    powers = _ends(joint.sum(axis=2)) ** np.arange(len(a.one))[:, None, None]
    single = np.einsum("kab,ka,kb,ab->", powers, a.one, b.one, joint @ levels**2, optimize=True)
    return a.n * float(single) + _pairs(joint, levels, a, b)


def _pairs(joint: Floats, levels: Floats, a: _Half, b: _Half) -> float:
    """Return the sum over items i, j of E[gain_i D(rank of i in A) gain_j D(rank of j in B)]."""
    gain = joint @ levels
    over = np.cumsum(gain, axis=1) - gain / 2  # gain of i in a bin of A, ahead in B of j's bin
    under = np.cumsum(gain, axis=0) - gain / 2  # gain of j in a bin of B, ahead in A of i's bin
    rest, left = gain.sum(axis=1)[:, None] - over, gain.sum(axis=0) - under
    one = np.eye(len(gain), dtype=bool) & (_ends(joint.sum(axis=2)) == 1)
    tie = np.where(one, gain**2, 0.0) / 4  # in one bin of one order, one of two is ahead
    powers = _middles(joint.sum(axis=2)) ** np.arange(len(a.ahead))[:, None, None]
    weighed = (
        (rest * left - tie, a.ahead, b.ahead),
        (over * left + tie, a.ahead, b.behind),
        (rest * under + tie, a.behind, b.ahead),
        (over * under - tie, a.behind, b.behind),
    )
    total = sum(
        float(np.einsum("kab,ab,ka,kb->", powers, w, f, h, optimize=True)) for w, f, h in weighed
    )
    return a.n * (a.n - 1) * total


def _ends(mass: Floats) -> Floats:
    """Return the correlation of being ahead of the ends of two bins, (bins, bins)."""
    a, b = (np.append(np.cumsum(mass.sum(axis=1 - axis))[:-1], 1.0) for axis in (0, 1))
    return alike(mass, a, b)


def _middles(mass: Floats) -> Floats:
    """Return the correlation of being ahead of the middles of two bins, (bins, bins)."""
    ahead = np.pad(np.cumsum(np.cumsum(mass, axis=0), axis=1), ((1, 0), (1, 0)))
    inner = (ahead[1:, 1:] + ahead[1:, :-1] + ahead[:-1, 1:] + ahead[:-1, :-1]) / 4
    u, v = (ahead[1:, -1] + ahead[:-1, -1]) / 2, (ahead[-1, 1:] + ahead[-1, :-1]) / 2
    scale = np.sqrt(np.multiply.outer(u * (1 - u), v * (1 - v)))
    return np.asarray(np.clip((inner - np.multiply.outer(u, v)) / scale, -1, 1))


def coefficients(m: int, depths: Floats, weights: Floats) -> Floats:
    """Return f_k of weights on 0, ..., m under Binomial(m, depth), (terms + 1, depths).

    The last row stands for all terms left out: with it the squares add up to the mean square.

    Examples
    --------
    >>> found = coefficients(8, np.array([0.5]), np.arange(9.0))  # mean 4, sd sqrt(2), linear
    >>> found[:2, 0].round(6).tolist()
    [4.0, 1.414214]
    """
    from scipy.stats import binom

    x, u = np.arange(m + 1.0), depths[:, None]
    before, now = np.zeros((len(depths), m + 1)), np.sqrt(binom.pmf(x, m, u))
    weighed, good = now * weights, np.ones(len(depths))
    found = [np.einsum("dx,dx->d", weighed, now)]
    for k in range(min(m, TERMS)):
        step = np.sqrt((k + 1) * (m - k) * u * (1 - u))
        back = np.sqrt(k * (m - k + 1) * u * (1 - u))
        before, now = now, ((x - u * (m - k) - k * (1 - u)) * now - back * before) / step
        good *= np.abs((now**2).sum(axis=1) - 1) < 1e-12  # else digits are lost: near the top
        now *= good[:, None]
        found.append(np.einsum("dx,dx->d", weighed, now))
    rest = (weighed**2).sum(axis=1) - np.square(found).sum(axis=0)
    return np.vstack([*found, np.sqrt(np.maximum(rest, 0.0))])
