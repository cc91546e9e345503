"""Every list of a small size, for statements about all lists."""

from itertools import product

import numpy as np
import numpy.typing as npt

Lists = npt.NDArray[np.int64]


def every(grades: int, ranks: int) -> Lists:
    """Return every list of `ranks` grades from 0 to `grades` - 1, (grades ** ranks, ranks).

    Examples
    --------
    >>> every(2, 2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    return np.array(list(product(range(grades), repeat=ranks)), dtype=np.int64)


def joined(heads: Lists, tails: Lists) -> Lists:
    """Return every head followed by every tail, (heads, tails, ranks).

    Examples
    --------
    >>> joined(np.array([[1], [0]]), np.array([[2, 3]])).tolist()
    [[[1, 2, 3]], [[0, 2, 3]]]
    """
    shape = (len(heads), len(tails))
    first = np.broadcast_to(heads[:, np.newaxis], (*shape, heads.shape[-1]))
    second = np.broadcast_to(tails, (*shape, tails.shape[-1]))
    return np.concatenate([first, second], axis=-1)
