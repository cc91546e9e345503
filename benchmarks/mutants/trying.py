"""One mutant: change the file in a copy of the project, run the tests that reach it."""

import hashlib
import signal
import sys
from pathlib import Path

import pytest

from benchmarks.mutants.forking import Ended
from benchmarks.mutants.ordering import Ordering
from benchmarks.mutants.reaching import OPTIONS
from benchmarks.mutants.sampling import Mutant

FIRST = 3  # files of tests that are collected before the others: most mutants do not pass them
NO_FAILURE = {0, 5}
TIMED_OUT = {-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL}


def _note(folder: Path, name: str) -> Path:
    return folder / hashlib.sha256(name.encode()).hexdigest()[:24]


def tried(mutant: Mutant, tests: list[str], tree: Path, notes: Path) -> int:
    """Run the tests on the mutant in a child process; 0 if it survives."""
    path = tree / mutant.file
    ordering = Ordering(tests)
    files = list(dict.fromkeys(name.split("::")[0] for name in tests))
    code = 0
    note = _note(notes, mutant.name)
    note.write_text("", encoding="utf-8")
    sys.dont_write_bytecode = True
    if not tests:
        return 0
    path.write_text(mutant.source(path.read_text(encoding="utf-8")), encoding="utf-8")
    for some in (files[:FIRST], files[FIRST:]):
        if some and code in NO_FAILURE:
            code = int(pytest.main(["-x", *OPTIONS, *some], plugins=[ordering]))
    note.write_text(ordering.killer, encoding="utf-8")
    return code


def outcome(ended: Ended, notes: Path) -> dict[str, str]:
    """Return what became of a mutant, and the test that killed it."""
    note = _note(notes, ended.name)
    killer = note.read_text(encoding="utf-8")
    note.unlink()
    if ended.code in TIMED_OUT:
        return {"outcome": "timed out", "killer": ""}
    if ended.code in NO_FAILURE:
        return {"outcome": "survived", "killer": ""}
    return {"outcome": "killed" if ended.code != 99 else "failed", "killer": killer or "(import)"}
