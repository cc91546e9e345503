"""One HTML page of all results: the ledger, then each study with its answer, figures and tables."""

from ndcgstudy.report.gathered import Figure, StudyResults, Table, gather
from ndcgstudy.report.page import page

__all__ = ["Figure", "StudyResults", "Table", "gather", "page"]
