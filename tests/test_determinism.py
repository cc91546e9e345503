"""One study, one seed: the same bytes whoever computes the cells, where, and in what order."""

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pandas as pd
import pytest
from runs import counted, files, finish, kill_all, lines, start, stored, until
from shuffled import Shuffled

from ndcgstudy import results
from ndcgstudy.runner import Job, run, run_job
from ndcgstudy.store import Store
from ndcgstudy.study import load_study

CELLS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the study and its results on one worker."""
    where = counted(tmp_path_factory.mktemp("determinism"))
    finish(where, "--workers", 1, "--quiet", PAUSE=0, CELLS=CELLS)
    return where


@pytest.fixture(scope="module")
def one_worker(folder):
    return files(folder)


@pytest.fixture(scope="module")
def study(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAUSE", "0")
        patch.setenv("CELLS", str(CELLS))
        return load_study(folder / "experiments" / "walk.py")


def bytes_of(study, rows):
    tables = study.analysis(pd.DataFrame(rows))
    claims = results.claims_bytes(study.claims, study.verdicts(tables))
    return {**results.tables_bytes(tables), "claims.csv": claims}


@pytest.mark.parametrize("workers", [2, 4])
def test_more_workers_give_the_same_bytes(folder, one_worker, workers):
    out = f"w{workers}"
    finish(folder, "--workers", workers, "--quiet", "--fresh", "--out", out, PAUSE=0, CELLS=CELLS)
    assert files(folder, out=out) == one_worker


def test_cells_in_any_order_give_the_same_bytes(study, one_worker):
    cells = study.cells("quick")
    for seed in (1, 2):
        rows = run(study, cells, seed=0, executor=Shuffled(seed, len(cells)))
        assert bytes_of(study, rows) == one_worker


def test_a_grid_written_in_another_order_gives_the_same_rows(study):
    cells = study.cells("quick")
    order = random.Random(3).sample(range(len(cells)), len(cells))
    turned = [dict(reversed(cells[place].items())) for place in order]
    with ThreadPoolExecutor(2) as threads:
        rows = [run(study, [cell], seed=0, executor=threads) for cell in cells]
        mixed = run(study, turned, seed=0, executor=threads)
    expected = [row for place in order for row in rows[place]]
    assert [repr(sorted(row.items())) for row in mixed] == [
        repr(sorted(row.items())) for row in expected
    ]


def test_a_part_of_the_grid_gives_its_rows_of_the_whole(study, one_worker):
    cells = study.cells("quick")
    with ThreadPoolExecutor(2) as threads:
        rows = run(study, cells[3:8], seed=0, executor=threads)
    part = results.table_bytes(pd.DataFrame(rows)).splitlines()
    whole = one_worker["table.csv"].splitlines()
    assert part[0] == whole[0]
    assert part[1:] == whole[1 + 2 * 3 : 1 + 2 * 8]


def test_a_part_that_was_stored_and_the_rest_give_the_same_bytes(study, one_worker):
    job = Job(study, study.cells("quick"), 0, "quick")
    half = Job(study, job.cells[1::2], 0, "quick")
    with closing(Store()) as store, ThreadPoolExecutor(2) as threads:
        run_job(half, half.missing(store), store, executor=threads)
        missing = job.missing(store)
        rows = run_job(job, missing, store, executor=threads)
    assert missing == list(range(0, CELLS, 2))
    assert bytes_of(study, rows) == one_worker


def test_a_run_that_was_killed_and_resumed_gives_the_same_bytes(folder, one_worker):
    more = ("--workers", 2, "--quiet", "--out", "resumed", "--cache", "other")
    process = start(folder, *more, PAUSE=0.1, CELLS=CELLS)
    begun = len(lines(folder))
    until(lambda: len(lines(folder)) >= begun + 5)
    kill_all(process)
    finish(folder, *more, PAUSE=0, CELLS=CELLS)
    assert len(lines(folder)) - begun < 2 * CELLS
    assert files(folder, out="resumed") == one_worker


@pytest.fixture
def local_cluster():
    """Two dask workers, a process each."""
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    with cluster:
        yield cluster.scheduler_address


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_dask_gives_the_same_bytes(folder, one_worker, local_cluster, monkeypatch):
    begun = len(lines(folder))
    more = ("--quiet", "--fresh", "--out", "dask", "--cluster", local_cluster)
    assert finish(folder, *more, PAUSE=0, CELLS=CELLS) == ""
    assert files(folder, out="dask") == one_worker
    workers = {line.split()[0] for line in lines(folder)[begun:]}
    assert len(workers) == 2


def test_the_seed_does_change_the_bytes(folder, one_worker):
    finish(folder, "--workers", 1, "--quiet", "--seed", 1, "--out", "s", PAUSE=0, CELLS=CELLS)
    assert files(folder, out="s")["table.csv"] != one_worker["table.csv"]
    assert len(stored(folder)) == 2 * CELLS
