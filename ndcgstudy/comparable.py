"""What the number of relevant documents does to scores, and to the order of two means."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.holes.changes import separated
from ndcgstudy.holes.flips import TIE
from ndcgstudy.measures import score_grades
from ndcgstudy.scoring import score

if TYPE_CHECKING:
    import pandas as pd


def ordered(relevant: npt.NDArray[np.int64], quality: Floats, noise: Floats) -> Floats:
    """Return grades, 0 or 1, in the order of signal plus noise, (systems, topics, documents).

    Parameters
    ----------
    relevant
        How many documents of each topic are relevant, (topics,).
    quality
        What is added to their noise, (systems, topics).
    noise
        (systems, topics, documents).

    Examples
    --------
    >>> ordered(np.array([1]), np.array([[2.0]]), np.array([[[0.0, 1.0, 3.0]]]))
    array([[[0., 1., 0.]]])
    """
    truly = (np.arange(noise.shape[-1]) < relevant[:, None]).astype(float)
    order = np.argsort(-(quality[..., None] * truly + noise), axis=-1)
    return np.take_along_axis(np.broadcast_to(truly, order.shape), order, axis=-1)


def expected(measure: str, relevant: int, documents: int) -> float:
    """Return the mean of a DCG or nDCG (linear or binary gain) over all orders of the documents.

    Each rank holds a relevant document with chance R/n: E DCG@k = R/n * the sum of D(r) to k.

    Examples
    --------
    >>> round(expected("nDCG@10", 30, 1000), 12), round(expected("nDCG@10", 3, 1000), 4)
    (0.03, 0.0064)
    """
    flat = np.full(documents, relevant / documents)
    best = (np.arange(documents) < relevant).astype(float)
    dcg = measure.removeprefix("n")
    ideal = float(score_grades(dcg, best)) if measure.startswith("n") else 1.0
    return float(score_grades(dcg, flat)) / ideal


def opposed(one: Floats, two: Floats) -> dict[str, Any]:
    """Count the pairs of systems that the means of two measures order oppositely.

    Parameters
    ----------
    one, two
        Scores of the same systems on the same topics, (systems, topics).

    Returns
    -------
    counts
        pairs; opposed; half, those that just one measure tells apart by a 95% t interval; torn, those
        that both tell apart, in opposite directions.

    Examples
    --------
    >>> one = np.array([[0.9, 0.8, 0.7], [0.5, 0.5, 0.4]])
    >>> opposed(one, one[::-1].copy())
    {'pairs': 1, 'opposed': 1, 'half': 0, 'torn': 1}
    """
    pairs = np.triu_indices(len(one), 1)
    gaps = [x.mean(axis=1)[:, None] - x.mean(axis=1) for x in (one, two)]
    signs = [(np.sign(gap) * (np.abs(gap) > TIE))[pairs] for gap in gaps]
    told = [separated(x)[pairs] for x in (one, two)]
    against = signs[0] * signs[1] < 0
    return {
        "pairs": len(against),
        "opposed": int(against.sum()),
        "half": int((told[0] != told[1]).sum()),
        "torn": int((against & told[0] & told[1]).sum()),
    }


def correlation(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[float, float, float]:
    """Return Spearman's rho and its 95% interval, tanh(atanh rho +- 1.96 sqrt((1 + rho^2/2)/(n - 3))).

    Bonett and Wright (2000, Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations).

    Examples
    --------
    >>> [round(value, 2) for value in correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])]
    [0.8, -0.46, 0.99]
    """
    from scipy.stats import spearmanr

    rho = float(spearmanr(x, y).statistic)
    half = 1.96 * ((1 + rho**2 / 2) / (np.size(x) - 3)) ** 0.5
    low, high = np.tanh(np.arctanh(rho) + np.array([-half, half]))
    return rho, float(low), float(high)


def scored(
    quality: float,
    relevant: Sequence[int],
    measures: Sequence[str],
    noise: Floats,
) -> list[dict[str, Any]]:
    """Score one ranker on topics of each size; return sums of scores and squares, a row a size and measure.

    Parameters
    ----------
    quality
        What is added to the noise of relevant documents.
    relevant
        How many documents of a topic are relevant.
    noise
        The same for each size, (topics, documents).

    Examples
    --------
    >>> rows = scored(9.0, [1], ["RR"], np.array([[0.1, 0.2], [0.3, 0.2]]))
    >>> float(rows[0]["sum"]), rows[0]["topics"]
    (2.0, 2)
    """
    rows, topics = [], len(noise)
    for count in relevant:
        sizes, qualities = np.full(topics, count), np.full((1, topics), quality)
        grades = ordered(sizes, qualities, noise[None])[0]
        for measure in measures:
            x = score_grades(measure, grades)
            row = {"quality": quality, "relevant": count, "measure": measure}
            rows.append(row | {"sum": x.sum(), "squares": (x**2).sum(), "topics": topics})
    return rows


def means_of(rows: "pd.DataFrame", documents: int) -> "pd.DataFrame":
    """Return means, errors and standard deviations from rows of `scored`, and exact means where known.

    ``exact`` is `expected` for a random order (quality 0) of so many documents.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame(scored(9.0, [1], ["RR"], np.array([[0.1, 0.2], [0.3, 0.2]])))
    >>> means_of(rows, 2)["mean"].tolist()
    [1.0]
    """
    groups = rows.groupby(["quality", "relevant", "measure"], sort=False)
    table = groups[["sum", "squares", "topics"]].sum().reset_index()
    count, mean = table["topics"], table["sum"] / table["topics"]
    sd = ((table["squares"] - count * mean**2).clip(lower=0) / (count - 1)) ** 0.5
    table = table.drop(columns=["sum", "squares"]).astype({"relevant": int, "topics": int})
    table = table.assign(mean=mean, mean_se=sd / count**0.5, sd=sd)
    linear = table["measure"].str.contains("DCG") & (table["quality"] == 0)
    exact = [
        expected(measure, relevant, documents) if so else np.nan
        for measure, relevant, so in zip(table["measure"], table["relevant"], linear, strict=True)
    ]
    return table.assign(exact=exact)


def perfect(
    relevant: Sequence[int], measures: Sequence[str], documents: int
) -> list[dict[str, Any]]:
    """Return what a perfect list scores, a row a measure and number of relevant documents.

    Examples
    --------
    >>> perfect([1, 2], ["P@2"], 3)[0]
    {'measure': 'P@2', 'relevant': 1, 'score': 0.5}
    """
    lists = (np.arange(documents) < np.array(relevant)[:, None]).astype(float)
    return [
        {"measure": measure, "relevant": count, "score": float(score)}
        for measure in measures
        for count, score in zip(relevant, score_grades(measure, lists), strict=True)
    ]


def on_topics(
    judgments: Judgments, runs: Sequence[Rankings], cuts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Compare nDCG and DCG of runs, and how the scores of topics go with their relevant documents.

    Parameters
    ----------
    cuts
        The cutoffs: the ending of the measure by name, e.g. ``{"10": "@10", "all": ""}``.

    Returns
    -------
    rows
        One a cutoff: topics; spread, the standard deviation of log R; what `opposed` counts; and
        rho_ndcg and rho_dcg, the `correlation` of R and a topic's mean over runs, each with its ends.
    """
    measures = [name + end for end in cuts.values() for name in ("nDCG", "DCG")]
    scores = {m: s.values for m, s in score(judgments, runs, measures).scores.items()}
    counts = np.bincount(judgments.topic[judgments.grade >= 1], minlength=len(judgments.topics))
    rows = []
    for cut, end in cuts.items():
        one, two = scores["nDCG" + end], scores["DCG" + end]
        row: dict[str, Any] = {"cut": cut, "topics": len(counts)}
        row |= {"spread": float(np.log(counts).std(ddof=1)), **opposed(one, two)}
        for name, x in (("rho_ndcg", one), ("rho_dcg", two)):
            found = correlation(counts, x.mean(axis=0))
            row |= dict(zip((name, f"{name}_low", f"{name}_high"), found, strict=True))
        rows.append(row)
    return rows


def shares_of(rows: "pd.DataFrame", systems: int) -> "pd.DataFrame":
    """Return what `opposed` counts as shares of pairs, by spread and cut, with errors over rows.

    A row is of `systems` systems, which its pairs share: so rows are what scatters.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"spread": 1.0, "cut": "10", "pairs": 4, "half": 0, "torn": 0}
    >>> rows = pd.DataFrame([{**row, "opposed": count} for count in (1, 3)])
    >>> shares_of(rows, 4)[["systems", "opposed_share", "opposed_share_se"]].values.tolist()
    [[8.0, 0.5, 0.25]]
    """
    import pandas as pd

    names = ["opposed", "half", "torn"]
    shares = rows[names].div(rows["pairs"], axis=0).add_suffix("_share")
    groups = rows[["spread", "cut"]].join(shares).groupby(["spread", "cut"], sort=False)
    table = pd.concat([groups.size().rename("systems") * systems, groups.mean()], axis=1)
    return table.join(groups.sem().add_suffix("_se")).reset_index()
