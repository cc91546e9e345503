"""Whether a discount tells two rankers apart as their list grows.

Model and question are those of Wang, Wang, Li, He, Chen and Liu (2013, A theoretical analysis of
NDCG type ranking measures).
"""

from ndcgstudy.separability.direct import Paired, simulate
from ndcgstudy.separability.summary import summarise, tally

__all__ = ["Paired", "simulate", "summarise", "tally"]
