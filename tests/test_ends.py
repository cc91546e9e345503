"""How a command ends where its output or its folders fail, or a person stops it: in one line."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCORES = "topic,a,b\nq1,.1,.2\nq2,.3,.1\nq3,.5,.4\n"


def without_powers() -> None:
    """Take from root the powers to read what permissions forbid, so that they count for it too."""
    libc, drop = ctypes.CDLL(None), 24  # PR_CAPBSET_DROP
    for power in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(drop, power)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(SCORES)
    return tmp_path


def shell(folder: Path, redirect: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = f"'{sys.executable}' -m ndcgstudy {' '.join(words)} {redirect}"
    done = subprocess.run(
        ["sh", "-c", program], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_full_disk_under_stdout_is_one_line(folder, form):
    done = shell(folder, "> /dev/full", "gaps", "scores.csv", "--resamples 199", f"--format {form}")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "ndcgstudy: standard output: No space left on device"


def test_a_closed_stdout_is_one_line(folder):
    done = shell(folder, ">&-", "gaps", "scores.csv")
    assert (done.returncode, done.stderr) == (1, "ndcgstudy: standard output is closed\n")


def test_a_closed_stderr_stops_nothing(folder):
    done = shell(folder, "2>&-", "gaps", "scores.csv", "--resamples 199")
    assert done.returncode == 0
    assert "system_a" in done.stdout


def test_a_reader_that_leaves_early_is_no_matter(folder):
    done = shell(folder, "| head -c 1", "gaps", "scores.csv", "--format json", "--resamples 199")
    assert done.stdout == "["
    assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize("name", ["scores", "mteb"])
def test_what_may_not_be_read_is_named(folder, name):
    closed = folder / name
    if name == "mteb":
        (closed / "model" / "1").mkdir(parents=True)
        (closed / "model" / "1" / "X.json").write_text("{}")
    else:
        closed.write_text(SCORES)
    closed.chmod(0)
    done = subprocess.run(
        [sys.executable, "-m", "ndcgstudy", "gaps", str(closed)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=without_powers if os.geteuid() == 0 else None,
    )
    closed.chmod(0o755)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
    assert "Permission denied" in done.stderr
    assert str(closed) in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("wait", [0.02, 0.05, 0.1, 0.2, 0.3])
def test_ctrl_c_at_any_moment_is_one_line(folder, wait):
    """Also while packages are imported; before Python runs our first line it speaks for itself."""
    ready = folder / "ready"
    code = (
        "from ndcgstudy.cli import main\n"
        f"open({str(ready)!r}, 'w').close()\n"
        "main(['gaps', 'scores.csv', '--resamples', '100000'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not ready.exists():
        time.sleep(0.001)
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode in (0, 130), (process.returncode, said)
    assert "Traceback" not in said
    if process.returncode:
        assert said.splitlines()[-1] == "ndcgstudy: stopped"


def test_a_name_that_is_no_text_is_shown(folder):
    path = os.fsencode(folder) + b"/\xff\xfe"
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"ndcgstudy", b"gaps", path],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert rb"\udcff\udcfe" in done.stderr
