"""Scores with known truth, for tests of ranks."""

import numpy as np

from ndcgstudy.data import Scores


def scores_of(values, datasets=None):
    values = np.array(values, dtype=float)
    systems = tuple(f"s{i}" for i in range(len(values)))
    return Scores(
        values, systems, tuple(f"q{j}" for j in range(values.shape[1])), "nDCG@10", datasets
    )


def drawn(means, topics, rng, spread=1.0):
    """Scores around true means, topics hard or easy for all."""
    means = np.asarray(means, dtype=float)
    noise = rng.normal(0, spread, (means.size, topics))
    return scores_of(means[:, None] + noise + rng.normal(0, 2, topics))


def by_name(found, column):
    return dict(zip(found.systems, getattr(found, column), strict=True))
