"""Files and frames: TREC runs and qrels, BEIR's qrels, score matrices, MTEB's results."""

from ndcgstudy.formats.matrix import read_scores, write_scores
from ndcgstudy.formats.mteb import read_mteb
from ndcgstudy.formats.read import read_qrels, read_run

__all__ = ["read_mteb", "read_qrels", "read_run", "read_scores", "write_scores"]
