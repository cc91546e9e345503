"""A strict validator for qrels and runs: everything wrong, with file, line and column."""

from ndcgstudy.check.report import Report, Validator, check
from ndcgstudy.formats.problem import Problem

__all__ = ["Problem", "Report", "Validator", "check"]
