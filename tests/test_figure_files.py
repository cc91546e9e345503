"""Figures that a call names: whatever the names of runs, they are drawn, and can be read."""

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from ndcgstudy.cli.figure import write_figure
from ndcgstudy.conventions.figure import NAMED, drawing_for
from ndcgstudy.figures import STYLE, short
from ndcgstudy.holes.slopes import slopes

ODD = ["a$\\foo$b", "run_$x_$", "x" * 60, "_lead", "plain"]


def ranges(names: list[str]) -> pd.DataFrame:
    rows = [{"run": name, "score": 0.5, "lowest": 0.1, "highest": 0.9} for name in names]
    return pd.DataFrame(rows)


def ranks(names: list[str]) -> pd.DataFrame:
    places = range(1, len(names) + 1)
    return pd.DataFrame({"run": names, "rank": places, "rank_after": places})


@pytest.mark.parametrize(
    ("draw", "table"), [(drawing_for(5).draw, ranges(ODD)), (slopes, ranks(ODD))]
)
def test_a_dollar_in_a_name_is_no_formula(tmp_path: Path, draw: Any, table: pd.DataFrame) -> None:
    seen = []
    write_figure(str(tmp_path / "a.png"), (4.4, 3.0), lambda ax: seen.append(draw(table, ax)))
    texts = [text for text in seen[0].findobj(Text) if "$" in text.get_text()]
    assert len(texts) >= 2
    assert not any(text.get_parse_math() for text in texts)
    figure = Figure()
    draw(table, figure.subplots())
    with pytest.raises(ValueError, match="foo"):  # what is kept from users
        figure.draw_without_rendering()


def test_powers_of_ten_are_still_written_as_such(tmp_path: Path) -> None:
    seen = []

    def draw(ax):
        ax.set_xscale("log")
        ax.set_xlim(1, 1e6)
        ax.figure.draw_without_rendering()
        seen.append(ax)
        return ax

    write_figure(str(tmp_path / "a.png"), (3.0, 2.0), draw)
    labels = [text for text in seen[0].get_xticklabels() if text.get_text()]
    assert labels
    assert all(text.get_parse_math() for text in labels)


def test_characters_that_the_font_lacks_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "a.png")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_figure(path, (4.4, 3.0), lambda ax: slopes(ranks(["\u540d", "b"]), ax))
    err = capsys.readouterr().err.splitlines()
    assert len(err) == 1
    assert err[0].startswith(f"ndcgstudy: {path}: Glyph ")


@pytest.mark.parametrize("names", [ODD, [f"team_with_a_name_{i}" for i in range(NAMED)], ["a"]])
def test_ranges_have_room_beside_names(names: list[str]) -> None:
    drawing = drawing_for(len(names))
    with mpl.rc_context():
        mpl.rcParams.update(STYLE | {"text.parse_math": False})
        figure = Figure(figsize=drawing.size, layout="constrained")
        ax = drawing.draw(ranges(names), figure.subplots())
        figure.draw_without_rendering()
    label, whole = ax.xaxis.label.get_window_extent(), figure.bbox
    assert whole.x0 <= label.x0 < label.x1 <= whole.x1
    assert ax.bbox.width > 0.4 * whole.width
    ax.set_xlabel(ax.get_xlabel(), loc="center")  # as it was, it was cut off
    figure.draw_without_rendering()
    if len(names) > 1:
        assert ax.xaxis.label.get_window_extent().x1 > whole.x1


def test_a_label_is_cut_at_its_start() -> None:
    assert short("x" * 26) == "x" * 26
    assert short("y" + "x" * 26) == "\u2026" + "x" * 25
