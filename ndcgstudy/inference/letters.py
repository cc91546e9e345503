"""Compact letter displays: systems that share a letter are not separated (Piepho 2004).

To give every two systems that are not separated a letter in common, and no others, is to cover the
edges of a graph by cliques. Inserting and absorbing (Piepho 2004, An algorithm for a letter-based
representation of all-pairwise comparisons) finds all maximal cliques, of which there can be
2^(systems/2); growing a clique around each pair not yet covered (Gramm, Guo, Hüffner, Niedermeier,
Schmiedl 2007, Algorithms for compact letter displays) stays polynomial. Either way, sweeping takes
off the letters that are not needed; those that stay are maximal groups.
"""

import re
from string import ascii_letters
from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]


def letters(separated: Any) -> tuple[str, ...]:
    """Return the letters of each system: two share one just where they are not separated.

    Parameters
    ----------
    separated
        Which systems are told apart, shape (systems, systems), symmetric; the best system first.

    Returns
    -------
    letters
        One text a system; after a..z and A..Z come a2, b2, ...

    Raises
    ------
    ValueError
        If the matrix is not square and symmetric, or separates a system from itself.

    Examples
    --------
    >>> apart = np.zeros((4, 4), dtype=bool)
    >>> apart[0, 2:] = apart[2:, 0] = apart[1, 3] = apart[3, 1] = True
    >>> letters(apart)
    ('a', 'ab', 'bc', 'c')
    """
    cover = groups(separated)
    names = [_name(i) for i in range(cover.shape[1])]
    return tuple("".join(np.array(names, dtype=object)[row]) for row in cover)


def shortened(text: str) -> str:
    """Write runs of four and more letters as the first and the last one.

    Examples
    --------
    >>> shortened("abdefgij")
    'abd-gij'
    """
    names = re.findall(r"[a-zA-Z]\d*", text)
    places = [_place(name) for name in names]
    starts = [i for i in range(len(names)) if i == 0 or places[i] != places[i - 1] + 1]
    runs = [names[a:b] for a, b in zip(starts, [*starts[1:], len(names)], strict=True)]
    return "".join(f"{r[0]}-{r[-1]}" if len(r) > 3 else "".join(r) for r in runs)


def groups(separated: Any) -> Bools:
    """Return which system has which letter, (systems, letters), as few as were found."""
    apart = np.asarray(separated, dtype=bool)
    if apart.ndim != 2 or apart.shape[0] != apart.shape[1] or (apart != apart.T).any():
        raise ValueError(f"`separated` must be a symmetric matrix, got shape {apart.shape}")
    if np.diag(apart).any():
        at = int(np.diag(apart).argmax())
        raise ValueError(f"`separated` must not separate a system from itself, as it does {at}")
    cover = _swept(_grown(~apart))
    # Letters run from the best system down: by their first system, then by their last.
    first, last = cover.argmax(axis=0), len(cover) - cover[::-1].argmax(axis=0)
    return np.asarray(cover[:, np.lexsort((last, first))])


def _grown(near: Bools) -> Bools:
    """Return maximal cliques that cover all pairs that are near, (systems, cliques).

    Each starts from the first system with a pair not covered and the last one it is near to, and
    takes the system that covers most pairs with its members, then the one that leaves most to take.
    """
    todo, cliques, links = near.copy(), [], near.astype(float)
    for first in range(len(near)):
        while todo[first].any():
            pick = len(near) - 1 - int(todo[first, ::-1].argmax())
            members, free, covered = [first], near[first].copy(), todo[first].astype(float)
            free[first] = False
            while free.any():
                members.append(pick)
                free &= near[pick]
                free[pick] = False
                covered += todo[pick]
                gain = covered * len(near) + links @ free
                pick = int(np.where(free, gain, -1).argmax())
            todo[np.ix_(members, members)] = False
            cliques.append(members)
    return np.array([np.isin(np.arange(len(near)), members) for members in cliques]).T


def _swept(cover: Bools) -> Bools:
    """Take off the letters whose pairs all share another one, small groups first."""
    count = cover.astype(int) @ cover.T
    kept = []
    for column in cover.T[np.argsort(cover.sum(axis=0), kind="stable")]:
        block = np.ix_(column, column)
        if (count[block] > 1).all():
            count[block] -= 1
        else:
            kept.append(column)
    return np.array(kept).T


def _name(place: int) -> str:
    """Return a letter, followed by a number from the second round on."""
    turn, at = divmod(place, len(ascii_letters))
    return ascii_letters[at] + (str(turn + 1) if turn else "")


def _place(name: str) -> int:
    """Return the place that a name stands for."""
    return ascii_letters.index(name[0]) + len(ascii_letters) * (int(name[1:] or 1) - 1)
