"""Threads: what they give does not depend on how many there are."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from ndcgstudy.data import Scores
from ndcgstudy.inference.gaps import gaps
from ndcgstudy.threads import cores, shared_out, threads


def test_items_come_back_in_order_from_several_threads():
    meet = threading.Barrier(3, timeout=20)  # passed only by three at once

    def named(item: int) -> tuple[int, str]:
        meet.wait()
        return item, threading.current_thread().name

    found = shared_out(named, range(9), 3)
    assert [item for item, _ in found] == list(range(9))
    assert len({name for _, name in found}) == 3


def test_one_worker_is_the_thread_that_asks():
    assert shared_out(lambda _: threading.current_thread(), [0], 1) == [threading.current_thread()]


def test_an_error_in_a_thread_is_that_of_the_call():
    with pytest.raises(ZeroDivisionError):
        shared_out(lambda item: 1 / item, [1, 0, 2], 2)


@pytest.mark.parametrize(
    ("given", "wanted"), [("3", 3), (" 2 ", 2), ("0", 1), ("", None), ("4,2", None), ("x", None)]
)
def test_the_number_of_threads_is_asked_of_the_environment(monkeypatch, given, wanted):
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert threads() == (wanted or cores())


def test_a_blas_works_in_one_thread_meanwhile_and_as_before_afterwards():
    code = (
        "import numpy\n"
        "from threadpoolctl import threadpool_info\n"
        "from ndcgstudy.threads import shared_out\n"
        "def now(_=None):\n"
        "    return {i['num_threads'] for i in threadpool_info() if i['user_api'] == 'blas'}\n"
        "print(now(), shared_out(now, [0], 2), now())\n"
    )
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[0] == "{2} [{1}] {2}"


def test_intervals_are_the_same_to_the_last_bit_with_any_number_of_threads(monkeypatch):
    values = np.random.default_rng(0).random((12, 40))
    scores = Scores(values, tuple("abcdefghijkl"), tuple(map(str, range(40))), "AP")
    found = []
    for count in ("1", "2", "5"):
        monkeypatch.setenv("OMP_NUM_THREADS", count)
        found.append(gaps(scores, resamples=3000).table())
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])
