"""A plain re-implementation of what trec_eval and the policies do: dictionaries and loops, nothing shared.

It reads one run as `{topic: {document: score}}` and the qrels alike, and knows nothing of the library.
"""

import itertools
import math
from typing import Any

import numpy as np

NAN = float("nan")
Nested = dict[str, dict[str, float]]
Grade = float | None  # None: not judged


def score(
    qrels: Nested, run: Nested, measure: str, k: int | None, p: dict[str, Any]
) -> dict[str, float]:
    """Score each judged topic; NaN where it does not count."""
    values = {}
    for topic, grades in qrels.items():
        judged = _judged(topic, grades, p)
        top = max(judged.values(), default=0.0)
        retrieved = run.get(topic, {})
        undefined = top <= 0 or (not retrieved and _zero_by_zero(measure, p))
        if p["no_relevant"] == "skip" and undefined:
            values[topic] = NAN
        elif not retrieved:
            values[topic] = 0.0 if p["missing"] == "zero" else NAN
        else:
            values[topic] = _topic(topic, judged, retrieved, measure, k, p)
    return values


def _zero_by_zero(measure: str, p: dict[str, Any]) -> bool:
    """Tell whether an empty list is 0/0 where relevant documents exist."""
    return measure == "nDCG" and p["ideal"] == "retrieved"


def _judged(topic: str, judged: dict[str, float], p: dict[str, Any]) -> dict[str, float]:
    kept = {}
    for doc, grade in judged.items():
        if p["exclude_self"] and doc == topic:
            continue
        if p["negative"] == "unjudged" and grade < 0:
            continue
        kept[doc] = max(grade, 0.0) if p["negative"] == "judged" else grade
    return kept


def _topic(
    topic: str,
    judged: dict[str, float],
    retrieved: dict[str, float],
    measure: str,
    k: int | None,
    p: dict[str, Any],
) -> float:
    docs = [doc for doc in retrieved if not (p["exclude_self"] and doc == topic)]
    values = [_value(judged, order, measure, k, p) for order in _orders(docs, retrieved, p)]
    if any(value is None for value in values):
        return {"one": 1.0, "zero": 0.0, "skip": NAN}[p["no_relevant"]]
    return sum(values) / len(values)


def _orders(docs: list[str], scores: dict[str, float], p: dict[str, Any]) -> list[list[str]]:
    """Return the order of the documents, or all the orders over which ties are averaged."""
    kind = np.float32 if p["precision"] == "float32" else np.float64
    groups: dict[float, list[str]] = {}
    for doc in docs:
        groups.setdefault(float(kind(scores[doc])), []).append(doc)
    ranked = [groups[value] for value in sorted(groups, reverse=True)]
    if p["ties"] == "trec":
        ranked = [sorted(group, key=str.encode, reverse=True) for group in ranked]
    if p["ties"] != "average":
        return [[doc for group in ranked for doc in group]]
    each = [list(itertools.permutations(group)) for group in ranked]
    return [list(itertools.chain(*parts)) for parts in itertools.product(*each)]


def _value(
    judged: dict[str, float], order: list[str], measure: str, k: int | None, p: dict[str, Any]
) -> float | None:
    grades: list[Grade] = [judged.get(doc) for doc in order]
    ideal = sorted(judged.values(), reverse=True)
    if p["unjudged"] == "condensed":
        grades = [g for g in grades if g is not None and (g >= 0 or p["negative"] != "zero")]
    if p["unjudged"] == "optimistic":
        top = max([0.0, *ideal])
        ideal = [top] * grades.count(None) + ideal
        grades = [top if g is None else g for g in grades]
    if measure in ("nDCG", "DCG"):
        return _dcg_or_ndcg(grades, ideal, measure, k, p)
    return BINARY[measure](grades, ideal, k)


def _dcg(grades: list[Grade], k: int | None) -> float:
    return sum(max(g or 0.0, 0.0) / math.log2(r + 1) for r, g in enumerate(grades[:k], start=1))


def _dcg_or_ndcg(
    grades: list[Grade], ideal: list[float], measure: str, k: int | None, p: dict[str, Any]
) -> float | None:
    if measure == "DCG":
        return _dcg(grades, k)
    if p["ideal"] == "retrieved":
        ideal = sorted((max(g or 0.0, 0.0) for g in grades), reverse=True)
    best = _dcg([*ideal], k if p["ideal"] != "all" else None)
    return _dcg(grades, k) / best if best > 0 else None


def _hits(grades: list[Grade]) -> list[bool]:
    return [g is not None and g >= 1 for g in grades]


def _relevant(ideal: list[float]) -> int:
    return sum(g >= 1 for g in ideal)


def _ap(grades: list[Grade], ideal: list[float], k: int | None) -> float | None:
    found, total = 0, 0.0
    for rank, hit in enumerate(_hits(grades)[:k], start=1):
        found += hit
        total += hit * found / rank
    return total / _relevant(ideal) if _relevant(ideal) else None


def _rr(grades: list[Grade], ideal: list[float], k: int | None) -> float:
    return next((1 / r for r, hit in enumerate(_hits(grades)[:k], start=1) if hit), 0.0)


def _p(grades: list[Grade], ideal: list[float], k: int | None) -> float:
    return sum(_hits(grades)[:k]) / (k or max(len(grades), 1))


def _r(grades: list[Grade], ideal: list[float], k: int | None) -> float | None:
    return sum(_hits(grades)[:k]) / _relevant(ideal) if _relevant(ideal) else None


def _bpref(grades: list[Grade], ideal: list[float], k: int | None) -> float | None:
    relevant, nonrelevant = _relevant(ideal), sum(0 <= g < 1 for g in ideal)
    above, total = 0, 0.0
    for grade in grades[:k]:
        if grade is None or grade < 0:
            continue
        if grade < 1:
            above += 1
        elif above:
            total += 1 - min(above, relevant) / min(nonrelevant, relevant)
        else:
            total += 1
    return total / relevant if relevant else None


def _rbp(grades: list[Grade], ideal: list[float], k: int | None) -> float:
    return 0.2 * sum(hit * 0.8**r for r, hit in enumerate(_hits(grades)[:k]))


def _err(grades: list[Grade], ideal: list[float], k: int | None) -> float:
    going, total = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        stop = (2 ** max(grade or 0.0, 0.0) - 1) / 2**4
        total += going * stop / rank
        going *= 1 - stop
    return total


def _share_judged(grades: list[Grade], ideal: list[float], k: int | None) -> float:
    seen = grades[:k]
    return sum(g is not None for g in seen) / max(len(seen), 1)


BINARY = {
    "AP": _ap,
    "RR": _rr,
    "P": _p,
    "R": _r,
    "Bpref": _bpref,
    "RBP(p=0.8)": _rbp,
    "ERR": _err,
    "Judged": _share_judged,
}
MEASURES = ("nDCG", "DCG", *BINARY)
