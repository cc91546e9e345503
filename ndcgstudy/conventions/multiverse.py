"""Every combination of choices at once: what they do to scores, to orders and to conclusions."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.conventions.comparing import DIGITS, beside
from ndcgstudy.conventions.convention import (
    ONLY_NDCG,
    SETTINGS,
    Convention,
    combinations,
    is_graded,
    plain,
    written,
)
from ndcgstudy.conventions.pairs import Agreement, agreement
from ndcgstudy.conventions.shared import Many, evaluate
from ndcgstudy.data import Floats, Judgments, Rankings
from ndcgstudy.expressions import split
from ndcgstudy.measures import Measure

if TYPE_CHECKING:
    import pandas as pd

CHOICES: dict[str, tuple[Any, ...]] = {
    "gain": ("linear", "exponential"),
    "discount": ("log2", "jk2002"),
    "ideal": ("cut", "all", "retrieved"),
    "ties": ("trec", "average", "input"),
    "unjudged": ("nonrelevant", "condensed"),
    "missing": ("zero", "skip"),
    "no_relevant": ("zero", "one", "skip"),
}
"""The choices that tools make, the default first."""

NONE = 1e-24
"""A sum of variances below is rounding: no choice changes a score."""


def vary(texts: Iterable[str], choices: Mapping[str, tuple[Any, ...]] = CHOICES) -> dict[str, Any]:
    """Read what is to be varied and how, as ``gain=linear exponential``, over what is by default.

    Raises
    ------
    ValueError
        With a line for every choice that is unknown or cannot be read.

    Examples
    --------
    >>> vary(["ties=trec", "precision=float32 float64"])["precision"]
    ('float32', 'float64')
    """
    found, wrong = dict(choices), []
    for text in texts:
        name, _, values = text.partition("=")
        name = name.strip().replace("-", "_")
        words = {"True": True, "False": False}
        levels = tuple(dict.fromkeys(words.get(value, value) for value in split(values)))
        try:
            for level in levels:
                Convention().but(**{name: level})
        except ValueError as error:
            wrong.append(str(error))
        if not levels:
            known = ", ".join(sorted(SETTINGS))
            wrong.append(f"cannot read {text!r}: expected NAME=VALUE VALUE..., NAME one of {known}")
        found[name] = levels
    if wrong:
        raise ValueError("\n".join(dict.fromkeys("\n".join(wrong).split("\n"))))
    return found


@dataclass(frozen=True, eq=False)
class Multiverse:
    """Runs scored under every combination of choices.

    Parameters
    ----------
    choices
        The values of each choice, the default first.
    many
        The scores; the conventions are in the order of the choices' product, the default first.
    """

    choices: Mapping[str, tuple[Any, ...]]
    many: Many

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each choice has."""
        return tuple(len(values) for values in self.choices.values())

    def means(self) -> Floats:
        """Return the mean of each run under each convention, shape (conventions, systems)."""
        return self.many.means()

    def names(self) -> list[str]:
        """Return each convention by what it changes from the default, which is "default"."""
        first = self.many.conventions[0]
        return [written(c.changes_from(first)) or "default" for c in self.many.conventions]

    def runs(self) -> "pd.DataFrame":
        """Return a row a run, best first: its score by default, its range, and its best and worst rank."""
        import pandas as pd

        means, names = self.means(), np.array(self.names())
        ranks = ranks_of(np.round(means, DIGITS))
        known = np.isfinite(means)
        lowest = np.where(known, means, np.inf).argmin(axis=0)
        highest = np.where(known, means, -np.inf).argmax(axis=0)
        at = np.arange(means.shape[1])
        table = pd.DataFrame(
            {
                "run": self.many.systems,
                "score": means[0],
                "lowest": means[lowest, at],
                "highest": means[highest, at],
                "range": means[highest, at] - means[lowest, at],
                "rank": ranks[0],
                "best_rank": ranks.min(axis=0),
                "worst_rank": ranks.max(axis=0),
                "lowest_by": names[lowest],
                "highest_by": names[highest],
            }
        )
        return table.sort_values(["rank", "run"], ignore_index=True)

    def conventions(self) -> "pd.DataFrame":
        """Return a row a convention: its choices, and what `beside` says of it and the default."""
        import pandas as pd

        means = self.means()
        rows = [
            {**dict(zip(self.choices, levels, strict=True)), **beside(own, means[0])}
            for levels, own in zip(itertools.product(*self.choices.values()), means, strict=True)
        ]
        return pd.DataFrame(rows)

    def shares(self) -> "pd.DataFrame":
        """Return a row a choice, the one that moves scores most first.

        With y the score of a run over all conventions, which are all at hand so that nothing is
        estimated: ``share`` is the variance of the mean of y at each value of the choice over the
        variance of y, summed over runs (the main effect, a first-order Sobol index); ``total`` is
        the same with the choice's interactions, so what would go away if it were fixed; ``order`` the
        share of the gaps between runs instead of their scores; ``flipped`` the share of pairs of
        runs whose order changes when the choice alone goes from one value to another, on average;
        ``moved`` the mean absolute change of a score by that. Runs of which no topic counts under some
        convention are left out.
        """
        import pandas as pd

        means = self.means()
        means = means[:, np.isfinite(means).all(axis=0)].reshape(*self.shape, -1)
        gaps = means - means.sum(axis=-1, keepdims=True) / max(means.shape[-1], 1)
        rows = [
            {
                "choice": name,
                "values": len(self.choices[name]),
                "share": _main(means, axis),
                "total": _total(means, axis),
                "order": _main(gaps, axis),
                "flipped": _alone(means, axis, _flipped),
                "moved": _alone(means, axis, lambda a, b: np.abs(a - b)),
            }
            for axis, name in enumerate(self.choices)
        ]
        table = pd.DataFrame(rows).sort_values("share", ascending=False, kind="stable")
        return table.reset_index(drop=True)

    def agreement(self, level: float = 0.05) -> Agreement:
        """Return how many conventions share each conclusion on a pair of runs."""
        values = (self.many.values(i) for i in range(len(self.many.conventions)))
        return agreement(self.many.systems, self.means(), values, level)


def multiverse(
    judgments: Judgments,
    runs: Iterable[Rankings],
    measure: "str | Measure" = "nDCG@10",
    choices: Mapping[str, Sequence[Any]] = CHOICES,
    *,
    judged: frozenset[str] | None = None,
) -> Multiverse:
    """Score runs under every combination of choices.

    Parameters
    ----------
    measure
        Without gain and discount; choices that concern nDCG and DCG alone are left out for others.
    choices
        The values of each choice, the default first.
    judged
        All topics that have judgments, where only some are scored.

    Raises
    ------
    ValueError
        As `evaluate`, or if the measure names a gain or discount of its own.

    Examples
    --------
    >>> qrels = Judgments.from_dict({"q": {"a": 2, "b": 1}})
    >>> run = Rankings.from_dict({"q": {"b": 2.0, "a": 1.0}})
    >>> multiverse(qrels, [run]).runs()[["lowest", "highest"]].round(3).values.tolist()
    [[0.797, 1.0]]
    """
    part = plain(measure)
    kept = {
        name: tuple(values)
        for name, values in choices.items()
        if is_graded(part) or name not in ONLY_NDCG
    }
    many = evaluate(judgments, runs, combinations(kept), [part], judged=judged)
    return Multiverse(kept, many)


def ranks_of(means: Floats) -> Any:
    """Return the rank of each run under each convention: one more than the runs above it."""
    falling = np.sort(-means, axis=1)
    return np.array([1 + np.searchsorted(s, -m) for s, m in zip(falling, means, strict=True)])


def _main(means: Floats, axis: int) -> float:
    """Return the share of variance that one choice explains, over all runs."""
    axes = tuple(range(means.ndim - 1))
    over = tuple(a for a in axes if a != axis)
    explained = means.mean(axis=over, keepdims=True).var(axis=axes).sum()
    whole = means.var(axis=axes).sum()
    return float(explained / whole) if explained > NONE else 0.0


def _total(means: Floats, axis: int) -> float:
    """Return the share of variance that goes away where one choice is fixed, over all runs."""
    axes = tuple(range(means.ndim - 1))
    left = means.var(axis=axis, keepdims=True).mean(axis=axes).sum()
    whole = means.var(axis=axes).sum()
    return float(left / whole) if left > NONE else 0.0


def _alone(means: Floats, axis: int, change: Any) -> float:
    """Average a change over all pairs of values of a choice and all values of the others."""
    if not means.size:
        return 0.0
    each = np.moveaxis(means, axis, 0).reshape(means.shape[axis], -1, means.shape[-1])
    pairs = itertools.combinations(range(len(each)), 2)
    found = [change(each[i], each[j]).mean() for i, j in pairs]
    return float(np.mean(found)) if found else 0.0


def _flipped(one: Floats, two: Floats) -> Floats:
    """Return the share of pairs of runs in opposite orders, a value a row."""
    n = one.shape[-1]
    if n < 2:
        return np.zeros(len(one))
    first, second = np.triu_indices(n, 1)
    one, two = np.round(one, DIGITS), np.round(two, DIGITS)
    opposite = [
        (np.sign(a[first] - a[second]) * np.sign(b[first] - b[second]) < 0).mean()
        for a, b in zip(one, two, strict=True)
    ]
    return np.array(opposite)
