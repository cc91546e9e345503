"""Answers and the lists they are about, put together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ndcgstudy.formats.answers import Answer
from ndcgstudy.formats.listpairs import ListPair
from ndcgstudy.formats.textfile import TextFile
from ndcgstudy.preferences import Preferences, Texts
from ndcgstudy.shown import Shown


def paired(
    answers: Sequence[ListPair] | Sequence[Answer],
    text: TextFile,
    shown: Shown,
    *,
    notes: Sequence[str],
    **given: Any,
) -> Preferences:
    """Put answers and lists together."""
    topics = tuple(dict.fromkeys(answer.topic for answer in answers))
    place = {topic: i for i, topic in enumerate(topics)}
    where = zip(given["first"].tolist(), given["second"].tolist(), strict=True)
    more = f"{shown.unjudged} of {shown.seen} listed documents not judged"
    return Preferences(
        topics=topics,
        topic=np.array([place[answer.topic] for answer in answers]),
        lists=shown.lists,
        preference=np.array([answer.sign for answer in answers]),
        weight=np.array([answer.weight for answer in answers]),
        same=np.array([shown.docs[a] == shown.docs[b] for a, b in where]),
        columns=_columns(answers),
        notes=(*notes, *([more] if shown.unjudged else [])),
        source=text.name,
        **given,
    )


def _columns(answers: Sequence[ListPair] | Sequence[Answer]) -> dict[str, Texts]:
    """Return every column that some answer has, empty where one lacks it."""
    names = dict.fromkeys(name for answer in answers for name in answer.columns)
    return {
        name: np.array([answer.columns.get(name, "") for answer in answers], dtype=object)
        for name in names
    }
