"""Measures that add up: a weight a rank times a gain a grade, over a norm that the judgments set."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ndcgstudy.discounts import Constant, Discount, Geometric
from ndcgstudy.gains import Binary, Gain
from ndcgstudy.measures import DCG, MEASURES, RBP, Measure, P, R, nDCG

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """A score as scale * sum of discount(rank) * gain(grade), over the same sum for the ideal list.

    Parameters
    ----------
    measure
        The measure.
    gain, discount, cutoff
        Its parts; a document below the cutoff (None: no cutoff) weighs nothing.
    scale
        What the sum is multiplied by.
    normed
        Whether it is divided by the sum of the ideal list.
    ideal_cutoff
        Where the ideal list ends, if it is used.
    """

    measure: Measure
    gain: Gain
    discount: Discount
    cutoff: int | None
    scale: float = 1.0
    normed: bool = False
    ideal_cutoff: int | None = None

    def weights(self, ranks: int) -> Floats:
        """Return the weight of each of the first ranks, none of which is below the cutoff."""
        return self.scale * np.asarray(self.discount(np.arange(1, ranks + 1)), dtype=float)

    def ideal_sums(self, documents: int) -> Floats:
        """Return the weights' sums over the first 0, 1, ... documents of an ideal list.

        Where nothing is divided, the sums are 1: shape (documents + 1,).
        """
        if not self.normed:
            return np.ones(documents + 1)
        ranks = np.arange(1, documents + 1)
        weights = self.scale * np.asarray(self.discount(ranks), dtype=float)
        if self.ideal_cutoff is not None:
            weights[self.ideal_cutoff :] = 0.0
        return np.concatenate([[0.0], np.cumsum(weights)])


def form_of(measure: str | Measure, *, cut_ideal: bool = True) -> Form:
    """Return the form of nDCG, DCG, RBP, P or R.

    Parameters
    ----------
    measure
        A measure or its text form.
    cut_ideal
        Whether the ideal list of nDCG ends at the cutoff.

    Raises
    ------
    ValueError
        If the measure has no such form (AP, RR, ERR, Bpref, Judged, a user's own), or is P without
        a cutoff.

    Examples
    --------
    >>> form_of("P@5").weights(2)
    array([0.2, 0.2])
    >>> form_of("AP")
    Traceback (most recent call last):
        ...
    ValueError: bounds are known for DCG, P, R, RBP, nDCG; not for AP, which is no weighted sum of gains
    """
    part = MEASURES.parse(measure)
    match part:
        case nDCG(gain, discount, cutoff):
            ends = cutoff if cut_ideal else None
            return Form(part, gain, discount, cutoff, normed=True, ideal_cutoff=ends)
        case DCG(gain, discount, cutoff):
            return Form(part, gain, discount, cutoff)
        case RBP(p, gain, cutoff):
            return Form(part, gain, Geometric(p), cutoff, scale=1.0 - p)
        case P(rel, cutoff) if cutoff is not None:
            return Form(part, Binary(rel), Constant(), cutoff, scale=1.0 / cutoff)
        case R(rel, cutoff):
            return Form(part, Binary(rel), Constant(), cutoff, normed=True)
        case P():
            raise ValueError("bounds on P need a cutoff, as in P@10")
    raise ValueError(
        "bounds are known for DCG, P, R, RBP, nDCG; "
        f"not for {part}, which is no weighted sum of gains"
    )
