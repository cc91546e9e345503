"""Figures are drawn the same each time, can be read, and touch no global state."""

import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ndcgstudy.figures import COLOURS, STYLE, end_labels, key, lines, look, render, spread
from ndcgstudy.study import Drawing

TABLE = pd.DataFrame(
    {
        "n": [1, 10, 100] * 3,
        "y": [0.1, 0.2, 0.3, 0.3, 0.2, np.nan, np.nan, np.nan, np.nan],
        "low": 0.05,
        "high": 0.4,
        "who": ["a"] * 3 + ["b"] * 3 + ["nothing"] * 3,
    }
)


def draw(table, ax):
    ax.set_xscale("log")
    key(ax, {"both": {"color": "black"}})
    return lines(table, ax, x="n", y="y", by="who", low="low", high="high")


@pytest.fixture
def ax():
    return Figure().subplots()


# bytes


def test_the_same_table_gives_the_same_bytes():
    assert render(Drawing(draw), TABLE) == render(Drawing(draw), TABLE)


def test_another_table_gives_another_figure():
    other = TABLE.assign(y=TABLE["y"] * 2)
    assert render(Drawing(draw), TABLE)["svg"] != render(Drawing(draw), other)["svg"]


def test_a_users_own_settings_change_nothing():
    before = render(Drawing(draw), TABLE)
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9}):
        assert render(Drawing(draw), TABLE) == before
        assert mpl.rcParams["font.size"] == 20


def test_files_are_png_and_svg_without_a_date():
    files = render(Drawing(draw), TABLE)
    assert files["png"].startswith(b"\x89PNG")
    assert b"Software" not in files["png"]
    assert b"<svg" in files["svg"]
    assert b"dc:date" not in files["svg"]


def test_drawing_leaves_the_global_state_of_pyplot_alone():
    code = (
        "import sys, ndcgstudy.figures as f\n"
        "assert 'matplotlib' not in sys.modules\n"
        "import pandas as pd; from ndcgstudy.study import Drawing\n"
        "f.render(Drawing(lambda t, ax: ax), pd.DataFrame())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# what is drawn


def _drawn(ax):
    """Return the lines in data units, without those that lead to labels."""
    return [line for line in ax.lines if line.get_clip_on()]


def test_each_series_with_a_value_is_a_line_with_its_name(ax):
    lines(TABLE, ax, x="n", y="y", by="who")
    assert [line.get_xydata().tolist() for line in _drawn(ax)] == [
        [[1, 0.1], [10, 0.2], [100, 0.3]],
        [[1, 0.3], [10, 0.2]],
    ]
    assert [text.get_text() for text in ax.texts] == ["a", "b"]


def test_a_label_has_the_colour_of_its_line(ax):
    lines(TABLE, ax, x="n", y="y", by="who", looks={"b": {"color": "#123456"}}, names={"b": "B!"})
    assert _drawn(ax)[1].get_color() == ax.texts[1].get_color() == "#123456"
    assert ax.texts[1].get_text() == "B!"


def test_a_band_reaches_from_low_to_high(ax):
    lines(TABLE, ax, x="n", y="y", by="who", low="low", high="high")
    (band, _) = ax.collections
    assert band.get_datalim(ax.transData).intervaly.tolist() == [0.05, 0.4]


def test_a_long_label_keeps_its_end(ax):
    end_labels(ax, [("a/very/long/path/to/a/file.py:half_life", 1.0, 1.0, "black")])
    assert ax.texts[0].get_text() == "…th/to/a/file.py:half_life"


# labels apart

HEIGHTS = st.lists(st.floats(0, 1), max_size=9)


@given(HEIGHTS)
def test_labels_keep_their_distance_their_order_and_their_axes(heights):
    step = 0.1  # nine labels need 0.8
    placed = spread(heights, step)
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    sorted_places = [placed[i] for i in order]
    assert all(b - a >= step - 1e-9 for a, b in pairwise(sorted_places))
    assert all(-1e-9 <= y <= 1 + 1e-9 for y in placed)


@given(HEIGHTS)
def test_labels_that_are_apart_already_do_not_move(heights):
    apart = [(i + 0.5) / 9 + 0.01 * h for i, h in enumerate(heights)]
    assert spread(apart, 0.1) == pytest.approx(apart)


def test_more_labels_than_have_room_stay_below_the_top():
    assert max(spread([0.5] * 30, 0.1)) <= 1 + 1e-9


# style


def test_all_text_is_eight_points_or_more():
    assert (
        min(value for name, value in STYLE.items() if "size" in name and "marker" not in name) >= 8
    )


def test_no_two_series_look_alike():
    assert len({tuple(look(i).values()) for i in range(77)}) == 77


def _luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def _seen(colour, lacking):
    """Project a colour on what people without red (0) or green (1) receptors see (Viénot 1999)."""
    to_lms = np.array(
        [[17.8824, 43.5161, 4.11935], [3.45565, 27.1554, 3.86714], [0.0299566, 0.184309, 1.46709]]
    )
    projection = np.eye(3)
    projection[lacking] = [[0, 2.02344, -2.52581], [0.494207, 0, 1.24827]][lacking]
    return np.linalg.solve(to_lms, projection @ to_lms @ np.array(to_rgb(colour)))


def _closest(colours):
    """Return the smallest distance of two colours, in RGB units, over three kinds of vision."""
    views = [[np.array(to_rgb(c)) for c in colours]]
    views += [[_seen(c, lacking) for c in colours] for lacking in (0, 1)]
    return min(
        float(np.linalg.norm(view[i] - view[j]))
        for view in views
        for i in range(len(colours))
        for j in range(i)
    )


def test_colours_differ_for_people_without_red_or_green_receptors():
    assert _closest(COLOURS) > 0.15


def test_the_check_of_colours_finds_red_and_green():
    assert _closest(("#cc3311", "#5a7a11")) < 0.15


def test_lines_stand_out_from_white_paper():
    contrast = [1.05 / (_luminance(colour) + 0.05) for colour in COLOURS]
    assert min(contrast) > 2
