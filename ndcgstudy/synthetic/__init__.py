"""Synthetic collections: items, their grades, and rankers that see them more or less clearly."""

from ndcgstudy.synthetic.generator import GENERATORS, Generator, Sample
from ndcgstudy.synthetic.reference import Reference

__all__ = ["GENERATORS", "Generator", "Reference", "Sample"]
