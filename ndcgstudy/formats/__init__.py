"""Files and frames: TREC runs and qrels, BEIR's qrels, score matrices."""

from ndcgstudy.formats.matrix import read_scores, write_scores
from ndcgstudy.formats.read import read_qrels, read_run

__all__ = ["read_qrels", "read_run", "read_scores", "write_scores"]
