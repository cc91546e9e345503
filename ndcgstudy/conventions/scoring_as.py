"""Scores under a named convention, and how topics become one number under it."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ndcgstudy.conventions.convention import Convention, plain
from ndcgstudy.data import Floats
from ndcgstudy.ids import Index
from ndcgstudy.measures import DCG, Measure, nDCG, readings
from ndcgstudy.measures.graded import IdealDCG
from ndcgstudy.policies import Policy
from ndcgstudy.scoring import Evaluation

Action = Callable[[list[Measure], Policy], Evaluation]


def score_as(
    action: Action,
    measures: Sequence["str | Measure"],
    convention: Convention,
    other: Policy | None = None,
) -> Evaluation:
    """Score measures under a convention, and those that it does not concern without it.

    Parameters
    ----------
    action
        Scores measures under a policy.
    other
        The policy for measures that the convention does not concern; by default the defaults.

    Raises
    ------
    ValueError
        If an nDCG or DCG names parts of its own, or as `action` does.

    Examples
    --------
    >>> from ndcgstudy import Judgments, Rankings, score
    >>> from ndcgstudy.conventions import parse
    >>> qrels = Judgments.from_dict({"q": {"a": 2, "b": 1}})
    >>> run = Rankings.from_dict({"q": {"b": 2.0, "a": 1.0}})
    >>> result = score_as(lambda m, p: score(qrels, run, m, p), ["nDCG@5", "RR"], parse("gdeval"))
    >>> {name: round(float(found.mean()[0]), 3) for name, found in result.scores.items()}
    {'nDCG(gain=exponential)@5': 0.797, 'RR': 1.0}
    """
    wanted = [plain(measure) for measure in measures]
    inside = [convention.rewrite(m) for m in wanted if convention.concerns(m)]
    outside = [m for m in wanted if not convention.concerns(m)]
    parts = [_averaged(action, inside, convention)] if inside else []
    told = [
        f"as {convention}: {'; '.join([*readings(measures), part.convention])}" for part in parts
    ]
    if outside:
        parts.append(action(outside, other or Policy()))
        names = ", ".join(map(str, outside))
        told.append(f"{convention.name} concerns nDCG alone; {names}: {parts[-1].convention}")
    scores = {name: part.scores[name] for part in parts for name in part.scores}
    order = dict.fromkeys(str(convention.rewrite(m)) for m in wanted)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return Evaluation({name: scores[name] for name in order}, " | ".join(told), tuple(notes))


def _averaged(action: Action, measures: list[Measure], convention: Convention) -> Evaluation:
    """Score measures, and weigh the topics so that their mean is the average of the convention."""
    found = action(measures, convention.policy)
    if convention.average == "topics":
        return found
    if any(scores.datasets for scores in found.scores.values()):
        raise ValueError(f"average={convention.average} is for one collection")
    values = {name: scores.values for name, scores in found.scores.items()}
    if convention.average == "union":
        extra = np.array(found.unjudged_topics)
        values = {name: with_zeros(scores, extra) for name, scores in values.items()}
    else:
        for part in (part for part in measures if isinstance(part, nDCG)):
            dcg, ideal = action([*sums(part)], convention.policy).scores.values()
            values[str(part)] = pooled(dcg.values, ideal.values)
    return dataclasses.replace(
        found,
        scores={n: dataclasses.replace(s, values=values[n]) for n, s in found.scores.items()},
        notes=(*found.notes, WEIGHED),
    )


WEIGHED = (
    "scores of topics are weighed so that their mean is the average asked for; they may exceed 1"
)


def sums(measure: nDCG) -> tuple[DCG, IdealDCG]:
    """Return the two sums whose ratio is nDCG."""
    parts = (measure.gain, measure.discount, measure.cutoff)
    return DCG(*parts), IdealDCG(*parts)


def pooled(dcg: Floats, ideal: Floats) -> Floats:
    """Weigh topics so that their mean is the sum of DCG over the sum of ideal DCG.

    Parameters
    ----------
    dcg, ideal
        Shape (..., topics); NaN where a topic does not count.

    Examples
    --------
    >>> pooled(np.array([1.0, 2.0, 5.0]), np.array([2.0, 6.0, np.nan])).tolist()
    [0.25, 0.5, nan]
    """
    counted = np.isfinite(dcg) & np.isfinite(ideal)
    whole = np.where(counted, ideal, 0.0).sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        weighed = dcg * counted.sum(axis=-1, keepdims=True) / whole
    return np.where(counted & (whole > 0), weighed, np.nan)


def with_zeros(values: Floats, extra: Index) -> Floats:
    """Weigh topics so that their mean is that of them and of `extra` more topics of score 0.

    Parameters
    ----------
    values
        Shape (systems, topics); NaN where a topic does not count.
    extra
        Shape (systems,).

    Examples
    --------
    >>> with_zeros(np.array([[1.0, 0.5, np.nan]]), np.array([2])).tolist()
    [[0.5, 0.25, nan]]
    """
    counted = np.isfinite(values).sum(axis=-1)
    return np.asarray(values * (counted / np.maximum(counted + extra, 1))[:, None])
