"""How much a file may hold: limits that ordinary files never meet, and that keep others from the memory."""

import os

VARIABLE = "NDCGSTUDY_MAX_EXPANSION"
RATIO = 100.0
FREE = 100_000_000
"""Bytes up to which data may expand at any ratio."""

STREAM = 8_000_000_000
"""The most bytes that are read from a pipe."""

LONGEST = 100_000
"""The most bytes of a field: no id and no number is as long."""

PIECE = FREE
"""The most bytes that a step of decompressing gives."""

SLICE = 1 << 11
"""Compressed bytes of a step, for zstd, which cannot bound what a step gives: at most 64 MiB."""


def ratio() -> float:
    """Return how many times its size compressed data may expand.

    Raises
    ------
    ValueError
        If the variable that sets it holds no number at least 1.
    """
    text = os.environ.get(VARIABLE, "")
    try:
        value = float(text) if text else RATIO
    except ValueError:
        value = float("nan")
    if not value >= 1:
        raise ValueError(f"{VARIABLE} must be a number at least 1, got {text[:200]!r}")
    return value


class Budget:
    """Counts what comes out of compressed data, and refuses what expands without measure.

    Examples
    --------
    >>> Budget("run.gz", 10).spend(1_000)
    >>> Budget("run.gz", 10).spend(200_000_000)
    Traceback (most recent call last):
        ...
    ValueError: run.gz: 10 bytes expand to more than 100,000,000, over 100 times their size; \
NDCGSTUDY_MAX_EXPANSION=N allows N times
    """

    def __init__(self, name: str, size: int) -> None:
        self.name, self.size, self.spent = name, size, 0
        self.most = max(FREE, ratio() * size)

    def spend(self, size: int) -> None:
        """Count bytes that came out.

        Raises
        ------
        ValueError
            If there are more than the limit.
        """
        self.spent += size
        if self.spent > self.most:
            raise ValueError(
                f"{self.name}: {self.size:,} bytes expand to more than {self.most:,.0f}, over "
                f"{ratio():g} times their size; {VARIABLE}=N allows N times"
            )
