"""The formats of tables: one file each in the folder kinds, found by a scan of it."""

import functools
import importlib
import os
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ndcgstudy.checks import nearest
from ndcgstudy.formats import kinds
from ndcgstudy.formats.cells import Table, checked_width
from ndcgstudy.formats.packing import inner_name, packed
from ndcgstudy.formats.textfile import TextFile, read_text


@dataclass(frozen=True)
class Format:
    """A format of tables.

    Parameters
    ----------
    name, about
        What `--reader` calls it, and one line on what it is.
    suffixes
        How its files' names end when one is written; the first is the usual one.
    sniff
        Whether a file is of this format, by its content. Formats are asked in the order of `rank`.
    read
        Makes the table of a file; the second argument is the part behind a colon in `--reader`.
    write
        Makes the bytes of a table; None where the format is read alone.
    rank
        Its place among the formats: the surest first.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    sniff: Callable[[TextFile], bool]
    read: Callable[[TextFile, str], Table]
    write: Callable[[Table], bytes] | None = None
    rank: int = 0


@functools.cache
def formats() -> dict[str, Format]:
    """Return all formats by name, in the order in which they are asked whether a file is theirs."""
    found = sorted(_found(), key=lambda form: form.rank)
    return {form.name: form for form in found}


def _found() -> Iterator[Format]:
    for module in pkgutil.iter_modules(kinds.__path__, f"{kinds.__name__}."):
        yield from importlib.import_module(module.name).FORMATS


def read_table(source: str | Path | TextFile, reader: str = "") -> Table:
    """Read a file of any format as a table.

    Parameters
    ----------
    source
        The file, or its content where that was read before.
    reader
        The name of the format; by default it is recognised by the content. Behind a colon stands the
        part of a file that has several, as the sheet of a workbook.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If the format is not known, its package not installed, or the file is not of it.
    """
    text = source if isinstance(source, TextFile) else read_text(source)
    name, _, part = reader.partition(":")
    form = named(name) if name else recognised(text)
    if part and form.name != "xlsx":
        raise ValueError(f"reader {form.name} has no parts, got {reader!r}")
    return checked_width(form.read(text, part))


def named(name: str) -> Format:
    """Return a format by its name, or raise `ValueError` with the known ones."""
    if name not in formats():
        raise ValueError(f"unknown format {name!r}{nearest(name, [*formats()])}")
    return formats()[name]


def recognised(text: TextFile) -> Format:
    """Return the format of a file by its content; the last one takes every text."""
    return next(form for form in formats().values() if form.sniff(text))


def write_table(table: Table, path: str | Path, form: str = "", default: str = "") -> None:
    """Write a table in the format and packing that the end of the file's name says.

    The file is written under a temporary name and renamed, so that it is whole or not there.

    Parameters
    ----------
    form, default
        The format, whatever the name says; the one where the name says none.

    Raises
    ------
    OSError
        If the file cannot be written.
    ValueError
        If no format is known by that end, or the format is not written.
    """
    chosen = format_for(path, form, default)
    if chosen.write is None:
        raise ValueError(f"{path}: format {chosen.name} is read, not written")
    data = packed(chosen.write(table), str(path))
    temporary = Path(f"{path}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def format_for(path: str | Path, form: str = "", default: str = "") -> Format:
    """Return the format in which a file is written: the one that is named, or that of its name's end.

    Raises
    ------
    ValueError
        If no format is known by that name or end, and there is no default.
    """
    if form:
        return named(form)
    inner = inner_name(str(path)).lower()
    for known in formats().values():
        if inner.endswith(known.suffixes):
            return known
    if default:
        return named(default)
    ends = ", ".join(known.suffixes[0] for known in formats().values())
    raise ValueError(f"{path}: which format? the name ends with none of {ends}")
