"""A time limit for one cell, in the process that computes it."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE = 5.0
"""Seconds beyond the limit after which a process ends that no signal reaches, as in compiled code."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `TimeoutError` in the block after some seconds; end the process where that fails.

    The block must run in the main thread of a worker process, on a system with SIGALRM.

    Examples
    --------
    >>> with time_limit(None):
    ...     pass
    """
    if seconds is None:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    end = threading.Timer(seconds + GRACE, os._exit, (1,))
    end.daemon = True
    end.start()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        end.cancel()
        signal.signal(signal.SIGALRM, before)
