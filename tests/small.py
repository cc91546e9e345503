"""Small evaluations written as dictionaries."""

from typing import Any

from ndcgstudy import Evaluation, Judgments, Policy, Rankings, score


def evaluated(qrels: Any, run: Any, measure: Any = "nDCG@10", **policy: Any) -> Evaluation:
    """Score one run under a policy."""
    return score(Judgments.from_dict(qrels), Rankings.from_dict(run), measure, Policy(**policy))


def values(qrels: Any, run: Any, measure: Any = "nDCG@10", **policy: Any) -> list[float]:
    """Return the scores of one run and measure, one a topic."""
    (scores,) = evaluated(qrels, run, measure, **policy).scores.values()
    return [float(value) for value in scores.values[0]]
