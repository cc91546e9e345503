"""Boards of near-duplicates: copies of one real system that differ on a few topics."""

import numpy as np

from ndcgstudy.boards import board, distinct


def topics_of(name: str) -> np.ndarray:
    """The scores of a board's distinct systems."""
    return distinct(board(name)).values


def copies(
    values: np.ndarray,
    rng: np.random.Generator,
    systems: int = 10,
    changed: int = 2,
    noise: float = 0.0,
    others: int = 0,
) -> np.ndarray:
    """Copy one of the better systems on 76 topics; let each copy differ on some, and all by some noise.

    The score on a topic that is changed is that of any system on any topic. `others` of the board's
    systems stand after the copies.
    """
    chosen = rng.permutation(values.shape[1])[:76]
    better = np.flatnonzero(values.mean(axis=1) >= np.median(values.mean(axis=1)))
    copied = np.tile(values[rng.choice(better)][chosen], (systems, 1))
    for row in copied:
        at = rng.choice(len(chosen), changed, replace=False)
        row[at] = rng.choice(values.ravel(), changed)
    copied = copied + rng.normal(0, noise, copied.shape) if noise else copied
    rest = values[rng.choice(len(values), others, replace=False)][:, chosen]
    return np.concatenate([copied, rest])
