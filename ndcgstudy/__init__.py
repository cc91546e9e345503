"""ndcgstudy: can a ranking measure tell search systems apart? nDCG above all.

The names below are the library's front door; they load when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ndcgstudy.data import Judgments, Rankings, Scores
    from ndcgstudy.formats import read_mteb, read_qrels, read_run, read_scores
    from ndcgstudy.inference.gaps import Gaps, gaps
    from ndcgstudy.inference.ranks import Ranks, ranks
    from ndcgstudy.measures import MEASURES, score_grades
    from ndcgstudy.policies import Policy
    from ndcgstudy.scoring import Evaluation, score

_HOMES = {
    "Judgments": "ndcgstudy.data",
    "Rankings": "ndcgstudy.data",
    "Scores": "ndcgstudy.data",
    "read_mteb": "ndcgstudy.formats",
    "read_qrels": "ndcgstudy.formats",
    "read_run": "ndcgstudy.formats",
    "read_scores": "ndcgstudy.formats",
    "Gaps": "ndcgstudy.inference.gaps",
    "gaps": "ndcgstudy.inference.gaps",
    "Ranks": "ndcgstudy.inference.ranks",
    "ranks": "ndcgstudy.inference.ranks",
    "MEASURES": "ndcgstudy.measures",
    "score_grades": "ndcgstudy.measures",
    "Policy": "ndcgstudy.policies",
    "Evaluation": "ndcgstudy.scoring",
    "score": "ndcgstudy.scoring",
}
__all__ = [
    "MEASURES",
    "Evaluation",
    "Gaps",
    "Judgments",
    "Policy",
    "Rankings",
    "Ranks",
    "Scores",
    "gaps",
    "ranks",
    "read_mteb",
    "read_qrels",
    "read_run",
    "read_scores",
    "score",
    "score_grades",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ndcgstudy' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
