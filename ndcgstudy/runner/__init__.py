"""Cells on an executor: the same rows whatever the executor, its workers and their order."""

from ndcgstudy.runner.cells import Answer, run_cell, stream
from ndcgstudy.runner.cluster import ClusterError, cluster
from ndcgstudy.runner.flight import Ended, LostError, completed
from ndcgstudy.runner.pool import pool
from ndcgstudy.runner.run import CellError, Job, run, run_job

__all__ = [
    "Answer",
    "CellError",
    "ClusterError",
    "Ended",
    "Job",
    "LostError",
    "cluster",
    "completed",
    "pool",
    "run",
    "run_cell",
    "run_job",
    "stream",
]
