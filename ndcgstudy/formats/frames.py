"""Judgments and rankings from pandas frames with PyTerrier's column names."""

from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.data import (
    Floats,
    Judgments,
    Rankings,
    T,
    duplicate_rows,
    first_repeated,
    without_repeats,
)
from ndcgstudy.ids import Ids, Index

if TYPE_CHECKING:
    import pandas as pd


def judgments(frame: "pd.DataFrame", duplicates: str = "error") -> Judgments:
    """Take judgments from a frame with the columns qid, docno, label.

    Raises
    ------
    ValueError
        If a column is missing, an id is no string, a grade no number, or a pair is judged twice.
    """
    topics, topic, docs, grade = _columns(frame, "label")
    if not len(docs):
        raise ValueError("frame: the qrels hold no judgement")
    return _settled(Judgments(topics, topic, docs, grade, "frame"), grade, duplicates)


def rankings(frame: "pd.DataFrame", name: str = "run", duplicates: str = "error") -> Rankings:
    """Take a run from a frame with the columns qid, docno, score.

    Raises
    ------
    ValueError
        If a column is missing, an id is no string, a score no number, or a document ranked twice.
    """
    topics, topic, docs, score = _columns(frame, "score")
    if not len(docs):
        raise ValueError("frame: the run holds no document")
    return _settled(Rankings(name, topics, topic, docs, score, "frame"), score, duplicates)


def _settled(data: T, values: Floats, duplicates: str) -> T:
    """Refuse a pair that stands twice, or keep the row that the policy says."""
    later, earlier = duplicate_rows(data.topic, data.docs)
    if later.size and duplicates == "error":
        at = int(later[0])
        doc, topic = data.docs[at], data.topics[data.topic[at]]
        raise ValueError(f"frame: row {at}: duplicate document {doc} for topic {topic}")
    return without_repeats(data, values, later, earlier, duplicates)


def _columns(frame: "pd.DataFrame", value: str) -> tuple[tuple[str, ...], Index, Ids, Floats]:
    _check_names(frame, ("qid", "docno", value))
    codes, topics = Ids.of(frame["qid"].tolist()).factorize()
    docs, values = Ids.of(frame["docno"].tolist()), _numbers(frame[value], value)
    bad = np.isnan(values) if value == "score" else ~np.isfinite(values)
    if bad.any():
        at = int(np.argmax(bad))
        raise ValueError(f"frame: row {at}: {value} is {values[at]}")
    return tuple(topics), codes, docs, values


def _check_names(frame: "pd.DataFrame", wanted: tuple[str, ...]) -> None:
    """Refuse what is no frame, and a frame that lacks a column or has it twice."""
    if not hasattr(frame, "columns"):
        kind = type(frame).__name__
        raise ValueError(f"expected a path, a pandas frame or a dictionary, got {kind}")
    names = list(frame.columns)
    if missing := [name for name in wanted if name not in names]:
        found = ", ".join(map(str, names))
        raise ValueError(f"frame: missing columns {', '.join(missing)}; found {found}")
    if twice := first_repeated(name for name in names if name in wanted):
        raise ValueError(f"frame: column {twice} stands twice")


def _numbers(column: "pd.Series[Any]", name: str) -> Floats:
    """Return a column as numbers; text is none, whatever it spells."""
    if column.dtype.kind in "biuf":
        return column.to_numpy(dtype=float, na_value=np.nan)
    given = column.tolist()
    for row, number in enumerate(given):
        if not isinstance(number, Real | Decimal):
            raise ValueError(f"frame: row {row}: {name} must be a number, got {number!r}")
    return np.array([float(number) for number in given])
