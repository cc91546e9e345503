"""Read qrels and runs from files, frames and dictionaries."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ndcgstudy.checks import nearest
from ndcgstudy.data import Judgments, Rankings, without_repeats
from ndcgstudy.formats.listed import trec_lines
from ndcgstudy.formats.problem import first_problem
from ndcgstudy.formats.ranks import noted
from ndcgstudy.formats.rewritten import Rewritten
from ndcgstudy.formats.textfile import TextFile, read_text
from ndcgstudy.formats.trec import Scan, duplicate_findings, scan_qrels, scan_run

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T", Judgments, Rankings)
DUPLICATES = ("error", "first", "max")
GRADES = ("int", "float")


def read_qrels(
    source: "str | Path | pd.DataFrame | Mapping[str, Mapping[str, float]]",
    *,
    duplicates: str = "error",
    grades: str = "int",
) -> Judgments:
    """Read judgments.

    Parameters
    ----------
    source
        A file in TREC's form or BEIR's (plain, gzip, xz, bzip2; ``-`` for standard input), a table
        whose columns name topics, documents and grades (CSV, JSON, JSON lines, parquet), JSON of
        ``{topic: {document: grade}}``, a frame
        with PyTerrier's columns qid, docno, label, or ``{topic: {document: grade}}``.
    duplicates
        What to do with a document judged twice on a topic: "error", keep the "first", keep the "max".
    grades
        "int" refuses grades that are no whole numbers; "float" takes them.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        Naming file, line, value and rule.

    Examples
    --------
    >>> read_qrels({"q1": {"d1": 1, "d2": 0}}).topics
    ('q1',)
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    check_choice("grades", grades, GRADES)
    if isinstance(source, Mapping):
        return _whole(Judgments.from_dict(source), grades)
    if not isinstance(source, str | Path):
        from ndcgstudy.formats.frames import judgments

        return _whole(judgments(source, duplicates), grades)
    text = trec_lines(read_text(source), "qrels")
    scan = scan_qrels(text, grades)
    data = _settled(scan, scan.data.grade, duplicates)
    if not len(data.docs):
        raise ValueError(f"{scan.text.name}: the qrels hold no judgement")
    return replace(data, notes=_told(text, "qrels "))


def read_run(
    source: "str | Path | pd.DataFrame | Mapping[str, Mapping[str, float]]",
    *,
    name: str | None = None,
    duplicates: str = "error",
) -> Rankings:
    """Read a run.

    Parameters
    ----------
    source
        A file in TREC's form or MS MARCO's (query, passage, rank), a table with a score or a rank or
        JSON, as in `read_qrels`, a frame with PyTerrier's columns qid, docno,
        score, or ``{topic: {document: score}}``.
    name
        What to call it; by default the tag on its first line, or "run".
    duplicates
        What to do with a document ranked twice for a topic, as in `read_qrels`.

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        Naming file, line, value and rule.

    Examples
    --------
    >>> read_run({"q1": {"d1": 2.5}}, name="bm25").name
    'bm25'
    """
    check_choice("duplicates", duplicates, DUPLICATES)
    if isinstance(source, Mapping):
        return Rankings.from_dict(source, name or "run")
    if not isinstance(source, str | Path):
        from ndcgstudy.formats.frames import rankings

        return rankings(source, name or "run", duplicates)
    text = trec_lines(read_text(source), "run")
    scan = scan_run(text)
    data = _settled(scan, scan.data.score, duplicates)
    if not len(data.docs):
        raise ValueError(f"{scan.text.name}: the run holds no document")
    data = noted(data, text)
    own = text.tag if isinstance(text, Rewritten) else data.name
    return replace(data, name=name or own, notes=_told(text, ""))


def _told(text: TextFile, kind: str) -> tuple[str, ...]:
    """Say what was recognised, where a file is not in TREC's form."""
    return (f"{kind}{text.told}",) if isinstance(text, Rewritten) else ()


def check_choice(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Check that a policy has one of its known values, else raise `ValueError`."""
    if value not in known:
        raise ValueError(f"unknown {name} {str(value)!r}{nearest(str(value), [*known])}")


def _whole(judgments: Judgments, grades: str) -> Judgments:
    """Refuse grades that are no whole numbers where these are asked for."""
    part = np.flatnonzero(judgments.grade % 1)
    if grades == "int" and part.size:
        grade, doc = judgments.grade[part[0]], judgments.docs[part[0]]
        raise ValueError(f"{judgments.source}: grade {grade} of document {doc} is not an integer")
    return judgments


def _settled(scan: Scan[T], values: Any, duplicates: str) -> T:
    """Raise what is wrong in a file, or drop its duplicates where the policy says so."""
    findings = scan.findings + (duplicate_findings(scan) if duplicates == "error" else [])
    if problem := first_problem(findings):
        rest = sum(len(f.lines) for f in findings) - 1
        more = f" (and {rest} more; `ndcgstudy check` lists them)" if rest else ""
        raise ValueError(f"{problem}{more}")
    return without_repeats(scan.data, values, scan.later, scan.earlier, duplicates)
