"""Every way to compute one number: named after tools, all at once, and which of them gave it."""

from ndcgstudy.conventions.convention import Convention, parse
from ndcgstudy.conventions.scoring_as import score_as
from ndcgstudy.conventions.tools import TOOLS

__all__ = ["TOOLS", "Convention", "parse", "score_as"]
