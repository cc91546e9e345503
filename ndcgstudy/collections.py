"""Several collections scored together: the mean over topics, or the mean of each collection's mean."""

from collections.abc import Mapping, Sequence

import numpy as np

from ndcgstudy.data import Floats, Judgments, Rankings, Scores
from ndcgstudy.formats.read import check_choice
from ndcgstudy.policies import Policy
from ndcgstudy.scoring import Evaluation, Measures, score
from ndcgstudy.words import many

AVERAGES = ("macro", "micro")


def score_collections(
    collections: Mapping[str, tuple[Judgments, Sequence[Rankings]]],
    measures: Measures = "nDCG@10",
    policy: Policy | None = None,
) -> Evaluation:
    """Score systems on several collections.

    Parameters
    ----------
    collections
        The judgments and the runs of each collection; a system is known by its runs' name. One
        without a run for a collection misses all its topics there, and `Policy.missing` applies.
    measures, policy
        As in `score`.

    Returns
    -------
    evaluation
        Matrices over the topics of all collections, with their `datasets`; each collection's notes
        and convention stand among the notes.

    Raises
    ------
    ValueError
        As `score`, or if there is no collection.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1}})
    >>> right, wrong = (Rankings.from_dict({"q1": {doc: 1.0}}, name="s") for doc in "ab")
    >>> result = score_collections({"x": (qrels, [right]), "y": (qrels, [wrong])}, "P@1")
    >>> result.scores["P@1"].values
    array([[1., 0.]])
    """
    if not collections:
        raise ValueError("there is no collection to score")
    policy = policy or Policy()
    parts = {name: score(q, runs, measures, policy) for name, (q, runs) in collections.items()}
    systems = tuple(
        dict.fromkeys(
            s for part in parts.values() for s in next(iter(part.scores.values())).systems
        )
    )
    first = next(iter(parts.values()))
    scores = {
        measure: _side_by_side({n: p.scores[measure] for n, p in parts.items()}, systems, policy)
        for measure in first.scores
    }
    notes = [f"{name}: {note}" for name, part in parts.items() for note in part.notes]
    notes += [
        f"{name}: no run of system {system}, all its topics missing"
        for name, part in parts.items()
        for system in systems
        if system not in next(iter(part.scores.values())).systems
    ]
    notes += [f"{name}: {part.convention}" for name, part in parts.items()]
    how = first.convention.partition("; topics evaluated")[0]
    topics = sum(len(judgments.topics) for judgments, _ in collections.values())
    extent = f"topics evaluated {topics} in {many(len(parts), 'collection')}, told apart above"
    return Evaluation(scores, f"{how}; {extent}", tuple(notes))


def average(scores: Scores, how: str = "macro") -> Floats:
    """Return each system's mean over several collections.

    Parameters
    ----------
    scores
        With `datasets`.
    how
        "macro": every collection weighs the same (BEIR, MTEB); "micro": every topic does.

    Raises
    ------
    ValueError
        If `how` is another word.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0, 0.0]])
    >>> scores = Scores(values, ("s",), ("q1", "q1", "q2"), "P@1", ("x", "y", "y"))
    >>> average(scores, "macro"), average(scores, "micro").round(2)
    (array([0.5]), array([0.33]))
    """
    check_choice("average", how, AVERAGES)
    if how == "micro" or scores.datasets is None:
        return scores.mean()
    means = np.array(list(dataset_means(scores).values()))
    counted = np.isfinite(means)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(counted, means, 0.0).sum(axis=0) / counted.sum(axis=0))


def dataset_means(scores: Scores) -> dict[str, Floats]:
    """Return each collection's means over its topics, one a system."""
    names = np.array(scores.datasets)
    return {
        name: Scores(
            scores.values[:, names == name].copy(),
            scores.systems,
            tuple(t for t, d in zip(scores.topics, names, strict=True) if d == name),
            scores.measure,
        ).mean()
        for name in dict.fromkeys(scores.datasets or ())
    }


def _side_by_side(parts: Mapping[str, Scores], systems: tuple[str, ...], policy: Policy) -> Scores:
    """Put the collections' matrices beside each other, filling in the systems that one lacks."""
    missing = 0.0 if policy.missing == "zero" else np.nan
    blocks = []
    for part in parts.values():
        block = np.full((len(systems), len(part.topics)), missing)
        block[[systems.index(s) for s in part.systems]] = part.values
        if policy.no_relevant == "skip":
            block[:, np.isnan(part.values).all(axis=0)] = np.nan
        blocks.append(block)
    topics = tuple(topic for part in parts.values() for topic in part.topics)
    datasets = tuple(name for name, part in parts.items() for _ in part.topics)
    measure = next(iter(parts.values())).measure
    return Scores(np.concatenate(blocks, axis=1), systems, topics, measure, datasets)
