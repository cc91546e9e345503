"""The card of a discount: what can be said of it beside log2, on one page."""

from ndcgstudy.card.board import Board
from ndcgstudy.card.line import Figure, Line, Section
from ndcgstudy.card.report import Card, card

__all__ = ["Board", "Card", "Figure", "Line", "Section", "card"]
