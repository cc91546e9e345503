"""Scores from pandas frames, by the names of their index and columns."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.data import Scores
from ndcgstudy.formats.asked import Asked
from ndcgstudy.formats.cells import Cell, Row, Table
from ndcgstudy.formats.matrix import raw_scores
from ndcgstudy.formats.roles import is_id, is_summary, role_of
from ndcgstudy.formats.scales import scale_notes

if TYPE_CHECKING:
    import pandas as pd


def frame_scores(frame: "pd.DataFrame", measure: str = "score") -> Scores:
    """Make scores of a frame.

    A frame is topics x systems, its index being the topics, or (data set, topic). It is systems x topics
    where its index is named as systems are (model, system, run, ...) or its columns as topics are. A frame
    with the index that pandas gives by default is read as a file with the same columns would be: one with
    columns such as model, task, score is long; one with a column of topics has these in its lines.

    Columns of ids, and means named as such, are left out as in `read_scores`; each note is a `UserWarning`.

    Raises
    ------
    ValueError
        If the index has more than two levels, the columns more than one, or the frame cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> index = pd.Index(["bm25", "dpr"], name="model")
    >>> frame_scores(pd.DataFrame({"NQ": [0.3, 0.5], "FiQA": [0.2, 0.3]}, index)).systems
    ('bm25', 'dpr')
    """
    if frame.index.nlevels > 2 or frame.columns.nlevels > 1:
        raise ValueError(
            "`scores` must have topics or (data set, topic) as its index, and one level of columns, got "
            f"{frame.index.nlevels} and {frame.columns.nlevels} levels"
        )
    if _is_plain(frame):
        return Scores(
            np.ascontiguousarray(frame.to_numpy(dtype=float).T),
            tuple(map(str, frame.columns)),
            tuple(map(str, frame.index)),
            measure,
        )
    labels, asked = _labels(frame)
    header = (*labels, *map(str, frame.columns))
    columns = [frame.iloc[:, i].tolist() for i in range(frame.shape[1])]
    rows = zip(*labels.values(), *columns, strict=True)
    table = Table(
        "frame",
        "frame",
        header,
        [Row(i, [_cell(value) for value in cells]) for i, cells in enumerate(rows, 1)],
        unit="row",
        start=0,
    )
    raw = raw_scores(table, asked)
    for note in (*raw.notes, *scale_notes(raw.scores)):
        warnings.warn(note, stacklevel=4)
    return Scores(
        np.array(raw.scores.values),
        raw.scores.systems,
        raw.scores.topics,
        measure if raw.scores.measure in ("score", "value") else raw.scores.measure,
        raw.scores.datasets,
    )


def _is_default(index: "pd.Index[Any]") -> bool:
    """Return whether an index is that of pandas, a count from 0 without a name."""
    return index.nlevels == 1 and index.name is None and [*index] == [*range(len(index))]


def _is_plain(frame: "pd.DataFrame") -> bool:
    """Return whether a frame holds numbers alone and no name in it needs a look."""
    if frame.index.nlevels > 1 or {frame.index.name, frame.columns.name} != {None}:
        return False
    columns, rows = [*map(str, frame.columns)], [*map(str, frame.index)]
    special = any(is_id(n) or is_summary(n) or role_of(n) for n in columns) or any(
        map(is_summary, rows)
    )
    if special or not all(dtype.kind in "iuf" for dtype in frame.dtypes):
        return False
    values = frame.to_numpy(dtype=float)
    counting = len(values) > 2 and (np.diff(values, axis=0) == 1).all(axis=0).any()
    return (
        bool(values.size)
        and np.isfinite(values).all()
        and not counting
        and np.abs(values).max() <= 1
    )


def _labels(frame: "pd.DataFrame") -> tuple[dict[str, list[Any]], Asked]:
    """Return the columns that its index gives, and where the systems are."""
    names = [None if name is None else str(name) for name in frame.index.names]
    if len(names) == 2:
        levels = [frame.index.get_level_values(i).tolist() for i in (0, 1)]
        return dict(zip(("dataset", "topic"), levels, strict=True)), Asked("columns")
    across = role_of(str(frame.columns.name)) if frame.columns.name is not None else None
    down = role_of(names[0]) if names[0] else None
    if down is not None and down == across:
        raise ValueError(f"`scores`: both its index and its columns are named as a {down}")
    if _is_default(frame.index) and across is None:
        columns = [*map(str, frame.columns)]
        text = any(dtype.kind not in "iufb" for dtype in frame.dtypes)
        if text or any(role_of(name) for name in columns):
            return {}, Asked()
    systems = "rows" if down == "system" or across in ("topic", "dataset") else "columns"
    label = names[0] if down else ("system" if systems == "rows" else "topic")
    return {str(label): [str(name) for name in frame.index]}, Asked(systems)


def _cell(value: Any) -> Cell:
    """Return a value of a frame as a cell."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, str | int | float) else str(value)
