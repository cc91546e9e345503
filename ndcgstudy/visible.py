"""Names from files, made fit to be shown: on a terminal, in CSV, Markdown and LaTeX."""

import re
import unicodedata

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories that move the cursor, turn the direction of writing, or show nothing."""

LONGEST = 200
"""The most characters of a value that a message quotes."""

MESSAGE = 4_000
"""The most characters of a message."""

_SAFE = re.compile(r"[ -~\u00a1-\u00ac\u00ae-\u05ff]*")
_WORD = re.compile(rf"\S{{{LONGEST + 1},}}")
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_QUOTED = re.compile(r"'+[=+\-@\t\r]")
_MARKS = re.compile(r"([\\|*`\[\]<>~]|(?<!\w)_|_(?!\w))")
_LATEX = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def visible(text: str, keep: str = "") -> str:
    r"""Write control characters, marks of direction, line breaks and lone surrogates as escapes.

    Characters in `keep` stay.

    Examples
    --------
    >>> print(visible("bm25\x07\u202e\n"))
    bm25\x07\u202e\n
    """
    if _SAFE.fullmatch(text):
        return text
    return "".join(c if c in keep or not _hides(c) else _escape(c) for c in text)


def _hides(character: str) -> bool:
    return unicodedata.category(character) in HIDDEN


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def message(text: str) -> str:
    """Make one line of a message: blanks folded, long words cut in the middle, all characters visible.

    Examples
    --------
    >>> message("line 1: id " + "x" * 300)[:60]
    'line 1: id xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
    >>> len(message("x" * 10**6))
    200
    """
    short = _WORD.sub(lambda found: _cut(found[0], LONGEST), " ".join(text.split()))
    return _cut(visible(short), MESSAGE)


def _cut(text: str, size: int) -> str:
    half = (size - 3) // 2
    return text if len(text) <= size else f"{text[: size - 3 - half]}...{text[-half:]}"


def guarded(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula; `unguarded` takes it off.

    Examples
    --------
    >>> guarded("=1+1"), guarded("bm25"), unguarded(guarded("'=x"))
    ("'=1+1", 'bm25', "'=x")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """Take off the apostrophe that `guarded` put before a text."""
    return text[1:] if _QUOTED.match(text) else text


def in_markdown(text: str) -> str:
    r"""Escape what Markdown or the HTML inside it would take for a mark.

    Examples
    --------
    >>> print(in_markdown("a|b <c> system_a"))
    a\|b \<c\> system_a
    """
    return _MARKS.sub(r"\\\1", visible(text)).replace("&", "&amp;")


def in_latex(text: str) -> str:
    r"""Escape what LaTeX would take for a command.

    Examples
    --------
    >>> print(in_latex("a_b & 50%"))
    a\_b \& 50\%
    """
    return visible(text).translate(_LATEX)
