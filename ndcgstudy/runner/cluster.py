"""Workers on other machines: dask's scheduler and workers, through its own executor."""

import logging
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import cast

WAIT = 3.0
"""Seconds to wait for a scheduler, and again for a first worker."""


_LOGS = ("distributed", "distributed.client", "tornado.application")
"""Who would write of each worker that dies and of the scheduler; what matters is told by us."""

_ADDRESS = re.compile(r"(tcp|tls)://\S+:\d+")


class ClusterError(RuntimeError):
    """There is no cluster to compute on; the message says what to do."""


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Open the executor of a dask cluster whose scheduler listens at ``tcp://host:port``.

    A worker that dies is dask's matter: its cells go to other workers, and a cell that ended more
    workers than dask allows (``distributed.scheduler.allowed-failures``, 3) fails. All workers
    need the same files at the same paths; those with other code are refused cell by cell.

    Raises
    ------
    ClusterError
        If dask.distributed is not installed, or no scheduler or worker answers.
    """
    if not _ADDRESS.fullmatch(address):
        raise ClusterError(f"a cluster is named as tcp://host:port, got {address!r}")
    try:
        from distributed import Client
    except ImportError:
        text = "--cluster needs dask.distributed: pip install 'ndcgstudy[cluster]'"
        raise ClusterError(text) from None
    for name in _LOGS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=WAIT, set_as_default=False)
    except OSError as error:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ClusterError(f"no scheduler at {address}: {why}; start `dask scheduler`") from None
    executor = client.get_executor()
    try:
        _await_worker(client, address)
        yield cast(Executor, executor)
    finally:
        executor.shutdown(wait=False)
        client.close(timeout=1)


def _await_worker(client: object, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WAIT)  # type: ignore[attr-defined]
    except (OSError, TimeoutError):
        text = f"the scheduler at {address} has no workers; start `dask worker {address}`"
        raise ClusterError(text) from None
