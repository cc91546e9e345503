"""Synthetic collections: items, their grades, and rankers that see them more or less clearly."""

from ndcgstudy.synthetic.curves import AgainstRandom, Curves
from ndcgstudy.synthetic.drifting import Drift
from ndcgstudy.synthetic.generator import (
    GENERATORS,
    Described,
    Generator,
    Relative,
    Sample,
    described,
    is_described,
    is_relative,
)
from ndcgstudy.synthetic.latent import Latent
from ndcgstudy.synthetic.reference import Reference
from ndcgstudy.synthetic.shared_top import SharedTop
from ndcgstudy.synthetic.stages import Growing, NearMisses, TwoStage

__all__ = [
    "GENERATORS",
    "AgainstRandom",
    "Curves",
    "Described",
    "Drift",
    "Generator",
    "Growing",
    "Latent",
    "NearMisses",
    "Reference",
    "Relative",
    "Sample",
    "SharedTop",
    "TwoStage",
    "described",
    "is_described",
    "is_relative",
]
