"""What else may have made a reported number that no convention gives, from what the files show.

A suspicion is kept only where it narrows something down: where it could explain the number.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ndcgstudy.conventions.convention import Convention
from ndcgstudy.conventions.reporting import Reported
from ndcgstudy.conventions.shared import evaluate
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.measures import DCG, MEASURES, Measure
from ndcgstudy.words import many

OTHERS = (
    *("nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "nDCG@1000", "nDCG"),
    *("AP", "AP@10", "RR", "RR@10", "P@10", "R@10", "R@100", "ERR@20", "Judged@10"),
)
MOST = 3
"""Of so many other measures that give a number, and no more, one may have been meant."""


def suspects(
    judgments: Judgments,
    run: Rankings,
    numbers: Sequence[Reported],
    means: Floats,
    judged: frozenset[str],
) -> list[str]:
    """Say what else may have made the numbers.

    Parameters
    ----------
    means
        Shape (conventions, numbers): what the conventions tried give.
    judged
        All topics that have judgments, where only some are scored.
    """
    return [
        *_other_measures(judgments, run, numbers, judged),
        *_other_topics(judgments, run, numbers, means, judged),
        *_list_lengths(judgments, run, numbers),
        *_holes(judgments, run, numbers),
        *_range(numbers, means),
    ]


def _range(numbers: Sequence[Reported], means: Floats) -> Iterator[str]:
    """Compare each number with the span of all scores."""
    for j, number in enumerate(numbers):
        low, high = np.nanmin(means[:, j]), np.nanmax(means[:, j])
        if not low <= float(number.value) <= high:
            yield f"{number.measure}: all conventions tried give {low:.4f} to {high:.4f}"


def _other_topics(
    judgments: Judgments,
    run: Rankings,
    numbers: Sequence[Reported],
    means: Floats,
    judged: frozenset[str],
) -> Iterator[str]:
    """Name topics that one side has alone, where scores on them could make up the number."""
    known = set(judgments.topics)
    answered, left_out = len(known & set(run.topics)), len(judged - known)
    strange = len(set(run.topics) - judged)
    missing = f"missing topics: the run answers {answered} of {len(known)} judged ones"
    if answered < len(known) and _reached(numbers, means, answered, len(known) - answered):
        yield missing
    if left_out and _reached(numbers, means, len(known), left_out):
        yield f"other topics: {many(left_out, 'judged one')} left out here"
    if strange and _reached(numbers, means, max(answered, 1), strange):
        yield f"another qrels: {many(strange, 'topic')} of the run not judged in this one"


def _reached(numbers: Sequence[Reported], means: Floats, topics: int, more: int) -> bool:
    """Tell whether scores in [0, 1] on more topics could bring the mean to each number."""
    low, high = np.nanmin(means, axis=0), np.nanmax(means, axis=0)
    whole = topics + more
    return all(
        isinstance(number.measure, DCG)
        or low[j] * topics / whole
        <= float(number.value)
        <= max((high[j] * topics + more) / whole, high[j])
        for j, number in enumerate(numbers)
    )


def _list_lengths(
    judgments: Judgments, run: Rankings, numbers: Sequence[Reported]
) -> Iterator[str]:
    """Compare the lengths of the lists with the cutoffs that are asked for."""
    known = set(judgments.topics)
    depth = np.bincount(run.topic, minlength=len(run.topics))
    depth = depth[[topic in known for topic in run.topics]]
    if not depth.size:
        return
    cutoffs = [number.measure.cutoff for number in numbers]
    cutoff = max((c for c in cutoffs if c), default=0)
    short = int(np.count_nonzero(depth < cutoff))
    span = f"{depth.min()} to {depth.max()} documents"
    if short:
        lists = f"{short} of {many(depth.size, 'list')}"
        yield f"a truncated run: {lists} shorter than the cutoff {cutoff} ({span} a topic)"
    elif None in cutoffs and depth.size > 1 and depth.min() == depth.max():
        yield f"a truncated run: every list ends at {depth[0]} documents, and no cutoff does"


def _holes(judgments: Judgments, run: Rankings, numbers: Sequence[Reported]) -> Iterator[str]:
    """Name unjudged documents in the top, where their judgments could give every number."""
    from ndcgstudy.holes import score_bounds
    from ndcgstudy.holes.tops import lay_out

    cutoff = max((number.measure.cutoff or 0 for number in numbers), default=0)
    holes = 1 - _mean(judgments, run, f"Judged@{cutoff}" if cutoff else "Judged")
    if not holes > 0:  # NaN where the run answers none of the topics
        return
    for number in numbers:
        try:
            bounds = score_bounds(lay_out(judgments, [run], number.measure))
        except ValueError:
            continue  # no bounds are known for the measure, or for such grades
        low, high = float(bounds.low.mean()), float(bounds.high.mean())
        if not low <= float(number.value) <= high:
            return
    where = f"the top {cutoff}" if cutoff else "all retrieved"
    yield f"another qrels: {holes:.1%} of {where} are not judged in this one"


def _mean(judgments: Judgments, run: Rankings, measure: str) -> float:
    part: list[Measure] = [MEASURES.parse(measure)]
    judged = frozenset(judgments.topics) | frozenset(run.topics)
    alone = [Convention().but(missing="skip")]
    return float(evaluate(judgments, [run], alone, part, judged=judged).means()[0, 0])


def _other_measures(
    judgments: Judgments, run: Rankings, numbers: Sequence[Reported], judged: frozenset[str]
) -> Iterator[str]:
    """Name other measures that give a number, whether missing topics count or not."""
    top = judgments.grade.max(initial=0)
    names = [name for name in OTHERS if not name.startswith("ERR") or top <= 4]
    parts = [MEASURES.parse(name) for name in names]
    both = [Convention(), Convention().but(missing="skip")]
    scored = evaluate(judgments, [run], both, parts, judged=judged)
    for number in numbers:
        digits = max(2 - int(number.value.as_tuple().exponent), 4)
        met = {
            part: [score for score in scored.means(j)[:, 0] if number.how(score)]
            for j, part in enumerate(parts)
            if part != number.measure
        }
        found = {part: scores[0] for part, scores in met.items() if scores}
        if len(found) <= MOST:
            for part, score in found.items():
                yield f"another measure: {part} is {score:.{digits}f}"
