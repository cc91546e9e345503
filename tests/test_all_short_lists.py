"""Scores of every short list with every pattern of ties, against all orders of the tied documents."""

import itertools
from fractions import Fraction

import pytest
from slow_reference import BINARY

from ndcgstudy import Judgments, Policy, Rankings, score

NAMES = [name for name in BINARY if not name.startswith("RBP")]
KINDS = (1.0, 0.0, None)  # relevant, judged and not relevant, not judged
OTHERS = [1.0, 0.0, 0.0]  # judged but not retrieved
SIZES = [(n,) for n in range(1, 7)] + [(1, 3), (3, 1), (2, 2), (1, 4), (4, 2), (1, 2, 2)]


def cases():
    """Return all contents of all groups of tied documents: the grades, and the sizes of the groups."""
    for sizes in SIZES:
        groups = (itertools.combinations_with_replacement(KINDS, size) for size in sizes)
        for parts in itertools.product(*groups):
            yield tuple(itertools.chain(*parts)), sizes


CASES = list(cases())


def orders(grades, sizes):
    """Return the different lists that orders of the tied documents give; all are equally likely."""
    ends = list(itertools.accumulate(sizes))
    groups = [grades[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    each = [sorted(set(itertools.permutations(group)), key=str) for group in groups]
    return [list(itertools.chain(*parts)) for parts in itertools.product(*each)]


def topic(grades, sizes, others):
    groups = [place for place, size in enumerate(sizes) for _ in range(size)]
    run = {f"d{i}": -float(group) for i, group in enumerate(groups)}
    qrels = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}
    return qrels | {f"other{i}": grade for i, grade in enumerate(others)}, run


@pytest.mark.parametrize("others", [OTHERS[:1], OTHERS], ids=["few others", "more others"])
@pytest.mark.parametrize("cutoff", [None, 2])
def test_ties_are_averaged_over_all_orders(others, cutoff):
    topics = {f"t{i}": topic(*case, others) for i, case in enumerate(CASES)}
    judgments = Judgments.from_dict({name: qrels for name, (qrels, _) in topics.items()})
    run = Rankings.from_dict({name: scores for name, (_, scores) in topics.items()})
    names = [f"{name}@{cutoff}" if cutoff else name for name in NAMES]
    found = score(judgments, run, names, Policy(ties="average")).scores
    for name, table in zip(NAMES, found.values(), strict=True):
        given = dict(zip(table.topics, table.values[0], strict=True))
        for i, (grades, sizes) in enumerate(CASES):
            lists = orders(grades, sizes)
            ideal = [g for g in grades if g is not None] + others
            mean = sum(BINARY[name](one, ideal, cutoff) for one in lists) / len(lists)
            assert abs(given[f"t{i}"] - mean) < 1e-12, (name, grades, sizes)


def test_bpref_of_one_relevant_document_tied_with_many_others():
    # One relevant document among m: it stands on each rank as often, and the first rank alone counts.
    for others in range(1, 9):
        qrels = {"r": 1.0} | {f"n{i}": 0.0 for i in range(others)}
        found = score(
            Judgments.from_dict({"t": qrels}),
            Rankings.from_dict({"t": dict.fromkeys(qrels, 1.0)}),
            ["Bpref"],
            Policy(ties="average"),
        )
        assert found.scores["Bpref"].values[0, 0] == pytest.approx(float(Fraction(1, others + 1)))
