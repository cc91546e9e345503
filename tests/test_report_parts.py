"""What the page is made of: figures that share no name, tables as short text."""

import re

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.report.grid import MOST, SOME, grid, text
from ndcgstudy.report.svg import Shapes, inline

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {}>{}</svg>'
)
BOX = 'width="9pt" height="9pt" viewBox="0 0 9 9"'


def glyph(name, d="M 0 0 L 1 1", more=""):
    return SVG.format(
        BOX,
        f'<g id="{name}"><defs><path id="{name}-g" d="{d}"/><clipPath id="{name}-c"><rect/></clipPath>'
        f'</defs><use xlink:href="#{name}-g" clip-path="url(#{name}-c)"/>{more}</g>',
    ).encode()


def test_figures_share_what_is_alike_and_no_other_name():
    shapes = Shapes()
    files = (glyph("a"), glyph("a"), glyph("b", "M 2 2"))
    found = [inline(f, prefix=f"p{i}", title="t", shapes=shapes) for i, f in enumerate(files)]
    assert [re.findall('id="([^"]+)"', svg) for svg in found] == [
        ["p0-title", "p0-a-c"],
        ["p1-title", "p1-a-c"],
        ["p2-title", "p2-b-c"],
    ]
    assert [re.findall('href="([^"]+)"', svg) for svg in found] == [
        ["#shape-0"],
        ["#shape-0"],
        ["#shape-1"],
    ]
    assert shapes.markup().count("<path") == 2


def test_titles_are_text():
    svg = inline(glyph("a"), prefix="p", title="<b> & c", shapes=Shapes())
    assert '<title id="p-title">&lt;b&gt; &amp; c</title>' in svg


@pytest.mark.parametrize(
    "more",
    [
        "<script>x</script>",
        '<rect onclick="x"/>',
        '<image xlink:href="http://example.org/x.png"/>',
        "<foreignObject/>",
    ],
)
def test_a_figure_that_runs_or_loads_something_is_refused(more):
    with pytest.raises(ValueError, match=r"script|beyond itself"):
        inline(glyph("a", more=more), prefix="p", title="t", shapes=Shapes())


@pytest.mark.parametrize("data", [b"", b"<html/>", b"\x89PNG"])
def test_what_is_no_svg_is_refused(data):
    with pytest.raises(ValueError, match="a figure is no SVG"):
        inline(data, prefix="p", title="t", shapes=Shapes())


@pytest.mark.parametrize("rows", [0, 1, MOST, MOST + 1])
def test_a_table_stands_whole_up_to_a_length(rows):
    found = grid(pd.DataFrame({"n": np.arange(rows), "s": "x"}))
    assert (found.total, found.header, found.numeric) == (rows, ["n", "s"], [True, False])
    assert len(found.rows) == (rows if rows <= MOST else SOME)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(-0.5, "-0.5"), (1e-9, "1e-09"), (1e16, "1e+16"), (12345.678, "1.235e+04"), (None, "None")],
)
def test_numbers_are_short(value, shown):
    assert text(value) == shown
