"""Write one figure to a file that a call names."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ndcgstudy.cli.app import fail, say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = (".pdf", ".png", ".svg")

FigureOption = Annotated[str, typer.Option("--figure", help="Draw to FILE: .png, .svg or .pdf")]


def check_figure(path: str) -> None:
    """Check that a file, where one is named, is one a figure can be written to.

    Raises
    ------
    ValueError
        If its ending is none of `KINDS` or its folder does not exist.
    """
    file = Path(path)
    if not path:
        return
    if file.suffix.lower() not in KINDS:
        raise ValueError(f"--figure {path}: the name must end with one of {', '.join(KINDS)}")
    if not file.parent.is_dir():
        raise ValueError(f"--figure {path}: there is no folder {file.parent}")


def write_figure(path: str, size: tuple[float, float], draw: "Callable[[Axes], Axes]") -> None:
    """Draw in the style of the studies and write the file, whole or not at all."""
    import os
    import warnings

    import matplotlib as mpl
    from matplotlib.figure import Figure

    from ndcgstudy.figures import STYLE

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        _plain(figure)
        temporary = f"{path}.{os.getpid()}.tmp"
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                figure.savefig(temporary, format=Path(path).suffix[1:].lower())
            os.replace(temporary, path)
        except OSError as error:
            fail(f"{path}: {error.strerror or error}")
    for line in dict.fromkeys(str(warning.message) for warning in told):
        say(f"{path}: {line}")  # of characters that the font lacks


def _plain(figure: Any) -> None:
    """Take dollars in names for what they are, not for the signs around a formula."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        if "$" in text.get_text() and "mathdefault" not in text.get_text():  # a power of ten
            text.set_parse_math(False)
