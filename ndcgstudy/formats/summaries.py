"""Means and totals among the scores of a table: found by name, taken out where their values agree."""

import numpy as np

from ndcgstudy.data import Floats
from ndcgstudy.formats.asked import Asked
from ndcgstudy.formats.cells import Table
from ndcgstudy.formats.grid import Grid, Topic
from ndcgstudy.formats.roles import is_summary
from ndcgstudy.ids import Mask

_ROUNDING = 1e-9  # relative; a mean printed with all digits was summed in another order


def without_summaries(table: Table, grid: Grid, asked: Asked) -> tuple[Grid, list[str]]:
    """Take out the systems and topics named as means or totals, and those that the call drops.

    Parameters
    ----------
    table
        The file, for messages.
    asked
        Which names are kept as scores, and which are dropped.

    Returns
    -------
    grid, notes
        What is left, and a line on what was taken out.

    Raises
    ------
    ValueError
        If the values of one are not the means of the others (for a median or total: these) to their printed
        digits, and the call does not say what it is; if nothing else is left.
    """
    gone = [any(name in asked.drop for name in topic) for topic in grid.topics]
    grid = grid.part([name not in asked.drop for name in grid.systems], [not g for g in gone])
    named = [is_summary(name) and name not in asked.keep for name in grid.systems]
    summed = [_is_summary(topic, asked) for topic in grid.topics]
    systems, topics = np.array(named, dtype=bool), np.array(summed, dtype=bool)
    if (topics.all() and topics.size) or (systems.all() and systems.size):
        what = grid.topics[0][1] if topics.all() else grid.systems[0]
        raise table.wrong(f"there are only means ({what!r}), no scores to compare")
    for j in np.flatnonzero(topics):
        _check(table, grid, _of_topics(grid, int(j), topics), (~systems, int(j)))
    for i in np.flatnonzero(systems):
        found = _reduced(grid.values[~systems], 0, grid.systems[int(i)])
        _check(table, grid, found, (int(i), ~topics))
    return grid.part(~systems, ~topics), _notes(grid, systems, topics)


def _is_summary(topic: Topic, asked: Asked) -> bool:
    return any(name and is_summary(name) and name not in asked.keep for name in topic)


def _of_topics(grid: Grid, j: int, summed: Mask) -> list[Floats]:
    """Return what a summary topic may be: of its data set, or of all, as means of topics or of sets."""
    data, _ = grid.topics[j]
    whole = data is None or is_summary(data)
    own = ~summed & np.array([whole or other == data for other, _ in grid.topics])
    name = grid.topics[j][1]
    found = _reduced(grid.values[:, own], 1, name)
    sets = dict.fromkeys(other for (other, _), kept in zip(grid.topics, own, strict=True) if kept)
    if len(sets) > 1:
        parts = [own & np.array([other == name for other, _ in grid.topics]) for name in sets]
        means = [_reduced(grid.values[:, part], 1, name)[0] for part in parts]
        found += _reduced(np.stack(means, axis=1), 1, name)
    return found


def _reduced(values: Floats, axis: int, name: str) -> list[Floats]:
    """Return means of the scores there are, and with missing ones as 0; what else the name says."""
    count = np.isfinite(values).sum(axis=axis)
    total = np.nansum(values, axis=axis)
    found = [np.where(count > 0, total / np.maximum(count, 1), np.nan)]
    found.append(total / max(values.shape[axis], 1))
    if "median" in name.lower():
        found.append(np.asarray(np.median(values, axis=axis)))
    if "sum" in name.lower() or "total" in name.lower():
        found.append(total)
    return found


def _check(
    table: Table, grid: Grid, candidates: list[Floats], at: tuple[Mask | int, Mask | int]
) -> None:
    """Refuse a summary whose values are none of the candidates, within the digits printed."""
    row, column = at
    others = ~np.isnan(grid.values)
    finest = np.min(grid.digits, where=others, initial=300)
    values, digits = grid.values[at], grid.digits[at]
    known = ~np.isnan(values)
    kept = row if isinstance(column, int) else column
    for found in candidates:
        own = found[kept]
        error = 0.5 * (10.0 ** -np.minimum(digits, 300) + 10.0 ** -float(finest))
        error = np.minimum(error, 0.5) + _ROUNDING * np.abs(own)
        if known.any() and (np.abs(values - own)[known] <= error[known]).all():
            return
    name = grid.topics[column][1] if isinstance(column, int) else grid.systems[int(row)]
    mean, first = candidates[0][kept], int(np.argmax(known))
    raise table.wrong(
        f"{name!r} is the name of a summary, but its values are not the means of the others "
        f"({values[first]:g} where their mean is {mean[first]:g}): say --drop {_quoted(name)} to leave it "
        f"out, or --keep {_quoted(name)} to take it as scores"
    )


def _quoted(name: str) -> str:
    import shlex

    return shlex.quote(name)


def _notes(grid: Grid, systems: Mask, topics: Mask) -> list[str]:
    names = [name for name, gone in zip(grid.systems, systems, strict=True) if gone]
    where = [t for t, gone in zip(grid.topics, topics, strict=True) if gone]
    names += [topic if data in (None, topic) else f"{topic} of {data}" for data, topic in where]
    listed = ", ".join(map(repr, dict.fromkeys(names)))
    return [f"{listed}: no scores but means of the others, left out (--keep)"] if names else []
