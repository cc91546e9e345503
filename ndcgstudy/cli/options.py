"""Options that several commands share, and how their numbers are read."""

from typing import Annotated

import typer


def whole(text: str | int) -> int:
    """Read a whole number given as an option, or its default.

    Examples
    --------
    >>> whole("1_0")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
        ...
    typer.BadParameter: must be a whole number, got '1_0'
    """
    if not str(text).strip().lstrip("+-").isdecimal():
        raise typer.BadParameter(f"must be a whole number, got {text!r}")
    return int(text)


def root(text: str | int) -> int:
    """Read the root of a random stream given as an option."""
    if (value := whole(text)) < 0:
        raise typer.BadParameter(f"must be a whole number at least 0, got {text!r}")
    return value


def real(text: str | float) -> float:
    """Read a number given as an option."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"must be a number, got {text!r}") from None


LevelOption = Annotated[
    float, typer.Option("--level", parser=real, metavar="P", help="Of confidence, in (0, 1)")
]
ResamplesOption = Annotated[
    int, typer.Option("--resamples", parser=whole, metavar="N", help="How many resamples to draw")
]
SeedOption = Annotated[
    int, typer.Option("--seed", parser=root, metavar="N", help="Root of the random stream, from 0")
]
DesignOption = Annotated[
    str,
    typer.Option(
        "--design", help="What is sampled: topics, fixed (data sets), random (data sets), means"
    ),
]
FormatOption = Annotated[str, typer.Option("--format", help="table, csv, json, markdown, latex")]
TopicsOption = Annotated[str, typer.Option(help="Topics: a,b,c or a file with one a line")]
DuplicatesOption = Annotated[
    str, typer.Option(help="A document twice on a topic: error, first, max")
]
GradesOption = Annotated[str, typer.Option(help="What a grade may be: int, float")]
