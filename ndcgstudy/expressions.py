"""Small expressions in the text of parts: their numbers read, and what is wrong with them shown."""

import ast
import re
from collections.abc import Mapping
from typing import Any


def literal(node: ast.expr, text: str, externals: Mapping[str, str]) -> Any:
    """Read a number, or a list of numbers.

    Parameters
    ----------
    node, text
        The node, and the text that it is part of.
    externals
        The specs of users' parts by the marks that stand for them.

    Raises
    ------
    ValueError
        If the node is anything else.
    """
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError):
        value = shown(restored(node, externals))
        raise ValueError(f"cannot read {value} in {shown(text)}: expected a number") from None


def restored(node: ast.expr, externals: Mapping[str, str]) -> str:
    """Write a node as text, with what its marks stand for."""
    return re.sub(r"_external_+\d+", lambda m: externals.get(m[0], m[0]), ast.unparse(node))


def shown(value: Any, size: int = 200) -> str:
    """Show a value in a message, its middle cut out where it is very long.

    Examples
    --------
    >>> shown("abcdefgh", 6)
    "'ab...gh'"
    """
    text = repr(value)
    return text if len(text) <= size else f"{text[: size // 2]}...{text[-size // 2 :]}"


def listed(names: list[str]) -> str:
    """List names in a message."""
    return ", ".join(names) or "none"


def split(text: str, at: str | None = None) -> list[str]:
    """Split at a character (at blanks by default) outside parentheses, dropping empty parts.

    Examples
    --------
    >>> split("table(0,1,3), linear", ",")
    ['table(0,1,3)', 'linear']
    """
    parts, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if depth == 0 and (char.isspace() if at is None else char == at):
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]
