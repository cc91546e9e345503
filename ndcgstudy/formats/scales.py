"""Scores on two scales in one table, as parts of 1 beside percentages: systems, data sets, single cells."""

from collections.abc import Sequence

import numpy as np

from ndcgstudy.data import Floats, Scores
from ndcgstudy.formats.roles import listed
from ndcgstudy.ids import Index

APART = 30.0
"""How many times larger one scale is at least; 100 times as a rule, less where scores differ."""
_CELL = 20.0


def scale_notes(scores: Scores) -> tuple[str, ...]:
    """Warn of systems, topics and single scores about 100 times the scale of the others.

    On a scale up to 1 a score may be as small as it likes; two scales are therefore seen only where some
    scores are above 1, and the ones beside them are far below.

    Examples
    --------
    >>> values = np.array([[61.2, 45.1], [0.58, 0.42], [57.0, 44.0]])
    >>> scale_notes(Scores(values, ("a", "b", "c"), ("NQ", "FiQA"), "nDCG@10"))
    ("warning: mixed scales: system 'b' is about 100 times below the others (parts of 1 and percent?)",)
    """
    values = np.abs(np.where(np.isfinite(scores.values), scores.values, 0.0))
    rows, columns = _few(values), _few(values.T)
    notes = [*_named("system", scores.systems, rows, values)]
    if not rows[0].size:
        notes += [*_named("topic", scores.topics, columns, values.T)]
    if not notes:
        notes = [_cell_note(scores, i, j) for i, j in _cells(values)[:3]]
    return tuple(notes)


def _few(values: Floats) -> tuple[Index, bool, float]:
    """Return the rows on the scale of fewer rows, whether it is the higher one, and the ratio."""
    typical = np.array([np.median(row[row > 0]) if row.any() else 0.0 for row in values])
    known = np.flatnonzero(typical > 0)
    order = known[np.argsort(typical[known])]
    if len(order) < 2:
        return np.empty(0, np.int64), False, 1.0
    with np.errstate(over="ignore"):
        ratios = typical[order][1:] / typical[order][:-1]
    cut = int(np.argmax(ratios)) + 1
    low, high = order[:cut], order[cut:]
    top = float(values[high].max())
    far = ratios[cut - 1] >= APART and top > 1 and (values[low].max() <= 1 or top > 100)
    if not far:
        return np.empty(0, np.int64), False, 1.0
    ratio = float(np.median(typical[high])) / float(np.median(typical[low]))
    return (high, True, ratio) if len(high) < len(low) else (low, False, ratio)


def _named(
    what: str, names: Sequence[str], found: tuple[Index, bool, float], values: Floats
) -> list[str]:
    few, above, ratio = found
    if not few.size:
        return []
    listing = listed([repr(names[i]) for i in sorted(few.tolist())], 5)
    verb = f"{what} {listing} is" if few.size == 1 else f"{what}s {listing} are"
    side = "above" if above else "below"
    rounded = float(f"{ratio:.1g}")
    return [
        f"warning: mixed scales: {verb} about {rounded:g} times {side} the others "
        "(parts of 1 and percent?)"
    ]


def _cells(values: Floats) -> list[tuple[int, int]]:
    """Return single scores that are far from all others of their system, and of their topic."""
    found = []
    for i, j in np.argwhere(values > 0).tolist():
        others = [np.delete(values[i], j), np.delete(values[:, j], i)]
        others = [part[part > 0] for part in others]
        if not all(part.size for part in others):
            continue
        score = values[i, j]
        above = score > 1 and all(score >= _CELL * part.max() for part in others)
        below = score <= 1 and all(part.min() > max(1.0, _CELL * score) for part in others)
        if above or below:
            found.append((i, j))
    return found


def _cell_note(scores: Scores, i: int, j: int) -> str:
    value, other = float(scores.values[i, j]), np.delete(scores.values[:, j], i)
    times = abs(value) / float(np.nanmedian(np.abs(other[other != 0])))
    ratio = (
        f"{float(f'{times:.1g}'):g} times" if times > 1 else f"1/{float(f'{1 / times:.1g}'):g} of"
    )
    return (
        f"warning: mixed scales: the score {value:g} of system {scores.systems[i]!r}, topic "
        f"{scores.topics[j]!r}, is about {ratio} the others (parts of 1 and percent?)"
    )
