"""ndcgstudy: can a ranking measure tell search systems apart? nDCG above all.

The names below are the library's front door; they load when they are first used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ndcgstudy.data import Judgments, Rankings, Scores
    from ndcgstudy.formats import read_qrels, read_run
    from ndcgstudy.measures import MEASURES, score_grades
    from ndcgstudy.policies import Policy
    from ndcgstudy.scoring import Evaluation, score

_HOMES = {
    "Judgments": "ndcgstudy.data",
    "Rankings": "ndcgstudy.data",
    "Scores": "ndcgstudy.data",
    "read_qrels": "ndcgstudy.formats",
    "read_run": "ndcgstudy.formats",
    "MEASURES": "ndcgstudy.measures",
    "score_grades": "ndcgstudy.measures",
    "Policy": "ndcgstudy.policies",
    "Evaluation": "ndcgstudy.scoring",
    "score": "ndcgstudy.scoring",
}
__all__ = [
    "MEASURES",
    "Evaluation",
    "Judgments",
    "Policy",
    "Rankings",
    "Scores",
    "read_qrels",
    "read_run",
    "score",
    "score_grades",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'ndcgstudy' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
