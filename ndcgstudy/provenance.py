"""Where numbers come from: versions, and the commit that the code stands at."""

import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package and of what it requires."""
    required = [
        re.split(r"[^\w.-]", line, maxsplit=1)[0]
        for line in metadata.requires("ndcgstudy") or []
        if "extra ==" not in line
    ]
    return {"python": platform.python_version()} | {
        name: metadata.version(name) for name in ["ndcgstudy", *sorted(required)]
    }


def machine() -> str:
    """Return the operating system and processor, e.g. ``Linux-6.1-x86_64-with-glibc2.36``."""
    return platform.platform()


def commit(folder: Path, ignore: Path) -> dict[str, Any]:
    """Return the commit that a folder's code stands at, and whether files outside `ignore` differ.

    Both are None where the folder is in no git repository or git is not installed.
    """
    head = _git(folder, "rev-parse", "HEAD")
    top = _git(folder, "rev-parse", "--show-toplevel")
    if not head or not top:
        return {"commit": None, "dirty": None}
    where = ["--", ":/"]
    if ignore.resolve().is_relative_to(Path(top)):
        where.append(f":(top,exclude){ignore.resolve().relative_to(top)}")
    return {"commit": head, "dirty": bool(_git(folder, "status", "--porcelain", *where))}


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what a git command prints, None where it fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
