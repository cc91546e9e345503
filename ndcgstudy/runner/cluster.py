"""Workers on other machines: dask's scheduler and workers, through its own executor."""

import logging
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, TypeVar, cast

T = TypeVar("T")

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

    ``tls://host:port`` takes the certificates of dask's configuration.

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
    security = _security() if address.startswith("tls") else None
    try:
        client = Client(address, timeout=WAIT, set_as_default=False, security=security)
    except OSError as error:
        why = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ClusterError(f"no scheduler at {address}: {why}; start `dask scheduler`") from None
    executor = _Workers(client)
    try:
        _await_worker(client, address)
        yield executor
    finally:
        executor.shutdown(wait=False)
        client.close(timeout=1)


class _Workers(Executor):
    """Dask's executor, which also tells whether it has workers."""

    def __init__(self, client: Any) -> None:
        self._client, self._executor = client, client.get_executor()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return cast("Future[T]", self._executor.submit(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait=wait)

    def staffed(self) -> bool:
        """Whether any worker is connected; a scheduler that does not answer is found out elsewhere."""
        try:
            return bool(self._client.nthreads())
        except (OSError, RuntimeError, TimeoutError):
            return True


def _security() -> Any:
    """Return the certificates of dask's configuration.

    Raises
    ------
    ClusterError
        If there are none, or they cannot be read.
    """
    from distributed.security import Security

    security = Security()
    try:
        context = security.get_connection_args("client").get("ssl_context")
    except OSError as error:
        raise ClusterError(f"tls:// needs certificates: {error}") from None
    if context is None:
        raise ClusterError(
            "tls:// needs certificates: set ca-file, client.cert and client.key under "
            "distributed.comm.tls in dask's configuration, or the variables "
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ...__CLIENT__CERT and ...__CLIENT__KEY"
        )
    return security


def _await_worker(client: object, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=WAIT)  # type: ignore[attr-defined]
    except (OSError, TimeoutError):
        text = f"the scheduler at {address} has no workers; start `dask worker {address}`"
        raise ClusterError(text) from None
