"""Slope charts: who is named, in which colour, and that names keep clear of each other."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from ndcgstudy.figures import BLUE, GREY, RED, STYLE
from ndcgstudy.holes.slopes import MOVERS, height, slopes


def table(size):
    """Ranks of which every seventh system swaps with the one three places below."""
    ranks = np.arange(1, size + 1)
    after = ranks.copy()
    for i in range(0, size - 3, 7):
        after[[i, i + 3]] = after[[i + 3, i]]
    return pd.DataFrame({"run": [f"run{i}" for i in ranks], "rank": ranks, "rank_after": after})


def drawn(data):
    with mpl.rc_context():
        mpl.rcParams.update(STYLE)
        figure = Figure(figsize=(4.4, height(len(data))), layout="constrained")
        ax = slopes(data, figure.subplots())
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in ax.texts]
    return ax, boxes


def test_few_systems_are_all_named_with_both_ranks():
    ax, _ = drawn(table(5))
    assert {t.get_text(): t.get_color() for t in ax.texts} == {
        "run4 4→1": BLUE,
        "run2 2→2": GREY,
        "run3 3→3": GREY,
        "run1 1→4": RED,
        "run5 5→5": GREY,
    }
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the best on top


def test_of_many_those_that_move_the_most_are_named():
    data = table(143)
    data.loc[[20, 120], "rank_after"] = [121, 21]
    ax, _ = drawn(data)
    texts = [t.get_text() for t in ax.texts]
    assert len(texts) == MOVERS
    assert {"run121 121→21", "run21 21→121"} <= set(texts)
    still = data.assign(rank_after=data["rank"])
    assert not drawn(still)[0].texts


@pytest.mark.parametrize("size", [2, 5, 12, 143])
def test_names_do_not_overlap(size):
    _, boxes = drawn(table(size))
    boxes.sort(key=lambda box: box.y0)
    assert all(a.y1 <= b.y1 - 0.6 * a.height for a, b in pairwise(boxes))
