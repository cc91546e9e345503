"""The manifest of a results folder: the fields that it must have, and what each may hold.

A results folder may come from anybody. A manifest names files inside its own folder and nothing else;
nothing that it names is ever imported.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ndcgstudy.expressions import shown
from ndcgstudy.ledger import Ruling
from ndcgstudy.study import SCALES

FILE = "manifest.json"
LARGEST = 20_000_000
"""Bytes of the largest manifest that is read."""

_PLAIN = re.compile(r"[^\W_][\w.+-]{0,120}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
Rule = tuple[Callable[[Any], bool], str]


def is_plain(name: object) -> bool:
    """Whether a name is that of a file in the folder itself.

    Examples
    --------
    >>> [is_plain(name) for name in ("table.csv", "../x", "a/b", ".hidden", "", 3)]
    [True, False, False, False, False, False]
    """
    return isinstance(name, str) and _PLAIN.fullmatch(name) is not None


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _count(value: Any) -> bool:
    return _is(int)(value) and 0 <= value < 2**63


def _seconds(value: Any) -> bool:
    return _is(int, float)(value) and math.isfinite(value) and value >= 0


def _each(key: Callable[[Any], bool], value: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a test of dicts: all keys pass one test, all values the other."""
    return lambda found: (
        isinstance(found, dict) and all(key(name) and value(item) for name, item in found.items())
    )


def _list_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda found: isinstance(found, list) and all(map(test, found))


def _options(found: Any) -> bool:
    return _each(_is(str), _list_of(_is(str)))(found) and "discount" in found


_TEXT = (_is(str), "a text")
_WHOLE = (_count, "a whole number at least 0")
_TEXTS = (_each(_is(str), _is(str)), "texts by name")
_FIELDS: Mapping[str, Rule] = {
    "study": (is_plain, "a plain name"),
    "question": _TEXT,
    "seed": _WHOLE,
    "scale": (lambda value: value in SCALES, " or ".join(SCALES)),
    "options": (_options, "lists of texts by name, `discount` among them"),
    "commit": (_is(str, type(None)), "a text or null"),
    "dirty": (_is(bool, type(None)), "true, false or null"),
    "seconds": (_seconds, "a number at least 0"),
    **dict.fromkeys(("computed", "reused", "cells"), _WHOLE),
    **dict.fromkeys(("inputs", "versions"), _TEXTS),
    "platform": _TEXT,
    "text": (_each(is_plain, _list_of(_is(str))), "lists of texts by plain names"),
    "claims": (_each(_is(str), lambda v: v in [*Ruling]), "verdicts by claim"),
    "files": (
        _each(is_plain, lambda v: isinstance(v, str) and _SHA256.fullmatch(v) is not None),
        "SHA-256 digests by plain names of files in the folder",
    ),
}


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check the manifest of a folder.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        Naming the file, the field and the rule that it breaks.
    """
    file = folder / FILE
    with file.open("rb") as opened:
        data = opened.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{file}: more than {LARGEST:,} bytes")
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{file}: must be a JSON object, got {shown(found)}")
    for name, (test, rule) in _FIELDS.items():
        if name not in found:
            raise ValueError(f"{file}: no field `{name}`")
        if not test(found[name]):
            raise ValueError(f"{file}: `{name}` must be {rule}, got {shown(found[name])}")
    for table in found["text"]:
        if f"{table}.csv" not in found["files"]:
            raise ValueError(f"{file}: `files` lacks {table}.csv, a table named in `text`")
    return found


def bytes_of(folder: Path, name: str) -> bytes:
    """Return the bytes of a file in a folder, which must be a file of its own and no link.

    Raises
    ------
    ValueError
        If the name leads out of the folder.
    OSError
        If it cannot be read.
    """
    path = folder / name
    if not is_plain(name) or path.is_symlink():
        raise ValueError(f"{path}: not a plain file of the folder")
    return path.read_bytes()


def own_discounts(found: Mapping[str, Any]) -> list[str]:
    """Return the discounts of a run that would have to be imported from a file or module."""
    return [text for text in found["options"]["discount"] if ":" in text]
