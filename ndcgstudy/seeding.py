"""Random streams that depend on their labels and on nothing else."""

import hashlib

import numpy as np

Label = str | int | float


def rng_for(root: int, *labels: Label) -> np.random.Generator:
    """Return the random stream that belongs to a root seed and a path of labels.

    The labels are hashed (BLAKE2b over their types and reprs), so a stream is the same whatever
    ran before it, in whichever process and order; two different paths give independent streams.

    Parameters
    ----------
    root
        The seed of the whole run, an integer at or above 0.
    labels
        What the stream is for, e.g. study, generator, n, replicate. Strings, ints or floats.

    Raises
    ------
    ValueError
        If `root` is negative or no integer.

    Examples
    --------
    >>> a = rng_for(7, "separability", 1000, 3).random()
    >>> a == rng_for(7, "separability", 1000, 3).random()
    True
    >>> a == rng_for(7, "separability", 1000, 4).random()
    False
    """
    if not isinstance(root, int | np.integer) or isinstance(root, bool) or root < 0:
        raise ValueError(f"`root` must be an integer at or above 0, got {root!r}")
    plain = [x.item() if isinstance(x, np.generic) else x for x in (root, *labels)]
    path = "\0".join(f"{type(x).__name__}:{x!r}" for x in plain)
    digest = hashlib.blake2b(path.encode(), digest_size=32).digest()
    return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest, "little")))
