"""Pairs of ranked lists in JSON lines, a record an answer."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ndcgstudy.checks import nearest
from ndcgstudy.formats.answers import read_weight, read_word, wrong
from ndcgstudy.formats.textfile import TextFile

TOPIC = ("query", "topic", "qid")
ANSWER = ("pref", "preference")
Grades = tuple[float | None, ...]


@dataclass(frozen=True)
class ListPair:
    """An answer on two lists, as a record gives it; grades are None where it holds none."""

    topic: str
    docs: tuple[tuple[str, ...], tuple[str, ...]]
    grades: tuple[Grades, Grades]
    sign: int
    weight: float
    columns: Mapping[str, str]

    @property
    def graded(self) -> dict[str, float]:
        """The documents of both lists that have a grade, with it."""
        listed = zip(self.docs[0] + self.docs[1], self.grades[0] + self.grades[1], strict=True)
        return {doc: grade for doc, grade in listed if grade is not None}


def read_records(text: TextFile) -> list[ListPair]:
    """Read all records of a file.

    Raises
    ------
    ValueError
        Naming file, line, value and rule.
    """
    found = []
    for number, line in enumerate(text.decoded().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(list_pair(_object(line)))
        except ValueError as error:
            raise wrong(text, str(error), number) from None
    if not found:
        raise wrong(text, "the preferences hold no answer")
    return found


def list_pair(record: Mapping[str, Any]) -> ListPair:
    """Read one record: query, A_docs, B_docs, pref; A_grades, B_grades, weight; all else is kept.

    Raises
    ------
    ValueError
        Saying what is wrong with it.
    """
    sides = [_id(record[name], name) for name in ("A_query", "B_query") if name in record]
    topic_key = next((key for key in TOPIC if key in record), None)
    topics = list(
        dict.fromkeys([*sides, *([_id(record[topic_key], topic_key)] if topic_key else [])])
    )
    if len(topics) > 1:
        raise ValueError(f"the lists are of different topics: {', '.join(topics)}")
    if not topics:
        raise ValueError(f"no key 'query'{nearest('query', [*record])}")
    answer_key = _key(record, ANSWER)
    docs = (_docs(record, "A_docs"), _docs(record, "B_docs"))
    grades = (_grades(record, "A_grades", docs[0]), _grades(record, "B_grades", docs[1]))
    _check_same_grades(docs, grades)
    sign, word = read_word(str(record[answer_key]))
    weight = read_weight(record.get("weight", 1))
    used = {*TOPIC, *ANSWER, "A_query", "B_query", "weight"}
    rest = {k: _text(v) for k, v in record.items() if k not in used and _is_plain(v)}
    return ListPair(topics[0], docs, grades, sign, weight, {**rest, "pref": word})


def _object(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise ValueError(f"expected an object, found {type(record).__name__}")
    return record


def _key(record: Mapping[str, Any], names: Sequence[str]) -> str:
    for name in names:
        if name in record:
            return name
    raise ValueError(f"no key {names[0]!r}{nearest(names[0], [*record])}")


def _id(value: Any, what: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise ValueError(f"{what} must be a text that is not empty, got {value!r}")
    return str(value)


def _docs(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = record[_key(record, (name,))]
    if not isinstance(values, list):
        raise ValueError(f"{name} must be a list, got {values!r}")
    docs = tuple(_id(value, f"a document of {name}") for value in values)
    if len(set(docs)) < len(docs):
        twice = next(doc for doc in docs if docs.count(doc) > 1)
        raise ValueError(f"document {twice!r} stands twice in {name}")
    return docs


def _grades(record: Mapping[str, Any], name: str, docs: Sequence[str]) -> Grades:
    values = record.get(name)
    if values is None:
        return (None,) * len(docs)
    if not isinstance(values, list) or len(values) != len(docs):
        raise ValueError(f"{name} must be a list of {len(docs)}, a grade a document")
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (number and math.isfinite(value)):
            raise ValueError(f"a grade of {name} must be a number or null, got {value!r}")
    return tuple(values)


def _check_same_grades(
    docs: tuple[Sequence[str], Sequence[str]], grades: tuple[Grades, Grades]
) -> None:
    first = dict(zip(docs[0], grades[0], strict=True))
    for doc, grade in zip(docs[1], grades[1], strict=True):
        other = first.get(doc)
        if other is not None and grade is not None and other != grade:
            raise ValueError(f"document {doc!r} has grade {other:g} in A and {grade:g} in B")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
