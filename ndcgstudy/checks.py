"""Rules for parameters, and the words in which a breach is told."""

import difflib
import itertools
import sys
from typing import Any

import numpy as np

from ndcgstudy.expressions import shown

_LARGEST_WHOLE = 2**63 - 1
_ALL, _FEW, _MANY = 12, 5, 2000  # names: so few are all listed, so many shown, so many compared

MANY = 1_000_000
"""The most resamples, permutations and draws: what more would add is below any rounding that is shown."""

LISTS = 10_000_000
"""The most simulated lists of a call."""


def number(
    name: str,
    value: object,
    *,
    above: float = float("-inf"),
    at_least: float = float("-inf"),
    below: float = float("inf"),
    at_most: float = float("inf"),
    whole: bool = False,
) -> None:
    """Check that a parameter is a finite number in its range.

    Raises
    ------
    ValueError
        Naming the parameter, the rule and the value.

    Examples
    --------
    >>> number("beta", -1, at_least=0)
    Traceback (most recent call last):
        ...
    ValueError: `beta` must be a number at least 0, got -1
    """
    value, most = plain(value), _LARGEST_WHOLE if whole else sys.float_info.max
    if whole and not isinstance(value, bool) and isinstance(value, int) and value > most:
        at_most = min(at_most, most)  # said only where it matters
    rules = [("above", above), ("at least", at_least), ("below", below), ("at most", at_most)]
    text = " and ".join(f"{word} {x:,.9g}" for word, x in rules if abs(x) != float("inf"))
    kinds = int if whole else int | float
    good = isinstance(value, kinds) and not isinstance(value, bool) and abs(value) <= most
    if not (good and above < value < below and at_least <= value <= at_most):  # type: ignore[operator]
        kind = "a whole number" if whole else "a number"
        raise ValueError(f"`{name}` must be {kind} {text or 'that is finite'}, got {shown(value)}")


def plain(value: Any) -> Any:
    """Turn numpy scalars into the Python number they hold; leave all else alone."""
    return value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value


def flat(values: Any) -> tuple[Any, ...]:
    """Return the numbers of a list, tuple or array as they were given, whole ones whole."""
    return tuple(plain(value) for value in np.ravel(np.array(values, dtype=object)).tolist())


def nearest(name: str, names: list[str]) -> str:
    """Say which known name a wrong one may have meant, and list them: the nearest ones of many.

    Examples
    --------
    >>> nearest("pover", ["zipf", "power"])
    "; did you mean 'power'? known: power, zipf"
    >>> nearest("q7", [f"q{i}" for i in range(100, 200)])
    "; did you mean 'q197'? known: q197, q187, q179, q178, q177 and 95 more"
    """
    lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(str(name).lower(), _candidates(str(name), lower), n=_FEW)
    guess = f"; did you mean {lower[close[0]]!r}?" if close else ";"
    if len(names) <= _ALL:
        return f"{guess} known: {', '.join(sorted(names))}"
    kept = list(dict.fromkeys([*(lower[c] for c in close), *sorted(names)[:_FEW]]))[:_FEW]
    return f"{guess} known: {', '.join(kept)} and {len(names) - len(kept)} more"


def _candidates(name: str, lower: dict[str, str]) -> list[str]:
    """Return the names to compare with, of very many those of about the same length and beginning."""
    if len(lower) <= _MANY:
        return list(lower)
    alike = (n for n in lower if n[:1] == name[:1].lower() and abs(len(n) - len(name)) <= 2)
    return list(itertools.islice(alike, _MANY))
