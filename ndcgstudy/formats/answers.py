"""What a person answered, in words, and tables of answers in CSV."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ndcgstudy.checks import nearest
from ndcgstudy.formats.problem import Problem
from ndcgstudy.formats.textfile import TextFile

TIES = ("tie", "tie_good", "tie_bad")
WORDS = ("A", "B", *TIES)


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
    """
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
    text: TextFile, sides: tuple[str, str], topic: Sequence[str], answer: Sequence[str]
) -> list[Answer]:
    """Read a CSV (commas or tabs) with a header, an answer a line.

    Parameters
    ----------
    sides
        The columns that name what stood on side A and on side B.
    topic, answer
        What the columns of the topic and of the answer may be called. A column ``weight`` weighs;
        all others are kept.

    Raises
    ------
    ValueError
        Naming file, line, value and rule.
    """
    header, *lines = split(text)
    at = {name: _place(text, header[1], (name,)) for name in sides}
    of_topic, of_answer = (_place(text, header[1], names) for names in (topic, answer))
    taken = {*at.values(), of_topic, of_answer}
    found = []
    for number, cells in lines:
        first, second = (cells[at[name]] for name in sides)
        rest = {header[1][i]: cell for i, cell in enumerate(cells) if i not in taken}
        try:
            if first == second:
                raise ValueError(f"{first!r} is compared with itself")
            sign, word = read_word(cells[of_answer], first, second)
            weight = read_weight(rest.pop("weight", 1))
        except ValueError as error:
            raise wrong(text, str(error), number) from None
        columns = {**rest, "preference": word}
        found.append(Answer(number, cells[of_topic], first, second, sign, word, weight, columns))
    return found


def split(text: TextFile) -> list[tuple[int, list[str]]]:
    """Split a CSV into records, each with the number of the line it ends on.

    Raises
    ------
    ValueError
        If it is empty, or a record has another number of fields than the header.
    """
    content = text.decoded()
    head = content.lstrip().split("\n", 1)[0]
    reader = csv.reader(io.StringIO(content, newline=""), delimiter="\t" if "\t" in head else ",")
    lines: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num, [cell.strip() for cell in cells]))
                if len(cells) != len(lines[0][1]):
                    message = f"expected {len(lines[0][1])} fields, found {len(cells)}"
                    raise wrong(text, message, reader.line_num)
    except csv.Error as error:
        raise wrong(text, str(error), reader.line_num) from None
    if len(lines) < 2:
        raise wrong(text, "the preferences hold no answer")
    return lines


def _place(text: TextFile, header: Sequence[str], names: Sequence[str]) -> int:
    """Return the place of the first column of these names that is there."""
    lower = [cell.lower() for cell in header]
    for name in names:
        if name in lower:
            return lower.index(name)
    raise wrong(text, f"no column {names[0]!r}{nearest(names[0], [*header])}", 1)
