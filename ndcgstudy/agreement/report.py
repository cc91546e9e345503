"""Measures against people's preferences, set by set: the table, the tests, and what to say beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ndcgstudy.agreement.ceiling import ceiling, same_lists
from ndcgstudy.agreement.counts import TOLERANCE, Floats, Ints, signs
from ndcgstudy.agreement.likelihood import fit
from ndcgstudy.agreement.mcnemar import TIES, Contrasts, mcnemar
from ndcgstudy.agreement.result import ALL, Agreement, agreement
from ndcgstudy.agreement.strata import column, strata
from ndcgstudy.measures import MEASURES, Measure
from ndcgstudy.preferences import Preferences, Texts
from ndcgstudy.words import many

if TYPE_CHECKING:
    import pandas as pd

FIRST = (
    *("measure", "set", "stratum", "agree", "disagree", "tie", "rate", "low", "high"),
    *("strict", "strict_low", "strict_high", "common_rate", "loglik"),
)


@dataclass(frozen=True, eq=False)
class Report:
    """What measures and people agree on, in every set.

    Parameters
    ----------
    sets
        The agreement in each set.
    logliks
        By (set, stratum, measure): the log-likelihood of the decided answers given the measure's
        difference, logistic with one slope.
    tests
        By set and by what becomes of ties: every two measures compared.
    convention
        One line that says how the numbers were computed.
    notes
        What deserves a word, a line each.
    """

    sets: tuple[Agreement, ...]
    logliks: Mapping[tuple[str, str, str], float]
    tests: Mapping[tuple[str, str], Contrasts]
    convention: str
    notes: tuple[str, ...]

    def table(self) -> "pd.DataFrame":
        """Return a row a set, stratum and measure, the columns of `FIRST` first."""
        import pandas as pd

        table = pd.concat([part.table() for part in self.sets], ignore_index=True)
        where = zip(table["set"], table["stratum"], table["measure"], strict=True)
        table["loglik"] = [self.logliks.get(key, float("nan")) for key in where]
        return table[[*FIRST, *(name for name in table.columns if name not in FIRST)]]


def report(
    preferences: Preferences,
    measures: "Sequence[str | Measure]",
    *,
    rng: np.random.Generator,
    by: str | None = None,
    stratum: str | None = None,
    mix: Mapping[str, float] | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
) -> Report:
    """Compare measures with people on all answers, or on each set of them.

    Parameters
    ----------
    measures
        Measures or their text forms.
    by
        The column that tells the sets apart.
    stratum
        How each set is divided: "relevant", "difference" (of the first measure), or a column.
    mix
        The shares of strata to which rates are reweighted.

    Raises
    ------
    ValueError
        If a column or stratum is unknown, or in some set nobody prefers a list.

    Examples
    --------
    >>> from ndcgstudy.formats.preferences import read_preferences
    >>> pair = {"A_docs": ["x"], "B_docs": ["y"], "A_grades": [1], "B_grades": [0]}
    >>> told = [{**pair, "query": q, "pref": p} for q, p in zip("rst", "AAB", strict=True)]
    >>> found = report(read_preferences(told), ["P@1"], rng=np.random.default_rng(0))
    >>> found.table().loc[0, ["agree", "disagree", "tie"]].tolist()
    [2, 1, 0]
    """
    parts = [MEASURES.parse(measure) for measure in measures]
    names = tuple(dict.fromkeys(map(str, parts)))
    if not names:
        raise ValueError("there is no measure to compare")
    if mix and not stratum:
        raise ValueError("a mix is one of strata: say which, as `stratum`")
    difference = preferences.differences(names)
    difference = np.where(signs(difference, tolerance) == 0, 0.0, difference)
    groups = column(preferences, by) if by else np.full(len(preferences), ALL, dtype=object)
    labels = strata(preferences, stratum, difference[0]) if stratum else None
    how = {"resamples": resamples, "level": level, "tolerance": tolerance}
    every = sorted(set(groups.tolist()))
    rows = {name: np.flatnonzero(groups == name) for name in every}
    sets = tuple(
        _one_set(preferences, difference, at, names, labels, mix, name=name, rng=own, **how)
        for (name, at), own in zip(rows.items(), rng.spawn(len(rows)), strict=True)
    )
    return Report(
        sets,
        _logliks(preferences, difference, rows, names, labels),
        _tests(preferences, difference, rows, names, tolerance),
        _convention(preferences, parts, resamples, level, tolerance),
        (*preferences.notes, *_notes(preferences, rows, sets, level)),
    )


def _one_set(
    preferences: Preferences,
    difference: Floats,
    rows: Any,
    names: Sequence[str],
    labels: Texts | None,
    mix: Mapping[str, float] | None,
    **how: Any,
) -> Agreement:
    own = None if labels is None else labels[rows]
    columns = (difference[:, rows], preferences.preference[rows], preferences.topic[rows])
    found = agreement(*columns, names, strata=own, **how)
    try:
        return found.reweighted(mix) if mix else found
    except ValueError as error:
        raise ValueError(
            f"set {found.name}: {error}" if found.name != ALL else str(error)
        ) from None


def _logliks(
    preferences: Preferences,
    difference: Floats,
    rows: Mapping[str, Any],
    names: Sequence[str],
    labels: Texts | None,
) -> dict[tuple[str, str, str], float]:
    """Fit each measure in each set and stratum in which somebody prefers a list."""
    found = {}
    for name, at in rows.items():
        inside = {ALL: at}
        if labels is not None:
            inside |= {label: at[labels[at] == label] for label in set(labels[at].tolist())}
        for label, part in inside.items():
            answers, topic = preferences.preference[part], preferences.topic[part]
            for values, measure in zip(difference[:, part], names, strict=True):
                if answers.any():
                    found[name, label, measure] = _loglik(values, answers, topic)
    return found


def _loglik(difference: Floats, answers: Ints, topic: Ints) -> float:
    """Return the log-likelihood of the decided answers; a measure that only ties says 1/2 of each."""
    if not difference[answers != 0].any():
        return float(np.count_nonzero(answers) * np.log(0.5))
    return fit(difference, answers, topic, ties="dropped").loglik


def _tests(
    preferences: Preferences,
    difference: Floats,
    rows: Mapping[str, Any],
    names: Sequence[str],
    tolerance: float,
) -> dict[tuple[str, str], Contrasts]:
    """Compare every two measures in each set, ties dropped and missed."""
    return {
        (name, ties): mcnemar(
            difference[:, at],
            preferences.preference[at],
            preferences.topic[at],
            names,
            ties=ties,
            tolerance=tolerance,
        )
        for name, at in rows.items()
        for ties in TIES
    }


def _convention(
    preferences: Preferences,
    parts: "Sequence[Measure]",
    resamples: int,
    level: float,
    tolerance: float,
) -> str:
    """Say in one line how the numbers were computed."""
    words = []
    for what in ("gain", "discount"):
        values = dict.fromkeys(str(getattr(part, what)) for part in parts if hasattr(part, what))
        words += [f"{what} {', '.join(values)}"] * bool(values)
    return "; ".join(
        [
            *words,
            preferences.convention,
            f"preferences on {preferences.kind}",
            f"a difference up to {tolerance:g} is a tie: rate drops these, strict takes them for "
            "misses, half for half a hit; common: pairs that all measures decide",
            "human ties apart",
            f"{level:.0%} intervals: percentiles of {resamples} resamples of the queries",
            "loglik: logistic in the difference, decided answers",
        ]
    )


def _notes(
    preferences: Preferences, rows: Mapping[str, Any], sets: Sequence[Agreement], level: float
) -> list[str]:
    """Say how many answers there are, and what is odd about them."""
    notes = []
    for (name, at), found in zip(rows.items(), sets, strict=True):
        chosen, where = preferences.preference[at] != 0, f"set {name}: " if len(rows) > 1 else ""
        notes.append(
            f"{where}{many(at.size, 'answer')} on {many(np.unique(preferences.pair[at]).size, 'pair')} "
            f"of {many(found.clusters[0], 'query', 'queries')}: {chosen.sum()} prefer a list, "
            f"{(~chosen).sum()} neither"
        )
        if found.clusters[0] == 1:
            notes.append(f"{where}all pairs are of one query: no intervals but Wilson's")
        if told := _among_people(preferences.select(at), level):
            notes.append(where + told)
        same = preferences.same[at]
        if same.any():
            notes.append(
                f"{where}{many(int(same.sum()), 'answer')} on two identical lists, "
                f"{(same & chosen).sum()} with a preference: all measures tie"
            )
        blind = [m for m, c in zip(found.measures, found.counts[0], strict=True) if not c[:2].any()]
        notes += [f"{where}{measure} ties on every pair that a person decides" for measure in blind]
    return notes


def _among_people(preferences: Preferences, level: float) -> str:
    """Say how far answers that prefer a list of one pair agree; nothing where no pair has two."""
    item, side = same_lists(preferences)
    found = ceiling(preferences.preference * side, item, preferences.topic, level=level)
    if not found.repeated:
        return ""
    bounds = "" if np.isnan(found.low) else f" [{found.low:.3f}, {found.high:.3f}]"
    return (
        f"on {many(found.repeated, 'pair')} with several answers that prefer a list, two of them "
        f"agree in {found.agreement:.3f}{bounds}: there the best measure can agree with "
        f"{max(found.agreement, 0.5):.3f} to {found.best:.3f} of answers"
    )
