"""What the columns of qrels and runs are called."""

import re
from collections.abc import Sequence

from ndcgstudy.formats.cells import Cell, name_of

TOPIC = (
    *("qid", "query_id", "queryid", "q_id", "topic_id", "topicid", "topic", "question_id"),
    *("user_id", "query", "q"),
)
DOC = (
    *("docno", "doc_id", "docid", "document_id", "corpus_id", "corpusid", "pid", "passage_id"),
    *("did", "doc", "document", "passage", "item_id", "item"),
)
GRADE = (
    *("relevance", "rel", "label", "grade", "judgment", "judgement", "relevance_label", "qrel"),
    *("score", "rating"),
)
SCORE = ("score", "sim", "similarity", "retrieval_score", "prediction")
RANK = ("rank", "position")
TAG = ("run", "run_id", "runid", "tag", "run_name", "system", "model")


def plain_names(cells: Sequence[Cell]) -> list[str]:
    """Write names of columns alike."""
    return [re.sub(r"[\s-]+", "_", name_of(c).strip("\"'").lower()) for c in cells]


def role_of(name: str, kind: str) -> str:
    """Return what a column of a name holds, "" where that is not known."""
    roles = {"topic": TOPIC, "doc": DOC}
    roles |= {"grade": GRADE} if kind == "qrels" else {"score": SCORE, "rank": RANK, "tag": TAG}
    return next((role for role, known in roles.items() if name in known), "")


def header_roles(names: Sequence[str], kind: str) -> dict[str, int] | None:
    """Return the place of each role among the names of columns; None where one is wanting.

    Examples
    --------
    >>> header_roles(["corpus_id", "score", "query_id"], "qrels")
    {'topic': 2, 'doc': 0, 'grade': 1}
    >>> header_roles(["topic", "grade"], "qrels") is None
    True
    """
    roles = {"topic": TOPIC, "doc": DOC}
    roles |= {"grade": GRADE} if kind == "qrels" else {"score": SCORE, "rank": RANK, "tag": TAG}
    found = {
        role: names.index(name)
        for role, known in roles.items()
        if (name := next((name for name in known if name in names), None)) is not None
    }
    values = {"grade"} if kind == "qrels" else {"score", "rank"}
    return found if {"topic", "doc"} <= found.keys() and values & found.keys() else None
