"""Judgments and rankings from pandas frames with PyTerrier's column names."""

from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.data import Floats, Judgments, Rankings, duplicate_rows
from ndcgstudy.ids import Ids, Index

if TYPE_CHECKING:
    import pandas as pd


def judgments(frame: "pd.DataFrame", grades: str = "int") -> Judgments:
    """Take judgments from a frame with the columns qid, docno, label.

    Raises
    ------
    ValueError
        If a column is missing, an id is no string, a grade no number, or a pair is judged twice.
    """
    topics, topic, docs, grade = _columns(frame, "label")
    if grades == "int" and (grade % 1 != 0).any():
        raise ValueError(f"frame: grade {grade[grade % 1 != 0][0]} is not an integer")
    if not len(docs):
        raise ValueError("frame: the qrels hold no judgement")
    return Judgments(topics, topic, docs, grade, "frame")


def rankings(frame: "pd.DataFrame", name: str = "run") -> Rankings:
    """Take a run from a frame with the columns qid, docno, score.

    Raises
    ------
    ValueError
        If a column is missing, an id is no string, a score no number, or a document ranked twice.
    """
    topics, topic, docs, score = _columns(frame, "score")
    if not len(docs):
        raise ValueError("frame: the run holds no document")
    return Rankings(name, topics, topic, docs, score, "frame")


def _columns(frame: "pd.DataFrame", value: str) -> tuple[tuple[str, ...], Index, Ids, Floats]:
    if missing := [c for c in ("qid", "docno", value) if c not in frame]:
        raise ValueError(
            f"frame: missing columns {', '.join(missing)}; found {', '.join(map(str, frame))}"
        )
    codes, topics = Ids.of(frame["qid"].tolist()).factorize()
    docs = Ids.of(frame["docno"].tolist())
    try:
        values = frame[value].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"frame: every {value} must be a number") from None
    if not (~np.isnan(values) if value == "score" else np.isfinite(values)).all():
        raise ValueError(f"frame: {value} holds NaN or infinite values")
    later, _ = duplicate_rows(codes, docs)
    if later.size:
        at = int(later[0])
        raise ValueError(
            f"frame: row {at}: duplicate document {docs[at]} for topic {topics[codes[at]]}"
        )
    return tuple(topics), codes, docs, values
