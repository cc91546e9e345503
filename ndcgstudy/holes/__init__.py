"""Holes in the judgments: what unjudged documents could do to scores, gaps and orders."""

from ndcgstudy.holes.bounds import STAKES, Bounds, gap_bounds, score_bounds
from ndcgstudy.holes.changes import Change, ranks, separated
from ndcgstudy.holes.flips import Flip, Judged, flip_budget
from ndcgstudy.holes.pools import Pool, leave_out, pool, sampled, thinned
from ndcgstudy.holes.shares import MODELS, Share, flip_share
from ndcgstudy.holes.survey import Survey, survey
from ndcgstudy.holes.tops import Tops, lay_out

__all__ = [
    "MODELS",
    "STAKES",
    "Bounds",
    "Change",
    "Flip",
    "Judged",
    "Pool",
    "Share",
    "Survey",
    "Tops",
    "flip_budget",
    "flip_share",
    "gap_bounds",
    "lay_out",
    "leave_out",
    "pool",
    "ranks",
    "sampled",
    "score_bounds",
    "separated",
    "survey",
    "thinned",
]
