"""Disks that are full or read-only, stores that are none, and two runs at once."""

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from runs import counted, files, finish, kill_all, lines, start, stored, until

from ndcgstudy import store
from ndcgstudy.store import path_of

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


# disks


@contextmanager
def small_disk(place: Path, size: str):
    """Mount a small disk in memory on a folder; needs root."""
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def can_mount():
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except OSError:
        return False


MOUNTS = can_mount()
LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)); "
LIMITED += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
LIMITED += "sys.argv = ['ndcgstudy', *sys.argv[1:]]; from ndcgstudy.cli import main; main()"


def fill(folder, room=8192):
    """Write until no more than `room` is left."""
    with (folder / "ballast").open("wb", buffering=0) as file:
        for size in (4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
        file.truncate(file.tell() - room)


def test_a_full_disk_under_the_results_leaves_earlier_results_and_the_store(folder):
    if not MOUNTS:
        limited(folder)
        return
    with small_disk(folder / "results", "200k") as results:
        finish(folder, *QUICK, PAUSE=0)
        before = files(folder)
        fill(results)
        said = finish(folder, "--seed", 1, *QUICK, code=1, PAUSE=0)
        assert said.count("\n") == 1
        assert "No space left on device" in said
        assert files(folder) == before
        assert len(stored(folder)) == 2 * CELLS
        (results / "ballast").unlink()
        finish(folder, "--seed", 1, *QUICK, PAUSE=0)
        assert len(lines(folder)) == 2 * CELLS
        assert files(folder) != before


def test_a_full_disk_under_the_store_is_told_and_no_stored_cell_is_lost(folder, undisturbed):
    if not MOUNTS:
        limited(folder)
        return
    cache = folder / ".cache" / "ndcgstudy"
    with small_disk(cache, "200k"):
        said = finish(folder, *QUICK, code=1, PAUSE=0, CELLS=4000)
        assert said.splitlines()[-1].startswith(
            "ndcgstudy: store of cells .cache/ndcgstudy/walk.sqlite: database or disk is full; "
            "finished cells are kept"
        )
        assert said.count("\n") == 1
        have = stored(folder)
        assert len(have) > 10
        subprocess.run(["mount", "-o", "remount,size=20m", cache], check=True)
        count = len(lines(folder))
        finish(folder, *QUICK, PAUSE=0, CELLS=400)
        assert len(lines(folder)) - count <= 400
        assert have <= stored(folder)
        assert (folder / "results" / "walk" / "table.csv").exists()


def limited(folder):
    """Run where no file may grow large: what can be done without root."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "reproduce", *map(str, QUICK)],
        cwd=folder,
        env={**os.environ, "PAUSE": "0", "CELLS": "4000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "ndcgstudy: " in done.stderr.splitlines()[-1]
    assert len(stored(folder)) > 10


def test_a_limit_on_the_size_of_files_is_told(folder):
    limited(folder)


def test_a_read_only_folder_of_results_is_told_before_cells_are_computed(folder):
    (folder / "results").mkdir()
    if not MOUNTS:
        (folder / "results").rmdir()
        (folder / "file").touch()
        said = finish(folder, "--out", "file/results", *QUICK, code=1)
        assert said.count("\n") == 1
        return
    with small_disk(folder / "results", "1m") as results:
        finish(folder, *QUICK, PAUSE=0)
        before, count = files(folder), len(lines(folder))
        subprocess.run(["mount", "-o", "remount,ro", results], check=True)
        said = finish(folder, "--seed", 1, *QUICK, code=1, PAUSE=0)
        assert said == "ndcgstudy: results/.held-by: Read-only file system\n"
        assert files(folder) == before
        assert len(stored(folder)) == CELLS
        assert len(lines(folder)) == count


# a store that is none


def test_a_damaged_store_is_named_and_cleared_on_request(folder, undisturbed):
    finish(folder, *QUICK, PAUSE=0)
    path = path_of(folder / ".cache" / "ndcgstudy", "walk")
    data = bytearray(path.read_bytes())
    data[4096:12288] = b"\x55" * 8192
    path.write_bytes(data)
    before = path.read_bytes()
    said = finish(folder, *QUICK, code=1, PAUSE=0)
    assert said.count("\n") == 1
    assert said.startswith("ndcgstudy: store of cells .cache/ndcgstudy/walk.sqlite: ")
    assert "`ndcgstudy cache clear`" in said
    assert path.read_bytes() == before
    assert files(folder) == undisturbed
    listed = cache(folder)
    assert listed.stdout.startswith("walk: store of cells ")
    cache(folder, "clear", "walk")
    finish(folder, *QUICK, PAUSE=0)
    assert files(folder) == undisturbed


def cache(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", "ndcgstudy", "cache", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done


# two runs


def test_a_second_run_on_the_same_results_says_who_holds_them(folder, undisturbed):
    first = start(folder, *QUICK)
    until(lambda: len(lines(folder)) >= 2)
    said = finish(folder, *QUICK, code=1)
    assert said == (
        f"ndcgstudy: results is held by process {first.pid} on {socket.gethostname()}; "
        "wait for it, or name another folder with --out\n"
    )
    first.communicate(timeout=60)
    assert first.returncode == 0
    assert files(folder) == undisturbed
    assert sorted(path.name for path in (folder / "results").iterdir()) == ["walk"]


def test_two_runs_with_one_store_both_end_right(folder, undisturbed):
    two = [start(folder, *QUICK, "--out", name) for name in ("one", "two")]
    for process in two:
        said = process.communicate(timeout=60)
        assert process.returncode == 0, said
    assert files(folder, out="one") == files(folder, out="two") == undisturbed
    assert len(stored(folder)) == CELLS


def test_a_lock_of_a_killed_run_holds_nothing(folder, undisturbed):
    process = start(folder, *QUICK)
    until(lambda: len(lines(folder)) >= 2)
    kill_all(process)
    assert (folder / "results" / ".held-by").exists()
    finish(folder, *QUICK, PAUSE=0)
    assert files(folder) == undisturbed
    assert not (folder / "results" / ".held-by").exists()


def test_the_cache_is_listed_and_cleared(folder):
    assert cache(folder).stdout == "no stored cells in .cache/ndcgstudy\n"
    finish(folder, *QUICK, PAUSE=0)
    (line,) = cache(folder).stdout.splitlines()
    assert line.startswith("walk: 40 cells, 0.")
    assert f"MB, last at {time.strftime('%Y-%m-%d')}" in line
    wrong = cache(folder, "clear", "wlk")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "ndcgstudy: no stored cells of 'wlk'; did you mean 'walk'? known: walk\n",
    )
    assert cache(folder, "clear").stdout == "cleared: walk\n"
    assert store.names(folder / ".cache" / "ndcgstudy") == []
    ignored = (folder / ".cache" / "ndcgstudy" / ".gitignore").read_text()
    assert ignored == "*\n"
