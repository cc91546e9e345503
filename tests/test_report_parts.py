"""What the page is made of: figures as images, tables as short text."""

from base64 import b64decode

import numpy as np
import pandas as pd
import pytest

from ndcgstudy.report.grid import MOST, SOME, grid, text
from ndcgstudy.report.inert import LARGEST, picture

MATPLOTLIB = (
    b'<?xml version="1.0" encoding="utf-8" standalone="no"?>\n'
    b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n'
    b'  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg></svg>'
)


@pytest.mark.parametrize("data", [b"<svg/>", MATPLOTLIB, b"\xef\xbb\xbf<!-- x --> <svg >"])
def test_an_svg_becomes_the_source_of_an_image(data):
    kind, _, text = picture(data).partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert b64decode(text) == data


BOMB = b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>'


@pytest.mark.parametrize(
    "data", [b"", b"<html/>", b"\x89PNG", b"<svga/>", BOMB, b"<!DOCTYPE svg []><svg/>"]
)
def test_what_is_not_a_plain_svg_is_refused(data):
    with pytest.raises(ValueError, match="not a plain SVG"):
        picture(data)


def test_a_figure_has_a_size_that_a_page_can_hold():
    with pytest.raises(ValueError, match="20,000,000"):
        picture(b"<svg>" + b" " * LARGEST)


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
