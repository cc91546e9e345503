"""The page: template, style and script, and the links to the files that it is made from."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ndcgstudy.claims import OPEN, Entry
from ndcgstudy.ledger import Ruling
from ndcgstudy.report.gathered import Figure, StudyResults
from ndcgstudy.report.grid import SOME, grid
from ndcgstudy.report.inert import picture, policy

if TYPE_CHECKING:
    from jinja2 import Environment

KINDS = {
    Ruling.HOLDS.value: ("holds", "✓"),
    Ruling.CONDITION.value: ("condition", "±"),
    Ruling.CONTRADICTED.value: ("contradicted", "✗"),
    Ruling.CITED.value: ("cited", "“"),
    OPEN: ("open", "?"),
}
"""The class and the mark of each verdict: no colour stands alone for its meaning."""


def page(
    entries: Sequence[Entry], studies: Sequence[StudyResults], *, folder: Path, at: Path
) -> bytes:
    """Return the page as bytes of UTF-8, the same for the same results.

    Parameters
    ----------
    folder
        The results folder, which links lead to.
    at
        The folder that the page will stand in.

    Raises
    ------
    ValueError
        If a figure is not an SVG.
    """
    from markupsafe import Markup

    figures = {study.name: [_picture(study, f) for f in study.figures] for study in studies}
    base = Path(os.path.relpath(folder, at)).as_posix()
    environment = _environment()
    style, script = (f"\n{_asset(environment, name)}" for name in ("style.css", "sort.js"))
    text = environment.get_template("page.html").render(
        entries=entries,
        tally=_tally(entries),
        studies=studies,
        figures=figures,
        style=Markup(style),  # files of the package
        script=Markup(script),
        policy=policy(style, script),
        base="" if base == "." else f"{base}/",
        kinds=KINDS,
        some=SOME,
    )
    return text.encode()


def _tally(entries: Sequence[Entry]) -> dict[str, int]:
    count = Counter(entry.verdict for entry in entries)
    return {verdict: count[verdict] for verdict in KINDS if count[verdict]}


def _picture(study: StudyResults, figure: Figure) -> str:
    try:
        return picture(figure.svg)
    except ValueError as error:
        raise ValueError(f"{study.name}, {figure.name}.svg: {error}") from None


def _asset(environment: "Environment", name: str) -> str:
    """Return the text of a file among the page's assets."""
    return environment.get_template(name).render()


def slug(text: str) -> str:
    """Return a text as a name that an HTML id may hold.

    Examples
    --------
    >>> slug("my study.2")
    'my-study-2'
    """
    return re.sub(r"[^\w-]+", "-", text)


def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("ndcgstudy.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["slug"] = slug
    found.filters["grid"] = grid
    return found
