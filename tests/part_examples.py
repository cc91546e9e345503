"""Example values of every registered part, found from the registries and the fields of the parts.

A new part needs no entry here: the values of a field are tried by its type, and those that the part
refuses are dropped. Only a required field none of whose values is taken needs one more in `CANDIDATES`.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest

from ndcgstudy import score_grades
from ndcgstudy.registry import Registry

TABLES = ((1.0, 0.5, 0.25), (0, 1, 3, 3, 7), (0.0, 0.25, 0.5, 0.75, 1.0))
CANDIDATES: dict[str, tuple[Any, ...]] = {
    "float": (0.5, 0.8, 1, 2, 3),
    "int": (1, 3, 10),
    "int | None": (None, 1, 2, 4),
    "tuple[float, ...]": TABLES,
    "bool": (False, True),
}
TOP_GRADE = 4


def classes(registry: Registry[Any]) -> dict[str, Any]:
    """Return the class of each registered part by name."""
    return {name: registry._find(name) for name in registry.names()}


def examples(registry: Registry[Any], name: str) -> list[Any]:
    """Return examples of a part: each field varied in turn, and then all at once where they suit."""
    cls = classes(registry)[name]
    base = {
        f.name: _values(registry, cls, f, {})[0] for f in dataclasses.fields(cls) if _required(f)
    }
    values = {f.name: _values(registry, cls, f, base) for f in dataclasses.fields(cls)}
    found = [cls(**base)]
    found += [cls(**base | {field: value}) for field in values for value in values[field]]
    together = {field: tried[-1] for field, tried in values.items() if tried}
    if _taken(cls, together):  # values that are good one by one may not be so together
        found.append(cls(**together))
    return list(dict.fromkeys(found))


def all_examples(registry: Registry[Any]) -> list[Any]:
    """Return the examples of all parts of a family."""
    return [part for name in registry.names() for part in examples(registry, name)]


def _required(field: Any) -> bool:
    none = dataclasses.MISSING
    return field.default is none and field.default_factory is none


def _values(
    registry: Registry[Any], cls: Any, field: Any, others: dict[str, Any]
) -> tuple[Any, ...]:
    """Return the values that a part takes for a field, of those that suit the field's type."""
    if inner := field.metadata.get("registry"):
        return tuple(all_examples(inner))
    kind = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
    candidates = CANDIDATES.get(kind) or CANDIDATES.get(str(field.type), ())
    good = tuple(v for v in candidates if _taken(cls, others | {field.name: v}))
    if _required(field) and not good:
        pytest.fail(
            f"{registry.kind} {cls.__name__} has no example: no value for its field "
            f"`{field.name}: {field.type}`; add one to CANDIDATES in {__file__}"
        )
    return good


def _taken(cls: Any, values: dict[str, Any]) -> bool:
    missing = [f for f in dataclasses.fields(cls) if _required(f) and f.name not in values]
    try:
        cls(**values | {f.name: CANDIDATES.get(_kind(f), (None,))[0] for f in missing})
    except (TypeError, ValueError):
        return False
    return True


def _kind(field: Any) -> str:
    return str(getattr(field.type, "__name__", field.type))


def top_grade(part: Any, gain: bool = False) -> int:
    """Return the highest grade, of those tried, that a gain or a measure takes; 0 if none."""
    for grade in range(TOP_GRADE, 0, -1):
        try:
            part(np.array([float(grade)])) if gain else score_grades(part, [grade, 0])
        except ValueError:
            continue
        return grade
    return 0
