"""What the report says of each study, read from its results and, for words alone, its file."""

import functools
import hashlib
import inspect
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ndcgstudy import read_results
from ndcgstudy.claims import counted
from ndcgstudy.external import load
from ndcgstudy.ledger import Claim, Verdict
from ndcgstudy.manifest import bytes_of
from ndcgstudy.study import Study, load_study

if TYPE_CHECKING:
    import pandas as pd


_SHOWN = (
    *("study", "question", "seed", "scale", "options", "commit", "dirty", "seconds", "computed"),
    *("reused", "cells", "inputs", "versions", "platform"),
)
"""What the page takes from a manifest."""


@dataclass(frozen=True)
class Figure:
    """A figure of a study: its SVG, what it shows in words, and its PNG's name where there is one.

    The page links to the PNG: a browser that opens an SVG runs what it holds.
    """

    name: str
    svg: bytes
    caption: str
    png: str


@dataclass(frozen=True, eq=False)
class Table:
    """A table of a study."""

    name: str
    frame: "pd.DataFrame"


@dataclass(frozen=True, eq=False)
class StudyResults:
    """All that the page shows of a study; `notes` say what is wrong with its files."""

    name: str
    question: str
    answer: str
    claims: list[tuple[Claim, Verdict]]
    figures: list[Figure]
    tables: list[Table]
    manifest: Mapping[str, Any]
    rerun: str
    notes: list[str] = field(default_factory=list)


def gather(folder: Path, experiments: Path) -> list[StudyResults]:
    """Read the results of every study in a folder, by name.

    Parameters
    ----------
    folder
        The results folder.
    experiments
        The folder of the studies' files. They give the answers in words and the captions of the
        figures; without a study's file its verdicts and file names stand there instead.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If the folder holds no results, a study's are damaged, or its file cannot be imported.
    """
    return [
        _gathered(place, experiments / f"{place.name}.py") for place in read_results.find(folder)
    ]


def _gathered(place: Path, file: Path) -> StudyResults:
    study = load_study(file) if file.is_file() else None
    try:
        found = read_results.read(place)
        manifest = {name: found.manifest[name] for name in _SHOWN}
        notes = _changed(place, found.manifest["files"])
        figures = _figures(place, found.manifest["files"], study)
        rerun = _rerun(manifest)
    except ValueError as error:
        raise ValueError(f"damaged results: {error}") from None
    answer, problem = _answer(file if study else None, found)
    tables = [Table(name, frame) for name, frame in found.tables.items()]
    return StudyResults(
        place.name,
        manifest["question"],
        answer,
        found.claims,
        figures,
        tables,
        manifest,
        rerun,
        notes + problem,
    )


def _changed(place: Path, files: Mapping[str, str]) -> list[str]:
    """Say which files are not as the manifest says they were written."""
    return [
        f"{name} was changed after the run that made it"
        for name, digest in files.items()
        if hashlib.sha256(bytes_of(place, name)).hexdigest() != digest
    ]


def _figures(place: Path, files: Mapping[str, str], study: Study | None) -> list[Figure]:
    """Read the figures in the order of the study."""
    drawings = study.figures if study else {}
    names = [name.removesuffix(".svg") for name in files if name.endswith(".svg")]
    order = [*(n for n in drawings if n in names), *(n for n in names if n not in drawings)]
    return [
        Figure(
            name,
            bytes_of(place, f"{name}.svg"),
            _caption(name, study),
            f"{name}.png" if f"{name}.png" in files else "",
        )
        for name in order
    ]


def _caption(name: str, study: Study | None) -> str:
    """Return what the drawing function says it draws, and of what, else the figure's name."""
    drawing = study.figures.get(name) if study else None
    draw, given = drawing.draw if drawing else None, ""
    while isinstance(draw, functools.partial):  # whose own words are of partials
        fixed = (*draw.args, *draw.keywords.values())
        draw, given = draw.func, f" ({', '.join(map(str, fixed))})" if fixed else given
    text = (inspect.getdoc(draw) or "") if draw else ""
    first = " ".join(text.split("\n\n")[0].split()).removeprefix("Draw ")
    if not first:
        return f"Figure {name}."
    first = f"{first.removesuffix('.')}{given}."
    return first if first[1:2] == " " else first[0].upper() + first[1:]  # z is no Z


def _answer(file: Path | None, found: read_results.Results) -> tuple[str, list[str]]:
    """Return the study's own sentence where it has one, else its verdicts, and what went wrong."""
    own = load(f"{file}:__dict__", "study").get("answer") if file else None
    default = _by_verdicts([verdict for _, verdict in found.claims])
    if own is None:
        return default, []
    try:
        return str(own(found.tables)), []
    except Exception as error:  # noqa: BLE001 - a study's function may raise anything
        why = f"{type(error).__name__}: {error}"
        return default, [f"its answer cannot be made from these tables ({why})"]


def _by_verdicts(verdicts: Sequence[Verdict]) -> str:
    if len(verdicts) == 1:
        return f"Claim {verdicts[0].id}: {verdicts[0].ruling}. {verdicts[0].why}"
    return f"Of {counted(v.ruling for v in verdicts)}." if verdicts else ""


def _rerun(manifest: Mapping[str, Any]) -> str:
    """Return the command that makes these results again."""
    words = ["ndcgstudy", "reproduce", manifest["study"], "--scale", manifest["scale"]]
    if manifest["seed"]:
        words += ["--seed", str(manifest["seed"])]
    for discount in manifest["options"]["discount"]:
        words += ["--discount", discount]
    return shlex.join(words)
