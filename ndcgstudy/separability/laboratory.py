"""Simulation and theory side by side, for any discount and pair of rankers, and their verdicts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.checks import LISTS, number
from ndcgstudy.discounts import Discount, check_discount
from ndcgstudy.gains import Gain, Linear
from ndcgstudy.separability.aggregated import aggregate
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.direct import check_prefixes, simulate
from ndcgstudy.separability.expectation import expect
from ndcgstudy.separability.summary import summarise, tally
from ndcgstudy.separability.verdict import Verdict, decide
from ndcgstudy.synthetic import Generator, is_described

if TYPE_CHECKING:
    import pandas as pd

LINEAR: Gain = Linear()
MOST_DIRECT = 10**6  # items that are drawn one by one where a generator has no closed form
DECADES = tuple(10**k for k in (3, 6, 9, 10, 11, 12))


def checked(generator: Generator, ns: Sequence[int]) -> None:
    """Check that lists of these lengths can be drawn.

    Raises
    ------
    ValueError
        If lengths do not rise from 2, or a generator without a closed form is to draw too many.
    """
    check_prefixes(ns)
    if not is_described(generator):
        if ns[-1] > MOST_DIRECT:
            raise ValueError(
                f"`n` must be at most {MOST_DIRECT:,} for generator {generator}, which has no closed "
                f"form (`curves` and `joint`) and draws item by item, got {ns[-1]:,}"
            )
    elif ns[-1] > 2**50:
        raise ValueError(f"`n` must be at most 2^50, about 1.1e15, got {ns[-1]:,}")


def compare(
    generator: Generator,
    discounts: Sequence[Discount],
    ns: Sequence[int],
    *,
    replicates: int,
    rng: np.random.Generator,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> "pd.DataFrame":
    """Simulate two rankers on lists of every length and put what theory expects beside.

    A generator with a closed form is drawn in bins, every length on its own, up to 2^50 items;
    another item by item, nested prefixes, up to `MOST_DIRECT`.

    Returns
    -------
    DataFrame
        The columns of `summarise`, with the cutoff; nested, whether a replicate's lists are prefixes
        of one list, without which last_wrong is about lists drawn apart; expected_a, expected_b,
        expected_gap and expected_z, NaN where the generator has no closed form.

    Raises
    ------
    ValueError
        As `checked` and `check_discount` do; if two discounts have one text; if replicates are
        below 2; or if the cutoff lies beyond a list.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2
    >>> from ndcgstudy.synthetic import Reference
    >>> rng = np.random.default_rng(1)
    >>> table = compare(Reference(), [Log2()], [1000, 10**12], replicates=20, rng=rng)
    >>> table["expected_z"].round(0).astype(int).tolist()
    [2, 106309]
    """
    checked(generator, ns)
    for discount in discounts:
        check_discount(discount)
    if len({*map(str, discounts)}) < len(discounts):
        raise ValueError(f"`discounts` must each have another text, got {[*map(str, discounts)]}")
    number("replicates", replicates, at_least=2, at_most=LISTS, whole=True)
    cut = Cutoff.parse(cutoff)
    cut.of(ns[0])
    import pandas as pd

    draw = aggregate if is_described(generator) else simulate
    paired = draw(
        generator, discounts, ns, replicates=replicates, rng=rng, gain=gain, cutoffs=(cut,)
    )
    table = summarise(pd.DataFrame(tally(paired, discounts, ns, (cut,))))
    table["nested"] = not is_described(generator)
    return table.join(_expected(generator, discounts, ns, cut, gain))


def _expected(
    generator: Generator, discounts: Sequence[Discount], ns: Sequence[int], cut: Cutoff, gain: Gain
) -> "pd.DataFrame":
    """Return what theory expects in the order of the table of `tally`."""
    import pandas as pd

    names = ["expected_a", "expected_b", "expected_gap", "expected_z"]
    if not is_described(generator):
        return pd.DataFrame(np.nan, range(len(discounts) * len(ns)), names)
    found = {
        (d, n): expect(generator, discount, n, cutoff=cut, gain=gain)
        for n in ns
        for d, discount in enumerate(discounts)
    }
    rows = [found[d, n] for d in range(len(discounts)) for n in ns]
    return pd.DataFrame([[e.mean_a, e.mean_b, e.gap, e.z] for e in rows], columns=names)


def verdict(
    discount: Discount,
    generator: Generator,
    *,
    rng: np.random.Generator,
    ns: Sequence[int] = DECADES,
    replicates: int = 400,
    cutoff: Cutoff | str | int | None = None,
    gain: Gain = LINEAR,
) -> Verdict:
    """Say whether a discount separates the rankers of a generator, with the evidence.

    Examples
    --------
    >>> from ndcgstudy.discounts import Log2
    >>> from ndcgstudy.synthetic import Reference
    >>> found = verdict(Log2(), Reference(), rng=np.random.default_rng(1), replicates=50)
    >>> found.finding, found.foreseen.law
    (<Finding.SEPARATES: 'separates'>, 'sqrt(n)')
    """
    table = compare(
        generator, [discount], ns, replicates=replicates, rng=rng, cutoff=cutoff, gain=gain
    )
    return decide(discount, table, generator, cutoff=cutoff, gain=gain)
