"""What a person answered, in words, and tables of answers."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ndcgstudy.checks import nearest
from ndcgstudy.formats.cells import Table, name_of
from ndcgstudy.formats.problem import Problem
from ndcgstudy.formats.textfile import TextFile

TIES = ("tie", "tie_good", "tie_bad")
WORDS = ("A", "B", *TIES)
_SPELT = {
    f"{side}{letter}": letter.upper() for side in ("model", "run", "system") for letter in "ab"
}
_SPELT |= dict.fromkeys(("tiebothbad", "bothbad", "bothbadtie"), "tie_bad")
_SPELT |= dict.fromkeys(("tiebothgood", "bothgood", "bothgoodtie"), "tie_good")


@dataclass(frozen=True)
class Answer:
    """One answer as a file gives it.

    Parameters
    ----------
    line
        Where it stands, 1-based.
    topic, first, second
        What was asked: a topic, and what stood on side A and on side B.
    sign
        1 for A, -1 for B, 0 for neither.
    word
        ``A``, ``B`` or the kind of tie.
    weight
        How much it weighs.
    columns
        What else the line says, as text.
    """

    line: int
    topic: str
    first: str
    second: str
    sign: int
    word: str
    weight: float = 1.0
    columns: Mapping[str, str] = field(default_factory=dict)


def wrong(text: TextFile, message: str, line: int = 0) -> ValueError:
    """Return the error that names the file, the line and what is wrong."""
    return ValueError(str(Problem(text.name, "preference", message, line)))


def read_word(word: str, first: str = "A", second: str = "B") -> tuple[int, str]:
    """Read an answer: ``A``, ``B``, ``tie``, ``tie_good``, ``tie_bad``, or the name of a side.

    The words of arenas, ``model_a``, ``model_b``, ``tie (bothbad)``, are read too.

    Returns
    -------
    sign, word
        1, -1 or 0, and the word as it is kept.

    Raises
    ------
    ValueError
        If it is another word, or may mean either side.

    Examples
    --------
    >>> read_word("b"), read_word("Tie_good"), read_word("bm25", "bm25", "dense")
    ((-1, 'B'), (0, 'tie_good'), (1, 'A'))
    >>> read_word("model_b"), read_word("tie (bothbad)")
    ((-1, 'B'), (0, 'tie_bad'))
    """
    word = word.strip()
    spelt = _SPELT.get(re.sub(r"[^a-z]", "", word.lower()))
    if spelt and first != word != second:
        return {"A": 1, "B": -1}.get(spelt, 0), spelt
    usual = {"A": 1, "B": -1, **dict.fromkeys(TIES, 0)}
    named = {first: 1, second: -1}.get(word, usual.get(word))
    if named != usual.get(word, named):
        raise ValueError(f"preference {word!r} may mean side {word} or what is named {word}")
    if named is None:
        named = {key.lower(): sign for key, sign in usual.items()}.get(word.lower())
    if named is None:
        known = list(dict.fromkeys([*WORDS, first, second]))
        raise ValueError(f"unknown preference {word!r}{nearest(word, known)}")
    return named, {1: "A", -1: "B"}.get(named, word.lower())


def read_weight(value: object) -> float:
    """Read the weight of an answer, a number above 0.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        weight = math.nan if isinstance(value, bool) else float(str(value))
    except ValueError:
        weight = math.nan
    if not 0 < weight < math.inf:
        raise ValueError(f"weight {value!r} is not a number above 0")
    return weight


def table_of_answers(
    table: Table,
    sides: tuple[Sequence[str], Sequence[str]],
    topic: Sequence[str],
    answer: Sequence[str],
) -> list[Answer]:
    """Read a table with an answer a row.

    Parameters
    ----------
    table
        With a header.
    sides
        What the columns of side A and of side B may be called.
    topic, answer
        What the columns of the topic and of the answer may be called; of answers also three columns,
        as winner_model_a, winner_model_b, winner_tie, with a 1 where it holds. A column ``weight``
        weighs; all others are kept.

    Raises
    ------
    ValueError
        Naming file, line, value and rule.
    """
    header = [name.strip() for name in table.header or ()]
    if not table.rows:
        raise table.wrong("the preferences hold no answer")
    of_topic, *of_sides = (_place(table, header, names) for names in (topic, *sides))
    of_answer, word_of = _answer_column(table, header, answer)
    taken = {*of_sides, of_topic, *of_answer}
    found = []
    for row in table.rows:
        cells = [name_of(cell) for cell in row.cells]
        first, second = (cells[at] for at in of_sides)
        rest = {header[i]: cell for i, cell in enumerate(cells) if i not in taken}
        try:
            if first == second:
                raise ValueError(f"{first!r} is compared with itself")
            sign, word = read_word(word_of([cells[at] for at in of_answer]), first, second)
            weight = read_weight(rest.pop("weight", 1))
        except ValueError as error:
            raise table.wrong(str(error), row.number) from None
        columns = {**rest, "preference": word}
        found.append(
            Answer(row.number, cells[of_topic], first, second, sign, word, weight, columns)
        )
    return found


def _answer_column(
    table: Table, header: Sequence[str], names: Sequence[str]
) -> tuple[tuple[int, ...], Callable[[list[str]], str]]:
    """Return the places that hold an answer, and what makes a word of their cells."""
    lower = [name.lower() for name in header]
    for side in ("model", "run"):
        three = [f"winner_{side}_a", f"winner_{side}_b", "winner_tie"]
        if set(three) <= set(lower) and not set(names) & set(lower):
            return tuple(lower.index(name) for name in three), _marked
    return (_place(table, header, names),), lambda cells: cells[0]


def _marked(cells: list[str]) -> str:
    """Return the answer of which one of three columns holds a 1."""
    marks = [cell.lower() in ("1", "true") for cell in cells]
    if sum(marks) != 1:
        raise ValueError(f"one of the three winners must be 1, got {', '.join(cells)}")
    return ("A", "B", "tie")[marks.index(True)]


def _place(table: Table, header: Sequence[str], names: Sequence[str]) -> int:
    """Return the place of the first column of these names that is there."""
    lower = [cell.lower() for cell in header]
    for name in names:
        if name in lower:
            return lower.index(name)
    raise table.wrong(f"no column {names[0]!r}{nearest(names[0], [*header])}", table.start)
