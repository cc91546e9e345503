"""What the sample of a leaderboard is: topics, topics inside data sets, data sets, or means alone."""

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Floats, Scores
from ndcgstudy.inference.samples import Clustered, Ints, Sample, Stratified

QUESTIONS = {
    "topics": "would the gaps hold on other topics like these?",
    "fixed": "would the macro means' gaps hold on other topics of these same data sets?",
    "random": "would the macro means' gaps hold on other data sets, with other topics?",
    "means": "would the gaps hold on other data sets like these, of which only means are known?",
}


def sample_of(scores: Scores, design: str | None = None) -> Sample:
    """Arrange scores for resampling, the system with the best mean first.

    Parameters
    ----------
    scores
        At least two systems, no value missing.
    design
        "topics": one collection, its topics are the sample. "fixed": topics inside each data set,
        macro mean. "random": data sets, then topics. "means": data sets, each by its mean alone.
        By default "fixed" where the scores have data sets with several topics, "means" where each
        has one, else "topics".

    Raises
    ------
    ValueError
        If the design is unknown or does not fit the scores, there are fewer than two systems or
        units, or a value is missing or infinite.

    Examples
    --------
    >>> scores = Scores(np.array([[0.1, 0.3], [0.5, 0.9]]), ("a", "b"), ("q1", "q2"), "nDCG@10")
    >>> sample_of(scores).systems
    ('b', 'a')
    """
    name = design or _fitting(scores)
    if name not in QUESTIONS:
        raise ValueError(f"unknown design {name!r}{nearest(name, list(QUESTIONS))}")
    _check(scores)
    values, sizes = _blocks(scores, name)
    kind = Clustered if name == "random" else Stratified
    unit = "data sets" if name in ("random", "means") else "topics"
    _check_sizes(name, sizes, scores)
    weights = np.repeat(1 / (len(sizes) * sizes), sizes)
    order = np.argsort(-np.round(values @ weights, 12), kind="stable")
    names = tuple(scores.systems[i] for i in order)
    return kind(values[order], names, sizes, name, unit)


def _fitting(scores: Scores) -> str:
    if not scores.datasets:
        return "topics"
    return "means" if len(set(scores.datasets)) == len(scores.datasets) else "fixed"


def _check(scores: Scores) -> None:
    if len(scores.systems) < 2:
        raise ValueError(f"gaps need at least 2 systems, got {len(scores.systems)}")
    bad = np.argwhere(~np.isfinite(scores.values))
    if len(bad):
        i, j = bad[0]
        raise ValueError(
            f"every score must be a finite number, got {scores.values[i, j]} for system "
            f"{scores.systems[i]!r} on topic {scores.topics[j]!r}"
        )


def _blocks(scores: Scores, design: str) -> tuple[Floats, Ints]:
    """Return the values, topics of a data set side by side, and the data sets' sizes."""
    if design == "topics" or (design == "means" and not scores.datasets):
        return scores.values, np.array([len(scores.topics)])
    if not scores.datasets:
        raise ValueError(
            f"design {design!r} needs scores with data sets; `--design means` takes one mean of each"
        )
    place = {name: i for i, name in enumerate(dict.fromkeys(scores.datasets))}
    at = np.array([place[name] for name in scores.datasets])
    if design == "means":
        means = [scores.values[:, at == i].mean(axis=1) for i in place.values()]
        return np.stack(means, axis=1), np.array([len(place)])
    return scores.values[:, np.argsort(at, kind="stable")], np.bincount(at)


def _check_sizes(design: str, sizes: Ints, scores: Scores) -> None:
    if design == "random" and len(sizes) < 2:
        raise ValueError("design 'random' needs at least 2 data sets, got 1")
    if design == "random" or sizes.min() > 1:
        return
    if design == "fixed":
        names = list(dict.fromkeys(scores.datasets or ()))
        small = names[int(np.argmin(sizes))]
        raise ValueError(
            f"design 'fixed' needs at least 2 topics a data set, {small!r} has 1; "
            "`--design means` takes each data set by its mean"
        )
    unit = "data sets" if design == "means" else "topics"
    raise ValueError(f"gaps need at least 2 {unit}, got {sizes[0]}")
