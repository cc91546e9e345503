"""Computing on a dask cluster, and what can be wrong with it."""

import os
import signal
import subprocess
import sys
import time

import pytest
import trustme
from dask_cluster import dask_cluster
from runs import counted, files, finish, lines, start, stored, until

from ndcgstudy.runner import cells
from ndcgstudy.runner.cells import answer
from ndcgstudy.study import Study

QUIET = ("--quiet", "--cluster")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = counted(tmp_path_factory.mktemp("undisturbed"))
    finish(folder, "--workers", 1, "--quiet", PAUSE=0)
    return files(folder)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with dask_cluster(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster.address


@pytest.fixture
def folder(tmp_path):
    return counted(tmp_path)


def test_a_killed_worker_process_changes_no_byte(folder, undisturbed, address):
    process = start(folder, *QUIET, address)
    until(lambda: len(lines(folder)) >= 8)
    os.kill(int(lines(folder)[-1].split()[0]), signal.SIGKILL)
    said = process.communicate(timeout=60)
    assert (process.returncode, said[1]) == (0, "")
    assert files(folder) == undisturbed
    assert len({line.split()[0] for line in lines(folder)}) == 3


def test_a_cell_that_kills_its_workers_fails_and_the_others_end(tmp_path, address):
    body = "if parameters == {'block': 3, 'name': 'two'}: os.kill(os.getpid(), 9)"
    folder = counted(tmp_path, body=body)
    said = finish(folder, *QUIET, address, code=1, PAUSE=0)
    assert said.startswith("ndcgstudy: study walk, cell block=3, name=two: KilledWorker: ")
    assert len(said.splitlines()) == 2
    assert len(stored(folder)) == 39


def test_ctrl_c_stops_soon(folder, address):
    process = start(folder, *QUIET, address, PAUSE=0.5)
    until(lambda: len(lines(folder)) >= 4)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - begun < 2
    assert process.returncode == 130
    assert said.startswith("ndcgstudy: stopped; finished cells ")


def test_a_scheduler_that_dies_is_told_and_finished_cells_are_kept(folder, undisturbed):
    with dask_cluster(folder) as cluster:
        process = start(folder, *QUIET, cluster.address)
        until(lambda: len(lines(folder)) >= 8)
        os.killpg(cluster.processes[0].pid, signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said == (
        "ndcgstudy: the scheduler is gone; finished cells are kept; the same command goes on\n"
    )
    have, count = len(stored(folder)), len(lines(folder))
    assert have > 0
    finish(folder, "--quiet", "--workers", 1, PAUSE=0)
    assert len(lines(folder)) - count == 40 - have
    assert files(folder) == undisturbed


# no cluster


def test_a_scheduler_that_does_not_answer_is_told_soon(folder):
    begun = time.monotonic()
    said = finish(folder, *QUIET, "tcp://127.0.0.1:1", code=2)
    assert time.monotonic() - begun < 10
    assert said.startswith("ndcgstudy: no scheduler at tcp://127.0.0.1:1: ")
    assert said.endswith("; start `dask scheduler`\n")
    assert said.count("\n") == 1


def test_a_scheduler_without_workers_is_told(folder):
    with dask_cluster(folder, workers=0) as cluster:
        said = finish(folder, *QUIET, cluster.address, code=2)
    assert said == (
        f"ndcgstudy: the scheduler at {cluster.address} has no workers; "
        f"start `dask worker {cluster.address}`\n"
    )


@pytest.mark.parametrize("address", ["host", "host:8786", "tcp://host", "http://host:8786"])
def test_an_address_that_is_none_is_told(folder, address):
    said = finish(folder, *QUIET, address, code=2)
    assert said == f"ndcgstudy: a cluster is named as tcp://host:port, got {address!r}\n"


def test_workers_and_a_cluster_are_two_things(folder):
    said = finish(folder, *QUIET, "tcp://host:1", "--workers", 2, code=2)
    assert said == "ndcgstudy: --workers is for local processes; leave it out with --cluster\n"


def test_a_missing_extra_is_told(folder):
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "from ndcgstudy.cli import main\n"
        "main(['reproduce', '--cluster', 'tcp://127.0.0.1:1'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "ndcgstudy: --cluster needs dask.distributed: pip install 'ndcgstudy[cluster]'\n"
    )


def test_workers_that_are_all_gone_end_the_run_soon(folder):
    with dask_cluster(folder, workers=1) as cluster:
        process = start(folder, *QUIET, cluster.address)
        until(lambda: len(lines(folder)) >= 8)
        os.killpg(cluster.processes[1].pid, signal.SIGKILL)
        begun = time.monotonic()
        _, said = process.communicate(timeout=60)
    assert time.monotonic() - begun < 10
    assert process.returncode == 1
    assert said.startswith("ndcgstudy: all workers are gone; finished cells are kept; ")
    assert said.count("\n") == 1


def test_a_time_limit_and_a_cluster_do_not_go_together(folder):
    said = finish(folder, *QUIET, "tcp://host:1", "--cell-limit", 1, code=2)
    assert "--cell-limit is for local processes" in said


# certificates


def test_tls_without_certificates_is_refused_at_once(folder):
    begun = time.monotonic()
    said = finish(folder, *QUIET, "tls://127.0.0.1:1", code=2)
    assert time.monotonic() - begun < 5
    assert said.startswith("ndcgstudy: tls:// needs certificates: ")
    assert said.count("\n") == 1


def test_tls_with_a_certificate_that_is_not_there_is_refused(folder):
    missing = {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": folder / "none.pem"}
    said = finish(folder, *QUIET, "tls://127.0.0.1:1", code=2, **missing)
    assert said.startswith("ndcgstudy: tls:// needs certificates: ")
    assert said.count("\n") == 1


def test_a_cluster_with_certificates_computes_the_same(folder, undisturbed, monkeypatch):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    pair = authority.issue_cert("127.0.0.1", "localhost")
    pair.private_key_and_cert_chain_pem.write_to_path(folder / "pair.pem")
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    variables = {f"{tls}CA_FILE": folder / "ca.pem"}
    for role in ("CLIENT", "SCHEDULER", "WORKER"):
        variables |= {f"{tls}{role}__{part}": folder / "pair.pem" for part in ("CERT", "KEY")}
    for name, path in variables.items():
        monkeypatch.setenv(name, str(path))
    with dask_cluster(folder, protocol="tls") as cluster:
        assert cluster.address.startswith("tls://")
        finish(folder, *QUIET, cluster.address, PAUSE=0)
    assert files(folder) == undisturbed


# workers with other code


def draws(parameters, rng):
    return [{"x": rng.random()}]


STUDY = Study("?", lambda scale: [{"n": 1}], draws, lambda rows: {})


def test_a_worker_with_other_code_refuses():
    found = answer(STUDY, 0, {"n": 1}, "0" * 64)
    assert found.rows == []
    assert "this worker has other code, data or packages than the run" in found.error


def test_a_worker_that_started_before_the_package_changed_refuses(monkeypatch):
    code = cells.fingerprint(STUDY).hash
    assert answer(STUDY, 0, {"n": 1}, code).error == ""
    monkeypatch.setattr(cells, "_LOADED", 0)
    assert "restart it" in answer(STUDY, 0, {"n": 1}, code).error
