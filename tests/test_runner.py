"""Rows are the same whatever the executor, its number of workers and their order."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from shuffled import Shuffled
from study_files import TINY, put

from ndcgstudy.runner import (
    CellError,
    LostError,
    completed,
    flight,
    pool,
    run,
    run_cell,
    stream,
)
from ndcgstudy.seeding import rng_for
from ndcgstudy.study import Study, load_study
from ndcgstudy.threads import cores


def draws(parameters, rng):
    return [{**parameters, "draw": rng.random()}]


def drawing(stream=("block",), cell=draws, cells=None):
    cells = cells or [{"block": b, "discount": d} for b in range(8) for d in ("log2", "zipf")]
    return Study("?", lambda scale: cells, cell, lambda rows: {}, stream=stream, name="drawing")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return load_study(put(tmp_path_factory.mktemp("studies"), tiny=TINY) / "tiny.py")


@pytest.fixture(scope="module")
def processes():
    with pool(2) as executor:
        yield executor


@pytest.fixture
def threads():
    with ThreadPoolExecutor(4) as executor:
        yield executor


# the same rows


def test_rows_are_in_the_order_of_the_grid_not_of_completion(threads):
    def slow_first(parameters, rng):
        time.sleep(0.02 * (4 - parameters["n"]))
        return [{"n": parameters["n"], "part": part} for part in (1, 2)]

    study = drawing((), slow_first, [{"n": n} for n in range(4)])
    cells = study.cells("quick")
    ended = [end.place for end in completed(study, cells, seed=0, executor=threads)]
    rows = run(study, cells, seed=0, executor=threads)
    assert ended != sorted(ended)
    assert [(row["n"], row["part"]) for row in rows] == [(n, p) for n in range(4) for p in (1, 2)]


def test_one_worker_two_workers_and_shuffled_cells_give_the_same_rows(tiny, processes):
    cells = tiny.cells("full", discount=("zipf",))
    rows = run(tiny, cells, seed=3, executor=processes)
    with pool(1) as one:
        assert run(tiny, cells, seed=3, executor=one) == rows
    assert run(tiny, cells, seed=3, executor=Shuffled(1, len(cells))) == rows


def test_another_seed_gives_other_rows(tiny, threads):
    cells = tiny.cells("quick")
    assert run(tiny, cells, seed=3, executor=threads) != run(tiny, cells, seed=4, executor=threads)


def test_a_part_of_the_grid_gives_the_same_rows_as_within_the_whole(threads):
    study = drawing()
    cells = study.cells("quick")
    whole = run(study, cells, seed=1, executor=threads)
    assert run(study, cells[5:9], seed=1, executor=threads) == whole[5:9]
    assert run(study, cells[::-1], seed=1, executor=threads) == whole[::-1]


def test_a_stream_keyed_by_position_would_fail_this_test(threads):
    # The same test on a runner that numbers the cells instead of reading their labels.
    def numbered(cells):
        return [draws(cell, rng_for(1, i))[0] for i, cell in enumerate(cells)]

    cells = drawing().cells("quick")
    assert numbered(cells[5:9]) != numbered(cells)[5:9]


def test_cells_that_share_their_stream_labels_share_their_data(threads):
    rows = run(drawing(), drawing().cells("quick"), seed=0, executor=threads)
    by_block = {}
    for row in rows:
        by_block.setdefault(row["block"], set()).add(row["draw"])
    assert [len(found) for found in by_block.values()] == [1] * 8
    assert len(set.union(*by_block.values())) == 8


def test_the_stream_is_that_of_seed_study_and_labels():
    cell = {"discount": "log2", "n": 10, "block": 2}
    found = stream(drawing(("block", "n")), 7, cell).random()
    assert found == rng_for(7, "drawing", 2, 10).random()
    other = replace(drawing(("block", "n")), name="other")
    assert found != stream(other, 7, cell).random()


# rows


def test_numpy_scalars_become_plain_ones():
    def cell(parameters, rng):
        return [
            {"n": np.int64(3), "x": np.float64(0.5), "yes": np.bool_(True), "name": np.str_("a")}
        ]

    (row,) = run_cell(drawing((), cell), 0, {"n": 1})
    assert [type(value) for value in row.values()] == [int, float, bool, str]


@pytest.mark.parametrize("value", [np.zeros(2), [1], None, {"a": 1}])
def test_a_row_holds_scalars_only(value):
    with pytest.raises(ValueError, match="`x` of a row must be a scalar"):
        run_cell(drawing((), lambda parameters, rng: [{"x": value}]), 0, {"n": 1})


def test_progress_is_told_of_every_cell(threads):
    told = []
    run(
        drawing(),
        drawing().cells("quick"),
        seed=0,
        executor=threads,
        progress=lambda: told.append(1),
    )
    assert len(told) == 16


def test_more_cells_than_are_in_flight_at_once_all_come_back(threads, monkeypatch):
    monkeypatch.setattr(flight, "IN_FLIGHT", 3)
    cells = [{"block": b} for b in range(20)]
    rows = run(drawing(cells=cells), cells, seed=0, executor=threads)
    assert [row["block"] for row in rows] == list(range(20))


# failures


def fails_at_three(parameters, rng):
    if parameters["n"] == 3:
        raise ArithmeticError("first line\nthe last line")
    return [{"n": parameters["n"]}]


def test_a_failing_cell_is_named_with_its_parameters_and_the_last_line(threads):
    study = drawing((), fails_at_three, [{"n": n} for n in range(6)])
    with pytest.raises(CellError) as caught:
        run(study, study.cells("quick"), seed=0, executor=threads)
    assert str(caught.value) == "study drawing, cell n=3: ArithmeticError: the last line"


def test_cells_that_have_not_begun_are_cancelled_after_a_failure():
    begun = []

    def cell(parameters, rng):
        begun.append(parameters["n"])
        time.sleep(0.01)
        return fails_at_three({"n": 3}, rng)

    study = drawing((), cell, [{"n": n} for n in range(50)])
    with ThreadPoolExecutor(1) as executor, pytest.raises(CellError, match="cell n=0"):
        run(study, study.cells("quick"), seed=0, executor=executor, fail_fast=True)
    assert len(begun) < 50


def test_an_executor_that_is_gone_is_told():
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(LostError, match="no more cells can be handed in: cannot schedule new"):
        run(drawing(), drawing().cells("quick"), seed=0, executor=executor)


def test_a_pool_goes_on_after_it_was_killed():
    with pool(1) as one:
        first = one.submit(os.getpid).result()
        one.kill()
        assert one.submit(os.getpid).result() != first


# the pool


def test_workers_use_one_thread_for_linear_algebra(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with pool(1) as one:
        assert one.submit(os.getenv, "OPENBLAS_NUM_THREADS").result() == "1"
        assert one.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert "OMP_NUM_THREADS" not in os.environ


def test_even_one_worker_is_another_process():
    with pool(1) as one:
        assert one.submit(os.getpid).result() != os.getpid()


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2"])
def test_a_number_of_workers_that_is_none_is_refused(workers):
    with (
        pytest.raises(ValueError, match="`workers` must be a whole number at least 1"),
        pool(workers),
    ):
        pass


def test_there_is_a_core():
    assert cores() >= 1
