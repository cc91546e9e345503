"""Whether a discount tells two rankers apart as their list grows.

Model and question are those of Wang, Wang, Li, He, Chen and Liu (2013, A theoretical analysis of
NDCG type ranking measures).
"""

from ndcgstudy.separability.aggregated import aggregate
from ndcgstudy.separability.cutoffs import Cutoff
from ndcgstudy.separability.direct import Paired, simulate
from ndcgstudy.separability.summary import summarise, tally
from ndcgstudy.separability.sums import Sums, Tail, sums_for, tail

__all__ = [
    "Cutoff",
    "Paired",
    "Sums",
    "Tail",
    "aggregate",
    "simulate",
    "summarise",
    "sums_for",
    "tail",
    "tally",
]
