"""Files and frames: TREC runs and qrels, BEIR's qrels, score matrices."""

from ndcgstudy.formats.read import read_qrels, read_run

__all__ = ["read_qrels", "read_run"]
