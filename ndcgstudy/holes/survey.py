"""One table of holes: each run's holes, score, bounds, and what later judgments made of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.holes.bounds import Bounds, score_bounds
from ndcgstudy.holes.changes import Change, ranks
from ndcgstudy.holes.tops import Tops, lay_out
from ndcgstudy.measures import Judged, Measure
from ndcgstudy.policies import Policy
from ndcgstudy.scoring import score
from ndcgstudy.words import many

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("run", "k", "hole", "score", "low", "high", "after", "change", "rank", "rank_after")


@dataclass(frozen=True, eq=False)
class Survey:
    """Holes, scores and bounds of runs on topics, and the scores after more judgments.

    Parameters
    ----------
    tops
        The tops of the runs.
    hole
        Shape (systems, topics): the share of unjudged documents in each top, NaN where the run has
        none for the topic.
    bounds
        The bounds on each score.
    after
        The scores by later judgments, or None.
    notes
        What deserves a word.
    """

    tops: Tops
    hole: Floats
    bounds: Bounds
    after: Floats | None
    notes: tuple[str, ...]

    @property
    def change(self) -> Change | None:
        """The means before and after."""
        if self.after is None:
            return None
        return Change(self.bounds.value.mean(axis=1), self.after.mean(axis=1))

    def table(self) -> "pd.DataFrame":
        """Return one row a run, in their order, with the means over topics."""
        import pandas as pd

        low, now, high = (x.mean(axis=1) for x in self._bounds())
        after = np.full(now.size, np.nan) if self.after is None else self.after.mean(axis=1)
        answered = np.isfinite(self.hole)
        hole = np.where(answered, self.hole, 0.0).sum(axis=1) / answered.sum(axis=1)
        placed = np.full(now.size, np.nan) if self.after is None else ranks(after)
        values = (hole, now, low, high, after, after - now, ranks(now), placed)
        columns = dict(zip(COLUMNS[2:], values, strict=True))
        return pd.DataFrame({"run": self.tops.systems, "k": self.tops.form.cutoff, **columns})

    def topics(self) -> "pd.DataFrame":
        """Return one row a run and topic: run, k, topic, hole, score, low, high, after, change."""
        import pandas as pd

        scores = next(iter(self.tops.evaluation.scores.values()))
        shape = (len(scores.systems), len(scores.topics))
        low, now, high = self._bounds()
        after = np.full(shape, np.nan) if self.after is None else self.after
        values = (self.hole, now, low, high, after, after - now)
        columns = {n: v.ravel() for n, v in zip(COLUMNS[2:8], values, strict=True)}
        where = {
            "run": np.repeat(np.array(scores.systems, dtype=object), shape[1]),
            "k": self.tops.form.cutoff,
            "topic": np.tile(np.array(scores.topics, dtype=object), shape[0]),
        }
        return pd.DataFrame({**where, **columns})

    def _bounds(self) -> tuple[Floats, Floats, Floats]:
        return self.bounds.low, self.bounds.value, self.bounds.high


def survey(
    judgments: Judgments,
    runs: Rankings | Iterable[Rankings],
    measure: str | Measure = "nDCG@10",
    policy: Policy | None = None,
    *,
    after: Judgments | None = None,
    max_grade: int | None = None,
    stake: str = "own",
) -> Survey:
    """Survey the holes in the judgments of runs.

    Parameters
    ----------
    judgments, runs, measure, policy, max_grade
        As in `lay_out`.
    after
        Later judgments of the same topics, by which the runs are scored again.
    stake
        As in `score_bounds`.

    Raises
    ------
    ValueError
        As `lay_out` and `score_bounds`; or if a topic is missing from the later judgments.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1}})
    >>> run = Rankings.from_dict({"q1": {"x": 2.0, "a": 1.0}})
    >>> survey(qrels, [run]).table()[["run", "k", "hole", "score", "low", "high"]].round(3)
       run   k  hole  score    low  high
    0  run  10   0.5  0.631  0.631   1.0
    """
    policy = policy or Policy()
    runs = [runs] if isinstance(runs, Rankings) else list(runs)
    tops = lay_out(judgments, runs, measure, policy, max_grade=max_grade)
    judged = Judged(tops.form.cutoff)
    how = Policy(**{**vars(policy), "missing": "skip"})
    hole = 1.0 - score(judgments, runs, judged, how).scores[str(judged)].values
    scores = next(iter(tops.evaluation.scores.values()))
    later, notes = None, tops.evaluation.notes
    if after is not None:
        found = score(after, runs, tops.form.measure, policy, topics=scores.topics)
        later = next(iter(found.scores.values())).values
        notes = (*notes, *_differences(judgments, after))
    return Survey(tops, hole, score_bounds(tops, stake), later, notes)


def _differences(judgments: Judgments, after: Judgments) -> list[str]:
    """Say where later judgments do more than fill holes."""
    place = {topic: i for i, topic in enumerate(after.topics)}
    topic = np.array([place[name] for name in judgments.topics])[judgments.topic]
    later = after.grades_of(topic, judgments.docs)
    gone = int(np.isnan(later).sum())
    other = int(np.count_nonzero(~np.isnan(later) & (later != judgments.grade)))
    notes = [f"{many(gone, 'judgement')} missing from the later ones"] * bool(gone)
    return notes + [f"{many(other, 'judgement')} of another grade in the later ones"] * bool(other)
