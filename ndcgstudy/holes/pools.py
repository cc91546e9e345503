"""Judgments as other pools would have made them: fewer systems, shallower, sampled, a team left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ndcgstudy.checks import nearest, number
from ndcgstudy.data import Judgments, Rankings
from ndcgstudy.holes.changes import Change, ranks
from ndcgstudy.holes.top import top_of
from ndcgstudy.ids import Index, Mask
from ndcgstudy.policies import Policy
from ndcgstudy.ranking import answer_key
from ndcgstudy.scoring import Measures, score

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Pool:
    """Which systems put which judged documents into a pool of some depth; see `pool`.

    Parameters
    ----------
    judgments
        All judgments at hand.
    found
        Shape (systems, judgments): whether a system has the document in its top.
    systems
        The systems' names.
    """

    judgments: Judgments
    found: Mask
    systems: tuple[str, ...]

    def only(self, systems: Iterable[str]) -> Judgments:
        """Keep the judgments of documents that any of these systems has in its top.

        Raises
        ------
        ValueError
            If a system is unknown.
        """
        return self.judgments.select(np.asarray(self.found[self._places(systems)].any(axis=0)))

    def without(self, systems: Iterable[str]) -> Judgments:
        """Drop the judgments of documents that these systems have in their tops, and no others do.

        Raises
        ------
        ValueError
            If a system is unknown.
        """
        return self.judgments.select(~self.alone(systems))

    def alone(self, systems: Iterable[str]) -> Mask:
        """Tell which judgments these systems, and no others, have in their tops."""
        out = np.zeros(len(self.systems), dtype=bool)
        out[self._places(systems)] = True
        return np.asarray(self.found[out].any(axis=0) & ~self.found[~out].any(axis=0))

    def _places(self, systems: Iterable[str]) -> list[int]:
        place = {name: i for i, name in enumerate(self.systems)}
        chosen = list(systems)
        if unknown := [name for name in chosen if name not in place]:
            raise ValueError(
                f"unknown system {unknown[0]!r} in the pool{nearest(unknown[0], [*self.systems])}"
            )
        return [place[name] for name in chosen]


def pool(
    judgments: Judgments, runs: Sequence[Rankings], depth: int, policy: Policy | None = None
) -> Pool:
    """Pool the first documents of runs, as far as they are judged.

    Parameters
    ----------
    judgments
        All judgments at hand; a document without one cannot enter.
    runs
        The runs that contribute, told apart by their names.
    depth
        How many documents of each run enter, at least 1.
    policy
        How ties in the runs are broken.

    Raises
    ------
    ValueError
        If `depth` is no such number, or two runs have one name.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1, "b": 0, "c": 1}})
    >>> runs = [Rankings.from_dict({"q1": {doc: 1.0}}, name=doc.upper()) for doc in "ab"]
    >>> both = pool(qrels, runs, depth=1)
    >>> both.only(["A"]).docs.strings(), both.without(["A"]).docs.strings()
    (['a'], ['b', 'c'])
    """
    number("depth", depth, at_least=1, whole=True)
    names = tuple(run.name for run in runs)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two runs are named {twice!r}")
    key = answer_key(judgments, policy or Policy())
    found = np.zeros((len(names), key.judgments.grade.size), dtype=bool)
    for row, run in zip(found, runs, strict=True):
        top = top_of(run, key, policy or Policy(), depth)
        row[key.judgments.find(top.topic, top.docs)[1]] = True
    return Pool(key.judgments, found, names)


def sampled(judgments: Judgments, share: float, *, rng: np.random.Generator) -> Judgments:
    """Keep a random share of each topic's judgments, rounded to the nearest number.

    Raises
    ------
    ValueError
        If `share` does not lie in (0, 1].

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1, "b": 0, "c": 1, "d": 0}})
    >>> len(sampled(qrels, 0.5, rng=np.random.default_rng(0)).docs)
    2
    """
    number("share", share, above=0)
    if share > 1:
        raise ValueError(f"`share` must be at most 1, got {share!r}")
    counts = np.bincount(judgments.topic, minlength=len(judgments.topics))
    return _drawn(judgments, np.rint(share * counts), counts, rng)


def thinned(judgments: Judgments, most: int, *, rng: np.random.Generator) -> Judgments:
    """Keep at most so many judgments of each topic, drawn at random.

    Raises
    ------
    ValueError
        If `most` is no whole number from 1.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 1}})
    >>> thinned(qrels, 2, rng=np.random.default_rng(0)).topic
    array([0, 0, 1])
    """
    number("most", most, at_least=1, whole=True)
    counts = np.bincount(judgments.topic, minlength=len(judgments.topics))
    return _drawn(judgments, np.full(counts.size, most), counts, rng)


def _drawn(
    judgments: Judgments, most: npt.NDArray[Any], counts: Index, rng: np.random.Generator
) -> Judgments:
    """Keep at most so many judgments of each topic."""
    order = np.lexsort((rng.random(judgments.topic.size), judgments.topic))
    topic = judgments.topic[order]
    keep = np.zeros(order.size, dtype=bool)
    keep[order] = np.arange(order.size) - (np.cumsum(counts) - counts)[topic] < most[topic]
    return judgments.select(keep)


def leave_out(
    made: Pool,
    runs: Sequence[Rankings],
    groups: Mapping[str, Sequence[str]],
    measure: Measures = "nDCG@10",
    policy: Policy | None = None,
) -> "pd.DataFrame":
    """Score systems without the judgments that they alone brought in, group by group.

    Parameters
    ----------
    made
        The pool.
    runs
        The runs to score; more may be scored than contributed.
    groups
        For each name of a group (a team, or a system by itself) its systems; those among them that
        contributed are left out together.
    measure, policy
        As in `score`.

    Returns
    -------
    table
        A row a group and system in it: `group, run, judged` (the judgments that only the group
        brought in), `score, without, change, rank, rank_without`, and `tau, tau_ap` between the
        orders of all runs, the one by all judgments being the reference.

    Raises
    ------
    ValueError
        As `score`, or if a system of a group has no run.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q1": {"a": 1, "b": 1}})
    >>> runs = [Rankings.from_dict({"q1": {doc: 1.0}}, name=doc.upper()) for doc in "ab"]
    >>> table = leave_out(pool(qrels, runs, depth=1), runs, {"team": ["A"]}, "P@1")
    >>> table[["run", "judged", "score", "without", "rank", "rank_without"]].values.tolist()
    [['A', 1, 1.0, 0.0, 1, 2]]
    """
    import pandas as pd

    full = _means(made.judgments, runs, measure, policy)
    place = {run.name: i for i, run in enumerate(runs)}
    rows = []
    for group, members in groups.items():
        if lost := [name for name in members if name not in place]:
            raise ValueError(f"system {lost[0]!r} of group {group!r} has no run")
        out = [name for name in members if name in made.systems]
        found = Change(_means(made.without(out), runs, measure, policy), full)
        both = ranks(found.more), ranks(found.fewer)
        told = {"judged": int(made.alone(out).sum())}
        after = {"tau": found.tau, "tau_ap": found.tau_ap}
        for name in members:
            i = place[name]
            scores = {
                "score": full[i],
                "without": found.fewer[i],
                "change": found.fewer[i] - full[i],
            }
            placed = {"rank": int(both[0][i]), "rank_without": int(both[1][i])}
            rows.append({"group": group, "run": name, **told, **scores, **placed, **after})
    return pd.DataFrame(rows)


def _means(
    judgments: Judgments, runs: Sequence[Rankings], measure: Measures, policy: Policy | None
) -> npt.NDArray[np.float64]:
    return next(iter(score(judgments, runs, measure, policy).scores.values())).mean()
