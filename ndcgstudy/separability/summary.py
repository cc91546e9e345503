"""From replicates to the figures of a discount: z, share of right orders, last wrong prefix."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.discounts import Discount
from ndcgstudy.intervals import wilson
from ndcgstudy.moments import Moments
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.direct import Cut, Paired

if TYPE_CHECKING:
    import pandas as pd


def tally(
    paired: Paired,
    discounts: Sequence[Discount],
    ns: Sequence[int],
    cutoffs: Sequence[Cut] | None = None,
) -> list[dict[str, Any]]:
    """Condense replicates to one row a discount and prefix, which `summarise` merges with others.

    Where cutoffs are given, those of the simulation, a row names its own. A row holds the number of
    replicates, the mean of each ranker, mean and central moments of the gap, how often A was ahead,
    how often tied, and how often this prefix was the last wrong one.
    """
    first = (paired.second + paired.gap).mean(axis=0)
    gap = Moments.of(paired.gap)
    last = paired.last_wrong(ns)
    arms = [
        {"discount": str(discount)} | ({"cutoff": str(Cutoff.parse(cut))} if cutoffs else {})
        for cut in cutoffs or (None,)
        for discount in discounts
    ]
    return [
        {
            **arm,
            "n": int(n),
            "replicates": len(last),
            "mean_a": first[d, k],
            "mean_b": paired.second[:, d, k].mean(),
            "gap": gap.mean[d, k],
            "gap_m2": gap.m2[d, k],
            "gap_m3": gap.m3[d, k],
            "gap_m4": gap.m4[d, k],
            "right": int(np.count_nonzero(paired.ahead[:, d, k] == 1)),
            "tied": int(np.count_nonzero(paired.ahead[:, d, k] == 0)),
            "last_here": int(np.count_nonzero(last[:, d] == n)),
        }
        for d, arm in enumerate(arms)
        for k, n in enumerate(ns)
    ]


def summarise(rows: "pd.DataFrame") -> "pd.DataFrame":
    """Merge the rows of `tally` over blocks: one row a discount and prefix, in their first order.

    Columns: discount, cutoff (where the rows have one), n, replicates; mean_a, mean_b (nDCG); gap;
    z = gap / sd of the gap with its standard error, a description of the replicates
    alone (NaN where few of them make up the sd; large gaps so rare that no replicate has one are not in
    it, so that no interval of z is printed); p_right, the share of replicates with A strictly
    ahead, with its standard error and 95% Wilson interval; p_tied; wrong_from, the share that is
    wrong here or on a later prefix; last_wrong and last_wrong_95, the median and the 95% point, over
    replicates, of the last prefix on which A was not ahead (0: none), one for all rows of an arm.
    Only under `simulate` are these prefixes of one list, as the definition of consistent
    distinguishability asks; under `aggregate` every length is drawn apart, and wrong_from and
    last_wrong are those of independent lists: for equal chances, wrong more often at some length.
    """
    import pandas as pd

    arm = ["discount", *(["cutoff"] if "cutoff" in rows else [])]
    keys = [*arm, "n"]
    parts = rows.groupby(keys, sort=False)
    table = pd.DataFrame([dict(zip(keys, at, strict=True)) | _summary(part) for at, part in parts])
    last = [_last_wrong(part) for _, part in table.groupby(arm, sort=False)]
    return table.drop(columns="last_here").join(pd.concat(last))


def _summary(part: "pd.DataFrame") -> dict[str, Any]:
    """Merge the blocks of one discount and prefix."""
    count = part["replicates"].to_numpy()
    columns = ("gap", "gap_m2", "gap_m3", "gap_m4")
    gap = Moments.pool(count, *(part[name].to_numpy() for name in columns))
    total, right = int(count.sum()), int(part["right"].sum())
    low, high = wilson(right, total)
    p = right / total
    return {
        "replicates": total,
        "mean_a": np.average(part["mean_a"], weights=count),
        "mean_b": np.average(part["mean_b"], weights=count),
        "gap": float(gap.mean),
        "z": float(gap.z),
        "z_se": float(gap.z_se),
        "p_right": p,
        "p_right_se": (p * (1 - p) / total) ** 0.5,
        "p_right_low": float(low),
        "p_right_high": float(high),
        "p_tied": part["tied"].sum() / total,
        "last_here": int(part["last_here"].sum()),
    }


def _last_wrong(part: "pd.DataFrame") -> "pd.DataFrame":
    """Turn the counts of last wrong prefixes of one discount into shares and quantiles."""
    import pandas as pd

    part = part.sort_values("n")
    total = part["replicates"].iloc[0]
    later = part["last_here"].iloc[::-1].cumsum().iloc[::-1]
    ns = np.append(0, part["n"])
    above = np.append(later, 0)  # replicates whose last wrong prefix is beyond ns[k]
    return pd.DataFrame(
        {
            "wrong_from": later / total,
            "last_wrong": ns[np.argmax(above <= 0.5 * total)],
            "last_wrong_95": ns[np.argmax(above <= 0.05 * total)],
        }
    )
