"""Hostile results in a real browser: the page neither runs nor loads anything that they hold."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from browser import find, running
from result_files import made

from ndcgstudy.cli import main

AWAY = "http://127.0.0.1:9/x"
RUN = f"document.title='run';new Image().src='{AWAY}'"
SVG = f"""<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
xmlns:h="http://www.w3.org/1999/xhtml" width="200" height="200" onload="{RUN}">{{}}</svg>"""
FIGURES = {
    "script": f"<script>{RUN}</script>",
    "capitals": f"<SCRIPT>{RUN}</SCRIPT>",
    "foreign script": f"<h:script>{RUN}</h:script>",
    "handler": f'<image OnError="{RUN}" onerror="{RUN}" xlink:href="{AWAY}"/>',
    "frame": f"<foreignObject width='99' height='99'><h:iframe srcdoc='&lt;script>parent.{RUN}"
    "&lt;/script>'/></foreignObject>",
    "link": f'<a xlink:href="javascript:{RUN}"><rect width="200" height="200"/></a>',
    "refresh": f'<h:meta http-equiv="refresh" content="0;url={AWAY}"/>',
    "style": f"<style>@import url('{AWAY}'); rect {{ fill: url('{AWAY}#a'); }}</style><rect/>",
    "use": f'<use href="{AWAY}#a"/>',
    "animation": f'<set attributeName="x" to="1" onbegin="{RUN}"/>',
}
TEXTS = (
    f"<script>{RUN}</script>",
    f"</style></script></title><script>{RUN}</script>",
    f'"><img src="{AWAY}" onerror="{RUN}">',
    f'<meta http-equiv="refresh" content="0;url={AWAY}">',
    f'<base href="{AWAY}"><form action="{AWAY}"><button autofocus onfocus="{RUN}">',
    f"javascript:{RUN}",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = find()
    if program is None:
        pytest.skip("no Chromium or Chrome is installed (Debian: apt-get install chromium)")
    with running(program, tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    return made(tmp_path_factory.mktemp("hostile"))


def hostile_manifest(folder: Path, change) -> None:
    path = folder / "results" / "mixed" / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


def written(clean: Path, tmp_path: Path, change) -> Path:
    shutil.copytree(clean, folder := tmp_path / "hostile")
    change(folder)
    where = [f"--{name}={folder / name}" for name in ("results", "experiments")]
    with pytest.raises(SystemExit) as end:
        main(["report", *where])
    assert end.value.code == 0
    return folder / "results" / "report.html"


def inert(browser, page: Path) -> None:
    browser.look(width=1280)
    browser.open(page)
    title = browser.evaluate("document.title")
    browser.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    browser.evaluate("document.querySelectorAll('.card *').forEach((e) => e.click())")
    assert (
        browser.evaluate("new Promise((done) => setTimeout(() => done(document.title), 50))")
        == title
    )
    assert browser.requests == [page.as_uri()]
    assert browser.evaluate("location.href") == page.as_uri()


@pytest.mark.parametrize("name", FIGURES)
def test_a_hostile_figure_neither_runs_nor_loads(browser, clean, tmp_path, name):
    data = SVG.format(FIGURES[name]).encode()

    def change(folder: Path) -> None:
        (folder / "results" / "mixed" / "first.svg").write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        hostile_manifest(folder, lambda found: found["files"].update({"first.svg": digest}))

    inert(browser, written(clean, tmp_path, change))


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_texts_stay_texts(browser, clean, tmp_path, text):
    def change(folder: Path) -> None:
        def everywhere(found):
            found |= {"question": text, "platform": text, "commit": text}
            found["versions"] = {text: text}
            found["inputs"] = {text: text}

        hostile_manifest(folder, everywhere)
        place = folder / "results" / "mixed"
        quoted = text.replace('"', '""')
        for name in ("table.csv", "claims.csv"):
            old = (place / name).read_text()
            old = old.replace("x3 <b>&amp;", quoted).replace("One & one is two.", f'"{quoted}"')
            (place / name).write_text(old)

    page = written(clean, tmp_path, change)
    assert "srcdoc" not in page.read_text()
    inert(browser, page)


def test_payloads_that_run_would_be_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f"<title>x</title>{SVG.format(FIGURES['script'])}")
    browser.open(page)
    assert browser.evaluate("document.title") == "run"
    with pytest.raises(AssertionError):
        inert(browser, page)


def test_the_policy_keeps_a_script_from_running_that_got_into_the_page(browser, clean, tmp_path):
    page = written(clean, tmp_path, lambda folder: None)
    text = page.read_text(encoding="utf-8")
    extra = f'<script>{RUN}</script><p style="color:red" onclick="{RUN}" id="own">x</p></main>'
    page.write_text(text.replace("</main>", extra, 1), encoding="utf-8")
    inert(browser, page)
    assert browser.evaluate("getComputedStyle(document.getElementById('own')).color") != (
        "rgb(255, 0, 0)"
    )
