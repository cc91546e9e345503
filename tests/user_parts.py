"""Parts as a user may write them, good and bad; tests copy this file to where a user would have it."""

from dataclasses import dataclass

import numpy as np


def half(ranks):
    """Weigh rank r by 2^(1 - r)."""
    return 0.5 ** (np.asarray(ranks) - 1.0)


@dataclass(frozen=True)
class Step:
    """Weigh the first page fully and later ranks by a fixed share."""

    page: int
    rest: float = 0.25

    def __post_init__(self):
        if not 0 <= self.rest <= 1:
            raise ValueError(f"`rest` must be in [0, 1], got {self.rest!r}")

    def __call__(self, ranks):
        return np.where(np.asarray(ranks) <= self.page, 1.0, self.rest)


class Fragile:
    def __init__(self):
        raise KeyError("no such thing")


def squares(grades):
    return np.asarray(grades, dtype=float) ** 2


@dataclass(frozen=True)
class Top:
    """1 where the first document is relevant."""

    cutoff: int | None = 1

    def __call__(self, lists):
        return (lists.grade[..., 0] >= 1).astype(float)


def rising(ranks):
    return np.asarray(ranks, dtype=float)


def scalar_only(ranks):
    return 1.0 if ranks < 10 else 0.5


def raises(ranks):
    raise RuntimeError("out of order")


instance = Step(page=3)
number = 7
text = "log2"
