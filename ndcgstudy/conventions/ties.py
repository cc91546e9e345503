"""What tied scores leave open: the worst, the expected and the best score, at three precisions."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from ndcgstudy.conventions.convention import Convention, is_graded
from ndcgstudy.conventions.shared import mean
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.lists import Lists
from ndcgstudy.measures import Measure
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import answer_key, graded_lists, rank
from ndcgstudy.scoring import settled

BITS = {64: np.float64, 32: np.float32, 16: np.float16}


@dataclass(frozen=True)
class TieInterval:
    """What the order of tied documents can do to a run's score.

    Parameters
    ----------
    run, bits
        Its name, and to how many bits scores are rounded before they are compared.
    rate
        The share of documents, on the topics that are scored, whose score another one of the topic has.
    moved
        On how many topics the score depends on the order of tied documents.
    worst, expected, best
        The mean over topics in the worst order of the tied documents, over all their orders, and in
        the best.
    """

    run: str
    bits: int
    rate: float
    moved: int
    worst: float
    expected: float
    best: float


def tie_intervals(
    judgments: Judgments, run: Rankings, measure: Measure, convention: Convention | None = None
) -> list[TieInterval]:
    """Return the interval of a run's nDCG or DCG at 64, 32 and 16 bits (IEEE half precision).

    Parameters
    ----------
    convention
        What is computed but for ties and precision; by default the defaults.

    Raises
    ------
    ValueError
        If the measure is another.

    Examples
    --------
    >>> from ndcgstudy.measures import nDCG
    >>> qrels = Judgments.from_dict({"q": {"a": 1}})
    >>> run = Rankings.from_dict({"q": {"a": 0.70001, "b": 0.7}})
    >>> [(i.bits, round(i.worst, 2), i.best) for i in tie_intervals(qrels, run, nDCG())]
    [(64, 1.0, 1.0), (32, 1.0, 1.0), (16, 0.63, 1.0)]
    """
    if not is_graded(measure):
        raise ValueError(f"tie intervals are computed for nDCG and DCG, not for {measure}")
    how = (convention or Convention()).but(ties="average", precision="float64")
    return [_interval(judgments, run, how.rewrite(measure), how.policy, bits) for bits in BITS]


def _interval(
    judgments: Judgments, run: Rankings, measure: Measure, policy: Policy, bits: int
) -> TieInterval:
    with np.errstate(over="ignore"):
        rounded = run.score.astype(BITS[bits]).astype(float)
    key = answer_key(judgments, policy)
    ranked = rank(dataclasses.replace(run, score=rounded), key, policy)
    graded = graded_lists(ranked, key, policy, None)
    tied = ranked.tied | np.append(ranked.tied[1:], [False])[: ranked.tied.size]
    scores = np.empty((3, len(key.topics)))
    for part, lists in graded.blocks(key, policy):
        for i, ordered in enumerate((ordered_ties(lists, -1), lists, ordered_ties(lists, 1))):
            scores[i, part] = measure(ordered)[0]
    moved = scores[2] - scores[0] > 1e-12
    filled = settled(scores, ranked.answered, key.ideal[:, 0] > 0, policy)
    rate = float(tied.mean()) if tied.size else 0.0
    return TieInterval(run.name, bits, rate, int(moved.sum()), *map(float, mean(filled)))


def ordered_ties(lists: Lists, direction: int) -> Lists:
    """Put tied documents in the order of their grades: the best first (1) or the worst (-1)."""
    if lists.first is None:
        return lists
    worth: Floats = np.fmax(lists.grade, 0.0)
    order = np.lexsort((-direction * worth, lists.first), axis=-1)
    grade = np.take_along_axis(lists.grade, order, axis=-1)
    return dataclasses.replace(lists, grade=grade, first=None, last=None)
