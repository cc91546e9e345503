"""Runs that are killed, stopped or have cells that fail: real signals, real processes."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from runs import alive, counted, files, finish, kill_all, lines, start, stored, until

CELLS = 40
QUICK = ("--workers", 2, "--quiet")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The files of a run that nothing happened to."""
    folder = counted(tmp_path_factory.mktemp("undisturbed"))
    finish(folder, *QUICK, PAUSE=0)
    assert len(lines(folder)) == CELLS
    return files(folder)


@pytest.fixture
def folder(tmp_path):
    return counted(tmp_path)


# killed


def test_a_run_killed_three_times_computes_no_stored_cell_again(folder, undisturbed):
    moments = random.Random()  # any moment must do
    for _ in range(3):
        have, begun = stored(folder), len(lines(folder))
        process = start(folder, *QUICK)
        most = max(1, (CELLS - len(have)) // 2)
        goal = begun + moments.randint(1, most)
        until(lambda goal=goal: len(lines(folder)) >= goal)
        time.sleep(moments.random() * 0.05)
        kill_all(process)
        assert not (folder / "results" / "walk").exists()
        assert have <= stored(folder)
    have, begun = stored(folder), len(lines(folder))
    finish(folder, *QUICK)
    assert len(lines(folder)) - begun == CELLS - len(have)
    assert len(have) > 0
    assert files(folder) == undisturbed
    manifest = json.loads((folder / "results" / "walk" / "manifest.json").read_text())
    assert (manifest["computed"], manifest["reused"]) == (CELLS - len(have), len(have))


def test_a_finished_run_computes_nothing_again(folder, undisturbed):
    finish(folder, *QUICK, PAUSE=0)
    said = finish(folder, "--workers", 1, PAUSE=0)
    assert len(lines(folder)) == CELLS
    assert said == "ndcgstudy: walk begins, 0 of 0 cells done, 40 reused\n"
    assert files(folder) == undisturbed


def test_fresh_computes_all_again(folder, undisturbed):
    finish(folder, *QUICK, PAUSE=0)
    finish(folder, *QUICK, "--fresh", PAUSE=0)
    assert len(lines(folder)) == 2 * CELLS
    assert files(folder) == undisturbed


def test_workers_end_with_the_run_that_is_killed(folder):
    process = start(folder, *QUICK, PAUSE=0.3)
    until(lambda: len({line.split()[0] for line in lines(folder)}) == 2)
    workers = {int(line.split()[0]) for line in lines(folder)}
    os.kill(process.pid, signal.SIGKILL)  # the run alone
    process.communicate(timeout=30)
    until(lambda: not any(map(alive, workers)), seconds=5)


def test_a_killed_worker_is_replaced_and_its_cell_computed(folder, undisturbed):
    process = start(folder, *QUICK)
    until(lambda: len(lines(folder)) >= 8)
    os.kill(int(lines(folder)[-1].split()[0]), signal.SIGKILL)
    said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert files(folder) == undisturbed
    assert len({line.split()[0] for line in lines(folder)}) == 4
    assert len(lines(folder)) <= CELLS + 2  # what the two workers were at


def test_a_cell_that_kills_its_worker_fails_and_the_others_end(tmp_path):
    body = "if parameters == {'block': 3, 'name': 'two'}: os.kill(os.getpid(), 9)"
    folder = counted(tmp_path, body=body)
    said = finish(folder, *QUICK, code=1, PAUSE=0.01).splitlines()
    assert said[0] == (
        "ndcgstudy: study walk, cell block=3, name=two: "
        "it ended the process that computed it 3 times"
    )
    assert len(stored(folder)) == CELLS - 1
    assert sum(line.endswith(" 3 two") for line in lines(folder)) == 3
    assert len(lines(folder)) <= CELLS + 4
    assert not (folder / "results" / "walk").exists()


def test_workers_that_all_die_end_the_run(tmp_path):
    folder = counted(tmp_path, body="os.kill(os.getpid(), 9)")
    said = finish(folder, *QUICK, code=1)
    assert said == "ndcgstudy: worker after worker ends and no cell gets done\n"
    assert len(lines(folder)) <= 16


# stopped


def test_ctrl_c_stops_in_the_middle_of_long_cells_and_the_rerun_goes_on(tmp_path, undisturbed):
    body = "time.sleep(60 if HERE.joinpath('long').exists() else 0)"
    folder = counted(tmp_path, body=body)
    process = start(folder, *QUICK)
    until(lambda: len(stored(folder)) >= 4)
    (folder / "experiments" / "long").touch()
    time.sleep(0.3)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - begun < 2
    assert process.returncode == 130
    assert said == (
        "ndcgstudy: stopped; finished cells and the results of finished studies are kept; "
        "the same command goes on from there\n"
    )
    (folder / "experiments" / "long").unlink()
    have, count = len(stored(folder)), len(lines(folder))
    finish(folder, *QUICK, PAUSE=0)
    assert len(lines(folder)) - count == CELLS - have
    assert files(folder) == undisturbed


# cells that raise

RAISES = "if parameters['block'] == 3 and (HERE / 'bad').exists(): raise ValueError('a\\nb c')"


@pytest.fixture
def raising(tmp_path):
    folder = counted(tmp_path, body=RAISES)
    (folder / "experiments" / "bad").touch()
    return folder


def test_cells_that_raise_are_listed_and_a_rerun_tries_only_these(raising, undisturbed):
    said = finish(raising, *QUICK, code=1, PAUSE=0).splitlines()
    assert said == [
        "ndcgstudy: study walk, cell block=3, name=one: ValueError: b c",
        "ndcgstudy: study walk, cell block=3, name=two: ValueError: b c",
        "ndcgstudy: 1 of 1 study failed; they got no new results; the same command computes only "
        "the cells that are missing",
    ]
    assert len(lines(raising)) == CELLS
    assert len(stored(raising)) == CELLS - 2
    assert not (raising / "results" / "walk").exists()
    (raising / "experiments" / "bad").unlink()
    finish(raising, *QUICK, PAUSE=0)
    assert len(lines(raising)) == CELLS + 2
    assert files(raising) == undisturbed


def test_earlier_results_stay_where_cells_fail_and_other_studies_are_written(raising):
    counted(raising, "other")
    (raising / "experiments" / "bad").unlink()
    finish(raising, "walk", *QUICK, PAUSE=0)
    before = files(raising)
    (raising / "experiments" / "bad").touch()
    finish(raising, "--seed", 1, *QUICK, code=1, PAUSE=0)
    assert files(raising) == before
    assert (raising / "results" / "other" / "table.csv").exists()


def test_fail_fast_stops_at_once(raising):
    said = finish(raising, "--fail-fast", "--workers", 1, "--quiet", code=1).splitlines()
    assert said == [
        "ndcgstudy: study walk, cell block=3, name=one: ValueError: b c",
        "ndcgstudy: stopped at the first failure; finished cells are kept",
    ]
    assert len(lines(raising)) < CELLS / 2
    assert len(stored(raising)) >= 6


def test_an_error_that_cannot_be_pickled_is_told_like_any_other(tmp_path):
    body = """class Odd(Exception):
        def __init__(self, a, b):
            super().__init__("odd")
    if parameters["block"] == 3: raise Odd(1, 2)"""
    said = finish(counted(tmp_path, body=body), *QUICK, code=1, PAUSE=0).splitlines()
    assert said[0] == "ndcgstudy: study walk, cell block=3, name=one: Odd: odd"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("__import__('sys').exit()", "SystemExit: "),
        ("raise KeyboardInterrupt", "KeyboardInterrupt: "),
    ],
)
def test_a_cell_that_ends_its_process_politely_fails_like_any_other(tmp_path, statement, said):
    folder = counted(tmp_path, body=f"if parameters['block'] == 3: {statement}")
    found = finish(folder, *QUICK, code=1, PAUSE=0).splitlines()
    assert found[0].rstrip() == f"ndcgstudy: study walk, cell block=3, name=one: {said}".rstrip()
    assert len(stored(folder)) == CELLS - 2
    assert not (folder / "results" / "walk").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "return {",
            "raise KeyError('no such column')\n    return {",
            "KeyError: 'no such column'",
        ),
        ("return {", "raise SystemExit('a\\nb')\n    return {", "SystemExit: b"),
        ('tables["means"]', 'tables["x"]', "KeyError: 'x'"),
    ],
)
def test_an_analysis_that_fails_is_one_line_and_later_studies_run(tmp_path, old, new, said):
    folder = counted(tmp_path, "alone")
    path = counted(tmp_path, "walk") / "experiments" / "alone.py"
    path.write_text(path.read_text().replace(old, new))
    found = finish(folder, *QUICK, code=1, PAUSE=0).splitlines()
    assert found[0] == f"ndcgstudy: study alone: its analysis fails: {said}"
    assert found[1].startswith("ndcgstudy: 1 of 2 studies failed; ")
    assert len(found) == 2
    assert not (folder / "results" / "alone").exists()
    assert (folder / "results" / "walk" / "table.csv").exists()


def test_a_cell_over_the_time_limit_fails_and_the_others_end(tmp_path):
    body = "time.sleep(60 if parameters == {'block': 3, 'name': 'two'} else 0)"
    folder = counted(tmp_path, body=body)
    said = finish(folder, *QUICK, "--cell-limit", 0.5, code=1, PAUSE=0).splitlines()
    assert said[0] == (
        "ndcgstudy: study walk, cell block=3, name=two: TimeoutError: took more than 0.5 s"
    )
    assert len(stored(folder)) == CELLS - 1


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf"])
def test_a_time_limit_is_a_number_above_zero(tmp_path, limit):
    said = finish(counted(tmp_path), "--cell-limit", limit, code=2)
    assert "cell-limit" in said
    assert said.count("\n") == 1


def test_a_request_to_end_is_as_good_as_ctrl_c(folder, undisturbed):
    process = start(folder, *QUICK)
    until(lambda: len(stored(folder)) >= 4)
    os.kill(process.pid, signal.SIGTERM)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.startswith("ndcgstudy: stopped; finished cells ")
    finish(folder, *QUICK, PAUSE=0)
    assert files(folder) == undisturbed


def test_workers_import_nothing_from_the_working_directory(folder, undisturbed):
    for name in ("signal", "queue", "numpy", "ndcgstudy_trap"):
        (folder / f"{name}.py").write_text("raise RuntimeError('a trap')")
    command = [
        sys.executable,
        "-P",
        "-m",
        "ndcgstudy",
        "reproduce",
        "--out=results",
        *map(str, QUICK),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert files(folder) == undisturbed


def test_a_source_file_from_the_future_fails_no_cell(folder, undisturbed):
    path = folder / "experiments" / "walk.py"
    os.utime(path, (time.time() + 1e6, time.time() + 1e6))
    finish(folder, *QUICK, PAUSE=0)
    assert files(folder) == undisturbed
