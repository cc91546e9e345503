"""What a change of the ranker does to a measure: mean, relative gain, and the topics that find it."""

from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.inference.noncentral import topics_for
from ndcgstudy.inference.planned_test import single
from ndcgstudy.synthetic import Generator, is_relative

if TYPE_CHECKING:
    import pandas as pd


def ranked(generator: Generator, n: int, topics: int, *, rng: np.random.Generator) -> Floats:
    """Return the grades of topics of `n` items in each ranker's order, (rankers + 1, topics, n).

    The rankers are those of the generator; the last row is what the signal of the first of them
    gives if it ranks all items (of `two_stage`: the second stage without the first).

    Examples
    --------
    >>> from ndcgstudy.synthetic import TwoStage
    >>> ranked(TwoStage(depth=2), 5, 3, rng=np.random.default_rng(0)).shape
    (3, 3, 5)
    """
    lists = []
    for _ in range(topics):
        seen = generator.sample(n, rng=rng)
        made = generator.at(seen, n) if is_relative(generator) else seen
        scores = np.concatenate([made.scores, seen.scores[:1]])
        lists.append(made.grades[np.argsort(-scores, axis=1)])
    return np.stack(lists, axis=1).astype(float)


def sums(after: Floats, before: Floats) -> dict[str, float]:
    """Return the sums over topics that `summary` needs; those of parts of the topics may be added."""
    d = after - before
    parts = {"b": before, "d": d, "bb": before**2, "dd": d**2, "bd": before * d}
    return {"topics": len(d), **{f"sum_{name}": float(x.sum()) for name, x in parts.items()}}


def summary(rows: "pd.DataFrame", by: list[str]) -> "pd.DataFrame":
    """Return what a change does, from rows of `sums`.

    Columns are the means before and after; the gain, in percent of the mean before too (with the
    standard error of a ratio of means); z, its mean over its standard deviation; and the topics
    `needed` to find it with the interval that follows from that of |z|.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame([sums(np.array([0.5, 0.6, 0.9]), np.array([0.4, 0.6, 0.6]))])
    >>> row = summary(rows.assign(arm="x"), ["arm"]).iloc[0]
    >>> [round(float(row[name]), 3) for name in ("gain", "percent", "needed")]
    [0.133, 25.0, 13.0]
    """
    kept = [name for name in rows if name == "topics" or str(name).startswith("sum_")]
    table = rows.groupby(by, sort=False)[kept].sum()
    n = table["topics"]
    b, d = table["sum_b"] / n, table["sum_d"] / n
    sd = ((table["sum_dd"] / n - d**2).clip(lower=0) * n / (n - 1)) ** 0.5
    ratio = d / b
    spread = table["sum_dd"] - 2 * ratio * table["sum_bd"] + ratio**2 * table["sum_bb"]
    z = d / sd.where(sd > 0)
    error = ((1 + z**2 / 2) / n) ** 0.5
    columns = {"topics": n, "before": b, "after": b + d, "gain": d, "gain_se": sd / n**0.5}
    columns |= {"percent": 100 * ratio, "percent_se": 100 * spread.clip(lower=0) ** 0.5 / n / b}
    columns |= {"z": z, "z_se": error}
    ends = {"": z, "_low": z.abs() + 1.96 * error, "_high": (z.abs() - 1.96 * error).clip(lower=0)}
    columns |= {f"needed{end}": value.map(needed) for end, value in ends.items()}
    topics = columns[
        "needed"
    ]  # rounded up: their ends are a topic or more away, and 2 is the least
    columns["needed_low"] = columns["needed_low"].clip(upper=topics - 1).clip(lower=2)
    columns["needed_high"] = columns["needed_high"].clip(lower=topics + 1)
    return table.assign(**columns)[[*columns]].reset_index()


def needed(z: float, level: float = 0.95, power: float = 0.8) -> float:
    """Return the topics that find a gap of z standard deviations by a paired t test.

    NaN where there is no gap, or none to speak of: below a thousandth of a standard deviation.

    Examples
    --------
    >>> needed(0.5), needed(0.0)
    (34.0, nan)
    """
    if not abs(z) > 1e-3:
        return np.nan
    topics = topics_for(abs(z), 1.0, single(level).critical, power)
    return topics if np.isfinite(topics) else np.nan
