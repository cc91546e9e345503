"""The page in a real browser: Chromium, headless. Skipped, and said so, where there is none.

NDCGSTUDY_REQUIRE_BROWSER turns the skip into a failure.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from browser import find, running
from result_files import made

from ndcgstudy.cli import main

ROOT = Path(__file__).parents[1]
WHITE = "rgb(255, 255, 255)"
TABLE = '[...document.querySelectorAll("table")].find(t => t.parentElement.ariaLabel == "{}")'
SMALL = TABLE.format("mixed, some: a table")
LONG = TABLE.format("mixed, table: a table")

CONTRAST = """
(() => {
  const light = (c) => c.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    while (e && getComputedStyle(e).backgroundColor == "rgba(0, 0, 0, 0)") e = e.parentElement;
    return getComputedStyle(e).backgroundColor;
  };
  document.querySelectorAll("details").forEach((e) => { e.open = true; });
  const texts = document.querySelectorAll(
    "h1,h2,h3,p,a,td,th,button,summary,caption,figcaption,.verdict,.why,dt,dd,code");
  return Math.min(...Array.from(texts, (e) => {
    const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }));
})()
"""

INK = """
Promise.all(Array.from(document.querySelectorAll("figure img"), async (img) => {
  await img.decode();
  const canvas = new OffscreenCanvas(100, 100), pen = canvas.getContext("2d");
  pen.drawImage(img, 0, 0, 100, 100);
  const dots = pen.getImageData(0, 0, 100, 100).data;
  const dark = dots.filter((v, i) => i % 4 == 0 && dots[i + 3] > 50 && v < 200).length;
  return [img.getBoundingClientRect().width, img.naturalWidth, dark];
}))
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = find()
    if program is None:
        reason = "no Chromium or Chrome is installed (Debian: apt-get install chromium)"
        if os.environ.get("NDCGSTUDY_REQUIRE_BROWSER"):
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    with running(program, tmp_path_factory.mktemp("profile")) as found:
        yield found


def write(results, experiments):
    with pytest.raises(SystemExit) as end:
        main(["report", "--results", str(results), "--experiments", str(experiments)])
    assert end.value.code == 0
    return results / "report.html"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = made(tmp_path_factory.mktemp("browser"))
    return write(folder / "results", folder / "experiments")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The page of the project's results."""
    results = tmp_path_factory.mktemp("own") / "results"
    shutil.copytree(ROOT / "results", results)
    return write(results, ROOT / "experiments")


@pytest.fixture
def page(browser, small):
    browser.look(width=1280)
    browser.open(small)
    return browser


def column(page, table, place):
    script = f"Array.from({table}.tBodies[0].rows, (row) => row.cells[{place}].textContent)"
    return page.evaluate(script)


def sort(page, table, place):
    page.evaluate(f"{table}.tHead.rows[0].cells[{place}].querySelector('button').click()")
    return page.evaluate(f"Array.from({table}.tHead.rows[0].cells, (head) => head.ariaSort)")


def numbers(texts):
    return [float(text.replace(",", "")) for text in texts if text]


@pytest.mark.parametrize("which", ["small", "own"])
def test_nothing_goes_wrong_and_nothing_leaves_the_page(browser, request, which):
    path = request.getfixturevalue(which)
    browser.look(width=1280)
    browser.open(path)
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]


def test_what_goes_wrong_or_leaves_a_page_would_be_seen(browser, tmp_path):
    path = tmp_path / "wrong.html"
    path.write_text("<img src='other.png'><script>console.log(1); nothing()</script>")
    browser.open(path)
    assert browser.requests == [path.as_uri(), (tmp_path / "other.png").as_uri()]
    assert any("Uncaught" in text for text in browser.problems)
    assert "console.log" in browser.problems


@pytest.mark.parametrize("which", ["small", "own"])
def test_every_figure_is_drawn(browser, request, which):
    browser.look(width=1280)
    browser.open(request.getfixturevalue(which))
    figures = browser.evaluate("document.querySelectorAll('figure').length")
    drawn = browser.evaluate(INK)
    assert len(drawn) == figures > 0
    for shown, natural, dark in drawn:
        assert min(shown, natural) > 100
        assert dark > 50  # of 10,000 points: axes and labels alone have more


def test_a_column_of_numbers_is_sorted_as_numbers_with_empty_cells_last(page):
    before = column(page, SMALL, 1)
    assert sort(page, SMALL, 1) == [None, "ascending", None, None]
    up = column(page, SMALL, 1)
    assert numbers(up[:-1]) == sorted(numbers(before))
    assert sort(page, SMALL, 1) == [None, "descending", None, None]
    down = column(page, SMALL, 1)
    assert numbers(down[:-1]) == sorted(numbers(before), reverse=True)
    assert up[-1] == down[-1] == ""
    assert numbers(up)[-1] == float("inf")


def test_rows_stay_whole_and_another_column_takes_over(page):
    before = set(zip(column(page, SMALL, 0), column(page, SMALL, 2), strict=True))
    sort(page, SMALL, 1)
    assert sort(page, SMALL, 0) == ["ascending", None, None, None]
    names = column(page, SMALL, 2)
    assert set(zip(column(page, SMALL, 0), names, strict=True)) == before
    assert names == [f"x{k} <b>&amp;" for k in range(12)]


def test_ids_of_claims_are_sorted_by_their_numbers(page):
    ledger = TABLE.format("The ledger, a table")
    assert column(page, ledger, 0) == ["A2", "A10", "A3", "T1", "Z1"]
    sort(page, ledger, 0)
    assert column(page, ledger, 0) == ["A2", "A3", "A10", "T1", "Z1"]


def test_the_first_stop_of_the_keyboard_skips_to_the_ledger(page):
    page.press("Tab", 9)
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.press("Enter", 13)
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_column_can_be_sorted_by_key_and_the_focus_is_seen(page):
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    page.evaluate(f"{SMALL}.tHead.rows[0].cells[0].querySelector('button').focus()")
    page.press("Tab", 9)
    page.press("Enter", 13)
    heads = page.evaluate(f"Array.from({SMALL}.tHead.rows[0].cells, (head) => head.ariaSort)")
    assert heads == [None, "ascending", None, None]
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


@pytest.mark.parametrize("width", [320, 375, 800, 1280])
@pytest.mark.parametrize("which", ["small", "own"])
def test_the_page_fits_its_window(browser, request, which, width):
    browser.look(width=width)
    browser.open(request.getfixturevalue(which))
    browser.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_the_words_above_a_wide_table_stay_in_a_narrow_window(browser, own):
    browser.look(width=375)
    browser.open(own)
    browser.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    script = (
        "Array.from(document.querySelectorAll('caption span'), (e) => e.getBoundingClientRect().{})"
    )
    for left in (0, 400):
        browser.evaluate(
            f"document.querySelectorAll('.scroll').forEach((e) => {{ e.scrollLeft = {left}; }})"
        )
        assert min(browser.evaluate(script.format("left"))) >= 0
        assert max(browser.evaluate(script.format("right"))) <= 375


@pytest.mark.parametrize("dark", [False, True])
def test_text_is_read_on_its_ground_and_figures_stay_on_white(browser, small, dark):
    browser.look(width=1280, dark=dark)
    browser.open(small)
    ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == WHITE) is not dark
    assert (
        browser.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")
        == WHITE
    )
    assert browser.evaluate(CONTRAST) >= 4.5  # WCAG 2.2, 1.4.3


def test_faint_text_would_be_seen(browser, small):
    browser.look(width=1280)
    browser.open(small)
    browser.evaluate("document.querySelector('.why').style.color = '#999'")
    assert browser.evaluate(CONTRAST) < 4.5


@pytest.mark.parametrize("which", ["small", "own"])
def test_paper_shows_the_ledger_and_no_control(browser, request, which):
    browser.look(width=700, media="print")  # A4 less margins
    browser.open(request.getfixturevalue(which))
    shown = "getComputedStyle(document.querySelector('{}')).display"
    assert browser.evaluate(shown.format("nav")) == "none"
    assert browser.evaluate(shown.format("details")) == "none"
    assert browser.evaluate(shown.format(".ledger")) == "table"
    assert browser.evaluate("document.documentElement.scrollWidth") <= 700
    assert browser.printed().startswith(b"%PDF")


def test_without_scripts_all_is_there(browser, small, tmp_path):
    bare = tmp_path / "bare.html"
    html = small.read_text(encoding="utf-8")
    bare.write_text(re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL), encoding="utf-8")
    browser.look(width=1280)
    browser.open(bare)
    assert len(column(browser, LONG, 0)) == 30
    assert browser.problems == []
