"""Measures: graded lists in, scores (systems, topics) out."""

from ndcgstudy.measures.base import MEASURES, Measure, readings, score_grades
from ndcgstudy.measures.binary import AP, RR, Bpref, Judged, P, R
from ndcgstudy.measures.graded import DCG, ERR, RBP, nDCG

__all__ = [
    "AP",
    "DCG",
    "ERR",
    "MEASURES",
    "RBP",
    "RR",
    "Bpref",
    "Judged",
    "Measure",
    "P",
    "R",
    "nDCG",
    "readings",
    "score_grades",
]
