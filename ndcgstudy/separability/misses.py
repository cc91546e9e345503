"""Two rankers whose labels become certain at the top: their misses decide (see `theory`)."""

import numpy as np

from ndcgstudy.gains import Gain
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.foreseen import SETTLES, Foreseen, bound, only_ties
from ndcgstudy.separability.leading import leading
from ndcgstudy.separability.rates import Rate
from ndcgstudy.separability.tops import NEAR, Tops
from ndcgstudy.synthetic.generator import Described


def by_cutoff(pair: Described, gain: Gain, top: Tops, law: Rate, cut: Cutoff) -> Foreseen:
    """Judge equal tops under a cutoff n^a: the top k has k (k/n)^kappa misses."""
    kappas = top.a.kappa, top.b.kappa
    worse = min(kappas)
    if not top.certain or abs(cut.exponent * (1 + worse) - worse) < NEAR:
        return Foreseen(None, "both rankers expect the same at the top", law)
    if cut.exponent * (1 + worse) < worse:
        return only_ties("the items that count become the same in both lists", law)
    if abs(kappas[0] - kappas[1]) < NEAR:
        return Foreseen(None, "misses vanish alike at the top of both rankers", law)
    why, ahead = "misses vanish at the top of both rankers, faster for one", _fewer(pair, gain, top)
    return Foreseen(True if ahead else None, why, law, "", ahead, normal=False)


def by_misses(pair: Described, gain: Gain, top: Tops, law: Rate, cut: Cutoff) -> Foreseen:
    """Judge lists whose labels become certain at the top, by their misses."""
    why = f"{bound(law)}, but labels become certain at the top"
    kappas, beta = (top.a.kappa, top.b.kappa), law.decay.beta
    worse = min(kappas)
    grows = growth(beta, worse)
    if np.isinf(worse) or np.isnan(beta):
        return Foreseen(None, f"{why} of both lists", law, grows, normal=False)
    if beta < 1 + worse - NEAR:
        ahead = leading(pair, gain, beta, law.decay.limit > 0, cut.factor, cut.whole)
        why = f"{why}, and D averages over many misses"
    elif abs(kappas[0] - kappas[1]) >= NEAR:
        ahead = _fewer(pair, gain, top)
        why = f"{why}, and misses vanish faster there for one ranker"
    elif beta > 1 + worse + NEAR:
        why = f"{why}, misses vanish alike for both, and the first few decide: {SETTLES}"
        return Foreseen(False, why, law, normal=False)
    else:
        ahead, why = "", f"{why}, and misses vanish alike for both"
    return Foreseen(True if ahead else None, why, law, grows, ahead, normal=False)


def _fewer(pair: Described, gain: Gain, top: Tops) -> str:
    """Name the ranker for which fewer misses are better, or more: items below or above the top's gain."""
    levels = np.asarray(gain(np.arange(pair.grades)), dtype=float)
    fewer, more = ("A", "B") if top.a.kappa > top.b.kappa else ("B", "A")
    if top.a.gains[0] == levels.max():
        return fewer
    return more if top.a.gains[0] == levels.min() else ""


def growth(beta: float, kappa: float) -> str:
    """Return the growth of z where misses vanish like u^kappa, empty where it falls.

    The gap is n^(1-beta) times a constant, its variance n^-kappa times the sum of r^(kappa - 2 beta).
    """
    exponent = min(0.5, 1 - beta + kappa / 2)
    return f"n^{exponent:.2f} but for logarithms" if exponent > NEAR else ""
