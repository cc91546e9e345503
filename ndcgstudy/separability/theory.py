"""What theory says of a discount, a cutoff and a pair of rankers: whether P(right) goes to 1.

Definition 5 of Wang et al. (2013) asks that one ranker be ahead on all prefixes from some length on, with
a probability that goes to 1; so P(right) -> 1 is necessary. Let S(k) be the sum of D over the ranks that
count.

Tops differ, S unbounded   the gap settles and its noise vanishes: separates, unless both rankers tend to
                           the same (Theorems 6, 8, 9, 11).
Tops differ, S bounded     the first ranks decide, few labels. If labels stay uncertain at the top of both
                           lists P(right) settles below 1 (Theorem 10). If they become certain, misses
                           (items without that gain) are at depth u a share u^kappa of the items. The
                           ranker with the larger kappa has its first miss ever further down, and separates
                           under any D that falls and stays above 0. Where kappa is one and the misses of A
                           are c times those of B, n times the misses add up like those of a Poisson process
                           of intensity x^kappa: r^-beta averages over many of them for beta <= 1 + kappa,
                           and separates; beyond, the first few decide.
Fixed cutoff               as S bounded, but lists without a miss tie: separates only where the two lists
                           have no gain in common.
One order at the top       what lies below the shared top decides: a smooth part of D, sqrt(n); ranks that
                           count within the shared top alone tie.

The first case with uncertain labels is kappa = 0. Uncertain or not is computed from the pair (`tops`).
"""

import numpy as np

from ndcgstudy.discounts import Discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.foreseen import SETTLES, TIES, Foreseen, bound, only_ties
from ndcgstudy.separability.leading import leading
from ndcgstudy.separability.misses import by_cutoff, by_misses, growth
from ndcgstudy.separability.rates import Rate, rate
from ndcgstudy.separability.sums import last_rank
from ndcgstudy.separability.tops import Tops, tops
from ndcgstudy.synthetic.generator import Described, Generator, is_described

LINEAR: Gain = Linear()
CONSTANT = "every item counts the same in both lists"


def foresee(
    pair: Generator,
    discount: Discount,
    *,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> Foreseen:
    """Say what theory expects of P(right) on ever longer lists.

    Examples
    --------
    >>> from ndcgstudy.discounts import Power
    >>> from ndcgstudy.synthetic import Latent, Reference
    >>> [foresee(pair, Power(beta=2)).separates for pair in (Reference(), Latent())]
    [False, True]
    """
    cut, law = Cutoff.parse(cutoff), rate(discount, cutoff=cutoff)
    if not is_described(pair):
        return _undescribed(pair, gain, law)
    top = tops(pair, gain)
    fixed = law.fixed or (law.decay.diverges is False and last_rank(discount) < np.inf)
    if top.same:
        why = "nothing to separate: both rankers have the same curves"
        found = Foreseen(False, why, law, "none", normal=False)
    elif law.law == TIES:
        found = only_ties(CONSTANT, law)
    elif top.alike > 0:
        found = _shared(pair, gain, top, law, cut, fixed)
    elif fixed:
        found = _fixed(top, law)
    elif law.separates is None:
        why = "whether the sum of D is bounded is not resolved by its values up to rank 1e15"
        found = Foreseen(None, why, law, law.law)
    else:
        found = (_unbounded if law.separates else _bounded)(pair, gain, top, law, cut)
    return found


def _undescribed(pair: Generator, gain: Gain, law: Rate) -> Foreseen:
    """Judge a pair without curves: by the discount, and by the pair that its items tend to."""
    if law.law == TIES:
        return only_ties(CONSTANT, law)
    if law.separates is not False:
        return Foreseen(
            None, "this pair has no closed form: its draws alone decide", law, law.law, known=False
        )
    last = getattr(pair, "tends_to", None)
    top = tops(last, gain) if last and is_described(last) else None
    if top and top.known and not (top.certain or top.above):
        return Foreseen(False, f"{bound(law)}, and labels stay uncertain at the top", law, law.law)
    why = f"{bound(law)}; whether labels stay uncertain at the top of this pair is not known"
    return Foreseen(None, why, law, normal=False, known=False)


def _shared(
    pair: Described, gain: Gain, top: Tops, law: Rate, cut: Cutoff, fixed: bool
) -> Foreseen:
    """Judge rankers with one order at the top, by what lies below."""
    share = cut.factor if cut.exponent == 1 else 0.0
    if fixed or share <= top.alike:
        return only_ties("the ranks that count have one order, on lists long enough", law)
    beta = law.decay.beta
    if np.isnan(beta):
        return Foreseen(None, "the decay of D is not resolved by its values", law)
    if np.isinf(beta):
        why = f"below the shared top the first items that differ decide: {SETTLES}"
        return Foreseen(False, why, law, "constant", normal=False)
    ahead = leading(pair, gain, beta, law.decay.limit > 0, share, cut.whole)
    if not ahead:
        return Foreseen(None, "both rankers tend to the same below their shared top", law)
    why = "both have one order at the top, and differ below it, where D is smooth"
    return Foreseen(True, why, law, "sqrt(n)", ahead)


def _fixed(top: Tops, law: Rate) -> Foreseen:
    """Judge rankers of which a fixed number of items counts."""
    if not top.known:
        return Foreseen(None, "what is left at the top of both lists is not resolved", law)
    if top.certain:
        return only_ties("the fixed number of items that count become the same in both lists", law)
    lowest, highest = (top.b, top.a) if top.above == "A" else (top.a, top.b)
    if top.above and lowest.gains[-1] < highest.gains[0]:
        return Foreseen(True, "the two lists have no gain in common", law, "", top.above)
    return Foreseen(False, f"a fixed number of items counts: {SETTLES}", law, "constant")


def _unbounded(pair: Described, gain: Gain, top: Tops, law: Rate, cut: Cutoff) -> Foreseen:
    """Judge a sum without bound: the limits decide, or where these are one what comes next."""
    why, beta = bound(law), law.decay.beta
    part = law.decay.limit > 0
    if cut.exponent == 1 and beta < 1:
        ahead = leading(pair, gain, beta, part, cut.factor, cut.whole)
        if ahead:
            kappa = min(top.a.kappa, top.b.kappa)
            grows = growth(beta, kappa) if kappa > 0 and beta >= 0.5 else law.law
            return Foreseen(True, why, law, grows, ahead)
        return Foreseen(None, f"{why}, but both rankers tend to the same", law)
    if not top.known:
        return Foreseen(None, "what is left at the top of both lists is not resolved", law)
    if top.equal:
        return _equal(pair, gain, top, law, cut)
    ahead = "A" if top.a.expected > top.b.expected else "B"
    critical = ", at the critical rate" if law.critical and law.decay.beta == 1 else ""
    return Foreseen(True, why + critical, law, law.law, ahead)


def _equal(pair: Described, gain: Gain, top: Tops, law: Rate, cut: Cutoff) -> Foreseen:
    """Judge a sum without bound that looks at the top alone, where both rankers expect the same."""
    if cut.exponent < 1:
        return by_cutoff(pair, gain, top, law, cut)
    if top.certain:
        return by_misses(pair, gain, top, law, cut)
    why = f"{bound(law)}, but both rankers are the same at the top, so that z stops growing: {SETTLES}"
    return Foreseen(False, why, law, "constant")


def _bounded(pair: Described, gain: Gain, top: Tops, law: Rate, cut: Cutoff) -> Foreseen:
    """Judge a bounded sum: Theorem 10 where labels stay uncertain, and what holds where they do not."""
    if not top.known:
        why = f"{bound(law)}; whether labels stay uncertain at the top is not resolved"
        return Foreseen(None, why, law)
    if top.above:
        why = f"{bound(law)}, but the top items of {top.above} are never below those of the other"
        return Foreseen(True, why, law, "", top.above, normal=False)
    if not top.certain:
        why = f"{bound(law)}, and labels stay uncertain at the top: {SETTLES}"
        return Foreseen(False, why, law, "constant")
    if cut.exponent < 1:
        return by_cutoff(pair, gain, top, law, cut)
    return by_misses(pair, gain, top, law, cut)
