"""Work shared out to threads, each with linear algebra of its own.

Left to itself a BLAS splits even small products over all cores, and its threads wait on one another:
beside other work the same product can take twenty times as long.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads() -> int:
    """Return how many threads to work with: ``OMP_NUM_THREADS`` where it is set, else one a core.

    Examples
    --------
    >>> 1 <= threads()
    True
    """
    given = os.environ.get("OMP_NUM_THREADS", "").strip()
    return max(1, int(given)) if given.isdecimal() else cores()


def shared_out(
    function: Callable[[T], R], items: Iterable[T], workers: int | None = None
) -> list[R]:
    """Return what a function gives for each item, in order, computed on threads.

    What it gives must not depend on the other items; a BLAS works in one thread meanwhile, so that
    the number of workers changes no digit.

    Parameters
    ----------
    workers
        The number of threads, by default `threads`.

    Examples
    --------
    >>> shared_out(abs, [-1, 2, -3], 2)
    [1, 2, 3]
    """
    from threadpoolctl import threadpool_limits

    workers = workers or threads()
    with threadpool_limits(1, user_api="blas"):
        if workers == 1:
            return [function(item) for item in items]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(function, items))
